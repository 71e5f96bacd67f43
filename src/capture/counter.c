/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/counter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/counter_advice.h"
#include "event/filter.h"
#include "event/tracepoint.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define NO_RING UINT32_MAX
/*
 * Stack dumps fill the usual 512 KiB in 3 ms at 20 kHz, tracepoints in as little: with the right to lock memory rings are
 * larger then, as long as all of them together stay within reason.
 */
#define RING_SIZE_DUMPS (4u << 20)
#define RING_SIZE_TRACEPOINTS (2u << 20)
#define RINGS_TOTAL (256u << 20)

int counter_open_fd(const struct event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	struct event_attr sized = *attr;
	long fd;

	sized.size = event_attr_smallest_size(attr);
	fd = syscall(SYS_perf_event_open, &sized, pid, cpu, group_fd, flags | PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* ---- the matrix ---- */

struct opening {
	struct counter_set *set;
	const struct counter_plan *plan;
	struct err *err;
	size_t leader_hint; /* where the leader's counters go on */
};

/* The counter of the group's leader in this cell; -1: the event has none, -2: the cell is missing. */
static int find_leader(struct opening *opening, uint32_t index, int cpu, pid_t tid)
{
	uint32_t leader = opening->plan->events->events.items[index].leader;
	const struct counter_set *set = opening->set;

	if (leader == EVENT_NO_LEADER || leader == index)
		return -1;
	/* Cells come in the same order for all events. */
	for (size_t round = 0; round < 2; round++) {
		for (size_t i = opening->leader_hint; i < set->counters.nr; i++) {
			const struct counter *counter = &set->counters.items[i];

			if (counter->event != leader || counter->cpu != cpu || counter->tid != tid)
				continue;
			opening->leader_hint = i + 1;
			return counter->fd;
		}
		opening->leader_hint = 0;
	}
	return -2;
}

/* One cell. 0: opened or rightly absent; 1: start again; -errno. */
static int open_cell(struct opening *opening, uint32_t index, int cpu, pid_t pid, uint32_t thread,
		     unsigned long flags)
{
	const struct counter_plan *plan = opening->plan;
	struct counter_set *set = opening->set;
	pid_t tid = thread == UINT32_MAX ? -1 : pid;

	for (;;) {
		struct event *event = &plan->events->events.items[index];
		int leader = find_leader(opening, index, cpu, tid), fd;
		enum counter_fallback_action action;

		if (leader == -2)
			return 0;
		fd = counter_open_fd(&event->attr, pid, cpu, leader, flags);
		if (fd >= 0) {
			array_push(&set->counters, (struct counter){ .fd = fd,
								     .event = index,
								     .ring = NO_RING,
								     .cpu = cpu,
								     .tid = tid,
								     .thread = thread });
			return 0;
		}
		if (fd == -EINTR)
			continue;
		/* Threads come and go while we open; without any there is nothing to record, which is seen later. */
		if (fd == -ESRCH && thread != UINT32_MAX)
			return 0;
		action = counter_fallback(&set->fallback, plan->events, index, fd, plan->target,
					  set->by_cgroup);
		if (action == COUNTER_FALLBACK_TASKS)
			set->by_cgroup = false;
		if (action == COUNTER_FALLBACK_RESTART || action == COUNTER_FALLBACK_TASKS)
			return 1;
		if (action == COUNTER_FALLBACK_NONE)
			return counter_advice_open(opening->err, fd, event, plan->target);
	}
}

static int open_on_cpus(struct opening *opening, uint32_t index)
{
	const struct counter_plan *plan = opening->plan;
	const struct event *event = &plan->events->events.items[index];
	const struct cpuset *cpus = &plan->target->cpus;
	unsigned long flags = 0;
	pid_t pid = -1;
	int code = 0;

	if (opening->set->by_cgroup)
		pid = plan->command_cgroup;
	else if (plan->event_cgroups && plan->event_cgroups[index] >= 0)
		pid = plan->event_cgroups[index];
	if (pid >= 0)
		flags = PERF_FLAG_PID_CGROUP;
	for (int cpu = cpuset_next(cpus, 0); cpu >= 0 && !code; cpu = cpuset_next(cpus, cpu + 1)) {
		if (event->has_cpus && !cpuset_has(event->cpus, (uint32_t)cpu))
			continue;
		code = open_cell(opening, index, cpu, pid, UINT32_MAX, flags);
		event = &plan->events->events.items[index < plan->events->events.nr ? index : 0];
	}
	return code;
}

static int open_on_tasks(struct opening *opening, uint32_t index)
{
	const struct counter_plan *plan = opening->plan;
	const struct target *target = plan->target;
	int code = 0;

	for (uint32_t i = 0; i < target->threads.nr && !code; i++) {
		pid_t tid = target->threads.items[i].tid;

		if (target->per_thread || !(plan->events->events.items[index].attr.flags & ATTR_INHERIT)) {
			code = open_cell(opening, index, -1, tid, i, 0);
			continue;
		}
		for (int cpu = cpuset_next(&target->cpus, 0); cpu >= 0 && !code;
		     cpu = cpuset_next(&target->cpus, cpu + 1)) {
			const struct event *event = &plan->events->events.items[index];

			if (event->has_cpus && !cpuset_has(event->cpus, (uint32_t)cpu))
				continue;
			code = open_cell(opening, index, cpu, tid, i, 0);
		}
	}
	return code;
}

static void close_all(struct counter_set *set)
{
	for (size_t i = 0; i < set->rings.nr; i++)
		ring_close(set->rings.items[i]);
	for (size_t i = 0; i < set->counters.nr; i++)
		close(set->counters.items[i].fd);
	array_clear(&set->rings);
	array_clear(&set->counters);
}

static int open_all(struct opening *opening)
{
	const struct counter_plan *plan = opening->plan;
	struct event_list *list = plan->events;
	int code;

	do {
		close_all(opening->set);
		sampling_apply_scope(plan->sampling, plan->target, opening->set->by_cgroup, list);
		code = 0;
		for (uint32_t i = 0; i < list->events.nr && !code; i++) {
			opening->leader_hint = 0;
			if (sampling_is_on_tasks(plan->target, opening->set->by_cgroup, list, i))
				code = open_on_tasks(opening, i);
			else
				code = open_on_cpus(opening, i);
		}
	} while (code > 0);
	return code;
}

/* ---- rings ---- */

struct ring_map {
	uint32_t of_cpu[2][CPUSET_MAX]; /* by overwrite or not */
	uint32_t *of_thread[2];
};

static uint32_t *ring_slot(struct ring_map *map, const struct counter *counter, bool overwrite)
{
	if (counter->cpu >= 0)
		return &map->of_cpu[overwrite][counter->cpu];
	return &map->of_thread[overwrite][counter->thread];
}

static int map_counter(struct counter_set *set, const struct event_list *list, struct ring_map *map,
		       struct counter *counter, size_t size)
{
	bool overwrite = list->events.items[counter->event].attr.flags & ATTR_WRITE_BACKWARD;
	uint32_t *slot = ring_slot(map, counter, overwrite);
	struct ring *ring;
	int code;

	if (*slot != NO_RING) {
		counter->ring = *slot;
		if (ioctl(counter->fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd(set->rings.items[*slot])))
			return -errno;
		return 0;
	}
	code = ring_open(counter->fd, size, overwrite, &ring);
	if (code < 0)
		return code;
	counter->ring = *slot = (uint32_t)set->rings.nr;
	array_push(&set->rings, ring);
	return 0;
}

static int map_all(struct opening *opening, size_t size)
{
	size_t nr_threads = opening->plan->target->threads.nr;
	struct counter_set *set = opening->set;
	struct ring_map *map = xmalloc(sizeof(*map));
	int code = 0;

	memset(map, 0xff, sizeof(*map));
	for (int i = 0; i < 2; i++) {
		map->of_thread[i] = xreallocarray(NULL, nr_threads + 1, sizeof(uint32_t));
		memset(map->of_thread[i], 0xff, nr_threads * sizeof(uint32_t));
	}
	for (size_t i = 0; i < set->counters.nr && !code; i++)
		code = map_counter(set, opening->plan->events, map, &set->counters.items[i], size);
	free(map->of_thread[0]);
	free(map->of_thread[1]);
	free(map);
	return code;
}

static size_t usual_ring_size(const struct event_list *list, const struct cpuset *cpus)
{
	size_t size = ring_size_allowed(), wanted = size, nr = cpuset_count(cpus);

	for (size_t i = 0; i < list->events.nr; i++) {
		const struct event *event = &list->events.items[i];

		if (event->attr.sample_stack_user && wanted < RING_SIZE_DUMPS)
			wanted = RING_SIZE_DUMPS;
		else if (event->is_tracepoint && wanted < RING_SIZE_TRACEPOINTS)
			wanted = RING_SIZE_TRACEPOINTS;
	}
	while (size < wanted && size * 2 * nr <= RINGS_TOTAL)
		size *= 2;
	return size;
}

static int open_rings(struct opening *opening)
{
	const struct counter_plan *plan = opening->plan;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = plan->ring_size, asked;
	struct counter_set *set = opening->set;
	int code;

	if (!size)
		size = usual_ring_size(plan->events, &plan->target->cpus);
	asked = size;
	for (;;) {
		code = map_all(opening, size);
		if ((code != -EPERM && code != -ENOMEM) || size <= page || plan->ring_size_given)
			break;
		for (size_t i = 0; i < set->rings.nr; i++)
			ring_close(set->rings.items[i]);
		array_clear(&set->rings);
		size /= 2;
	}
	if (code < 0)
		return counter_advice_map(opening->err, code, size);
	if (size < asked && size < ring_size_allowed())
		counter_fallback_note(
			&set->fallback,
			"rings of %zu KiB a CPU instead of %zu: this user may not lock more memory "
			"(ulimit -l, kernel.perf_event_mlock_kb)",
			size / 1024, asked / 1024);
	set->ring_size = size;
	return 0;
}

static int read_ids(struct opening *opening)
{
	struct counter_set *set = opening->set;

	for (size_t i = 0; i < set->counters.nr; i++)
		if (ioctl(set->counters.items[i].fd, PERF_EVENT_IOC_ID, &set->counters.items[i].id))
			return err_errno(opening->err, -errno,
					 "cannot ask the kernel for the id of a counter");
	return 0;
}

int counter_set_open(struct counter_set *set, const struct counter_plan *plan, struct err *err)
{
	struct opening opening = { .set = set, .plan = plan, .err = err };
	int code;

	*set = (struct counter_set){ .by_cgroup = plan->command_cgroup >= 0 };
	code = open_all(&opening);
	if (!code && !set->counters.nr)
		code = err_set(err, -ESRCH, "what was to be recorded is gone");
	if (!code)
		code = open_rings(&opening);
	if (!code)
		code = read_ids(&opening);
	if (code < 0)
		counter_set_release(set, NULL);
	else
		counter_fallback_conclude(&set->fallback);
	return code;
}

#define SLOW_COUNTERS 256

/* Waits for the end of this process's parent, who is the other one to have the counters open. */
static void __attribute__((noreturn)) close_later(pid_t parent)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	prctl(PR_SET_NAME, "sonde-close");
	/* Nobody must wait for us at the end of a pipe or a terminal. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (chdir("/"))
		_exit(1);
	while (getppid() == parent)
		usleep(10000);
	_exit(0);
}

static bool closes_slowly(const struct counter_set *set, const struct event_list *events)
{
	if (set->counters.nr > SLOW_COUNTERS)
		return true;
	for (size_t i = 0; events && i < events->events.nr; i++)
		if (events->events.items[i].is_tracepoint)
			return true;
	return false;
}

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_between(int first, int last)
{
	if (first > last || !syscall(SYS_close_range, first, last, 0))
		return;
	if (last > 65535)
		last = 65535;
	for (int fd = first; fd <= last; fd++)
		close(fd);
}

static void leave_behind(const struct counter_set *set)
{
	int *fds = xreallocarray(NULL, set->counters.nr, sizeof(*fds)), last = STDERR_FILENO;
	pid_t parent = getpid();
	sigset_t none;

	for (size_t i = 0; i < set->counters.nr; i++)
		fds[i] = set->counters.items[i].fd;
	qsort(fds, set->counters.nr, sizeof(*fds), compare_fds);
	if (!fork()) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		/* Other descriptors are none of its business: a lock, a pipe that somebody reads to its end. */
		for (size_t i = 0; i < set->counters.nr; i++) {
			close_between(last + 1, fds[i] - 1);
			last = fds[i];
		}
		close_between(last + 1, INT_MAX);
		close_later(parent);
	}
	free(fds);
}

