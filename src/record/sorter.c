/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue holds {time, record} in the order of arrival behind what an earlier round left over, which is
 * sorted. To sort it, ascending runs are found and merged in pairs, pass by pass: for a round of N rings that is
 * log2(N) passes over 24 bytes a record, without a comparison function, a heap or an allocation per record.
 *
 * Blocks of sources that are not stable are held back until every record of theirs has been handed out and
 * released; nothing is copied.
 */
#include "record/sorter.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/xalloc.h"

struct entry {
	uint64_t time;
	const struct record_header *raw;
	uint32_t block;
};

struct held_block {
	struct record_block block;
	const uint8_t *start;
	uint32_t nr_queued; /* records not yet handed out */
	bool is_read; /* all records have been queued or handed out */
};

struct sorter {
	struct record_source *source;
	const struct event_table *events;
	bool has_rounds;
	bool ended;
	int error;
	struct err err;

	ARRAY(struct entry) queue;
	size_t nr_sorted; /* at the front of the queue: left over by the last round */
	size_t given, ready; /* queue[given, ready) is to be handed out */
	ARRAY(struct entry) scratch;
	ARRAY(size_t) runs; /* where each run ends */
	uint64_t newest; /* time of all records read so far */
	uint64_t limit; /* newest at the end of the last round: what is older may go now */
	uint64_t last_given;
	uint64_t nr_late;

	ARRAY(struct held_block) blocks; /* all, by number; descriptions are small */
	const struct record_header *next; /* in the last block; NULL: get another */
	ARRAY(uint32_t) finished; /* blocks to give back at the next release */
};

struct sorter *sorter_new(struct record_source *source, const struct event_table *events, uint32_t nr_streams)
{
	struct sorter *sorter = xcalloc(1, sizeof(*sorter));

	sorter->source = source;
	sorter->events = events;
	sorter->has_rounds = nr_streams <= 1;
	return sorter;
}

void sorter_free(struct sorter *sorter)
{
	if (!sorter)
		return;
	if (!sorter->source->stable)
		for (size_t i = 0; i < sorter->blocks.nr; i++)
			if (sorter->blocks.items[i].start)
				record_source_done(sorter->source, &sorter->blocks.items[i].block);
	array_release(&sorter->queue);
	array_release(&sorter->scratch);
	array_release(&sorter->runs);
	array_release(&sorter->blocks);
	array_release(&sorter->finished);
	free(sorter);
}

static void merge(const struct entry *a, const struct entry *a_end, const struct entry *b,
		  const struct entry *b_end, struct entry *to)
{
	while (a < a_end && b < b_end) {
		bool first = a->time <= b->time;

		*to++ = first ? *a : *b;
		a += first;
		b += !first;
	}
	if (a < a_end)
		memcpy(to, a, (size_t)((const char *)a_end - (const char *)a));
	else if (b < b_end)
		memcpy(to, b, (size_t)((const char *)b_end - (const char *)b));
}

/* One pass: each two runs that follow each other become one. */
static void merge_pairs(struct sorter *sorter)
{
	const struct entry *from = sorter->queue.items;
	struct entry *to = sorter->scratch.items;
	size_t start = 0, nr = 0;

	for (size_t i = 0; i < sorter->runs.nr; i += 2) {
		size_t middle = sorter->runs.items[i];
		size_t end = i + 1 < sorter->runs.nr ? sorter->runs.items[i + 1] : middle;

		merge(from + start, from + middle, from + middle, from + end, to + start);
		sorter->runs.items[nr++] = end;
		start = end;
	}
	sorter->runs.nr = nr;
	sorter->scratch.nr = sorter->queue.nr;
}

static void queue_sort(struct sorter *sorter)
{
	array_clear(&sorter->runs);
	for (size_t i = sorter->nr_sorted ? sorter->nr_sorted : 1; i < sorter->queue.nr; i++)
		if (sorter->queue.items[i].time < sorter->queue.items[i - 1].time)
			array_push(&sorter->runs, i);
	if (!sorter->runs.nr)
		return;
	array_push(&sorter->runs, sorter->queue.nr);
	array_reserve(&sorter->scratch, sorter->queue.nr);
	while (sorter->runs.nr > 1) {
		struct entry *items = sorter->queue.items;
		size_t room = sorter->queue.room;

		merge_pairs(sorter);
		sorter->queue.items = sorter->scratch.items;
		sorter->queue.room = sorter->scratch.room;
		sorter->scratch.items = items;
		sorter->scratch.room = room;
	}
}

/* A round is over: everything up to `limit` can go. */
static void queue_flush(struct sorter *sorter, uint64_t limit)
{
	size_t low, high;

	if (sorter->given) {
		memmove(sorter->queue.items, sorter->queue.items + sorter->given,
			(sorter->queue.nr - sorter->given) * sizeof(sorter->queue.items[0]));
		sorter->queue.nr -= sorter->given;
		sorter->nr_sorted -= sorter->given < sorter->nr_sorted ? sorter->given : sorter->nr_sorted;
		sorter->given = 0;
	}
	queue_sort(sorter);
	sorter->nr_sorted = sorter->queue.nr;
	low = 0;
	high = sorter->queue.nr;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sorter->queue.items[middle].time <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	sorter->ready = low;
}

