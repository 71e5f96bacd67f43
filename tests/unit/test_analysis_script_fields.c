/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <string.h>

#include "analysis/script_fields.h"
#include "record/sample_bits.h"

#define BASE (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD)

static struct recorded_event event_of(uint32_t type, uint64_t sample_type)
{
	return (struct recorded_event){ .attr = { .type = type, .sample_type = sample_type },
					.name = (char *)"event" };
}

/* The fields of an event after these -F, as a list. */
static void check(const char *const *texts, const struct recorded_event *event, bool chains, const char *want)
{
	struct script_fields fields;
	struct buf notes = BUF_INIT, list = BUF_INIT;
	uint64_t set;
	struct err err;

	script_fields_init(&fields);
	for (; *texts; texts++)
		assert_int_equal(script_fields_parse(&fields, *texts, &notes, &err), 0);
	assert_int_equal(script_fields_of_event(&fields, event, chains, &set, &err), 0);
	for (unsigned i = 0; i < NR_SCRIPT_FIELDS; i++) {
		if (!(set >> i & 1))
			continue;
		if (list.size)
			buf_putc(&list, ',');
		buf_str(&list, script_field_name((enum script_field)i));
	}
	assert_string_equal(buf_text(&list), want);
	buf_release(&list);
	buf_release(&notes);
}

#define TEXTS(...) ((const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

static void test_defaults(void **state)
{
	struct recorded_event hardware = event_of(0, BASE),
			      raw = event_of(4, BASE | SAMPLE_CPU | SAMPLE_ADDR);
	struct recorded_event tracepoint = event_of(2, BASE | SAMPLE_CPU | SAMPLE_RAW);
	struct recorded_event chains = event_of(2, BASE | SAMPLE_RAW | SAMPLE_CALLCHAIN);
	struct recorded_event bpf = event_of(1, BASE | SAMPLE_RAW);

	(void)state;
	check(TEXTS(), &hardware, true, "comm,tid,time,event,ip,sym,dso,symoff,period");
	check(TEXTS(), &raw, true, "comm,tid,time,cpu,event,ip,sym,dso,addr,symoff,period");
	check(TEXTS(), &tracepoint, true, "comm,tid,time,cpu,event,trace");
	check(TEXTS(), &chains, true, "comm,tid,time,event,trace,ip,sym,dso,symoff");
	check(TEXTS(), &chains, false, "comm,tid,time,event,trace");
	bpf.attr.config = 10;
	check(TEXTS(), &bpf, true, "comm,tid,time,event,ip,sym,dso,symoff,period,bpf-output");
}

static void test_choices(void **state)
{
	struct recorded_event software = event_of(1, BASE | SAMPLE_CPU),
			      tracepoint = event_of(2, BASE | SAMPLE_RAW);

	(void)state;
	check(TEXTS("comm,ip"), &software, true, "comm,ip");
	check(TEXTS("+misc,-cpu"), &software, true, "comm,tid,time,event,ip,sym,dso,symoff,period,misc");
	check(TEXTS("sw:comm", "trace:trace"), &software, true, "comm");
	check(TEXTS("sw:comm", "trace:trace"), &tracepoint, true, "trace");
	check(TEXTS("trace:+period"), &tracepoint, true, "comm,tid,time,event,trace,period");
	check(TEXTS("comm", "ip,sym"), &software, true, "ip,sym");
	check(TEXTS("sw:"), &software, true, "");
	/* Asked of one type only, what is missing is left out silently. */
	check(TEXTS("sw:comm,addr"), &software, true, "comm");
}

static void check_error(const char *text, const struct recorded_event *event, const char *want)
{
	struct script_fields fields;
	struct buf notes = BUF_INIT;
	struct err err = { 0 };
	uint64_t set;
	int ret;

	script_fields_init(&fields);
	ret = script_fields_parse(&fields, text, &notes, &err);
	if (!ret)
		ret = script_fields_of_event(&fields, event, true, &set, &err);
	assert_true(ret < 0);
	assert_string_equal(err.text, want);
	buf_release(&notes);
}

static void test_errors(void **state)
{
	struct recorded_event software = event_of(1, BASE);

	(void)state;
	check_error("nosuch", &software, "Invalid field requested.");
	check_error("soft:comm", &software, "Invalid event type in field string.");
	check_error("", &software, "Cannot set fields to 'none' for all event types.");
	check_error("comm,-ip", &software, "Cannot mix +-field with overridden fields");
	check_error("sw:trace", &software, "'trace' not valid for software events.");
	check_error("+cpu", &software,
		    "Samples for 'event' event do not have CPU attribute set. Cannot print 'cpu' field.");
	check_error("comm,symoff", &software, "Display of offsets requested but symbol is notselected.");
	check_error("metric", &software, "field 'metric': metrics of sampled groups are not computed");
}

static void test_notes(void **state)
{
	struct script_fields fields;
	struct buf notes = BUF_INIT;

	(void)state;
	script_fields_init(&fields);
	assert_int_equal(script_fields_parse(&fields, "comm,trace", &notes, NULL), 0);
	assert_non_null(strstr(buf_text(&notes), "'trace' not valid for hardware events. Ignoring.\n"));
	assert_null(strstr(buf_text(&notes), "tracepoint"));
	notes.size = 0;
	assert_int_equal(script_fields_parse(&fields, "sw:ip", &notes, NULL), 0);
	assert_string_equal(buf_text(&notes), "Overriding previous field request for software events.\n");
	buf_release(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
