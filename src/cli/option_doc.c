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
#define OTHER_HEADING "Other options"

/* Calls visit for each row under its heading, headings in the order of their first appearance. */
struct heading_walk {
	const char *headings[64];
	size_t nr;
};

static void add_heading(struct heading_walk *walk, const char *heading)
{
	for (size_t i = 0; i < walk->nr; i++)
		if (!strcmp(walk->headings[i], heading))
			return;
	if (walk->nr < NR_ITEMS(walk->headings))
		walk->headings[walk->nr++] = heading;
}

static bool is_visible(const struct option_row *row)
{
	return row->type != OPTION_TYPE_NONE && !(row->flags & OPTION_HIDDEN) && (row->name || row->short_name);
}

/* The headings that have visible rows; rows without one come under "" at the first place. */
static void find_headings(const struct option_spec *spec, struct heading_walk *walk)
{
	walk->nr = 0;
	for (size_t s = 0; s < NR_ITEMS(spec->sets) && spec->sets[s].rows; s++) {
		const char *heading = "";

		for (size_t i = 0; i < spec->sets[s].nr; i++) {
			const struct option_row *row = &spec->sets[s].rows[i];

			if (row->heading)
				heading = row->heading;
			if (is_visible(row))
				add_heading(walk, heading);
		}
	}
}

typedef void row_fn(const struct option_row *row, void *context);

static void each_under(const struct option_spec *spec, const char *wanted, row_fn *visit, void *context)
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

/* Help of several lines: the further ones are indented to the column of the first. */
static void put_help(const char *help, struct buf *buf)
{
	for (;;) {
		size_t size = strcspn(help, "\n");

		buf_put(buf, help, size);
		buf_putc(buf, '\n');
		if (!help[size])
			return;
		help += size + 1;
		if (*help && *help != '\n')
			buf_fill(buf, ' ', HELP_COLUMN);
	}
}

void option_doc_row(const struct option_row *row, struct buf *buf)
{
	size_t start = buf->size, used;

	buf_fill(buf, ' ', NAME_COLUMN);
	if (row->short_name)
		buf_printf(buf, row->name ? "-%c, " : "-%c", row->short_name);
	else
		buf_str(buf, "    ");
	if (row->name)
		buf_printf(buf, "--%s", row->name);
	put_arg(row, buf);
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
		} else if (word[0] && (holds(row->name, word) || holds(row->arg, word) || holds(row->help, word))) {
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
	struct heading_walk walk;

	find_headings(spec, &walk);
	for (size_t i = 0; i < walk.nr; i++) {
		/* Rows without a heading come last and get one, when others have. */
		if (!walk.headings[i][0] && walk.nr > 1)
			continue;
		list.heading = walk.headings[i];
		each_under(spec, walk.headings[i], list_row, &list);
	}
	if (walk.nr > 1) {
		list.heading = OTHER_HEADING;
		each_under(spec, "", list_row, &list);
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
