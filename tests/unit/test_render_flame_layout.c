/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/flame_gen.h"
#include "base/xalloc.h"
#include "render/flame_layout.h"

static uint64_t input_weight(const struct flame_data *data, uint32_t event, uint32_t thread)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < data->nr_rows; i++)
		if (data->rows[i].event == event && data->rows[i].thread == thread)
			sum += data->rows[i].weight;
	return sum;
}

/* Preorder, siblings by frame number and all different; rows sorted and all different; no weight lost. */
static void check_layout(const struct flame_layout *layout)
{
	const struct flame_data *data = layout->data;
	uint32_t *last_frame = xcalloc(layout->nr_nodes + 1, sizeof(*last_frame)); /* by depth */
	uint64_t *sums = xcalloc(data->nr_events * data->nr_threads + 1, sizeof(*sums));

	assert_int_equal(layout->depth[0], 0);
	assert_int_equal(layout->frame[0], 0);
	for (uint32_t i = 1; i < layout->nr_nodes; i++) {
		assert_true(layout->depth[i] >= 1 && layout->depth[i] <= layout->depth[i - 1] + 1);
		assert_true(layout->frame[i] > 0 && layout->frame[i] < layout->frames.nr);
		if (layout->depth[i] <= layout->depth[i - 1])
			assert_true(layout->frame[i] > last_frame[layout->depth[i]]);
		last_frame[layout->depth[i]] = layout->frame[i];
	}
	for (size_t i = 0; i < layout->rows.nr; i++) {
		const struct flame_row *row = &layout->rows.items[i];

		assert_true(row->node > 0 && row->node < layout->nr_nodes);
		sums[row->event * data->nr_threads + row->thread] += row->weight;
		if (i && row[-1].event == row->event && row[-1].thread == row->thread)
			assert_true(row[-1].node < row->node);
		else if (i && row[-1].event == row->event)
			assert_true(row[-1].thread < row->thread);
	}
	for (uint32_t e = 0; e < data->nr_events; e++)
		for (uint32_t t = 0; t < data->nr_threads; t++)
			assert_int_equal(sums[e * data->nr_threads + t], input_weight(data, e, t));
	free(last_frame);
	free(sums);
}

static void test_whole(void **state)
{
	static const char *const names[] = { "demo", "deep", "names", "empty", "silent" };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(names); i++) {
		struct flame_gen *gen = flame_gen_new(names[i]);
		struct flame_layout layout;

		flame_layout_init(&layout, flame_gen_data(gen), 0);
		check_layout(&layout);
		assert_int_equal(layout.prune.nr_merged, 0);
		assert_int_equal(layout.other_frame, 0);
		flame_layout_release(&layout);
		flame_gen_free(gen);
	}
}

static void test_budget(void **state)
{
	static const uint32_t budgets[] = { 1, 2, 3, 10, 99, 1000, 5000, 20000, 100000, 126000, 1000000 };
	struct flame_gen *gen = flame_gen_new("demo");
	const struct flame_data *data = flame_gen_data(gen);

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(budgets); i++) {
		struct flame_layout layout;

		flame_layout_init(&layout, data, budgets[i]);
		check_layout(&layout);
		assert_true(layout.nr_nodes - 1 <= budgets[i]);
		assert_int_equal(layout.prune.nr_kept + layout.prune.nr_others, layout.nr_nodes - 1);
		/* The budget is used: what is missing is less than a tenth (or a few nodes). */
		if (budgets[i] < data->nr_nodes)
			assert_true(layout.nr_nodes + 10 >= budgets[i] - budgets[i] / 10);
		else
			assert_int_equal(layout.prune.nr_merged, 0);
		flame_layout_release(&layout);
	}
	flame_gen_free(gen);
}

