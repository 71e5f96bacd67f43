/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/sideband.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Bytes of records from which on a thread that reads ahead is worth its making. */
#define PRELOAD_SIZE ((uint64_t)8 << 20)

struct kept_record {
	uint64_t time;
	const struct record_header *raw;
	uint64_t offset;
};

struct reading {
	struct sideband *sideband;
	const struct event_table *events;
	struct arena copies; /* of records whose block does not last */
	ARRAY(struct kept_record) kept;
	bool is_sorted;
};

static struct profile_event_stats *stats_of_event(struct sideband *sideband, uint32_t event)
{
	while (sideband->event_stats.nr <= event)
		array_add(&sideband->event_stats);
	return &sideband->event_stats.items[event];
}

static void keep(struct reading *reading, const struct record_header *raw, uint64_t offset, bool is_stable)
{
	uint64_t time = event_table_record_time(reading->events, raw);

	if (time == RECORD_NO_TIME)
		time = 0;
	if (reading->kept.nr && time < array_last(&reading->kept)->time)
		reading->is_sorted = false;
	if (!is_stable)
		raw = arena_memdup(&reading->copies, raw, raw->size);
	array_push(&reading->kept, (struct kept_record){ time, raw, offset });
}

static void count_bad(struct profile_stats *stats, uint64_t offset)
{
	if (!stats->nr_bad_records++)
		stats->first_bad_offset = offset;
}

/* Records that are neither samples nor side-band, but say something about the recording. */
static void count_other(struct reading *reading, const struct record_header *raw, uint64_t offset)
{
	struct sideband *sideband = reading->sideband;
	struct record record;
	uint32_t event;

	switch (raw->type) {
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
	case RECORD_THROTTLE:
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		break;
	default:
		return;
	}
	if (record_decode(raw, reading->events->trailer_type, offset, &record) < 0) {
		count_bad(&sideband->stats, offset);
		return;
	}
	switch (raw->type) {
	case RECORD_LOST:
		sideband->stats.nr_lost_records += record.lost.lost;
		break;
	case RECORD_LOST_SAMPLES:
		event = event_table_find_id(reading->events, record.id.id);
		if (event == HASH_NONE)
			event = 0;
		if (event < reading->events->events.nr)
			stats_of_event(sideband, event)->nr_lost_samples += record.lost.lost;
		break;
	case RECORD_THROTTLE:
		sideband->stats.nr_throttled++;
		break;
	default:
		if (!sideband->parallelism)
			sideband->parallelism = parallelism_new();
		parallelism_add(sideband->parallelism, record.id.tid, record.id.time, !record.sw.is_out);
	}
}

static void walk_block(struct reading *reading, const struct record_block *block, bool is_stable)
{
	struct profile_stats *stats = &reading->sideband->stats;

	for (const struct record_header *raw = record_first(block); raw; raw = record_next(block, raw)) {
		stats->nr_records++;
		if (raw->type == RECORD_SAMPLE)
			continue;
		if (record_type_is_sideband(raw->type))
			keep(reading, raw,
			     block->offset + (uint64_t)((const uint8_t *)raw - block->bytes.data), is_stable);
		else
			count_other(reading, raw,
				    block->offset + (uint64_t)((const uint8_t *)raw - block->bytes.data));
	}
}

/* Merge sort: stable, and quick on what is nearly sorted already. */
static void sort_kept(struct kept_record *items, struct kept_record *scratch, size_t nr)
{
	size_t middle = nr / 2, left = 0, right, out = 0;

	if (nr < 2)
		return;
	sort_kept(items, scratch, middle);
	sort_kept(items + middle, scratch, nr - middle);
	if (items[middle - 1].time <= items[middle].time)
		return;
	memcpy(scratch, items, middle * sizeof(*items));
	for (right = middle; left < middle && right < nr;)
		items[out++] = items[right].time < scratch[left].time ? items[right++] : scratch[left++];
	memcpy(items + out, scratch + left, (middle - left) * sizeof(*items));
}

static void apply_all(struct reading *reading, struct machine *machine)
{
	if (!reading->is_sorted) {
		struct kept_record *scratch = xreallocarray(NULL, reading->kept.nr, sizeof(*scratch));

		sort_kept(reading->kept.items, scratch, reading->kept.nr);
		free(scratch);
	}
	for (size_t i = 0; i < reading->kept.nr; i++) {
		const struct kept_record *kept = &reading->kept.items[i];
		struct record record;

		if (record_decode(kept->raw, reading->events->trailer_type, kept->offset, &record) < 0)
			count_bad(&reading->sideband->stats, kept->offset);
		else
			machine_apply(machine, &record);
		/* A task's last switch is not recorded: its events are gone by then. */
		if (kept->raw->type == RECORD_EXIT && reading->sideband->parallelism)
			parallelism_add(reading->sideband->parallelism, record.task.tid, record.task.time,
					false);
	}
}

static bool may_sample_kernel(const struct event_table *events)
{
	for (size_t i = 0; i < events->events.nr; i++)
		if (!(events->events.items[i].attr.flags & ATTR_EXCLUDE_KERNEL))
			return true;
	return false;
}

int sideband_read(struct record_source *source, const struct event_table *events, struct machine *machine,
		  struct symbolizer *symbolizer, struct sideband *ret_sideband, struct err *err)
{
	struct reading reading = { .sideband = ret_sideband, .events = events, .is_sorted = true };
	struct record_block block;
	int ret;

	*ret_sideband = (struct sideband){ 0 };
	while ((ret = record_source_next(source, &block, err)) > 0) {
		walk_block(&reading, &block, source->stable);
		ret_sideband->size += block.bytes.size;
		if (symbolizer && ret_sideband->size > PRELOAD_SIZE && may_sample_kernel(events)) {
			symbolizer_preload(symbolizer);
			symbolizer = NULL;
		}
		if (source->stable)
			array_push(&ret_sideband->blocks, block);
		else
			record_source_done(source, &block);
	}
	apply_all(&reading, machine);
	if (ret_sideband->parallelism)
		parallelism_finish(ret_sideband->parallelism);
	array_release(&reading.kept);
	arena_release(&reading.copies);
	return ret;
}

void sideband_release(struct sideband *sideband)
{
	array_release(&sideband->blocks);
	array_release(&sideband->event_stats);
	parallelism_free(sideband->parallelism);
	sideband->parallelism = NULL;
}
