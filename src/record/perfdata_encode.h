/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Header features of a recording that is being made: what the context says, and what /proc and /sys say about
 * this machine at the moment of writing.
 */
#ifndef RECORD_PERFDATA_ENCODE_H
#define RECORD_PERFDATA_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "record/event_table.h"
#include "record/perfdata_format.h"

/* Everything that features need to know of the recording. Zeroed: nothing of it. */
struct perfdata_context {
	const struct event_table *events;
	const char *const *cmdline;
	uint32_t nr_cmdline;
	const char *version; /* of the tool; NULL: not written */
	bool has_sample_time;
	uint64_t first_time, last_time; /* of samples */
	bool has_clockid; /* -k: a clock was chosen; */
	int32_t clockid;
	uint64_t clockid_resolution; /* nanoseconds */
	uint64_t wall_time, clock_time; /* both clocks at one moment; 0: not known */
	bool has_branch_stack, has_stat, is_directory;
	struct span build_ids; /* rows of perfdata_encode_build_id; size 0: none */
	struct span tracing_data; /* tracing_data_build; size 0: none */
	int compression_level; /* 0: not compressed */
	uint32_t compression_ratio; /* whole */
	uint32_t compression_mmap_size; /* upper bound of what one COMPRESSED record unpacks to */
};

/* Appends the payload of a feature. false: the recording or the machine has no such thing. */
bool perfdata_feature_encode(unsigned bit, const struct perfdata_context *context, struct buf *buf);
/* The size that all attrs of a file are written with: that of the largest. */
uint32_t perfdata_attrs_size(const struct event_table *events);
void perfdata_encode_attr(struct buf *buf, const struct event_attr *attr, uint32_t size);
/* Appends a row of the BUILD_ID feature (also a HEADER_BUILD_ID record). misc: RECORD_CPUMODE_KERNEL or _USER. */
void perfdata_encode_build_id(struct buf *buf, int32_t pid, uint16_t misc, const uint8_t *build_id,
			      size_t size, const char *path);

#endif
