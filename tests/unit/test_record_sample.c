/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/recipe_open.h"
#include "record/sample.h"
#include "record/sample_bits.h"
#include "record/sample_read.h"

static uint64_t u64_at(const uint8_t *data, unsigned i)
{
	uint64_t value;

	memcpy(&value, data + 8 * i, sizeof(value));
	return value;
}

static void test_layout(void **state)
{
	struct event_attr attr = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN |
						  SAMPLE_CPU };
	struct sample_layout layout;

	(void)state;
	sample_layout_init(&layout, &attr);
	assert_int_equal(layout.ip, 8);
	assert_int_equal(layout.tid, 16);
	assert_int_equal(layout.time, 24);
	assert_int_equal(layout.cpu, 32);
	assert_int_equal(layout.callchain, 40);
	assert_int_equal(layout.fixed_size, 40);
	assert_int_equal(layout.id, 0);
	attr.sample_type |= SAMPLE_IDENTIFIER | SAMPLE_READ;
	sample_layout_init(&layout, &attr);
	assert_int_equal(layout.identifier, 8);
	assert_int_equal(layout.ip, 16);
	assert_int_equal(layout.read, 48);
	assert_int_equal(layout.callchain, 0); /* its place depends on READ */
}

/* The n-th sample of a recording. */
static void nth_sample(struct perfdata_reader *reader, unsigned n, struct record_block *block,
		       struct sample *ret)
{
	const struct event_table *events = perfdata_reader_events(reader);

	assert_int_equal(record_source_next(perfdata_reader_source(reader), block, NULL), 1);
	for (const struct record_header *raw = record_first(block); raw; raw = record_next(block, raw)) {
		uint32_t event;

		if (raw->type != RECORD_SAMPLE || n--)
			continue;
		event = event_table_of_sample(events, raw);
		assert_true(event != HASH_NONE);
		assert_int_equal(sample_decode(&events->events.items[event].layout, raw, 5, ret), 0);
		return;
	}
	fail();
}

static void check_all(const struct recipe_options *options)
{
	char *text = recipe_load("fields");
	struct perfdata_reader *reader = recipe_open(text, options);
	struct record_block block;
	struct sample s;

	nth_sample(reader, 0, &block, &s);
	assert_int_equal(s.offset, 5);
	assert_int_equal(s.id.pid, 1);
	assert_int_equal(s.id.tid, 2);
	assert_int_equal(s.id.time, 10);
	assert_int_equal(s.id.cpu, 3);
	assert_int_equal(s.id.id, 5);
	assert_int_equal(s.id.stream_id, 9);
	assert_int_equal(s.ip, 0x1000);
	assert_int_equal(s.addr, 0x2000);
	assert_int_equal(s.period, 1000);
	assert_int_equal(s.read.size, 40);
	assert_int_equal(s.nr_callchain, 5);
	assert_true(u64_at(s.callchain, 0) == CALLCHAIN_KERNEL);
	assert_true(u64_at(s.callchain, 1) == 0xffffffff81000000);
	assert_true(u64_at(s.callchain, 4) == 0x3000);
	assert_int_equal(s.raw_data.size, 12); /* padded so that what follows is aligned */
	assert_memory_equal(s.raw_data.data, "\1\2\3\4\5", 5);
	assert_int_equal(s.nr_branches, 2);
	assert_int_equal(s.branch_hw_index, 77);
	assert_true(u64_at(s.branches, 2) == 0x11); /* the flags' fields, whatever their order in the file */
	assert_true(u64_at(s.branches, 5) == 0x122);
	assert_true(u64_at(s.branch_counters, 1) == 2);
	assert_int_equal(s.regs_user.abi, 2);
	assert_true(s.regs_user.mask == 0xff0fff);
	assert_int_equal(u64_at(s.regs_user.values, 19), 20);
	assert_int_equal(s.stack_user.size, 12);
	assert_int_equal(s.stack_user.data[11], 11);
	assert_true(s.weight == 0x0003000200000001);
	assert_int_equal(s.data_src, 0x68100142);
	assert_int_equal(s.transaction, 0x30);
	assert_int_equal(s.regs_intr.mask, 0x103);
	assert_int_equal(u64_at(s.regs_intr.values, 2), 23);
	assert_int_equal(s.phys_addr, 0x5000);
	assert_int_equal(s.cgroup, 99);
	assert_int_equal(s.data_page_size, 4096);
	assert_int_equal(s.code_page_size, 2097152);
	assert_int_equal(s.aux.size, 8);
	assert_memory_equal(s.aux.data, "\xaa\xbb\xcc\xdd", 4);
	record_source_done(perfdata_reader_source(reader), &block);
	perfdata_reader_close(reader);
	free(text);
}

