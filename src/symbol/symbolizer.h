/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for addresses: (dso, offset) -> symbol -> name, loaded lazily per DSO, safe from several threads.
 */
#ifndef SYMBOL_SYMBOLIZER_H
#define SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "elf/debuginfod.h"
#include "model/machine.h"

struct symbolizer;

struct symbolizer_options {
	const char *symfs; /* prefix of all file paths; NULL: none */
	const char *vmlinux; /* NULL: the usual places */
	const char *kallsyms; /* NULL: /proc/kallsyms when the running kernel is the recorded one */
	bool ignore_vmlinux; /* only that of .vmlinux */
	const char *buildid_dir; /* NULL: ~/.debug */
	const char *os_release; /* of the recorded kernel; NULL: not known */
	bool no_demangle;
	bool debuginfod; /* ask $DEBUGINFOD_URLS */
	debuginfod_progress *progress; /* of its downloads; NULL: silent */
	void *progress_context;
};

#define SYMBOL_NONE UINT32_MAX

struct symbol {
	const char *name; /* as in the symbol table; NOT NUL-terminated in general: name_size bytes */
	uint32_t name_size;
	uint64_t start, end; /* in the DSO's `offset` terms for kernels and JITs, vaddr as linked for files */
};

/* The machine outlives the symbolizer. */
struct symbolizer *symbolizer_new(struct machine *machine, const struct symbolizer_options *options);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Starts reading the kernel's symbols, which takes its time, on a thread of its own; does nothing when they would not be
 * those of the running kernel. The other functions wait for it as need be. To be waited for before the process
 * ends or forks; symbolizer_free does that, too.
 */
void symbolizer_preload(struct symbolizer *symbolizer);
void symbolizer_preload_wait(struct symbolizer *symbolizer);

/* Index of the symbol that covers offset (in struct location's terms) within its DSO; SYMBOL_NONE. Loads on first use. */
uint32_t symbolizer_find(struct symbolizer *symbolizer, struct dso_id dso, uint64_t offset);
/* How many symbols the DSO has: indexes are below. */
uint32_t symbolizer_nr_symbols(struct symbolizer *symbolizer, struct dso_id dso);
/* Its first address: symbolizer_symbol(...).start, without touching the name. */
uint64_t symbolizer_start(struct symbolizer *symbolizer, struct dso_id dso, uint32_t index);
struct symbol symbolizer_symbol(struct symbolizer *symbolizer, struct dso_id dso, uint32_t index);
/* The name to show: demangled, NUL-terminated, valid as long as the symbolizer. */
const char *symbolizer_name(struct symbolizer *symbolizer, struct dso_id dso, uint32_t index);
/* The address as linked of a file offset; what `symbol.start` is comparable with. */
uint64_t symbolizer_vaddr(struct symbolizer *symbolizer, struct dso_id dso, uint64_t offset);
/* The bytes of code at an offset of a DSO that is a file, up to the file's end; size 0: not at hand. */
struct span symbolizer_code(struct symbolizer *symbolizer, struct dso_id dso, uint64_t offset);
/* "file.c:123" into buf, by DWARF; false: not known. */
bool symbolizer_srcline(struct symbolizer *symbolizer, struct dso_id dso, uint64_t offset, bool with_folders,
			struct buf *buf);

/* What the user should know after a report: one sentence a DSO that was hit and has no symbols (or the wrong ones). */
struct symbolizer_complaint {
	struct dso_id dso;
	const char *text; /* "libfoo.so.1 is stripped: install ... or use --debuginfod" */
};
size_t symbolizer_complaints(struct symbolizer *symbolizer, const struct symbolizer_complaint **ret_list);

#endif
