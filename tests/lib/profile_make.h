/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles made by hand: kernel functions f0, f1, ... f15 (named by a kallsyms file of our own), a library
 * without symbols, threads, stacks and rows as the test says.
 */
#ifndef LIB_PROFILE_MAKE_H
#define LIB_PROFILE_MAKE_H

#include <stdint.h>

#include "profile/profile.h"

#define PROFILE_MAKE_FUNCTIONS 16
/* Frames: 1 + i is function fi; this one is offset 0x1234 of libmade.so. */
#define PROFILE_MAKE_NAMELESS (1 + PROFILE_MAKE_FUNCTIONS)

struct profile_make {
	struct profile *profile;
	struct event_table events;
	char kallsyms[64];
};

/* nr_events events called event0, event1 ...; group: they are one group. extras: as in profile_options. */
void profile_make_init(struct profile_make *make, uint32_t nr_events, bool group, uint32_t extras);
void profile_make_release(struct profile_make *make);
/* Adds a thread; returns its index. comm NULL: unknown. */
uint32_t profile_make_thread(struct profile_make *make, int32_t pid, int32_t tid, const char *comm);
/* The stack that has frame on top of parent. */
uint32_t profile_make_push(struct profile_make *make, uint32_t parent, uint32_t frame);
/* The stack of functions, the outermost first, ended by -1. */
uint32_t profile_make_stack(struct profile_make *make, const int *functions);
/* A row of nr samples with a period each; self is the stack's innermost frame (frame 0 without one). */
struct profile_row *profile_make_row(struct profile_make *make, uint32_t event, uint32_t thread,
				     uint32_t stack, uint32_t nr, uint64_t period);

#endif
