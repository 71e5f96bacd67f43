/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What samples are shown, grouped how: the options of report and of what else shows tables of samples, and their
 * way into view_options and group_text.
 */
#ifndef CMD_OPTIONS_VIEW_H
#define CMD_OPTIONS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/cpuset.h"
#include "cli/option.h"
#include "profile/time_spec.h"
#include "profile/view.h"
#include "render/group_text.h"

/* -g and what belongs to it. */
struct options_graph {
	bool seen; /* the user spoke of call graphs */
	enum calltree_mode mode;
	double threshold;
	unsigned limit;
	bool order_seen, caller_first;
	enum calltree_key key;
	enum calltree_value value;
};

struct options_view {
	const char *sort, *fields;
	struct options_graph graph;
	bool inverted; /* -G */
	bool children, children_seen;
	bool hierarchy;
	bool show_nr_samples, show_total_period, show_cpu_utilization;
	bool latency;
	double percent_limit;
	bool percent_limit_seen;
	int percentage; /* 1: relative */
	const char *separator;
	ARRAY(unsigned) widths;
	uint64_t max_stack;
	uint64_t time_quantum;
	bool time_in_ns, full_source_path, raw_trace;
	/* filters */
	const char *comms, *dsos, *symbols, *pids, *tids, *cpus, *time, *symbol_part, *parent,
		*ignore_callees;
	const char *parallelism;
	bool exclude_other, hide_unresolved;
	int socket;
	/* made by options_view_resolve */
	struct cpuset cpu_set, parallelism_set;
};

#define OPTIONS_VIEW_DEFAULT \
	{ \
		.children = true, .socket = -1, .time_quantum = 100000000, .graph = { \
			.mode = CALLTREE_GRAPH, \
			.threshold = 0.5 \
		} \
	}
#define OPTIONS_VIEW_NR_ROWS 42

extern const struct option_row options_view_rows[OPTIONS_VIEW_NR_ROWS];

/* What of a recording decides how it is shown by default. */
struct options_view_facts {
	const struct event_table *events;
	struct tracepoint_format_table *formats;
	bool has_callchains; /* some event has them */
	bool has_cpus;
	bool has_parallelism; /* recorded with --latency */
};

/*
 * Fills view (which is released with view_options_release) and the parts of text that come from options. options lives
 * as long as both. 0 or -errno with words.
 */
int options_view_resolve(struct options_view *options, const struct options_view_facts *facts,
			 struct view_options *view, struct group_text *text, struct err *err);
void options_view_release(struct options_view *options);

#endif
