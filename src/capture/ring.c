/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"

#define RECORD_SIZE_MAX 65536
#define HEADER_SIZE 8

struct ring {
	int fd;
	bool overwrite;
	size_t page_size;
	size_t size;
	struct perf_event_mmap_page *head;
	uint8_t *data;
	uint8_t *split; /* the record that goes over the end, put together */
};

int ring_open(int fd, size_t size, bool overwrite, struct ring **ret_ring)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct ring *ring;
	void *map;

	/* Without PROT_WRITE the kernel does not know our tail, and overwrites. */
	map = mmap(NULL, page_size + size, overwrite ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ring = xcalloc(1, sizeof(*ring));
	ring->fd = fd;
	ring->overwrite = overwrite;
	ring->page_size = page_size;
	ring->size = size;
	ring->head = map;
	ring->data = (uint8_t *)map + page_size;
	*ret_ring = ring;
	return 0;
}

void ring_close(struct ring *ring)
{
	if (!ring)
		return;
	munmap(ring->head, ring->page_size + ring->size);
	free(ring->split);
	free(ring);
}

static uint16_t size_at(const struct ring *ring, uint64_t pos)
{
	uint16_t size;

	/* Records start at multiples of 8: a header is never split. */
	memcpy(&size, ring->data + (pos & (ring->size - 1)) + 6, sizeof(size));
	return size;
}

/* The record at pos, which goes over the end of the ring, in one piece. */
static struct span join(struct ring *ring, uint64_t pos, size_t size)
{
	size_t first = ring->size - (pos & (ring->size - 1));

	if (!ring->split)
		ring->split = xmalloc(RECORD_SIZE_MAX);
	memcpy(ring->split, ring->data + (pos & (ring->size - 1)), first);
	memcpy(ring->split + first, ring->data, size - first);
	return (struct span){ ring->split, size };
}

/* Whole records from pos to `to`, in pieces: up to the end of the ring, the one that crosses it, the rest. */
static int64_t read_range(struct ring *ring, uint64_t pos, uint64_t to,
			  int (*take)(void *context, struct span records), void *context)
{
	uint64_t start = pos;

	while (pos < to) {
		uint64_t end = (pos | (ring->size - 1)) + 1, run = pos;
		struct span records;
		int code;

		if (to <= end && !ring->overwrite) {
			run = to; /* nothing crosses: no need to look at every record here */
		} else {
			while (run < to && run < end) {
				uint16_t size = size_at(ring, run);

				if (size < HEADER_SIZE || run + size > to)
					return ring->overwrite ? (int64_t)(pos - start) : -EBADMSG;
				if (run + size > end)
					break;
				run += size;
			}
		}
		if (run > pos) {
			records = (struct span){ ring->data + (pos & (ring->size - 1)), run - pos };
		} else {
			records = join(ring, pos, size_at(ring, pos));
			run = pos + records.size;
		}
		code = take(context, records);
		if (code < 0)
			return code;
		pos = run;
		if (!ring->overwrite)
			__atomic_store_n(&ring->head->data_tail, pos, __ATOMIC_RELEASE);
	}
	return (int64_t)(pos - start);
}

/* Bytes of whole records in an overwriting ring that begins at pos. */
static uint64_t measure_overwrite(const struct ring *ring, uint64_t pos)
{
	uint64_t length = 0;

	while (length < ring->size) {
		uint16_t size = size_at(ring, pos + length);

		if (size < HEADER_SIZE || length + size > ring->size)
			break; /* never written, or the oldest record, half overwritten */
		length += size;
	}
	return length;
}

int64_t ring_read(struct ring *ring, int (*take)(void *context, struct span records), void *context)
{
	uint64_t head = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);

	if (!ring->overwrite)
		return read_range(ring, ring->head->data_tail, head, take, context);
	head &= ring->size - 1; /* it shrinks from 0 on, so that its upper bits are all set */
	return read_range(ring, head, head + measure_overwrite(ring, head), take, context);
}

bool ring_is_overwrite(const struct ring *ring)
{
	return ring->overwrite;
}

int ring_pause(struct ring *ring, bool pause)
{
	return ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause) ? -errno : 0;
}

int ring_fd(const struct ring *ring)
{
	return ring->fd;
}

size_t ring_size(const struct ring *ring)
{
	return ring->size;
}

const void *ring_head_page(const struct ring *ring)
{
	return ring->head;
}

size_t ring_size_allowed(void)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE), size;
	uint64_t kilobytes;

	if (file_read_u64("/proc/sys/kernel/perf_event_mlock_kb", &kilobytes) < 0)
		kilobytes = 516;
	/* One page of it is the head; what remains is rounded down to a power of two. */
	if (kilobytes * 1024 < 2 * page_size)
		return page_size;
	size = page_size;
	while (size * 2 <= kilobytes * 1024 - page_size)
		size *= 2;
	return size;
}
