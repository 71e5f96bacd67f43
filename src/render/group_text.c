/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of entries as text.
 *
 * Columns are as wide as their widest value. For that values are printed twice: once for each distinct
 * value, to measure, and once in the rows. Rows are made by all workers at once, in pieces, because unfolding and
 * writing the call graphs is most of the work; the pieces are put together in order.
 */
#include "render/group_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/xalloc.h"

#define PIECE 64 /* rows that one worker makes at a time */

struct column {
	struct field_use use;
	uint32_t slot;
	const char *title;
	unsigned width;
	bool right;
	bool ragged;
};

struct table {
	const struct group_text *text;
	struct view *view;
	const struct field_env *env;
	ARRAY(struct column) columns;
	ARRAY(uint32_t) shown; /* entries */
	struct calltree_plan plan;
	struct calltree_text graph;
	struct calltree_builder *builders[64];
	struct buf *pieces;
};

void group_text_scaled(uint64_t value, struct buf *buf)
{
	char unit = ' ';

	if (value > 1000)
		value /= 1000, unit = 'K';
	if (value > 1000)
		value /= 1000, unit = 'M';
	if (value > 1000)
		value /= 1000, unit = 'G';
	buf_u64(buf, value);
	buf_putc(buf, unit);
}

static const char *event_name(const struct view *view, uint32_t event)
{
	const struct event_table *events = view->plan->profile->events;

	return events && event < events->events.nr ? events->events.items[event].name : "unknown event";
}

/* "anon group { cycles, instructions }" */
static void put_group_name(const struct view *view, struct buf *buf)
{
	const struct event_table *events = view->plan->profile->events;
	const char *name = events ? events->events.items[view->leader].group_name : NULL;

	buf_printf(buf, "%s { ", name ? name : "anon group");
	for (uint32_t i = 0; i < view->nr_events; i++)
		buf_printf(buf, "%s%s", i ? ", " : "", event_name(view, view->events[i]));
	buf_str(buf, " }");
}

void group_text_head(const struct group_text *text, const struct view *view, struct buf *buf)
{
	buf_str(buf, "# Samples: ");
	group_text_scaled(view->nr_samples, buf);
	buf_str(buf, view->nr_events > 1 ? " of events '" : " of event '");
	if (view->nr_events > 1)
		put_group_name(view, buf);
	else
		buf_str(buf, event_name(view, view->leader));
	buf_putc(buf, '\'');
	if (text->time_note)
		buf_printf(buf, " (time slices: %s)", text->time_note);
	buf_printf(buf, "\n# Event count (approx.): %llu\n", (unsigned long long)view->period);
	if (view->plan->options->filter.socket >= 0)
		buf_printf(buf, "# Processor Socket: %d\n", view->plan->options->filter.socket);
	buf_str(buf, "#\n");
}

/* ---- columns ------------------------------------------------------------------------------- */

static bool is_elided(const struct group_text *text, const struct field *field)
{
	for (const char *const *name = text->elided; name && *name; name++)
		if (!strcmp(*name, field->name) || (!strcmp(*name, "symbol") && !strcmp(field->name, "sym")))
			return true;
	return false;
}

/* Fields of tracepoints stand only in tables of their event. */
static bool is_of_view(const struct view *view, const struct field_use *use)
{
	if (!use->trace)
		return true;
	for (uint32_t i = 0; i < view->nr_events; i++)
		if (view->events[i] == use->trace->event)
			return true;
	return false;
}

static bool shows_children(const struct view *view)
{
	return field_list_has_name(&view->plan->options->columns, "overhead_children");
}

static const char *title_of(const struct view *view, const struct field_use *use)
{
	if (!strcmp(use->field->name, "overhead") && shows_children(view))
		return "Self";
	return field_use_title(use);
}

static void grow_width(struct column *column, size_t width)
{
	if (width > column->width)
		column->width = (unsigned)width;
}

