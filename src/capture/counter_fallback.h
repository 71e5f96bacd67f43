/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to do when the kernel refuses a counter.
 *
 * Old kernels refuse bits that they do not know with EINVAL or E2BIG and do not say which: they are given up one
 * after the other, newest first, for all events alike. Other refusals have their own meaning: a machine without
 * such a counter (the CPU clock is sampled instead), a user who may not see the kernel (it is left out).
 * Each step is noted in words, or silent where the recording is as good as before.
 */
#ifndef CAPTURE_COUNTER_FALLBACK_H
#define CAPTURE_COUNTER_FALLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/err.h"
#include "capture/target.h"
#include "event/event.h"

struct counter_fallback {
	bool probed; /* what this kernel knows has been asked */
	bool excludes_kernel; /* because the user may not see it */
	bool files_raised;
	char missing[512]; /* names of hardware events that are not counted here, joined by ", " */
	char clock[32]; /* the event that is sampled instead of one of them; empty: none */
	ARRAY(char *) notes; /* for the user, one line each */
};

enum counter_fallback_action {
	COUNTER_FALLBACK_NONE, /* no way out */
	COUNTER_FALLBACK_RETRY, /* attrs were changed: the same call again */
	COUNTER_FALLBACK_RESTART, /* attrs of all events, or the list, were changed: everything again */
	COUNTER_FALLBACK_TASKS, /* follow tasks instead of the cgroup, and everything again */
};

/* Decides what follows a refusal (code: -errno) to open events[index]; may change any event and remove some. */
enum counter_fallback_action counter_fallback(struct counter_fallback *fallback, struct event_list *list,
					      uint32_t index, int code, const struct target *target,
					      bool by_cgroup);
/* Says in one note what became of hardware events, when all counters are open. */
void counter_fallback_conclude(struct counter_fallback *fallback);
void counter_fallback_note(struct counter_fallback *fallback, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void counter_fallback_release(struct counter_fallback *fallback);
/* Raises the limit of open files as far as this process may. Returns whether there are more now. */
bool counter_fallback_raise_files(void);

#endif
