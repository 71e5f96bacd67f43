/* SPDX-License-Identifier: Apache-2.0 */
/* Which samples `script` shows: by time, CPU, task, where they were taken, and between switching events. */
#ifndef CMD_SCRIPT_FILTER_H
#define CMD_SCRIPT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "profile/time_spec.h"

/* As the user said it; NULL: all. */
struct script_filter_options {
	const char *comms, *pids, *tids, *dsos, *symbols, *cpus, *time;
	uint64_t addr_range; /* --addr-range: bytes behind an address in `symbols` */
};

struct script_filter {
	ARRAY(const char *) comms;
	ARRAY(const char *) dsos;
	ARRAY(const char *) symbols;
	ARRAY(uint64_t) addrs; /* hexadecimal symbols */
	uint64_t addr_range;
	ARRAY(int32_t) pids;
	ARRAY(int32_t) tids;
	struct time_spec time;
	struct cpuset cpus;
	bool by_comm, by_pid, by_tid, by_dso, by_symbol, by_cpu, by_time;
	struct arena arena; /* of the words */
};

/* first, last: times of the recording's samples, for percentages. 0 or -EINVAL with words. */
int script_filter_init(struct script_filter *filter, const struct script_filter_options *options,
		       uint64_t first, uint64_t last, struct err *err);
void script_filter_release(struct script_filter *filter);
static inline bool script_filter_takes_cpu(const struct script_filter *filter, int32_t cpu)
{
	return !filter->by_cpu || cpu < 0 || cpuset_has(&filter->cpus, (uint32_t)cpu);
}

static inline bool script_filter_takes_time(const struct script_filter *filter, uint64_t time)
{
	if (!filter->by_time)
		return true;
	for (size_t i = 0; i < filter->time.ranges.nr; i++)
		if (time >= filter->time.ranges.items[i].first && time <= filter->time.ranges.items[i].last)
			return true;
	return false;
}

bool script_filter_takes_task(const struct script_filter *filter, int32_t pid, int32_t tid, const char *comm);
/* dso: path and short name, NULL: none; symbol NULL: none. */
bool script_filter_takes_place(const struct script_filter *filter, uint64_t addr, const char *dso_path,
			       const char *dso_name, const char *symbol);

#endif
