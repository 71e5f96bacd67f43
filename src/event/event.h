/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event: something countable, with its attr, as the user named it. What `-e` parses to, what
 * capture opens, what a perf.data file describes.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/cpuset.h"
#include "event/event_attr.h"

/* Terms that a user may set on one event, against the command's own options: bit set = set here. */
enum event_term {
	EVENT_TERM_PERIOD = 1 << 0,
	EVENT_TERM_FREQ = 1 << 1,
	EVENT_TERM_CALLGRAPH = 1 << 2,
	EVENT_TERM_STACK_SIZE = 1 << 3,
	EVENT_TERM_MAX_STACK = 1 << 4,
	EVENT_TERM_INHERIT = 1 << 5,
	EVENT_TERM_OVERWRITE = 1 << 6,
	EVENT_TERM_TIME = 1 << 7,
	EVENT_TERM_NR = 1 << 8,
	EVENT_TERM_PERCORE = 1 << 9,
	EVENT_TERM_PRECISE_MAX = 1 << 10, /* :P */
	EVENT_TERM_PRECISE = 1 << 11, /* :p :pp :ppp */
	EVENT_TERM_EXCLUDE = 1 << 12, /* any of :u :k :h */
	EVENT_TERM_SAMPLE_READ = 1 << 13, /* :S */
	EVENT_TERM_WEAK = 1 << 14, /* :W */
};

enum event_callgraph {
	EVENT_CALLGRAPH_NONE,
	EVENT_CALLGRAPH_FP,
	EVENT_CALLGRAPH_DWARF,
	EVENT_CALLGRAPH_LBR,
};

#define EVENT_NO_LEADER UINT32_MAX

struct event {
	struct event_attr attr;
	char *name; /* as shown: "cycles:u", "sched:sched_switch", "cpu/event=0x3c/" */
	char *group_name; /* of a named group; else NULL */
	char *filter; /* --filter for tracepoints; NULL: none */
	char *pmu; /* name of the PMU in sysfs; NULL: a fixed type */
	uint32_t terms; /* enum event_term bits that the user set */
	enum event_callgraph callgraph; /* with EVENT_TERM_CALLGRAPH */
	uint32_t stack_size; /* with EVENT_TERM_STACK_SIZE */
	uint64_t max_nr; /* with EVENT_TERM_NR: stop after so many */
	uint32_t leader; /* index of the group's leader in the list; itself for a leader; EVENT_NO_LEADER alone */
	bool no_inherit; /* with EVENT_TERM_INHERIT */
	bool is_tracepoint;
	bool is_tracking; /* added by the tool for side-band (dummy:u) */
	bool has_cpus; /* uncore: open only on `cpus` */
	struct cpuset *cpus;
};

/* In the order of the command line. */
struct event_list {
	ARRAY(struct event) events;
};

void event_release(struct event *event);
void event_list_release(struct event_list *list);

#endif