static void hand_out(struct sorter *sorter, const struct record_header *raw, uint64_t time, uint32_t index,
		     struct sorted_record *ret)
{
	struct held_block *held = &sorter->blocks.items[index];

	ret->raw = raw;
	ret->time = time;
	ret->offset = held->block.offset;
	if (!held->block.offset_is_fixed)
		ret->offset += (uint64_t)((const uint8_t *)raw - held->start);
	ret->event = event_table_of_record(sorter->events, raw);
	ret->stream = held->block.stream;
}

static void block_check(struct sorter *sorter, uint32_t index)
{
	const struct held_block *held = &sorter->blocks.items[index];

	if (held->is_read && !held->nr_queued && !sorter->source->stable)
		array_push(&sorter->finished, index);
}

static size_t ready_take(struct sorter *sorter, struct sorted_record *batch, size_t room)
{
	size_t nr = 0;

	while (nr < room && sorter->given < sorter->ready) {
		const struct entry *entry = &sorter->queue.items[sorter->given++];

		if (sorter->given + 8 < sorter->ready)
			__builtin_prefetch(sorter->queue.items[sorter->given + 8].raw);
		hand_out(sorter, entry->raw, entry->time, entry->block, &batch[nr++]);
		if (entry->time > sorter->last_given)
			sorter->last_given = entry->time;
		sorter->blocks.items[entry->block].nr_queued--;
		block_check(sorter, entry->block);
	}
	return nr;
}

/* 1, 0 at the end, -errno. */
static int block_get(struct sorter *sorter)
{
	struct held_block held = { 0 };
	int ret = record_source_next(sorter->source, &held.block, &sorter->err);

	if (ret <= 0)
		return ret;
	held.start = held.block.bytes.data;
	sorter->next = record_first(&held.block);
	held.is_read = !sorter->next;
	array_push(&sorter->blocks, held);
	block_check(sorter, (uint32_t)sorter->blocks.nr - 1);
	if (sorter->source->stable) {
		struct record_block block = held.block;

		record_source_done(sorter->source, &block);
	}
	return 1;
}

static inline uint64_t record_time(const struct event_table *events, const struct record_header *raw)
{
	int place;

	if (raw->type >= RECORD_USER_FIRST)
		return RECORD_NO_TIME;
	if (raw->type == RECORD_SAMPLE) {
		place = events->time_from_start;
		if (place > 0 && raw->size >= (unsigned)place + 8)
			return sample_u64_at(raw, (unsigned)place);
	} else {
		place = events->time_from_end;
		if (place > 0 && raw->size >= sizeof(*raw) + (unsigned)place)
			return sample_u64_at(raw, raw->size - (unsigned)place);
	}
	return event_table_record_time(events, raw);
}

/*
 * Queues records of the last block up to one that is handed out at once (1: it is in ret) or the block's end (0).
 * Behind a FINISHED_ROUND the queue's older part is ready.
 */
static int block_read(struct sorter *sorter, struct sorted_record *ret)
{
	uint32_t index = (uint32_t)sorter->blocks.nr - 1;
	struct held_block *held = &sorter->blocks.items[index];
	const struct record_header *raw = sorter->next;

	for (; raw; raw = record_next(&held->block, raw)) {
		uint64_t time = record_time(sorter->events, raw);

		if (!time || time == RECORD_NO_TIME) {
			hand_out(sorter, raw, RECORD_NO_TIME, index, ret);
			if (raw->type == RECORD_FINISHED_ROUND && sorter->has_rounds) {
				queue_flush(sorter, sorter->limit);
				sorter->limit = sorter->newest;
			}
			sorter->next = record_next(&held->block, raw);
			break;
		}
		if (time > sorter->newest)
			sorter->newest = time;
		if (time < sorter->last_given)
			sorter->nr_late++;
		array_push(&sorter->queue, (struct entry){ time, raw, index });
		held->nr_queued++;
	}
	if (raw && sorter->next)
		return 1;
	sorter->next = NULL;
	held->is_read = true;
	block_check(sorter, index);
	return !!raw;
}

int sorter_next(struct sorter *sorter, struct sorted_record *batch, size_t room, struct err *err)
{
	size_t nr = 0;

	if (room > INT32_MAX)
		room = INT32_MAX;
	while (nr < room) {
		size_t taken = ready_take(sorter, batch + nr, room - nr);

		if (taken) {
			nr += taken;
		} else if (sorter->next) {
			nr += (size_t)block_read(sorter, batch + nr);
		} else if (!sorter->ended) {
			int ret = block_get(sorter);

			if (ret > 0)
				continue;
			sorter->ended = true;
			sorter->error = ret;
			queue_flush(sorter, UINT64_MAX);
		} else {
			break;
		}
	}
	if (!nr && sorter->error) {
		if (err)
			*err = sorter->err;
		return sorter->error;
	}
	return (int)nr;
}

void sorter_release(struct sorter *sorter)
{
	for (size_t i = 0; i < sorter->finished.nr; i++) {
		struct held_block *held = &sorter->blocks.items[sorter->finished.items[i]];

		if (!held->start)
			continue;
		record_source_done(sorter->source, &held->block);
		held->start = NULL;
	}
	array_clear(&sorter->finished);
}

uint64_t sorter_nr_late(const struct sorter *sorter)
{
	return sorter->nr_late;
}
