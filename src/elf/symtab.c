/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbol tables: from the bytes of .symtab to an array that answers in a few nanoseconds.
 *
 * **Building.** A large library has some hundred thousand symbols, and a profile shows a few hundred
 * of them. So names are not touched, copied or demangled here: a row is 24 bytes with the offset of
 * its name in the mapped string table, rows are radix-sorted by address, and names are looked at only
 * where several symbols share an address.
 *
 * **What counts as a symbol.** Functions, ifuncs, data objects and labels (NOTYPE) that lie in a loaded section;
 * not: undefined and absolute ones, sections, files, thread-local offsets, mapping symbols ($x, $d of
 * ARM and RISC-V), local labels inside of a function that has a size (they name a loop, not a
 * function). A symbol without a size reaches to the next symbol, at most to the end of its section.
 *
 * **Several symbols at one address.** One of them is shown. perf's choice, as seen from outside (6.1 and 7.2,
 * programs made for the purpose), in this order:
 *
 *   1. one with a size before one without; only the last of them in the file's table may have none
 *   2. one with a type before a mere label (7.2 only; 6.1 takes the label if the other rules do)
 *   3. not weak before weak
 *   4. global before local
 *   5. fewer leading underscores of the readable (demangled) name
 *   6. the longer readable name
 *   7. the one that comes first in the file's table
 *
 * How large they are does not matter. Readable names are compared with parameters, as 7.2 shows them. Which
 * of several mangled names is longest when readable is found out only when the symbol is asked for:
 * identical functions that a linker has folded come by the ten thousand, and few are ever shown.
 *
 * **Overlaps.** When a symbol lies inside of another one, perf's answer depends on the shape of its tree.
 * Here the one that starts last wins while it lasts, and the outer one goes on behind it. Tables
 * with overlaps are cut into pieces that do not overlap; a piece points to its symbol.
 *
 * **Looking up.** The address range is divided into as many buckets as there are pieces; a bucket holds the
 * index of its first piece. A look-up is one load from the bucket table and a search among the few
 * pieces of that bucket, binary where they are many.
 */
#include "elf/symtab.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/xalloc.h"
#include "elf/demangle.h"
#include "elf/symtab_table.h"

/* ---- sorting ---------------------------------------------------------------------------------- */

struct sort_key {
	uint64_t start;
	uint32_t row;
};

#define HUGE_PAGE ((size_t)2 << 20)
#define DIGIT_BITS 11
#define NR_DIGITS 6
#define DIGIT_SIZE (1u << DIGIT_BITS)

/* Stable, least digit first; digits that all keys share cost nothing but the counting. Result in keys or spare. */
static struct sort_key *sort_keys(struct sort_key *keys, struct sort_key *spare, size_t nr)
{
	uint32_t(*counts)[DIGIT_SIZE] = xcalloc(NR_DIGITS, sizeof(*counts));
	bool sorted = true;

	for (size_t i = 0; i < nr; i++) {
		sorted &= !i || keys[i - 1].start <= keys[i].start;
		for (unsigned digit = 0; digit < NR_DIGITS; digit++)
			counts[digit][keys[i].start >> digit * DIGIT_BITS & (DIGIT_SIZE - 1)]++;
	}
	for (unsigned digit = 0; digit < NR_DIGITS && !sorted; digit++) {
		unsigned shift = digit * DIGIT_BITS;
		struct sort_key *from = keys;
		uint32_t sum = 0;

		if (counts[digit][keys[0].start >> shift & (DIGIT_SIZE - 1)] == nr)
			continue;
		for (size_t i = 0; i < DIGIT_SIZE; i++) {
			uint32_t count = counts[digit][i];

			counts[digit][i] = sum;
			sum += count;
		}
		for (size_t i = 0; i < nr; i++)
			spare[counts[digit][from[i].start >> shift & (DIGIT_SIZE - 1)]++] = from[i];
		keys = spare;
		spare = from;
	}
	free(counts);
	return keys;
}

/* A page fault for each 4 KiB of large arrays would cost as much as the sorting. */
static void *new_array(size_t nr, size_t size)
{
	return nr < HUGE_PAGE / size ? xreallocarray(NULL, nr, size) : xmalloc_huge(nr * size);
}

