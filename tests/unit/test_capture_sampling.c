/* SPDX-License-Identifier: Apache-2.0 */
/* Options become the attrs that perf 7.2 opens for them (read back with its evlist -v). */
#include "lib/unit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "capture/sampling.h"
#include "event/event_parse.h"

#define IP PERF_SAMPLE_IP
#define TID PERF_SAMPLE_TID
#define TIME PERF_SAMPLE_TIME
#define PERIOD PERF_SAMPLE_PERIOD
#define CPU PERF_SAMPLE_CPU
#define ID PERF_SAMPLE_ID
#define IDENTIFIER PERF_SAMPLE_IDENTIFIER
#define RAW PERF_SAMPLE_RAW
#define CHAIN PERF_SAMPLE_CALLCHAIN

#define TRACKING \
	(ATTR_MMAP | ATTR_COMM | ATTR_TASK | ATTR_MMAP2 | ATTR_COMM_EXEC | ATTR_KSYMBOL | ATTR_BPF_EVENT | \
	 ATTR_BUILD_ID)

struct fixture {
	struct event_parser parser;
	struct event_list list;
	struct sampling sampling;
	struct target target;
};

static int set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	event_parser_init(&fixture->parser, "/nonexistent", "/nonexistent");
	fixture->sampling.frequency = SAMPLING_FREQUENCY;
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	event_list_release(&fixture->list);
	event_parser_release(&fixture->parser);
	free(fixture);
	return 0;
}

static struct event *add(struct fixture *fixture, const char *text)
{
	assert_int_equal(event_parse(&fixture->parser, text, &fixture->list, NULL), 0);
	return array_last(&fixture->list.events);
}

/* Tracepoints need tracefs; what matters of them here is the type. */
static void add_tracepoint(struct fixture *fixture)
{
	struct event *event = add(fixture, "2:314");

	event->is_tracepoint = true;
}

static struct event_attr *apply(struct fixture *fixture, bool by_cgroup)
{
	assert_int_equal(sampling_apply(&fixture->sampling, &fixture->target, &fixture->list, NULL), 0);
	sampling_apply_scope(&fixture->sampling, &fixture->target, by_cgroup, &fixture->list);
	return &fixture->list.events.items[0].attr;
}

static void test_command(void **state)
{
	struct fixture *fixture = *state;
	struct event_attr *attr;

	add(fixture, "cpu-clock");
	attr = apply(fixture, false);
	assert_int_equal(fixture->list.events.nr, 1);
	assert_int_equal(attr->sample_type, IP | TID | TIME | PERIOD);
	assert_int_equal(attr->sample_period, 4000);
	assert_int_equal(attr->read_format, PERF_FORMAT_ID | EVENT_FORMAT_LOST);
	assert_int_equal(attr->flags, TRACKING | ATTR_DISABLED | ATTR_INHERIT | ATTR_FREQ |
					      ATTR_ENABLE_ON_EXEC | ATTR_SAMPLE_ID_ALL);
	assert_int_equal(event_attr_smallest_size(attr), 64);
	/* The same by cgroup, but that nothing is inherited and nothing waits for exec. */
	sampling_apply_scope(&fixture->sampling, &fixture->target, true, &fixture->list);
	assert_int_equal(attr->flags, TRACKING | ATTR_DISABLED | ATTR_FREQ | ATTR_SAMPLE_ID_ALL);
}

static void test_machine(void **state)
{
	struct fixture *fixture = *state;
	struct event_attr *attr;

	fixture->target.kind = TARGET_CPUS;
	add(fixture, "cpu-clock");
	attr = apply(fixture, false);
	assert_int_equal(fixture->list.events.nr, 2);
	assert_int_equal(attr[0].sample_type, IP | TID | TIME | CPU | PERIOD | IDENTIFIER);
	assert_int_equal(attr[0].flags, ATTR_DISABLED | ATTR_FREQ | ATTR_SAMPLE_ID_ALL);
	attr = &fixture->list.events.items[1].attr;
	assert_string_equal(fixture->list.events.items[1].name, "dummy:u");
	assert_int_equal(attr->sample_type, IP | TID | TIME | CPU | IDENTIFIER);
	assert_int_equal(attr->flags, TRACKING | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_EXCLUDE_GUEST |
					      ATTR_SAMPLE_ID_ALL);
}

static void test_several_events(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, "cpu-clock,faults");
	apply(fixture, false);
	assert_int_equal(fixture->list.events.items[0].attr.sample_type, IP | TID | TIME | ID | PERIOD);
	assert_int_equal(fixture->list.events.items[1].attr.sample_type, IP | TID | TIME | ID | PERIOD);
	assert_int_equal(fixture->list.events.items[1].attr.flags & TRACKING, 0);
}

static void test_tracepoints(void **state)
{
	struct fixture *fixture = *state;
	struct event_attr *attr;

	add(fixture, "cpu-clock");
	add_tracepoint(fixture);
	apply(fixture, true);
	attr = &fixture->list.events.items[1].attr;
	assert_int_equal(attr->sample_type, IP | TID | TIME | CPU | PERIOD | RAW | IDENTIFIER);
	assert_int_equal(attr->sample_period, 1);
	/* By cgroup the clock is on CPUs, the tracepoint stays with the tasks. */
	assert_true(attr->flags & ATTR_INHERIT && attr->flags & ATTR_ENABLE_ON_EXEC);
	assert_false(fixture->list.events.items[0].attr.flags & ATTR_INHERIT);
	assert_false(attr->flags & ATTR_FREQ);
}

