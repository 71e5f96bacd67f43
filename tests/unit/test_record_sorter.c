/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lib/recipe_open.h"
#include "record/sorter.h"

/* Types and times in the order of the sorter: "3@10 9@20 68 ". */
static void sorted_text(struct perfdata_reader *reader, size_t room, struct buf *ret, uint64_t *ret_late)
{
	struct sorter *sorter = sorter_new(perfdata_reader_source(reader), perfdata_reader_events(reader),
					   perfdata_reader_nr_streams(reader));
	struct sorted_record *batch = calloc(room, sizeof(*batch));
	int nr;

	while ((nr = sorter_next(sorter, batch, room, NULL)) > 0) {
		for (int i = 0; i < nr; i++) {
			buf_printf(ret, "%u", batch[i].raw->type);
			if (batch[i].time != RECORD_NO_TIME)
				buf_printf(ret, "@%llu", (unsigned long long)batch[i].time);
			if (batch[i].raw->type == RECORD_SAMPLE)
				buf_printf(ret, "/%llx", (unsigned long long)sample_u64_at(batch[i].raw, 8));
			buf_putc(ret, ' ');
		}
		sorter_release(sorter);
	}
	*ret_late = sorter_nr_late(sorter);
	sorter_free(sorter);
	free(batch);
}

static void check(const char *text, const char *expected, uint64_t nr_late)
{
	static const char *const orders[] = { "little", "big" };

	for (size_t i = 0; i < NR_ITEMS(orders); i++) {
		for (size_t room = 1; room < 8; room += 3) {
			struct perfdata_reader *reader =
				recipe_open(text, &(struct recipe_options){ .order = orders[i] });
			struct buf got = BUF_INIT;
			uint64_t late;

			sorted_text(reader, room, &got, &late);
			assert_string_equal(buf_text(&got), expected);
			assert_int_equal(late, nr_late);
			buf_release(&got);
			perfdata_reader_close(reader);
		}
	}
}

#define EVENT "event cpu-clock config=0 sample=ip,tid,time ids=1\n"

static void test_merge(void **state)
{
	(void)state;
	/* Two rings, one behind the other, in a round; what has no time keeps its place. */
	check(EVENT "comm a pid=1\ninit\n"
		    "sample ip=1 time=10\nsample ip=2 time=30\nsample ip=3 time=50\n"
		    "sample ip=4 time=20\nsample ip=5 time=40\nround\n",
	      "3 82 68 9@10/1 9@20/4 9@30/2 9@40/5 9@50/3 ", 0);
}

static void test_equal_times(void **state)
{
	(void)state;
	check(EVENT
	      "sample ip=1 time=10\nsample ip=2 time=20\nsample ip=3 time=10\nsample ip=4 time=20\nround\n",
	      "68 9@10/1 9@10/3 9@20/2 9@20/4 ", 0);
}

/* At the end of a round goes what is not newer than everything of the round before. */
static void test_rounds(void **state)
{
	(void)state;
	check(EVENT "sample ip=1 time=10\nsample ip=2 time=40\nround\n"
		    "sample ip=3 time=30\nsample ip=4 time=60\nround\n"
		    "sample ip=5 time=50\nround\n"
		    "sample ip=6 time=70\n",
	      "68 68 9@10/1 9@30/3 9@40/2 68 9@50/5 9@60/4 9@70/6 ", 0);
}

static void test_late(void **state)
{
	(void)state;
	check(EVENT "sample ip=1 time=10\nround\nsample ip=2 time=20\nround\nsample ip=3 time=5\n",
	      "68 68 9@10/1 9@5/3 9@20/2 ", 1);
}

static void test_no_time(void **state)
{
	(void)state;
	check("event cpu-clock config=0 sample=ip,tid ids=1\nsample ip=1\ncomm a pid=1\nround\n", "9/1 3 68 ",
	      0);
}

static void test_empty(void **state)
{
	(void)state;
	check(EVENT, "", 0);
}

/* Many runs of many lengths against a plain sort. */
static void test_many(void **state)
{
	struct buf text = BUF_INIT, got = BUF_INIT;
	struct perfdata_reader *reader;
	unsigned long long last = 0, time;
	uint64_t late, seed = 1;
	unsigned nr = 0;

	(void)state;
	buf_str(&text, EVENT);
	for (unsigned run = 0; run < 300; run++) {
		uint64_t at = 1000 * (run / 30) + 1;

		for (unsigned i = 0; i < run % 7 + 1; i++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			at += seed >> 58;
			buf_printf(&text, "sample ip=1 time=%llu\n", (unsigned long long)at);
			nr++;
		}
		if (run % 30 == 29)
			buf_str(&text, "round\n");
	}
	reader = recipe_open(buf_text(&text), NULL);
	sorted_text(reader, 100, &got, &late);
	for (char *pos = buf_text(&got); (pos = strchr(pos, '@')); nr--) {
		time = strtoull(pos + 1, &pos, 10);
		assert_true(time >= last);
		last = time;
	}
	assert_int_equal(nr, 0);
	assert_int_equal(late, 0);
	perfdata_reader_close(reader);
	buf_release(&text);
	buf_release(&got);
}

/* A source that fails half-way: what it gave is handed out, then the failure. */
static struct record_header failing_records[2] = { { RECORD_FINISHED_INIT, 0, 8 },
						   { RECORD_FINISHED_ROUND, 0, 8 } };

static int failing_next(struct record_source *source, struct record_block *ret_block, struct err *err)
{
	static bool given;

	(void)source;
	if (given)
		return err_set(err, -EIO, "torn");
	given = true;
	*ret_block = (struct record_block){ .bytes = { (const uint8_t *)failing_records,
						       sizeof(failing_records) } };
	return 1;
}

static void failing_done(struct record_source *source, struct record_block *block)
{
	(void)source;
	(void)block;
}

static void test_failure(void **state)
{
	struct record_source source = { failing_next, failing_done, NULL, false };
	struct sorted_record batch[8];
	struct event_table events;
	struct sorter *sorter;
	struct err err = { 0 };

	(void)state;
	event_table_init(&events);
	sorter = sorter_new(&source, &events, 1);
	assert_int_equal(sorter_next(sorter, batch, 8, &err), 2);
	assert_int_equal(sorter_next(sorter, batch, 8, &err), -EIO);
	assert_string_equal(err.text, "torn");
	sorter_free(sorter);
	event_table_release(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),	cmocka_unit_test(test_equal_times),
		cmocka_unit_test(test_rounds),	cmocka_unit_test(test_late),
		cmocka_unit_test(test_no_time), cmocka_unit_test(test_empty),
		cmocka_unit_test(test_many),	cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
