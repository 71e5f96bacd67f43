/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unfolding call graphs; see calltree.h for the idea.
 *
 * Caller first, samples taken in the entry itself need a tree of their own (`local`): the whole stacks of
 * just these samples. The samples that pass through are in the context's tree already (view->nodes); from a node's weight
 * there what `local` has at the same stack is taken away, so that no sample is in both.
 *
 * Lists of places lie in one growing pool. Work is taken from the end, so everything behind the list that
 * is being worked on is no longer needed, and the pool is as long as one way down the tree.
 */
#include "profile/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* One place that a node of the call graph stands for. */
struct item {
	uint32_t at; /* a node of the view, of local, or a stack */
	bool local;
	uint32_t nr_samples;
	uint64_t weight;
};

struct work {
	uint32_t node;
	size_t first, nr; /* of the pool */
};

/* A child while it is being put together. */
struct group {
	uint32_t frame;
	uint32_t id;
	uint32_t nr_samples;
	uint64_t weight;
	size_t nr_items, first;
	uint32_t node; /* 0: below the threshold */
};

struct calltree_builder {
	const struct calltree_plan *plan;
	const struct view *view;
	const struct profile *profile;
	struct calltree tree;
	ARRAY(struct item) pool;
	ARRAY(struct item) next; /* the places below a node, before they are put in order */
	ARRAY(uint32_t) next_group; /* of each of these: index in groups */
	ARRAY(struct group) groups;
	ARRAY(uint32_t) chosen; /* groups that are heavy enough */
	ARRAY(struct work) work;
	ARRAY(struct view_node) local;
	ARRAY(uint32_t) path;
	/* By group id: index in groups. By stack: node of local, or (callee first) index in next. */
	uint32_t *group_stamp, *group_at, *stack_stamp, *stack_at;
	uint32_t group_serial, stack_serial;
};

/* ---- plan ---------------------------------------------------------------------------------- */

/* Where the DWARF says nothing, one function is one line. */
static void group_by_srcline(struct calltree_plan *plan, struct field_env *env)
{
	size_t nr_frames = env->profile->frames.nr;

	plan->own_group = xcalloc(nr_frames + 1, sizeof(*plan->own_group));
	for (uint32_t i = 0; i < nr_frames; i++) {
		uint32_t line = field_env_line(env, i);

		plan->own_group[i] = line ? (uint32_t)nr_frames + line : env->function[i];
	}
	plan->nr_groups = (uint32_t)(nr_frames + env->texts.rows.nr);
}

void calltree_plan_init(struct calltree_plan *plan, struct view *view, const struct calltree_options *options)
{
	struct view_plan *view_plan = (struct view_plan *)view->plan;
	size_t nr_frames = view_plan->profile->frames.nr;

	*plan = (struct calltree_plan){ .view = view, .options = *options, .nr_groups = (uint32_t)nr_frames };
	plan->least = (uint64_t)((double)view->total[0] * options->threshold / 100);
	if (options->key == CALLTREE_BY_SRCLINE) {
		group_by_srcline(plan, &view_plan->env);
	} else if (options->key == CALLTREE_BY_ADDRESS) {
		plan->own_group = xcalloc(nr_frames + 1, sizeof(*plan->own_group));
		for (uint32_t i = 0; i < nr_frames; i++)
			plan->own_group[i] = i;
	}
	plan->group = plan->own_group ? plan->own_group : view_plan->env.function;
}

void calltree_plan_release(struct calltree_plan *plan)
{
	free(plan->own_group);
}

struct calltree_builder *calltree_builder_new(const struct calltree_plan *plan)
{
	struct calltree_builder *b = xcalloc(1, sizeof(*b));
	size_t nr_stacks = plan->view->plan->profile->stacks.nr + 1;

	b->plan = plan;
	b->view = plan->view;
	b->profile = plan->view->plan->profile;
	b->group_stamp = xcalloc(plan->nr_groups + 1, sizeof(*b->group_stamp));
	b->group_at = xcalloc(plan->nr_groups + 1, sizeof(*b->group_at));
	b->stack_stamp = xcalloc(nr_stacks, sizeof(*b->stack_stamp));
	b->stack_at = xcalloc(nr_stacks, sizeof(*b->stack_at));
	return b;
}

