/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile: samples as interned tables. What ingest makes of a recording and what all views are made from.
 *
 *   frame    (dso, symbol) or, where there is no symbol or the view asked for addresses, (dso, offset). Callers in no
 *            mapping share one frame per mode (dso 0, offset 0) at function granularity, and a run of them is one
 *   stack    a node (parent stack, frame): the interned list of frames from the root to here. Stack 0 is the empty one;
 *            parents have smaller ids than their children, so one backward pass sums up a call tree.
 *   thread   distinct (pid, tid, comm)
 *   extra    distinct tuple of further per-sample values that the view's keys asked for (cpu, time ...). 0: none asked
 *   row      distinct (event, thread, stack, self frame, extra) with its weight: period and number of samples.
 *            Self is the frame of the sampled address: nearly always, but not always, the stack's innermost one
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "base/intern.h"
#include "model/machine.h"
#include "record/event_table.h"
#include "record/source.h"
#include "symbol/symbolizer.h"

struct frame_id {
	uint32_t v;
};
struct stack_id {
	uint32_t v;
};

struct frame {
	uint64_t offset; /* of the symbol's start (function granularity, with a symbol) or of the address itself */
	uint32_t dso; /* dso_id */
	uint32_t symbol; /* index for symbolizer_*; SYMBOL_NONE */
	uint8_t mode; /* enum machine_mode */
};

struct stack {
	uint32_t parent; /* stack_id */
	uint32_t frame; /* frame_id */
};

struct profile_thread {
	int32_t pid, tid;
	struct str_id comm; /* in profile.strings; 0: unknown, show ":TID" */
};

struct profile_row {
	uint32_t event; /* index in the event table */
	uint32_t thread;
	uint32_t stack; /* 0 when the sample had no callchain */
	uint32_t self; /* frame of the sample's ip */
	uint32_t extra;
	uint32_t nr_samples;
	uint64_t period; /* sum of periods (event counts) */
};

/* Per-sample values that can become part of a row's key. */
enum profile_extra {
	PROFILE_EXTRA_CPU,
	PROFILE_EXTRA_TIME, /* rounded down to time_quantum */
	PROFILE_EXTRA_ADDR,
	PROFILE_EXTRA_WEIGHT, /* weight, all 64 bits */
	PROFILE_EXTRA_TRANSACTION,
	PROFILE_EXTRA_CODE_PAGE_SIZE,
	PROFILE_EXTRA_DATA_PAGE_SIZE,
	PROFILE_EXTRA_PHYS_ADDR,
	PROFILE_EXTRA_CGROUP,
	PROFILE_EXTRA_PARALLELISM,
	PROFILE_EXTRA_RAW, /* id in profile.strings of the raw payload's bytes (trace keys decode it) */
	PROFILE_EXTRA_IP, /* the exact address: symoff, srcline and so on of the sample itself */
	NR_PROFILE_EXTRA
};

#define PROFILE_NO_LIMIT UINT64_MAX

struct time_range {
	uint64_t first, last; /* inclusive, nanoseconds */
};

struct profile_options {
	bool need_symbols; /* frames at function granularity; false: no symbol table is loaded, frames are per DSO */
	bool need_addresses; /* frames at address granularity (symbols are found as well with need_symbols) */
	bool need_stacks; /* false: every row has stack 0 */
	uint32_t extras; /* bits 1 << enum profile_extra */
	uint64_t time_quantum; /* ns */
	uint32_t max_stack; /* frames kept, from the leaf; 0: all */
	const struct time_range *time_ranges; /* NULL: all */
	size_t nr_time_ranges;
	const struct cpuset *cpus; /* NULL: all */
	unsigned nr_workers; /* 0: pool_workers() */
	void (*progress)(void *context, uint64_t done, uint64_t total); /* bytes; NULL: none */
	void *progress_context;
};

struct profile_event_stats {
	uint64_t nr_samples;
	uint64_t period;
	uint64_t nr_lost_samples; /* LOST_SAMPLES and read_format LOST */
	uint64_t nr_no_callchain; /* samples with no callchain although the event asks for one */
};

/* How complete the stacks are. */
struct stack_quality {
	uint64_t nr_stacks; /* samples with a callchain */
	uint64_t nr_complete; /* that reach an entry point: _start, clone, a thread's start, the kernel's entry of a kernel thread */
	uint64_t nr_raw_dumps; /* samples whose user stack was dumped and is not unwound */
	struct {
		uint32_t dso; /* the DSO of the outermost frame of broken stacks */
		uint64_t nr;
	} worst[8]; /* most first */
	unsigned nr_worst;
};

struct profile_stats {
	uint64_t nr_records, nr_samples, nr_lost_records, nr_throttled;
	uint64_t nr_unknown_event, nr_bad_records;
	uint64_t first_bad_offset;
	uint64_t first_time, last_time; /* of samples; first > last: none */
};

struct profile {
	struct machine *machine; /* owned */
	struct symbolizer *symbolizer; /* owned */
	const struct event_table *events; /* the reader's */
	struct intern strings;
	uint32_t extras; /* as in the options: which columns an extra has, in enum order */
	ARRAY(struct frame) frames; /* 0: unknown */
	ARRAY(struct stack) stacks;
	ARRAY(struct profile_thread) threads;
	ARRAY(uint64_t) extra_values; /* nr of columns for each extra id */
	ARRAY(struct profile_row) rows;
	ARRAY(struct profile_event_stats) event_stats; /* by event */
	struct stack_quality quality;
	struct profile_stats stats;
};

/*
 * Reads a whole recording: one pass over the side-band, one over the samples by all workers.
 * machine and symbolizer become the profile's. 0 or -errno; damage in the file is counted, not fatal.
 */
int profile_ingest(struct record_source *source, const struct event_table *events, struct machine *machine,
		   struct symbolizer *symbolizer, const struct profile_options *options,
		   struct profile **ret_profile, struct err *err);
void profile_free(struct profile *profile);

/* The frame's function name as shown ("main", demangled), or NULL when it has no symbol. */
const char *profile_frame_name(const struct profile *profile, uint32_t frame);
const struct dso *profile_frame_dso(const struct profile *profile, uint32_t frame);
/* Value of one extra column of a row's extra id. */
uint64_t profile_extra_value(const struct profile *profile, uint32_t extra, enum profile_extra column);

#endif
