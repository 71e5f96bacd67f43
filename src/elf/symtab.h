/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SYMTAB_H
#define ELF_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

/*
 * vaddr -> symbol, for one DSO. A table is immutable once it is there and may be asked by many threads.
 * Names are as in the file (mangled); they are NUL-terminated and live as long as the table.
 */
struct symtab;
struct elf_image;

#define SYMTAB_NONE UINT32_MAX

struct symtab_symbol {
	const char *name;
	uint64_t start; /* vaddr */
	uint64_t end; /* exclusive */
	uint8_t type; /* STT_* */
	uint8_t binding; /* STB_* */
	bool is_plt; /* a stub: shown as NAME@plt, which is part of the name */
};

/*
 * The symbols of an ELF file: of `symbols` (a separate debug file, or the same as `runtime`): its .symtab, or else
 * its .dynsym and what .gnu_debugdata holds; PLT entries are named from `runtime` (NULL: not at hand). Both must
 * outlive the table. A file without symbols gives an empty table; -EBADMSG when its tables lie outside of the
 * file.
 */
int symtab_from_image(struct elf_image *symbols, struct elf_image *runtime, struct symtab **ret_table,
		      struct err *err);
void symtab_free(struct symtab *table);

/* Index of the symbol that covers vaddr, or SYMTAB_NONE. */
uint32_t symtab_find(const struct symtab *table, uint64_t vaddr);
/* The same for many vaddrs in rising order. */
void symtab_find_many(const struct symtab *table, const uint64_t *vaddrs, size_t nr, uint32_t *ret_indexes);
/* index < symtab_nr(). Symbols are in the order of their start. Keep the answer: for a symbol of several names the
 * best one is chosen on every call. */
struct symtab_symbol symtab_get(const struct symtab *table, uint32_t index);
/* Its start alone. */
uint64_t symtab_start(const struct symtab *table, uint32_t index);
uint32_t symtab_nr(const struct symtab *table);
/* The first symbol of exactly this name, by walking the table; SYMTAB_NONE. */
uint32_t symtab_find_name(const struct symtab *table, const char *name);
size_t symtab_memory(const struct symtab *table); /* bytes of heap */

/*
 * Tables from elsewhere: fill rows, then symtab_build. A row's name is an offset into one of the pools.
 */
struct symtab_row {
	uint64_t start;
	uint64_t end; /* start: unknown, reaches to the next symbol, but not beyond `limit` */
	uint32_t name;
	uint8_t pool;
	uint8_t info; /* as st_info: binding << 4 | type */
	uint16_t limit; /* 1 + index in symtab_parts.limits; 0: none, the last symbol ends with the next page */
};

#define SYMTAB_NR_POOLS 4
#define SYMTAB_POOL_PLT 3 /* names of stubs; what is in it is_plt */

enum symtab_overlap {
	SYMTAB_INNER_WINS, /* nested symbols: the one that starts last; of several at one place, the best name */
	SYMTAB_NEWER_WINS, /* the later row hides what it covers of the earlier ones */
};

struct symtab_parts {
	struct symtab_row *rows; /* malloc'ed; becomes the table's */
	size_t nr_rows;
	struct span pools[SYMTAB_NR_POOLS]; /* each must end in NUL, and outlive the table unless it is owned */
	const uint64_t *limits; /* ends of sections; needed only while building */
	size_t nr_limits;
	char *owned; /* malloc'ed memory that the table frees at its end, or NULL */
	enum symtab_overlap overlap;
};

/* Never fails; takes rows and owned over. */
struct symtab *symtab_build(const struct symtab_parts *parts);

/* Text that is collected name by name, as perf maps and kallsyms are read. */
struct symtab_names {
	char *text;
	size_t size;
	size_t room;
};

/* Copies a name and gives its offset; SYMTAB_NONE when 4 GiB are full. */
uint32_t symtab_names_add(struct symtab_names *names, const char *name, size_t size);

#endif