static void sort_rows(struct symtab_row **rows, size_t nr)
{
	struct sort_key *keys = new_array(2 * nr + 1, sizeof(*keys));
	struct symtab_row *sorted = new_array(nr + 1, sizeof(*sorted));
	struct sort_key *result;

	for (size_t i = 0; i < nr; i++)
		keys[i] = (struct sort_key){ (*rows)[i].start, (uint32_t)i };
	result = nr ? sort_keys(keys, keys + nr, nr) : keys;
	for (size_t i = 0; i < nr; i++)
		sorted[i] = (*rows)[result[i].row];
	free(keys);
	free(*rows);
	*rows = sorted;
}

/* ---- choosing a name -------------------------------------------------------------------------- */

static const char *row_name(const struct span *pools, const struct symtab_row *row)
{
	return (const char *)pools[row->pool].data + row->name;
}

static unsigned row_type(const struct symtab_row *row)
{
	return row->info & 15;
}

static unsigned row_binding(const struct symtab_row *row)
{
	return row->info >> 4;
}

/* Mangled names that differ only in the kind of constructor or destructor (C1, C2, D0 ...) read the same. */
static bool differ_in_kind_only(const char *a, const char *b)
{
	bool seen = false;

	for (; *a && *b; a++, b++) {
		if (*a == *b)
			continue;
		if (seen || *a < '0' || *a > '5' || *b < '0' || *b > '5' || (a[-1] != 'C' && a[-1] != 'D'))
			return false;
		seen = true;
	}
	return *a == *b;
}

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* a comes before b in the file. */
static bool reads_better(const char *a, const char *b)
{
	struct buf text_a = BUF_INIT, text_b = BUF_INIT;
	bool better;

	if (demangle_name(a, DEMANGLE_FULL, &text_a))
		a = buf_text(&text_a);
	if (demangle_name(b, DEMANGLE_FULL, &text_b))
		b = buf_text(&text_b);
	if (leading_underscores(a) != leading_underscores(b))
		better = leading_underscores(a) < leading_underscores(b);
	else
		better = strlen(a) >= strlen(b);
	buf_release(&text_a);
	buf_release(&text_b);
	return better;
}

enum choice { FIRST, SECOND, TIED };

/* Rules 1 to 4, and the others where names can be compared as they are. a comes before b in the file. */
static enum choice choose(const struct span *pools, const struct symtab_row *a, const struct symtab_row *b,
			  bool b_is_last)
{
	bool weak_a = row_binding(a) == STB_WEAK, weak_b = row_binding(b) == STB_WEAK;
	bool global_a = row_binding(a) == STB_GLOBAL, global_b = row_binding(b) == STB_GLOBAL;
	bool label_a = row_type(a) == STT_NOTYPE, label_b = row_type(b) == STT_NOTYPE;
	bool sized_a = a->end > a->start, sized_b = b->end > b->start || b_is_last;
	const char *name_a, *name_b;
	bool mangled_a, mangled_b;

	if (sized_a != sized_b)
		return sized_a ? FIRST : SECOND;
	if (label_a != label_b)
		return label_b ? FIRST : SECOND;
	if (weak_a != weak_b)
		return weak_b ? FIRST : SECOND;
	if (global_a != global_b)
		return global_a ? FIRST : SECOND;
	if (a->pool & SYMTAB_POOL_TIED || (a->pool == b->pool && a->name == b->name))
		return a->pool & SYMTAB_POOL_TIED ? TIED : FIRST;
	name_a = row_name(pools, a);
	name_b = row_name(pools, b);
	mangled_a = demangle_is_mangled(name_a);
	mangled_b = demangle_is_mangled(name_b);
	if (mangled_a || mangled_b)
		return mangled_a && mangled_b && differ_in_kind_only(name_a, name_b) ? FIRST : TIED;
	return reads_better(name_a, name_b) ? FIRST : SECOND;
}

static void tie(symtab_tie_array *ties, struct symtab_row *first, const struct symtab_row *second)
{
	if (!(first->pool & SYMTAB_POOL_TIED)) {
		array_push(ties, (struct symtab_tie){ first->name, first->pool, false });
		first->name = (uint32_t)ties->nr - 1;
		first->pool |= SYMTAB_POOL_TIED;
	} else {
		array_last(ties)->is_last = false;
	}
	array_push(ties, (struct symtab_tie){ second->name, second->pool, true });
}

