/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance monitoring units as the kernel describes them in /sys/bus/event_source/devices.
 *
 * A PMU is a directory: `type` is the number for perf_event_attr.type, `format/FIELD` says which bits of
 * which config word a field occupies, `events/NAME` holds the terms of a ready-made event, `cpumask` (uncore) or `cpus`
 * (one kind of core among several) the CPUs on which its events can be opened. (Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-*.)
 */
#ifndef EVENT_PMU_H
#define EVENT_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "event/event_attr.h"

struct pmu_format {
	char *name;
	uint64_t bits; /* of the word */
	uint8_t word; /* 0: config, 1: config1 ... 4: config4 */
};

struct pmu {
	char *name;
	uint32_t type;
	bool is_core; /* a CPU's own PMU: takes the generic hardware names */
	bool formats_loaded;
	bool has_cpus; /* events can be opened on `cpus` only */
	struct cpuset cpus;
	ARRAY(struct pmu_format) formats;
};

struct pmu_table {
	char *root;
	bool loaded;
	ARRAY(struct pmu) pmus;
};

/* root: NULL for the running machine's. Nothing is read before the first look-up. */
void pmu_table_init(struct pmu_table *table, const char *root);
void pmu_table_release(struct pmu_table *table);
/* All PMUs in the order of their names. */
void pmu_table_load(struct pmu_table *table);
struct pmu *pmu_table_find(struct pmu_table *table, const char *name);
struct pmu *pmu_table_find_type(struct pmu_table *table, uint32_t type);
/*
 * Whether a pattern that the user wrote means this PMU: its name, its name without "_NUMBER" or without "uncore_", or
 * a glob.
 */
bool pmu_matches(const struct pmu *pmu, const char *pattern);
/* The field, or NULL; reads the format directory the first time. */
const struct pmu_format *pmu_find_format(struct pmu_table *table, struct pmu *pmu, const char *name);
/* Puts value into the field's bits of attr. 0, or -ERANGE when it needs more bits. */
int pmu_format_apply(const struct pmu_format *format, struct event_attr *attr, uint64_t value);
/* Parses the contents of a format file ("config:0-7,32-35"). 0 or -EINVAL. */
int pmu_format_parse(const char *text, struct pmu_format *ret_format);
/* The terms of events/NAME into text. Length or -errno (-ENOENT: no such event). */
int pmu_read_alias(struct pmu_table *table, const struct pmu *pmu, const char *name, char *text, size_t size);
/* The address of config, config1 ... of an attr. */
uint64_t *pmu_attr_word(struct event_attr *attr, unsigned word);

#endif
