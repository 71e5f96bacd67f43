/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PERF_SAMPLE_DATA_SRC: where the data of a memory access came from. Bits: union perf_mem_data_src in
 * include/uapi/linux/perf_event.h.
 */
#ifndef ANALYSIS_DATA_SRC_H
#define ANALYSIS_DATA_SRC_H

#include <stdint.h>

#include "base/buf.h"

/* One aspect each, in perf's words: "LOAD"; "L1 hit"; "HitM"; "L2 miss"; "Yes"; " Data". */
void data_src_print_op(uint64_t data_src, struct buf *buf);
void data_src_print_level(uint64_t data_src, struct buf *buf);
void data_src_print_snoop(uint64_t data_src, struct buf *buf);
void data_src_print_tlb(uint64_t data_src, struct buf *buf);
void data_src_print_lock(uint64_t data_src, struct buf *buf);
void data_src_print_blocked(uint64_t data_src, struct buf *buf);
/* All of them: "|OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK  N/A". */
void data_src_print(uint64_t data_src, struct buf *buf);

#endif
