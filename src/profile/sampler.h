/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_SAMPLER_H
#define PROFILE_SAMPLER_H

#include <stdint.h>

#include "profile/frame_table.h"
#include "profile/profile.h"
#include "profile/row_table.h"
#include "profile/stack_table.h"

/*
 * One worker's share of the samples, in tables of its own. The machine and the symbolizer are shared;
 * nothing else is.
 */
struct sampler;

struct sampler_tables {
	struct frame_table frames;
	struct stack_table stacks;
	struct row_table rows;
	struct thread_table threads; /* comm: ids of the machine's strings */
	struct extra_table extras;
	struct intern raw; /* payloads, for PROFILE_EXTRA_RAW */
	ARRAY(struct profile_event_stats) event_stats;
	struct profile_stats stats; /* samples only */
	uint64_t nr_stacks, nr_raw_dumps;
};

/* Number of tasks that ran at a time; from context switches. NULL context: not known. */
struct parallelism;

/* size: bytes of the recording. */
struct sampler *sampler_new(const struct event_table *events, struct machine *machine,
			    struct symbolizer *symbolizer, const struct profile_options *options,
			    const struct parallelism *parallelism, uint64_t size);
void sampler_free(struct sampler *sampler);
/* Takes a SAMPLE record (whole, size checked by the source). Its bytes must last until sampler_settle. */
void sampler_add(struct sampler *sampler, const struct record_header *raw, uint64_t offset);
/* Finishes what sampler_add has begun: to be called at the end of each block. */
void sampler_settle(struct sampler *sampler);
struct sampler_tables *sampler_tables(struct sampler *sampler);

#endif