void calltree_builder_free(struct calltree_builder *b)
{
	if (!b)
		return;
	array_release(&b->tree.nodes);
	array_release(&b->pool);
	array_release(&b->next);
	array_release(&b->next_group);
	array_release(&b->groups);
	array_release(&b->chosen);
	array_release(&b->work);
	array_release(&b->local);
	array_release(&b->path);
	free(b->group_stamp);
	free(b->group_at);
	free(b->stack_stamp);
	free(b->stack_at);
	free(b);
}

/* ---- where it begins ----------------------------------------------------------------------- */

static uint32_t row_stack(const struct calltree_builder *b, uint32_t row)
{
	return filter_stack(&b->view->plan->filter, &b->profile->rows.items[row]);
}

/* The node of a stack in the tree of the entry's own samples; made when it is not there. */
static uint32_t local_at(struct calltree_builder *b, uint32_t stack)
{
	uint32_t parent = VIEW_NO_NODE;

	array_clear(&b->path);
	while (stack && b->stack_stamp[stack] != b->stack_serial) {
		array_push(&b->path, stack);
		stack = b->profile->stacks.items[stack].parent;
	}
	if (stack)
		parent = b->stack_at[stack];
	for (size_t i = b->path.nr; i-- > 0;) {
		stack = b->path.items[i];
		b->stack_stamp[stack] = b->stack_serial;
		b->stack_at[stack] = (uint32_t)b->local.nr;
		array_push(&b->local, (struct view_node){ .parent = parent,
							  .stack = stack,
							  .child = VIEW_NO_NODE,
							  .sibling = VIEW_NO_NODE });
		parent = (uint32_t)b->local.nr - 1;
	}
	return parent;
}

static void build_local(struct calltree_builder *b, uint32_t entry)
{
	const struct view *view = b->view;

	array_clear(&b->local);
	b->stack_serial++;
	for (uint32_t i = view->row_start[entry]; i < view->row_start[entry + 1]; i++) {
		const struct profile_row *row = &b->profile->rows.items[view->row_list[i]];
		uint32_t node = local_at(b, row_stack(b, view->row_list[i]));

		if (node == VIEW_NO_NODE)
			continue;
		b->local.items[node].total += row->period;
		b->local.items[node].nr_samples += row->nr_samples;
	}
	for (uint32_t i = (uint32_t)b->local.nr; i-- > 0;) {
		struct view_node *node = &b->local.items[i];

		if (node->parent == VIEW_NO_NODE) {
			array_push(&b->pool, (struct item){ i, true, node->nr_samples, node->total });
			continue;
		}
		b->local.items[node->parent].total += node->total;
		b->local.items[node->parent].nr_samples += node->nr_samples;
		node->sibling = b->local.items[node->parent].child;
		b->local.items[node->parent].child = i;
	}
}

/* What the view's node weighs without the samples that are in local. */
static struct item passing(const struct calltree_builder *b, uint32_t i)
{
	const struct view_node *node = &b->view->nodes.items[i], *own;
	struct item item = { i, false, node->nr_samples, node->total };

	if (b->stack_stamp[node->stack] == b->stack_serial) {
		own = &b->local.items[b->stack_at[node->stack]];
		item.nr_samples -= own->nr_samples;
		item.weight -= own->total;
	}
	return item;
}

static void begin_caller(struct calltree_builder *b, uint32_t entry)
{
	const struct view *view = b->view;

	build_local(b, entry);
	if (!view->node_list)
		return;
	for (uint32_t i = view->node_start[entry]; i < view->node_start[entry + 1]; i++) {
		uint32_t node = view->node_list[i];
		struct item item;

		if (view->nodes.items[node].outer != VIEW_NO_NODE)
			continue;
		item = passing(b, node);
		if (item.nr_samples || item.weight)
			array_push(&b->pool, item);
	}
}

/* Adds a stack to the places in the pool; equal stacks are one place. */
static void add_stack(struct calltree_builder *b, uint32_t stack, uint32_t nr_samples, uint64_t weight)
{
	if (!stack || (!nr_samples && !weight))
		return;
	if (b->stack_stamp[stack] != b->stack_serial) {
		b->stack_stamp[stack] = b->stack_serial;
		b->stack_at[stack] = (uint32_t)b->pool.nr;
		array_push(&b->pool, (struct item){ stack, true, 0, 0 });
	}
	b->pool.items[b->stack_at[stack]].nr_samples += nr_samples;
	b->pool.items[b->stack_at[stack]].weight += weight;
}

