/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and call graphs as text, letter by letter; JSON of the same. */
#include "lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/profile_make.h"
#include "render/group_json.h"
#include "render/group_text.h"

struct setting {
	struct profile_make make;
	struct view_options options;
	struct group_text text;
	struct view_plan *plan;
};

/* 40 samples: f0 calls f1 calls f2 (20) and f3 (10); f0 itself (4) and f0 f1 (2), f5 alone in another task (4). */
static void fill(struct profile_make *make)
{
	static const int chains[][5] = {
		{ 0, 1, 2, -1 }, { 0, 1, 3, -1 }, { 0, -1 }, { 0, 1, -1 }, { 5, -1 }
	};
	static const uint32_t counts[] = { 20, 10, 4, 2, 4 };

	profile_make_thread(make, 7, 7, "prog");
	profile_make_thread(make, 8, 8, "other");
	for (size_t i = 0; i < NR_ITEMS(counts); i++)
		profile_make_row(make, 0, i == 4, profile_make_stack(make, chains[i]), counts[i], 1000);
}

static void set_up(struct setting *setting, const char *sorts, bool children)
{
	struct err err;

	*setting = (struct setting){ 0 };
	profile_make_init(&setting->make, 1, false, 0);
	fill(&setting->make);
	assert_int_equal(field_list_parse(&setting->options.fields, sorts, "--sort", NULL, NULL, &err), 0);
	for (size_t i = 0; i < setting->options.fields.uses.nr; i++) {
		array_push(&setting->options.sorts.uses, setting->options.fields.uses.items[i]);
		array_push(&setting->options.columns.uses, setting->options.fields.uses.items[i]);
	}
	setting->options.children = children;
	setting->options.filter.socket = -1;
	setting->options.filter.caller_first = setting->text.tree.caller_first = children;
	setting->text.tree.threshold = 0.5;
	setting->text.graph.mode = CALLTREE_GRAPH;
	assert_int_equal(view_plan_new(setting->make.profile, &setting->options, &setting->plan, &err), 0);
}

static void tear_down(struct setting *setting)
{
	view_plan_free(setting->plan);
	view_options_release(&setting->options);
	profile_make_release(&setting->make);
}

static void expect(struct setting *setting, const char *wanted)
{
	bool graph = setting->text.graph.mode != CALLTREE_NONE;
	struct buf buf = BUF_INIT;
	uint32_t event = 0;
	struct view *view = view_new(setting->plan, &event, 1, graph);

	group_text_table(&setting->text, view, &buf);
	assert_string_equal(buf_text(&buf), wanted);
	buf_release(&buf);
	view_free(view);
}

static void test_flat(void **state)
{
	struct setting setting;

	(void)state;
	set_up(&setting, "overhead,sample,comm,dso,symbol", false);
	setting.text.graph.mode = CALLTREE_NONE;
	expect(&setting, "# Overhead       Samples  Command  Shared Object      Symbol\n"
			 "# ........  ............  .......  .................  ......\n"
			 "#\n"
			 "    50.00%            20  prog     [kernel.kallsyms]  [k] f2\n"
			 "    25.00%            10  prog     [kernel.kallsyms]  [k] f3\n"
			 "    10.00%             4  other    [kernel.kallsyms]  [k] f5\n"
			 "    10.00%             4  prog     [kernel.kallsyms]  [k] f0\n"
			 "     5.00%             2  prog     [kernel.kallsyms]  [k] f1\n");
	setting.text.percent_limit = 10.5;
	setting.text.separator = ";";
	expect(&setting, "# Overhead;Samples;Command;Shared Object;Symbol\n"
			 "50.00%;20;prog;[kernel.kallsyms];[k] f2\n"
			 "25.00%;10;prog;[kernel.kallsyms];[k] f3\n");
	tear_down(&setting);
}

static void test_children(void **state)
{
	struct setting setting;

	(void)state;
	set_up(&setting, "overhead_children,overhead,symbol", true);
	setting.text.percent_limit = 20;
	/* The first frame of a chain stands in the row; samples of the row itself show their whole chains. */
	expect(&setting, "# Children      Self  Symbol\n"
			 "# ........  ........  ......\n"
			 "#\n"
			 "    90.00%    10.00%  [k] f0\n"
			 "            |          \n"
			 "             --80.00%--f1\n"
			 "                       |          \n"
			 "                       |--50.00%--f2\n"
			 "                       |          \n"
			 "                        --25.00%--f3\n"
			 "\n"
			 "    80.00%     5.00%  [k] f1\n"
			 "            |          \n"
			 "            |--75.00%--f1\n"
			 "            |          |          \n"
			 "            |          |--50.00%--f2\n"
			 "            |          |          \n"
			 "            |           --25.00%--f3\n"
			 "            |          \n"
			 "             --5.00%--f0\n"
			 "                       f1\n"
			 "\n"
			 "    50.00%    50.00%  [k] f2\n"
			 "            |\n"
			 "            ---f1\n"
			 "               f2\n"
			 "\n"
			 "    25.00%    25.00%  [k] f3\n"
			 "            |\n"
			 "            ---f1\n"
			 "               f3\n"
			 "\n");
	tear_down(&setting);
}