/* The width of the widest value: each distinct one of the entries is printed once. */
static void measure(struct table *t, struct column *column)
{
	const struct view *view = t->view;
	bool context = column->use.field->kind == FIELD_CONTEXT;
	uint32_t nr = context ? view->nr_contexts : view->plan->nr_places;
	uint8_t *seen = xcalloc(nr + 1, 1);
	struct buf buf = BUF_INIT;

	for (uint32_t i = 0; i < view->entries.nr; i++) {
		const struct view_entry *entry = &view->entries.items[i];
		uint32_t at = context ? entry->context : entry->place;

		if (seen[at])
			continue;
		seen[at] = 1;
		buf.size = 0;
		column->use.field->print(t->env, &column->use, view_value(view, i, &column->use, column->slot), &buf);
		grow_width(column, buf.size);
	}
	buf_release(&buf);
	free(seen);
}

static void choose_columns(struct table *t)
{
	const struct field_list *list = &t->view->plan->options->columns;

	for (size_t i = 0; i < list->uses.nr; i++) {
		const struct field_use *use = &list->uses.items[i];
		const struct field *field = use->field;
		struct column column = { .use = *use, .slot = t->view->plan->column_slots[i],
					 .title = title_of(t->view, use), .ragged = field->flags & FIELD_RAGGED };

		if (is_elided(t->text, field) || !is_of_view(t->view, use))
			continue;
		column.right = field->kind == FIELD_AMOUNT || field->flags & FIELD_RIGHT;
		column.width = field->width;
		if (use->trace)
			column.width = use->trace->width;
		grow_width(&column, strlen(column.title));
		if (field->kind == FIELD_AMOUNT)
			column.width *= t->view->nr_events;
		else
			measure(t, &column);
		if (t->columns.nr < t->text->nr_widths && t->text->widths[t->columns.nr])
			column.width = t->text->widths[t->columns.nr];
		array_push(&t->columns, column);
	}
}

