/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: what the kernel writes into rings and what perf.data files consist of.
 *
 * A record is a header and a body; the body's layout depends on the type alone, except that
 * non-sample records of events with sample_id_all end in a sample_id trailer whose fields depend on
 * the event's sample_type. Kernel types and layouts: include/uapi/linux/perf_event.h. Types from 64 on
 * are written by user space: perf.data format (reference in docs/).
 *
 * Everything that travels between floors as "records" is in the byte order of this machine: a source
 * that reads the other order swaps before it hands out.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

struct record_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* with this header */
};

enum record_type {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_THROTTLE = 5,
	RECORD_UNTHROTTLE = 6,
	RECORD_FORK = 7,
	RECORD_READ = 8,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_AUX = 11,
	RECORD_ITRACE_START = 12,
	RECORD_LOST_SAMPLES = 13,
	RECORD_SWITCH = 14,
	RECORD_SWITCH_CPU_WIDE = 15,
	RECORD_NAMESPACES = 16,
	RECORD_KSYMBOL = 17,
	RECORD_BPF_EVENT = 18,
	RECORD_CGROUP = 19,
	RECORD_TEXT_POKE = 20,
	RECORD_AUX_OUTPUT_HW_ID = 21,
	RECORD_CALLCHAIN_DEFERRED = 22,
	RECORD_USER_FIRST = 64,
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
	RECORD_BPF_METADATA = 84,
	RECORD_SCHEDSTAT_CPU = 85,
	RECORD_SCHEDSTAT_DOMAIN = 86,
};

/* header.misc: bits 0-2 are the cpumode of samples and mappings. */
#define RECORD_CPUMODE_MASK 7
#define RECORD_CPUMODE_UNKNOWN 0
#define RECORD_CPUMODE_KERNEL 1
#define RECORD_CPUMODE_USER 2
#define RECORD_CPUMODE_HYPERVISOR 3
#define RECORD_CPUMODE_GUEST_KERNEL 4
#define RECORD_CPUMODE_GUEST_USER 5
#define RECORD_MISC_PROC_MAP_PARSE_TIMEOUT (1 << 12)
#define RECORD_MISC_MMAP_DATA (1 << 13)
#define RECORD_MISC_COMM_EXEC (1 << 13)
#define RECORD_MISC_SWITCH_OUT (1 << 13)
#define RECORD_MISC_FORK_EXEC (1 << 13)
#define RECORD_MISC_EXACT_IP (1 << 14)
#define RECORD_MISC_SWITCH_OUT_PREEMPT (1 << 14)
#define RECORD_MISC_MMAP_BUILD_ID (1 << 14)

/* Context markers within callchains: what follows was captured in this mode. */
#define CALLCHAIN_HV ((uint64_t)-32)
#define CALLCHAIN_KERNEL ((uint64_t)-128)
#define CALLCHAIN_USER ((uint64_t)-512)
#define CALLCHAIN_USER_DEFERRED ((uint64_t)-640)
#define CALLCHAIN_GUEST ((uint64_t)-2048)
#define CALLCHAIN_GUEST_KERNEL ((uint64_t)-2176)
#define CALLCHAIN_GUEST_USER ((uint64_t)-2560)
#define CALLCHAIN_MAX ((uint64_t)-4095) /* entries >= this are markers */

#define RECORD_NO_TIME UINT64_MAX

/* The sample_id trailer (or the same facts of a sample). Absent fields: pid, tid, cpu -1, time RECORD_NO_TIME, id 0. */
struct record_id {
	int32_t pid, tid;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
	int32_t cpu;
};

struct record_mmap { /* MMAP and MMAP2 */
	int32_t pid, tid;
	uint64_t addr, length, pgoff;
	uint32_t prot, flags; /* MMAP: prot is PROT_EXEC or PROT_READ by misc, flags 0 */
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	uint8_t build_id_size; /* 0: none in the record */
	uint8_t build_id[20];
	const char *path;
};

struct record_comm {
	int32_t pid, tid;
	bool is_exec;
	const char *comm;
};