static void test_callee_first(void **state)
{
	struct setting setting;

	(void)state;
	set_up(&setting, "overhead,comm,symbol", false);
	setting.text.percent_limit = 25;
	expect(&setting, "# Overhead  Command  Symbol\n"
			 "# ........  .......  ......\n"
			 "#\n"
			 "    50.00%  prog     [k] f2\n"
			 "            |\n"
			 "            ---f2\n"
			 "               f1\n"
			 "               f0\n"
			 "\n"
			 "    25.00%  prog     [k] f3\n"
			 "            |\n"
			 "            ---f3\n"
			 "               f1\n"
			 "               f0\n"
			 "\n");
	tear_down(&setting);
}

static void test_caller_first_by_comm(void **state)
{
	struct setting setting;

	(void)state;
	set_up(&setting, "overhead,comm", false);
	setting.text.tree.caller_first = true;
	setting.text.percent_limit = 20;
	expect(&setting, "# Overhead  Command\n"
			 "# ........  .......\n"
			 "#\n"
			 "    90.00%  prog   \n"
			 "            |\n"
			 "            ---f0\n"
			 "               |          \n"
			 "                --80.00%--f1\n"
			 "                          |          \n"
			 "                          |--50.00%--f2\n"
			 "                          |          \n"
			 "                           --25.00%--f3\n"
			 "\n");
	setting.text.graph.mode = CALLTREE_FRACTAL;
	setting.text.tree.relative = true;
	setting.text.tree.threshold = 35;
	expect(&setting, "# Overhead  Command\n"
			 "# ........  .......\n"
			 "#\n"
			 "    90.00%  prog   \n"
			 "            |\n"
			 "            ---f0\n"
			 "               |          \n"
			 "               |--88.89%--f1\n"
			 "               |          |          \n"
			 "               |          |--66.67%--f2\n"
			 "               |           --33.33%--[...]\n"
			 "                --11.11%--[...]\n"
			 "\n");
	tear_down(&setting);
}

static void test_chains(void **state)
{
	struct setting setting;

	(void)state;
	set_up(&setting, "overhead,comm", false);
	setting.text.percent_limit = 20;
	setting.text.graph.mode = CALLTREE_FOLDED;
	expect(&setting, "# Overhead  Command\n"
			 "# ........  .......\n"
			 "#\n"
			 "    90.00%  prog   \n"
			 "50.00% f2;f1;f0\n"
			 "25.00% f3;f1;f0\n"
			 "10.00% f0\n"
			 "5.00% f1;f0\n");
	setting.text.graph.value = CALLTREE_COUNT;
	setting.text.graph.limit = 2;
	expect(&setting, "# Overhead  Command\n"
			 "# ........  .......\n"
			 "#\n"
			 "    90.00%  prog   \n"
			 "20 f2;f1;f0\n"
			 "10 f3;f1;f0\n");
	setting.text.graph.mode = CALLTREE_FLAT;
	setting.text.graph.value = CALLTREE_PERIOD;
	setting.text.graph.limit = 1;
	expect(&setting, "# Overhead  Command\n"
			 "# ........  .......\n"
			 "#\n"
			 "    90.00%  prog   \n"
			 "           20000\n"
			 "                f2\n"
			 "                f1\n"
			 "                f0\n"
			 "\n");
	tear_down(&setting);
}

static void test_hierarchy(void **state)
{
	struct setting setting;

	(void)state;
	set_up(&setting, "overhead,comm,symbol", false);
	setting.text.graph.mode = CALLTREE_NONE;
	setting.text.hierarchy = true;
	setting.text.percent_limit = 10;
	expect(&setting, "#    Overhead  Command / Symbol\n"
			 "# ...........  ................\n"
			 "#\n"
			 "    90.00%     prog   \n"
			 "       50.00%     [k] f2\n"
			 "       25.00%     [k] f3\n"
			 "       10.00%     [k] f0\n"
			 "    10.00%     other  \n"
			 "       10.00%     [k] f5\n");
	setting.text.percent_limit = 60;
	expect(&setting, "#    Overhead  Command / Symbol\n"
			 "# ...........  ................\n"
			 "#\n"
			 "    90.00%     prog   \n"
			 "                  no entry >= 60.00%\n");
	tear_down(&setting);
}

