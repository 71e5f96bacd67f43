/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large runs go from the ring to the sink as they are. Small ones (many CPUs, little to do) are collected first, so that
 * a round costs few writes.
 */
#include "capture/drain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define STAGE_SIZE (64u << 10)
#define SMALL_RUN (8u << 10)

void drain_init(struct drain *drain)
{
	drain->stage = xmalloc(STAGE_SIZE);
	drain->stage_size = 0;
	drain->counts.first_time = drain->counts.last_time = RECORD_NO_TIME;
}

void drain_release(struct drain *drain)
{
	free(drain->stage);
	drain->stage = NULL;
}

static int flush_stage(struct drain *drain)
{
	struct span records = { drain->stage, drain->stage_size };

	drain->stage_size = 0;
	return records.size ? record_sink_push(drain->sink, records, drain->err) : 0;
}

static int push(struct drain *drain, struct span records)
{
	int code;

	if (!records.size)
		return 0;
	if (records.size < SMALL_RUN) {
		if (records.size > STAGE_SIZE - drain->stage_size && (code = flush_stage(drain)) < 0)
			return code;
		memcpy(drain->stage + drain->stage_size, records.data, records.size);
		drain->stage_size += records.size;
		return 0;
	}
	code = flush_stage(drain);
	return code < 0 ? code : record_sink_push(drain->sink, records, drain->err);
}

static uint64_t u64_at(const uint8_t *record, unsigned offset)
{
	uint64_t value;

	memcpy(&value, record + offset, sizeof(value));
	return value;
}

static void count_sample(struct drain *drain, const uint8_t *record)
{
	struct drain_counts *counts = &drain->counts;
	uint64_t time;

	counts->samples++;
	if (!drain->time_offset)
		return;
	time = u64_at(record, drain->time_offset);
	if (counts->first_time == RECORD_NO_TIME) {
		counts->first_time = counts->last_time = time;
	} else if (time > counts->last_time) {
		counts->last_time = time;
	} else if (time < counts->first_time) {
		counts->first_time = time;
	}
}

static void count_other(struct drain *drain, const uint8_t *record)
{
	const struct record_header *raw = (const struct record_header *)record;
	struct drain_counts *counts = &drain->counts;

	switch (raw->type) {
	case RECORD_LOST:
		counts->lost_records++;
		counts->lost += u64_at(record, sizeof(*raw) + 8);
		break;
	case RECORD_LOST_SAMPLES:
		counts->lost_samples += u64_at(record, sizeof(*raw));
		break;
	case RECORD_THROTTLE:
		counts->throttles++;
		break;
	case RECORD_MMAP2:
		counts->sideband++;
		if (drain->mapped)
			drain->mapped(drain->mapped_context, raw);
		break;
	case RECORD_COMM:
	case RECORD_FORK:
	case RECORD_EXIT:
		counts->sideband++;
		break;
	default:
		break;
	}
}

static bool is_excluded(const struct drain *drain, const uint8_t *record)
{
	int32_t pid;

	if (!drain->exclude_pid || ((const struct record_header *)record)->type != RECORD_SAMPLE)
		return false;
	memcpy(&pid, record + drain->pid_offset, sizeof(pid));
	return pid == drain->exclude_pid;
}

/* What ring_read hands over: records that the kernel wrote, so their sizes are right. */
static int take(void *context, struct span records)
{
	struct drain *drain = context;
	const uint8_t *pos = records.data, *end = pos + records.size, *run = pos;
	int code;

	while (pos < end) {
		const struct record_header *raw = (const struct record_header *)pos;
		uint16_t size = raw->size;

		if (size < sizeof(*raw) || size > end - pos)
			return err_set(drain->err, -EBADMSG, "the kernel's ring holds a damaged record");
		if (is_excluded(drain, pos)) {
			code = push(drain, (struct span){ run, (size_t)(pos - run) });
			if (code < 0)
				return code;
			run = pos + size;
		} else if (raw->type == RECORD_SAMPLE) {
			count_sample(drain, pos);
		} else {
			count_other(drain, pos);
		}
		pos += size;
	}
	return push(drain, (struct span){ run, (size_t)(end - run) });
}

static int finish_round(struct drain *drain)
{
	const struct record_header header = { .type = RECORD_FINISHED_ROUND, .size = sizeof(header) };
	int code = push(drain, (struct span){ (const uint8_t *)&header, sizeof(header) });

	if (code >= 0)
		code = flush_stage(drain);
	drain->counts.rounds++;
	return code;
}

static int64_t drain_all(struct drain *drain, bool overwrite, struct err *err)
{
	int64_t total = 0;
	int code;

	drain->err = err;
	for (size_t i = 0; i < drain->nr_rings; i++) {
		struct ring *ring = drain->rings[i];
		int64_t got;

		if (ring_is_overwrite(ring) != overwrite)
			continue;
		if (overwrite)
			ring_pause(ring, true);
		got = ring_read(ring, take, drain);
		if (overwrite)
			ring_pause(ring, false);
		if (got < 0)
			return got;
		total += got;
	}
	if (!total)
		return 0;
	drain->counts.bytes += (uint64_t)total;
	code = finish_round(drain);
	return code < 0 ? code : total;
}

int64_t drain_once(struct drain *drain, struct err *err)
{
	return drain_all(drain, false, err);
}

int64_t drain_overwritten(struct drain *drain, struct err *err)
{
	return drain_all(drain, true, err);
}
