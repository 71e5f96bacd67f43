/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that are the same on every machine.
 *
 * Numbers: enum perf_hw_id, perf_hw_cache_id, perf_hw_cache_op_id, perf_hw_cache_op_result_id and perf_sw_ids of
 * include/uapi/linux/perf_event.h. Names and spellings are those that people type and scripts contain.
 */
#include "event/event_hardware.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

#ifndef PERF_COUNT_SW_CGROUP_SWITCHES
#define PERF_COUNT_SW_CGROUP_SWITCHES 11
#endif

#define HW(config_, name_, alias_, help_) \
	{ \
		name_, alias_, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config_, help_ \
	}
#define SW(config_, name_, alias_, help_) \
	{ \
		name_, alias_, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config_, help_ \
	}

static const struct event_name names[] = {
	HW(CPU_CYCLES, "cpu-cycles", "cycles", "cycles of the core clock"),
	HW(INSTRUCTIONS, "instructions", NULL, "instructions retired"),
	HW(CACHE_REFERENCES, "cache-references", NULL, "accesses of the last cache"),
	HW(CACHE_MISSES, "cache-misses", NULL, "misses of the last cache"),
	HW(BRANCH_INSTRUCTIONS, "branch-instructions", "branches", "branches retired"),
	HW(BRANCH_MISSES, "branch-misses", NULL, "branches that were predicted wrongly"),
	HW(BUS_CYCLES, "bus-cycles", NULL, "cycles of the bus clock"),
	HW(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend",
	   "cycles in which no instruction could be issued"),
	HW(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend",
	   "cycles in which no instruction could be retired"),
	HW(REF_CPU_CYCLES, "ref-cycles", NULL, "cycles of a clock that does not change its frequency"),
	SW(CPU_CLOCK, "cpu-clock", NULL, "time on the CPU, by a timer"),
	SW(TASK_CLOCK, "task-clock", NULL, "time on the CPU, by the task's clock"),
	SW(PAGE_FAULTS, "page-faults", "faults", "page faults"),
	SW(CONTEXT_SWITCHES, "context-switches", "cs", "switches to another task"),
	SW(CPU_MIGRATIONS, "cpu-migrations", "migrations", "moves of a task to another CPU"),
	SW(PAGE_FAULTS_MIN, "minor-faults", NULL, "page faults served without reading a disk"),
	SW(PAGE_FAULTS_MAJ, "major-faults", NULL, "page faults that had to read a disk"),
	SW(ALIGNMENT_FAULTS, "alignment-faults", NULL, "unaligned accesses the kernel had to mend"),
	SW(EMULATION_FAULTS, "emulation-faults", NULL, "instructions the kernel had to emulate"),
	SW(DUMMY, "dummy", NULL, "counts nothing: for what comes along with an event"),
	SW(BPF_OUTPUT, "bpf-output", NULL, "written by BPF programs"),
	SW(CGROUP_SWITCHES, "cgroup-switches", NULL, "switches to a task of another cgroup"),
};

const struct event_name *event_hardware_table(size_t *ret_nr)
{
	*ret_nr = NR_ITEMS(names);
	return names;
}

static bool same_name(const char *name, const char *text, size_t size)
{
	return name && strlen(name) == size && !strncasecmp(name, text, size);
}

const struct event_name *event_hardware_find(const char *text, size_t size)
{
	for (size_t i = 0; i < NR_ITEMS(names); i++)
		if (same_name(names[i].name, text, size) || same_name(names[i].alias, text, size))
			return &names[i];
	return NULL;
}

const struct event_name *event_hardware_find_config(uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < NR_ITEMS(names); i++)
		if (names[i].type == type && names[i].config == config)
			return &names[i];
	return NULL;
}

bool event_type_is_hardware(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

/* ---- caches ---- */

/* Spellings of one thing, the usual one first. */
#define SPELLINGS 6

static const char *const caches[][SPELLINGS] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "l1-d", "l1d", "L1-data" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "l1-i", "l1i", "L1-instruction" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb", "Data-TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb", "Instruction-TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "branches", "bpu", "btb", "bpc" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node" },
};

static const char *const operations[][SPELLINGS] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches", "speculative-read",
					      "speculative-load" },
};

static const char *const results[][SPELLINGS] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

/* What the units can do, one bit an operation: nobody stores into instruction caches. */
static const uint8_t possible[] = {
	[PERF_COUNT_HW_CACHE_L1D] = 7,	[PERF_COUNT_HW_CACHE_L1I] = 5,	[PERF_COUNT_HW_CACHE_LL] = 7,
	[PERF_COUNT_HW_CACHE_DTLB] = 7, [PERF_COUNT_HW_CACHE_ITLB] = 1, [PERF_COUNT_HW_CACHE_BPU] = 1,
	[PERF_COUNT_HW_CACHE_NODE] = 7,
};

/* The row whose longest spelling begins text and ends there or before a '-'; -1: none. Moves *text, *size behind it. */
static int take_word(const char *const (*table)[SPELLINGS], size_t nr, const char **text, size_t *size)
{
	size_t best_length = 0;
	int best = -1;

	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < SPELLINGS && table[i][j]; j++) {
			size_t length = strlen(table[i][j]);

			if (length > *size || length <= best_length ||
			    strncasecmp(table[i][j], *text, length))
				continue;
			if (length < *size && (*text)[length] != '-')
				continue;
			best_length = length;
			best = (int)i;
		}
	}
	if (best < 0)
		return -1;
	if (best_length < *size)
		best_length++; /* the '-' */
	*text += best_length;
	*size -= best_length;
	return best;
}

bool event_hardware_parse_cache(const char *text, size_t size, uint64_t *ret_config)
{
	int cache, op = -1, result = -1;

	if (!size || text[size - 1] == '-')
		return false;
	cache = take_word(caches, NR_ITEMS(caches), &text, &size);
	if (cache < 0)
		return false;
	for (int round = 0; size && round < 2; round++) {
		if (op < 0 && (op = take_word(operations, NR_ITEMS(operations), &text, &size)) >= 0)
			continue;
		if (result < 0)
			result = take_word(results, NR_ITEMS(results), &text, &size);
	}
	if (size)
		return false;
	if (op < 0)
		op = PERF_COUNT_HW_CACHE_OP_READ;
	if (result < 0)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	if (!(possible[cache] >> op & 1))
		return false;
	*ret_config = (uint64_t)cache | (uint64_t)op << 8 | (uint64_t)result << 16;
	return true;
}

int event_hardware_print_cache(uint64_t config, char *text, size_t size)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (cache >= NR_ITEMS(caches) || op >= NR_ITEMS(operations) || result >= NR_ITEMS(results))
		return -EINVAL;
	if (result == PERF_COUNT_HW_CACHE_RESULT_MISS)
		snprintf(text, size, "%s-%s-%s", caches[cache][0], operations[op][0], results[result][0]);
	else
		snprintf(text, size, "%s-%s", caches[cache][0], operations[op][1]);
	return 0;
}
