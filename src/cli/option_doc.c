/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Help, man page and completion from option rows.
 *
 * The help keeps the columns people know from perf: names in columns 4 to 25, the text from column 26, on the next
 * line when the names are too long. Rows stand under the headings of their tables; tables that use the same heading
 * share it, wherever they come from.
 */
#include "cli/option_doc.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NAME_COLUMN 4
#define HELP_COLUMN 26
#define RIGHT_EDGE 110

static void add_heading(struct option_headings *headings, const char *heading)
{
	for (size_t i = 0; i < headings->nr; i++)
		if (!strcmp(headings->names[i], heading))
			return;
	if (headings->nr < NR_ITEMS(headings->names))
		headings->names[headings->nr++] = heading;
}

static bool is_visible(const struct option_row *row)
{
	return row->type != OPTION_TYPE_NONE && !(row->flags & OPTION_HIDDEN) &&
	       (row->name || row->short_name);
}

void option_doc_headings(const struct option_spec *spec, struct option_headings *ret)
{
	bool bare = false;

	ret->nr = 0;
	for (size_t s = 0; s < NR_ITEMS(spec->sets) && spec->sets[s].rows; s++) {
		const char *heading = "";

		for (size_t i = 0; i < spec->sets[s].nr; i++) {
			const struct option_row *row = &spec->sets[s].rows[i];

			if (row->heading)
				heading = row->heading;
			if (is_visible(row) && heading[0])
				add_heading(ret, heading);
			else if (is_visible(row))
				bare = true;
		}
	}
	if (bare)
		add_heading(ret, "");
}

void option_doc_each_under(const struct option_spec *spec, const char *wanted,
			   void (*visit)(const struct option_row *row, void *context), void *context)
{
	for (size_t s = 0; s < NR_ITEMS(spec->sets) && spec->sets[s].rows; s++) {
		const char *heading = "";

		for (size_t i = 0; i < spec->sets[s].nr; i++) {
			const struct option_row *row = &spec->sets[s].rows[i];

			if (row->heading)
				heading = row->heading;
			if (is_visible(row) && !strcmp(heading, wanted))
				visit(row, context);
		}
	}
}

/* "<n>", "[=<n>]", "[<n>]" behind a name; separator is what stands before a mandatory argument. */
static void put_arg(const struct option_row *row, struct buf *buf)
{
	bool optional = row->flags & OPTION_OPTIONAL;
	/* Names like "fd:ctl-fd or fifo:path" and "<a>,<b>" alike are put in brackets once. */
	bool bare = row->arg && row->arg[0] == '<';

	if (!option_has_arg(row) || !row->arg)
		return;
	buf_str(buf, optional ? (row->name ? "[=" : "[") : " ");
	buf_printf(buf, bare ? "%s" : "<%s>", row->arg);
	if (optional)
		buf_putc(buf, ']');
}

/* The words of one line of help from the help column on; at the right edge they go on in the next line. */
static void put_help_line(const char *line, size_t size, struct buf *buf)
{
	size_t column = HELP_COLUMN;

	while (size) {
		/* Blanks at a line's start are the author's layout. */
		size_t blanks = strspn(line, " \t"), word = strcspn(line + blanks, " \t\n");

		if (blanks + word > size)
			word = size - (blanks = blanks < size ? blanks : size);
		if (column > HELP_COLUMN && column + blanks + word > RIGHT_EDGE) {
			buf_putc(buf, '\n');
			buf_fill(buf, ' ', HELP_COLUMN);
			column = HELP_COLUMN;
		} else {
			buf_put(buf, line, blanks);
			column += blanks;
		}
		buf_put(buf, line + blanks, word);
		column += word;
		line += blanks + word;
		size -= blanks + word;
	}
	buf_putc(buf, '\n');
}

static void put_help(const char *help, struct buf *buf)
{
	for (;;) {
		size_t size = strcspn(help, "\n");

		put_help_line(help, size, buf);
		if (!help[size])
			return;
		help += size + 1;
		if (*help && *help != '\n')
			buf_fill(buf, ' ', HELP_COLUMN);
	}
}

void option_doc_label(const struct option_row *row, struct buf *buf)
{
	if (row->short_name)
		buf_printf(buf, row->name ? "-%c, " : "-%c", row->short_name);
	if (row->name)
		buf_printf(buf, "--%s", row->name);
	put_arg(row, buf);
}

