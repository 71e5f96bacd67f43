/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct perf_event_attr in full, whatever the kernel headers of the build machine know.
 *
 * Layout, names and bit numbers: include/uapi/linux/perf_event.h, sizes 64 (VER0) to 144 (config4).
 * The flags are one 64-bit word with named masks instead of bit-fields: files of the other byte
 * order and files written by newer kernels keep bits that this build has no name for.
 */
#ifndef EVENT_EVENT_ATTR_H
#define EVENT_EVENT_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_attr {
	uint32_t type; /* PERF_TYPE_* */
	uint32_t size; /* bytes of this struct that hold something */
	uint64_t config;
	uint64_t sample_period; /* or sample_freq, with ATTR_FREQ */
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_* */
	uint64_t flags; /* ATTR_* */
	uint32_t wakeup_events; /* or wakeup_watermark (bytes), with ATTR_WATERMARK */
	uint32_t bp_type;
	uint64_t config1; /* or bp_addr */
	uint64_t config2; /* or bp_len */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t reserved_2;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
};

_Static_assert(sizeof(struct event_attr) == 144, "perf_event_attr with config4");

#define EVENT_ATTR_SIZE_MIN 64 /* PERF_ATTR_SIZE_VER0 */
#define EVENT_ATTR_SIZE_MAX 144

#define ATTR_DISABLED (1ull << 0)
#define ATTR_INHERIT (1ull << 1)
#define ATTR_PINNED (1ull << 2)
#define ATTR_EXCLUSIVE (1ull << 3)
#define ATTR_EXCLUDE_USER (1ull << 4)
#define ATTR_EXCLUDE_KERNEL (1ull << 5)
#define ATTR_EXCLUDE_HV (1ull << 6)
#define ATTR_EXCLUDE_IDLE (1ull << 7)
#define ATTR_MMAP (1ull << 8)
#define ATTR_COMM (1ull << 9)
#define ATTR_FREQ (1ull << 10)
#define ATTR_INHERIT_STAT (1ull << 11)
#define ATTR_ENABLE_ON_EXEC (1ull << 12)
#define ATTR_TASK (1ull << 13)
#define ATTR_WATERMARK (1ull << 14)
#define ATTR_PRECISE_SHIFT 15 /* two bits */
#define ATTR_PRECISE_MASK (3ull << ATTR_PRECISE_SHIFT)
#define ATTR_MMAP_DATA (1ull << 17)
#define ATTR_SAMPLE_ID_ALL (1ull << 18)
#define ATTR_EXCLUDE_HOST (1ull << 19)
#define ATTR_EXCLUDE_GUEST (1ull << 20)
#define ATTR_EXCLUDE_CALLCHAIN_KERNEL (1ull << 21)
#define ATTR_EXCLUDE_CALLCHAIN_USER (1ull << 22)
#define ATTR_MMAP2 (1ull << 23)
#define ATTR_COMM_EXEC (1ull << 24)
#define ATTR_USE_CLOCKID (1ull << 25)
#define ATTR_CONTEXT_SWITCH (1ull << 26)
#define ATTR_WRITE_BACKWARD (1ull << 27)
#define ATTR_NAMESPACES (1ull << 28)
#define ATTR_KSYMBOL (1ull << 29)
#define ATTR_BPF_EVENT (1ull << 30)
#define ATTR_AUX_OUTPUT (1ull << 31)
#define ATTR_CGROUP (1ull << 32)
#define ATTR_TEXT_POKE (1ull << 33)
#define ATTR_BUILD_ID (1ull << 34)
#define ATTR_INHERIT_THREAD (1ull << 35)
#define ATTR_REMOVE_ON_EXEC (1ull << 36)
#define ATTR_SIGTRAP (1ull << 37)
#define ATTR_DEFER_CALLCHAIN (1ull << 38)
#define ATTR_DEFER_OUTPUT (1ull << 39)

/* linux/perf_event.h values that Debian 12's headers lack; the rest is used from the header. */
#define EVENT_FORMAT_LOST (1u << 4)

/* The smallest published size (64, 72, 80, 96, 104, 112, 120, 128, 136, 144) that holds every non-zero field. */
uint32_t event_attr_smallest_size(const struct event_attr *attr);

/*
 * Turns the byte order of a perf_event_attr of `size` bytes in place: numbers by their size, the flags by bit (the
 * C bit-fields of the uapi struct begin at the other end on big-endian machines).
 */
void event_attr_swap(void *attr, size_t size);
/*
 * An attr of `size` bytes (at least 64) as it stands in a file or pipe; bytes beyond what this build knows are ignored,
 * ret_attr->size is the number of bytes that count. swap: the bytes are of the other order.
 */
void event_attr_decode(const void *bytes, size_t size, bool swap, struct event_attr *ret_attr);

#endif
