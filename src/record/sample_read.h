/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PERF_SAMPLE_READ: the counts that a sample carries, of its event or of all of its group (`{a,b}:S`). Counts only
 * grow, so what a sample stands for is the difference to the last one of the same counter.
 */
#ifndef RECORD_SAMPLE_READ_H
#define RECORD_SAMPLE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/span.h"

struct sample_read {
	uint64_t nr; /* values: 1, or of all members of the group */
	uint64_t time_enabled, time_running; /* nanoseconds; 0 when absent */
	bool has_id, has_lost;
	const uint8_t *values;
	size_t lone_gap; /* of a lone value: bytes of the times between it and its id */
};

struct sample_read_value {
	uint64_t value, id, lost; /* absent: 0 */
};

/* sample->read as attr.read_format lays it out. 0 or -EBADMSG. */
int sample_read_decode(struct span read, uint64_t read_format, struct sample_read *ret_read);
struct sample_read_value sample_read_value(const struct sample_read *read, uint64_t i);

/* The last value of each counter. */
struct sample_read_memory {
	struct hash_index index;
	struct sample_read_row *rows;
	size_t nr, room;
};

void sample_read_memory_init(struct sample_read_memory *memory);
void sample_read_memory_release(struct sample_read_memory *memory);
/*
 * What was counted since the last value of this counter (at first: all of it). tid: that of the sample when the event is
 * inherited, because the counters of inheriting tasks share their parent's id; else 0.
 */
uint64_t sample_read_memory_delta(struct sample_read_memory *memory, uint64_t id, int32_t tid,
				  uint64_t value);

#endif
