/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read again, as file, as pipe and compressed, finished or not. */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "lib/recipe_open.h"
#include "record/perfdata_print.h"
#include "record/perfdata_writer.h"
#include "record/tracing_data.h"
#include "record/zstd_stream.h"

static const char *const cmdline[] = { "sonde", "record", "it's" };

static struct perfdata_context context_of(struct perfdata_reader *reader)
{
	return (struct perfdata_context){
		.events = perfdata_reader_events(reader),
		.cmdline = cmdline,
		.nr_cmdline = 3,
		.version = "1.2.3",
		.tracing_data = perfdata_reader_tracing_data(reader),
	};
}

/* All records of a recording into a writer; the first failure. */
static int copy_records(struct perfdata_reader *reader, struct perfdata_writer *writer)
{
	struct record_source *source = perfdata_reader_source(reader);
	struct record_block block;
	int ret = 0;

	while (record_source_next(source, &block, NULL) > 0) {
		for (const struct record_header *raw = record_first(&block); raw && !ret;
		     raw = record_next(&block, raw))
			ret = record_sink_push(perfdata_writer_sink(writer),
					       (struct span){ (const uint8_t *)raw, raw->size }, NULL);
		record_source_done(source, &block);
	}
	return ret;
}

static struct perfdata_reader *reopen(int fd)
{
	struct perfdata_reader *reader;
	struct err err = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (perfdata_reader_open(path, 0, &reader, &err) < 0)
		fail_msg("%s", err.text);
	return reader;
}

static void check_copy(const char *name, struct perfdata_writer_options options, bool finish)
{
	char *text = recipe_load(name);
	struct perfdata_reader *reader = recipe_open(text, NULL), *again;
	struct perfdata_context context = context_of(reader);
	struct buf expected = BUF_INIT, got = BUF_INIT;
	struct perfdata_writer *writer;
	int fd = memfd_create("copy", MFD_CLOEXEC);

	assert_int_equal(perfdata_writer_new(fd, &options, &context, &writer, NULL), 0);
	assert_int_equal(copy_records(reader, writer), 0);
	if (finish)
		assert_int_equal(perfdata_writer_finish(writer, &context, NULL), 0);
	else
		record_sink_flush(perfdata_writer_sink(writer), NULL);
	assert_int_equal(lseek(fd, 0, SEEK_END), perfdata_writer_size(writer));
	again = reopen(fd);
	record_source_rewind(perfdata_reader_source(reader), NULL);
	recipe_records(reader, &expected);
	recipe_records(again, &got);
	/* Names are sent through pipes by records that files do not have. */
	if (options.is_pipe)
		assert_non_null(strstr(buf_text(&got), buf_text(&expected)));
	else
		assert_string_equal(buf_text(&got), buf_text(&expected));
	assert_int_equal(perfdata_reader_damage(again).nr, 0);
	assert_int_equal(perfdata_reader_header(again)->is_unfinished, !finish && !options.is_pipe);
	assert_int_equal(perfdata_reader_header(again)->is_compressed, options.compression_level > 0);
	for (size_t i = 0; i < context.events->events.nr; i++) {
		const struct recorded_event *a = &context.events->events.items[i];
		const struct recorded_event *b = &perfdata_reader_events(again)->events.items[i];

		if (finish || options.is_pipe)
			assert_string_equal(a->name, b->name);
		assert_memory_equal((const char *)&a->attr + 8, (const char *)&b->attr + 8,
				    sizeof(a->attr) - 8);
		assert_int_equal(a->ids.nr, b->ids.nr);
		if (finish)
			assert_int_equal(a->leader, b->leader);
	}
	perfdata_reader_close(again);
	perfdata_reader_close(reader);
	perfdata_writer_free(writer);
	buf_release(&expected);
	buf_release(&got);
	close(fd);
	free(text);
}

static void test_copies(void **state)
{
	static const char *const names[] = { "simple", "fields", "group", "tracepoint" };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(names); i++) {
		for (unsigned k = 0; k < 8; k++) {
			struct perfdata_writer_options options = { k & 1, k & 2 ? 3 : 0 };

			if (options.compression_level && !zstd_stream_available())
				continue;
			check_copy(names[i], options, k & 4);
		}
	}
}

