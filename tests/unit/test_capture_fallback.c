/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of events that the kernel refuses. */
#include "lib/unit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "capture/counter_advice.h"
#include "capture/counter_fallback.h"
#include "event/event_parse.h"

static struct event_list parse(const char *text)
{
	struct event_parser parser;
	struct event_list list = { 0 };

	event_parser_init(&parser, "/nonexistent", "/nonexistent");
	assert_int_equal(event_parse(&parser, text, &list, NULL), 0);
	event_parser_release(&parser);
	list.events.items[0].attr.flags |= ATTR_MMAP2 | ATTR_COMM;
	return list;
}

/* As counter_set_open on a machine without hardware counters. Names of what is left, joined by '|'. */
static void check(const char *text, enum target_kind kind, const char *want, const char *want_note)
{
	struct event_list list = parse(text);
	struct counter_fallback fallback = { 0 };
	struct target target = { .kind = kind };
	char got[256] = "";

	for (size_t i = 0; i < list.events.nr;) {
		uint32_t type = list.events.items[i].attr.type;
		enum counter_fallback_action action;

		if (type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE && type != PERF_TYPE_RAW) {
			i++;
			continue;
		}
		action = counter_fallback(&fallback, &list, (uint32_t)i, -ENOENT, &target, false);
		assert_true(action == COUNTER_FALLBACK_RETRY || action == COUNTER_FALLBACK_RESTART);
		if (action == COUNTER_FALLBACK_RESTART)
			i = 0;
	}
	counter_fallback_conclude(&fallback);
	for (size_t i = 0; i < list.events.nr; i++) {
		strcat(got, i ? "|" : "");
		strcat(got, list.events.items[i].name);
	}
	assert_string_equal(got, want);
	assert_int_equal(fallback.notes.nr, want_note ? 1 : 0);
	if (want_note && !strstr(fallback.notes.items[0], want_note))
		fail_msg("'%s' not in '%s'", want_note, fallback.notes.items[0]);
	/* Side-band is still there. */
	assert_int_equal(list.events.items[0].attr.flags & (ATTR_MMAP2 | ATTR_COMM), ATTR_MMAP2 | ATTR_COMM);
	counter_fallback_release(&fallback);
	event_list_release(&list);
}

static void test_no_hardware(void **state)
{
	(void)state;
	check("cycles:P", TARGET_COMMAND, "task-clock:ppp", "cycles:P");
	check("cycles", TARGET_COMMAND, "task-clock", "(task-clock)");
	check("cycles:u", TARGET_TASKS, "task-clock:u", "cycles:u");
	check("cycles:ukpp", TARGET_CPUS, "cpu-clock:kupp", "cpu-clock");
	check("cpu/cycles/u", TARGET_CPUS, "cpu-clock:u", "cpu/cycles/u");
	check("instructions", TARGET_COMMAND, "task-clock", "instructions");
	check("instructions,cycles", TARGET_COMMAND, "task-clock", "instructions, cycles");
	check("cycles,instructions,r1a8,LLC-loads", TARGET_COMMAND, "task-clock",
	      "cycles, instructions, r1a8");
	check("cycles,cpu-clock", TARGET_COMMAND, "task-clock|cpu-clock", "cycles");
	check("instructions,faults", TARGET_COMMAND, "faults", "left out");
	check("faults", TARGET_COMMAND, "faults", NULL);
}

static void test_groups_keep_together(void **state)
{
	struct event_list list = parse("faults,{instructions,cs,migrations}:S");
	struct counter_fallback fallback = { 0 };
	struct target target = { .kind = TARGET_COMMAND };

	(void)state;
	list.events.items[1].attr.sample_period = 4000;
	list.events.items[1].attr.flags |= ATTR_FREQ;
	assert_int_equal(counter_fallback(&fallback, &list, 1, -ENOENT, &target, false),
			 COUNTER_FALLBACK_RESTART);
	assert_int_equal(list.events.nr, 3);
	assert_string_equal(list.events.items[1].name, "cs");
	assert_int_equal(list.events.items[1].leader, 1);
	assert_int_equal(list.events.items[2].leader, 1);
	/* The new leader samples. */
	assert_int_equal(list.events.items[1].attr.sample_period, 4000);
	assert_true(list.events.items[1].attr.flags & ATTR_FREQ);
	counter_fallback_release(&fallback);
	event_list_release(&list);
}