static void test_tracepoints_by_frequency(void **state)
{
	struct fixture *fixture = *state;

	fixture->sampling.rate_given = true;
	fixture->sampling.frequency = 99;
	add_tracepoint(fixture);
	apply(fixture, false);
	assert_int_equal(fixture->list.events.items[0].attr.sample_period, 99);
	assert_true(fixture->list.events.items[0].attr.flags & ATTR_FREQ);
}

static void test_group_read(void **state)
{
	struct fixture *fixture = *state;
	struct event_attr *leader, *member;

	add(fixture, "{cpu-clock,faults}:S");
	apply(fixture, false);
	leader = &fixture->list.events.items[0].attr;
	member = &fixture->list.events.items[1].attr;
	assert_int_equal(leader->sample_type, IP | TID | TIME | PERF_SAMPLE_READ | ID | PERIOD);
	assert_int_equal(leader->read_format, PERF_FORMAT_ID | PERF_FORMAT_GROUP | EVENT_FORMAT_LOST);
	assert_int_equal(member->sample_type, leader->sample_type);
	assert_int_equal(member->sample_period, 0);
	assert_false(member->flags & (ATTR_DISABLED | ATTR_FREQ | ATTR_ENABLE_ON_EXEC));
}

static void test_dwarf(void **state)
{
	struct fixture *fixture = *state;
	struct event_attr *attr;

	fixture->sampling.callgraph = EVENT_CALLGRAPH_DWARF;
	add(fixture, "cpu-clock");
	attr = apply(fixture, false);
	assert_int_equal(attr->sample_type,
			 IP | TID | TIME | CHAIN | PERIOD | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	assert_int_equal(attr->sample_stack_user, SAMPLING_STACK_SIZE);
	assert_int_equal(attr->sample_regs_user, sampling_all_registers());
	assert_true(attr->flags & ATTR_EXCLUDE_CALLCHAIN_USER && attr->flags & ATTR_MMAP_DATA);
}

static void test_terms_win(void **state)
{
	struct fixture *fixture = *state;
	struct event_attr *attr;

	fixture->sampling.callgraph = EVENT_CALLGRAPH_DWARF;
	add(fixture, "cpu-clock/call-graph=fp,period=1000,time=0,no-inherit/");
	attr = apply(fixture, false);
	assert_int_equal(attr->sample_type, IP | TID | CHAIN);
	assert_int_equal(attr->sample_period, 1000);
	assert_false(attr->flags & (ATTR_INHERIT | ATTR_FREQ));
}

static void test_delay(void **state)
{
	struct fixture *fixture = *state;

	fixture->sampling.tracking_apart = true;
	add(fixture, "cpu-clock");
	apply(fixture, false);
	assert_int_equal(fixture->list.events.nr, 2);
	assert_false(fixture->list.events.items[0].attr.flags & ATTR_ENABLE_ON_EXEC);
	assert_true(fixture->list.events.items[1].attr.flags & ATTR_ENABLE_ON_EXEC);
	assert_int_equal(fixture->list.events.items[1].attr.sample_type, IP | TID | TIME | IDENTIFIER);
}

static void test_contradictions(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, "cpu-clock");
	fixture->sampling.period = 5;
	assert_int_equal(sampling_apply(&fixture->sampling, &fixture->target, &fixture->list, NULL), -EINVAL);
	fixture->sampling.period = fixture->sampling.frequency = 0;
	assert_int_equal(sampling_apply(&fixture->sampling, &fixture->target, &fixture->list, NULL), -EINVAL);
	fixture->sampling.frequency = 1;
	fixture->sampling.all_user = fixture->sampling.all_kernel = true;
	assert_int_equal(sampling_apply(&fixture->sampling, &fixture->target, &fixture->list, NULL), -EINVAL);
}

static void test_registers(void **state)
{
	uint64_t mask;
	struct err err;

	(void)state;
	assert_int_equal(sampling_parse_registers("nonsense", &mask, &err), -EINVAL);
	assert_non_null(strstr(err.hint, "sp"));
#ifdef __x86_64__
	assert_int_equal(sampling_parse_registers("ip,sp,R15", &mask, &err), 0);
	assert_int_equal(mask, 0x800180);
	assert_int_equal(sampling_all_registers(), 0xff0fff);
	assert_int_equal(sampling_parse_registers("-", &mask, &err), -EINVAL);
#endif
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_command),	   TEST(test_machine),	  TEST(test_several_events),
		TEST(test_tracepoints),	   TEST(test_group_read), TEST(test_tracepoints_by_frequency),
		TEST(test_dwarf),	   TEST(test_terms_win),  TEST(test_delay),
		TEST(test_contradictions), TEST(test_registers),
	};

	return cmocka_run_group_tests_name("capture_sampling", tests, NULL, NULL);
}
