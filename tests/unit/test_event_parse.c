/* SPDX-License-Identifier: Apache-2.0 */
/* The event grammar over a made-up sysfs and tracefs, so that the answers are the same on every machine. */
#include "lib/unit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "event/event_hardware.h"
#include "event/event_parse.h"
#include "event/filter.h"

static char root[64], pmus[96], tracefs[96];

static void put(const char *dir, const char *path, const char *text)
{
	char full[256], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	slash = strrchr(full, '/');
	*slash = 0;
	assert_int_equal(file_make_dirs(full, 0755), 0);
	*slash = '/';
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_trees(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/test_event_parse.XXXXXX");
	assert_non_null(mkdtemp(root));
	snprintf(pmus, sizeof(pmus), "%s/pmus", root);
	snprintf(tracefs, sizeof(tracefs), "%s/tracefs", root);
	put(pmus, "cpu/type", "4\n");
	put(pmus, "cpu/format/event", "config:0-7,32-35\n");
	put(pmus, "cpu/format/umask", "config:8-15\n");
	put(pmus, "cpu/format/edge", "config:18\n");
	put(pmus, "cpu/format/ldlat", "config1:0-15\n");
	put(pmus, "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put(pmus, "cpu/events/cpu-cycles", "event=0x3c\n");
	put(pmus, "uncore_imc_0/type", "20\n");
	put(pmus, "uncore_imc_0/cpumask", "0,8\n");
	put(pmus, "uncore_imc_0/format/event", "config:0-7\n");
	put(pmus, "uncore_imc_0/events/cas_count_read", "event=0x04\n");
	put(pmus, "uncore_imc_1/type", "21\n");
	put(pmus, "uncore_imc_1/cpumask", "0,8\n");
	put(pmus, "uncore_imc_1/format/event", "config:0-7\n");
	put(pmus, "uncore_imc_1/events/cas_count_read", "event=0x04\n");
	put(pmus, "uncore_imc_free_running/type", "22\n");
	put(pmus, "software/type", "1\n");
	put(pmus, "broken/type", "many\n");
	put(tracefs, "events/sched/enable", "0\n");
	put(tracefs, "events/sched/sched_switch/id", "314\n");
	put(tracefs, "events/sched/sched_wakeup/id", "316\n");
	put(tracefs, "events/sched/sched_wakeup_new/id", "317\n");
	put(tracefs, "events/syscalls/sys_enter_read/id", "700\n");
	put(tracefs, "events/ftrace/function/format", "name: function\n");
	return 0;
}

static int remove_trees(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

struct parsed {
	struct event_parser parser;
	struct event_list list;
	struct err err;
	int code;
};

static struct parsed parse(const char *text)
{
	struct parsed parsed = { .code = 0 };

	event_parser_init(&parsed.parser, pmus, tracefs);
	parsed.code = event_parse(&parsed.parser, text, &parsed.list, &parsed.err);
	return parsed;
}

static void release(struct parsed *parsed)
{
	event_list_release(&parsed->list);
	event_parser_release(&parsed->parser);
}

/* Names joined by '|'. */
static void check_names(const char *text, const char *want)
{
	struct parsed parsed = parse(text);
	char got[512] = "";

	for (size_t i = 0; i < parsed.list.events.nr; i++) {
		strcat(got, i ? "|" : "");
		strcat(got, parsed.list.events.items[i].name);
	}
	if (parsed.code)
		snprintf(got, sizeof(got), "error: %.400s", parsed.err.text);
	assert_string_equal(got, want);
	release(&parsed);
}

static void test_names(void **state)
{
	(void)state;
	check_names("cpu-clock", "cpu-clock");
	check_names("CPU-CLOCK:u", "CPU-CLOCK:u");
	check_names(" cpu-clock , task-clock:ppp ", "cpu-clock|task-clock:ppp");
	check_names("{cpu-clock:k,task-clock}:u", "cpu-clock:k|task-clock");
	check_names("cpu-clock/period=1000/u", "cpu-clock/period=1000/u");
	check_names("cpu-clock/name=foo/u", "foo");
	check_names("cpu-clock/name='a:b=1,/'/", "a:b=1,/");
	check_names("sched:sched_switch:u", "sched:sched_switch");
	check_names("sched:*", "sched:sched_switch|sched:sched_wakeup|sched:sched_wakeup_new");
	check_names("s*:s*_[rw]*", "sched:sched_wakeup|sched:sched_wakeup_new|syscalls:sys_enter_read");
	check_names("sched:sched_switch,r1a8,1:0x9", "sched:sched_switch|r1a8|1:0x9");
	check_names("imc/event=4/", "imc/event=4/|imc/event=4/");
	check_names("mem:0x1000:x", "mem:0x1000:x");
	check_names("cas_count_read", "cas_count_read|cas_count_read");
	check_names("uncore_imc:cas_count_read:u", "uncore_imc:cas_count_read:u|uncore_imc:cas_count_read:u");
}

static struct event *only(struct parsed *parsed)
{
	if (parsed->code)
		fail_msg("%s", parsed->err.text);
	assert_int_equal(parsed->list.events.nr, 1);
	return &parsed->list.events.items[0];
}

static void check_config(const char *text, uint32_t type, uint64_t config)
{
	struct parsed parsed = parse(text);
	struct event *event = only(&parsed);

	assert_int_equal(event->attr.type, type);
	assert_int_equal(event->attr.config, config);
	release(&parsed);
}

static void test_configs(void **state)
{
	(void)state;
	check_config("cycles", PERF_TYPE_HARDWARE, 0);
	check_config("branches:u", PERF_TYPE_HARDWARE, 4);
	check_config("faults", PERF_TYPE_SOFTWARE, 2);
	check_config("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000);
	check_config("l1d-misses-store", PERF_TYPE_HW_CACHE, 0x10100);
	check_config("LLC-prefetches", PERF_TYPE_HW_CACHE, 0x202);
	check_config("branch-loads", PERF_TYPE_HW_CACHE, 5);
	check_config("branch-misses", PERF_TYPE_HARDWARE, 5);
	check_config("node-speculative-read-miss", PERF_TYPE_HW_CACHE, 0x10206);
	check_config("r1A8", PERF_TYPE_RAW, 0x1a8);
	check_config("1:0x9", 1, 9);
	check_config("cpu/event=0x13c,umask=0xff,edge/", PERF_TYPE_RAW, 0x10004ff3c);
	check_config("cpu/r1a8/", PERF_TYPE_RAW, 0x1a8);
	check_config("cpu/config=7/", PERF_TYPE_RAW, 7);
	check_config("cpu/cycles/", PERF_TYPE_HARDWARE, 0);
	check_config("cpu/cpu-cycles/", PERF_TYPE_RAW, 0x3c);
	check_config("cpu/LLC-loads/", PERF_TYPE_HW_CACHE, 2);
	check_config("cpu/mem-loads/", PERF_TYPE_RAW, 0x1cd);
	check_config("mem-loads", PERF_TYPE_RAW, 0x1cd);
	check_config("software/cpu-clock/", PERF_TYPE_SOFTWARE, 0);
	check_config("software/config=3/", PERF_TYPE_SOFTWARE, 3);
	check_config("uncore_imc_1/event=4/", 21, 4);
	check_config("imc_1/cas_count_read/", 21, 4);
	check_config("sched:sched_wakeup", PERF_TYPE_TRACEPOINT, 316);
	check_config("*:sched_switch", PERF_TYPE_TRACEPOINT, 314);
}

static void test_alias_with_other_value(void **state)
{
	struct parsed parsed = parse("cpu/mem-loads,ldlat=30/P");
	struct event *event = only(&parsed);

	(void)state;
	assert_int_equal(event->attr.config, 0x1cd);
	assert_int_equal(event->attr.config1, 30);
	assert_true(event->terms & EVENT_TERM_PRECISE_MAX);
	assert_string_equal(event->pmu, "cpu");
	release(&parsed);
}

static void test_uncore_cpus(void **state)
{
	struct parsed parsed = parse("uncore_imc_0/event=1/");
	struct event *event = only(&parsed);

	(void)state;
	assert_true(event->has_cpus);
	assert_true(cpuset_has(event->cpus, 8));
	assert_int_equal(cpuset_count(event->cpus), 2);
	release(&parsed);
}

static void check_flags(const char *text, uint64_t flags)
{
	struct parsed parsed = parse(text);

	assert_int_equal(only(&parsed)->attr.flags, flags);
	release(&parsed);
}

static void test_modifiers(void **state)
{
	(void)state;
	check_flags("cpu-clock:u", ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV);
	check_flags("cpu-clock:k", ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV);
	check_flags("cpu-clock:ku", ATTR_EXCLUDE_HV);
	check_flags("cpu-clock:h", ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL);
	check_flags("cpu-clock:G", ATTR_EXCLUDE_HOST);
	check_flags("cpu-clock:H", ATTR_EXCLUDE_GUEST);
	check_flags("cpu-clock:GH", 0);
	check_flags("cpu-clock:I", ATTR_EXCLUDE_IDLE);
	check_flags("cpu-clock:pp", 2ull << ATTR_PRECISE_SHIFT);
	check_flags("cpu-clock:P", ATTR_PRECISE_MASK);
	check_flags("cpu-clock:De", ATTR_PINNED | ATTR_EXCLUSIVE);
	check_flags("cpu/event=1/u", ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV);
	check_flags("mem:0x1000/8:w:k", ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV);
}

static void test_groups(void **state)
{
	struct parsed parsed = parse("faults,g1{cpu-clock:k,task-clock,sched:sched_w*}:uSD,{cs}");
	struct event *events = parsed.list.events.items;

	(void)state;
	assert_int_equal(parsed.code, 0);
	assert_int_equal(parsed.list.events.nr, 6);
	assert_int_equal(events[0].leader, EVENT_NO_LEADER);
	for (unsigned i = 1; i < 5; i++) {
		assert_int_equal(events[i].leader, 1);
		assert_string_equal(events[i].group_name, "g1");
		assert_true(events[i].terms & EVENT_TERM_SAMPLE_READ);
	}
	assert_int_equal(events[1].attr.flags, ATTR_EXCLUDE_HV | ATTR_PINNED);
	assert_int_equal(events[2].attr.flags, ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV);
	assert_int_equal(events[5].leader, 5);
	assert_null(events[5].group_name);
	release(&parsed);
}

static void test_terms(void **state)
{
	struct parsed parsed = parse(
		"cpu-clock/period=0x100,call-graph=dwarf,stack-size=1024,max-stack=4,no-inherit,"
		"time=0,nr=9,overwrite,cpu=1-2/");
	struct event *event = only(&parsed);

	(void)state;
	assert_int_equal(event->attr.sample_period, 256);
	assert_int_equal(event->callgraph, EVENT_CALLGRAPH_DWARF);
	assert_int_equal(event->stack_size, 1024);
	assert_int_equal(event->attr.sample_max_stack, 4);
	assert_true(event->no_inherit);
	assert_int_equal(event->max_nr, 9);
	assert_true(event->attr.flags & ATTR_WRITE_BACKWARD);
	assert_true(event->has_cpus && cpuset_has(event->cpus, 2) && !cpuset_has(event->cpus, 0));
	assert_int_equal(event->terms, EVENT_TERM_PERIOD | EVENT_TERM_CALLGRAPH | EVENT_TERM_STACK_SIZE |
					       EVENT_TERM_MAX_STACK | EVENT_TERM_INHERIT | EVENT_TERM_TIME |
					       EVENT_TERM_NR | EVENT_TERM_OVERWRITE);
	release(&parsed);

	parsed = parse("cpu-clock/period=5,freq=99/");
	event = only(&parsed);
	assert_int_equal(event->attr.sample_period, 99);
	assert_int_equal(event->attr.flags, ATTR_FREQ);
	assert_int_equal(event->terms, EVENT_TERM_FREQ);
	release(&parsed);
}

/* The place is the column under the caret, counted from the text's first letter. */
static void check_error(const char *text, size_t column, const char *words)
{
	struct parsed parsed = parse(text);
	char *line = strchr(parsed.err.text, '\n');

	if (parsed.code >= 0)
		fail_msg("%s was taken", text);
	assert_int_equal(parsed.list.events.nr, 0);
	assert_non_null(line);
	if (!strstr(line, words))
		fail_msg("'%s' not in:\n%s", words, parsed.err.text);
	assert_int_equal(strspn(line + 1, " "), sizeof("event syntax error: '") - 1 + column);
	release(&parsed);
}

static void test_errors(void **state)
{
	(void)state;
	check_error("cyclez", 0, "unknown event");
	check_error("cycles,foo", 7, "unknown event");
	check_error("cycles:q", 7, "unknown modifier");
	check_error("cycles:uu", 8, "twice");
	check_error("cycles:pppp", 10, "three p");
	check_error("cycles:", 7, "missing");
	check_error("cycles:W", 7, "groups");
	check_error("{cycles,faults", 0, "not closed");
	check_error("{cycles,faults}:", 16, "missing");
	check_error("{cycles faults}", 8, "comma or }");
	check_error("{}", 1, "expected");
	check_error("cycles,", 7, "expected");
	check_error("", 0, "expected");
	check_error("cycles faults", 7, "comma");
	check_error("cpu/nonsense/", 4, "unknown event or term");
	check_error("cpu/umask=0x100/", 4, "bits");
	check_error("cpu/umask=x/", 4, "not a number");
	check_error("cpu/umask=1", 3, "closing slash");
	check_error("cpu/umask=1,/", 12, "missing");
	check_error("nopmu/umask=1/", 0, "no such event or PMU");
	check_error("cpu-clock/config=1/", 10, "fixed by its name");
	check_error("cpu-clock/nonsense/", 10, "unknown term");
	check_error("cpu-clock/period=0/", 10, "0");
	check_error("cpu-clock/call-graph=gold/", 10, "fp, dwarf");
	check_error("cpu-clock/branch_type=any/", 10, "not built");
	check_error("cpu-clock/name='x/", 15, "quote");
	check_error("sched:nosuch", 6, "unknown tracepoint");
	check_error("nosuch:x", 0, "no tracepoint");
	check_error("nosuch*:x", 0, "no tracepoint");
	check_error("sched:", 6, "missing");
	check_error("ftrace:function", 0, "tracepoint");
	check_error("mem:foo", 4, "address");
	check_error("mem:0x10/0", 9, "length");
	check_error("mem:0x10:rwx", 9, "x cannot");
	check_error("1:", 2, "config");
	check_error("5000000000:1", 0, "too large");
}

static void test_error_of_long_text(void **state)
{
	char text[400] = "";
	struct parsed parsed;

	(void)state;
	for (int i = 0; i < 30; i++)
		strcat(text, "cpu-clock,");
	strcat(text, "oops");
	parsed = parse(text);
	assert_int_equal(parsed.code, -ENOENT);
	assert_non_null(strstr(parsed.err.text, "'.."));
	assert_non_null(strstr(parsed.err.text, "oops'\n"));
	assert_true(strlen(parsed.err.text) < 200);
	assert_int_equal(parsed.parser.unknown, EVENT_UNKNOWN_NAME);
	assert_string_equal(parsed.parser.unknown_word, "oops");
	release(&parsed);
}

static void test_list_stays_on_failure(void **state)
{
	struct event_parser parser;
	struct event_list list = { 0 };

	(void)state;
	event_parser_init(&parser, pmus, tracefs);
	assert_int_equal(event_parse(&parser, "faults", &list, NULL), 0);
	assert_int_equal(event_parse(&parser, "{cs,cpu-clock},nonsense", &list, NULL), -ENOENT);
	assert_int_equal(list.events.nr, 1);
	assert_int_equal(event_parse(&parser, "{cs,cpu-clock}", &list, NULL), 0);
	assert_int_equal(list.events.items[2].leader, 1);
	event_list_release(&list);
	event_parser_release(&parser);
}

/* Without a core PMU its generic names are still names, but its encodings are not. */
static void test_no_core_pmu(void **state)
{
	struct event_parser parser;
	struct event_list list = { 0 };
	struct err err;

	(void)state;
	event_parser_init(&parser, "/nonexistent", tracefs);
	assert_int_equal(event_parse(&parser, "cpu/cycles/u", &list, NULL), 0);
	assert_int_equal(list.events.items[0].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(event_parse(&parser, "cpu/event=1/", &list, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no hardware counters"));
	event_list_release(&list);
	event_parser_release(&parser);
}

static void test_formats(void **state)
{
	struct pmu_format format;

	(void)state;
	assert_int_equal(pmu_format_parse("config2:0-63\n", &format), 0);
	assert_true(format.bits == ~0ull && format.word == 2);
	assert_int_equal(pmu_format_parse("config:3", &format), 0);
	assert_int_equal(format.bits, 8);
	assert_int_equal(pmu_format_parse("config:3-", &format), -EINVAL);
	assert_int_equal(pmu_format_parse("config:5-3", &format), -EINVAL);
	assert_int_equal(pmu_format_parse("config:0-64", &format), -EINVAL);
	assert_int_equal(pmu_format_parse("config9:0", &format), -EINVAL);
	assert_int_equal(pmu_format_parse("", &format), -EINVAL);
}

static void test_cache_names(void **state)
{
	char text[64];
	uint64_t config;

	(void)state;
	for (uint64_t id = 0; id < 7; id++) {
		assert_int_equal(event_hardware_print_cache(id | 1 << 16, text, sizeof(text)), 0);
		assert_true(event_hardware_parse_cache(text, strlen(text), &config));
		assert_int_equal(config, id | 1 << 16);
	}
	assert_false(event_hardware_parse_cache("L1-icache-stores", 16, &config));
	assert_false(event_hardware_parse_cache("LLC-", 4, &config));
	assert_false(event_hardware_parse_cache("LLC-load-load", 13, &config));
	assert_int_equal(event_hardware_print_cache(99, text, sizeof(text)), -EINVAL);
}

static void test_filters(void **state)
{
	static const char fields[] = "common_pid prev_comm next_pid filename";
	char *filter = NULL;
	struct err err;

	(void)state;
	filter_and(&filter, "a == 1");
	assert_string_equal(filter, "a == 1");
	filter_and(&filter, "b == 2");
	assert_string_equal(filter, "(a == 1) && (b == 2)");
	free(filter);
	filter_explain("next_pid == 1 && nex_pid == 2", "sched:sched_switch", fields, &err);
	assert_non_null(strstr(err.text, "no such field"));
	assert_non_null(strstr(err.hint, "\n                     ^"));
	filter_explain("(next_pid == 1", "sched:sched_switch", fields, &err);
	assert_non_null(strstr(err.text, "still open"));
	filter_explain("next_pid = 1", "sched:sched_switch", fields, &err);
	assert_non_null(strstr(err.text, "an operator is expected"));
	filter_explain("prev_comm == \"a", "sched:sched_switch", fields, &err);
	assert_non_null(strstr(err.text, "quote"));
	filter_explain("filename.ustring ~ \"*x*\"", "syscalls:sys_enter_openat", fields, &err);
	assert_non_null(strstr(err.text, "the kernel refuses"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_configs),
		cmocka_unit_test(test_alias_with_other_value),
		cmocka_unit_test(test_uncore_cpus),
		cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_terms),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_error_of_long_text),
		cmocka_unit_test(test_list_stays_on_failure),
		cmocka_unit_test(test_no_core_pmu),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_cache_names),
		cmocka_unit_test(test_filters),
	};

	return cmocka_run_group_tests_name("event_parse", tests, make_trees, remove_trees);
}
