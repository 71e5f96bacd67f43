/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lib/recipe_open.h"
#include "record/record.h"
#include "record/sample_bits.h"

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(record_type_name(RECORD_MMAP2), "MMAP2");
	assert_string_equal(record_type_name(RECORD_COMPRESSED2), "COMPRESSED2");
	assert_null(record_type_name(0));
	assert_null(record_type_name(40));
	assert_null(record_type_name(5000));
}

static void test_trailer_size(void **state)
{
	(void)state;
	assert_int_equal(record_trailer_size(0), 0);
	assert_int_equal(record_trailer_size(SAMPLE_IP | SAMPLE_CALLCHAIN), 0);
	assert_int_equal(record_trailer_size(SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IDENTIFIER), 32);
}

/* A name may not run on into the trailer. */
static void test_name_without_end(void **state)
{
	struct {
		struct record_header header;
		uint32_t pid, tid;
		char comm[8];
		uint64_t time;
	} raw = { { RECORD_COMM, 0, sizeof(raw) }, 1, 2, "12345678", 0 };
	struct record record;

	(void)state;
	assert_int_equal(record_decode(&raw.header, SAMPLE_TIME, 0, &record), -EBADMSG);
	raw.comm[7] = '\0';
	assert_int_equal(record_decode(&raw.header, SAMPLE_TIME, 77, &record), 0);
	assert_string_equal(record.comm.comm, "1234567");
	assert_int_equal(record.id.time, 0);
	assert_int_equal(record.id.cpu, -1);
	assert_int_equal(record.offset, 77);
	raw.header.size = 8;
	assert_int_equal(record_decode(&raw.header, SAMPLE_TIME | SAMPLE_TID, 0, &record), -EBADMSG);
}

static void test_build_id_row(void **state)
{
	uint8_t body[4 + 24 + 8] = { 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8 };
	struct record_build_id id;

	(void)state;
	body[4 + 20] = 8;
	memcpy(body + 28, "/bin/x", 7);
	assert_int_equal(record_decode_build_id((struct span){ body, sizeof(body) }, 1 << 15, false, &id), 0);
	assert_int_equal(id.build_id_size, 8);
	assert_int_equal(id.pid, -1);
	assert_string_equal(id.path, "/bin/x");
	assert_int_equal(record_decode_build_id((struct span){ body, sizeof(body) }, 0, false, &id), 0);
	assert_int_equal(id.build_id_size, 20); /* the size byte does not count: an old writer */
	assert_int_equal(record_decode_build_id((struct span){ body, 29 }, 0, false, &id), -EBADMSG);
}

/* The kernel's bit for build-ids is believed only when the bytes look like one, or somebody asked for them. */
static void test_mmap_build_id(void **state)
{
	struct {
		struct record_header header;
		uint32_t pid, tid;
		uint64_t addr, length, pgoff;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t prot, flags;
		char path[8];
	} raw = { { RECORD_MMAP2, RECORD_MISC_MMAP_BUILD_ID | 2, sizeof(raw) },
		  1,
		  1,
		  0x1000,
		  0x1000,
		  0,
		  254,
		  0,
		  77,
		  0,
		  5,
		  2,
		  "/bin/x" };
	struct record record;

	(void)state;
	assert_int_equal(record_decode(&raw.header, 0, 0, &record), 0);
	assert_int_equal(record.mmap.build_id_size, 0);
	assert_int_equal(record.mmap.inode, 77);
	raw.major = 8; /* a disk, or an id of 8 bytes */
	assert_int_equal(record_decode(&raw.header, 0, 0, &record), 0);
	assert_int_equal(record.mmap.build_id_size, 8);
	assert_int_equal(record_decode(&raw.header, RECORD_NO_BUILD_IDS, 0, &record), 0);
	assert_int_equal(record.mmap.build_id_size, 0);
	assert_int_equal(record.mmap.major, 8);
	raw.major = 20;
	assert_int_equal(record_decode(&raw.header, RECORD_NO_BUILD_IDS, 0, &record), 0);
	assert_int_equal(record.mmap.build_id_size, 20);
}

