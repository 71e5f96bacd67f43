/* SPDX-License-Identifier: Apache-2.0 */
/* Tracepoint filters: expressions over a tracepoint's fields that the kernel evaluates (Documentation/trace/events). */
#ifndef EVENT_FILTER_H
#define EVENT_FILTER_H

#include "base/err.h"

/* Makes *filter (malloc'ed, may be NULL) hold "(old) && (more)", or a copy of more. */
void filter_and(char **filter, const char *more);

/*
 * Says in words why the kernel refused a filter, as far as that can be seen from its text and the names of the
 * tracepoint's fields (separated by blanks): a field that does not exist, a quote or parenthesis left open, an operator
 * that there is not. Returns -EINVAL.
 */
int filter_explain(const char *filter, const char *event, const char *fields, struct err *err);

#endif
