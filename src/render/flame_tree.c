/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/xalloc.h"

#define NONE UINT32_MAX

struct making {
	const struct flame_data *data;
	const struct flame_tree_options *options;
	struct flame_tree *tree;
	struct str_id *frame_label; /* by input frame */
	ARRAY(struct flame_tree_node) nodes;
	bool labels_repeat; /* several frames have one label: nodes must be looked for */
	struct hash_index index;
	uint32_t *place; /* by input node: its node for the command at hand, when stamp says so */
	uint32_t *stamp; /* by input node: node of the command that place is of */
	ARRAY(uint32_t) path;
};

static struct str_id print_label(struct making *making, const struct flame_frame *frame, struct buf *text)
{
	text->size = 0;
	(making->options->print ? making->options->print : flame_frame_print)(frame, text);
	return intern_bytes(&making->tree->labels, text->data ? text->data : "", text->size);
}

static void label_frames(struct making *making)
{
	const struct flame_data *data = making->data;
	struct buf text = BUF_INIT;

	making->frame_label = xreallocarray(NULL, data->nr_frames + 1, sizeof(*making->frame_label));
	for (size_t i = 0; i < data->nr_frames; i++) {
		size_t before = making->tree->labels.rows.nr;

		making->frame_label[i] = print_label(making, &data->frames[i], &text);
		if (making->tree->labels.rows.nr == before)
			making->labels_repeat = true;
	}
	buf_release(&text);
}

static uint32_t push_node(struct making *making, uint32_t parent, struct str_id label, uint32_t frame)
{
	uint32_t depth = making->nodes.nr ? making->nodes.items[parent].depth + 1 : 0;

	array_push(&making->nodes,
		   (struct flame_tree_node){
			   .parent = parent, .depth = depth, .label = label, .frame = frame });
	return (uint32_t)making->nodes.nr - 1;
}

static uint32_t get_node(struct making *making, uint32_t parent, uint32_t frame)
{
	struct str_id label = making->frame_label[frame];
	uint64_t hash = hash_pair(parent, label.v);
	uint32_t pos;
	uint32_t id;

	if (!making->options->by_label || !making->labels_repeat)
		return push_node(making, parent, label, frame);
	pos = hash_index_start(&making->index, hash);
	while ((id = hash_index_next(&making->index, hash, &pos)) != HASH_NONE)
		if (making->nodes.items[id].parent == parent && making->nodes.items[id].label.v == label.v)
			return id;
	id = push_node(making, parent, label, frame);
	hash_index_insert(&making->index, hash, id);
	return id;
}

/* The node of an input node below a command: up to the first ancestor that has one, and down again. */
static uint32_t place_node(struct making *making, uint32_t command, uint32_t node)
{
	const struct flame_data *data = making->data;
	uint32_t at = command;

	array_clear(&making->path);
	for (; node != FLAME_ROOT && making->stamp[node] != command; node = data->node_parent[node])
		array_push(&making->path, node);
	if (node != FLAME_ROOT)
		at = making->place[node];
	for (size_t i = making->path.nr; i-- > 0;) {
		node = making->path.items[i];
		at = get_node(making, at, data->node_frame[node]);
		making->stamp[node] = command;
		making->place[node] = at;
	}
	return at;
}

/* The event's rows, those of one command name after the other. */
static uint32_t *rows_by_command(struct making *making, uint32_t *ret_nr, struct str_id *thread_label)
{
	const struct flame_data *data = making->data;
	uint32_t *start = xcalloc(making->tree->labels.rows.nr + 1, sizeof(*start));
	uint32_t *order = xreallocarray(NULL, data->nr_rows + 1, sizeof(*order));
	uint32_t nr = 0;

	for (size_t i = 0; i < data->nr_rows; i++)
		if (data->rows[i].event == making->options->event)
			start[thread_label[data->rows[i].thread].v + 1]++;
	for (size_t i = 1; i <= making->tree->labels.rows.nr; i++)
		start[i] += start[i - 1];
	for (size_t i = 0; i < data->nr_rows; i++) {
		if (data->rows[i].event != making->options->event)
			continue;
		order[start[thread_label[data->rows[i].thread].v]++] = (uint32_t)i;
		nr++;
	}
	free(start);
	*ret_nr = nr;
	return order;
}