struct record_task { /* FORK and EXIT */
	int32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

struct record_lost { /* LOST (id of the event) and LOST_SAMPLES (id 0: see the trailer) */
	uint64_t id, lost;
};

struct record_throttle { /* THROTTLE and UNTHROTTLE */
	uint64_t time, id, stream_id;
};

struct record_read {
	int32_t pid, tid;
	struct span values; /* as read_format says */
};

struct record_switch { /* SWITCH, SWITCH_CPU_WIDE (next_prev_*: else -1) */
	int32_t next_prev_pid, next_prev_tid;
	bool is_out, is_preempt;
};

struct record_namespaces {
	int32_t pid, tid;
	uint64_t nr;
	const uint8_t *links; /* nr pairs of u64 {dev, inode} in the order net uts ipc pid user mnt cgroup */
};

struct record_ksymbol {
	uint64_t addr;
	uint32_t length;
	uint16_t kind; /* 1 BPF, 2 out of line */
	bool is_unregister;
	const char *name;
};

struct record_bpf_event {
	uint16_t kind; /* 1 load, 2 unload */
	uint16_t flags;
	uint32_t id;
	uint8_t tag[8];
};

struct record_cgroup {
	uint64_t id;
	const char *path;
};

struct record_text_poke {
	uint64_t addr;
	uint16_t old_length, new_length;
	const uint8_t *bytes; /* old, then new */
};

struct record_aux {
	uint64_t offset, size, flags;
};

struct record_build_id { /* HEADER_BUILD_ID, also the rows of the BUILD_ID header feature */
	int32_t pid;
	uint8_t build_id_size;
	uint8_t build_id[20];
	const char *path;
};

/* A decoded record. Pointers go into the raw bytes. */
struct record {
	const struct record_header *raw;
	uint64_t offset; /* in the file (of the compressed frame, for compressed data); for messages */
	uint32_t type;
	uint16_t misc;
	uint16_t size;
	struct record_id id; /* the trailer */
	union {
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_lost lost;
		struct record_throttle throttle;
		struct record_read read;
		struct record_switch sw;
		struct record_namespaces namespaces;
		struct record_ksymbol ksymbol;
		struct record_bpf_event bpf;
		struct record_cgroup cgroup;
		struct record_text_poke text_poke;
		struct record_aux aux;
		struct record_build_id build_id;
		struct span body; /* every other type */
	};
};

/* "MMAP2" and so on; NULL for types without a name. */
const char *record_type_name(uint32_t type);

/* Side-band: records that change what the machine model says (mappings, comms, forks, exits ...). */
static inline bool record_type_is_sideband(uint32_t type)
{
	const uint32_t kinds = 1u << RECORD_MMAP | 1u << RECORD_COMM | 1u << RECORD_EXIT | 1u << RECORD_FORK |
			       1u << RECORD_MMAP2 | 1u << RECORD_NAMESPACES | 1u << RECORD_KSYMBOL |
			       1u << RECORD_BPF_EVENT | 1u << RECORD_CGROUP | 1u << RECORD_TEXT_POKE;

	return type < 32 ? kinds >> type & 1 : type == RECORD_HEADER_BUILD_ID;
}

/*
 * Within trailer_type: no event of the recording asked for build-ids in mappings. The kernel (seen in 6.18) sets
 * RECORD_MISC_MMAP_BUILD_ID in the records of one recorder when another that runs at the same time asked for them; the
 * body then has device and inode all the same.
 */
#define RECORD_NO_BUILD_IDS (1ull << 63)

/*
 * Decodes a whole record of raw->size bytes (the caller has checked that they are there).
 * trailer_type is the sample_type of the record's event when it has sample_id_all, else 0. Works for
 * all types but SAMPLE (sample_decode). 0, or -EBADMSG when the body is too short for its type.
 */
int record_decode(const struct record_header *raw, uint64_t trailer_type, uint64_t offset,
		  struct record *ret_record);

/* The body of a HEADER_BUILD_ID record, or of a row of the BUILD_ID feature, in either byte order. 0 or -EBADMSG. */
int record_decode_build_id(struct span body, uint16_t misc, bool swap, struct record_build_id *ret_build_id);

/* Bytes of a sample_id trailer. */
size_t record_trailer_size(uint64_t sample_type);

/*
 * Turns the byte order of a record in place, from the other order into this machine's (its type and size are
 * turned too: the caller has looked at the size in the other order and has that many bytes). For all types but
 * SAMPLE (sample_swap). sample_type and sample_id_all: those of the record's event, for the trailer. -EBADMSG when
 * the body is too short for its type: the record is then turned as far as it goes.
 */
int record_swap(struct record_header *raw, uint64_t sample_type, uint64_t read_format, bool sample_id_all);

#endif
