/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call graphs against trees made the slow way: every sample's chain is put into a full tree, which is pruned
 * afterwards; both orders, with and without children, several thresholds, recursion.
 */
#include "lib/unit.h"

#include <stdlib.h>
#include <string.h>

#include "lib/profile_make.h"
#include "profile/calltree.h"

struct slow {
	uint32_t frame;
	uint64_t total, self;
	uint32_t samples;
	ARRAY(struct slow *) children;
};

static struct slow *slow_child(struct slow *node, uint32_t frame)
{
	struct slow *child;

	for (size_t i = 0; i < node->children.nr; i++)
		if (node->children.items[i]->frame == frame)
			return node->children.items[i];
	child = xcalloc(1, sizeof(*child));
	child->frame = frame;
	array_push(&node->children, child);
	return child;
}

static void slow_free(struct slow *node)
{
	for (size_t i = 0; i < node->children.nr; i++)
		slow_free(node->children.items[i]);
	array_release(&node->children);
	free(node);
}

static void slow_add(struct slow *root, const uint32_t *chain, int nr, const struct profile_row *row)
{
	struct slow *node = root;

	root->total += row->period;
	for (int i = 0; i < nr; i++) {
		node = slow_child(node, chain[i]);
		node->total += row->period;
		node->samples += row->nr_samples;
	}
	node->self += row->period;
}

/* Which part of a sample's chain belongs to the entry of `frame`; returns the number of frames in ret. */
static int slow_chain(const struct profile *profile, const struct profile_row *row, uint32_t frame,
		      bool caller_first, bool children, uint32_t *ret)
{
	uint32_t leaf_first[64];
	int nr = 0, from;

	for (uint32_t stack = row->stack; stack; stack = profile->stacks.items[stack].parent)
		leaf_first[nr++] = profile->stacks.items[stack].frame;
	if (!children && row->self != frame)
		return 0;
	if (caller_first) {
		from = nr - 1;
		while (row->self != frame && from >= 0 && leaf_first[from] != frame)
			from--;
		for (int i = from; i >= 0; i--)
			ret[from - i] = leaf_first[i];
		return from + 1;
	}
	for (from = 0; from < nr && leaf_first[from] != frame; from++)
		;
	for (int i = from; i < nr; i++)
		ret[i - from] = leaf_first[i];
	return nr - from;
}

static uint32_t slow_visible(const struct slow *node, uint64_t least)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < node->children.nr; i++)
		nr += node->children.items[i]->total >= least;
	return nr;
}

static void compare(const struct calltree *tree, uint32_t at, const struct slow *slow, uint64_t least)
{
	const struct calltree_node *node = &tree->nodes.items[at];

	assert_int_equal(node->total, slow->total);
	assert_int_equal(node->self, slow->self);
	assert_int_equal(node->nr, slow_visible(slow, least));
	for (uint32_t i = 0; i < node->nr; i++) {
		const struct calltree_node *child = &tree->nodes.items[node->first + i];
		size_t k = 0;

		while (k < slow->children.nr && slow->children.items[k]->frame != child->frame)
			k++;
		assert_true(k < slow->children.nr);
		assert_int_equal(child->nr_samples, slow->children.items[k]->samples);
		if (i)
			assert_true(tree->nodes.items[node->first + i - 1].total >= child->total);
		compare(tree, node->first + i, slow->children.items[k], least);
	}
}

static void fill(struct profile_make *make, unsigned seed)
{
	srand(seed);
	profile_make_thread(make, 10, 10, "alpha");
	profile_make_thread(make, 11, 11, "beta");
	for (int i = 0; i < 300; i++) {
		uint32_t stack = 0;
		int depth = 1 + rand() % 9;

		for (int k = 0; k < depth; k++)
			stack = profile_make_push(make, stack,
						  1 + (uint32_t)(rand() % 3 ? k / 2 : rand() % 6));
		profile_make_row(make, 0, (uint32_t)rand() % 2, stack, 1 + (uint32_t)rand() % 4,
				 1 + (uint64_t)rand() % 90);
	}
}

