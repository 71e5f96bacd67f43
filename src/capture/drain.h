/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Empties rings into a sink.
 *
 * Bytes are moved, not understood: of each record only the header is looked at, to count what will be told at the
 * end, and the time of samples. After each round of all rings a FINISHED_ROUND record tells readers that whatever is
 * older than the newest record of the round before may be sorted out.
 */
#ifndef CAPTURE_DRAIN_H
#define CAPTURE_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "capture/ring.h"
#include "record/record.h"
#include "record/sink.h"

struct drain_counts {
	uint64_t bytes;
	uint64_t samples;
	uint64_t sideband; /* mappings, comms, forks, exits */
	uint64_t lost_records, lost; /* LOST: how often, how many records */
	uint64_t lost_samples; /* LOST_SAMPLES: by the hardware */
	uint64_t throttles;
	uint64_t first_time, last_time; /* of samples; RECORD_NO_TIME: none */
	uint64_t rounds;
};

struct drain {
	struct record_sink *sink;
	struct ring **rings;
	size_t nr_rings;
	unsigned time_offset; /* of the time in samples; 0: they have none */
	unsigned pid_offset; /* of the pid in samples */
	int32_t exclude_pid; /* its samples are dropped; 0: nobody's */
	/* Told of each mapping of a program, in the drain's thread. NULL: not wanted. */
	void (*mapped)(void *context, const struct record_header *raw);
	void *mapped_context;
	struct drain_counts counts;
	/* The drain's own. */
	uint8_t *stage;
	size_t stage_size;
	struct err *err;
};

/* Fill in the open fields of a zeroed struct before. */
void drain_init(struct drain *drain);
void drain_release(struct drain *drain);
/* All rings but overwriting ones, once. Bytes taken, or -errno with words when the sink failed. */
int64_t drain_once(struct drain *drain, struct err *err);
/* What overwriting rings hold, which stand still meanwhile. The same answers. */
int64_t drain_overwritten(struct drain *drain, struct err *err);

#endif