static void test_features(void **state)
{
	char *text = recipe_load("simple");
	struct perfdata_reader *reader = recipe_open(text, NULL), *again;
	struct perfdata_context context = context_of(reader);
	struct buf ids = BUF_INIT, header = BUF_INIT;
	struct perfdata_writer_options options = { 0 };
	struct perfdata_writer *writer;
	struct perfdata_clock clock;
	int fd = memfd_create("features", MFD_CLOEXEC);

	(void)state;
	perfdata_encode_build_id(&ids, -1, RECORD_CPUMODE_USER, (const uint8_t *)"\1\2\3\4", 4, "/bin/x");
	context.build_ids = (struct span){ (const uint8_t *)ids.data, ids.size };
	context.has_sample_time = true;
	context.first_time = 1000000;
	context.last_time = 3500000;
	context.has_clockid = true;
	context.clockid = 1;
	context.clockid_resolution = 1;
	context.wall_time = 1795248953466657000;
	context.clock_time = 1657786834589;
	context.has_branch_stack = context.has_stat = true;
	assert_int_equal(perfdata_writer_new(fd, &options, &context, &writer, NULL), 0);
	assert_int_equal(perfdata_writer_finish(writer, &context, NULL), 0);
	perfdata_writer_free(writer);
	again = reopen(fd);
	assert_true(perfdata_features_clock(perfdata_reader_features(again), &clock));
	assert_int_equal(clock.clock_time, 1657786834589);
	perfdata_print_header(again, true, &header);
	buf_text(&header);
	assert_non_null(strstr(header.data, "# perf version : 1.2.3\n"));
	assert_non_null(strstr(header.data, "# cmdline : sonde record it\\'s \n"));
	assert_non_null(strstr(header.data,
			       "# event : name = cycles, , id = { 1, 2 }, type = 0 (PERF_TYPE_HARDWARE)"));
	assert_non_null(strstr(header.data, "# sample duration :      2.500 ms\n"));
	assert_non_null(strstr(header.data, "# contains stat data\n"));
	assert_non_null(strstr(header.data, "# contains samples with branch stack\n"));
	assert_non_null(strstr(header.data, "# clockid: monotonic (1)\n"));
	assert_non_null(strstr(header.data, " (TOD) = 1657.786834589 (monotonic)\n"));
	assert_null(strstr(header.data, "damaged"));
	perfdata_reader_close(again);
	perfdata_reader_close(reader);
	buf_release(&ids);
	buf_release(&header);
	close(fd);
	free(text);
}

