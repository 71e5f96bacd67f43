/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The listings follow perf 7.2's layout to the blank, because people diff and grep them. The raw dump keeps
 * track of tasks and mappings by itself (record_tasks): it must show what the records say even where the
 * machine model would know better.
 */
#include "record/record_dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuset.h"
#include "base/cursor.h"
#include "base/xalloc.h"
#include "record/perfdata_payload.h"
#include "record/perfdata_print.h"
#include "record/record_tasks.h"
#include "record/record_text.h"
#include "record/sample_bits.h"
#include "record/sample_read.h"
#include "record/sample_text.h"
#include "record/sorter.h"

#define NR_TYPES 256 /* counted apart; everything beyond together */
#define BATCH 1024

/* ---- counts ---- */

struct record_counts {
	struct perfdata_reader *reader;
	const struct event_table *events;
	uint64_t total;
	uint64_t by_type[NR_TYPES + 1];
	uint64_t *samples; /* of each event */
	uint64_t nr_unknown_events;
	struct sample_read_memory memory;
};

static void counts_init(struct record_counts *counts, struct perfdata_reader *reader)
{
	memset(counts, 0, sizeof(*counts));
	counts->reader = reader;
	counts->events = perfdata_reader_events(reader);
	counts->samples = xcalloc(counts->events->events.nr + 1, sizeof(*counts->samples));
	sample_read_memory_init(&counts->memory);
}

static void counts_release(struct record_counts *counts)
{
	free(counts->samples);
	sample_read_memory_release(&counts->memory);
}

/*
 * The events that a sample stands for: its own, or those of its group whose counts have grown. visit sees each;
 * returns how many there were.
 */
static unsigned sample_deliver(struct record_counts *counts, uint32_t event, const struct record_header *raw,
			       void (*visit)(void *context, uint32_t event), void *context)
{
	const struct recorded_event *row = &counts->events->events.items[event];
	struct sample sample;
	struct sample_read read;
	unsigned nr = 0;

	if (!(row->layout.sample_type & SAMPLE_READ)) {
		visit(context, event);
		return 1;
	}
	if (sample_decode(&row->layout, raw, 0, &sample) < 0 ||
	    sample_read_decode(sample.read, row->layout.read_format, &read) < 0)
		return 0;
	for (uint64_t i = 0; i < read.nr; i++) {
		struct sample_read_value value = sample_read_value(&read, i);
		int32_t tid = row->attr.flags & ATTR_INHERIT ? sample.id.tid : 0;
		uint32_t member = read.has_id ? event_table_find_id(counts->events, value.id) : event;

		if (member == HASH_NONE ||
		    !sample_read_memory_delta(&counts->memory, value.id, tid, value.value))
			continue;
		visit(context, member);
		nr++;
	}
	return nr;
}

static void sample_count(void *context, uint32_t event)
{
	((struct record_counts *)context)->samples[event]++;
}

static inline void record_count(struct record_counts *counts, const struct record_header *raw)
{
	counts->total++;
	counts->by_type[raw->type < NR_TYPES ? raw->type : NR_TYPES]++;
}

static void sample_count_event(struct record_counts *counts, const struct record_header *raw)
{
	uint32_t event = event_table_of_sample(counts->events, raw);

	if (event == HASH_NONE)
		counts->nr_unknown_events++;
	else if (counts->events->events.items[event].layout.sample_type & SAMPLE_READ)
		sample_deliver(counts, event, raw, sample_count, counts);
	else
		counts->samples[event]++;
}

static void print_count(const char *name, uint64_t nr, uint64_t total, struct buf *buf)
{
	buf_str_right(buf, name, 20);
	buf_printf(buf, " events: %10" PRIu64, nr);
	if (total)
		buf_printf(buf, "  (%4.1f%%)", 100.0 * (double)nr / (double)total);
	buf_putc(buf, '\n');
}

