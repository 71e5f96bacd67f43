/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a flame graph is drawn from: the one input of flamegraph_html, flamegraph_svg and folded.
 *
 * A plain open struct of columns that belong to the caller, who fills it from a profile (or a test
 * from nothing). Stacks are a tree: node i is the stack "stack of node_parent[i], then
 * node_frame[i]", with parents before their children. Weight stands only in the rows, one for each
 * (event, thread, node) that was seen: whatever can be asked of the profile (by event, by thread, by
 * process, in all) is a sum of rows, so there is nothing that could disagree. Rows may stand in any order and
 * may repeat; sorted by event, thread and node they pack best.
 */
#ifndef RENDER_FLAME_DATA_H
#define RENDER_FLAME_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define FLAME_ROOT \
	UINT32_MAX /* as a parent: the stack starts here; as a row's node: a sample without a stack */

enum flame_kind {
	FLAME_USER,
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_INLINED,
	FLAME_UNKNOWN,
	NR_FLAME_KINDS,
};

/* "command line", "host", "kernel", "CPU", "started", "duration": shown as they are, in this order. */
struct flame_meta {
	const char *key;
	const char *value;
};

struct flame_event {
	const char *name; /* "cpu-clock", "cycles:u" */
	const char *unit; /* of the weight: "ns", "cycles"; "" is a plain number */
};

struct flame_thread {
	uint32_t pid;
	uint32_t tid;
	const char *comm;
};

struct flame_frame {
	const char *name; /* NULL, "" and "[unknown]": no symbol */
	const char *dso; /* path or "[kernel.kallsyms]"; NULL or "": not known */
	enum flame_kind kind;
};

struct flame_row {
	uint32_t event;
	uint32_t thread;
	uint32_t node;
	uint32_t samples;
	uint64_t weight; /* sum of the samples' periods */
};

/* Where stacks end too early: samples whose outermost frame is in this DSO and is no entry point. */
struct flame_break {
	const char *dso;
	uint64_t samples;
};

/* How complete the stacks are. nr_stacks 0: nothing is said about it. */
struct flame_quality {
	uint64_t nr_stacks; /* samples that have a stack */
	uint64_t nr_complete; /* of these, samples whose stack reaches an entry point */
	const struct flame_break *breaks; /* worst first */
	size_t nr_breaks;
	const char *advice; /* what would mend it, one sentence; or NULL */
};

struct flame_lost {
	uint64_t records; /* of any type, by PERF_RECORD_LOST */
	uint64_t samples; /* by LOST_SAMPLES and read_format LOST */
	uint64_t throttled; /* THROTTLE records */
	const char *advice;
};

struct flame_data {
	const char *title; /* one line: the command line, or the file */
	const struct flame_meta *meta;
	size_t nr_meta;
	const struct flame_event *events;
	size_t nr_events;
	const struct flame_thread *threads;
	size_t nr_threads;
	const struct flame_frame *frames;
	size_t nr_frames;
	const uint32_t *node_parent;
	const uint32_t *node_frame;
	size_t nr_nodes;
	const struct flame_row *rows;
	size_t nr_rows;
	struct flame_quality quality;
	struct flame_lost lost;
	const char *const *notes; /* anything else that the reader must know, a sentence each */
	size_t nr_notes;
};

/* 0 when every parent, frame, thread and event number is in range and parents come first; -EINVAL with words. */
int flame_data_check(const struct flame_data *data, struct err *err);

bool flame_frame_unknown(const struct flame_frame *frame);
/* What the frame is called: its name, or "[libx.so]" or "[unknown]" where there is no symbol. */
void flame_frame_print(const struct flame_frame *frame, struct buf *buf);
/* "libx.so" of "/usr/lib/libx.so"; what has no slash, or stands in brackets, is left as it is. */
const char *flame_dso_short(const char *dso);

#endif
