/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes of a flame graph are worth their bytes.
 *
 * A page of millions of nodes is slow to open, and most of them can be seen only by zooming in a
 * million times. A node's worth is its largest share of any event's total. A parent's worth is never below its
 * child's, so the heaviest K nodes are always one tree.
 *
 * Nothing is sorted. Worth is a float, and the upper 16 bits of a positive float, taken as a number, are in
 * the order of the values: they are its class. Counting nodes by class, and the places that would
 * need an "(other)" as differences over the classes, says in one pass which classes fit into the
 * budget. The class in which the budget ends is large in practice (every stack that was seen once has the
 * same worth), so of this one the shallow nodes are taken: detail then ends at the same depth everywhere and
 * not in the middle of the tree. Parents still come before children: same class or above, and shallower.
 */
#include "render/flame_prune.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define NR_CLASSES 65536

struct pruning {
	const struct flame_data *data;
	uint16_t *worth; /* by node: class of its share; 0 is weightless */
	uint32_t *depth;
	uint32_t max_depth;
};

static uint16_t worth_class(double share)
{
	float value = (float)share;
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return (uint16_t)((bits >> 16) + 1);
}

/* Nodes that have weight, of any event, below them: worth 1. Enough when all of them fit. */
static uint32_t mark_alive(struct pruning *pruning)
{
	const struct flame_data *data = pruning->data;
	uint32_t nr_alive = 0;

	for (size_t i = 0; i < data->nr_rows; i++)
		if (data->rows[i].node != FLAME_ROOT && (data->rows[i].weight || data->rows[i].samples))
			pruning->worth[data->rows[i].node] = 1;
	for (size_t i = data->nr_nodes; i-- > 0;) {
		if (!pruning->worth[i])
			continue;
		nr_alive++;
		if (data->node_parent[i] != FLAME_ROOT)
			pruning->worth[data->node_parent[i]] = 1;
	}
	return nr_alive;
}

/* Rows of one event after the other: nr_rows numbers, sorted by event. */
static uint32_t *rows_by_event(const struct flame_data *data, uint32_t *start)
{
	uint32_t *order = xreallocarray(NULL, data->nr_rows + 1, sizeof(*order));

	memset(start, 0, (data->nr_events + 2) * sizeof(*start));
	for (size_t i = 0; i < data->nr_rows; i++)
		start[data->rows[i].event + 2]++;
	for (size_t e = 2; e < data->nr_events + 2; e++)
		start[e] += start[e - 1];
	for (size_t i = 0; i < data->nr_rows; i++)
		order[start[data->rows[i].event + 1]++] = (uint32_t)i;
	return order;
}

static void weigh(struct pruning *pruning)
{
	const struct flame_data *data = pruning->data;
	uint32_t *start = xcalloc(data->nr_events + 2, sizeof(*start));
	uint32_t *order = rows_by_event(data, start);
	double *total = xreallocarray(NULL, data->nr_nodes + 1, sizeof(*total));

	for (size_t e = 0; e < data->nr_events; e++) {
		double sum = 0;

		memset(total, 0, (data->nr_nodes + 1) * sizeof(*total));
		for (uint32_t i = start[e]; i < start[e + 1]; i++) {
			const struct flame_row *row = &data->rows[order[i]];

			sum += (double)row->weight;
			if (row->node != FLAME_ROOT)
				total[row->node] += (double)row->weight;
		}
		if (sum <= 0)
			continue;
		for (size_t i = data->nr_nodes; i-- > 0;) {
			uint16_t class;

			if (total[i] <= 0)
				continue;
			class = worth_class(total[i] / sum);
			if (pruning->worth[i] < class)
				pruning->worth[i] = class;
			if (data->node_parent[i] != FLAME_ROOT)
				total[data->node_parent[i]] += total[i];
		}
	}
	free(total);
	free(order);
	free(start);
}