/* The heaviest stay, whichever event finds them heavy, and a single small child is not renamed. */
static void test_prune(void **state)
{
	struct flame_gen *gen = flame_gen_new_empty();
	struct flame_layout layout;
	uint32_t cycles = flame_gen_event(gen, "cycles", "");
	uint32_t faults = flame_gen_event(gen, "faults", "");
	uint32_t thread = flame_gen_thread(gen, 1, 1, "x");
	uint32_t used = 0;

	(void)state;
	flame_gen_sample(gen, cycles, thread, flame_gen_stack(gen, "main;hot"), 1000000);
	for (int i = 0; i < 50; i++) {
		char stack[32];

		snprintf(stack, sizeof(stack), "main;cold_%d", i);
		flame_gen_sample(gen, cycles, thread, flame_gen_stack(gen, stack), 10);
	}
	flame_gen_sample(gen, cycles, thread, flame_gen_stack(gen, "main;hot;tiny"), 1);
	flame_gen_sample(gen, faults, thread, flame_gen_stack(gen, "main;faulty"), 1);
	flame_layout_init(&layout, flame_gen_data(gen), 5);
	check_layout(&layout);
	for (uint32_t i = 1; i < layout.nr_nodes; i++) {
		const char *name = layout.frames.items[layout.frame[i]].name;

		used |= !strcmp(name, "hot")	   ? 1
			: !strcmp(name, "faulty")  ? 2
			: !strcmp(name, "(other)") ? 4
						   : 0;
		used |= !strcmp(name, "tiny") ? 8 : 0;
	}
	assert_int_equal(used, 1 | 2 | 4 | 8);
	assert_int_equal(layout.prune.nr_others, 1);
	assert_int_equal(layout.prune.nr_merged, 50);
	flame_layout_release(&layout);
	flame_gen_free(gen);
}

/* Two frames of the input that are the same for the reader become one, with their subtrees. */
static void test_equal_frames(void **state)
{
	const struct flame_frame frames[] = { { "main", "a", FLAME_USER },
					      { "", "lib", FLAME_UNKNOWN },
					      { "[unknown]", "lib", FLAME_UNKNOWN },
					      { NULL, "lib", FLAME_UNKNOWN },
					      { "leaf", "a", FLAME_USER } };
	const uint32_t parent[] = { FLAME_ROOT, 0, 0, 0, 1, 2 };
	const uint32_t frame[] = { 0, 1, 2, 3, 4, 4 };
	const struct flame_row rows[] = {
		{ 0, 0, 4, 1, 5 }, { 0, 0, 5, 1, 7 }, { 0, 0, 3, 1, 11 }, { 0, 0, 3, 0, 0 }
	};
	const struct flame_event events[] = { { "e", "" } };
	const struct flame_thread threads[] = { { 1, 1, "c" } };
	const struct flame_data data = { .events = events,
					 .nr_events = 1,
					 .threads = threads,
					 .nr_threads = 1,
					 .frames = frames,
					 .nr_frames = 5,
					 .node_parent = parent,
					 .node_frame = frame,
					 .nr_nodes = 6,
					 .rows = rows,
					 .nr_rows = 4 };
	struct flame_layout layout;

	(void)state;
	flame_layout_init(&layout, &data, 0);
	check_layout(&layout);
	assert_int_equal(layout.nr_nodes, 4);
	assert_int_equal(layout.frames.nr, 4);
	assert_string_equal(layout.frames.items[1].name, "[lib]");
	assert_int_equal(layout.rows.nr, 2);
	assert_int_equal(layout.rows.items[0].weight, 11);
	assert_int_equal(layout.rows.items[1].weight, 12);
	assert_int_equal(layout.rows.items[1].samples, 2);
	flame_layout_release(&layout);
}

/* What has no weight is not in the picture; a sample without a stack is. */
static void test_odd_rows(void **state)
{
	struct flame_gen *gen = flame_gen_new_empty();
	struct flame_layout layout;
	uint32_t event = flame_gen_event(gen, "e", "");
	uint32_t thread = flame_gen_thread(gen, 1, 1, "x");

	(void)state;
	flame_gen_stack(gen, "never;seen");
	flame_gen_sample(gen, event, thread, FLAME_ROOT, 3);
	flame_gen_sample(gen, event, thread, flame_gen_stack(gen, "main"), 4);
	flame_layout_init(&layout, flame_gen_data(gen), 0);
	check_layout(&layout);
	assert_int_equal(layout.nr_nodes, 3);
	assert_string_equal(layout.frames.items[layout.no_stack_frame].name, "(no stack)");
	flame_layout_release(&layout);
	flame_gen_free(gen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	 cmocka_unit_test(test_budget),
		cmocka_unit_test(test_prune),	 cmocka_unit_test(test_equal_frames),
		cmocka_unit_test(test_odd_rows),
	};

	return cmocka_run_group_tests_name("render/flame_layout", tests, NULL, NULL);
}
