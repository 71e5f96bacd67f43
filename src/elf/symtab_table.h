/* SPDX-License-Identifier: Apache-2.0 */
/* What a finished symtab is made of: for symtab.c, which makes it, and symtab_file.c, which keeps it in files. */
#ifndef ELF_SYMTAB_TABLE_H
#define ELF_SYMTAB_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/span.h"
#include "elf/symtab.h"

struct symtab_piece {
	uint64_t start;
	uint64_t end;
	uint32_t symbol;
};

/* A name of several that only their readable forms can decide between; they follow each other, `is_last` ends. */
struct symtab_tie {
	uint32_t name;
	uint8_t pool;
	bool is_last;
};

typedef ARRAY(struct symtab_tie) symtab_tie_array;

/* In a row's pool: name is the index of its first tie. */
#define SYMTAB_POOL_TIED 0x80

struct symtab {
	struct symtab_row *rows; /* by start */
	uint32_t nr_rows;
	uint32_t nr_pieces;
	struct symtab_piece *pieces; /* NULL: the rows do not overlap, they are the pieces */
	uint32_t *buckets; /* nr_buckets + 1: the first piece that starts in or after the bucket */
	uint32_t nr_buckets;
	unsigned shift; /* of addresses, to buckets */
	uint64_t base;
	struct span pools[SYMTAB_NR_POOLS];
	symtab_tie_array ties;
	char *owned;
	bool is_borrowed; /* rows, pieces, buckets and ties lie in somebody else's memory */
};

#endif
