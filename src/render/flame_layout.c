/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/xalloc.h"

#define NONE UINT32_MAX

struct sorted_row {
	uint64_t key; /* event and thread, then node */
	uint32_t row; /* in the input */
};

/* What is needed on the way only. */
struct making {
	struct flame_layout *layout;
	const struct flame_data *data;
	uint32_t *frame_of; /* by input frame */
	/* By node as it was made: the root, kept nodes, others. */
	ARRAY(uint32_t) parent;
	ARRAY(uint32_t) frame;
	uint32_t *order; /* its position in preorder */
	uint32_t *place; /* by input node, [nr_nodes] for the root: the node made that takes its weight */
	uint32_t no_stack_node;
};

/* ---- frames ---------------------------------------------------------------------------------- */

static uint64_t name_prefix(const char *name)
{
	uint64_t prefix = 0;

	for (int i = 0; i < 8 && name[i]; i++)
		prefix |= (uint64_t)(uint8_t)name[i] << (56 - 8 * i);
	return prefix;
}

static int compare_frames(const void *a, const void *b)
{
	const struct flame_layout_frame *x = a;
	const struct flame_layout_frame *y = b;
	int order;

	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	order = strcmp(x->name, y->name);
	if (!order)
		order = strcmp(x->dso, y->dso);
	return order ? order : (int)x->kind - (int)y->kind;
}

static void mark_used_frames(struct making *making)
{
	const struct flame_data *data = making->data;

	making->frame_of = xreallocarray(NULL, data->nr_frames + 1, sizeof(*making->frame_of));
	memset(making->frame_of, 0xff, (data->nr_frames + 1) * sizeof(*making->frame_of));
	for (size_t i = 0; i < data->nr_nodes; i++)
		if (making->layout->prune.anchor[i] == i)
			making->frame_of[data->node_frame[i]] = 0;
}

static const char *frame_label(struct making *making, const struct flame_frame *frame)
{
	struct buf text = BUF_INIT;
	const char *label = frame->name;

	if (flame_frame_unknown(frame)) {
		flame_frame_print(frame, &text);
		label = arena_strndup(&making->layout->labels, text.data, text.size);
		buf_release(&text);
	}
	return label;
}