static void counts_print(struct record_counts *counts, struct buf *buf)
{
	counts->by_type[RECORD_COMPRESSED] += perfdata_reader_nr_compressed(counts->reader,
									    RECORD_COMPRESSED);
	counts->by_type[RECORD_COMPRESSED2] += perfdata_reader_nr_compressed(counts->reader,
									     RECORD_COMPRESSED2);
	counts->total += perfdata_reader_nr_compressed(counts->reader, RECORD_COMPRESSED) +
			 perfdata_reader_nr_compressed(counts->reader, RECORD_COMPRESSED2);
	buf_str(buf, "\nAggregated stats:\n");
	print_count("TOTAL", counts->total, 0, buf);
	for (uint32_t type = 0; type <= NR_TYPES; type++) {
		const char *name = record_type_name(type);
		char number[32];

		if (!counts->by_type[type])
			continue;
		snprintf(number, sizeof(number), type < NR_TYPES ? "type %u" : "type > %u",
			 type < NR_TYPES ? type : NR_TYPES - 1);
		print_count(name ? name : number, counts->by_type[type], counts->total, buf);
	}
	if (counts->nr_unknown_events)
		print_count("unknown event SAMPLE", counts->nr_unknown_events, counts->total, buf);
	for (size_t i = 0; i < counts->events->events.nr; i++) {
		if (!counts->samples[i])
			continue;
		buf_printf(buf, "%s stats:\n", counts->events->events.items[i].name);
		print_count("SAMPLE", counts->samples[i], 0, buf);
	}
}

int record_dump_stats(struct perfdata_reader *reader, struct buf *buf, struct err *err)
{
	struct record_source *source = perfdata_reader_source(reader);
	struct record_counts counts;
	struct record_block block;
	int ret;

	counts_init(&counts, reader);
	while ((ret = record_source_next(source, &block, err)) > 0) {
		for (const struct record_header *raw = record_first(&block); raw;
		     raw = record_next(&block, raw)) {
			record_count(&counts, raw);
			if (raw->type == RECORD_SAMPLE)
				sample_count_event(&counts, raw);
		}
		record_source_done(source, &block);
	}
	counts_print(&counts, buf);
	counts_release(&counts);
	return ret;
}

/* ---- tasks ---- */

static int tasks_read(struct perfdata_reader *reader, struct record_tasks *tasks, struct err *err)
{
	const struct event_table *events = perfdata_reader_events(reader);
	struct sorter *sorter = sorter_new(perfdata_reader_source(reader), events,
					   perfdata_reader_nr_streams(reader));
	struct sorted_record *batch = xcalloc(BATCH, sizeof(*batch));
	int nr;

	while ((nr = sorter_next(sorter, batch, BATCH, err)) > 0) {
		for (int i = 0; i < nr; i++) {
			const struct record_header *raw = batch[i].raw;
			struct record record;

			if (raw->type == RECORD_SAMPLE && batch[i].event != HASH_NONE) {
				const struct sample_layout *layout =
					&events->events.items[batch[i].event].layout;

				if (layout->tid && raw->size >= layout->fixed_size)
					record_tasks_add(tasks, (int32_t)sample_u32_at(raw, layout->tid),
							 (int32_t)sample_u32_at(raw, layout->tid + 4u));
			} else if (record_type_is_sideband(raw->type) &&
				   record_decode(raw, event_table_trailer_type(events, raw), 0, &record) ==
					   0) {
				record_tasks_apply(tasks, &record);
			}
		}
		sorter_release(sorter);
	}
	free(batch);
	sorter_free(sorter);
	return nr;
}

static int tasks_dump(struct perfdata_reader *reader, bool with_maps, struct buf *buf, struct err *err)
{
	struct record_tasks *tasks = record_tasks_new();
	int ret = tasks_read(reader, tasks, err);

	record_tasks_print(tasks, with_maps, buf);
	record_tasks_free(tasks);
	return ret;
}

int record_dump_tasks(struct perfdata_reader *reader, struct buf *buf, struct err *err)
{
	return tasks_dump(reader, false, buf, err);
}