static void test_all_fields(void **state)
{
	(void)state;
	check_all(NULL);
	check_all(&(struct recipe_options){ .order = "big" });
}

static void test_absent_parts(void **state)
{
	char *text = recipe_load("fields");
	struct perfdata_reader *reader = recipe_open(text, NULL);
	struct record_block block;
	struct sample s;

	(void)state;
	nth_sample(reader, 2, &block, &s);
	assert_int_equal(s.ip, 0x1008);
	assert_int_equal(s.nr_callchain, 0);
	assert_int_equal(s.regs_user.abi, 0);
	assert_int_equal(s.regs_user.mask, 0);
	assert_int_equal(s.stack_user.size, 0);
	record_source_done(perfdata_reader_source(reader), &block);
	perfdata_reader_close(reader);
	free(text);
}

static void test_counts_that_lie(void **state)
{
	struct event_attr attr = { .sample_type = SAMPLE_IP | SAMPLE_CALLCHAIN };
	struct {
		struct record_header header;
		uint64_t ip, nr, chain[2];
	} raw = { { RECORD_SAMPLE, 0, sizeof(raw) }, 1, 2, { 3, 4 } };
	struct sample_layout layout;
	struct sample s;

	(void)state;
	sample_layout_init(&layout, &attr);
	assert_int_equal(sample_decode(&layout, &raw.header, 0, &s), 0);
	raw.nr = 3;
	assert_int_equal(sample_decode(&layout, &raw.header, 0, &s), -EBADMSG);
	raw.nr = 1ull << 61; /* times 8 is 0 */
	assert_int_equal(sample_decode(&layout, &raw.header, 0, &s), -EBADMSG);
}

static void test_read_one(void **state)
{
	const uint64_t values[] = { 100, 50, 40, 5, 7 };
	struct span span = { (const uint8_t *)values, sizeof(values) };
	struct sample_read read;

	(void)state;
	assert_int_equal(sample_read_decode(span,
					    READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING | READ_ID |
						    READ_LOST,
					    &read),
			 0);
	assert_int_equal(read.nr, 1);
	assert_int_equal(read.time_enabled, 50);
	assert_int_equal(read.time_running, 40);
	assert_int_equal(sample_read_value(&read, 0).value, 100);
	assert_int_equal(sample_read_value(&read, 0).id, 5);
	assert_int_equal(sample_read_value(&read, 0).lost, 7);
	span.size -= 8;
	assert_int_equal(sample_read_decode(span,
					    READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING | READ_ID |
						    READ_LOST,
					    &read),
			 -EBADMSG);
}

static void test_read_group(void **state)
{
	uint64_t values[] = { 2, 100, 1, 200, 2 };
	struct span span = { (const uint8_t *)values, sizeof(values) };
	struct sample_read read;

	(void)state;
	assert_int_equal(sample_read_decode(span, READ_GROUP | READ_ID, &read), 0);
	assert_int_equal(read.nr, 2);
	assert_int_equal(sample_read_value(&read, 1).value, 200);
	assert_int_equal(sample_read_value(&read, 1).id, 2);
	values[0] = 1ull << 60;
	assert_int_equal(sample_read_decode(span, READ_GROUP | READ_ID, &read), -EBADMSG);
}

static void test_read_memory(void **state)
{
	struct sample_read_memory memory;

	(void)state;
	sample_read_memory_init(&memory);
	assert_int_equal(sample_read_memory_delta(&memory, 1, 0, 100), 100);
	assert_int_equal(sample_read_memory_delta(&memory, 1, 0, 130), 30);
	assert_int_equal(sample_read_memory_delta(&memory, 1, 7, 50),
			 50); /* another task's counter of the same id */
	assert_int_equal(sample_read_memory_delta(&memory, 2, 0, 10), 10);
	assert_int_equal(sample_read_memory_delta(&memory, 1, 0, 130), 0);
	for (uint64_t id = 10; id < 1000; id++)
		sample_read_memory_delta(&memory, id, 0, id);
	assert_int_equal(sample_read_memory_delta(&memory, 500, 0, 501), 1);
	sample_read_memory_release(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),	     cmocka_unit_test(test_all_fields),
		cmocka_unit_test(test_absent_parts), cmocka_unit_test(test_counts_that_lie),
		cmocka_unit_test(test_read_one),     cmocka_unit_test(test_read_group),
		cmocka_unit_test(test_read_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
