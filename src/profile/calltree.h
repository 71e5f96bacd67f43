/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call graph of one entry of a view, only as far as it will be shown.
 *
 * The full tree of an entry can be as large as the profile; what is printed of it is a handful of
 * branches. So it is not built and then pruned, but unfolded from the top: a node holds the list of places in the
 * profile that it stands for (nodes of the context's tree going down, stacks going up), its children are these
 * places' children (or parents) put together by frame, and a child below the threshold is dropped with everything
 * that it would have unfolded to.
 *
 *	callee first  the chains of the entry's samples, from the sampled function outwards.
 *	caller first  from the outside in: whole stacks of the samples that were taken in the entry itself; and of the
 *	              samples that only pass through it (with children), what follows its first appearance.
 */
#ifndef PROFILE_CALLTREE_H
#define PROFILE_CALLTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "profile/view.h"

enum calltree_key {
	CALLTREE_BY_FUNCTION,
	CALLTREE_BY_ADDRESS,
	CALLTREE_BY_SRCLINE,
};

struct calltree_options {
	bool caller_first;
	bool relative; /* the threshold is a share of the node above, not of everything */
	double threshold; /* percent: what is below is not there */
	enum calltree_key key;
};

struct calltree_node {
	uint32_t frame; /* one that it stands for */
	uint32_t first, nr; /* its children, side by side, heaviest first */
	uint32_t nr_samples; /* with everything below */
	uint32_t self_samples; /* of chains that end here */
	uint64_t total, self; /* periods */
	uint64_t hidden; /* in children that are below the threshold */
};

/* Node 0 is the root: no frame, all chains. */
struct calltree {
	ARRAY(struct calltree_node) nodes;
};

/* What building needs again and again; one for each thread. */
struct calltree_builder;

/* What all builders of a view share; made once, before there are threads. */
struct calltree_plan {
	const struct view *view;
	struct calltree_options options;
	const uint32_t *group; /* by frame: what is put together */
	uint32_t nr_groups;
	uint32_t *own_group; /* freed with the plan; NULL when group is somebody else's */
	uint64_t least; /* the threshold in periods, when it is absolute */
};

void calltree_plan_init(struct calltree_plan *plan, struct view *view,
			const struct calltree_options *options);
void calltree_plan_release(struct calltree_plan *plan);

struct calltree_builder *calltree_builder_new(const struct calltree_plan *plan);
void calltree_builder_free(struct calltree_builder *builder);
/* The tree of an entry; valid until the next call with this builder. A root without children: nothing to show. */
const struct calltree *calltree_build(struct calltree_builder *builder, uint32_t entry);

#endif
