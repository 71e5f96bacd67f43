/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hierarchical tables.
 *
 * The entries of the view are the leaves; what they have in common in their first keys is put together above
 * them. A level's rows are sorted among themselves as the view's entries are: by the first amount of the sort
 * order, then by the key.
 */
#include "render/hierarchy_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/xalloc.h"

#define INDENT 3

struct node {
	uint32_t parent;
	uint32_t level;
	uint32_t entry; /* one of those below; of a leaf: its own */
	uint64_t value;
	uint32_t first, nr; /* children, in the list that is sorted by parent */
};

struct hierarchy {
	const struct group_table *table;
	struct view *view;
	ARRAY(const struct group_column *) keys;
	ARRAY(const struct group_column *) amounts;
	ARRAY(struct node) nodes; /* 0: the root */
	uint64_t *sums[NR_AMOUNTS]; /* by node and event */
	size_t room;
	uint32_t *children;
	enum amount first_amount;
	bool amount_first;
	struct calltree_plan plan;
	struct calltree_text graph;
	struct calltree_builder *builder;
};

static void reserve_sums(struct hierarchy *h)
{
	size_t room = h->room ? h->room * 2 : 256, each = h->view->nr_events;

	for (unsigned i = 0; i < NR_AMOUNTS; i++) {
		if (!h->view->amounts[i])
			continue;
		h->sums[i] = xreallocarray(h->sums[i], room, each * sizeof(uint64_t));
		memset(h->sums[i] + h->room * each, 0, (room - h->room) * each * sizeof(uint64_t));
	}
	h->room = room;
}

static uint32_t node_of(struct hierarchy *h, struct hash_index *index, uint32_t parent, uint32_t level,
			uint32_t entry, uint64_t value)
{
	uint64_t hash = hash_pair(parent, value);
	uint32_t pos = hash_index_start(index, hash), id;

	while ((id = hash_index_next(index, hash, &pos)) != HASH_NONE)
		if (h->nodes.items[id].parent == parent && h->nodes.items[id].value == value)
			return id;
	id = (uint32_t)h->nodes.nr;
	if (id == h->room)
		reserve_sums(h);
	array_push(&h->nodes,
		   (struct node){ .parent = parent, .level = level, .entry = entry, .value = value });
	hash_index_insert(index, hash, id);
	return id;
}

static void add_entry(struct hierarchy *h, struct hash_index *index, uint32_t entry)
{
	uint32_t node = 0, nr_events = h->view->nr_events;

	for (uint32_t level = 0; level < h->keys.nr; level++) {
		const struct group_column *key = h->keys.items[level];

		node = node_of(h, index, node, level, entry,
			       view_value(h->view, entry, &key->use, key->slot));
		for (unsigned i = 0; i < NR_AMOUNTS; i++)
			for (uint32_t k = 0; h->sums[i] && k < nr_events; k++)
				h->sums[i][(size_t)node * nr_events + k] +=
					h->view->amounts[i][(size_t)entry * nr_events + k];
	}
}

static int compare_nodes(const void *left, const void *right, void *context)
{
	const struct hierarchy *h = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct node *node_a = &h->nodes.items[a], *node_b = &h->nodes.items[b];
	const struct field_use *use;
	uint32_t nr_events = h->view->nr_events;

	if (node_a->parent != node_b->parent)
		return node_a->parent < node_b->parent ? -1 : 1;
	for (uint32_t i = 0; h->amount_first && i < nr_events; i++) {
		uint64_t sum_a = h->sums[h->first_amount][(size_t)a * nr_events + i];
		uint64_t sum_b = h->sums[h->first_amount][(size_t)b * nr_events + i];

		if (sum_a != sum_b)
			return sum_a > sum_b ? -1 : 1;
	}
	use = &h->keys.items[node_a->level]->use;
	if (use->field->compare)
		return use->field->compare(&h->view->plan->env, use, node_a->value, node_b->value);
	return node_a->value < node_b->value ? -1 : node_a->value > node_b->value;
}

static void sort_nodes(struct hierarchy *h)
{
	const struct field_list *sorts = &h->view->plan->options->sorts;
	uint32_t nr = (uint32_t)h->nodes.nr - 1;

	if (sorts->uses.nr && sorts->uses.items[0].field->kind == FIELD_AMOUNT) {
		h->first_amount = sorts->uses.items[0].field->amount;
		h->amount_first = h->sums[h->first_amount] != NULL;
	}
	h->children = xmalloc((nr + 1) * sizeof(*h->children));
	for (uint32_t i = 0; i < nr; i++)
		h->children[i] = i + 1;
	qsort_r(h->children, nr, sizeof(*h->children), compare_nodes, h);
	for (uint32_t i = 0; i < nr; i++) {
		struct node *parent = &h->nodes.items[h->nodes.items[h->children[i]].parent];

		if (!parent->nr++)
			parent->first = i;
	}
}

/* ---- writing ------------------------------------------------------------------------------- */

static unsigned indent_of_keys(const struct hierarchy *h)
{
	return h->keys.nr ? (unsigned)(h->keys.nr - 1) * INDENT : 0;
}