/* Every type in the other byte order says the same. */
static void test_orders(void **state)
{
	static const char *const recipes[] = { "simple", "records",    "fields",
					       "group",	 "tracepoint", "compressed" };
	const struct recipe_options little = { .order = "little" }, big = { .order = "big" };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(recipes); i++) {
		char *text = recipe_load(recipes[i]);
		struct perfdata_reader *a = recipe_open(text, &little), *b = recipe_open(text, &big);
		struct buf from_a = BUF_INIT, from_b = BUF_INIT;

		recipe_records(a, &from_a);
		recipe_records(b, &from_b);
		assert_null(strstr(buf_text(&from_a), "damaged"));
		assert_string_equal(buf_text(&from_a), buf_text(&from_b));
		assert_int_equal(perfdata_reader_damage(a).nr, 0);
		assert_int_equal(perfdata_reader_damage(b).nr, 0);
		assert_true(perfdata_reader_header(a)->is_swapped != perfdata_reader_header(b)->is_swapped);
		buf_release(&from_a);
		buf_release(&from_b);
		perfdata_reader_close(a);
		perfdata_reader_close(b);
		free(text);
	}
}

static void test_values(void **state)
{
	char *text = recipe_load("records");
	struct perfdata_reader *reader = recipe_open(text, NULL);
	struct buf got = BUF_INIT;

	(void)state;
	recipe_records(reader, &got);
	buf_text(&got);
	assert_non_null(strstr(got.data, "10 misc 2002 size 120 100/100 time 2 id 11 stream 0 cpu 0 100/100 "
					 "600000+1000@0 prot 3 flags 1 0:0 0 0 /bin/second"));
	assert_non_null(strstr(
		got.data, "3 misc 2000 size 56 100/100 time 4 id 21 stream 0 cpu 0 100/100 second exec 1"));
	assert_non_null(strstr(got.data, "100/100 links=4,effffff9,4,effffffe,4,efffffff"));
	assert_non_null(strstr(got.data, "ffffffffc0001000+64 kind 1 gone 1 bpf_prog_1234"));
	assert_non_null(strstr(got.data, "ffffffff81000010 old 5 new 5 bytes=0f1f440000e912345678"));
	assert_non_null(
		strstr(got.data, "9 misc 2 size 56 event 0 100/100 time 23 id 12 stream 0 cpu 1 ip 400010"));
	assert_non_null(strstr(got.data, "out 1 preempt 1 other -1/-1"));
	assert_non_null(strstr(got.data, "out 1 preempt 0 other 5/6"));
	buf_release(&got);
	perfdata_reader_close(reader);
	free(text);
}

/* Records shortened at every size: damaged or not, never read beyond their end (the sanitizers look on). */
static void test_short_records(void **state)
{
	static const char *const recipes[] = { "records", "fields" };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(recipes); i++) {
		char *text = recipe_load(recipes[i]);
		struct perfdata_reader *reader = recipe_open(text, NULL);
		const struct event_table *events = perfdata_reader_events(reader);
		struct record_block block;

		while (record_source_next(perfdata_reader_source(reader), &block, NULL) > 0) {
			const struct record_header *raw = record_first(&block);

			for (; raw; raw = record_next(&block, raw)) {
				for (uint16_t size = 8; size <= raw->size; size++) {
					struct record_header *copy = xmemdup(raw, size);
					struct record record;
					struct sample sample;

					copy->size = size;
					record_decode(copy, events->trailer_type, 0, &record);
					for (size_t event = 0; event < events->events.nr; event++) {
						const struct recorded_event *row =
							&events->events.items[event];

						sample_decode(&row->layout, copy, 0, &sample);
					}
					free(copy);
				}
			}
			record_source_done(perfdata_reader_source(reader), &block);
		}
		perfdata_reader_close(reader);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_trailer_size),
		cmocka_unit_test(test_name_without_end),
		cmocka_unit_test(test_build_id_row),
		cmocka_unit_test(test_mmap_build_id),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_short_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
