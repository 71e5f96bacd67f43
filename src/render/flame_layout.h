/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_FLAME_LAYOUT_H
#define RENDER_FLAME_LAYOUT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/intern.h"
#include "render/flame_data.h"
#include "render/flame_prune.h"

struct flame_layout_frame {
	uint64_t prefix; /* first 8 bytes of the name, big-endian: most comparisons end here */
	const char *name;
	const char *dso;
	uint32_t dso_id; /* in strings */
	uint32_t index; /* in the input */
	enum flame_kind kind;
};

/*
 * A profile made ready for writing: only what has weight, pruned to a budget, frames numbered by name,
 * nodes in preorder with siblings by frame, rows by event, thread and node, no two alike.
 */
struct flame_layout {
	const struct flame_data *data;
	struct flame_prune prune;
	struct intern strings; /* DSOs */
	struct arena labels;
	ARRAY(struct flame_layout_frame) frames; /* [0] is the root's, "all" */
	uint32_t no_stack_frame; /* "(no stack)" and "(other)", 0 when there is none */
	uint32_t other_frame;
	uint32_t nr_nodes; /* with the root, node 0 */
	uint32_t *depth; /* by node; the root's is 0 */
	uint32_t *frame; /* by node */
	ARRAY(struct flame_row) rows;
};

/* data has passed flame_data_check and outlives the layout. node_budget 0: every node. */
void flame_layout_init(struct flame_layout *layout, const struct flame_data *data, uint32_t node_budget);
void flame_layout_release(struct flame_layout *layout);

#endif