static void measure_depth(struct pruning *pruning)
{
	const struct flame_data *data = pruning->data;

	for (size_t i = 0; i < data->nr_nodes; i++) {
		uint32_t parent = data->node_parent[i];

		pruning->depth[i] = parent == FLAME_ROOT ? 0 : pruning->depth[parent] + 1;
		if (pruning->depth[i] > pruning->max_depth)
			pruning->max_depth = pruning->depth[i];
	}
}

/* By node, [nr_nodes] for the root: the least class among its children that have weight; NR_CLASSES - 1: none. */
static uint16_t *least_children(const struct pruning *pruning)
{
	const struct flame_data *data = pruning->data;
	uint16_t *least = xreallocarray(NULL, data->nr_nodes + 1, sizeof(*least));

	memset(least, 0xff, (data->nr_nodes + 1) * sizeof(*least));
	for (size_t i = 0; i < data->nr_nodes; i++) {
		uint32_t parent = data->node_parent[i];
		uint16_t *at = &least[parent == FLAME_ROOT ? data->nr_nodes : parent];

		if (pruning->worth[i] && pruning->worth[i] < *at)
			*at = pruning->worth[i];
	}
	return least;
}

/*
 * The least class of which all nodes fit into the budget, with the "(other)" that they need: a node
 * needs one for every limit between its own class and its least child's.
 */
static uint32_t fit_class(const struct pruning *pruning, const uint16_t *least, uint32_t budget,
			  uint32_t *ret_size)
{
	const struct flame_data *data = pruning->data;
	uint32_t *nodes = xcalloc(NR_CLASSES + 1, sizeof(*nodes));
	int32_t *others = xcalloc(NR_CLASSES + 1, sizeof(*others)); /* differences, from the top down */
	uint32_t class = NR_CLASSES - 1;
	int64_t size = 0;
	int64_t nr_others = 0;

	for (size_t i = 0; i < data->nr_nodes; i++) {
		nodes[pruning->worth[i]]++;
		if (pruning->worth[i] > least[i]) {
			others[pruning->worth[i]]++;
			others[least[i]]--;
		}
	}
	others[NR_CLASSES - 1]++;
	others[least[data->nr_nodes]]--;
	for (; class > 1; class --) {
		size += nodes[class];
		nr_others += others[class];
		if (size + nr_others > budget) {
			size -= nodes[class];
			nr_others -= others[class];
			break;
		}
	}
	free(nodes);
	free(others);
	*ret_size = (uint32_t)(size + nr_others);
	return class + 1;
}

/* The same for depths, within the class below: its nodes above the returned depth fit too. */
static uint32_t fit_depth(const struct pruning *pruning, const uint16_t *least, uint32_t class,
			  uint32_t budget, uint32_t *ret_size)
{
	const struct flame_data *data = pruning->data;
	uint32_t *nodes = xcalloc((size_t)pruning->max_depth + 3, sizeof(*nodes));
	int32_t *others = xcalloc((size_t)pruning->max_depth + 3, sizeof(*others)); /* differences */
	int64_t size = 0;
	int64_t nr_others = 0;
	uint32_t depth = 0;

	/* others[d]: how many more there are when the class is taken above d than when it is above d - 1. */
	others[0] += least[data->nr_nodes] <= class;
	others[1] -= least[data->nr_nodes] == class;
	for (size_t i = 0; i < data->nr_nodes; i++) {
		uint32_t at = pruning->depth[i];

		if (pruning->worth[i] > class) {
			size++;
			others[0] += least[i] <= class;
			others[at + 2] -= least[i] == class;
		} else if (pruning->worth[i] == class) {
			nodes[at + 1]++;
			others[at + 1] += least[i] <= class;
			others[at + 2] -= least[i] == class;
		}
	}
	nr_others = others[0];
	for (; depth <= pruning->max_depth; depth++) {
		if (size + nodes[depth + 1] + nr_others + others[depth + 1] > budget)
			break;
		size += nodes[depth + 1];
		nr_others += others[depth + 1];
	}
	free(nodes);
	free(others);
	*ret_size = (uint32_t)(size + nr_others);
	return depth;
}

