/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people write after -e, turned into events.
 *
 *	list   := item {"," item}
 *	item   := event | [NAME] "{" event {"," event} "}" [":" modifiers]
 *	event  := NAME ["/" terms "/"] [[":"] modifiers]           cycles:u  cpu-clock/period=1000/  L1-dcache-loads
 *	        | PMU "/" terms "/" [[":"] modifiers]              cpu/event=0x3c,umask=1/u   msr/tsc/
 *	        | PMU ":" EVENT                                     an event that the PMU's sysfs directory names
 *	        | SYSTEM ":" TRACEPOINT [":" modifiers]             sched:sched_switch, globs on both sides
 *	        | "r" HEX | NUMBER ":" NUMBER                       raw; perf_event_attr.type:config
 *	        | "mem:" ADDRESS ["/" LENGTH] [":" [rwx]] [":" modifiers]
 *	terms  := term {"," term};  term := NAME ["=" VALUE]; VALUE may stand in quotes
 *
 * A name may stand for several events (tracepoint globs, PMUs that there are several of).
 */
#ifndef EVENT_EVENT_PARSE_H
#define EVENT_EVENT_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "event/event.h"
#include "event/pmu.h"
#include "event/tracepoint.h"

/* What kind of word was not known, for whoever wants to suggest another. */
enum event_unknown {
	EVENT_UNKNOWN_NONE,
	EVENT_UNKNOWN_NAME,
	EVENT_UNKNOWN_SYSTEM, /* of tracepoints */
	EVENT_UNKNOWN_TRACEPOINT, /* of `unknown_context` */
	EVENT_UNKNOWN_PMU,
	EVENT_UNKNOWN_TERM, /* of PMU `unknown_context` */
};

struct event_parser {
	struct pmu_table pmus;
	char tracefs[TRACEPOINT_ROOT_SIZE]; /* empty until needed */
	enum event_unknown unknown; /* of the last failure */
	char unknown_word[64];
	char unknown_context[64];
};

/* Where to look; NULL: the running machine's own places. */
void event_parser_init(struct event_parser *parser, const char *pmu_root, const char *tracefs_root);
void event_parser_release(struct event_parser *parser);

/*
 * Appends the events that text names to list. 0, or -EINVAL (-ENOENT: no such name) with a picture of where in the
 * text; the list is then as before.
 */
int event_parse(struct event_parser *parser, const char *text, struct event_list *list, struct err *err);

/* Names of the terms that any event takes, "config" ... NULL-ended. */
const char *const *event_parse_term_names(void);

#endif