static void add_rows(struct making *making)
{
	const struct flame_data *data = making->data;
	struct str_id *thread_label = xreallocarray(NULL, data->nr_threads + 1, sizeof(*thread_label));
	struct buf text = BUF_INIT;
	uint32_t command = NONE;
	uint32_t nr;
	uint32_t *order;

	for (size_t i = 0; i < data->nr_threads; i++) {
		struct flame_frame frame = { .name = data->threads[i].comm, .dso = "" };

		thread_label[i] = print_label(making, &frame, &text);
	}
	order = rows_by_command(making, &nr, thread_label);
	push_node(making, 0, (struct str_id){ 0 }, FLAME_TREE_NO_FRAME);
	for (uint32_t i = 0; i < nr; i++) {
		const struct flame_row *row = &data->rows[order[i]];
		uint64_t weight = making->options->by_samples ? row->samples : row->weight;
		struct str_id label = thread_label[row->thread];
		uint32_t node;

		if (!weight)
			continue;
		if (command == NONE || making->nodes.items[command].label.v != label.v)
			command = push_node(making, 0, label, FLAME_TREE_NO_FRAME);
		node = place_node(making, command, row->node);
		making->nodes.items[node].self += weight;
	}
	free(order);
	free(thread_label);
	buf_release(&text);
}

static void finish(struct making *making)
{
	struct flame_tree *tree = making->tree;

	tree->nodes = making->nodes.items;
	tree->nr_nodes = (uint32_t)making->nodes.nr;
	tree->child_start = xcalloc((size_t)tree->nr_nodes + 1, sizeof(*tree->child_start));
	for (uint32_t i = tree->nr_nodes; i-- > 0;) {
		tree->nodes[i].total += tree->nodes[i].self;
		if (i) {
			tree->nodes[tree->nodes[i].parent].total += tree->nodes[i].total;
			tree->child_start[tree->nodes[i].parent + 1]++;
		}
	}
	for (uint32_t i = 0; i < tree->nr_nodes; i++)
		tree->child_start[i + 1] += tree->child_start[i];
}

void flame_tree_init(struct flame_tree *tree, const struct flame_data *data,
		     const struct flame_tree_options *options)
{
	struct making making = { .data = data, .options = options, .tree = tree };

	*tree = (struct flame_tree){ 0 };
	intern_init(&tree->labels);
	hash_index_init(&making.index, 0);
	making.place = xreallocarray(NULL, data->nr_nodes + 1, sizeof(*making.place));
	making.stamp = xreallocarray(NULL, data->nr_nodes + 1, sizeof(*making.stamp));
	memset(making.stamp, 0xff, (data->nr_nodes + 1) * sizeof(*making.stamp));
	label_frames(&making);
	add_rows(&making);
	finish(&making);
	hash_index_release(&making.index);
	array_release(&making.path);
	free(making.frame_label);
	free(making.place);
	free(making.stamp);
}

void flame_tree_release(struct flame_tree *tree)
{
	intern_release(&tree->labels);
	free(tree->nodes);
	free(tree->child_start);
	*tree = (struct flame_tree){ 0 };
}

uint32_t *flame_tree_sort(const struct flame_tree *tree, const uint32_t *rank, size_t nr_ranks)
{
	uint32_t *start = xcalloc(nr_ranks + 1, sizeof(*start));
	uint32_t *by_label = xreallocarray(NULL, (size_t)tree->nr_nodes + 1, sizeof(*by_label));
	uint32_t *children = xreallocarray(NULL, (size_t)tree->nr_nodes + 1, sizeof(*children));
	uint32_t *next = xmemdup(tree->child_start, ((size_t)tree->nr_nodes + 1) * sizeof(*next));

	for (uint32_t i = 0; i < tree->nr_nodes; i++)
		start[rank[tree->nodes[i].label.v] + 1]++;
	for (size_t i = 1; i <= nr_ranks; i++)
		start[i] += start[i - 1];
	for (uint32_t i = 0; i < tree->nr_nodes; i++)
		by_label[start[rank[tree->nodes[i].label.v]]++] = i;
	for (uint32_t i = 0; i < tree->nr_nodes; i++)
		if (by_label[i])
			children[next[tree->nodes[by_label[i]].parent]++] = by_label[i];
	free(next);
	free(by_label);
	free(start);
	return children;
}

static int compare_rows(const void *a, const void *b)
{
	const struct intern_row *const *x = a;
	const struct intern_row *const *y = b;

	return strcmp((*x)->text, (*y)->text);
}

uint32_t *flame_tree_rank(const struct flame_tree *tree)
{
	size_t nr = tree->labels.rows.nr;
	const struct intern_row **sorted = xreallocarray(NULL, nr, sizeof(*sorted));
	uint32_t *rank = xreallocarray(NULL, nr, sizeof(*rank));

	for (size_t i = 0; i < nr; i++)
		sorted[i] = &tree->labels.rows.items[i];
	qsort(sorted, nr, sizeof(*sorted), compare_rows);
	for (size_t i = 0; i < nr; i++)
		rank[sorted[i] - tree->labels.rows.items] = (uint32_t)i;
	free(sorted);
	return rank;
}
