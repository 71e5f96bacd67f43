/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_FLAME_TREE_H
#define RENDER_FLAME_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "render/flame_data.h"

#define FLAME_TREE_NO_FRAME UINT32_MAX

struct flame_tree_node {
	uint32_t parent; /* the root is its own */
	uint32_t depth; /* root 0, command 1 */
	struct str_id label; /* in labels */
	uint32_t frame; /* in the data; FLAME_TREE_NO_FRAME: the root, a command */
	uint64_t self;
	uint64_t total;
};

/*
 * One event's stacks with the name of the command below them, as flame graphs of perf have it: node 0 is
 * the root, its children are commands (threads of one name together), parents stand before children.
 */
struct flame_tree {
	struct intern labels;
	struct flame_tree_node *nodes;
	uint32_t nr_nodes;
	uint32_t *child_start; /* by node, nr_nodes + 1 of them: its part of what flame_tree_sort gives */
};

struct flame_tree_options {
	uint32_t event;
	bool by_samples; /* count samples, not their weight */
	bool by_label; /* frames of one label are one, whatever their DSO */
	/* What a frame is called; commands are asked about as a frame of that name without a DSO. NULL: flame_frame_print */
	void (*print)(const struct flame_frame *frame, struct buf *buf);
};

/* data has passed flame_data_check. */
void flame_tree_init(struct flame_tree *tree, const struct flame_data *data,
		     const struct flame_tree_options *options);
void flame_tree_release(struct flame_tree *tree);

/*
 * Children of every node, in the order of rank[label], which are below nr_ranks; those of node i stand from
 * child_start[i] to child_start[i + 1]. The caller frees the result.
 */
uint32_t *flame_tree_sort(const struct flame_tree *tree, const uint32_t *rank, size_t nr_ranks);
/* rank[label] by bytes of the label's text. The caller frees it. */
uint32_t *flame_tree_rank(const struct flame_tree *tree);

#endif
