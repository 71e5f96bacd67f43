/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracepoints, as tracefs lists them: events/SYSTEM/NAME/{id,format,filter}.
 */
#ifndef EVENT_TRACEPOINT_H
#define EVENT_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TRACEPOINT_ROOT_SIZE 320

/*
 * The directory of tracefs: where it is mounted, else debugfs' "tracing"; when neither is there it is mounted on
 * /sys/kernel/tracing if that is allowed. 0 or -ENOENT with words.
 */
int tracepoint_find_root(char ret_root[TRACEPOINT_ROOT_SIZE], struct err *err);

/* The number for perf_event_attr.config. -ENOENT: no such tracepoint; other -errno with words. */
int tracepoint_read_id(const char *root, const char *system, const char *name, uint64_t *ret_id,
		       struct err *err);

/*
 * Calls visit for each tracepoint whose system and name match the globs, in the order of their names. Returns how
 * many there were, the first negative answer of visit, or -errno with words.
 */
int tracepoint_each(const char *root, const char *system_glob, const char *name_glob,
		    int (*visit)(void *context, const char *system, const char *name), void *context,
		    struct err *err);

/* The system and name that an id belongs to; -ENOENT: none. Walks all of tracefs: for display only. */
int tracepoint_find_id(const char *root, uint64_t id, char *system, char *name, size_t size);

/* Whether the record of a tracepoint has a field, and the names of all its fields separated by blanks. */
int tracepoint_read_fields(const char *root, const char *system, const char *name, char *text, size_t size);

#endif
