/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finished symbol tables in a file.
 *
 * The file is the memory of the tables: it is mapped, and rows, buckets and names are used in place. Nothing is parsed;
 * what has to be done is to make sure that the bytes cannot lead a look-up out of the file or around in circles,
 * which is one walk over rows and buckets and does not touch the names: 0.4 ms for the 120,000 symbols of a
 * kernel, where making the table from text takes 35.
 *
 *   head, one table_head for each table, key, then for each table rows, pieces, buckets, ties; text
 *
 * Every part starts at a multiple of 8; where, follows from the counts in the heads, and the sum must be the size
 * of the file. All numbers are in the byte order of the machine. The file is for the program that wrote it: whoever
 * keeps such files makes the program's own build-id part of the key, so the format knows no history.
 */
#include "elf/symtab_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/xalloc.h"
#include "elf/symtab_table.h"

#define MAGIC "sondesym"
#define VERSION 1
#define BYTE_ORDER_MARK 0x01020304u

struct head {
	char magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint64_t size; /* of the file */
	uint64_t text_size;
	uint32_t key_size;
	uint32_t nr_tables;
	uint64_t numbers[SYMTAB_FILE_NR_NUMBERS];
};

struct table_head {
	uint64_t base;
	uint32_t name; /* in the text */
	uint32_t nr_rows;
	uint32_t nr_pieces; /* 0: the rows are the pieces */
	uint32_t nr_buckets;
	uint32_t nr_ties;
	uint32_t shift;
};

_Static_assert(sizeof(struct head) == 56 && sizeof(struct table_head) == 32, "no holes");
_Static_assert(sizeof(struct symtab_row) == 24 && sizeof(struct symtab_piece) == 24 &&
		       sizeof(struct symtab_tie) == 8,
	       "parts end at multiples of 8");

static uint64_t padded(uint64_t size)
{
	return (size + 7) & ~(uint64_t)7;
}

static uint64_t buckets_size(uint32_t nr)
{
	/* One more than there are: the end of the last. */
	return nr ? padded(((uint64_t)nr + 1) * sizeof(uint32_t)) : 0;
}

