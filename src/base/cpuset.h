/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CPUSET_H
#define BASE_CPUSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CPUSET_MAX 8192

/* A set of CPU numbers below CPUSET_MAX. Zeroed is empty. */
struct cpuset {
	uint64_t bits[CPUSET_MAX / 64];
};

/* Parses the kernel's list format: "0-3,8,10-12" (also "all" is not accepted here). 0 or -EINVAL with words. */
int cpuset_parse(const char *text, struct cpuset *ret_set, struct err *err);
/* CPUs the kernel has online, from /sys/devices/system/cpu/online; sysconf as fallback. */
void cpuset_online(struct cpuset *ret_set);
unsigned cpuset_count(const struct cpuset *set);
/* The lowest member >= cpu, or -1: for (c = cpuset_next(s, 0); c >= 0; c = cpuset_next(s, c + 1)). */
int cpuset_next(const struct cpuset *set, int cpu);
void cpuset_print(const struct cpuset *set, struct buf *buf); /* list format */

static inline bool cpuset_has(const struct cpuset *set, uint32_t cpu)
{
	return cpu < CPUSET_MAX && set->bits[cpu / 64] >> (cpu % 64) & 1;
}

static inline void cpuset_add(struct cpuset *set, uint32_t cpu)
{
	if (cpu < CPUSET_MAX)
		set->bits[cpu / 64] |= 1ull << (cpu % 64);
}

#endif
