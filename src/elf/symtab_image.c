/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of ELF files as rows of a symtab; what is taken and why: see symtab.c. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/xalloc.h"
#include "elf/image.h"
#include "elf/plt.h"
#include "elf/symtab.h"

/* What a symbol's section says about it, for the loop over symbols. */
struct section_facts {
	uint64_t base; /* to be added to values: ET_REL */
	bool is_loaded;
	bool is_descriptor; /* .opd: the value is where the address is */
};

struct collector {
	struct elf_image *image;
	struct section_facts *facts;
	uint64_t *limits;
	size_t nr_sections;
	uint16_t machine;
	bool has_mapping_symbols;
	struct span section_indexes; /* SHT_SYMTAB_SHNDX */
	struct symtab_row *rows;
	size_t nr_rows;
	size_t room;
};

static void collector_look_at(struct collector *collector, struct elf_image *image)
{
	const struct elf_header *header = elf_image_header(image);
	const struct elf_section *sections = elf_image_sections(image, &collector->nr_sections);

	free(collector->facts);
	collector->image = image;
	collector->machine = header->machine;
	collector->has_mapping_symbols = header->machine == EM_ARM || header->machine == EM_AARCH64 ||
					 header->machine == EM_RISCV || header->machine == 252 /* EM_CSKY */;
	collector->facts = xcalloc(collector->nr_sections + 1, sizeof(*collector->facts));
	for (size_t i = 0; i < collector->nr_sections; i++) {
		const struct elf_section *section = &sections[i];

		collector->facts[i].is_loaded = section->flags & SHF_ALLOC;
		collector->facts[i].base = header->type == ET_REL ? section->addr : 0;
		if (header->machine == EM_PPC64 && !strcmp(elf_image_section_name(image, section), ".opd"))
			collector->facts[i].is_descriptor = true;
	}
}

/* Limits of the sections of several images go into one list; returns what section i's limit is offset by. */
static size_t add_limits(struct collector *collector, size_t *nr_limits)
{
	size_t first = *nr_limits, nr;
	const struct elf_section *sections = elf_image_sections(collector->image, &nr);

	collector->limits = xreallocarray(collector->limits, first + nr + 1, sizeof(*collector->limits));
	for (size_t i = 0; i < nr; i++)
		collector->limits[first + i] = sections[i].addr + sections[i].size;
	*nr_limits += nr;
	return first;
}

static bool descriptor_target(struct elf_image *image, uint64_t *start)
{
	struct span data = elf_image_data_at(image, *start);

	if (data.size < 8)
		return false;
	*start = elf_u64(data.data, elf_image_header(image)->swap);
	return true;
}

static bool is_mapping_symbol(const char *name)
{
	if (name[0] == '$')
		return name[1] == 'a' || name[1] == 'd' || name[1] == 't' || name[1] == 'x';
	return name[0] == '.' && name[1] == 'L';
}

static inline __attribute__((always_inline)) void collect(struct collector *collector, struct span symbols,
							  struct span strings, uint8_t pool,
							  size_t first_limit, bool wide, bool swap)
{
	size_t entry = wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), nr = symbols.size / entry;
	struct symtab_row *row = collector->rows + collector->nr_rows;

	for (size_t i = 1; i < nr; i++) {
		const uint8_t *at = symbols.data + i * entry;
		uint32_t name = elf_u32(at, swap), section;
		uint8_t info = at[wide ? offsetof(Elf64_Sym, st_info) : offsetof(Elf32_Sym, st_info)];
		unsigned type = info & 15;
		uint64_t start, size;

		if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE && type != STT_GNU_IFUNC)
			continue;
		section = elf_u16(at + (wide ? offsetof(Elf64_Sym, st_shndx) : offsetof(Elf32_Sym, st_shndx)),
				  swap);
		if (section == SHN_XINDEX && i < collector->section_indexes.size / 4)
			section = elf_u32(collector->section_indexes.data + i * 4, swap);
		if (section == SHN_UNDEF || section >= collector->nr_sections ||
		    !collector->facts[section].is_loaded || !name || name >= strings.size)
			continue;
		if (wide) {
			start = elf_u64(at + offsetof(Elf64_Sym, st_value), swap);
			size = elf_u64(at + offsetof(Elf64_Sym, st_size), swap);
		} else {
			start = elf_u32(at + offsetof(Elf32_Sym, st_value), swap);
			size = elf_u32(at + offsetof(Elf32_Sym, st_size), swap);
		}
		start += collector->facts[section].base;
		if (collector->facts[section].is_descriptor) {
			if (!descriptor_target(collector->image, &start))
				continue;
			section = 0;
		}
		if (collector->machine == EM_ARM && type == STT_FUNC)
			start &= ~(uint64_t)1;
		if (type == STT_NOTYPE && collector->has_mapping_symbols &&
		    is_mapping_symbol((const char *)strings.data + name))
			continue;
		*row++ = (struct symtab_row){
			.start = start,
			.end = size > UINT64_MAX - start ? start : start + size,
			.name = name,
			.pool = pool,
			.info = info,
			.limit = section && first_limit + section < UINT16_MAX
					 ? (uint16_t)(first_limit + section + 1)
					 : 0,
		};
	}
	collector->nr_rows = (size_t)(row - collector->rows);
}

