/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in the order of time, for those who need it (script, sched, live views).
 *
 * A source is read round by round: rounds are the records between FINISHED_ROUND markers, and no record of
 * a round is older than the newest of the round before the last. Within a round the rings of the CPUs follow each
 * other, so it consists of a few ascending runs, which are merged. Records without a time (those of user space, and what
 * was synthesised at the start) keep their place in front of what is being sorted. Equal times keep the order
 * of the file.
 */
#ifndef RECORD_SORTER_H
#define RECORD_SORTER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/event_table.h"
#include "record/record.h"
#include "record/source.h"

struct sorter;

struct sorted_record {
	const struct record_header *raw;
	uint64_t time; /* RECORD_NO_TIME: none */
	uint64_t offset; /* in the file, for messages */
	uint32_t event; /* index in the event table; HASH_NONE: none or unknown */
	uint32_t stream; /* as in record_block */
};

/* source and events stay the caller's. nr_streams: perfdata_reader_nr_streams; with several there are no rounds. */
struct sorter *sorter_new(struct record_source *source, const struct event_table *events,
			  uint32_t nr_streams);
void sorter_free(struct sorter *sorter);
/*
 * The next records, at most room: their number, 0 at the end, or -errno with words (what was read before is handed out
 * first). They stay valid until sorter_release (of stable sources until the source is closed).
 */
int sorter_next(struct sorter *sorter, struct sorted_record *batch, size_t room, struct err *err);
/* Gives the bytes of all records handed out so far back to the source. Not calling it keeps them in memory. */
void sorter_release(struct sorter *sorter);
/* Records that came later than they may: older than what had been handed out when they were read. */
uint64_t sorter_nr_late(const struct sorter *sorter);

#endif
