/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: every form that a recording comes in, and every way in which one is damaged. */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "lib/recipe_open.h"
#include "record/sample_bits.h"
#include "record/tracing_data.h"

static void check_records(struct perfdata_reader *reader, const char *expected)
{
	struct buf got = BUF_INIT;

	recipe_records(reader, &got);
	assert_string_equal(buf_text(&got), expected);
	buf_release(&got);
}

/* What the plain file says. */
static char *records_of(const char *text)
{
	struct perfdata_reader *reader = recipe_open(text, NULL);
	struct buf got = BUF_INIT;

	recipe_records(reader, &got);
	perfdata_reader_close(reader);
	return buf_text(&got);
}

static void test_forms(void **state)
{
	static const char *const recipes[] = { "simple", "records",    "fields",
					       "group",	 "tracepoint", "compressed" };
	static const char *const formats[] = { "file", "pipe", "unfinished" };
	static const char *const orders[] = { "little", "big" };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(recipes); i++) {
		char *text = recipe_load(recipes[i]), *expected = records_of(text);

		for (size_t k = 0; k < NR_ITEMS(formats) * NR_ITEMS(orders); k++) {
			struct recipe_options options = { .format = formats[k / 2], .order = orders[k % 2] };
			struct perfdata_reader *reader = recipe_open(text, &options);

			check_records(reader, expected);
			assert_int_equal(record_source_rewind(perfdata_reader_source(reader), NULL), 0);
			check_records(reader, expected);
			assert_int_equal(perfdata_reader_header(reader)->is_pipe, k / 2 == 1);
			assert_int_equal(perfdata_reader_header(reader)->is_unfinished, k / 2 == 2);
			assert_int_equal(perfdata_reader_damage(reader).nr, 0);
			perfdata_reader_close(reader);
		}
		free(expected);
		free(text);
	}
}

static void test_attr_sizes(void **state)
{
	char *text = recipe_load("records"), *expected = records_of(text);

	(void)state;
	for (unsigned size = 64; size <= 256; size += 8) {
		struct recipe_options options = { .attr_size = size,
						  .order = size % 16 ? "big" : "little",
						  .format = size % 3 ? "file" : "pipe" };
		struct perfdata_reader *reader = recipe_open(text, &options);
		const struct event_table *events = perfdata_reader_events(reader);

		check_records(reader, expected);
		assert_int_equal(events->events.nr, 2);
		assert_int_equal(events->events.items[0].attr.size, size < 144 ? size : 144);
		assert_true(events->events.items[0].attr.flags & ATTR_MMAP2);
		assert_int_equal(events->events.items[0].ids.nr, 2);
		perfdata_reader_close(reader);
	}
	free(expected);
	free(text);
}

static void test_attr_in_both_orders(void **state)
{
	static const char text[] =
		"event x type=9 config=1 config1=2 config2=3 config3=4 period=5 sample=ip,time read=id "
		"flags=mmap,cgroup,build_id,sample_id_all branch=6 regs-user=7 regs-intr=8 stack=9 "
		"clockid=-2 precise=2\nround\n";
	struct perfdata_reader *little = recipe_open(text, &(struct recipe_options){ .order = "little" });
	struct perfdata_reader *big = recipe_open(text, &(struct recipe_options){ .order = "big" });
	const struct event_attr *a = &perfdata_reader_events(little)->events.items[0].attr;
	const struct event_attr *b = &perfdata_reader_events(big)->events.items[0].attr;

	(void)state;
	assert_memory_equal(a, b, sizeof(*a));
	assert_true(a->flags == (ATTR_MMAP | ATTR_CGROUP | ATTR_BUILD_ID | ATTR_SAMPLE_ID_ALL |
				 2ull << ATTR_PRECISE_SHIFT));
	assert_int_equal(a->clockid, -2);
	assert_int_equal(a->config3, 4);
	assert_int_equal(a->sample_stack_user, 9);
	perfdata_reader_close(little);
	perfdata_reader_close(big);
}

static void test_facts(void **state)
{
	char *text = recipe_load("simple");
	struct perfdata_reader *reader = recipe_open(text, NULL);
	struct perfdata_features *features = perfdata_reader_features(reader);
	const char *const *cmdline;
	uint64_t first, last;
	uint32_t nr, available;

	(void)state;
	assert_string_equal(perfdata_features_string(features, PERFDATA_HOSTNAME), "testhost");
	assert_null(perfdata_features_string(features, PERFDATA_CPUID));
	cmdline = perfdata_features_cmdline(features, &nr);
	assert_int_equal(nr, 4);
	assert_string_equal(cmdline[3], "./app");
	assert_null(cmdline[4]);
	assert_true(perfdata_features_nrcpus(features, &nr, &available));
	assert_int_equal(available, 2);
	assert_true(perfdata_features_sample_time(features, &first, &last));
	assert_int_equal(last, 9000);
	assert_false(perfdata_features_clockid(features, &first));
	assert_string_equal(perfdata_reader_events(reader)->events.items[0].name, "cycles");
	assert_true(perfdata_reader_source(reader)->stable);
	assert_int_equal(perfdata_reader_nr_streams(reader), 1);
	perfdata_reader_close(reader);
	free(text);
}