int record_dump_mmaps(struct perfdata_reader *reader, struct buf *buf, struct err *err)
{
	return tasks_dump(reader, true, buf, err);
}

/* ---- everything ---- */

struct dump {
	struct perfdata_reader *reader;
	const struct event_table *events;
	struct record_counts counts;
	struct record_tasks *tasks;
	struct buf *buf;
	const char *arch;
	uint32_t nr_attrs; /* HEADER_ATTR records seen */
	const struct sample *sample; /* the one at hand */
};

#define DUMP_LINE 76

/* 16 bytes a line: offset, hex, letters. */
static void print_bytes(const struct record_header *raw, struct buf *buf)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = (const uint8_t *)raw;

	buf_printf(buf, ".\n. ... raw event: size %u bytes\n", raw->size);
	for (unsigned at = 0; at < raw->size; at += 16) {
		char line[DUMP_LINE + 1];
		char *hex = line + 10, *letters = line + DUMP_LINE - 17;

		memset(line, ' ', DUMP_LINE);
		line[0] = '.';
		line[7] = ':';
		line[DUMP_LINE - 1] = '\n';
		for (unsigned i = 0; i < 4; i++)
			line[3 + i] = digits[at >> (12 - 4 * i) & 15];
		for (unsigned i = 0; i < 16 && at + i < raw->size; i++) {
			uint8_t byte = bytes[at + i];

			hex[i * 3] = digits[byte >> 4];
			hex[i * 3 + 1] = digits[byte & 15];
			letters[i] = byte >= 32 && byte < 127 ? (char)byte : '.';
		}
		buf_put(buf, line, DUMP_LINE);
	}
	buf_putc(buf, '\n');
}

/* What all records have in front: CPU and time as far as the events have them. */
static void print_stamp(const struct dump *dump, const struct record_header *raw, const struct record_id *id)
{
	uint64_t combined = 0;
	bool known = false;
	size_t nr = perfdata_reader_header(dump->reader)->is_pipe ? dump->nr_attrs : dump->events->events.nr;

	for (size_t i = 0; i < nr && i < dump->events->events.nr; i++) {
		combined |= dump->events->events.items[i].attr.sample_type;
		known = dump->events->events.items[0].attr.flags & ATTR_SAMPLE_ID_ALL;
	}
	if (raw->type != RECORD_SAMPLE && !known) {
		buf_str(dump->buf, "-1 -1 ");
		return;
	}
	if (combined & SAMPLE_CPU)
		buf_printf(dump->buf, "%u ", (uint32_t)id->cpu);
	if (combined & SAMPLE_TIME)
		buf_printf(dump->buf, "%" PRIu64 " ", id->time);
}

static void print_offset(uint64_t offset, struct buf *buf)
{
	if (offset)
		buf_printf(buf, "0x%" PRIx64, offset);
	else
		buf_putc(buf, '0');
}

static void print_place(const struct dump *dump, const struct sorted_record *sorted,
			const struct record_id *id)
{
	uint64_t offset = sorted->offset;

	if (perfdata_reader_header(dump->reader)->is_pipe)
		offset -= sizeof(struct perfdata_pipe_header);
	print_stamp(dump, sorted->raw, id);
	print_offset(offset, dump->buf);
	buf_printf(dump->buf, " [0x%x]: PERF_RECORD_", sorted->raw->size);
}

static void print_task_of_sample(void *context, uint32_t event)
{
	struct dump *dump = context;
	const struct sample *sample = dump->sample;
	uint16_t mode = sample->misc & RECORD_CPUMODE_MASK;
	const char *comm = record_tasks_comm(dump->tasks, sample->id.tid);
	struct record_place place = { .path = "<not found>" };

	record_tasks_place(dump->tasks, sample->id.pid, sample->ip, mode == RECORD_CPUMODE_KERNEL, &place);
	dump->counts.samples[event]++;
	if (comm)
		buf_printf(dump->buf, " ... thread: %s:%" PRId32 "\n", comm, sample->id.tid);
	else
		buf_printf(dump->buf, " ... thread: :%" PRId32 ":%" PRId32 "\n", sample->id.tid,
			   sample->id.tid);
	buf_printf(dump->buf, " ...... dso: %s\n", place.path);
}

