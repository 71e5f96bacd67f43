/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which samples a view takes: by task, by what was running, by caller. Everything is decided once for each
 * thread, frame, stack or extra; a row's answer is a few look-ups.
 */
#ifndef PROFILE_FILTER_H
#define PROFILE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/err.h"
#include "profile/field.h"
#include "profile/profile.h"

/* As the user said it. Lists are separated by commas; an item "file://PATH" stands for the lines of a file. */
struct filter_options {
	const char *comms, *dsos, *symbols, *pids, *tids; /* NULL: all */
	const char *symbol_part; /* NULL: all; else part of the symbol's name */
	const char *parent; /* regex; NULL: the default "^sys_|^do_page_fault" */
	bool exclude_other; /* only samples with a parent */
	bool hide_unresolved; /* only samples whose function is known */
	const char *ignore_callees; /* regex: what matching functions call counts as theirs; NULL: none */
	int socket; /* -1: all */
	const struct cpuset *parallelism; /* NULL: all */
	bool need_parent; /* the parent of each stack is asked for */
	bool caller_first; /* the outermost parent counts, not the innermost */
};

struct filter {
	const struct profile *profile;
	uint8_t *thread; /* whether it passes; NULL: all do */
	uint8_t *frame; /* of the self frame; NULL */
	bool exclude_other;
	bool hide_unresolved;
	int socket;
	const struct cpuset *parallelism;
	uint32_t *stack_parent; /* by stack: 1 + frame of the parent; NULL: not asked for */
	uint32_t *stack_cut; /* by stack: the stack without ignored callees; NULL: nothing is ignored */
	const struct field_env *env;
};

/* env must live as long as the filter; its stack_parent is set. 0 or -errno with words. */
int filter_init(struct filter *filter, struct field_env *env, const struct filter_options *options,
		struct err *err);
void filter_release(struct filter *filter);

/* The stack of a row, without ignored callees. */
static inline uint32_t filter_stack(const struct filter *filter, const struct profile_row *row)
{
	return filter->stack_cut ? filter->stack_cut[row->stack] : row->stack;
}

/* The frame where the row's samples were taken; with ignored callees, the function that called them. */
static inline uint32_t filter_self(const struct filter *filter, const struct profile_row *row)
{
	if (filter->stack_cut && filter->stack_cut[row->stack] != row->stack)
		return filter->profile->stacks.items[filter->stack_cut[row->stack]].frame;
	return row->self;
}

/* Samples without a symbol are not even counted with hide_unresolved. */
bool filter_drops(const struct filter *filter, const struct profile_row *row);
/* Whether the row is shown (it counts for absolute percentages in any case). */
bool filter_passes(const struct filter *filter, const struct profile_row *row);

/* Whether a list (as in filter_options) has text; for one word only. */
bool filter_list_is_single(const char *list);

#endif
