/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines, with libdw as the decoder and an index of our own.
 *
 * libdw's look-ups by address walk all units each time, and need .debug_aranges, which clang does not
 * write: 3,000 addresses of a large program take 40 s. Here the units are walked once, by their
 * top entries only, into a sorted array of address ranges. The line program of a unit is run when an
 * address in it is asked for, and becomes a sorted array of 16-byte rows.
 *
 * libdw keeps state in the handle and is not made for threads: it is only called with the lock held;
 * finished arrays are read without.
 *
 * Functions that the linker threw away leave ranges at 0 (or at the end of the address space), which
 * would hide what is really there; they are dropped. Rows of line 0 are code that the compiler made of no
 * line: they answer false.
 */
#include "elf/dwarf_line.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <libelf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/xalloc.h"

struct line_row {
	uint64_t vaddr;
	uint32_t file; /* in the unit's paths; NO_FILE: the end of a sequence */
	uint32_t line;
};

#define NO_FILE UINT32_MAX

/* The lines of one unit, sorted. */
struct unit_lines {
	ARRAY(struct line_row) rows;
	ARRAY(const char *) paths;
};

struct unit {
	Dwarf_Off offset; /* of its top DIE */
	struct unit_lines *_Atomic lines; /* NULL: not read yet */
};

struct range {
	uint64_t start;
	uint64_t end;
	uint64_t end_so_far; /* the largest end of all ranges up to this one */
	uint32_t unit;
};

struct dwarf_line {
	Elf *elf;
	Dwarf *dwarf;
	pthread_mutex_t lock; /* of all calls into libdw */
	ARRAY(struct unit) units;
	ARRAY(struct range) ranges;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct range *range_a = a, *range_b = b;

	if (range_a->start != range_b->start)
		return range_a->start < range_b->start ? -1 : 1;
	return range_a->end > range_b->end ? -1 : range_a->end < range_b->end;
}

static void add_unit(struct dwarf_line *lines, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t pos = 0;
	uint32_t number = (uint32_t)lines->units.nr;
	bool any = false;

	while ((pos = dwarf_ranges(die, pos, &base, &start, &end)) > 0) {
		/* Linkers' tombstones: 0, 1, and the last addresses. */
		if (start <= 1 || end <= start || end > UINT64_MAX - 16)
			continue;
		array_push(&lines->ranges, (struct range){ .start = start, .end = end, .unit = number });
		any = true;
	}
	if (any)
		array_push(&lines->units, (struct unit){ .offset = dwarf_dieoffset(die) });
}

static void index_units(struct dwarf_line *lines)
{
	uint64_t end_so_far = 0;
	Dwarf_CU *unit = NULL;
	uint8_t unit_type;
	Dwarf_Die die;

	while (dwarf_get_units(lines->dwarf, unit, &unit, NULL, &unit_type, &die, NULL) == 0)
		if (unit_type == DW_UT_compile || unit_type == DW_UT_skeleton)
			add_unit(lines, &die);
	if (lines->ranges.nr)
		qsort(lines->ranges.items, lines->ranges.nr, sizeof(*lines->ranges.items), compare_ranges);
	for (size_t i = 0; i < lines->ranges.nr; i++) {
		if (lines->ranges.items[i].end > end_so_far)
			end_so_far = lines->ranges.items[i].end;
		lines->ranges.items[i].end_so_far = end_so_far;
	}
}

struct dwarf_line *dwarf_line_new(struct elf_image *image)
{
	struct dwarf_line *lines;
	char *bytes;

	/* Addresses in object files are relocations, which libdw does not apply. */
	if (!elf_image_has_debug_line(image) || !elf_image_has_debug_info(image) ||
	    elf_image_header(image)->type == ET_REL)
		return NULL;
	bytes = elf_image_private_bytes(image);
	if (!bytes)
		return NULL;
	elf_version(EV_CURRENT);
	lines = xcalloc(1, sizeof(*lines));
	pthread_mutex_init(&lines->lock, NULL);
	lines->elf = elf_memory(bytes, elf_image_bytes(image).size);
	lines->dwarf = lines->elf ? dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL) : NULL;
	if (!lines->dwarf) {
		dwarf_line_free(lines);
		return NULL;
	}
	index_units(lines);
	return lines;
}

static void unit_lines_free(struct unit_lines *unit)
{
	if (!unit)
		return;
	array_release(&unit->rows);
	array_release(&unit->paths);
	free(unit);
}

void dwarf_line_free(struct dwarf_line *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->units.nr; i++)
		unit_lines_free(lines->units.items[i].lines);
	array_release(&lines->units);
	array_release(&lines->ranges);
	dwarf_end(lines->dwarf);
	elf_end(lines->elf);
	pthread_mutex_destroy(&lines->lock);
	free(lines);
}