/* Leaves one row for each start; returns how many. Ties of one that loses later stay behind, unused. */
static size_t drop_duplicates(struct symtab_row *rows, size_t nr, const struct span *pools,
			      symtab_tie_array *ties)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		struct symtab_row *last = kept ? &rows[kept - 1] : NULL;
		enum choice choice;

		if (!last || last->start != rows[i].start) {
			rows[kept++] = rows[i];
			continue;
		}
		choice = choose(pools, last, &rows[i], i + 1 == nr || rows[i + 1].start != last->start);
		if (choice == SECOND)
			*last = rows[i];
		else if (choice == TIED)
			tie(ties, last, &rows[i]);
	}
	return kept;
}

/* Rules 5 to 7 for those that had to wait. */
static const char *tied_name(const struct symtab *table, const struct symtab_row *row)
{
	const struct symtab_tie *tie = &table->ties.items[row->name];
	const char *best = (const char *)table->pools[tie->pool].data + tie->name;

	while (!tie->is_last) {
		const char *name;

		tie++;
		name = (const char *)table->pools[tie->pool].data + tie->name;
		if (!reads_better(best, name))
			best = name;
	}
	return best;
}

/* ---- ends and overlaps ------------------------------------------------------------------------ */

static size_t drop_inner_labels(struct symtab_row *rows, size_t nr)
{
	uint64_t outer_end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		bool has_size = rows[i].end > rows[i].start;

		if (!has_size && row_type(&rows[i]) == STT_NOTYPE && row_binding(&rows[i]) == STB_LOCAL &&
		    rows[i].start < outer_end)
			continue;
		if (has_size && rows[i].end > outer_end && row_type(&rows[i]) != STT_NOTYPE)
			outer_end = rows[i].end;
		rows[kept++] = rows[i];
	}
	return kept;
}

static void find_ends(struct symtab_row *rows, size_t nr, const struct symtab_parts *parts)
{
	uint64_t outer_end = 0;

	for (size_t i = 0; i < nr; i++) {
		struct symtab_row *row = &rows[i];
		uint64_t end;

		if (row->end <= row->start) {
			if (i + 1 < nr)
				end = rows[i + 1].start;
			else
				end = ((row->start + 4095) & ~(uint64_t)4095) + 4096;
			if (row->limit && row->limit <= parts->nr_limits) {
				uint64_t limit = parts->limits[row->limit - 1];

				/* The last symbol of a section reaches to the section's end. */
				if (end > limit || i + 1 == nr)
					end = limit;
			}
			/* Inside of a symbol with a size: not beyond that. */
			if (row->start < outer_end && end > outer_end)
				end = outer_end;
			row->end = end > row->start ? end : row->start;
		} else if (row->end > outer_end) {
			outer_end = row->end;
		}
	}
}

typedef ARRAY(struct symtab_piece) piece_array;

static void push_piece(piece_array *pieces, uint64_t start, uint64_t end, uint32_t symbol)
{
	if (start >= end)
		return;
	if (pieces->nr) {
		struct symtab_piece *last = array_last(pieces);

		if (last->symbol == symbol && last->end == start) {
			last->end = end;
			return;
		}
	}
	array_push(pieces, (struct symtab_piece){ start, end, symbol });
}

/* Rows sorted by start, starts distinct: a stack of what is open. */
static void cut_inner_wins(const struct symtab_row *rows, size_t nr, piece_array *pieces)
{
	ARRAY(uint32_t) open = { 0 };
	uint64_t pos = 0;

	for (size_t i = 0; i <= nr; i++) {
		uint64_t next = i < nr ? rows[i].start : UINT64_MAX;

		while (open.nr) {
			uint32_t top = *array_last(&open);
			uint64_t end = rows[top].end < next ? rows[top].end : next;

			if (end > pos) {
				push_piece(pieces, pos, end, top);
				pos = end;
			}
			if (rows[top].end > next)
				break;
			open.nr--;
		}
		if (i < nr) {
			pos = next;
			array_push(&open, (uint32_t)i);
		}
	}
	array_release(&open);
}

/* Ages of rows, newest on top; rows leave when they are met and have ended. */
typedef ARRAY(uint32_t) age_heap;

