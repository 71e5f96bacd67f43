/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns and cells.
 *
 * Columns are as wide as their widest value. For that values are printed twice: once for each distinct
 * value, to measure, and once in the rows.
 */
#include "render/group_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "profile/field_trace.h"

static bool is_elided(const struct group_text *text, const struct field *field)
{
	for (const char *const *name = text->elided; name && *name; name++)
		if (!strcmp(*name, field->name) || (!strcmp(*name, "symbol") && !strcmp(field->name, "sym")))
			return true;
	return false;
}

bool group_text_is_of_view(const struct view *view, const struct field_use *use)
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

static void grow_width(struct group_column *column, size_t width)
{
	if (width > column->width)
		column->width = (unsigned)width;
}

/* The width of the widest value: each distinct one of the entries is printed once. */
static void measure(struct group_table *t, struct group_column *column)
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
		column->use.field->print(t->env, &column->use,
					 view_value(view, i, &column->use, column->slot), &buf);
		grow_width(column, buf.size);
	}
	buf_release(&buf);
	free(seen);
}

/* The user's width. Numbers are not cut: their column is at least as wide as its title. */
static void set_width(struct group_column *column, unsigned width, uint32_t nr_events)
{
	column->clipped = column->use.field->kind != FIELD_AMOUNT;
	column->width = width;
	if (!column->clipped) {
		grow_width(column, strlen(column->title));
		column->width *= nr_events;
	}
}

void group_table_init(struct group_table *t, const struct group_text *text, struct view *view)
{
	const struct field_list *list = &view->plan->options->columns;

	*t = (struct group_table){ .text = text, .view = view, .env = &view->plan->env };
	for (size_t i = 0; i < list->uses.nr; i++) {
		const struct field_use *use = &list->uses.items[i];
		const struct field *field = use->field;
		struct group_column column = { .use = *use,
					       .slot = t->view->plan->column_slots[i],
					       .title = title_of(t->view, use),
					       .ragged = field->flags & FIELD_RAGGED };

		if (is_elided(text, field) || !group_text_is_of_view(t->view, use))
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
		if (use->trace && use->trace->field->is_dynamic)
			column.width += column.width > strlen(column.title);
		if (t->columns.nr < text->nr_widths && text->widths[t->columns.nr])
			set_width(&column, text->widths[t->columns.nr], view->nr_events);
		array_push(&t->columns, column);
	}
}

void group_table_release(struct group_table *t)
{
	array_release(&t->columns);
}

/* ---- cells --------------------------------------------------------------------------------- */

void group_table_put_amounts(const struct group_table *t, const struct group_column *column,
			     const uint64_t *amounts, const uint64_t *nr_samples, struct buf *buf)
{
	const struct field *field = column->use.field;
	uint32_t nr_events = t->view->nr_events;
	int width = t->text->separator ? 0 : (int)(column->width / nr_events);

	for (uint32_t i = 0; i < nr_events; i++) {
		uint64_t whole = field->format == FIELD_PERCENT_LATENCY ? t->view->total_latency[i]
									: t->view->total[i];

		if (i && t->text->separator)
			buf_putc(buf, ' ');
		if (!t->view->amounts[field->amount])
			buf_str_right(buf, "N/A", (unsigned)width);
		else if (field->format == FIELD_NUMBER)
			buf_u64_right(buf, amounts[i], (unsigned)width);
		else if (field->format == FIELD_AVERAGE)
			buf_printf(buf, "%*.1f", width,
				   nr_samples[i] ? (double)amounts[i] / (double)nr_samples[i] : 0.0);
		else
			calltree_text_percent(t->text->color,
					      whole ? (double)amounts[i] * 100.0 / (double)whole : 0, width,
					      buf);
	}
}

void group_table_put_entry(const struct group_table *t, const struct group_column *column, uint32_t entry,
			   struct buf *buf)
{
	const uint64_t *amounts = t->view->amounts[column->use.field->amount];
	uint64_t at = (uint64_t)entry * t->view->nr_events;

	group_table_put_amounts(t, column, amounts ? amounts + at : NULL,
				t->view->amounts[AMOUNT_SAMPLES] + at, buf);
}

/* The separator may not stand in a value. */
static void mask_separator(const char *separator, struct buf *buf, size_t from)
{
	for (size_t i = from; separator[0] && i < buf->size; i++)
		if (buf->data[i] == separator[0])
			buf->data[i] = '.';
}

void group_table_put_value(const struct group_table *t, const struct group_column *column, uint64_t value,
			   bool is_last, struct buf *buf)
{
	size_t from = buf->size, size;
	unsigned width = column->width;

	column->use.field->print(t->env, &column->use, value, buf);
	size = buf->size - from;
	if (t->text->separator) {
		mask_separator(t->text->separator, buf, from);
		return;
	}
	if (size > width && column->clipped) {
		/* Not in the middle of a character. */
		for (size = width; size && ((uint8_t)buf->data[from + size] & 0xc0) == 0x80;)
			size--;
		buf->size = from + size;
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
