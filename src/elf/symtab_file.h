/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SYMTAB_FILE_H
#define ELF_SYMTAB_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

struct symtab;

/* Finished symbol tables as bytes that are used where they lie: see symtab_file.c. */
#define SYMTAB_FILE_NR_NUMBERS 2

struct symtab_file_table {
	const char *name;
	struct symtab *table;
};

/*
 * Writes tables whose names come from one text (pool 0 of each is the same); key is what the tables depend on,
 * numbers are the caller's own. -EINVAL for other tables, or what writing to the file behind buf gave.
 */
int symtab_file_encode(struct span key, const struct symtab_file_table *tables, size_t nr,
		       const uint64_t numbers[SYMTAB_FILE_NR_NUMBERS], struct buf *buf);
/*
 * The tables in `file`, which must outlive them: *ret_tables is malloc'ed, each table goes to symtab_free, names are
 * part of the file. -ESTALE when the key is another one; -EBADMSG when anything in it could lead a look-up astray.
 */
int symtab_file_decode(struct span file, struct span key, struct symtab_file_table **ret_tables,
		       size_t *ret_nr, uint64_t ret_numbers[SYMTAB_FILE_NR_NUMBERS]);

#endif
