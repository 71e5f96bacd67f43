/* SPDX-License-Identifier: Apache-2.0 */
/* Views against sums made the slow way: every sample, every frame of its stack, one by one. */
#include "lib/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/profile_make.h"
#include "profile/view.h"

#define NR_ROWS 400
#define NR_COMMS 3

static const char *const comms[NR_COMMS] = { "alpha", "beta", "gamma" };

/* Random stacks with recursion; every thread its own comm. */
static void fill(struct profile_make *make, unsigned seed, uint32_t nr_events)
{
	srand(seed);
	for (int i = 0; i < NR_COMMS; i++)
		profile_make_thread(make, 10 + i, 10 + i, comms[i]);
	for (int i = 0; i < NR_ROWS; i++) {
		uint32_t stack = 0;
		int depth = rand() % 8;

		for (int k = 0; k < depth; k++)
			stack = profile_make_push(make, stack, 1 + (uint32_t)rand() % 5);
		profile_make_row(make, (uint32_t)rand() % nr_events, (uint32_t)rand() % NR_COMMS, stack,
				 1 + (uint32_t)rand() % 3, 1 + (uint64_t)rand() % 50);
	}
}

static void set_fields(struct view_options *options, const char *sorts)
{
	struct err err;

	assert_int_equal(field_list_parse(&options->fields, sorts, "--sort", NULL, NULL, &err), 0);
	for (size_t i = 0; i < options->fields.uses.nr; i++) {
		array_push(&options->sorts.uses, options->fields.uses.items[i]);
		array_push(&options->columns.uses, options->fields.uses.items[i]);
	}
	options->filter.socket = -1;
}

static bool passes_through(const struct profile *profile, const struct profile_row *row, uint32_t frame)
{
	if (row->self == frame)
		return true;
	for (uint32_t stack = row->stack; stack; stack = profile->stacks.items[stack].parent)
		if (profile->stacks.items[stack].frame == frame)
			return true;
	return false;
}

static void check_against_sums(bool by_comm, bool children)
{
	struct view_options options = { .children = children };
	struct profile_make make;
	struct view_plan *plan;
	struct view *view;
	struct err err;
	uint32_t event = 0;
	uint64_t whole = 0;

	profile_make_init(&make, 1, false, 0);
	fill(&make, 42 + by_comm * 2 + children, 1);
	set_fields(&options, by_comm ? "overhead_children,overhead,sample,comm,symbol"
				     : "overhead_children,overhead,sample,symbol");
	assert_int_equal(view_plan_new(make.profile, &options, &plan, &err), 0);
	view = view_new(plan, &event, 1, true);
	for (uint32_t i = 0; i < view->entries.nr; i++) {
		const struct view_entry *entry = &view->entries.items[i];
		uint64_t self = 0, total = 0, samples = 0;

		for (size_t k = 0; k < make.profile->rows.nr; k++) {
			const struct profile_row *row = &make.profile->rows.items[k];
			uint64_t comm = make.profile->threads.items[row->thread].comm.v;

			if (by_comm && comm != view->context_values.items[entry->context])
				continue;
			if (row->self == entry->frame)
				self += row->period, samples += row->nr_samples;
			if (passes_through(make.profile, row, entry->frame))
				total += row->period;
		}
		assert_int_equal(view_amount(view, i, 0, AMOUNT_SELF), self);
		assert_int_equal(view_amount(view, i, 0, AMOUNT_SAMPLES), samples);
		assert_int_equal(view_amount(view, i, 0, AMOUNT_TOTAL), children ? total : 0);
		whole += self;
	}
	assert_int_equal(view->total[0], whole);
	assert_int_equal(view->total[0], make.profile->event_stats.items[0].period);
	assert_int_equal(view->nr_samples, make.profile->stats.nr_samples);
	view_free(view);
	view_plan_free(plan);
	view_options_release(&options);
	profile_make_release(&make);
}

static void test_sums(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		check_against_sums(i & 1, i & 2);
}