/* Used frames get numbers in the order of their names; equal ones get the same. True if there were equal ones. */
static bool number_frames(struct making *making)
{
	const struct flame_data *data = making->data;
	ARRAY(struct flame_layout_frame) sorted = { 0 };
	bool repeats = false;

	mark_used_frames(making);
	for (size_t i = 0; i < data->nr_frames; i++) {
		const struct flame_frame *frame = &data->frames[i];
		struct flame_layout_frame row = { .index = (uint32_t)i, .kind = frame->kind };

		if (making->frame_of[i] == NONE)
			continue;
		row.name = frame_label(making, frame);
		row.dso = frame->dso ? frame->dso : "";
		row.prefix = name_prefix(row.name);
		array_push(&sorted, row);
	}
	if (sorted.nr)
		qsort(sorted.items, sorted.nr, sizeof(*sorted.items), compare_frames);
	array_push(&making->layout->frames,
		   (struct flame_layout_frame){ .name = "all", .dso = "", .kind = FLAME_UNKNOWN });
	for (size_t i = 0; i < sorted.nr; i++) {
		if (i && !compare_frames(&sorted.items[i - 1], &sorted.items[i])) {
			repeats = true;
		} else {
			sorted.items[i].dso_id =
				intern_string(&making->layout->strings, sorted.items[i].dso).v;
			array_push(&making->layout->frames, sorted.items[i]);
		}
		making->frame_of[sorted.items[i].index] = (uint32_t)making->layout->frames.nr - 1;
	}
	array_release(&sorted);
	return repeats;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint32_t push_node(struct making *making, uint32_t parent, uint32_t frame)
{
	array_push(&making->parent, parent);
	array_push(&making->frame, frame);
	return (uint32_t)making->parent.nr - 1;
}

/* The node of (parent, frame), found or added: only needed when several input frames became one. */
static uint32_t intern_node(struct making *making, struct hash_index *index, uint32_t parent, uint32_t frame)
{
	uint64_t hash = hash_pair(parent, frame);
	uint32_t pos = hash_index_start(index, hash);
	uint32_t id;

	while ((id = hash_index_next(index, hash, &pos)) != HASH_NONE)
		if (making->parent.items[id] == parent && making->frame.items[id] == frame)
			return id;
	id = push_node(making, parent, frame);
	hash_index_insert(index, hash, id);
	return id;
}

static uint32_t push_special(struct making *making, uint32_t *frame, const char *name, uint32_t parent)
{
	if (!*frame) {
		array_push(&making->layout->frames,
			   (struct flame_layout_frame){ .name = name, .dso = "", .kind = FLAME_UNKNOWN });
		*frame = (uint32_t)making->layout->frames.nr - 1;
	}
	return push_node(making, parent, *frame);
}

static void make_nodes(struct making *making, bool frames_repeat)
{
	const struct flame_data *data = making->data;
	const struct flame_prune *prune = &making->layout->prune;
	struct hash_index index = { 0 };

	if (frames_repeat)
		hash_index_init(&index, prune->nr_kept);
	array_reserve(&making->parent, (size_t)prune->nr_kept + prune->nr_others + 2);
	array_reserve(&making->frame, (size_t)prune->nr_kept + prune->nr_others + 2);
	making->place = xreallocarray(NULL, data->nr_nodes + 1, sizeof(*making->place));
	making->place[data->nr_nodes] = push_node(making, NONE, 0);
	for (size_t i = 0; i < data->nr_nodes; i++) {
		uint32_t parent = data->node_parent[i];
		uint32_t frame = making->frame_of[data->node_frame[i]];

		if (prune->anchor[i] != i)
			continue;
		parent = making->place[parent == FLAME_ROOT ? data->nr_nodes : parent];
		making->place[i] = frames_repeat ? intern_node(making, &index, parent, frame)
						 : push_node(making, parent, frame);
	}
	hash_index_release(&index);
	for (size_t i = 0; i < data->nr_rows && !making->no_stack_node; i++)
		if (data->rows[i].node == FLAME_ROOT && (data->rows[i].weight || data->rows[i].samples))
			making->no_stack_node = push_special(making, &making->layout->no_stack_frame,
							     "(no stack)", 0);
}

/* Adds the "(other)" nodes and sends the merged nodes' weight there. */
static void place_merged(struct making *making)
{
	const struct flame_data *data = making->data;
	const struct flame_prune *prune = &making->layout->prune;
	uint32_t *other_of;

	if (!prune->nr_merged)
		return;
	other_of = xcalloc(data->nr_nodes + 1, sizeof(*other_of));
	for (size_t i = 0; i < data->nr_nodes; i++) {
		size_t at = prune->anchor[i];

		if (at == i)
			continue;
		at = at == FLAME_ROOT ? data->nr_nodes : at;
		if (prune->has_other[at] && !other_of[at])
			other_of[at] = push_special(making, &making->layout->other_frame, "(other)",
						    making->place[at]);
		making->place[i] = other_of[at];
	}
	free(other_of);
}

/*
 * Preorder with siblings by frame number, without comparing: subtree sizes, then each node's offset
 * among its siblings (visiting nodes frame by frame), then positions from the root down.
 */
static void order_nodes(struct making *making)
{
	struct flame_layout *layout = making->layout;
	uint32_t nr = (uint32_t)making->parent.nr;
	const uint32_t *parent = making->parent.items;
	uint32_t *size = xreallocarray(NULL, nr, sizeof(*size));
	uint32_t *taken = xcalloc(nr, sizeof(*taken)); /* by parent: positions given to children so far */
	uint32_t *offset = xcalloc(nr, sizeof(*offset));
	uint32_t *start = xcalloc(layout->frames.nr + 1, sizeof(*start));
	uint32_t *by_frame = xreallocarray(NULL, nr, sizeof(*by_frame));

	for (uint32_t i = 0; i < nr; i++) {
		size[i] = 1;
		start[making->frame.items[i] + 1]++;
	}
	for (size_t f = 1; f <= layout->frames.nr; f++)
		start[f] += start[f - 1];
	for (uint32_t i = 0; i < nr; i++)
		by_frame[start[making->frame.items[i]]++] = i;
	for (uint32_t i = nr; i-- > 1;)
		size[parent[i]] += size[i];
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t node = by_frame[i];

		if (!node)
			continue;
		offset[node] = 1 + taken[parent[node]];
		taken[parent[node]] += size[node];
	}
	making->order = xcalloc(nr, sizeof(*making->order));
	layout->nr_nodes = nr;
	layout->depth = xcalloc(nr, sizeof(*layout->depth));
	layout->frame = xcalloc(nr, sizeof(*layout->frame));
	for (uint32_t i = 1; i < nr; i++) {
		uint32_t at = making->order[parent[i]] + offset[i];

		making->order[i] = at;
		layout->depth[at] = layout->depth[making->order[parent[i]]] + 1;
		layout->frame[at] = making->frame.items[i];
	}
	free(by_frame);
	free(start);
	free(offset);
	free(taken);
	free(size);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Stable sort by key, 11 bits at a time; digits in which all keys agree cost one look. */
static void sort_rows(struct sorted_row *rows, size_t nr)
{
	struct sorted_row *other = xreallocarray(NULL, nr + 1, sizeof(*other));
	struct sorted_row *from = rows;
	struct sorted_row *to = other;
	uint64_t any = 0;
	uint64_t all = ~0ull;

	for (size_t i = 0; i < nr; i++) {
		any |= rows[i].key;
		all &= rows[i].key;
	}
	for (unsigned shift = 0; shift < 64; shift += 11) {
		uint32_t start[2049] = { 0 };
		struct sorted_row *swap = from;

		if (((any ^ all) >> shift & 2047) == 0)
			continue;
		for (size_t i = 0; i < nr; i++)
			start[(from[i].key >> shift & 2047) + 1]++;
		for (int i = 1; i < 2048; i++)
			start[i] += start[i - 1];
		for (size_t i = 0; i < nr; i++)
			to[start[from[i].key >> shift & 2047]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != rows)
		memcpy(rows, from, nr * sizeof(*rows));
	free(other);
}

static void make_rows(struct making *making)
{
	const struct flame_data *data = making->data;
	struct sorted_row *sorted = xreallocarray(NULL, data->nr_rows + 1, sizeof(*sorted));
	size_t nr = 0;

	for (size_t i = 0; i < data->nr_rows; i++) {
		const struct flame_row *row = &data->rows[i];
		uint64_t group = (uint64_t)row->event * data->nr_threads + row->thread;
		uint32_t node;

		if (!row->weight && !row->samples)
			continue;
		node = row->node == FLAME_ROOT ? making->no_stack_node : making->place[row->node];
		sorted[nr++] = (struct sorted_row){ group << 32 | making->order[node], (uint32_t)i };
	}
	sort_rows(sorted, nr);
	array_reserve(&making->layout->rows, nr + 1);
	for (size_t i = 0; i < nr; i++) {
		struct flame_row row = data->rows[sorted[i].row];

		if (i && sorted[i].key == sorted[i - 1].key) {
			array_last(&making->layout->rows)->weight += row.weight;
			array_last(&making->layout->rows)->samples += row.samples;
			continue;
		}
		row.node = (uint32_t)sorted[i].key;
		array_push(&making->layout->rows, row);
	}
	free(sorted);
}

void flame_layout_init(struct flame_layout *layout, const struct flame_data *data, uint32_t node_budget)
{
	struct making making = { .layout = layout, .data = data };

	*layout = (struct flame_layout){ .data = data };
	intern_init(&layout->strings);
	flame_prune_init(&layout->prune, data, node_budget);
	make_nodes(&making, number_frames(&making));
	place_merged(&making);
	order_nodes(&making);
	make_rows(&making);
	array_release(&making.parent);
	array_release(&making.frame);
	free(making.frame_of);
	free(making.order);
	free(making.place);
}

void flame_layout_release(struct flame_layout *layout)
{
	flame_prune_release(&layout->prune);
	intern_release(&layout->strings);
	arena_release(&layout->labels);
	array_release(&layout->frames);
	array_release(&layout->rows);
	free(layout->depth);
	free(layout->frame);
}
