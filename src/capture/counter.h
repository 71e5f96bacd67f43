/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events opened on tasks and CPUs.
 *
 * What is opened is a matrix. On whole CPUs: events x CPUs. On tasks: events x threads x CPUs, because the kernel
 * refuses rings for inherited counters that are not bound to a CPU. All counters of a CPU write into one ring,
 * that of the first of them (PERF_EVENT_IOC_SET_OUTPUT); overwriting events share a second one.
 *
 * A launched command is best followed by its cgroup with counters on CPUs: counters of tasks start their period anew in
 * each child, so that processes shorter than a period are never seen (1,000 short processes of 740 ms in all: 742
 * samples at 1 kHz by cgroup, 1 by inherited counters). Tracepoints count each hit, and some are delivered to a task
 * other than the one that runs (sched_wakeup): they stay with tasks.
 */
#ifndef CAPTURE_COUNTER_H
#define CAPTURE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/err.h"
#include "capture/counter_fallback.h"
#include "capture/ring.h"
#include "capture/sampling.h"
#include "capture/target.h"
#include "event/event.h"

struct counter {
	int fd;
	uint32_t event; /* index in the list */
	uint32_t ring; /* index of the ring it writes into */
	int cpu; /* -1: wherever the task runs */
	pid_t tid; /* -1: whatever runs on the CPU */
	uint32_t thread; /* index in the target's threads, with tid */
	uint64_t id;
};

struct counter_set {
	ARRAY(struct counter) counters;
	ARRAY(struct ring *) rings;
	bool by_cgroup; /* the command was scoped by its cgroup */
	size_t ring_size; /* as it came to be */
	struct counter_fallback fallback;
};

struct counter_plan {
	struct event_list *events; /* attrs may be changed to what this kernel takes; events may be removed */
	const struct sampling *sampling;
	const struct target *target; /* threads holds the command's, too */
	int command_cgroup; /* directory fd of the launched command's own cgroup; -1: follow tasks */
	const int *event_cgroups; /* -G: a directory fd for each event, -1: none; NULL: none at all */
	size_t ring_size; /* bytes, a power of two; 0: the usual */
	bool ring_size_given; /* by the user: a smaller one is not taken silently */
};

/*
 * Opens and maps everything, disabled; falls back as far as that gives an honest recording, and notes each step in
 * set->fallback. 0, or -errno with words and advice.
 */
int counter_set_open(struct counter_set *set, const struct counter_plan *plan, struct err *err);
/*
 * Unmaps the rings and gives everything back. The kernel needs 30 ms to close the last counter of a tracepoint (it waits
 * for all CPUs, one tracepoint after the other: 27 s for syscalls:*): where that would take long, a child process is left
 * behind that holds the descriptors until this process has ended, and closes them then.
 */
void counter_set_release(struct counter_set *set, const struct event_list *events);
/* Turns all counters on or off; tracking events (side-band) are left alone. */
int counter_set_enable(struct counter_set *set, const struct event_list *events, bool enable);
/* Turns all counters of this thread off for good, side-band included, in one system call. */
void counter_set_stop(struct counter_set *set);
/* Turns on what is off and will not be turned on by the command's exec; tracking_only: only side-band. */
int counter_set_start(struct counter_set *set, const struct event_list *events, bool tracking_only);
/* Gives tracepoints their filters. 0 or -errno with words. */
int counter_set_filter(struct counter_set *set, const struct event_list *events, const char *tracefs,
		       struct err *err);
/* What PERF_FORMAT_LOST says of one counter; 0 when the kernel does not count. */
uint64_t counter_read_lost(const struct counter *counter, const struct event_attr *attr);

/* perf_event_open(2): fd or -errno. */
int counter_open_fd(const struct event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);

#endif
