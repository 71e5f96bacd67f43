/* SPDX-License-Identifier: Apache-2.0 */
/* Call graphs as text, below the row of their entry: perf's graph, fractal, flat and folded layouts. */
#ifndef RENDER_CALLTREE_TEXT_H
#define RENDER_CALLTREE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "profile/calltree.h"
#include "profile/field.h"

enum calltree_mode {
	CALLTREE_NONE,
	CALLTREE_GRAPH,
	CALLTREE_FRACTAL, /* percentages are shares of the node above */
	CALLTREE_FLAT,
	CALLTREE_FOLDED,
};

enum calltree_value {
	CALLTREE_PERCENT,
	CALLTREE_PERIOD,
	CALLTREE_COUNT,
};

struct calltree_text {
	enum calltree_mode mode;
	enum calltree_value value;
	unsigned limit; /* branches of a node (graph), chains of an entry (flat, folded); 0: all */
	bool skip_first; /* the entry is a function, its name stands in the row: the graph begins below it */
	enum calltree_key key; /* what is the same, and so what frames are called */
	bool color;
	uint64_t whole; /* periods that are 100 % */
	uint64_t least; /* flat and folded: periods that a chain must have */
};

/* worth: periods of the entry. Writes nothing when the tree has nothing to show. */
void calltree_text_render(const struct calltree_text *text, const struct field_env *env,
			  const struct calltree *tree, uint64_t worth, struct buf *buf);

/* A percentage, coloured by its weight when colours are wanted. */
void calltree_text_percent(bool color, double percent, int width, struct buf *buf);

#endif