static void set_fields(struct view_options *options)
{
	struct err err;

	assert_int_equal(
		field_list_parse(&options->fields, "overhead,comm,symbol", "--sort", NULL, NULL, &err), 0);
	for (size_t i = 0; i < options->fields.uses.nr; i++)
		array_push(&options->sorts.uses, options->fields.uses.items[i]);
	options->filter.socket = -1;
}

static void check(unsigned seed, bool caller_first, bool children, double threshold)
{
	struct calltree_options how = { .caller_first = caller_first, .threshold = threshold };
	struct view_options options = { .children = children };
	struct calltree_builder *builder;
	struct calltree_plan calltree_plan;
	struct profile_make make;
	struct view_plan *plan;
	struct view *view;
	struct err err;
	uint32_t event = 0;

	profile_make_init(&make, 1, false, 0);
	fill(&make, seed);
	set_fields(&options);
	assert_int_equal(view_plan_new(make.profile, &options, &plan, &err), 0);
	view = view_new(plan, &event, 1, true);
	calltree_plan_init(&calltree_plan, view, &how);
	builder = calltree_builder_new(&calltree_plan);
	for (uint32_t i = 0; i < view->entries.nr; i++) {
		const struct view_entry *entry = &view->entries.items[i];
		struct slow *slow = xcalloc(1, sizeof(*slow));

		for (size_t k = 0; k < make.profile->rows.nr; k++) {
			const struct profile_row *row = &make.profile->rows.items[k];
			uint32_t chain[64];
			int nr;

			if (make.profile->threads.items[row->thread].comm.v !=
			    view->context_values.items[entry->context])
				continue;
			nr = slow_chain(make.profile, row, entry->frame, caller_first, children, chain);
			if (nr)
				slow_add(slow, chain, nr, row);
		}
		compare(calltree_build(builder, i), 0, slow, calltree_plan.least);
		slow_free(slow);
	}
	calltree_builder_free(builder);
	calltree_plan_release(&calltree_plan);
	view_free(view);
	view_plan_free(plan);
	view_options_release(&options);
	profile_make_release(&make);
}

static void test_against_slow(void **state)
{
	static const double thresholds[] = { 0, 0.5, 3, 20 };

	(void)state;
	for (unsigned seed = 1; seed <= 3; seed++)
		for (size_t i = 0; i < NR_ITEMS(thresholds); i++)
			for (int mode = 0; mode < 4; mode++)
				check(seed, mode & 1, mode & 2, thresholds[i]);
}

/* A stack as deep as the kernel's limit lets them be, a thousand times the same function. */
static void test_deep(void **state)
{
	struct calltree_options how = { .caller_first = true };
	struct view_options options = { .children = true };
	struct calltree_builder *builder;
	struct calltree_plan calltree_plan;
	const struct calltree *tree;
	struct profile_make make;
	struct view_plan *plan;
	struct view *view;
	struct err err;
	uint32_t event = 0, stack = 0;

	(void)state;
	profile_make_init(&make, 1, false, 0);
	profile_make_thread(&make, 1, 1, "deep");
	for (int i = 0; i < 8000; i++) {
		array_push(&make.profile->stacks, (struct stack){ stack, 1 });
		stack = (uint32_t)make.profile->stacks.nr - 1;
	}
	profile_make_row(&make, 0, 0, stack, 1, 1);
	set_fields(&options);
	assert_int_equal(view_plan_new(make.profile, &options, &plan, &err), 0);
	view = view_new(plan, &event, 1, true);
	assert_int_equal(view->entries.nr, 1);
	assert_int_equal(view_amount(view, 0, 0, AMOUNT_TOTAL), 1);
	calltree_plan_init(&calltree_plan, view, &how);
	builder = calltree_builder_new(&calltree_plan);
	tree = calltree_build(builder, 0);
	assert_int_equal(tree->nodes.nr, 8001);
	calltree_builder_free(builder);
	calltree_plan_release(&calltree_plan);
	view_free(view);
	view_plan_free(plan);
	view_options_release(&options);
	profile_make_release(&make);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_slow),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