/* Places that all their samples only pass through. */
static void drop_empty(struct calltree_builder *b)
{
	size_t nr = 0;

	for (size_t i = 0; i < b->pool.nr; i++)
		if (b->pool.items[i].nr_samples || b->pool.items[i].weight)
			b->pool.items[nr++] = b->pool.items[i];
	b->pool.nr = nr;
}

static void begin_callee(struct calltree_builder *b, uint32_t entry)
{
	const struct view *view = b->view;

	b->stack_serial++;
	if (!view->node_list) {
		for (uint32_t i = view->row_start[entry]; i < view->row_start[entry + 1]; i++) {
			const struct profile_row *row = &b->profile->rows.items[view->row_list[i]];

			add_stack(b, row_stack(b, view->row_list[i]), row->nr_samples, row->period);
		}
		return;
	}
	/* Each sample once, from the innermost appearance on: a node's weight less that of those further in. */
	for (uint32_t i = view->node_start[entry]; i < view->node_start[entry + 1]; i++) {
		const struct view_node *node = &view->nodes.items[view->node_list[i]];

		add_stack(b, node->stack, node->nr_samples, node->total);
		if (node->outer != VIEW_NO_NODE) {
			struct item *outer =
				&b->pool.items[b->stack_at[view->nodes.items[node->outer].stack]];

			outer->nr_samples -= node->nr_samples;
			outer->weight -= node->total;
		}
	}
	drop_empty(b);
}

/* ---- unfolding ----------------------------------------------------------------------------- */

/* Puts a place among the children of the node that is being unfolded. */
static void add_next(struct calltree_builder *b, uint32_t frame, struct item item)
{
	uint32_t id = b->plan->group[frame];
	struct group *group;

	if (b->group_stamp[id] != b->group_serial) {
		b->group_stamp[id] = b->group_serial;
		b->group_at[id] = (uint32_t)b->groups.nr;
		array_push(&b->groups, (struct group){ .frame = frame, .id = id });
	}
	group = &b->groups.items[b->group_at[id]];
	group->nr_samples += item.nr_samples;
	group->weight += item.weight;
	group->nr_items++;
	array_push(&b->next, item);
	array_push(&b->next_group, b->group_at[id]);
}

static void add_children(struct calltree_builder *b, const struct item *item)
{
	const struct stack *stacks = b->profile->stacks.items;

	if (item->local) {
		for (uint32_t i = b->local.items[item->at].child; i != VIEW_NO_NODE;
		     i = b->local.items[i].sibling) {
			const struct view_node *node = &b->local.items[i];

			add_next(b, stacks[node->stack].frame,
				 (struct item){ i, true, node->nr_samples, node->total });
		}
		return;
	}
	for (uint32_t i = b->view->nodes.items[item->at].child; i != VIEW_NO_NODE;
	     i = b->view->nodes.items[i].sibling) {
		struct item below = passing(b, i);

		if (below.nr_samples || below.weight)
			add_next(b, stacks[b->view->nodes.items[i].stack].frame, below);
	}
}

static void add_parent(struct calltree_builder *b, const struct item *item)
{
	uint32_t parent = b->profile->stacks.items[item->at].parent;
	struct group *group;

	if (!parent)
		return;
	if (b->stack_stamp[parent] != b->stack_serial) {
		b->stack_stamp[parent] = b->stack_serial;
		b->stack_at[parent] = (uint32_t)b->next.nr;
		add_next(b, b->profile->stacks.items[parent].frame,
			 (struct item){ parent, true, item->nr_samples, item->weight });
		return;
	}
	b->next.items[b->stack_at[parent]].nr_samples += item->nr_samples;
	b->next.items[b->stack_at[parent]].weight += item->weight;
	group = &b->groups.items[b->next_group.items[b->stack_at[parent]]];
	group->nr_samples += item->nr_samples;
	group->weight += item->weight;
}

static int compare_groups(const void *left, const void *right, void *context)
{
	const struct calltree_builder *builder = context;
	const struct group *a = &builder->groups.items[*(const uint32_t *)left];
	const struct group *b = &builder->groups.items[*(const uint32_t *)right];
	const struct profile *profile = builder->profile;
	const struct frame *frame_a, *frame_b;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	frame_a = &profile->frames.items[a->frame], frame_b = &profile->frames.items[b->frame];
	if (frame_a->dso != frame_b->dso)
		return frame_a->dso > frame_b->dso ? -1 : 1;
	return frame_a->offset > frame_b->offset ? -1 : frame_a->offset < frame_b->offset;
}

