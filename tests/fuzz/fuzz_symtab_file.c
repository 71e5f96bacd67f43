/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of finished symbol tables: the input as such a file (first byte even), or the tables of a kallsyms text
 * with some bytes changed: "CODE NR {OFFSET(2) VALUE(1)}... TEXT".
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "elf/kallsyms.h"
#include "elf/kallsyms_cache.h"
#include "elf/symtab.h"
#include "elf/symtab_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct symtab *table)
{
	size_t length = 0;

	for (uint32_t i = 0; i < symtab_nr(table); i++) {
		struct symtab_symbol symbol = symtab_get(table, i);

		length += strlen(symbol.name);
		for (int offset = -1; offset < 2; offset++) {
			uint32_t index = symtab_find(table, symbol.start + (uint64_t)offset);

			if (index != SYMTAB_NONE && index >= symtab_nr(table))
				abort();
			symtab_find(table, symbol.end + (uint64_t)offset);
		}
	}
	if (length == SIZE_MAX)
		abort();
}

static void decode(const void *data, size_t size)
{
	/* In memory of its own: a step behind it is noticed. */
	uint8_t *copy = xmemdup(data, size);
	uint64_t numbers[SYMTAB_FILE_NR_NUMBERS];
	struct symtab_file_table *tables;
	size_t nr;

	if (!symtab_file_decode((struct span){ copy, size }, (struct span){ 0 }, &tables, &nr, numbers)) {
		for (size_t i = 0; i < nr; i++) {
			if (strlen(tables[i].name) > size)
				abort();
			ask(tables[i].table);
			symtab_free(tables[i].table);
		}
		free(tables);
	}
	free(copy);
}

static void change_and_decode(const uint8_t *data, size_t size)
{
	size_t nr = data[0] % 16, text = 1 + 3 * nr;
	struct buf buf = BUF_INIT;
	struct kallsyms *kallsyms;

	if (text >= size ||
	    kallsyms_parse((struct span){ data + text, size - text }, "fuzz", &kallsyms, NULL))
		return;
	if (!kallsyms_cache_encode(kallsyms, (struct span){ 0 }, &buf)) {
		decode(buf.data, buf.size);
		for (size_t i = 0; i < nr; i++)
			buf.data[(data[1 + 3 * i] | data[2 + 3 * i] << 8) % buf.size] = (char)data[3 + 3 * i];
		decode(buf.data, buf.size);
	}
	kallsyms_free(kallsyms);
	buf_release(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2 || size > 1 << 14)
		return 0;
	if (data[0] & 1)
		change_and_decode(data + 1, size - 1);
	else
		decode(data + 1, size - 1);
	return 0;
}
