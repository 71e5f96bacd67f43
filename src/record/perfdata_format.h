/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of a perf.data file: header, attrs, data, features. Numbers are in the writer's byte order.
 *
 *	struct perfdata_header
 *	attrs: entries of attr_size bytes: a perf_event_attr, then a section that holds the event's ids
 *	data: records
 *	one section for each bit set in the header's feature bitmap, in the order of the bits (at data.offset + data.size)
 *	what these sections point to
 *
 * A pipe has a header of 16 bytes and everything else as records.
 */
#ifndef RECORD_PERFDATA_FORMAT_H
#define RECORD_PERFDATA_FORMAT_H

#include <stdint.h>

#define PERFDATA_MAGIC 0x32454c4946524550ull /* "PERFILE2" read as a little-endian number */
#define PERFDATA_MAGIC_SWAPPED 0x50455246494c4532ull
#define PERFDATA_MAGIC_OLD "PERFFILE" /* before 2010 */

struct perfdata_section {
	uint64_t offset, size;
};

struct perfdata_pipe_header {
	uint64_t magic;
	uint64_t size; /* 16 */
};

struct perfdata_file_header {
	uint64_t magic;
	uint64_t size; /* 104 */
	uint64_t attr_size; /* of an entry in attrs: the attr and a section */
	struct perfdata_section attrs, data, event_types;
	uint64_t features[4];
};

_Static_assert(sizeof(struct perfdata_file_header) == 104, "perf.data header");

enum perfdata_feature {
	PERFDATA_TRACING_DATA = 1,
	PERFDATA_BUILD_ID = 2,
	PERFDATA_HOSTNAME = 3,
	PERFDATA_OSRELEASE = 4,
	PERFDATA_VERSION = 5,
	PERFDATA_ARCH = 6,
	PERFDATA_NRCPUS = 7,
	PERFDATA_CPUDESC = 8,
	PERFDATA_CPUID = 9,
	PERFDATA_TOTAL_MEM = 10,
	PERFDATA_CMDLINE = 11,
	PERFDATA_EVENT_DESC = 12,
	PERFDATA_CPU_TOPOLOGY = 13,
	PERFDATA_NUMA_TOPOLOGY = 14,
	PERFDATA_BRANCH_STACK = 15,
	PERFDATA_PMU_MAPPINGS = 16,
	PERFDATA_GROUP_DESC = 17,
	PERFDATA_AUXTRACE = 18,
	PERFDATA_STAT = 19,
	PERFDATA_CACHE = 20,
	PERFDATA_SAMPLE_TIME = 21,
	PERFDATA_MEM_TOPOLOGY = 22,
	PERFDATA_CLOCKID = 23,
	PERFDATA_DIR_FORMAT = 24,
	PERFDATA_BPF_PROG_INFO = 25,
	PERFDATA_BPF_BTF = 26,
	PERFDATA_COMPRESSED = 27,
	PERFDATA_CPU_PMU_CAPS = 28,
	PERFDATA_CLOCK_DATA = 29,
	PERFDATA_HYBRID_TOPOLOGY = 30,
	PERFDATA_PMU_CAPS = 31,
	PERFDATA_CPU_DOMAIN_INFO = 32,
	PERFDATA_E_MACHINE = 33,
	PERFDATA_CLN_SIZE = 34,
	PERFDATA_FEATURE_NR, /* those known here */
	PERFDATA_FEATURE_MAX = 256,
};

#endif
