/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/snapshot.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/file.h"
#include "capture/snapshot_files.h"
#include "record/record.h"

#define FLUSH_SIZE (128u << 10)
#define RECORD_SIZE_MAX 65528

void snapshot_begin(struct snapshot *snapshot, struct err *err)
{
	buf_init(&snapshot->buf, -1);
	snapshot->files = snapshot_files_new();
	snapshot->error = 0;
	snapshot->err = err;
}

static void flush(struct snapshot *snapshot)
{
	struct span records = { (const uint8_t *)snapshot->buf.data, snapshot->buf.size };

	if (records.size && !snapshot->error)
		snapshot->error = record_sink_push(snapshot->sink, records, snapshot->err);
	snapshot->buf.size = 0;
}

int snapshot_end(struct snapshot *snapshot)
{
	flush(snapshot);
	buf_release(&snapshot->buf);
	snapshot_files_free(snapshot->files);
	return snapshot->error;
}

/* ---- records ---- */

void snapshot_put_u16(struct snapshot *snapshot, uint16_t value)
{
	buf_put(&snapshot->buf, &value, sizeof(value));
}

void snapshot_put_u32(struct snapshot *snapshot, uint32_t value)
{
	buf_put(&snapshot->buf, &value, sizeof(value));
}

void snapshot_put_u64(struct snapshot *snapshot, uint64_t value)
{
	buf_put(&snapshot->buf, &value, sizeof(value));
}

static void pad(struct snapshot *snapshot)
{
	size_t size = snapshot->buf.size - snapshot->record_start;

	buf_fill(&snapshot->buf, 0, -size & 7);
}

void snapshot_put_string(struct snapshot *snapshot, const char *text)
{
	buf_put(&snapshot->buf, text, strlen(text) + 1);
	pad(snapshot);
}

void snapshot_record_begin(struct snapshot *snapshot, uint32_t type, uint16_t misc)
{
	struct record_header header = { .type = type, .misc = misc };

	snapshot->record_start = snapshot->buf.size;
	buf_put(&snapshot->buf, &header, sizeof(header));
}

void snapshot_record_end(struct snapshot *snapshot)
{
	struct record_header header;
	char *start;
	size_t size;

	pad(snapshot);
	start = snapshot->buf.data + snapshot->record_start;
	memcpy(&header, start, sizeof(header));
	if (header.type < RECORD_USER_FIRST) {
		buf_fill(&snapshot->buf, 0, snapshot->trailer_size);
		start = snapshot->buf.data + snapshot->record_start;
	}
	size = snapshot->buf.size - snapshot->record_start;
	if (size > RECORD_SIZE_MAX) {
		snapshot->buf.size = snapshot->record_start;
		return;
	}
	header.size = (uint16_t)size;
	memcpy(start, &header, sizeof(header));
	if (header.type == RECORD_MMAP2 && snapshot->mapped)
		snapshot->mapped(snapshot->mapped_context, (const struct record_header *)start);
	if (snapshot->buf.size > FLUSH_SIZE)
		flush(snapshot);
}

/* struct of PERF_RECORD_MMAP2 in include/uapi/linux/perf_event.h. */
void snapshot_mapping(struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	uint16_t misc = mapping->cpumode;

	if (mapping->build_id_size)
		misc |= RECORD_MISC_MMAP_BUILD_ID;
	if (!(mapping->prot & PROT_EXEC) && mapping->pid >= 0)
		misc |= RECORD_MISC_MMAP_DATA;
	snapshot_record_begin(snapshot, RECORD_MMAP2, misc);
	snapshot_put_u32(snapshot, (uint32_t)mapping->pid);
	snapshot_put_u32(snapshot, (uint32_t)mapping->tid);
	snapshot_put_u64(snapshot, mapping->addr);
	snapshot_put_u64(snapshot, mapping->length);
	snapshot_put_u64(snapshot, mapping->pgoff);
	if (mapping->build_id_size) {
		buf_putc(&snapshot->buf, (char)mapping->build_id_size);
		buf_fill(&snapshot->buf, 0, 3);
		buf_put(&snapshot->buf, mapping->build_id, SNAPSHOT_BUILD_ID_MAX);
	} else {
		snapshot_put_u32(snapshot, mapping->major);
		snapshot_put_u32(snapshot, mapping->minor);
		snapshot_put_u64(snapshot, mapping->inode);
		snapshot_put_u64(snapshot, 0);
	}
	snapshot_put_u32(snapshot, mapping->prot);
	snapshot_put_u32(snapshot, mapping->flags);
	snapshot_put_string(snapshot, mapping->path);
	snapshot_record_end(snapshot);
}

