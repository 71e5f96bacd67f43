/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PERF_SAMPLE_* and PERF_FORMAT_* of include/uapi/linux/perf_event.h, by numbers of our own: headers of older
 * distributions lack the later ones.
 */
#ifndef RECORD_SAMPLE_BITS_H
#define RECORD_SAMPLE_BITS_H

#include <stdint.h>

#define SAMPLE_IP (1ull << 0)
#define SAMPLE_TID (1ull << 1)
#define SAMPLE_TIME (1ull << 2)
#define SAMPLE_ADDR (1ull << 3)
#define SAMPLE_READ (1ull << 4)
#define SAMPLE_CALLCHAIN (1ull << 5)
#define SAMPLE_ID (1ull << 6)
#define SAMPLE_CPU (1ull << 7)
#define SAMPLE_PERIOD (1ull << 8)
#define SAMPLE_STREAM_ID (1ull << 9)
#define SAMPLE_RAW (1ull << 10)
#define SAMPLE_BRANCH_STACK (1ull << 11)
#define SAMPLE_REGS_USER (1ull << 12)
#define SAMPLE_STACK_USER (1ull << 13)
#define SAMPLE_WEIGHT (1ull << 14)
#define SAMPLE_DATA_SRC (1ull << 15)
#define SAMPLE_IDENTIFIER (1ull << 16)
#define SAMPLE_TRANSACTION (1ull << 17)
#define SAMPLE_REGS_INTR (1ull << 18)
#define SAMPLE_PHYS_ADDR (1ull << 19)
#define SAMPLE_AUX (1ull << 20)
#define SAMPLE_CGROUP (1ull << 21)
#define SAMPLE_DATA_PAGE_SIZE (1ull << 22)
#define SAMPLE_CODE_PAGE_SIZE (1ull << 23)
#define SAMPLE_WEIGHT_STRUCT (1ull << 24)

/* What sample_id_all appends to other records, in the order TID TIME ID STREAM_ID CPU IDENTIFIER. */
#define SAMPLE_TRAILER_BITS \
	(SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

#define READ_TOTAL_TIME_ENABLED (1ull << 0)
#define READ_TOTAL_TIME_RUNNING (1ull << 1)
#define READ_ID (1ull << 2)
#define READ_GROUP (1ull << 3)
#define READ_LOST (1ull << 4)

#define BRANCH_CALL_STACK (1ull << 11)
#define BRANCH_HW_INDEX (1ull << 17)
#define BRANCH_COUNTERS (1ull << 19)

#define RECORD_MISC_BUILD_ID_SIZE (1 << 15) /* HEADER_BUILD_ID: byte 20 of the id holds its size */

#define BRANCH_ENTRY_SIZE 24 /* struct perf_branch_entry: from, to, flags */

#endif