static uint64_t table_size(const struct table_head *head)
{
	return head->nr_rows * sizeof(struct symtab_row) + head->nr_pieces * sizeof(struct symtab_piece) +
	       buckets_size(head->nr_buckets) + head->nr_ties * sizeof(struct symtab_tie);
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* In pieces that a buf in front of a file does not have to grow for. */
static void put(struct buf *buf, const void *data, size_t size)
{
	const char *pos = data;

	while (size) {
		size_t part = size < 1u << 16 ? size : 1u << 16;

		buf_put(buf, pos, part);
		pos += part;
		size -= part;
	}
}

static void put_padded(struct buf *buf, const void *data, size_t size)
{
	static const char zeros[8];

	put(buf, data, size);
	put(buf, zeros, padded(size) - size);
}

/* Names in other pools than the common text cannot be kept. */
static bool has_only_text(const struct symtab *table)
{
	for (uint32_t i = 0; i < table->nr_rows; i++)
		if (table->rows[i].pool & ~SYMTAB_POOL_TIED)
			return false;
	for (size_t i = 0; i < table->ties.nr; i++)
		if (table->ties.items[i].pool)
			return false;
	return true;
}

static void put_table(struct buf *buf, const struct symtab *table)
{
	put(buf, table->rows, table->nr_rows * sizeof(*table->rows));
	if (table->pieces)
		put(buf, table->pieces, table->nr_pieces * sizeof(*table->pieces));
	if (table->nr_buckets)
		put_padded(buf, table->buckets, ((size_t)table->nr_buckets + 1) * sizeof(*table->buckets));
	put(buf, table->ties.items, table->ties.nr * sizeof(*table->ties.items));
}

int symtab_file_encode(struct span key, const struct symtab_file_table *tables, size_t nr,
		       const uint64_t numbers[SYMTAB_FILE_NR_NUMBERS], struct buf *buf)
{
	struct span text = nr ? tables[0].table->pools[0] : (struct span){ 0 };
	struct table_head *heads = xcalloc(nr, sizeof(*heads));
	struct head head = { .version = VERSION,
			     .byte_order = BYTE_ORDER_MARK,
			     .key_size = (uint32_t)key.size,
			     .nr_tables = (uint32_t)nr,
			     .text_size = text.size };
	int ret = 0;

	memcpy(head.magic, MAGIC, sizeof(head.magic));
	memcpy(head.numbers, numbers, sizeof(head.numbers));
	head.size = sizeof(head) + nr * sizeof(*heads) + padded(key.size);
	for (size_t i = 0; i < nr; i++) {
		const struct symtab *table = tables[i].table;

		if (table->pools[0].data != text.data || table->pools[0].size != text.size ||
		    table->ties.nr > UINT32_MAX || head.text_size > UINT32_MAX || !has_only_text(table))
			ret = -EINVAL;
		heads[i] = (struct table_head){
			.base = table->base,
			.name = (uint32_t)head.text_size,
			.nr_rows = table->nr_rows,
			.nr_pieces = table->pieces ? table->nr_pieces : 0,
			.nr_buckets = table->nr_buckets,
			.nr_ties = (uint32_t)table->ties.nr,
			.shift = table->shift,
		};
		head.text_size += strlen(tables[i].name) + 1;
		head.size += table_size(&heads[i]);
	}
	head.size += head.text_size;
	if (!ret) {
		put(buf, &head, sizeof(head));
		put(buf, heads, nr * sizeof(*heads));
		put_padded(buf, key.data, key.size);
		for (size_t i = 0; i < nr; i++)
			put_table(buf, tables[i].table);
		put(buf, text.data, text.size);
		for (size_t i = 0; i < nr; i++)
			put(buf, tables[i].name, strlen(tables[i].name) + 1);
		ret = buf_flush(buf);
	}
	free(heads);
	return ret;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* Nothing is decided before the end of a loop: damage is rare, and each of a hundred thousand rows costs its checks. */
static bool check_rows(const struct symtab_row *rows, size_t nr, uint32_t text_size, uint32_t nr_ties)
{
	unsigned bad = 0;
	uint64_t last = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t limit = rows[i].pool == SYMTAB_POOL_TIED ? nr_ties : text_size;

		bad |= (rows[i].start < last) | (rows[i].end < rows[i].start) | (rows[i].name >= limit) |
		       (rows[i].pool & ~(unsigned)SYMTAB_POOL_TIED);
		last = rows[i].start;
	}
	return !bad;
}

static bool check_pieces(const struct symtab_piece *pieces, size_t nr, uint32_t nr_rows)
{
	bool bad = false;

	for (size_t i = 0; i < nr; i++)
		bad |= pieces[i].end < pieces[i].start || pieces[i].symbol >= nr_rows;
	for (size_t i = 1; i < nr; i++)
		bad |= pieces[i].start < pieces[i - 1].start;
	return !bad;
}

static bool check_ties(const uint8_t *bytes, size_t nr, size_t text_size)
{
	bool bad = false;

	for (size_t i = 0; i < nr; i++) {
		const uint8_t *tie = bytes + i * sizeof(struct symtab_tie);
		uint32_t name;

		memcpy(&name, tie + offsetof(struct symtab_tie, name), sizeof(name));
		bad |= name >= text_size || tie[offsetof(struct symtab_tie, pool)];
		bad |= tie[offsetof(struct symtab_tie, is_last)] > 1;
		bad |= i + 1 == nr && !tie[offsetof(struct symtab_tie, is_last)];
	}
	return !bad;
}

static bool check_buckets(const struct symtab *table)
{
	uint32_t nr = table->nr_buckets;
	uint64_t first, last;
	uint32_t steps = 0;

	if (!table->nr_pieces)
		return !nr;
	first = table->pieces ? table->pieces[0].start : table->rows[0].start;
	last = table->pieces ? table->pieces[table->nr_pieces - 1].start
			     : table->rows[table->nr_pieces - 1].start;
	if (table->base != first || table->shift > 63 || (last - first) >> table->shift != (uint64_t)nr - 1)
		return false;
	/* Of numbers below 2^31, just the differences of falling ones have the highest bit. */
	for (uint32_t i = 0; i < nr; i++)
		steps |= table->buckets[i + 1] - table->buckets[i];
	return !((steps | table->buckets[0] | table->nr_pieces) >> 31) &&
	       table->buckets[nr] == table->nr_pieces;
}

/* The table whose parts start at data; its size has been checked. NULL: damaged. */
static struct symtab *read_table(const struct table_head *head, const uint8_t *data, struct span text)
{
	struct symtab *table = xcalloc(1, sizeof(*table));
	const uint8_t *pos = data;

	table->is_borrowed = true;
	table->base = head->base;
	table->shift = head->shift;
	table->pools[0] = text;
	table->rows = (struct symtab_row *)pos;
	table->nr_rows = table->nr_pieces = head->nr_rows;
	pos += head->nr_rows * sizeof(struct symtab_row);
	if (head->nr_pieces) {
		table->pieces = (struct symtab_piece *)pos;
		table->nr_pieces = head->nr_pieces;
		pos += head->nr_pieces * sizeof(struct symtab_piece);
	}
	table->buckets = (uint32_t *)pos;
	table->nr_buckets = head->nr_buckets;
	pos += buckets_size(head->nr_buckets);
	table->ties.items = (struct symtab_tie *)pos;
	table->ties.nr = head->nr_ties;
	if (head->name >= text.size ||
	    !check_rows(table->rows, table->nr_rows, (uint32_t)text.size, head->nr_ties) ||
	    (table->pieces && !check_pieces(table->pieces, table->nr_pieces, table->nr_rows)) ||
	    !check_ties(pos, table->ties.nr, text.size) || !check_buckets(table)) {
		symtab_free(table);
		return NULL;
	}
	return table;
}

/* Where the parts of the first table start; 0: the sizes do not fit. */
static uint64_t check_sizes(struct span file, const struct head *head)
{
	const struct table_head *heads = (const struct table_head *)(head + 1);
	uint64_t first, size;

	if (memcmp(head->magic, MAGIC, sizeof(head->magic)) || head->version != VERSION ||
	    head->byte_order != BYTE_ORDER_MARK || head->size != file.size || head->text_size > file.size ||
	    head->text_size > UINT32_MAX || head->nr_tables > file.size / sizeof(*heads))
		return 0;
	size = first = sizeof(*head) + head->nr_tables * sizeof(*heads) + padded(head->key_size);
	if (size > file.size)
		return 0;
	for (uint32_t i = 0; i < head->nr_tables && size <= file.size; i++)
		size += table_size(&heads[i]);
	if (size + head->text_size != file.size || (head->text_size && file.data[file.size - 1]))
		return 0;
	return first;
}

int symtab_file_decode(struct span file, struct span key, struct symtab_file_table **ret_tables,
		       size_t *ret_nr, uint64_t ret_numbers[SYMTAB_FILE_NR_NUMBERS])
{
	const struct head *head = (const struct head *)file.data;
	struct symtab_file_table *tables;
	const struct table_head *heads;
	struct span text;
	uint64_t pos;
	size_t nr;

	*ret_tables = NULL;
	*ret_nr = 0;
	if (file.size < sizeof(*head) || (uintptr_t)file.data % 8)
		return -EBADMSG;
	pos = check_sizes(file, head);
	if (!pos)
		return -EBADMSG;
	heads = (const struct table_head *)(head + 1);
	nr = head->nr_tables;
	if (head->key_size != key.size ||
	    (key.size && memcmp((const uint8_t *)(heads + nr), key.data, key.size)))
		return -ESTALE;
	text = (struct span){ file.data + file.size - head->text_size, head->text_size };
	tables = xcalloc(nr, sizeof(*tables));
	for (size_t i = 0; i < nr; i++) {
		tables[i].table = read_table(&heads[i], file.data + pos, text);
		if (!tables[i].table) {
			while (i--)
				symtab_free(tables[i].table);
			free(tables);
			return -EBADMSG;
		}
		tables[i].name = (const char *)text.data + heads[i].name;
		pos += table_size(&heads[i]);
	}
	*ret_tables = tables;
	*ret_nr = nr;
	memcpy(ret_numbers, head->numbers, sizeof(head->numbers));
	return 0;
}