static void heap_push(age_heap *heap, const uint32_t *ages, uint32_t row)
{
	size_t i = heap->nr;

	array_push(heap, row);
	while (i && ages[heap->items[(i - 1) / 2]] < ages[row]) {
		heap->items[i] = heap->items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap->items[i] = row;
}

static void heap_pop(age_heap *heap, const uint32_t *ages)
{
	uint32_t row = heap->items[--heap->nr];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= heap->nr)
			break;
		if (child + 1 < heap->nr && ages[heap->items[child + 1]] > ages[heap->items[child]])
			child++;
		if (ages[heap->items[child]] <= ages[row])
			break;
		heap->items[i] = heap->items[child];
		i = child;
	}
	if (heap->nr)
		heap->items[i] = row;
}

static void cut_newer_wins(const struct symtab_row *rows, const uint32_t *ages, size_t nr,
			   piece_array *pieces)
{
	age_heap heap = { 0 };
	uint64_t pos = 0;

	for (size_t i = 0; i <= nr; i++) {
		uint64_t next = i < nr ? rows[i].start : UINT64_MAX;

		while (heap.nr) {
			uint32_t top = heap.items[0];
			uint64_t end = rows[top].end < next ? rows[top].end : next;

			if (end > pos) {
				push_piece(pieces, pos, end, top);
				pos = end;
			}
			if (rows[top].end > next)
				break;
			heap_pop(&heap, ages);
		}
		if (i < nr) {
			pos = next;
			heap_push(&heap, ages, (uint32_t)i);
		}
	}
	array_release(&heap);
}

static bool has_overlaps(const struct symtab_row *rows, size_t nr)
{
	for (size_t i = 0; i + 1 < nr; i++)
		if (rows[i].end > rows[i + 1].start)
			return true;
	return false;
}

/* ---- the index -------------------------------------------------------------------------------- */

static uint64_t piece_start(const struct symtab *table, uint32_t i)
{
	return table->pieces ? table->pieces[i].start : table->rows[i].start;
}

static void make_buckets(struct symtab *table)
{
	uint64_t range;
	uint32_t piece = 0;

	if (!table->nr_pieces)
		return;
	table->base = piece_start(table, 0);
	range = piece_start(table, table->nr_pieces - 1) - table->base;
	while (range >> table->shift >= 2 * (uint64_t)table->nr_pieces + 16)
		table->shift++;
	table->nr_buckets = (uint32_t)(range >> table->shift) + 1;
	table->buckets = xreallocarray(NULL, (size_t)table->nr_buckets + 1, sizeof(*table->buckets));
	for (uint32_t bucket = 0; bucket < table->nr_buckets; bucket++) {
		uint64_t start = table->base + ((uint64_t)bucket << table->shift);

		while (piece < table->nr_pieces && piece_start(table, piece) < start)
			piece++;
		table->buckets[bucket] = piece;
	}
	table->buckets[table->nr_buckets] = table->nr_pieces;
}

struct symtab *symtab_build(const struct symtab_parts *parts)
{
	struct symtab *table = xcalloc(1, sizeof(*table));
	struct symtab_row *rows = parts->rows;
	size_t nr = parts->nr_rows < UINT32_MAX ? parts->nr_rows : UINT32_MAX - 1;
	piece_array pieces = { 0 };

	memcpy(table->pools, parts->pools, sizeof(table->pools));
	table->owned = parts->owned;
	if (parts->overlap == SYMTAB_NEWER_WINS) {
		struct sort_key *keys = xreallocarray(NULL, 2 * nr + 1, sizeof(*keys)), *sorted;
		struct symtab_row *by_start = xreallocarray(NULL, nr + 1, sizeof(*by_start));
		uint32_t *ages = xreallocarray(NULL, nr + 1, sizeof(*ages));

		for (size_t i = 0; i < nr; i++)
			keys[i] = (struct sort_key){ rows[i].start, (uint32_t)i };
		sorted = nr ? sort_keys(keys, keys + nr, nr) : keys;
		for (size_t i = 0; i < nr; i++) {
			by_start[i] = rows[sorted[i].row];
			ages[i] = sorted[i].row;
		}
		free(keys);
		free(rows);
		rows = by_start;
		find_ends(rows, nr, parts);
		if (has_overlaps(rows, nr))
			cut_newer_wins(rows, ages, nr, &pieces);
		free(ages);
	} else {
		sort_rows(&rows, nr);
		nr = drop_duplicates(rows, nr, parts->pools, &table->ties);
		nr = drop_inner_labels(rows, nr);
		find_ends(rows, nr, parts);
		if (has_overlaps(rows, nr))
			cut_inner_wins(rows, nr, &pieces);
	}
	table->rows = xreallocarray(rows, nr + 1, sizeof(*rows));
	table->nr_rows = (uint32_t)nr;
	table->pieces = pieces.items;
	table->nr_pieces = pieces.items ? (uint32_t)pieces.nr : (uint32_t)nr;
	make_buckets(table);
	return table;
}