static void test_updates(void **state)
{
	static const char text[] =
		"event-desc no\nevent cpu-clock config=0 ids=5\n"
		"record 78 u64:0 u64:5 text:msec zeros:3\nrecord 78 u64:1 u64:5 u64:0x3fe0000000000000\n"
		"record 78 u64:2 u64:5 text:renamed\nrecord 78 u64:2 u64:6 text:nobody\n"
		"sample ip=1 time=1\n";
	struct perfdata_reader *reader = recipe_open(text, NULL);
	const struct recorded_event *event = &perfdata_reader_events(reader)->events.items[0];

	(void)state;
	assert_string_equal(event->name, "renamed");
	assert_string_equal(event->unit, "msec");
	assert_true(event->scale > 0.49 && event->scale < 0.51);
	perfdata_reader_close(reader);
}

static void test_tracepoint_name(void **state)
{
	char *text = recipe_load("tracepoint");
	struct perfdata_reader *reader = recipe_open(text, &(struct recipe_options){ .order = "big" });
	struct tracing_data *data = tracing_data_parse(perfdata_reader_tracing_data(reader));

	(void)state;
	assert_string_equal(perfdata_reader_events(reader)->events.items[0].name, "sched:sched_switch");
	assert_true(data->is_big_endian);
	assert_false(data->is_damaged);
	assert_int_equal(data->formats.nr, 1);
	assert_null(tracing_data_find(data, 301));
	tracing_data_free(data);
	perfdata_reader_close(reader);
	free(text);
}

/* ---- pipes ---- */

struct pouring {
	int fd;
	const struct buf *bytes;
	size_t step;
};

static void *pour(void *context)
{
	struct pouring *pouring = context;

	for (size_t at = 0; at < pouring->bytes->size; at += pouring->step) {
		size_t left = pouring->bytes->size - at;

		if (file_write_all(pouring->fd, pouring->bytes->data + at,
				   left < pouring->step ? left : pouring->step) < 0)
			break;
	}
	close(pouring->fd);
	return NULL;
}

/* Through a pipe in pieces of `step` bytes. */
static void check_pipe(const char *text, const struct recipe_options *options, size_t step, unsigned flags)
{
	char *expected = records_of(text);
	struct buf bytes = BUF_INIT;
	struct perfdata_reader *reader;
	struct pouring pouring;
	pthread_t thread;
	char path[64];
	int fds[2];

	recipe_bytes(text, options, &bytes);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pouring = (struct pouring){ fds[1], &bytes, step };
	assert_int_equal(pthread_create(&thread, NULL, pour, &pouring), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	assert_int_equal(perfdata_reader_open(path, flags, &reader, NULL), 0);
	check_records(reader, expected);
	if (!(flags & PERFDATA_ONE_PASS) || !perfdata_reader_header(reader)->is_pipe) {
		assert_int_equal(record_source_rewind(perfdata_reader_source(reader), NULL), 0);
		check_records(reader, expected);
	} else {
		assert_int_equal(record_source_rewind(perfdata_reader_source(reader), NULL), -ESPIPE);
	}
	assert_int_equal(perfdata_reader_damage(reader).nr, 0);
	perfdata_reader_close(reader);
	pthread_join(thread, NULL);
	close(fds[0]);
	buf_release(&bytes);
	free(expected);
}

static void test_pipes(void **state)
{
	static const char *const recipes[] = { "simple", "records", "tracepoint", "compressed" };
	static const size_t steps[] = { 1, 7, 100000 };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(recipes); i++) {
		char *text = recipe_load(recipes[i]);

		for (size_t k = 0; k < NR_ITEMS(steps); k++) {
			check_pipe(text, &(struct recipe_options){ .format = "pipe" }, steps[k], 0);
			check_pipe(text, &(struct recipe_options){ .format = "pipe", .order = "big" },
				   steps[k], PERFDATA_ONE_PASS);
			check_pipe(text, &(struct recipe_options){ .format = "file" }, steps[k],
				   0); /* cat perf.data | */
		}
		free(text);
	}
}

