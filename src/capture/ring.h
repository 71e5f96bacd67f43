/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One ring that the kernel writes records into and we read from (perf_event_open(2), "MMAP layout").
 *
 * Positions only ever grow; a byte's place is its position modulo the size, a power of two. The kernel moves the head
 * when a record is complete, we move the tail when we are done with it: between them lie whole records, of which
 * one may go over the end and continue at the beginning.
 *
 * An overwriting ring (attr.write_backward) is filled from its end towards its beginning and never blocks: its head
 * shrinks, the newest record is at the head, and reading is only possible while it is paused.
 */
#ifndef CAPTURE_RING_H
#define CAPTURE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

struct ring;

/* Maps size bytes (a power of two, at least a page) for the counter fd. -errno: -EPERM when that is more than allowed. */
int ring_open(int fd, size_t size, bool overwrite, struct ring **ret_ring);
void ring_close(struct ring *ring);
/*
 * Calls take for runs of whole records, oldest first (overwriting rings: newest first, as they lie), until what was
 * there at the call is gone, and gives the space back to the kernel after each. Stops at the first negative answer.
 * Returns the number of bytes taken, or that answer.
 */
int64_t ring_read(struct ring *ring, int (*take)(void *context, struct span records), void *context);
bool ring_is_overwrite(const struct ring *ring);
/* Stops or lets go the kernel's writing into the ring; records that come while it is stopped are lost. */
int ring_pause(struct ring *ring, bool pause);
int ring_fd(const struct ring *ring);
size_t ring_size(const struct ring *ring);
/* The first page, for the clock's conversion (struct perf_event_mmap_page). */
const void *ring_head_page(const struct ring *ring);

/* Memory that this user may have locked for rings, in bytes a CPU (kernel.perf_event_mlock_kb). */
size_t ring_size_allowed(void);

#endif
