/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "reading 40% [=====>    ]" on the terminal of somebody who waits: on standard error only, only when that is a
 * terminal, not before a third of a second has passed, ten times a second. Calls may come from any thread.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what; /* "reading", "loading symbols" */
	uint64_t total; /* 0: not known, the count itself is shown */
	_Atomic uint64_t done;
	_Atomic uint64_t next; /* CLOCK_MONOTONIC time of the next look at the terminal */
	bool enabled;
	_Atomic bool shown;
};

void progress_start(struct progress *progress, const char *what, uint64_t total);
void progress_add(struct progress *progress, uint64_t more);
void progress_set(struct progress *progress, uint64_t done);
/* Removes the line. A progress that is zeroed may be stopped. */
void progress_stop(struct progress *progress);

#endif
