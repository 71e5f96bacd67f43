/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of entries as text.
 *
 * Rows are made by all workers at once, in pieces, because unfolding and writing the call graphs is most of the
 * work; the pieces are put together in order.
 */
#include "render/group_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/xalloc.h"
#include "render/group_table.h"
#include "render/hierarchy_text.h"

#define PIECE 64 /* rows that one worker makes at a time */
#define MAX_WORKERS 64
#define FEW_ROWS 1024 /* of a profile: making a thread costs as much as showing them */

struct maker {
	struct group_table table;
	ARRAY(uint32_t) shown; /* entries */
	struct calltree_plan plan;
	struct calltree_text graph;
	struct calltree_builder *builders[MAX_WORKERS];
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

/* "anon group { cycles, instructions }", or only the names when they were not recorded as a group. */
static void put_group_name(const struct view *view, struct buf *buf)
{
	const struct event_table *events = view->plan->profile->events;
	const struct recorded_event *leader =
		events ? &events->events.items[events->events.items[view->leader].leader] : NULL;
	const char *name = leader ? leader->group_name : NULL;
	bool recorded = leader && leader->nr_members > 1;

	if (recorded)
		buf_printf(buf, "%s { ", name ? name : "anon group");
	for (uint32_t i = 0; i < view->nr_events; i++)
		buf_printf(buf, "%s%s", i ? ", " : "", event_name(view, view->events[i]));
	if (recorded)
		buf_str(buf, " }");
}

void group_text_head(const struct group_text *text, const struct view *view, struct buf *buf)
{
	bool grouped = text->is_group || view->nr_events > 1;

	buf_str(buf, "# Samples: ");
	group_text_scaled(view->nr_samples, buf);
	buf_str(buf, grouped ? " of events '" : " of event '");
	if (grouped)
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

/* ---- heads --------------------------------------------------------------------------------- */

static void put_titles(const struct group_table *t, struct buf *buf)
{
	const char *separator = t->text->separator;

	buf_str(buf, "# ");
	for (size_t i = 0; i < t->columns.nr; i++) {
		const struct group_column *column = &t->columns.items[i];

		if (i)
			buf_str(buf, separator ? separator : "  ");
		if (separator)
			buf_str(buf, column->title + strspn(column->title, " "));
		else if (column->right)
			buf_str_right(buf, column->title, column->width);
		else
			buf_printf(buf, "%-*.*s", (int)column->width,
				   column->clipped ? (int)column->width : INT_MAX, column->title);
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

static void put_row(const struct group_table *t, uint32_t entry, struct buf *buf)
{
	if (!t->text->separator)
		buf_str(buf, "  ");
	for (size_t i = 0; i < t->columns.nr; i++) {
		const struct group_column *column = &t->columns.items[i];

		if (i)
			buf_str(buf, t->text->separator ? t->text->separator : "  ");
		if (column->use.field->kind == FIELD_AMOUNT)
			group_table_put_entry(t, column, entry, buf);
		else
			group_table_put_value(t, column,
					      view_value(t->view, entry, &column->use, column->slot),
					      i + 1 == t->columns.nr, buf);
	}
	buf_putc(buf, '\n');
}

static void make_piece(void *context, unsigned worker, size_t piece)
{
	struct maker *m = context;
	const struct group_table *t = &m->table;
	size_t end = (piece + 1) * PIECE < m->shown.nr ? (piece + 1) * PIECE : m->shown.nr;
	struct buf *buf = &m->pieces[piece];

	for (size_t i = piece * PIECE; i < end; i++) {
		uint32_t entry = m->shown.items[i];
		uint64_t worth = view_worth(t->view, entry);

		put_row(t, entry, buf);
		if (m->graph.mode == CALLTREE_NONE || (!m->plan.options.relative && worth < m->plan.least))
			continue;
		if (!m->builders[worker])
			m->builders[worker] = calltree_builder_new(&m->plan);
		calltree_text_render(&m->graph, t->env, calltree_build(m->builders[worker], entry), worth,
				     buf);
	}
}

static void make_rows(struct maker *m, struct buf *buf)
{
	size_t nr_pieces = (m->shown.nr + PIECE - 1) / PIECE;
	unsigned nr_workers = m->table.view->plan->profile->rows.nr > FEW_ROWS ? pool_workers() : 1;

	group_text_graph(m->table.text, m->table.view, &m->plan, &m->graph);
	m->pieces = xcalloc(nr_pieces + 1, sizeof(*m->pieces));
	for (size_t i = 0; i < nr_pieces; i++)
		m->pieces[i] = BUF_INIT;
	pool_run(nr_pieces, nr_workers < MAX_WORKERS ? nr_workers : MAX_WORKERS, make_piece, m);
	for (size_t i = 0; i < nr_pieces; i++) {
		buf_put(buf, m->pieces[i].data, m->pieces[i].size);
		buf_release(&m->pieces[i]);
	}
	free(m->pieces);
	for (size_t i = 0; i < MAX_WORKERS; i++)
		calltree_builder_free(m->builders[i]);
	calltree_plan_release(&m->plan);
}

/* The functions that call graphs begin with stand in the rows when nothing stands in front of them there. */
static bool begins_with_symbol(const struct view *view)
{
	const struct field_list *sorts = &view->plan->options->sorts;

	for (size_t i = 0; i < sorts->uses.nr; i++) {
		const struct field *field = sorts->uses.items[i].field;

		if (field->kind != FIELD_AMOUNT)
			return !strcmp(field->name, "symbol") || !strcmp(field->name, "sym");
	}
	return false;
}

void group_text_graph(const struct group_text *text, struct view *view, struct calltree_plan *plan,
		      struct calltree_text *graph)
{
	*plan = (struct calltree_plan){ 0 };
	*graph = text->graph;
	if (graph->mode == CALLTREE_NONE)
		return;
	calltree_plan_init(plan, view, &text->tree);
	graph->whole = view->total[0];
	graph->least = plan->least;
	graph->key = text->tree.key;
	graph->skip_first = begins_with_symbol(view) && !text->hierarchy;
	graph->color = text->color;
}

bool group_text_is_shown(const struct group_text *text, uint64_t worth, uint64_t whole)
{
	return text->percent_limit <= 0 ||
	       (whole && (double)worth * 100 / (double)whole >= text->percent_limit);
}

void group_text_table(const struct group_text *text, struct view *view, struct buf *buf)
{
	struct maker m = { 0 };

	group_table_init(&m.table, text, view);
	if (text->hierarchy) {
		hierarchy_text_render(&m.table, buf);
		group_table_release(&m.table);
		return;
	}
	for (size_t i = 0; i < view->entries.nr; i++)
		if (group_text_is_shown(text, view_worth(view, view->order[i]), view->total[0]))
			array_push(&m.shown, view->order[i]);
	if (!text->no_heads)
		put_titles(&m.table, buf);
	make_rows(&m, buf);
	group_table_release(&m.table);
	array_release(&m.shown);
}
