/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for addresses, loaded when they are asked for.
 *
 * A DSO's symbols are loaded once, by the first worker that needs them; others that need the same DSO wait for it, those
 * that need another one go on. Names are demangled when they are shown: an index array per DSO remembers them.
 */
#include "symbol/symbolizer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "elf/demangle.h"
#include "elf/dwarf_line.h"
#include "symbol/symbol_source.h"

struct dso_symbols {
	_Atomic bool is_loaded;
	pthread_mutex_t lock;
	struct symbol_set set;
	const char *_Atomic *names; /* by symbol index; NULL: not asked for yet */
	struct dwarf_line *lines;
	bool lines_tried;
};

struct symbolizer {
	struct machine *machine;
	struct symbol_context context;
	pthread_mutex_t context_lock; /* sources that fill the context (kallsyms) */
	pthread_mutex_t names_lock;
	struct arena names;
	/* By DSO id, in chunks that never move: the machine may learn of more DSOs while names are asked for. */
	struct dso_symbols *_Atomic chunks[4096];
	pthread_mutex_t chunks_lock;
	ARRAY(struct symbolizer_complaint) complaints;
};

#define CHUNK_SIZE 256u

static const char *copy_option(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

struct symbolizer *symbolizer_new(struct machine *machine, const struct symbolizer_options *options)
{
	struct symbolizer *symbolizer = xcalloc(1, sizeof(*symbolizer));
	struct symbolizer_options *copy = &symbolizer->context.options;

	symbolizer->machine = machine;
	if (options)
		*copy = *options;
	copy->symfs = copy_option(copy->symfs);
	copy->vmlinux = copy_option(copy->vmlinux);
	copy->kallsyms = copy_option(copy->kallsyms);
	copy->buildid_dir = copy_option(copy->buildid_dir);
	copy->os_release = copy_option(copy->os_release);
	pthread_mutex_init(&symbolizer->context_lock, NULL);
	pthread_mutex_init(&symbolizer->names_lock, NULL);
	pthread_mutex_init(&symbolizer->chunks_lock, NULL);
	return symbolizer;
}

static void release_symbols(struct dso_symbols *symbols)
{
	dwarf_line_free(symbols->lines);
	if (!symbols->set.is_shared_table)
		symtab_free(symbols->set.table);
	if (symbols->set.debug_image != symbols->set.image)
		elf_image_close(symbols->set.debug_image);
	elf_image_close(symbols->set.image);
	free(symbols->set.complaint);
	free((void *)symbols->names);
	pthread_mutex_destroy(&symbols->lock);
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	struct symbolizer_options *options;

	if (!symbolizer)
		return;
	for (size_t i = 0; i < NR_ITEMS(symbolizer->chunks); i++) {
		if (!symbolizer->chunks[i])
			continue;
		for (unsigned j = 0; j < CHUNK_SIZE; j++)
			release_symbols(&symbolizer->chunks[i][j]);
		free(symbolizer->chunks[i]);
	}
	symbol_source_kernel_release(&symbolizer->context);
	options = &symbolizer->context.options;
	free((char *)options->symfs);
	free((char *)options->vmlinux);
	free((char *)options->kallsyms);
	free((char *)options->buildid_dir);
	free((char *)options->os_release);
	arena_release(&symbolizer->names);
	array_release(&symbolizer->complaints);
	pthread_mutex_destroy(&symbolizer->context_lock);
	pthread_mutex_destroy(&symbolizer->names_lock);
	pthread_mutex_destroy(&symbolizer->chunks_lock);
	free(symbolizer);
}

void symbolizer_preload(struct symbolizer *symbolizer)
{
	pthread_mutex_lock(&symbolizer->context_lock);
	symbol_source_kernel_preload(&symbolizer->context);
	pthread_mutex_unlock(&symbolizer->context_lock);
}

void symbolizer_preload_wait(struct symbolizer *symbolizer)
{
	pthread_mutex_lock(&symbolizer->context_lock);
	symbol_source_kernel_wait(&symbolizer->context);
	pthread_mutex_unlock(&symbolizer->context_lock);
}

static struct dso_symbols *slot_of(struct symbolizer *symbolizer, struct dso_id dso)
{
	size_t number = dso.v / CHUNK_SIZE;
	struct dso_symbols *chunk;

	if (number >= NR_ITEMS(symbolizer->chunks))
		return NULL; /* a million DSOs: only in hostile files; their addresses stay without names */
	chunk = atomic_load_explicit(&symbolizer->chunks[number], memory_order_acquire);
	if (!chunk) {
		pthread_mutex_lock(&symbolizer->chunks_lock);
		chunk = atomic_load_explicit(&symbolizer->chunks[number], memory_order_relaxed);
		if (!chunk) {
			chunk = xcalloc(CHUNK_SIZE, sizeof(*chunk));
			for (unsigned i = 0; i < CHUNK_SIZE; i++)
				pthread_mutex_init(&chunk[i].lock, NULL);
			atomic_store_explicit(&symbolizer->chunks[number], chunk, memory_order_release);
		}
		pthread_mutex_unlock(&symbolizer->chunks_lock);
	}
	return &chunk[dso.v % CHUNK_SIZE];
}

static void load(struct symbolizer *symbolizer, const struct dso *dso, struct symbol_set *set)
{
	struct symbol_context *context = &symbolizer->context;

	switch (dso->kind) {
	case DSO_FILE:
		symbol_source_elf(context, dso, set);
		break;
	case DSO_VDSO:
		symbol_source_vdso(context, dso, set);
		break;
	case DSO_KERNEL:
	case DSO_MODULE:
		pthread_mutex_lock(&symbolizer->context_lock);
		if (dso->kind == DSO_KERNEL)
			symbol_source_kernel(context, dso, set);
		else
			symbol_source_module(context, dso, set);
		pthread_mutex_unlock(&symbolizer->context_lock);
		break;
	case DSO_JIT:
		symbol_source_perfmap(context, dso, set);
		break;
	case DSO_BPF:
		symbol_source_bpf(context, dso, set);
		break;
	case DSO_UNKNOWN:
	case DSO_SPECIAL:
		break;
	}
}

/* The DSO's symbols, loaded; NULL for a DSO id out of bounds. */
static struct dso_symbols *symbols_of(struct symbolizer *symbolizer, struct dso_id dso)
{
	struct dso_symbols *symbols = slot_of(symbolizer, dso);

	if (!symbols || atomic_load_explicit(&symbols->is_loaded, memory_order_acquire))
		return symbols;
	pthread_mutex_lock(&symbols->lock);
	if (!atomic_load_explicit(&symbols->is_loaded, memory_order_relaxed)) {
		load(symbolizer, machine_dso(symbolizer->machine, dso), &symbols->set);
		if (symbols->set.table)
			symbols->names = xcalloc(symtab_nr(symbols->set.table) + 1, sizeof(*symbols->names));
		if (symbols->set.complaint) {
			pthread_mutex_lock(&symbolizer->names_lock);
			array_push(&symbolizer->complaints,
				   (struct symbolizer_complaint){ dso, symbols->set.complaint });
			pthread_mutex_unlock(&symbolizer->names_lock);
		}
		atomic_store_explicit(&symbols->is_loaded, true, memory_order_release);
	}
	pthread_mutex_unlock(&symbols->lock);
	return symbols;
}

static uint64_t vaddr_of(const struct dso_symbols *symbols, uint64_t offset)
{
	uint64_t vaddr;

	if (!symbols->set.image)
		return offset + symbols->set.bias;
	return elf_image_vaddr_of(symbols->set.image, offset, &vaddr) ? vaddr : offset;
}

uint32_t symbolizer_find(struct symbolizer *symbolizer, struct dso_id dso, uint64_t offset)
{
	struct dso_symbols *symbols = symbols_of(symbolizer, dso);
	uint32_t index;

	if (!symbols || !symbols->set.table)
		return SYMBOL_NONE;
	index = symtab_find(symbols->set.table, vaddr_of(symbols, offset));
	return index == SYMTAB_NONE ? SYMBOL_NONE : index;
}

uint32_t symbolizer_nr_symbols(struct symbolizer *symbolizer, struct dso_id dso)
{
	struct dso_symbols *symbols = symbols_of(symbolizer, dso);

	return symbols && symbols->set.table ? symtab_nr(symbols->set.table) : 0;
}

uint64_t symbolizer_start(struct symbolizer *symbolizer, struct dso_id dso, uint32_t index)
{
	return symtab_start(symbols_of(symbolizer, dso)->set.table, index);
}

struct symbol symbolizer_symbol(struct symbolizer *symbolizer, struct dso_id dso, uint32_t index)
{
	struct dso_symbols *symbols = symbols_of(symbolizer, dso);
	struct symtab_symbol symbol = symtab_get(symbols->set.table, index);

	return (struct symbol){ symbol.name, (uint32_t)strlen(symbol.name), symbol.start, symbol.end };
}

static const char *make_name(struct symbolizer *symbolizer, const struct dso_symbols *symbols,
			     const char *name)
{
	struct buf buf = BUF_INIT;
	const char *text = name;

	if (symbols->set.is_mangled && !symbolizer->context.options.no_demangle &&
	    demangle_is_mangled(name) && demangle_name(name, DEMANGLE_FULL, &buf)) {
		pthread_mutex_lock(&symbolizer->names_lock);
		text = arena_strdup(&symbolizer->names, buf_text(&buf));
		pthread_mutex_unlock(&symbolizer->names_lock);
	}
	buf_release(&buf);
	return text;
}

const char *symbolizer_name(struct symbolizer *symbolizer, struct dso_id dso, uint32_t index)
{
	struct dso_symbols *symbols = symbols_of(symbolizer, dso);
	const char *name = atomic_load_explicit(&symbols->names[index], memory_order_acquire);

	if (name)
		return name;
	/* Two threads may both make the name; both copies stay valid. */
	name = make_name(symbolizer, symbols, symtab_get(symbols->set.table, index).name);
	atomic_store_explicit(&symbols->names[index], name, memory_order_release);
	return name;
}

uint64_t symbolizer_vaddr(struct symbolizer *symbolizer, struct dso_id dso, uint64_t offset)
{
	struct dso_symbols *symbols = symbols_of(symbolizer, dso);

	return symbols ? vaddr_of(symbols, offset) : offset;
}

struct span symbolizer_code(struct symbolizer *symbolizer, struct dso_id dso, uint64_t offset)
{
	struct dso_symbols *symbols = symbols_of(symbolizer, dso);
	struct span bytes;

	if (!symbols || !symbols->set.image || machine_dso(symbolizer->machine, dso)->kind != DSO_FILE)
		return (struct span){ 0 };
	bytes = elf_image_bytes(symbols->set.image);
	return offset < bytes.size ? (struct span){ bytes.data + offset, bytes.size - offset }
				   : (struct span){ 0 };
}

bool symbolizer_srcline(struct symbolizer *symbolizer, struct dso_id dso, uint64_t offset, bool with_folders,
			struct buf *buf)
{
	struct dso_symbols *symbols = symbols_of(symbolizer, dso);
	struct elf_image *image;

	if (!symbols)
		return false;
	pthread_mutex_lock(&symbols->lock);
	image = symbols->set.debug_image ? symbols->set.debug_image : symbols->set.image;
	if (!symbols->lines_tried && image) {
		symbols->lines_tried = true;
		symbols->lines = dwarf_line_new(image);
	}
	pthread_mutex_unlock(&symbols->lock);
	return symbols->lines &&
	       dwarf_line_find(symbols->lines, vaddr_of(symbols, offset), with_folders, buf);
}

size_t symbolizer_complaints(struct symbolizer *symbolizer, const struct symbolizer_complaint **ret_list)
{
	*ret_list = symbolizer->complaints.items;
	return symbolizer->complaints.nr;
}
