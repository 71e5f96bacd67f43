/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts by thread: `record -s` lets the kernel write a READ record for each event of each thread that ends. The
 * values lie as read_format says (include/uapi/linux/perf_event.h): value, times, id and lost of one event, or
 * all members of a group.
 */
#include "cmd/report_threads.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/xalloc.h"

struct thread_counts {
	int32_t pid, tid;
	uint64_t *values; /* by event */
};

struct counts {
	const struct event_table *events;
	ARRAY(struct thread_counts) threads;
};

static uint64_t *counts_of(struct counts *counts, int32_t pid, int32_t tid)
{
	for (size_t i = counts->threads.nr; i-- > 0;)
		if (counts->threads.items[i].tid == tid && counts->threads.items[i].pid == pid)
			return counts->threads.items[i].values;
	array_push(&counts->threads,
		   (struct thread_counts){ pid, tid, xcalloc(counts->events->events.nr + 1, 8) });
	return array_last(&counts->threads)->values;
}

static void add_value(struct counts *counts, uint64_t *values, uint64_t id, uint64_t value,
		      uint32_t otherwise)
{
	uint32_t event = id ? event_table_find_id(counts->events, id) : otherwise;

	if (event < counts->events->events.nr)
		values[event] += value;
}

static void add_read(struct counts *counts, const struct record_header *raw)
{
	struct cursor cursor = cursor_of(raw + 1, raw->size - sizeof(*raw), false);
	int32_t pid = (int32_t)cursor_u32(&cursor), tid = (int32_t)cursor_u32(&cursor);
	uint64_t format, nr = 1, *values;

	if (cursor.failed || !counts->events->events.nr)
		return;
	/* All events of a recording are read in the same format. */
	format = counts->events->events.items[0].attr.read_format;
	values = counts_of(counts, pid, tid);
	if (format & PERF_FORMAT_GROUP)
		nr = cursor_u64(&cursor);
	for (uint64_t i = 0; i < nr && !cursor.failed; i++) {
		uint64_t value = 0, id = 0;

		if (!(format & PERF_FORMAT_GROUP))
			value = cursor_u64(&cursor);
		if (!i && format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			cursor_u64(&cursor);
		if (!i && format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			cursor_u64(&cursor);
		if (format & PERF_FORMAT_GROUP)
			value = cursor_u64(&cursor);
		if (format & PERF_FORMAT_ID)
			id = cursor_u64(&cursor);
		if (format & EVENT_FORMAT_LOST)
			cursor_u64(&cursor);
		if (!cursor.failed)
			add_value(counts, values, id, value, 0);
	}
}

static unsigned digits(uint64_t value)
{
	unsigned nr = 1;

	while (value /= 10)
		nr++;
	return nr;
}

static unsigned width_of_event(const struct counts *counts, size_t event)
{
	unsigned width = (unsigned)snprintf(NULL, 0, "%s", counts->events->events.items[event].name);

	for (size_t i = 0; i < counts->threads.nr; i++) {
		unsigned nr = digits(counts->threads.items[i].values[event]);

		width = nr > width ? nr : width;
	}
	return width;
}

static void print_counts(const struct counts *counts, struct buf *buf)
{
	size_t nr_events = counts->events->events.nr;
	unsigned *widths = xcalloc(nr_events + 1, sizeof(*widths)), pid_width = 3, tid_width = 3;

	for (size_t i = 0; i < nr_events; i++)
		widths[i] = width_of_event(counts, i);
	for (size_t i = 0; i < counts->threads.nr; i++) {
		unsigned pid = digits((uint32_t)counts->threads.items[i].pid);
		unsigned tid = digits((uint32_t)counts->threads.items[i].tid);

		pid_width = pid > pid_width ? pid : pid_width;
		tid_width = tid > tid_width ? tid : tid_width;
	}
	buf_printf(buf, "# %*s  %*s", (int)pid_width, "PID", (int)tid_width, "TID");
	for (size_t i = 0; i < nr_events; i++)
		buf_printf(buf, "  %*s", (int)widths[i], counts->events->events.items[i].name);
	buf_putc(buf, '\n');
	for (size_t i = 0; i < counts->threads.nr; i++) {
		const struct thread_counts *thread = &counts->threads.items[i];

		buf_printf(buf, "  %*d  %*d", (int)pid_width, thread->pid, (int)tid_width, thread->tid);
		for (size_t k = 0; k < nr_events; k++)
			buf_printf(buf, "  %*llu", (int)widths[k], (unsigned long long)thread->values[k]);
		buf_putc(buf, '\n');
	}
	free(widths);
}

void report_threads_print(struct recording *recording, struct buf *buf)
{
	struct record_source *source = perfdata_reader_source(recording->reader);
	struct counts counts = { .events = perfdata_reader_events(recording->reader) };
	struct record_block block;

	if (record_source_rewind(source, NULL) < 0)
		return;
	while (record_source_next(source, &block, NULL) > 0) {
		for (const struct record_header *raw = record_first(&block); raw;
		     raw = record_next(&block, raw))
			if (raw->type == RECORD_READ)
				add_read(&counts, raw);
		record_source_done(source, &block);
	}
	if (counts.threads.nr)
		print_counts(&counts, buf);
	for (size_t i = 0; i < counts.threads.nr; i++)
		free(counts.threads.items[i].values);
	array_release(&counts.threads);
}
