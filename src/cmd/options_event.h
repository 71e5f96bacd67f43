/* SPDX-License-Identifier: Apache-2.0 */
/* Which events: -e and what refers to the events before it, for every command that opens counters. */
#ifndef CMD_OPTIONS_EVENT_H
#define CMD_OPTIONS_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cli/option.h"
#include "event/event.h"
#include "event/event_parse.h"

/* Zeroed: no events yet. */
struct options_event {
	struct event_list list;
	struct event_parser parser;
	bool has_parser;
	size_t last; /* index of the first event of the last -e */
	const char *cgroups; /* -G */
	bool exclude_self; /* --exclude-perf */
};

#define OPTIONS_EVENT_NR_ROWS 4

extern const struct option_row options_event_rows[OPTIONS_EVENT_NR_ROWS];

void options_event_release(struct options_event *options);
/* Adds what text names, as -e does; errors are complete with suggestions. */
int options_event_add(struct options_event *options, const char *text, struct err *err);
/*
 * Opens the cgroups of -G, one for each event: the n-th name for the n-th event, an empty name for none, a single name for
 * all. ret_fds[i] is -1 where there is none. 0 or -errno with words.
 */
int options_event_open_cgroups(const struct options_event *options, int *ret_fds, struct err *err);

#endif