static void print_sample(struct dump *dump, const struct sorted_record *sorted)
{
	const struct sample_layout *layout;
	struct sample sample;
	int ret;

	if (sorted->event == HASH_NONE) {
		struct record_id id = { .cpu = -1 };

		print_place(dump, sorted, &id);
		buf_str(dump->buf, "SAMPLE: of an event that the recording does not describe\n");
		dump->counts.nr_unknown_events++;
		return;
	}
	layout = &dump->events->events.items[sorted->event].layout;
	ret = sample_decode(layout, sorted->raw, sorted->offset, &sample);
	if (!layout->period)
		sample.period = dump->events->events.items[sorted->event].attr.sample_period;
	if (!layout->time)
		sample.id.time = UINT64_MAX;
	print_place(dump, sorted, &sample.id);
	buf_printf(dump->buf, "SAMPLE(IP, 0x%x): %" PRId32 "/%" PRId32 ": ", sample.misc, sample.id.pid,
		   sample.id.tid);
	print_offset(sample.ip, dump->buf);
	buf_printf(dump->buf, " period: %" PRIu64 " addr: ", sample.period);
	print_offset(sample.addr, dump->buf);
	buf_putc(dump->buf, '\n');
	if (ret < 0) {
		buf_str(dump->buf, " ... the rest of the sample is damaged\n");
		return;
	}
	sample_text_print(layout, &sample, dump->arch, dump->buf);
	record_tasks_add(dump->tasks, sample.id.pid, sample.id.tid);
	dump->sample = &sample;
	sample_deliver(&dump->counts, sorted->event, sorted->raw, print_task_of_sample, dump);
	dump->sample = NULL;
}

/* ---- records of user space ---- */

static void print_id_index(struct span body, struct buf *buf)
{
	struct cursor cursor = cursor_of(body.data, body.size, false);
	uint64_t nr = cursor_u64(&cursor);

	buf_printf(buf, " nr: %" PRIu64 "\n", nr);
	while (nr-- && cursor_left(&cursor) >= 32) {
		uint64_t id = cursor_u64(&cursor), index = cursor_u64(&cursor), cpu = cursor_u64(&cursor);

		buf_printf(buf,
			   " ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64 "\n", id,
			   index, (int64_t)cpu, (int64_t)cursor_u64(&cursor));
	}
}

static void print_thread_map(struct span body, struct buf *buf)
{
	struct cursor cursor = cursor_of(body.data, body.size, false);
	uint64_t nr = cursor_u64(&cursor);

	buf_printf(buf, " nr: %" PRIu64 " thread%s", nr, nr > 1 ? "s: " : ": ");
	for (uint64_t i = 0; i < nr && cursor_left(&cursor) >= 24; i++) {
		buf_printf(buf, "%s%" PRId64, i ? ", " : "", (int64_t)cursor_u64(&cursor));
		cursor_skip(&cursor, 16);
	}
	buf_str(buf, "\n: unhandled!\n");
}

/* A list of CPUs from a CPU_MAP: {u16 kind}, then a list, a mask or a range. */
static void cpu_map_read(struct cursor *cursor, struct cpuset *cpus)
{
	uint16_t kind = cursor_u16(cursor), nr, size;

	if (kind == 0) {
		for (nr = cursor_u16(cursor); nr && !cursor->failed; nr--)
			cpuset_add(cpus, cursor_u16(cursor));
	} else if (kind == 1) {
		nr = cursor_u16(cursor);
		size = cursor_u16(cursor);
		if (size == 8)
			cursor_skip(cursor, 4);
		for (uint32_t word = 0; word < nr && !cursor->failed; word++) {
			uint64_t bits = size == 8 ? cursor_u64(cursor) : cursor_u32(cursor);

			for (uint32_t bit = 0; bit < 8u * size && bit < 64; bit++)
				if (bits >> bit & 1)
					cpuset_add(cpus, word * 8u * size + bit);
		}
	} else if (kind == 2) {
		cursor_skip(cursor, 2);
		nr = cursor_u16(cursor);
		size = cursor_u16(cursor);
		for (uint32_t cpu = nr; cpu <= size && !cursor->failed; cpu++)
			cpuset_add(cpus, cpu);
	}
}