/* Stable: of rows at one address the order of the line program counts. */
static void sort_rows(struct line_row *rows, size_t nr)
{
	struct line_row *spare;
	bool sorted = true;

	for (size_t i = 1; i < nr && sorted; i++)
		sorted = rows[i - 1].vaddr <= rows[i].vaddr;
	if (sorted)
		return;
	spare = xreallocarray(NULL, nr, sizeof(*spare));
	for (size_t width = 1; width < nr; width *= 2) {
		for (size_t start = 0; start < nr; start += 2 * width) {
			size_t middle = start + width < nr ? start + width : nr;
			size_t end = start + 2 * width < nr ? start + 2 * width : nr;
			size_t a = start, b = middle;

			for (size_t i = start; i < end; i++)
				spare[i] = a < middle && (b == end || rows[a].vaddr <= rows[b].vaddr)
						   ? rows[a++]
						   : rows[b++];
		}
		memcpy(rows, spare, nr * sizeof(*rows));
	}
	free(spare);
}

static uint32_t path_number(struct unit_lines *unit, const char *path)
{
	/* Rows of one file come in runs; libdw gives the same pointer for the same file. */
	for (size_t i = unit->paths.nr; i-- > 0;)
		if (unit->paths.items[i] == path)
			return (uint32_t)i;
	array_push(&unit->paths, path);
	return (uint32_t)unit->paths.nr - 1;
}

static struct unit_lines *read_unit(struct dwarf_line *lines, const struct unit *unit)
{
	struct unit_lines *result = xcalloc(1, sizeof(*result));
	const char *last_path = NULL;
	uint32_t last_number = 0;
	Dwarf_Lines *table;
	Dwarf_Die die;
	size_t nr;

	if (!dwarf_offdie(lines->dwarf, unit->offset, &die) || dwarf_getsrclines(&die, &table, &nr))
		return result;
	array_reserve(&result->rows, nr);
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(table, i);
		struct line_row row = { .file = NO_FILE };
		const char *path;
		bool ends = false;
		Dwarf_Addr vaddr;
		int number;

		if (!line || dwarf_lineaddr(line, &vaddr))
			continue;
		row.vaddr = vaddr;
		dwarf_lineendsequence(line, &ends);
		if (!ends && !dwarf_lineno(line, &number) && number >= 0) {
			path = dwarf_linesrc(line, NULL, NULL);
			if (path != last_path) {
				last_number = path_number(result, path);
				last_path = path;
			}
			if (path) {
				row.file = last_number;
				row.line = (uint32_t)number;
			}
		}
		array_push(&result->rows, row);
	}
	sort_rows(result->rows.items, result->rows.nr);
	return result;
}

static const struct unit_lines *lines_of_unit(struct dwarf_line *lines, uint32_t number)
{
	struct unit *unit = &lines->units.items[number];
	struct unit_lines *result = atomic_load_explicit(&unit->lines, memory_order_acquire);

	if (result)
		return result;
	pthread_mutex_lock(&lines->lock);
	result = atomic_load_explicit(&unit->lines, memory_order_relaxed);
	if (!result) {
		result = read_unit(lines, unit);
		atomic_store_explicit(&unit->lines, result, memory_order_release);
	}
	pthread_mutex_unlock(&lines->lock);
	return result;
}

/* The last row at or before vaddr; of several at one address the last one that does not end a sequence. */
static const struct line_row *find_row(const struct unit_lines *unit, uint64_t vaddr)
{
	size_t low = 0, high = unit->rows.nr;
	const struct line_row *row;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->rows.items[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	row = &unit->rows.items[low - 1];
	while (row->file == NO_FILE && row > unit->rows.items && row[-1].vaddr == row->vaddr)
		row--;
	return row->file == NO_FILE ? NULL : row;
}

bool dwarf_line_get(struct dwarf_line *lines, uint64_t vaddr, const char **ret_path, uint32_t *ret_line)
{
	size_t low = 0, high = lines->ranges.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->ranges.items[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low && lines->ranges.items[low - 1].end_so_far > vaddr; low--) {
		const struct range *range = &lines->ranges.items[low - 1];
		const struct unit_lines *unit;
		const struct line_row *row;

		if (range->end <= vaddr)
			continue;
		unit = lines_of_unit(lines, range->unit);
		row = find_row(unit, vaddr);
		if (!row)
			continue;
		if (!row->line)
			return false;
		*ret_path = unit->paths.items[row->file];
		*ret_line = row->line;
		return true;
	}
	return false;
}

bool dwarf_line_find(struct dwarf_line *lines, uint64_t vaddr, bool with_folders, struct buf *buf)
{
	const char *path, *slash;
	uint32_t line;

	if (!dwarf_line_get(lines, vaddr, &path, &line))
		return false;
	slash = with_folders ? NULL : strrchr(path, '/');
	buf_printf(buf, "%s:%" PRIu32, slash && slash[1] ? slash + 1 : path, line);
	return true;
}
#else
struct dwarf_line *dwarf_line_new(struct elf_image *image)
{
	(void)image;
	return NULL;
}

void dwarf_line_free(struct dwarf_line *lines)
{
	(void)lines;
}

bool dwarf_line_get(struct dwarf_line *lines, uint64_t vaddr, const char **ret_path, uint32_t *ret_line)
{
	(void)lines;
	(void)vaddr;
	(void)ret_path;
	(void)ret_line;
	return false;
}

bool dwarf_line_find(struct dwarf_line *lines, uint64_t vaddr, bool with_folders, struct buf *buf)
{
	(void)lines;
	(void)vaddr;
	(void)with_folders;
	(void)buf;
	return false;
}
#endif
