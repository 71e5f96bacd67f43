/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildid-list: which exact binaries a recording, the running kernel or a file speaks of.
 *
 * A recording names its binaries in the BUILD_ID feature (perf up to 6.x, or perf inject) or in each mapping (MMAP2). With
 * the feature all of it is listed; without it, and with -H, only what samples and their call chains hit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/xalloc.h"
#include "capture/snapshot.h"
#include "cmd/command.h"
#include "cmd/recording.h"
#include "elf/build_id.h"
#include "record/perfdata_reader.h"
#include "record/record_tasks.h"
#include "record/sample_bits.h"
#include "record/sorter.h"

struct buildid_list_options {
	const char *input;
	bool force, kernel, kernel_maps, with_hits;
	unsigned verbose;
};

#define B struct buildid_list_options

static const struct option_row rows[] = {
	{ 'f', "force", OPTION_FLAG(B, force), .help = "read files of other owners, too" },
	{ 'H', "with-hits", OPTION_FLAG(B, with_hits), .help = "only binaries that samples hit" },
	{ 'i', "input", OPTION_STRING(B, input), .arg = "file",
	  .help = "the recording (perf.data), or a binary to tell the build-id of" },
	{ 'k', "kernel", OPTION_FLAG(B, kernel), .help = "the build-id of the running kernel" },
	{ 'm', "kernel-maps", OPTION_FLAG(B, kernel_maps),
	  .help = "build-id, addresses and file of the running kernel and its modules" },
	{ 'v', "verbose", OPTION_COUNTER(B, verbose), .help = "say more" },
};

struct binary {
	struct str_id path;
	struct build_id id;
};

struct binaries {
	struct intern strings;
	struct hash_index index; /* by path and id */
	ARRAY(struct binary) items;
};

static void binaries_add(struct binaries *binaries, const char *path, const uint8_t *bytes, size_t size)
{
	struct binary binary = { .path = intern_string(&binaries->strings, path), .id.size = (uint8_t)size };
	uint64_t hash;
	uint32_t pos, row;

	if (size)
		memcpy(binary.id.bytes, bytes, size);
	hash = hash_bytes(binary.id.bytes, sizeof(binary.id.bytes), binary.path.v);
	pos = hash_index_start(&binaries->index, hash);
	while ((row = hash_index_next(&binaries->index, hash, &pos)) != HASH_NONE)
		if (binaries->items.items[row].path.v == binary.path.v &&
		    build_id_equal(&binaries->items.items[row].id, &binary.id))
			return;
	hash_index_insert(&binaries->index, hash, (uint32_t)binaries->items.nr);
	array_push(&binaries->items, binary);
}

static int compare_binaries(const void *a, const void *b, void *context)
{
	const struct binary *x = a, *y = b;
	const struct intern *strings = context;
	int order = strcmp(intern_text(strings, x->path), intern_text(strings, y->path));

	return order ? order : memcmp(x->id.bytes, y->id.bytes, sizeof(x->id.bytes));
}

static void binaries_print(struct binaries *binaries, bool unknown_too, struct buf *buf)
{
	if (binaries->items.nr)
		qsort_r(binaries->items.items, binaries->items.nr, sizeof(binaries->items.items[0]),
			compare_binaries, &binaries->strings);
	for (size_t i = 0; i < binaries->items.nr; i++) {
		const struct binary *binary = &binaries->items.items[i];
		char text[BUILD_ID_TEXT_SIZE];

		if (!build_id_known(&binary->id) && !unknown_too)
			continue;
		build_id_print(&binary->id, text);
		buf_str_left(buf, text, 40);
		buf_printf(buf, " %s\n", intern_text(&binaries->strings, binary->path));
	}
}

static int feature_add(void *context, const struct record_build_id *build_id, uint16_t misc)
{
	(void)misc;
	binaries_add(context, build_id->path, build_id->build_id, build_id->build_id_size);
	return 0;
}

/* ---- hits ---- */

struct hits {
	struct binaries *binaries,
		*named; /* found; those of the BUILD_ID feature, for mappings without an id */
	struct record_tasks *tasks;
	const struct event_table *events;
};

static void address_hit(struct hits *hits, int32_t pid, uint64_t address, bool is_kernel)
{
	struct record_place place;

	if (!record_tasks_place(hits->tasks, pid, address, is_kernel, &place))
		return;
	if (!place.build_id_size) {
		for (size_t i = 0; i < hits->named->items.nr; i++) {
			const struct binary *named = &hits->named->items.items[i];

			if (strcmp(intern_text(&hits->named->strings, named->path), place.path))
				continue;
			place.build_id = named->id.bytes;
			place.build_id_size = named->id.size;
			break;
		}
	}
	binaries_add(hits->binaries, place.path, place.build_id, place.build_id_size);
}

static void sample_hit(struct hits *hits, const struct sorted_record *sorted)
{
	struct sample sample;
	bool is_kernel;

	if (sorted->event == HASH_NONE ||
	    sample_decode(&hits->events->events.items[sorted->event].layout, sorted->raw, 0, &sample) < 0)
		return;
	is_kernel = (sample.misc & RECORD_CPUMODE_MASK) == RECORD_CPUMODE_KERNEL;
	address_hit(hits, sample.id.pid, sample.ip, is_kernel);
	for (uint64_t i = 0; i < sample.nr_callchain; i++) {
		uint64_t address;

		memcpy(&address, sample.callchain + 8 * i, sizeof(address));
		if (address >= CALLCHAIN_MAX)
			is_kernel = address == CALLCHAIN_KERNEL;
		else
			address_hit(hits, sample.id.pid, address, is_kernel);
	}
}