static void print_cpu_map(struct span body, struct buf *buf)
{
	struct cursor cursor = cursor_of(body.data, body.size, false);
	struct cpuset cpus = { 0 };

	cpu_map_read(&cursor, &cpus);
	buf_str(buf, ": ");
	cpuset_print(&cpus, buf);
	buf_str(buf, "\n: unhandled!\n");
}

static void print_event_update(struct span body, struct buf *buf)
{
	struct cursor cursor = cursor_of(body.data, body.size, false);
	uint64_t kind = cursor_u64(&cursor), id = cursor_u64(&cursor), bits;
	const char *text;
	double scale;

	buf_printf(buf, "\n... id:    %" PRIu64 "\n", id);
	switch (kind) {
	case 0:
		text = cursor_string(&cursor);
		buf_printf(buf, "... unit:  %s\n", text ? text : "");
		break;
	case 1:
		bits = cursor_u64(&cursor);
		memcpy(&scale, &bits, sizeof(scale));
		buf_printf(buf, "... scale: %f\n", scale);
		break;
	case 2:
		text = cursor_string(&cursor);
		buf_printf(buf, "... name:  %s\n", text ? text : "");
		break;
	case 3: {
		struct cpuset cpus = { 0 };

		cpu_map_read(&cursor, &cpus);
		buf_str(buf, "... ");
		cpuset_print(&cpus, buf);
		buf_putc(buf, '\n');
		break;
	}
	default:
		buf_str(buf, "... unknown type\n");
		break;
	}
}

static void print_attr(struct dump *dump, struct span body)
{
	struct event_attr attr;
	uint32_t size = 0;

	if (body.size >= 8)
		memcpy(&size, body.data + 4, sizeof(size));
	if (body.size < EVENT_ATTR_SIZE_MIN)
		return;
	if (size < EVENT_ATTR_SIZE_MIN || size > body.size)
		size = EVENT_ATTR_SIZE_MIN;
	event_attr_decode(body.data, size, false, &attr);
	buf_str(dump->buf, ", ");
	perfdata_print_attr(&attr, " = ", perfdata_reader_features(dump->reader),
			    attr.type == 2 && dump->nr_attrs < dump->events->events.nr
				    ? dump->events->events.items[dump->nr_attrs].name
				    : NULL,
			    dump->buf);
	dump->nr_attrs++;
}

static void print_feature(struct dump *dump, struct span body)
{
	struct perfdata_features features;
	uint64_t bit;

	if (body.size < 8)
		return;
	memcpy(&bit, body.data, sizeof(bit));
	if (bit >= PERFDATA_FEATURE_NR || body.size == 8) /* the end of the list */
		return;
	buf_str(dump->buf, ", ");
	perfdata_features_init(&features, perfdata_reader_features(dump->reader)->swap);
	perfdata_features_add(&features, PERFDATA_PMU_MAPPINGS,
			      perfdata_reader_features(dump->reader)->payloads[PERFDATA_PMU_MAPPINGS]);
	perfdata_features_add(&features, PERFDATA_NRCPUS,
			      perfdata_reader_features(dump->reader)->payloads[PERFDATA_NRCPUS]);
	perfdata_features_add(&features, (unsigned)bit, (struct span){ body.data + 8, body.size - 8 });
	perfdata_print_feature(dump->reader, &features, (unsigned)bit, true, dump->buf);
	perfdata_features_release(&features);
}

