/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lib/recipe_open.h"
#include "record/event_table.h"
#include "record/sample_bits.h"

static void test_names(void **state)
{
	static const struct {
		struct event_attr attr;
		const char *name;
	} rows[] = {
		{ { .type = 0, .config = 0 }, "cycles" },
		{ { .type = 0, .config = 1, .flags = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV },
		  "instructions:u" },
		{ { .type = 1, .config = 1, .flags = 3ull << ATTR_PRECISE_SHIFT }, "task-clock:ppp" },
		{ { .type = 1, .config = 99 }, "unknown-software" },
		{ { .type = 3, .config = 0x10002 }, "LLC-load-misses" },
		{ { .type = 3, .config = 0x30002 }, "unknown-ext-hardware-cache-type" },
		{ { .type = 4, .config = 0x1a8 }, "raw 0x1a8" },
		{ { .type = 5, .bp_type = 3, .config1 = 0x1000 }, "mem:0x1000:rw" },
	};

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(rows); i++) {
		struct event_table table;

		event_table_init(&table);
		event_table_add(&table, &rows[i].attr, NULL);
		assert_string_equal(table.events.items[0].name, rows[i].name);
		event_table_release(&table);
	}
}

static void test_ids(void **state)
{
	struct event_attr attr = { .sample_type = SAMPLE_IP | SAMPLE_TIME | SAMPLE_IDENTIFIER,
				   .flags = ATTR_SAMPLE_ID_ALL };
	struct {
		struct record_header header;
		uint64_t id, ip, time;
	} sample = { { RECORD_SAMPLE, 0, sizeof(sample) }, 7, 1, 99 };
	struct {
		struct record_header header;
		uint64_t lost, time, id;
	} other = { { RECORD_LOST_SAMPLES, 0, sizeof(other) }, 1, 55, 8 };
	struct event_table table;

	(void)state;
	event_table_init(&table);
	event_table_add(&table, &attr, "first");
	event_table_add(&table, &attr, "second");
	event_table_add_id(&table, 0, 6);
	event_table_add_id(&table, 1, 7);
	event_table_add_id(&table, 1, 8);
	event_table_add_id(&table, 0, 8); /* taken */
	assert_int_equal(table.nr_ids, 3);
	assert_int_equal(event_table_of_sample(&table, &sample.header), 1);
	assert_int_equal(event_table_of_record(&table, &other.header), 1);
	assert_int_equal(event_table_record_time(&table, &sample.header), 99);
	assert_int_equal(event_table_record_time(&table, &other.header), 55);
	sample.id = 1000;
	assert_int_equal(event_table_of_sample(&table, &sample.header), HASH_NONE);
	sample.id = 0; /* what synthesised records carry */
	assert_int_equal(event_table_of_sample(&table, &sample.header), 0);
	other.header.size = 12;
	assert_int_equal(event_table_of_record(&table, &other.header), HASH_NONE);
	assert_true(event_table_record_time(&table, &other.header) == RECORD_NO_TIME);
	event_table_release(&table);
}

/* Two events whose samples and trailers have their times in different places. */
static void test_differing_trailers(void **state)
{
	static const char recipe[] =
		"event a config=0 sample=ip,tid,time,identifier ids=1 flags=sample_id_all\n"
		"event b config=0 sample=ip,time,cpu,identifier ids=2 flags=sample_id_all\n"
		"comm x pid=1 time=10 event=a\n"
		"comm y pid=2 time=20 cpu=3 event=b\n"
		"sample ip=1 pid=1 time=30 event=a\n"
		"sample ip=2 time=40 cpu=3 event=b\n";
	struct perfdata_reader *reader = recipe_open(recipe, NULL);
	const struct event_table *table = perfdata_reader_events(reader);
	struct record_block block;
	uint64_t expected = 10;

	(void)state;
	assert_true(table->trailers_differ);
	assert_int_equal(record_source_next(perfdata_reader_source(reader), &block, NULL), 1);
	for (const struct record_header *raw = record_first(&block); raw; raw = record_next(&block, raw)) {
		struct record record;

		assert_int_equal(event_table_record_time(table, raw), expected);
		if (raw->type == RECORD_COMM) {
			assert_int_equal(record_decode(raw, event_table_trailer_type(table, raw), 0, &record),
					 0);
			assert_int_equal(record.id.time, expected);
			assert_int_equal(record.id.cpu, expected == 10 ? -1 : 3);
		}
		expected += 10;
	}
	record_source_done(perfdata_reader_source(reader), &block);
	perfdata_reader_close(reader);
}

static void test_groups(void **state)
{
	char *text = recipe_load("group");
	struct perfdata_reader *reader = recipe_open(text, NULL);
	const struct event_table *table = perfdata_reader_events(reader);

	(void)state;
	assert_int_equal(table->events.nr, 3);
	assert_int_equal(table->events.items[0].nr_members, 2);
	assert_int_equal(table->events.items[1].leader, 0);
	assert_int_equal(table->events.items[2].leader, 2);
	assert_int_equal(table->events.items[2].nr_members, 1);
	assert_null(table->events.items[0].group_name);
	perfdata_reader_close(reader);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_differing_trailers),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