void option_doc_row(const struct option_row *row, struct buf *buf)
{
	size_t start = buf->size, used;

	buf_fill(buf, ' ', row->short_name ? NAME_COLUMN : NAME_COLUMN + 4);
	option_doc_label(row, buf);
	used = buf->size - start;
	if (used <= HELP_COLUMN - 2) {
		buf_fill(buf, ' ', HELP_COLUMN - used);
	} else {
		buf_putc(buf, '\n');
		buf_fill(buf, ' ', HELP_COLUMN);
	}
	put_help(row->help ? row->help : "", buf);
}

static bool holds(const char *text, const char *word)
{
	return text && strcasestr(text, word);
}

static bool row_is_wanted(const struct option_row *row, const char *const *words)
{
	if (!words || !words[0])
		return true;
	for (; *words; words++) {
		const char *word = *words + strspn(*words, "-");

		if (word[0] && !word[1]) {
			if (row->short_name == word[0])
				return true;
		} else if (word[0] &&
			   (holds(row->name, word) || holds(row->arg, word) || holds(row->help, word))) {
			return true;
		}
	}
	return false;
}

struct list {
	const char *const *words;
	const char *heading; /* still to be printed */
	struct buf *buf;
	size_t nr;
};

static void list_row(const struct option_row *row, void *context)
{
	struct list *list = context;

	if (!row_is_wanted(row, list->words))
		return;
	if (list->heading && list->heading[0])
		buf_printf(list->buf, "%s%s\n", list->nr ? "\n" : "", list->heading);
	list->heading = NULL;
	option_doc_row(row, list->buf);
	list->nr++;
}

size_t option_doc_list(const struct option_spec *spec, const char *const *words, struct buf *buf)
{
	struct list list = { .words = words, .buf = buf };
	struct option_headings headings;

	option_doc_headings(spec, &headings);
	for (size_t i = 0; i < headings.nr; i++) {
		list.heading = headings.names[i][0] || !i ? headings.names[i] : "Other options";
		option_doc_each_under(spec, headings.names[i], list_row, &list);
	}
	return list.nr;
}

void option_doc_usage(const struct option_spec *spec, const char *program, struct buf *buf)
{
	for (size_t i = 0; i < NR_ITEMS(spec->usage) && spec->usage[i]; i++)
		buf_printf(buf, "%s%s %s\n", i ? "    or: " : " Usage: ", program, spec->usage[i]);
}

static int put_name(const struct option_set *set, const struct option_row *row, void *context)
{
	(void)set;
	if (row->name && is_visible(row))
		buf_printf(context, "--%s ", row->name);
	return 0;
}

void option_doc_names(const struct option_spec *spec, struct buf *buf)
{
	option_each(spec, put_name, buf);
}

/* ---- for scripts ------------------------------------------------------------------------------- */

static int put_config(const struct option_set *set, const struct option_row *row, void *context)
{
	struct list *list = context;

	(void)set;
	if (!row->config)
		return 0;
	buf_printf(list->buf, "%s\t%s", row->config, list->heading);
	if (row->name)
		buf_printf(list->buf, " --%s", row->name);
	else if (row->short_name)
		buf_printf(list->buf, " -%c", row->short_name);
	buf_putc(list->buf, '\t');
	if (row->help)
		buf_put(list->buf, row->help, strcspn(row->help, "\n"));
	buf_putc(list->buf, '\n');
	return 0;
}

void option_doc_config(const struct option_spec *spec, struct buf *buf)
{
	struct list list = { .heading = spec->name, .buf = buf };

	option_each(spec, put_config, &list);
}

/* "=event", "=fp|dwarf|lbr" or nothing: no bytes that mean something to a shell within single quotes. */
static void put_complete_arg(const struct option_row *row, struct buf *buf)
{
	if (!option_has_arg(row))
		return;
	buf_putc(buf, '=');
	if (row->choices) {
		for (const struct option_choice *choice = row->choices; choice->name; choice++)
			buf_printf(buf, "%s%s", choice == row->choices ? "" : "|", choice->name);
		return;
	}
	for (const char *c = row->arg ? row->arg : ""; *c; c++)
		buf_putc(buf, isalnum((unsigned char)*c) || *c == '|' ? *c : '-');
}

static int put_complete(const struct option_set *set, const struct option_row *row, void *context)
{
	struct buf *buf = context;

	(void)set;
	if (!is_visible(row))
		return 0;
	if (row->name) {
		buf_printf(buf, " --%s", row->name);
		put_complete_arg(row, buf);
	}
	if (row->short_name) {
		buf_printf(buf, " -%c", row->short_name);
		put_complete_arg(row, buf);
	}
	return 0;
}

void option_doc_complete(const struct option_spec *spec, struct buf *buf)
{
	option_each(spec, put_complete, buf);
}