/* What follows "PERF_RECORD_NAME". */
static void print_user_body(struct dump *dump, const struct record *record)
{
	switch (record->type) {
	case RECORD_HEADER_ATTR:
		print_attr(dump, record->body);
		return;
	case RECORD_ID_INDEX:
		print_id_index(record->body, dump->buf);
		return;
	case RECORD_THREAD_MAP:
		print_thread_map(record->body, dump->buf);
		return;
	case RECORD_CPU_MAP:
		print_cpu_map(record->body, dump->buf);
		return;
	case RECORD_EVENT_UPDATE:
		print_event_update(record->body, dump->buf);
		return;
	case RECORD_HEADER_FEATURE:
		print_feature(dump, record->body);
		return;
	case RECORD_FINISHED_ROUND:
		buf_putc(dump->buf, '\n');
		return;
	case RECORD_HEADER_TRACING_DATA:
		return;
	default:
		buf_str(dump->buf, ": unhandled!\n");
		return;
	}
}

/* Records that the dump words otherwise than --show-*-events does. False: it has no words of its own. */
static bool print_kernel_body(struct dump *dump, const struct record *record)
{
	const struct event_table *events = dump->events;
	uint32_t event = event_table_of_record(events, record->raw);
	struct buf *buf = dump->buf;

	switch (record->type) {
	case RECORD_LOST:
		buf_printf(buf, "LOST: id:%" PRIu64 ": lost:%" PRIu64 "\n", record->lost.id,
			   record->lost.lost);
		return true;
	case RECORD_LOST_SAMPLES:
		buf_printf(buf, "LOST_SAMPLES: id:%" PRIu64 ": lost samples :%" PRIu64 "\n", record->id.id,
			   record->lost.lost);
		return true;
	case RECORD_READ:
		buf_printf(buf, "READ: %" PRId32 " %" PRId32 " %s %" PRIu64 "\n", record->read.pid,
			   record->read.tid,
			   event == HASH_NONE ? "unknown" : events->events.items[event].name,
			   record->read.values.size >= 8
				   ? sample_u64_at((const void *)record->read.values.data, 0)
				   : 0);
		return true;
	case RECORD_AUX:
		buf_str(buf, "AUX offset: ");
		print_offset(record->aux.offset, buf);
		buf_str(buf, " size: ");
		print_offset(record->aux.size, buf);
		buf_str(buf, " flags: ");
		print_offset(record->aux.flags, buf);
		buf_printf(buf, " [%s%s%s]\n", record->aux.flags & 1 ? "T" : "",
			   record->aux.flags & 2 ? "O" : "", record->aux.flags & 4 ? "P" : "");
		return true;
	case RECORD_ITRACE_START:
		if (record->body.size < 8)
			return false;
		buf_printf(buf, "ITRACE_START pid: %" PRId32 " tid: %" PRId32 "\n",
			   (int32_t)sample_u32_at((const void *)record->body.data, 0),
			   (int32_t)sample_u32_at((const void *)record->body.data, 4));
		return true;
	case RECORD_AUX_OUTPUT_HW_ID:
		if (record->body.size < 8)
			return false;
		buf_str(buf, "AUX_OUTPUT_HW_ID hw_id: ");
		print_offset(sample_u64_at((const void *)record->body.data, 0), buf);
		buf_putc(buf, '\n');
		return true;
	case RECORD_TEXT_POKE:
		buf_printf(buf, "TEXT_POKE %" PRIx64 "  old len %u new len %u\n            Old bytes:",
			   record->text_poke.addr, record->text_poke.old_length,
			   record->text_poke.new_length);
		for (unsigned i = 0; i < record->text_poke.old_length; i++)
			buf_printf(buf, " %02x", record->text_poke.bytes[i]);
		buf_str(buf, "\n            New bytes:");
		for (unsigned i = 0; i < record->text_poke.new_length; i++)
			buf_printf(buf, " %02x", record->text_poke.bytes[record->text_poke.old_length + i]);
		buf_putc(buf, '\n');
		return true;
	default:
		return false;
	}
}