/* More than fits into a block or a chunk, and a payload in between. */
static void test_large_pipe(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	buf_str(&text, "event cpu-clock config=0 sample=ip,tid,time,period,raw ids=1\n");
	for (unsigned i = 0; i < 60; i++) {
		buf_printf(&text, "sample ip=%u pid=1 time=%u raw=", i, i + 1);
		buf_fill(&text, 'a', 2 * 60000 + 2 * (i * 37 % 500) / 2 * 2);
		buf_putc(&text, '\n');
		if (i % 20 == 19)
			buf_printf(&text,
				   "record 71 u64:%u u64:0 u64:0 u32:0 u32:0 u32:0 u32:0\nbytes zeros:%u\n",
				   i * 30000, i * 30000);
	}
	check_pipe(buf_text(&text), &(struct recipe_options){ .format = "pipe" }, 70001, 0);
	check_pipe(buf_text(&text), &(struct recipe_options){ .format = "pipe", .order = "big" }, 1 << 20, 0);
	buf_release(&text);
}

/* ---- directories ---- */

static void write_file(const char *directory, const char *name, const void *data, size_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, data, size), 0);
	close(fd);
}

static void test_directory(void **state)
{
	static const char head[] =
		"event cpu-clock config=0 sample=ip,tid,time ids=1\ncomm app pid=1 time=1\n"
		"feature 24 u64:1\n";
	static const char stream[] =
		"event cpu-clock config=0 sample=ip,tid,time ids=1\nsample ip=1 pid=1 time=5\n";
	char directory[] = "perfdata-XXXXXX", path[64];
	struct buf main_bytes = BUF_INIT, stream_bytes = BUF_INIT;
	struct perfdata_reader *reader;
	struct record_block block;
	uint32_t streams[3] = { 0 };

	(void)state;
	assert_non_null(mkdtemp(directory));
	recipe_bytes(head, NULL, &main_bytes);
	recipe_bytes(stream, &(struct recipe_options){ .format = "unfinished" }, &stream_bytes);
	write_file(directory, "data", main_bytes.data, main_bytes.size);
	/* The last record of the recipe is the sample: 32 bytes. */
	write_file(directory, "data.10", stream_bytes.data + stream_bytes.size - 32, 32);
	write_file(directory, "data.2", stream_bytes.data + stream_bytes.size - 32, 32);
	write_file(directory, "data.old", "x", 1);
	assert_int_equal(perfdata_reader_open(directory, 0, &reader, NULL), 0);
	assert_int_equal(perfdata_reader_nr_streams(reader), 3);
	assert_int_equal(perfdata_reader_stream_number(reader, 1), 2);
	assert_int_equal(perfdata_reader_stream_number(reader, 2), 10);
	while (record_source_next(perfdata_reader_source(reader), &block, NULL) > 0) {
		streams[block.stream]++;
		record_source_done(perfdata_reader_source(reader), &block);
	}
	assert_int_equal(streams[0], 1);
	assert_int_equal(streams[1], 1);
	assert_int_equal(streams[2], 1);
	perfdata_reader_close(reader);
	for (unsigned i = 0; i < 4; i++) {
		static const char *const names[] = { "data", "data.10", "data.2", "data.old" };

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
	buf_release(&main_bytes);
	buf_release(&stream_bytes);
}

/* ---- damage ---- */

static unsigned nr_samples(struct perfdata_reader *reader)
{
	struct record_block block;
	unsigned nr = 0;

	while (record_source_next(perfdata_reader_source(reader), &block, NULL) > 0) {
		for (const struct record_header *raw = record_first(&block); raw;
		     raw = record_next(&block, raw))
			nr += raw->type == RECORD_SAMPLE;
		record_source_done(perfdata_reader_source(reader), &block);
	}
	return nr;
}

static void test_garbage(void **state)
{
	char *text = recipe_load("damaged");
	struct perfdata_reader *reader = recipe_open(text, NULL);
	struct perfdata_damage damage;

	(void)state;
	assert_int_equal(nr_samples(reader), 6);
	damage = perfdata_reader_damage(reader);
	assert_int_equal(damage.nr, 2); /* the garbage and the cut */
	assert_string_equal(damage.text, "there is no record where one should begin");
	assert_int_equal(damage.lost_size, 16 + 36);
	assert_int_equal(record_source_rewind(perfdata_reader_source(reader), NULL), 0);
	assert_int_equal(nr_samples(reader), 6);
	assert_int_equal(perfdata_reader_damage(reader).nr, 2); /* not counted twice */
	perfdata_reader_close(reader);
	free(text);
}

/* Cut at every byte, and every byte turned around: refused or read, but nothing worse. */
static void test_every_byte(void **state)
{
	static const char *const recipes[] = { "simple", "compressed", "tracepoint" };
	static const char *const formats[] = { "file", "pipe" };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(recipes) * NR_ITEMS(formats); i++) {
		char *text = recipe_load(recipes[i / 2]);
		struct buf bytes = BUF_INIT;

		recipe_bytes(text, &(struct recipe_options){ .format = formats[i % 2] }, &bytes);
		for (size_t at = 0; at < bytes.size; at++) {
			struct perfdata_reader *reader;
			uint8_t byte = (uint8_t)bytes.data[at];

			if (recipe_open_bytes(bytes.data, at, 0, &reader, NULL) == 0) {
				nr_samples(reader);
				perfdata_reader_close(reader);
			}
			bytes.data[at] = (char)~byte;
			if (recipe_open_bytes(bytes.data, bytes.size, 0, &reader, NULL) == 0) {
				nr_samples(reader);
				perfdata_reader_close(reader);
			}
			bytes.data[at] = (char)byte;
		}
		buf_release(&bytes);
		free(text);
	}
}