static void test_order(void **state)
{
	struct view_options options = { .children = true, .filter = { .caller_first = true } };
	struct profile_make make;
	struct view_plan *plan;
	struct view *view;
	struct err err;
	uint32_t event = 0;

	(void)state;
	profile_make_init(&make, 1, false, 0);
	fill(&make, 7, 1);
	set_fields(&options, "overhead_children,overhead,comm,symbol");
	assert_int_equal(view_plan_new(make.profile, &options, &plan, &err), 0);
	view = view_new(plan, &event, 1, true);
	for (uint32_t i = 1; i < view->entries.nr; i++) {
		uint64_t a = view_amount(view, view->order[i - 1], 0, AMOUNT_TOTAL);
		uint64_t b = view_amount(view, view->order[i], 0, AMOUNT_TOTAL);

		assert_true(a >= b);
	}
	view_free(view);
	view_plan_free(plan);
	view_options_release(&options);
	profile_make_release(&make);
}

/* Two functions that call each other in a line: equal totals, the caller above. */
static void test_caller_above_callee(void **state)
{
	struct view_options options = { .children = true, .filter = { .caller_first = true } };
	const int chain[] = { 9, 3, 5, 1, -1 };
	struct profile_make make;
	struct view_plan *plan;
	struct view *view;
	struct err err;
	uint32_t event = 0;

	(void)state;
	profile_make_init(&make, 1, false, 0);
	profile_make_thread(&make, 1, 1, "one");
	profile_make_row(&make, 0, 0, profile_make_stack(&make, chain), 10, 1);
	set_fields(&options, "overhead_children,comm,symbol");
	assert_int_equal(view_plan_new(make.profile, &options, &plan, &err), 0);
	view = view_new(plan, &event, 1, true);
	assert_int_equal(view->entries.nr, 4);
	/* f1 is the sampled one: its chains are whole ones, as long as the outermost's. */
	assert_int_equal(view->entries.items[view->order[0]].frame, 1 + 1);
	assert_int_equal(view->entries.items[view->order[1]].frame, 1 + 9);
	assert_int_equal(view->entries.items[view->order[2]].frame, 1 + 3);
	assert_int_equal(view->entries.items[view->order[3]].frame, 1 + 5);
	view_free(view);
	view_plan_free(plan);
	view_options_release(&options);
	profile_make_release(&make);
}

static void test_group(void **state)
{
	struct view_options options = { .group_sort_index = 1 };
	const uint32_t events[] = { 0, 1 };
	struct profile_make make;
	struct view_plan *plan;
	struct view *view;
	struct err err;
	uint64_t sums[2] = { 0 };

	(void)state;
	profile_make_init(&make, 2, true, 0);
	fill(&make, 3, 2);
	set_fields(&options, "overhead,symbol");
	assert_int_equal(view_plan_new(make.profile, &options, &plan, &err), 0);
	view = view_new(plan, events, 2, false);
	for (uint32_t i = 0; i < view->entries.nr; i++) {
		sums[0] += view_amount(view, i, 0, AMOUNT_SELF);
		sums[1] += view_amount(view, i, 1, AMOUNT_SELF);
		if (i)
			assert_true(view_amount(view, view->order[i - 1], 1, AMOUNT_SELF) >=
				    view_amount(view, view->order[i], 1, AMOUNT_SELF));
	}
	assert_int_equal(sums[0], make.profile->event_stats.items[0].period);
	assert_int_equal(sums[1], make.profile->event_stats.items[1].period);
	view_free(view);
	view_plan_free(plan);
	view_options_release(&options);
	profile_make_release(&make);
}

static uint64_t filtered_total(struct profile_make *make, const struct filter_options *filter, bool relative,
			       uint64_t *ret_self)
{
	struct view_options options = { .relative = relative };
	struct view_plan *plan;
	struct view *view;
	struct err err;
	uint32_t event = 0;
	uint64_t total;

	set_fields(&options, "overhead,comm,symbol");
	options.filter = *filter;
	assert_int_equal(view_plan_new(make->profile, &options, &plan, &err), 0);
	view = view_new(plan, &event, 1, false);
	*ret_self = 0;
	for (uint32_t i = 0; i < view->entries.nr; i++)
		*ret_self += view_amount(view, i, 0, AMOUNT_SELF);
	total = view->total[0];
	view_free(view);
	view_plan_free(plan);
	view_options_release(&options);
	return total;
}

