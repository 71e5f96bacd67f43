/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can be said about a recording that is to be made. */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "capture/recorder.h"
#include "capture/sampling.h"
#include "cli/option.h"
#include "cmd/options_event.h"
#include "cmd/options_target.h"

enum record_scope { /* how a launched command is followed */
		    RECORD_SCOPE_AUTO,
		    RECORD_SCOPE_CGROUP,
		    RECORD_SCOPE_TASK,
};

enum {
	RECORD_SYNTH_TASK = 1 << 0,
	RECORD_SYNTH_MMAP = 1 << 1,
	RECORD_SYNTH_CGROUP = 1 << 2,
	RECORD_SYNTH_ALL = 7,
};

struct record_options {
	struct options_target target;
	struct options_event events;
	struct sampling sampling;
	bool frequency_max; /* -F max */
	bool frequency_given, period_given;
	bool callgraph_given; /* --call-graph or -g; else the configuration's way when -g comes */
	bool strict_freq;
	int callgraph_config; /* enum event_callgraph of call-graph.record-mode */
	uint32_t callgraph_config_size;
	int scope; /* enum record_scope */
	const char *output; /* NULL: perf.data, or standard output when it is a pipe */
	uint64_t ring_size; /* bytes; 0: the usual */
	int realtime;
	int compression_level; /* 0: none */
	ARRAY(struct recorder_range) delays;
	bool start_disabled;
	uint64_t timeout; /* nanoseconds */
	uint64_t max_size;
	bool switch_on_signal;
	uint64_t switch_size, switch_time;
	unsigned switch_max_files;
	bool timestamp_filename;
	const char *control;
	uint64_t process_timeout; /* nanoseconds */
	unsigned synth; /* RECORD_SYNTH_* */
	bool tail_synth;
	bool no_build_ids, no_build_id_cache;
	bool quiet, dry_run;
	unsigned verbose;
	/* Accepted and fulfilled by what is done anyway. */
	bool as_always;
	unsigned as_threads;
};

#define RECORD_OPTIONS_NR_ROWS 80

extern const struct option_row record_options_rows[RECORD_OPTIONS_NR_ROWS];

void record_options_init(struct record_options *options);
void record_options_release(struct record_options *options);
/* What options mean together, after all are known: -F max, defaults. 0 or -errno with words. */
int record_options_finish(struct record_options *options, struct err *err);

#endif