static void test_damaged_compression(void **state)
{
	char *text = recipe_load("compressed");
	struct buf bytes = BUF_INIT;
	struct perfdata_reader *reader;
	const char *magic;

	(void)state;
	recipe_bytes(text, NULL, &bytes);
	magic = memmem(bytes.data, bytes.size, "\x28\xb5\x2f\xfd", 4);
	assert_non_null(magic);
	bytes.data[magic - bytes.data + 6] ^= 0x40;
	assert_int_equal(recipe_open_bytes(bytes.data, bytes.size, 0, &reader, NULL), 0);
	assert_true(nr_samples(reader) <= 2);
	assert_true(perfdata_reader_damage(reader).nr >= 1);
	perfdata_reader_close(reader);
	buf_release(&bytes);
	free(text);
}

static void check_refused(const void *data, size_t size, int code, const char *words)
{
	struct perfdata_reader *reader = (void *)1;
	struct err err = { 0 };

	assert_int_equal(recipe_open_bytes(data, size, 0, &reader, &err), code);
	assert_non_null(strstr(err.text, words));
	assert_null(reader);
}

static void test_refused(void **state)
{
	struct perfdata_reader *reader;
	struct err err = { 0 };

	(void)state;
	check_refused("", 0, -ENODATA, "zero-sized data");
	check_refused("hello, world: no recording", 26, -EBADMSG, "not a perf.data recording");
	check_refused("PERFILE2", 8, -EBADMSG, "not a perf.data recording");
	check_refused("PERFFILE\0\0\0\0\0\0\0\0", 16, -EBADMSG, "first perf.data format");
	check_refused("PERFILE2\x68\0\0\0\0\0\0\0", 16, -EBADMSG, "ends within its header");
	assert_int_equal(perfdata_reader_open("/nonexistent/perf.data", 0, &reader, &err), -ENOENT);
	assert_string_equal(err.text, "failed to open /nonexistent/perf.data: No such file or directory");
}

/* A record of odd size moves all that follow off their alignment: blocks must be aligned all the same, and stay. */
static void test_unaligned(void **state)
{
	static const char text[] = "event cpu-clock config=0 sample=ip,tid,time ids=1\n"
				   "record 300 u8:1\nsample ip=1 pid=1 time=1\nsample ip=2 pid=1 time=2\n"
				   "record 300 u8:1 u8:2 u8:3\nsample ip=3 pid=1 time=3\n";
	struct perfdata_reader *reader = recipe_open(text, NULL);
	struct record_block blocks[8];
	unsigned nr = 0;

	(void)state;
	assert_true(perfdata_reader_source(reader)->stable);
	while (record_source_next(perfdata_reader_source(reader), &blocks[nr], NULL) > 0) {
		assert_int_equal((uintptr_t)blocks[nr].bytes.data % 8, 0);
		record_source_done(perfdata_reader_source(reader), &blocks[nr++]);
	}
	assert_int_equal(nr, 3); /* a record of odd size ends its block */
	assert_int_equal(record_first(&blocks[1])->type, RECORD_SAMPLE);
	assert_int_equal(record_first(&blocks[2])->size, 32);
	perfdata_reader_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_attr_sizes),
		cmocka_unit_test(test_attr_in_both_orders),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_updates),
		cmocka_unit_test(test_tracepoint_name),
		cmocka_unit_test(test_pipes),
		cmocka_unit_test(test_large_pipe),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_damaged_compression),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_unaligned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