void symtab_free(struct symtab *table)
{
	if (!table)
		return;
	if (!table->is_borrowed) {
		free(table->rows);
		free(table->pieces);
		free(table->buckets);
		array_release(&table->ties);
	}
	free(table->owned);
	free(table);
}

/* The last piece that starts at or before vaddr; nr_pieces when there is none. */
static uint32_t find_piece(const struct symtab *table, uint64_t vaddr)
{
	uint64_t bucket;
	uint32_t low, high;

	if (!table->nr_pieces || vaddr < table->base)
		return table->nr_pieces;
	bucket = (vaddr - table->base) >> table->shift;
	if (bucket >= table->nr_buckets)
		return table->nr_pieces - 1;
	low = table->buckets[bucket];
	high = table->buckets[bucket + 1];
	/* In [low, high]: how many start at or before vaddr. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (piece_start(table, middle) <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

uint32_t symtab_find(const struct symtab *table, uint64_t vaddr)
{
	uint32_t piece = find_piece(table, vaddr);

	if (piece >= table->nr_pieces)
		return SYMTAB_NONE;
	if (table->pieces)
		return vaddr < table->pieces[piece].end ? table->pieces[piece].symbol : SYMTAB_NONE;
	return vaddr < table->rows[piece].end ? piece : SYMTAB_NONE;
}

void symtab_find_many(const struct symtab *table, const uint64_t *vaddrs, size_t nr, uint32_t *ret_indexes)
{
	uint64_t start = 1, end = 0;
	uint32_t index = SYMTAB_NONE;

	for (size_t i = 0; i < nr; i++) {
		/* Neighbours are often in one symbol; a symbol with holes is in pieces, so its extent says nothing. */
		if (vaddrs[i] < start || vaddrs[i] >= end || index == SYMTAB_NONE) {
			index = symtab_find(table, vaddrs[i]);
			if (index != SYMTAB_NONE && !table->pieces) {
				start = table->rows[index].start;
				end = table->rows[index].end;
			}
		}
		ret_indexes[i] = index;
	}
}

uint64_t symtab_start(const struct symtab *table, uint32_t index)
{
	return table->rows[index].start;
}

struct symtab_symbol symtab_get(const struct symtab *table, uint32_t index)
{
	const struct symtab_row *row = &table->rows[index];

	return (struct symtab_symbol){
		.name = row->pool & SYMTAB_POOL_TIED ? tied_name(table, row) : row_name(table->pools, row),
		.start = row->start,
		.end = row->end,
		.type = (uint8_t)row_type(row),
		.binding = (uint8_t)row_binding(row),
		.is_plt = row->pool == SYMTAB_POOL_PLT,
	};
}

uint32_t symtab_nr(const struct symtab *table)
{
	return table->nr_rows;
}

uint32_t symtab_find_name(const struct symtab *table, const char *name)
{
	for (uint32_t i = 0; i < table->nr_rows; i++)
		if (!strcmp(symtab_get(table, i).name, name))
			return i;
	return SYMTAB_NONE;
}

size_t symtab_memory(const struct symtab *table)
{
	return sizeof(*table) + table->nr_rows * sizeof(*table->rows) +
	       (table->pieces ? table->nr_pieces * sizeof(*table->pieces) : 0) +
	       table->nr_buckets * sizeof(*table->buckets) + table->ties.nr * sizeof(*table->ties.items);
}

uint32_t symtab_names_add(struct symtab_names *names, const char *name, size_t size)
{
	size_t at = names->size;

	if (at + size + 1 > UINT32_MAX - 1)
		return SYMTAB_NONE;
	if (names->room - at < size + 1) {
		names->room = names->room ? 2 * names->room : 4096;
		while (names->room - at < size + 1)
			names->room *= 2;
		names->text = xrealloc(names->text, names->room);
	}
	memcpy(names->text + at, name, size);
	names->text[at + size] = '\0';
	names->size += size + 1;
	return (uint32_t)at;
}