static void put_titles(const struct table *t, struct buf *buf)
{
	const char *separator = t->text->separator;

	buf_str(buf, "# ");
	for (size_t i = 0; i < t->columns.nr; i++) {
		const struct column *column = &t->columns.items[i];

		if (i)
			buf_str(buf, separator ? separator : "  ");
		if (separator)
			buf_str(buf, column->title + strspn(column->title, " "));
		else if (column->right)
			buf_str_right(buf, column->title, column->width);
		else
			buf_str_left(buf, column->title, column->width);
	}
	buf_putc(buf, '\n');
	if (separator)
		return;
	buf_str(buf, "# ");
	for (size_t i = 0; i < t->columns.nr; i++) {
		if (i)
			buf_str(buf, "  ");
		buf_fill(buf, '.', t->columns.items[i].width);
	}
	buf_str(buf, "\n#\n");
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void put_amount_number(const struct table *t, const struct field *field, uint32_t entry, uint32_t event, int width,
			      struct buf *buf)
{
	uint64_t value = view_amount(t->view, entry, event, field->amount);
	uint64_t nr = view_amount(t->view, entry, event, AMOUNT_SAMPLES);

	if (field->format == FIELD_AVERAGE)
		buf_printf(buf, "%*.1f", width, nr ? (double)value / (double)nr : 0.0);
	else
		buf_u64_right(buf, value, (unsigned)width);
}

/* One number for each event of the group, side by side. */
static void put_amount(const struct table *t, const struct column *column, uint32_t entry, struct buf *buf)
{
	const struct field *field = column->use.field;
	uint32_t nr_events = t->view->nr_events;
	int width = t->text->separator ? 0 : (int)(column->width / nr_events);

	for (uint32_t event = 0; event < nr_events; event++) {
		double percent;

		if (event && t->text->separator)
			buf_putc(buf, ' ');
		if (field->format == FIELD_NUMBER || field->format == FIELD_AVERAGE) {
			put_amount_number(t, field, entry, event, width, buf);
			continue;
		}
		percent = view_percent(t->view, entry, event, field);
		if (isnan(percent))
			buf_str_right(buf, "N/A", (unsigned)width);
		else
			calltree_text_percent(t->text->color, percent, width, buf);
	}
}

/* The separator may not stand in a value. */
static void mask_separator(const char *separator, struct buf *buf, size_t from)
{
	for (size_t i = from; separator[0] && i < buf->size; i++)
		if (buf->data[i] == separator[0])
			buf->data[i] = '.';
}

static void put_value(const struct table *t, const struct column *column, uint32_t entry, bool is_last, struct buf *buf)
{
	size_t from = buf->size, size;
	unsigned width = column->width;

	column->use.field->print(t->env, &column->use, view_value(t->view, entry, &column->use, column->slot), buf);
	size = buf->size - from;
	if (t->text->separator) {
		mask_separator(t->text->separator, buf, from);
		return;
	}
	if (size >= width)
		return;
	if (column->right) {
		buf_fill(buf, ' ', width - size);
		memmove(buf->data + buf->size - size, buf->data + from, size);
		memset(buf->data + from, ' ', width - size);
	} else if (!is_last || !column->ragged) {
		buf_fill(buf, ' ', width - size);
	}
}

static void put_row(const struct table *t, uint32_t entry, struct buf *buf)
{
	if (!t->text->separator)
		buf_str(buf, "  ");
	for (size_t i = 0; i < t->columns.nr; i++) {
		const struct column *column = &t->columns.items[i];

		if (i)
			buf_str(buf, t->text->separator ? t->text->separator : "  ");
		if (column->use.field->kind == FIELD_AMOUNT)
			put_amount(t, column, entry, buf);
		else
			put_value(t, column, entry, i + 1 == t->columns.nr, buf);
	}
	buf_putc(buf, '\n');
}

static void make_piece(void *context, unsigned worker, size_t piece)
{
	struct table *t = context;
	size_t end = (piece + 1) * PIECE < t->shown.nr ? (piece + 1) * PIECE : t->shown.nr;
	struct buf *buf = &t->pieces[piece];

	for (size_t i = piece * PIECE; i < end; i++) {
		uint32_t entry = t->shown.items[i];
		uint64_t worth = view_worth(t->view, entry);

		put_row(t, entry, buf);
		if (t->text->graph.mode == CALLTREE_NONE || (!t->plan.options.relative && worth < t->plan.least))
			continue;
		if (!t->builders[worker])
			t->builders[worker] = calltree_builder_new(&t->plan);
		calltree_text_render(&t->graph, t->env, calltree_build(t->builders[worker], entry), worth, buf);
	}
}

static void make_rows(struct table *t, struct buf *buf)
{
	size_t nr_pieces = (t->shown.nr + PIECE - 1) / PIECE;
	unsigned nr_workers = pool_workers();

	t->graph = t->text->graph;
	if (t->graph.mode != CALLTREE_NONE) {
		calltree_plan_init(&t->plan, t->view, &t->text->tree);
		t->graph.whole = t->view->total[0];
		t->graph.least = t->plan.least;
		t->graph.by_srcline = t->text->tree.key == CALLTREE_BY_SRCLINE;
	}
	t->pieces = xcalloc(nr_pieces + 1, sizeof(*t->pieces));
	for (size_t i = 0; i < nr_pieces; i++)
		t->pieces[i] = BUF_INIT;
	pool_run(nr_pieces, nr_workers < NR_ITEMS(t->builders) ? nr_workers : (unsigned)NR_ITEMS(t->builders),
		 make_piece, t);
	for (size_t i = 0; i < nr_pieces; i++) {
		buf_put(buf, t->pieces[i].data, t->pieces[i].size);
		buf_release(&t->pieces[i]);
	}
	free(t->pieces);
	for (size_t i = 0; i < NR_ITEMS(t->builders); i++)
		calltree_builder_free(t->builders[i]);
	if (t->graph.mode != CALLTREE_NONE)
		calltree_plan_release(&t->plan);
}

/* The first share of the row decides whether it is shown. */
static void choose_rows(struct table *t)
{
	const struct view *view = t->view;

	for (size_t i = 0; i < view->entries.nr; i++) {
		uint32_t entry = view->order[i];
		double whole = (double)view->total[0];

		if (t->text->percent_limit <= 0 ||
		    (whole > 0 && (double)view_worth(view, entry) * 100 / whole >= t->text->percent_limit))
			array_push(&t->shown, entry);
	}
}

void group_text_table(const struct group_text *text, struct view *view, struct buf *buf)
{
	struct table t = { .text = text, .view = view, .env = &view->plan->env };

	choose_columns(&t);
	choose_rows(&t);
	if (!text->no_heads)
		put_titles(&t, buf);
	make_rows(&t, buf);
	array_release(&t.columns);
	array_release(&t.shown);
}
