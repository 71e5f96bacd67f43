/* SPDX-License-Identifier: Apache-2.0 */
/* Events with fixed names: the generic hardware events, their caches, and the kernel's software events. */
#ifndef EVENT_EVENT_HARDWARE_H
#define EVENT_EVENT_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_name {
	const char *name;
	const char *alias; /* second spelling; NULL: none */
	uint32_t type; /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint64_t config;
	const char *help;
};

/* Table of nr rows, in the order in which they are listed. */
const struct event_name *event_hardware_table(size_t *ret_nr);
/* By name or alias, letter case ignored; text needs no NUL. NULL: there is none. */
const struct event_name *event_hardware_find(const char *text, size_t size);
/* By what the kernel calls it; NULL: no name for it. */
const struct event_name *event_hardware_find_config(uint32_t type, uint64_t config);
/*
 * A cache event, "L1-dcache-load-misses" and its many spellings: CACHE[-OP][-RESULT] or CACHE[-RESULT][-OP]. True and
 * the config of PERF_TYPE_HW_CACHE (id | op << 8 | result << 16), or false: no such name, or a combination that
 * makes no sense (prefetches of the branch unit).
 */
bool event_hardware_parse_cache(const char *text, size_t size, uint64_t *ret_config);
/* The usual name of a cache config, NULL-terminated in text; -EINVAL when it is none. */
int event_hardware_print_cache(uint64_t config, char *text, size_t size);

/* True for the events of a core PMU, which a machine without one (most virtual machines) cannot count. */
bool event_type_is_hardware(uint32_t type);

#endif