/* No room: the file ends in whole records, and has its features if the last records can give way to them. */
static void test_full_disk(void **state)
{
	struct buf text = BUF_INIT;
	struct perfdata_reader *reader, *again;
	struct perfdata_context context;
	struct perfdata_writer_options options = { 0 };
	struct perfdata_writer *writer;
	struct rlimit limit, old;
	struct err err = { 0 };
	int fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	(void)state;
	if (fd < 0)
		skip();
	buf_str(&text, "event cpu-clock config=0 sample=ip,tid,time ids=1\n");
	for (unsigned i = 0; i < 4000; i++)
		buf_printf(&text, "sample ip=%u pid=1 time=%u\n", i, i + 1);
	reader = recipe_open(buf_text(&text), NULL);
	context = context_of(reader);
	assert_int_equal(perfdata_writer_new(fd, &options, &context, &writer, NULL), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){ 60001, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(copy_records(reader, writer), -EFBIG);
	assert_int_equal(perfdata_writer_finish(writer, &context, &err), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_true(lseek(fd, 0, SEEK_END) <= 60001);
	again = reopen(fd);
	assert_int_equal(perfdata_reader_damage(again).nr, 0);
	assert_false(perfdata_reader_header(again)->is_unfinished);
	assert_int_equal(perfdata_reader_header(again)->data_size % 32, 0);
	assert_true(perfdata_reader_header(again)->data_size > 0);
	perfdata_reader_close(again);
	perfdata_reader_close(reader);
	perfdata_writer_free(writer);
	buf_release(&text);
	close(fd);
}

static void test_attr_size(void **state)
{
	struct event_table events;
	struct event_attr attr = { .type = 1 };

	(void)state;
	event_table_init(&events);
	event_table_add(&events, &attr, "small");
	assert_int_equal(perfdata_attrs_size(&events), 64);
	attr.sample_regs_intr = 1;
	event_table_add(&events, &attr, "larger");
	assert_int_equal(perfdata_attrs_size(&events), 104);
	attr.config4 = 1;
	event_table_add(&events, &attr, "largest");
	assert_int_equal(perfdata_attrs_size(&events), 144);
	event_table_release(&events);
}

/* Large pushes through zstd come out whole, in records that do not unpack to more than was said. */
static void test_compression(void **state)
{
	struct buf records = BUF_INIT;
	struct event_table events;
	struct event_attr attr = { .type = 1, .sample_type = 1 };
	struct perfdata_context context = { .events = &events };
	struct perfdata_writer_options options = { false, 1 };
	struct perfdata_writer *writer;
	struct perfdata_reader *again;
	struct record_block block;
	size_t nr = 0;
	uint64_t in, out;
	int fd = memfd_create("compressed", MFD_CLOEXEC);

	(void)state;
	if (!zstd_stream_available())
		skip();
	event_table_init(&events);
	event_table_add(&events, &attr, NULL);
	for (uint64_t i = 0; i < 300000; i++) {
		struct {
			struct record_header header;
			uint64_t ip;
		} sample = { { RECORD_SAMPLE, 0, sizeof(sample) }, i * 0x9e3779b97f4a7c15 };

		buf_put(&records, &sample, sizeof(sample));
	}
	assert_int_equal(perfdata_writer_new(fd, &options, &context, &writer, NULL), 0);
	assert_int_equal(record_sink_push(perfdata_writer_sink(writer),
					  (struct span){ (const uint8_t *)records.data, records.size }, NULL),
			 0);
	assert_int_equal(perfdata_writer_finish(writer, &context, NULL), 0);
	perfdata_writer_data_sizes(writer, &in, &out);
	assert_int_equal(in, records.size);
	assert_true(out > 0 && out < in);
	perfdata_writer_free(writer);
	again = reopen(fd);
	while (record_source_next(perfdata_reader_source(again), &block, NULL) > 0) {
		for (const struct record_header *raw = record_first(&block); raw;
		     raw = record_next(&block, raw)) {
			assert_memory_equal(raw, records.data + nr * 16, 16);
			nr++;
		}
		record_source_done(perfdata_reader_source(again), &block);
	}
	assert_int_equal(nr, 300000);
	perfdata_reader_close(again);
	event_table_release(&events);
	buf_release(&records);
	close(fd);
}

static void test_tracing_data(void **state)
{
	char directory[] = "tracefs-XXXXXX", command[512];
	static const char *const names[] = { "sched/two", "irq/one", "sched/one", "sched/two" };
	static const char *const missing[] = { "sched/none" };
	struct buf blob = BUF_INIT;
	struct tracing_data *data;
	struct err err = { 0 };
	const char *files[] = { "sched/one", "sched/two", "irq/one" };

	(void)state;
	assert_non_null(mkdtemp(directory));
	for (unsigned i = 0; i < 3; i++) {
		char text[128];
		int fd;

		snprintf(command, sizeof(command), "%s/events/%s", directory, files[i]);
		assert_int_equal(file_make_dirs(command, 0700), 0);
		snprintf(command, sizeof(command), "%s/events/%s/format", directory, files[i]);
		fd = open(command, O_CREAT | O_WRONLY, 0600);
		snprintf(text, sizeof(text),
			 "name: %s\nID: %u\nformat:\n\tfield:char a[16];\toffset:0;\n"
			 "\tfield:__data_loc char[] b;\toffset:16;\n\tfield:int common_x;\n",
			 files[i] + 4, i + 5);
		file_write_all(fd, text, strlen(text));
		close(fd);
	}
	assert_int_equal(tracing_data_build(directory, names, 4, &blob, NULL), 0);
	data = tracing_data_parse((struct span){ (const uint8_t *)blob.data, blob.size });
	assert_false(data->is_damaged);
	assert_int_equal(data->formats.nr, 3);
	assert_string_equal(data->formats.items[0].system, "irq");
	assert_string_equal(tracing_data_find(data, 6)->system, "sched");
	assert_int_equal(data->page_size, sysconf(_SC_PAGESIZE));
	tracing_data_free(data);
	assert_int_equal(tracing_data_build(directory, missing, 1, &blob, &err), -ENOENT);
	assert_non_null(strstr(err.text, "sched/none"));
	buf_release(&blob);
	for (unsigned i = 0; i < 3; i++) {
		snprintf(command, sizeof(command), "%s/events/%s/format", directory, files[i]);
		unlink(command);
		snprintf(command, sizeof(command), "%s/events/%s", directory, files[i]);
		rmdir(command);
	}
	for (unsigned i = 0; i < 2; i++) {
		snprintf(command, sizeof(command), "%s/events/%s", directory, i ? "irq" : "sched");
		rmdir(command);
	}
	snprintf(command, sizeof(command), "%s/events", directory);
	rmdir(command);
	rmdir(directory);
}

static void put_field(void *context, const char *name, size_t size)
{
	buf_put(context, name, size);
	buf_putc(context, ' ');
}

static void test_format_fields(void **state)
{
	static const char text[] =
		"name: x\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\n\n"
		"\tfield:char comm[16];\toffset:8;\n\tfield:__data_loc char[] file;\toffset:9;\n"
		"\tfield:const char * ptr;\toffset:1;\n\tfield:u64 args[6][2];\toffset:2;\nprint fmt: x";
	struct tracing_format format = { .text = { (const uint8_t *)text, sizeof(text) - 1 } };
	struct buf got = BUF_INIT;

	(void)state;
	tracing_format_fields(&format, put_field, &got);
	assert_string_equal(buf_text(&got), "comm file ptr args ");
	buf_release(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),	      cmocka_unit_test(test_features),
		cmocka_unit_test(test_full_disk),     cmocka_unit_test(test_attr_size),
		cmocka_unit_test(test_compression),   cmocka_unit_test(test_tracing_data),
		cmocka_unit_test(test_format_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