static int hits_read(struct hits *hits, struct perfdata_reader *reader, struct err *err)
{
	struct sorter *sorter = sorter_new(perfdata_reader_source(reader), hits->events,
					   perfdata_reader_nr_streams(reader));
	struct sorted_record batch[256];
	int nr;

	while ((nr = sorter_next(sorter, batch, NR_ITEMS(batch), err)) > 0) {
		for (int i = 0; i < nr; i++) {
			struct record record;

			if (batch[i].raw->type == RECORD_SAMPLE)
				sample_hit(hits, &batch[i]);
			else if (record_type_is_sideband(batch[i].raw->type) &&
				 record_decode(batch[i].raw,
					       event_table_trailer_type(hits->events, batch[i].raw), 0,
					       &record) == 0)
				record_tasks_apply(hits->tasks, &record);
		}
		sorter_release(sorter);
	}
	sorter_free(sorter);
	return nr;
}

static void binaries_init(struct binaries *binaries)
{
	*binaries = (struct binaries){ 0 };
	intern_init(&binaries->strings);
	hash_index_init(&binaries->index, 64);
}

static void binaries_release(struct binaries *binaries)
{
	intern_release(&binaries->strings);
	hash_index_release(&binaries->index);
	array_release(&binaries->items);
}

static int list_recording(struct perfdata_reader *reader, bool with_hits, struct buf *buf, struct err *err)
{
	struct binaries named, found;
	int ret = 0;

	binaries_init(&named);
	binaries_init(&found);
	perfdata_features_build_ids(perfdata_reader_features(reader), feature_add, &named);
	if (with_hits || !named.items.nr) {
		struct hits hits = { &found, &named, record_tasks_new(), perfdata_reader_events(reader) };

		ret = hits_read(&hits, reader, err);
		record_tasks_free(hits.tasks);
		binaries_print(&found, true, buf);
	} else {
		binaries_print(&named, false, buf);
	}
	binaries_release(&named);
	binaries_release(&found);
	return ret;
}

/* ---- the running kernel ---- */

struct map_printer {
	struct record_sink sink;
	struct buf *buf;
};

/* The snapshot tells the kernel's mappings as records. */
static int map_print(struct record_sink *sink, struct span records, struct err *err)
{
	struct buf *buf = ((struct map_printer *)sink)->buf;
	struct record_block block = { .bytes = records };

	(void)err;
	for (const struct record_header *raw = record_first(&block); raw; raw = record_next(&block, raw)) {
		struct build_id id = { 0 };
		char text[BUILD_ID_TEXT_SIZE];
		const char *bracket;
		struct record record;

		if ((raw->type != RECORD_MMAP && raw->type != RECORD_MMAP2) ||
		    record_decode(raw, 0, 0, &record) < 0)
			continue;
		id.size = record.mmap.build_id_size;
		memcpy(id.bytes, record.mmap.build_id, sizeof(id.bytes));
		bracket = record.mmap.path[0] == '[' ? strchr(record.mmap.path, ']') : NULL;
		buf_printf(buf, "%s %16" PRIx64 " %16" PRIx64 " %.*s\n", build_id_print(&id, text),
			   record.mmap.addr, record.mmap.addr + record.mmap.length,
			   bracket ? (int)(bracket - record.mmap.path) + 1 : (int)strlen(record.mmap.path),
			   record.mmap.path);
	}
	return 0;
}

static int list_kernel_maps(struct buf *buf, struct err *err)
{
	struct map_printer printer = { .sink.push = map_print, .buf = buf };
	struct snapshot snapshot = { .sink = &printer.sink, .build_ids = true };

	snapshot_begin(&snapshot, err);
	snapshot_kernel(&snapshot);
	return snapshot_end(&snapshot);
}

static int list_kernel(struct buf *buf, struct err *err)
{
	char text[BUILD_ID_TEXT_SIZE];
	struct build_id id;
	int ret = build_id_read_kernel(&id);

	if (ret < 0)
		return err_errno(err, ret, "cannot read the build-id of the running kernel");
	buf_printf(buf, "%s\n", build_id_print(&id, text));
	return 0;
}

static int list(const struct buildid_list_options *options, struct buf *buf, struct err *err)
{
	struct perfdata_reader *reader;
	char text[BUILD_ID_TEXT_SIZE];
	struct build_id id;
	int ret;

	if (options->kernel)
		return list_kernel(buf, err);
	if (options->kernel_maps)
		return list_kernel_maps(buf, err);
	if (strcmp(options->input, "-") && build_id_read_path(options->input, &id) == 0) {
		buf_printf(buf, "%s\n", build_id_print(&id, text));
		return 0;
	}
	ret = recording_reader_open(options->input,
				    PERFDATA_ONE_PASS | (options->force ? PERFDATA_ANY_OWNER : 0), &reader,
				    err);
	if (ret < 0)
		return ret;
	ret = list_recording(reader, options->with_hits, buf, err);
	perfdata_reader_close(reader);
	return ret;
}

static int buildid_list_run(int argc, char **argv)
{
	struct buildid_list_options options = { .input = "perf.data" };
	struct err err = { 0 };
	struct buf buf;
	int status, ret;

	if (!command_parse(&command_buildid_list, &options, &argc, &argv, &status))
		return status;
	if (argc)
		return command_usage(&command_buildid_list);
	buf_init(&buf, STDOUT_FILENO);
	ret = list(&options, &buf, &err);
	status = command_print(&buf);
	return ret < 0 ? command_fail(&err) : status;
}

const struct command command_buildid_list = {
	.spec = { .name = "buildid-list",
		  .summary = "List the build-ids of a recording's binaries",
		  .usage = { "buildid-list [<options>]" },
		  .sets = { { rows, NR_ITEMS(rows), 0 } } },
	.purpose = COMMAND_LOOK,
	.run = buildid_list_run,
};