static void print_other(struct dump *dump, const struct sorted_record *sorted)
{
	const struct record_header *raw = sorted->raw;
	const char *name = record_type_name(raw->type);
	struct record record;
	int ret = record_decode(raw, event_table_trailer_type(dump->events, raw), sorted->offset, &record);

	if (raw->type >= RECORD_USER_FIRST)
		record.id = (struct record_id){ 0 };
	else if (sorted->time == RECORD_NO_TIME)
		record.id.time = record.id.time == RECORD_NO_TIME ? UINT64_MAX : 0;
	print_place(dump, sorted, &record.id);
	if (!name) {
		buf_printf(dump->buf, "%u: a type that is unknown here\n", raw->type);
	} else if (ret < 0) {
		buf_printf(dump->buf, "%s: too short for its type\n", name);
	} else if (raw->type >= RECORD_USER_FIRST) {
		buf_str(dump->buf, name);
		print_user_body(dump, &record);
	} else if (!print_kernel_body(dump, &record)) {
		dump->buf->size -= strlen("PERF_RECORD_");
		record_text_print(&record, dump->buf);
		if (raw->type == RECORD_THROTTLE || raw->type == RECORD_UNTHROTTLE)
			buf_str(dump->buf, ": unhandled!");
		buf_putc(dump->buf, '\n');
	}
	if (ret == 0)
		record_tasks_apply(dump->tasks, &record);
}

static void print_record(struct dump *dump, const struct sorted_record *sorted)
{
	const struct perfdata_header *header = perfdata_reader_header(dump->reader);

	buf_putc(dump->buf, '\n');
	print_offset(sorted->offset - (header->is_pipe ? sizeof(struct perfdata_pipe_header) : 0), dump->buf);
	buf_printf(dump->buf, "@%s", header->is_pipe ? "pipe" : header->path);
	if (header->is_directory)
		buf_str(dump->buf, sorted->stream ? "/data." : "/data");
	if (sorted->stream)
		buf_u64(dump->buf, perfdata_reader_stream_number(dump->reader, sorted->stream));
	buf_printf(dump->buf, " [0x%x]: event: %u\n", sorted->raw->size, sorted->raw->type);
	print_bytes(sorted->raw, dump->buf);
	record_count(&dump->counts, sorted->raw);
	if (sorted->raw->type == RECORD_SAMPLE)
		print_sample(dump, sorted);
	else
		print_other(dump, sorted);
}

struct record_dump {
	struct dump dump;
};

struct record_dump *record_dump_new(struct perfdata_reader *reader)
{
	struct record_dump *record_dump = xcalloc(1, sizeof(*record_dump));

	record_dump->dump = (struct dump){
		.reader = reader,
		.events = perfdata_reader_events(reader),
		.tasks = record_tasks_new(),
		.arch = perfdata_features_string(perfdata_reader_features(reader), PERFDATA_ARCH),
	};
	counts_init(&record_dump->dump.counts, reader);
	return record_dump;
}

void record_dump_free(struct record_dump *record_dump)
{
	if (!record_dump)
		return;
	counts_release(&record_dump->dump.counts);
	record_tasks_free(record_dump->dump.tasks);
	free(record_dump);
}

void record_dump_record(struct record_dump *record_dump, const struct sorted_record *sorted, struct buf *buf)
{
	record_dump->dump.buf = buf;
	print_record(&record_dump->dump, sorted);
}

int record_dump_raw(struct perfdata_reader *reader, struct buf *buf, struct err *err)
{
	struct record_dump *dump = record_dump_new(reader);
	struct sorter *sorter = sorter_new(perfdata_reader_source(reader), dump->dump.events,
					   perfdata_reader_nr_streams(reader));
	struct sorted_record *batch = xcalloc(BATCH, sizeof(*batch));
	int nr;

	while ((nr = sorter_next(sorter, batch, BATCH, err)) > 0) {
		for (int i = 0; i < nr; i++)
			record_dump_record(dump, &batch[i], buf);
		sorter_release(sorter);
	}
	counts_print(&dump->dump.counts, buf);
	record_dump_free(dump);
	free(batch);
	sorter_free(sorter);
	return nr;
}