/* Adds the symbols of one table; the pool gets its strings. Damaged: -EBADMSG. */
static int collect_table(struct collector *collector, uint32_t type, struct span *pools, uint8_t pool,
			 size_t first_limit, struct err *err)
{
	struct elf_image *image = collector->image;
	const struct elf_header *header = elf_image_header(image);
	const struct elf_section *table = elf_image_find_section_type(image, type), *sections;
	bool wide = header->bits == 64;
	struct span symbols, strings;
	size_t nr;
	int ret;

	sections = elf_image_sections(image, &nr);
	if (!table || table->link == 0 || table->link >= nr)
		return 0;
	ret = elf_image_section_data(image, table, &symbols, err);
	if (!ret)
		ret = elf_image_section_data(image, &sections[table->link], &strings, err);
	if (ret)
		return ret;
	/* Every name must end inside of the table. */
	while (strings.size && strings.data[strings.size - 1])
		strings.size--;
	if (!strings.size || !symbols.size)
		return 0;
	collector->section_indexes = (struct span){ 0 };
	if (type == SHT_SYMTAB && nr >= SHN_LORESERVE) {
		const struct elf_section *indexes = elf_image_find_section_type(image, SHT_SYMTAB_SHNDX);

		if (indexes)
			elf_image_section_data(image, indexes, &collector->section_indexes, NULL);
	}
	pools[pool] = strings;
	collector->room = collector->nr_rows + symbols.size / (wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	collector->rows = xreallocarray(collector->rows, collector->room + 1, sizeof(*collector->rows));
	if (wide && !header->swap)
		collect(collector, symbols, strings, pool, first_limit, true, false);
	else
		collect(collector, symbols, strings, pool, first_limit, wide, header->swap);
	return 0;
}

static int collect_image(struct collector *collector, struct elf_image *image, struct span *pools,
			 size_t *nr_limits, struct err *err)
{
	struct elf_image *inner = NULL;
	size_t first_limit;
	int ret;

	collector_look_at(collector, image);
	first_limit = add_limits(collector, nr_limits);
	if (elf_image_has_symtab(image))
		return collect_table(collector, SHT_SYMTAB, pools, 0, first_limit, err);
	ret = collect_table(collector, SHT_DYNSYM, pools, 0, first_limit, err);
	/* Damaged or unreadable mini symbols do not make the others worse. */
	if (!ret && !elf_image_debugdata(image, &inner, NULL) && inner) {
		collector_look_at(collector, inner);
		first_limit = add_limits(collector, nr_limits);
		collect_table(collector, SHT_SYMTAB, pools, 1, first_limit, NULL);
	}
	return ret;
}

/* "NAME@plt" into names. */
static bool name_stub(struct symtab_names *names, const char *target, bool is_head, uint32_t *ret_name)
{
	size_t size = strlen(target);

	if (size > 1 << 20)
		return false;
	*ret_name = symtab_names_add(names, target, size);
	if (is_head)
		return *ret_name != SYMTAB_NONE;
	if (*ret_name == SYMTAB_NONE || symtab_names_add(names, "@plt", 4) == SYMTAB_NONE)
		return false;
	/* Over the NUL between the two. */
	memmove(names->text + *ret_name + size, names->text + *ret_name + size + 1, 5);
	names->size--;
	return true;
}

/* The name of an ifunc is that of its resolver; only the finished table can say it. */
static struct symtab *table_of_resolvers(const struct collector *collector, const struct span *pools)
{
	struct symtab_parts parts = { .nr_rows = collector->nr_rows };

	memcpy(parts.pools, pools, sizeof(parts.pools));
	parts.rows = xreallocarray(NULL, collector->nr_rows + 1, sizeof(*parts.rows));
	memcpy(parts.rows, collector->rows, collector->nr_rows * sizeof(*parts.rows));
	return symtab_build(&parts);
}

static void collect_plt(struct collector *collector, struct elf_image *runtime, const struct span *pools,
			struct symtab_names *names)
{
	struct symtab *resolvers = NULL;
	plt_stubs stubs = { 0 };

	plt_collect(runtime, &stubs);
	collector->rows = xreallocarray(collector->rows, collector->nr_rows + stubs.nr + 1,
					sizeof(*collector->rows));
	for (size_t i = 0; i < stubs.nr; i++) {
		const struct plt_stub *stub = &stubs.items[i];
		const char *target = stub->target;
		uint32_t name;

		if (!target && collector->nr_rows) {
			uint32_t index;

			if (!resolvers)
				resolvers = table_of_resolvers(collector, pools);
			index = symtab_find(resolvers, stub->resolver);
			if (index != SYMTAB_NONE && symtab_get(resolvers, index).start == stub->resolver)
				target = symtab_get(resolvers, index).name;
		}
		if (target && name_stub(names, target, stub->is_head, &name))
			collector->rows[collector->nr_rows++] = (struct symtab_row){
				.start = stub->start,
				.end = stub->end,
				.name = name,
				.pool = SYMTAB_POOL_PLT,
				.info = STB_GLOBAL << 4 | STT_FUNC,
			};
	}
	symtab_free(resolvers);
	array_release(&stubs);
}

int symtab_from_image(struct elf_image *symbols, struct elf_image *runtime, struct symtab **ret_table,
		      struct err *err)
{
	struct symtab_parts parts = { .overlap = SYMTAB_INNER_WINS };
	struct collector collector = { 0 };
	struct symtab_names names = { 0 };
	int ret;

	*ret_table = NULL;
	ret = collect_image(&collector, symbols, parts.pools, &parts.nr_limits, err);
	if (!ret && runtime)
		collect_plt(&collector, runtime, parts.pools, &names);
	if (ret) {
		free(collector.rows);
		free(names.text);
	} else {
		parts.pools[SYMTAB_POOL_PLT] = (struct span){ (const uint8_t *)names.text, names.size };
		parts.rows = collector.rows;
		parts.nr_rows = collector.nr_rows;
		parts.limits = collector.limits;
		parts.owned = names.text;
		*ret_table = symtab_build(&parts);
	}
	free(collector.limits);
	free(collector.facts);
	return ret;
}