/* Which groups are heavy enough to be nodes, heaviest first. */
static void choose_children(struct calltree_builder *b, uint64_t least, uint64_t *ret_hidden)
{
	array_clear(&b->chosen);
	for (size_t i = 0; i < b->groups.nr; i++) {
		if (b->groups.items[i].weight < least)
			*ret_hidden += b->groups.items[i].weight;
		else
			array_push(&b->chosen, (uint32_t)i);
	}
	if (b->chosen.nr > 1)
		qsort_r(b->chosen.items, b->chosen.nr, sizeof(*b->chosen.items), compare_groups, b);
}

static void make_children(struct calltree_builder *b, uint32_t node)
{
	uint64_t below = 0, least = b->plan->least;
	uint32_t below_samples = 0;
	struct calltree_node *parent = &b->tree.nodes.items[node];

	for (size_t i = 0; i < b->groups.nr; i++) {
		below += b->groups.items[i].weight;
		below_samples += b->groups.items[i].nr_samples;
	}
	if (b->plan->options.relative)
		least = (uint64_t)((double)below * b->plan->options.threshold / 100);
	if (!node) {
		parent->total = below;
		parent->nr_samples = below_samples;
	}
	parent->self = parent->total - below;
	parent->self_samples = parent->nr_samples - below_samples;
	choose_children(b, least, &parent->hidden);
	parent->first = (uint32_t)b->tree.nodes.nr;
	parent->nr = (uint32_t)b->chosen.nr;
	for (size_t i = 0; i < b->chosen.nr; i++) {
		struct group *group = &b->groups.items[b->chosen.items[i]];

		group->node = (uint32_t)b->tree.nodes.nr;
		array_push(&b->tree.nodes, (struct calltree_node){ .frame = group->frame,
								   .total = group->weight,
								   .nr_samples = group->nr_samples });
	}
}

/* Copies each child's places behind the pool and notes the work that they are. */
static void hand_down(struct calltree_builder *b)
{
	size_t at = b->pool.nr;

	for (size_t i = b->chosen.nr; i-- > 0;) {
		struct group *group = &b->groups.items[b->chosen.items[i]];

		group->first = at;
		array_push(&b->work, (struct work){ group->node, at, group->nr_items });
		at += group->nr_items;
	}
	array_reserve(&b->pool, at);
	b->pool.nr = at;
	for (size_t i = 0; i < b->next.nr; i++) {
		struct group *group = &b->groups.items[b->next_group.items[i]];

		if (group->node)
			b->pool.items[group->first++] = b->next.items[i];
	}
}

/* The first frames of the graph are those of the places that it begins with. */
static uint32_t frame_of_item(const struct calltree_builder *b, const struct item *item)
{
	uint32_t stack = item->at;

	if (b->plan->options.caller_first)
		stack = item->local ? b->local.items[item->at].stack : b->view->nodes.items[item->at].stack;
	return b->profile->stacks.items[stack].frame;
}

static void unfold(struct calltree_builder *b, struct work work)
{
	bool caller_first = b->plan->options.caller_first;

	array_clear(&b->next);
	array_clear(&b->next_group);
	array_clear(&b->groups);
	b->group_serial++;
	if (!caller_first)
		b->stack_serial++;
	for (size_t i = work.first; i < work.first + work.nr; i++) {
		const struct item *item = &b->pool.items[i];

		if (!work.node)
			add_next(b, frame_of_item(b, item), *item);
		else if (caller_first)
			add_children(b, item);
		else
			add_parent(b, item);
	}
	make_children(b, work.node);
	b->pool.nr = work.first;
	hand_down(b);
}

const struct calltree *calltree_build(struct calltree_builder *b, uint32_t entry)
{
	array_clear(&b->tree.nodes);
	array_clear(&b->pool);
	array_clear(&b->work);
	array_push(&b->tree.nodes, (struct calltree_node){ 0 });
	if (b->plan->options.caller_first)
		begin_caller(b, entry);
	else
		begin_callee(b, entry);
	array_push(&b->work, (struct work){ 0, 0, b->pool.nr });
	while (b->work.nr)
		unfold(b, b->work.items[--b->work.nr]);
	return &b->tree;
}