static void test_head(void **state)
{
	struct setting setting;
	struct buf buf = BUF_INIT;
	const uint32_t events[] = { 0, 1 };
	uint32_t event = 0;
	struct view *view;

	(void)state;
	set_up(&setting, "overhead,comm", false);
	view = view_new(setting.plan, &event, 1, false);
	setting.text.time_note = "10%/2";
	group_text_head(&setting.text, view, &buf);
	assert_string_equal(buf_text(&buf), "# Samples: 40  of event 'event0' (time slices: 10%/2)\n"
					    "# Event count (approx.): 40000\n#\n");
	view_free(view);
	tear_down(&setting);
	*(&setting) = (struct setting){ 0 };
	profile_make_init(&setting.make, 2, true, 0);
	fill(&setting.make);
	setting.options.filter.socket = -1;
	field_list_add(&setting.options.sorts, "comm");
	assert_int_equal(view_plan_new(setting.make.profile, &setting.options, &setting.plan, NULL), 0);
	view = view_new(setting.plan, events, 2, false);
	buf.size = 0;
	group_text_head(&setting.text, view, &buf);
	assert_string_equal(buf_text(&buf), "# Samples: 40  of events 'anon group { event0, event1 }'\n"
					    "# Event count (approx.): 40000\n#\n");
	view_free(view);
	tear_down(&setting);
	buf_release(&buf);
}

static void test_scaled(void **state)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = { { 0, "0 " },    { 999, "999 " },	    { 1000, "1000 " }, { 1001, "1K" },
		      { 6999, "6K" }, { 1000000, "1000K" }, { 1001000, "1M" }, { 2500000000, "2G" } };
	struct buf buf = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(cases); i++) {
		buf.size = 0;
		group_text_scaled(cases[i].value, &buf);
		assert_string_equal(buf_text(&buf), cases[i].text);
	}
	buf_release(&buf);
}

/* Our percentages are printf's, also where its rounding is a close call. */
static void test_percent(void **state)
{
	struct buf buf = BUF_INIT;
	char wanted[64];

	(void)state;
	srand(5);
	for (int i = 0; i < 200000; i++) {
		uint64_t whole = 1 + (uint64_t)rand() % (i % 2 ? 100000 : 800),
			 part = (uint64_t)rand() % (whole + 1);
		double percent = (double)part * 100 / (double)whole;

		buf.size = 0;
		calltree_text_percent(false, percent, 8, &buf);
		snprintf(wanted, sizeof(wanted), "%7.2f%%", percent);
		assert_string_equal(buf_text(&buf), wanted);
	}
	buf.size = 0;
	calltree_text_percent(true, 12.3456, 8, &buf);
	assert_string_equal(buf_text(&buf), "\033[31m  12.35%\033[m");
	buf_release(&buf);
}

static void test_json(void **state)
{
	struct setting setting;
	struct buf buf = BUF_INIT;
	struct json json = json_of(&buf);
	uint32_t event = 0;
	struct view *view;

	(void)state;
	set_up(&setting, "overhead,comm,symbol", false);
	setting.text.percent_limit = 50;
	view = view_new(setting.plan, &event, 1, true);
	group_json_table(&setting.text, view, &json);
	assert_string_equal(
		buf_text(&buf),
		"{\"events\":[{\"name\":\"event0\",\"samples\":40,\"lost_samples\":0,\"period\":40000}],"
		"\"samples\":40,\"period\":40000,\"entries\":[{\"overhead\":50.0000,\"comm\":\"prog\",\"symbol\":\"f2\","
		"\"mode\":\"kernel\",\"self_period\":20000,\"self_samples\":20,\"callgraph\":["
		"{\"symbol\":\"f2\",\"dso\":\"[kernel.kallsyms]\",\"period\":20000,\"samples\":20,\"children\":["
		"{\"symbol\":\"f1\",\"dso\":\"[kernel.kallsyms]\",\"period\":20000,\"samples\":20,\"children\":["
		"{\"symbol\":\"f0\",\"dso\":\"[kernel.kallsyms]\",\"period\":20000,\"samples\":20,\"children\":[]}]}]}]}]}");
	view_free(view);
	buf_release(&buf);
	tear_down(&setting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat),	     cmocka_unit_test(test_children),
		cmocka_unit_test(test_callee_first), cmocka_unit_test(test_caller_first_by_comm),
		cmocka_unit_test(test_chains),	     cmocka_unit_test(test_hierarchy),
		cmocka_unit_test(test_head),	     cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_percent),	     cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