/* ---- what is recorded ---- */

#define IDS_PER_RECORD 2000 /* 32 bytes each */
#define THREADS_PER_RECORD 2700 /* 24 bytes each */

void snapshot_ids(struct snapshot *snapshot, const struct counter_set *set)
{
	for (size_t first = 0; first < set->counters.nr; first += IDS_PER_RECORD) {
		size_t nr = set->counters.nr - first;

		if (nr > IDS_PER_RECORD)
			nr = IDS_PER_RECORD;
		snapshot_record_begin(snapshot, RECORD_ID_INDEX, 0);
		snapshot_put_u64(snapshot, nr);
		for (size_t i = first; i < first + nr; i++) {
			const struct counter *counter = &set->counters.items[i];

			snapshot_put_u64(snapshot, counter->id);
			snapshot_put_u64(snapshot, counter->ring);
			snapshot_put_u64(snapshot, (uint64_t)(int64_t)counter->cpu);
			snapshot_put_u64(snapshot, (uint64_t)(int64_t)counter->tid);
		}
		snapshot_record_end(snapshot);
	}
}

static void put_thread(struct snapshot *snapshot, int64_t tid)
{
	char path[64], comm[16] = "";

	snprintf(path, sizeof(path), "/proc/%lld/comm", (long long)tid);
	if (tid > 0 && file_read_line(path, comm, sizeof(comm)) < 0)
		comm[0] = 0;
	snapshot_put_u64(snapshot, (uint64_t)tid);
	buf_put(&snapshot->buf, comm, strlen(comm));
	buf_fill(&snapshot->buf, 0, sizeof(comm) - strlen(comm));
}

void snapshot_target(struct snapshot *snapshot, const struct target *target)
{
	size_t nr = target->kind == TARGET_CPUS ? 1 : target->threads.nr;

	if (nr > THREADS_PER_RECORD)
		nr = THREADS_PER_RECORD;
	snapshot_record_begin(snapshot, RECORD_THREAD_MAP, 0);
	snapshot_put_u64(snapshot, nr);
	for (size_t i = 0; i < nr; i++)
		put_thread(snapshot, target->kind == TARGET_CPUS ? -1 : target->threads.items[i].tid);
	snapshot_record_end(snapshot);

	/* The form that all readers know: a list. */
	snapshot_record_begin(snapshot, RECORD_CPU_MAP, 0);
	snapshot_put_u16(snapshot, 0);
	if (target->per_thread) {
		snapshot_put_u16(snapshot, 1);
		snapshot_put_u16(snapshot, UINT16_MAX);
	} else {
		snapshot_put_u16(snapshot, (uint16_t)cpuset_count(&target->cpus));
		for (int cpu = cpuset_next(&target->cpus, 0); cpu >= 0;
		     cpu = cpuset_next(&target->cpus, cpu + 1))
			snapshot_put_u16(snapshot, (uint16_t)cpu);
	}
	snapshot_record_end(snapshot);
}

void snapshot_lost(struct snapshot *snapshot, const struct event_attr *attr, uint64_t id, uint64_t lost)
{
	/* The trailer's fields in their order (sample_id of include/uapi/linux/perf_event.h). */
	static const struct {
		uint64_t bit;
		bool is_id;
	} fields[] = {
		{ PERF_SAMPLE_TID, false }, { PERF_SAMPLE_TIME, false },
		{ PERF_SAMPLE_ID, true },   { PERF_SAMPLE_STREAM_ID, false },
		{ PERF_SAMPLE_CPU, false }, { PERF_SAMPLE_IDENTIFIER, true },
	};
	size_t trailer_size = snapshot->trailer_size;

	snapshot_record_begin(snapshot, RECORD_LOST_SAMPLES, 0);
	snapshot_put_u64(snapshot, lost);
	for (size_t i = 0; i < NR_ITEMS(fields); i++)
		if (attr->sample_type & fields[i].bit)
			snapshot_put_u64(snapshot, fields[i].is_id ? id : 0);
	snapshot->trailer_size = 0;
	snapshot_record_end(snapshot);
	snapshot->trailer_size = trailer_size;
}

void snapshot_finished(struct snapshot *snapshot)
{
	snapshot_record_begin(snapshot, RECORD_FINISHED_INIT, 0);
	snapshot_record_end(snapshot);
}
