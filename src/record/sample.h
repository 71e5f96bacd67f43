/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples, decoded by a layout that is worked out once per event.
 *
 * The fields of a sample come in the fixed order of include/uapi/linux/perf_event.h (PERF_RECORD_SAMPLE);
 * which are there is the event's sample_type. All fields up to PERIOD have fixed places, so the hot loop
 * reads them by offset (sample_layout_*); what follows is variable and decoded only when somebody asks
 * (sample_decode).
 */
#ifndef RECORD_SAMPLE_H
#define RECORD_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"
#include "event/event_attr.h"
#include "record/record.h"

/* Offsets from the record's header; 0: not in the sample. */
struct sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags; /* attr.flags */
	uint64_t regs_user, regs_intr; /* masks */
	uint64_t branch_type;
	uint8_t identifier, ip, tid, time, addr, id, stream_id, cpu, period;
	uint8_t read; /* where READ starts */
	uint8_t fixed_size; /* header and all fixed fields: the least size of a record */
	uint8_t callchain; /* offset when it directly follows the fixed fields (no READ): the fast path; else 0 */
};

struct sample_regs {
	uint64_t abi; /* PERF_SAMPLE_REGS_ABI_*; 0: none captured */
	uint64_t mask;
	const uint8_t *values; /* popcount(mask) u64 */
};

struct sample {
	const struct record_header *raw;
	uint64_t offset; /* in the file */
	uint16_t misc;
	struct record_id id; /* pid tid time id stream_id cpu */
	uint64_t ip, addr, period;
	struct span read; /* raw read_format data */
	uint64_t nr_callchain;
	const uint8_t *callchain; /* nr u64, unaligned access allowed for by memcpy */
	struct span raw_data; /* PERF_SAMPLE_RAW */
	uint64_t nr_branches;
	uint64_t branch_hw_index;
	const uint8_t *branches; /* nr struct perf_branch_entry (24 bytes) */
	const uint8_t *branch_counters; /* nr u64 or NULL */
	struct sample_regs regs_user, regs_intr;
	struct span stack_user; /* the dump, dyn_size bytes */
	uint64_t weight; /* whole 64 bits (WEIGHT or WEIGHT_STRUCT) */
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	struct span aux;
};

/* Works the layout out; cannot fail (unknown high bits of sample_type are kept, and end what can be decoded). */
void sample_layout_init(struct sample_layout *layout, const struct event_attr *attr);

/* Decodes everything. raw->size bytes must be there. Absent fields are 0 (cpu, pid, tid: -1; time: RECORD_NO_TIME;
 * period: attr.sample_period of a fixed-period event must be filled by the caller). 0 or -EBADMSG. */
int sample_decode(const struct sample_layout *layout, const struct record_header *raw, uint64_t offset,
		  struct sample *ret_sample);

/* Turns the byte order of a sample in place, from the other order into this machine's, header included. PERF_SAMPLE_RAW
 * bytes and stack dumps stay as they are. -EBADMSG: damaged; what comes behind the damage is not turned. */
int sample_swap(const struct sample_layout *layout, struct record_header *raw);

static inline uint64_t sample_u64_at(const struct record_header *raw, unsigned offset)
{
	uint64_t value;

	memcpy(&value, (const uint8_t *)raw + offset, sizeof(value));
	return value;
}

static inline uint32_t sample_u32_at(const struct record_header *raw, unsigned offset)
{
	uint32_t value;

	memcpy(&value, (const uint8_t *)raw + offset, sizeof(value));
	return value;
}

#endif