static void test_precision(void **state)
{
	struct event_list list = parse("cycles:P,cycles:pp");
	struct counter_fallback fallback = { 0 };
	struct target target = { .kind = TARGET_COMMAND };

	(void)state;
	for (unsigned left = 3; left; left--)
		assert_int_equal(counter_fallback(&fallback, &list, 0, -EOPNOTSUPP, &target, false),
				 COUNTER_FALLBACK_RETRY);
	assert_int_equal(list.events.items[0].attr.flags & ATTR_PRECISE_MASK, 0);
	assert_int_equal(list.events.items[0].attr.type, PERF_TYPE_HARDWARE);
	/* What was asked for exactly is not lowered: no such counter, then. */
	counter_fallback(&fallback, &list, 1, -EOPNOTSUPP, &target, false);
	assert_int_equal(list.events.items[1].attr.type, PERF_TYPE_SOFTWARE);
	counter_fallback_release(&fallback);
	event_list_release(&list);
}

static void test_weak_group(void **state)
{
	struct event_list list = parse("{faults,cs}:W");
	struct counter_fallback fallback = { .probed = true };
	struct target target = { .kind = TARGET_COMMAND };

	(void)state;
	assert_int_equal(counter_fallback(&fallback, &list, 1, -EINVAL, &target, false),
			 COUNTER_FALLBACK_RESTART);
	assert_int_equal(list.events.items[0].leader, EVENT_NO_LEADER);
	assert_int_equal(list.events.items[1].leader, EVENT_NO_LEADER);
	assert_int_equal(fallback.notes.nr, 1);
	counter_fallback_release(&fallback);
	event_list_release(&list);
}

static void test_cgroup_refused(void **state)
{
	struct event_list list = parse("faults:u");
	struct counter_fallback fallback = { .probed = true };
	struct target target = { .kind = TARGET_COMMAND };

	(void)state;
	assert_int_equal(counter_fallback(&fallback, &list, 0, -EACCES, &target, true),
			 COUNTER_FALLBACK_TASKS);
	assert_int_equal(counter_fallback(&fallback, &list, 0, -EBADF, &target, true),
			 COUNTER_FALLBACK_TASKS);
	assert_int_equal(counter_fallback(&fallback, &list, 0, -EACCES, &target, false),
			 COUNTER_FALLBACK_NONE);
	assert_int_equal(counter_fallback(&fallback, &list, 0, -EBUSY, &target, true), COUNTER_FALLBACK_NONE);
	counter_fallback_release(&fallback);
	event_list_release(&list);
}

/* Every refusal has words, and all but the plainest say what to do. */
static void test_advice(void **state)
{
	static const int codes[] = { -EACCES, -EPERM,  -EINVAL, -ENOENT, -EOPNOTSUPP, -EMFILE,
				     -EBUSY,  -ENOSPC, -ESRCH,	-ENOSYS, -EIO };
	struct event_list list = parse("cycles:p,1:9,mem:0x10:w");

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(codes); i++) {
		for (size_t j = 0; j < list.events.nr; j++) {
			struct target target = { .kind = TARGET_COMMAND };
			struct err err;

			assert_int_equal(counter_advice_open(&err, codes[i], &list.events.items[j], &target),
					 codes[i]);
			assert_true(strlen(err.text) > 10);
		}
	}
	event_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_hardware), cmocka_unit_test(test_groups_keep_together),
		cmocka_unit_test(test_precision),   cmocka_unit_test(test_weak_group),
		cmocka_unit_test(test_advice),	    cmocka_unit_test(test_cgroup_refused),
	};

	return cmocka_run_group_tests_name("capture_fallback", tests, NULL, NULL);
}