void counter_set_release(struct counter_set *set, const struct event_list *events)
{
	if (set->counters.nr && closes_slowly(set, events))
		leave_behind(set);
	close_all(set);
	array_release(&set->counters);
	array_release(&set->rings);
	counter_fallback_release(&set->fallback);
}

/* ---- what is done to all ---- */

int counter_set_enable(struct counter_set *set, const struct event_list *events, bool enable)
{
	int code = 0;

	for (size_t i = 0; i < set->counters.nr; i++) {
		const struct counter *counter = &set->counters.items[i];
		const struct event *event = &events->events.items[counter->event];

		if (event->is_tracking ||
		    (event->leader != EVENT_NO_LEADER && event->leader != counter->event))
			continue;
		if (ioctl(counter->fd, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			code = -errno;
	}
	return code;
}

void counter_set_stop(struct counter_set *set)
{
	if (set->counters.nr)
		prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

int counter_set_start(struct counter_set *set, const struct event_list *events, bool tracking_only)
{
	bool all = !tracking_only;
	int code = 0;

	for (size_t i = 0; i < events->events.nr; i++)
		all &= !(events->events.items[i].attr.flags & ATTR_ENABLE_ON_EXEC);
	/* At one go: the first counters shall not see how the last are turned on. */
	if (all && !prctl(PR_TASK_PERF_EVENTS_ENABLE))
		return 0;

	for (size_t i = 0; i < set->counters.nr; i++) {
		const struct counter *counter = &set->counters.items[i];
		const struct event *event = &events->events.items[counter->event];

		if (!(event->attr.flags & ATTR_DISABLED) || event->attr.flags & ATTR_ENABLE_ON_EXEC ||
		    (tracking_only && !event->is_tracking))
			continue;
		if (ioctl(counter->fd, PERF_EVENT_IOC_ENABLE, 0))
			code = -errno;
	}
	return code;
}

int counter_set_filter(struct counter_set *set, const struct event_list *events, const char *tracefs,
		       struct err *err)
{
	for (size_t i = 0; i < set->counters.nr; i++) {
		const struct event *event = &events->events.items[set->counters.items[i].event];
		char system[256], fields[2048] = "", *colon;
		int code;

		if (!event->filter ||
		    !ioctl(set->counters.items[i].fd, PERF_EVENT_IOC_SET_FILTER, event->filter))
			continue;
		code = -errno;
		if (code != -EINVAL)
			return err_errno(err, code, "cannot set the filter of %s", event->name);
		snprintf(system, sizeof(system), "%s", event->name);
		colon = strchr(system, ':');
		if (colon) {
			*colon = 0;
			tracepoint_read_fields(tracefs, system, colon + 1, fields, sizeof(fields));
		}
		return filter_explain(event->filter, event->name, fields, err);
	}
	return 0;
}

uint64_t counter_read_lost(const struct counter *counter, const struct event_attr *attr)
{
	/*
	 * value [enabled] [running] id lost; with GROUP, whoever of the group is asked:
	 * nr [enabled] [running] and { value id lost } of each.
	 */
	uint64_t values[3 + 3 * 128];
	bool grouped = attr->read_format & PERF_FORMAT_GROUP;
	size_t at = 1, nr;
	ssize_t size;

	if ((attr->read_format & (EVENT_FORMAT_LOST | PERF_FORMAT_ID)) !=
	    (EVENT_FORMAT_LOST | PERF_FORMAT_ID))
		return 0;
	size = read(counter->fd, values, sizeof(values));
	if (size <= 0)
		return 0;
	nr = (size_t)size / sizeof(uint64_t);
	at += !!(attr->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	at += !!(attr->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (!grouped)
		return at + 1 < nr ? values[at + 1] : 0;
	for (; at + 2 < nr; at += 3)
		if (values[at + 1] == counter->id)
			return values[at + 2];
	return 0;
}