/* Keeps what fits; the rest is anchored at its nearest kept ancestor. */
static void keep_worthiest(const struct pruning *pruning, uint32_t budget, struct flame_prune *prune)
{
	const struct flame_data *data = pruning->data;
	uint16_t *least = least_children(pruning);
	uint32_t size;
	uint32_t class = fit_class(pruning, least, budget, &size) - 1;
	uint32_t depth = fit_depth(pruning, least, class, budget, &size);
	/* What is left goes to the next level as far as it reaches: a node, and an "(other)" below it. */
	uint32_t left = size < budget ? (budget - size) / 2 : 0;

	for (size_t i = 0; i < data->nr_nodes; i++) {
		uint32_t parent = data->node_parent[i];
		bool keep = pruning->worth[i] > class;

		if (pruning->worth[i] == class) {
			keep = pruning->depth[i] < depth;
			if (pruning->depth[i] == depth && left) {
				keep = true;
				left--;
			}
		}
		prune->nr_kept += keep;
		prune->anchor[i] = keep			  ? (uint32_t)i
				   : parent == FLAME_ROOT ? FLAME_ROOT
							  : prune->anchor[parent];
	}
	free(least);
}

/*
 * Counts what was merged, and where. Where a single node would become an "(other)" of its own
 * nothing is won: it stays itself.
 */
static void count_others(const struct pruning *pruning, struct flame_prune *prune)
{
	const struct flame_data *data = pruning->data;
	uint32_t *merged = xcalloc(data->nr_nodes + 1, sizeof(*merged));

	for (size_t i = 0; i < data->nr_nodes; i++)
		if (pruning->worth[i] && prune->anchor[i] != i)
			merged[prune->anchor[i] == FLAME_ROOT ? data->nr_nodes : prune->anchor[i]]++;
	for (size_t i = 0; i < data->nr_nodes; i++) {
		size_t at = prune->anchor[i] == FLAME_ROOT ? data->nr_nodes : prune->anchor[i];

		if (!pruning->worth[i] || prune->anchor[i] == i)
			continue;
		if (merged[at] == 1) {
			prune->anchor[i] = (uint32_t)i;
			prune->nr_kept++;
			continue;
		}
		prune->nr_merged++;
		prune->nr_others += !prune->has_other[at];
		prune->has_other[at] = 1;
	}
	free(merged);
}

void flame_prune_init(struct flame_prune *prune, const struct flame_data *data, uint32_t budget)
{
	struct pruning pruning = { .data = data };
	uint32_t nr_alive;

	*prune = (struct flame_prune){ 0 };
	prune->anchor = xreallocarray(NULL, data->nr_nodes + 1, sizeof(*prune->anchor));
	prune->has_other = xcalloc(data->nr_nodes + 1, 1);
	pruning.worth = xcalloc(data->nr_nodes + 1, sizeof(*pruning.worth));
	nr_alive = mark_alive(&pruning);
	if (!budget || nr_alive <= budget) {
		for (size_t i = 0; i < data->nr_nodes; i++)
			prune->anchor[i] = pruning.worth[i] ? (uint32_t)i : FLAME_ROOT;
		prune->nr_kept = nr_alive;
		free(pruning.worth);
		return;
	}
	pruning.depth = xreallocarray(NULL, data->nr_nodes + 1, sizeof(*pruning.depth));
	measure_depth(&pruning);
	weigh(&pruning);
	keep_worthiest(&pruning, budget, prune);
	count_others(&pruning, prune);
	free(pruning.depth);
	free(pruning.worth);
}

void flame_prune_release(struct flame_prune *prune)
{
	free(prune->anchor);
	free(prune->has_other);
	*prune = (struct flame_prune){ 0 };
}