static void put_titles(const struct hierarchy *h, struct buf *buf)
{
	const char *separator = h->table->text->separator;
	unsigned width = indent_of_keys(h), title = 0, widest = 0;

	buf_str(buf, "# ");
	if (!separator)
		buf_fill(buf, ' ', width);
	for (size_t i = 0; i < h->amounts.nr; i++) {
		if (i)
			buf_str(buf, separator ? separator : "  ");
		buf_str_right(buf, h->amounts.items[i]->title, separator ? 0 : h->amounts.items[i]->width);
		width += h->amounts.items[i]->width + (i ? 2 : 0);
	}
	buf_str(buf, separator ? separator : "  ");
	for (size_t i = 0; i < h->keys.nr; i++) {
		const char *name = h->keys.items[i]->title + strspn(h->keys.items[i]->title, " ");
		unsigned end = h->keys.items[i]->width + (unsigned)i * INDENT;

		buf_str(buf, i ? " / " : "");
		buf_str(buf, name);
		title += (unsigned)strlen(name) + (i ? 3 : 0);
		widest = end > widest ? end : widest;
	}
	buf_putc(buf, '\n');
	if (separator)
		return;
	buf_str(buf, "# ");
	buf_fill(buf, '.', width);
	buf_str(buf, "  ");
	buf_fill(buf, '.', widest > title ? widest : title);
	buf_str(buf, "\n#\n");
}

static void put_node(const struct hierarchy *h, uint32_t id, struct buf *buf)
{
	const struct node *node = &h->nodes.items[id];
	const struct group_column *key = h->keys.items[node->level];
	size_t at = (size_t)id * h->view->nr_events;

	buf_fill(buf, ' ', node->level * INDENT);
	if (!h->table->text->separator)
		buf_str(buf, "  ");
	for (size_t i = 0; i < h->amounts.nr; i++) {
		const uint64_t *sums = h->sums[h->amounts.items[i]->use.field->amount];

		if (i)
			buf_str(buf, h->table->text->separator ? h->table->text->separator : "  ");
		group_table_put_amounts(h->table, h->amounts.items[i], sums ? sums + at : NULL,
					h->sums[AMOUNT_SAMPLES] + at, buf);
	}
	if (h->table->text->separator) {
		buf_str(buf, h->table->text->separator);
	} else {
		buf_fill(buf, ' ', indent_of_keys(h));
		buf_str(buf, "  ");
	}
	group_table_put_value(h->table, key, node->value, true, buf);
	buf_putc(buf, '\n');
}

static uint64_t worth_of(const struct hierarchy *h, uint32_t id)
{
	return h->sums[AMOUNT_SELF][(size_t)id * h->view->nr_events];
}

static unsigned name_column(const struct hierarchy *h, uint32_t level)
{
	unsigned column = 2 + indent_of_keys(h) + level * INDENT;

	for (size_t i = 0; i < h->amounts.nr; i++)
		column += h->amounts.items[i]->width + 2;
	return column;
}

static void put_graph(struct hierarchy *h, uint32_t id, struct buf *buf)
{
	if (h->graph.mode == CALLTREE_NONE)
		return;
	if (!h->builder)
		h->builder = calltree_builder_new(&h->plan);
	calltree_text_render(&h->graph, h->table->env, calltree_build(h->builder, h->nodes.items[id].entry),
			     worth_of(h, id), buf);
}

/* Not deeper than there are keys. */
static void put_children(struct hierarchy *h, uint32_t id, struct buf *buf)
{
	const struct node *node = &h->nodes.items[id];
	bool any = false;

	for (uint32_t i = node->first; i < node->first + node->nr; i++) {
		uint32_t child = h->children[i];

		if (!group_text_is_shown(h->table->text, worth_of(h, child), h->view->total[0]))
			continue;
		any = true;
		put_node(h, child, buf);
		if (h->nodes.items[child].nr)
			put_children(h, child, buf);
		else
			put_graph(h, child, buf);
	}
	if (!any && id) {
		buf_fill(buf, ' ', name_column(h, node->level + 1));
		buf_printf(buf, "no entry >= %.2f%%\n", h->table->text->percent_limit);
	}
}

void hierarchy_text_render(const struct group_table *table, struct buf *buf)
{
	struct hierarchy h = { .table = table, .view = table->view };
	struct hash_index index;

	for (size_t i = 0; i < table->columns.nr; i++) {
		const struct group_column *column = &table->columns.items[i];

		if (column->use.field->kind == FIELD_AMOUNT)
			array_push(&h.amounts, column);
		else
			array_push(&h.keys, column);
	}
	hash_index_init(&index, 256);
	reserve_sums(&h);
	array_push(&h.nodes, (struct node){ 0 });
	for (uint32_t i = 0; i < h.view->entries.nr; i++)
		add_entry(&h, &index, i);
	sort_nodes(&h);
	group_text_graph(table->text, h.view, &h.plan, &h.graph);
	if (!table->text->no_heads)
		put_titles(&h, buf);
	put_children(&h, 0, buf);
	calltree_builder_free(h.builder);
	calltree_plan_release(&h.plan);
	hash_index_release(&index);
	array_release(&h.keys);
	array_release(&h.amounts);
	array_release(&h.nodes);
	for (unsigned i = 0; i < NR_AMOUNTS; i++)
		free(h.sums[i]);
	free(h.children);
}