static uint64_t sum_of(const struct profile_make *make, int thread, int function)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < make->profile->rows.nr; i++) {
		const struct profile_row *row = &make->profile->rows.items[i];

		if ((thread < 0 || row->thread == (uint32_t)thread) &&
		    (function < 0 || row->self == 1 + (uint32_t)function))
			sum += row->period;
	}
	return sum;
}

static void test_filters(void **state)
{
	struct profile_make make;
	uint64_t self, whole;

	(void)state;
	profile_make_init(&make, 1, false, 0);
	fill(&make, 11, 1);
	whole = sum_of(&make, -1, -1);
	assert_int_equal(filtered_total(&make, &(struct filter_options){ .comms = "beta", .socket = -1 },
					false, &self),
			 whole);
	assert_int_equal(self, sum_of(&make, 1, -1));
	assert_int_equal(filtered_total(&make, &(struct filter_options){ .comms = "beta", .socket = -1 },
					true, &self),
			 self);
	filtered_total(&make, &(struct filter_options){ .symbols = "f1,f3,nosuch", .socket = -1 }, false,
		       &self);
	assert_int_equal(self, sum_of(&make, -1, 1) + sum_of(&make, -1, 3));
	filtered_total(&make, &(struct filter_options){ .tids = "10,12", .socket = -1 }, false, &self);
	assert_int_equal(self, sum_of(&make, 0, -1) + sum_of(&make, 2, -1));
	filtered_total(&make, &(struct filter_options){ .pids = "99", .socket = -1 }, false, &self);
	assert_int_equal(self, 0);
	filtered_total(&make, &(struct filter_options){ .dsos = "[kernel.kallsyms]", .socket = -1 }, false,
		       &self);
	assert_true(self > 0 && self < whole); /* not those without a stack */
	filtered_total(&make, &(struct filter_options){ .symbol_part = "2", .comms = "alpha", .socket = -1 },
		       false, &self);
	assert_int_equal(self, sum_of(&make, 0, 2));
	assert_true(filtered_total(&make, &(struct filter_options){ .hide_unresolved = true, .socket = -1 },
				   false, &self) < whole);
	profile_make_release(&make);
}

/* What matching functions call counts as theirs, and their callers stay. */
static void test_ignore_callees(void **state)
{
	const int deep[] = { 0, 1, 2, 3, -1 }, other[] = { 0, 4, -1 };
	struct view_options options = { .children = true };
	struct profile_make make;
	struct view_plan *plan;
	struct view *view;
	struct err err;
	uint32_t event = 0;

	(void)state;
	profile_make_init(&make, 1, false, 0);
	profile_make_thread(&make, 1, 1, "one");
	profile_make_row(&make, 0, 0, profile_make_stack(&make, deep), 3, 1);
	profile_make_row(&make, 0, 0, profile_make_stack(&make, other), 1, 1);
	set_fields(&options, "overhead,overhead_children,symbol");
	options.filter.ignore_callees = "^f1$";
	assert_int_equal(view_plan_new(make.profile, &options, &plan, &err), 0);
	view = view_new(plan, &event, 1, false);
	assert_int_equal(view->entries.nr, 3); /* f0, f1, f4 */
	assert_int_equal(view->entries.items[view->order[0]].frame, 1 + 1);
	assert_int_equal(view_amount(view, view->order[0], 0, AMOUNT_SELF), 3);
	view_free(view);
	view_plan_free(plan);
	options.filter.ignore_callees = "(";
	assert_int_equal(view_plan_new(make.profile, &options, &plan, &err), -EINVAL);
	assert_non_null(strstr(err.text, "Invalid regex"));
	view_options_release(&options);
	profile_make_release(&make);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_caller_above_callee),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_ignore_callees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
