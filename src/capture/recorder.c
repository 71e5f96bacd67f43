/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/recorder.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/array.h"
#include "base/clock.h"

/*
 * Rings say when they are half full. In between they are looked at now and then: what is written is then never old,
 * and a process that lives only briefly is still there when we learn of it.
 */
#define TICK_BUSY (5 * NSEC_PER_MSEC) /* while programs start */
#define TICK_IDLE (50 * NSEC_PER_MSEC)

#define NO_TIME UINT64_MAX
/* Besides enum recorder_end: the command could not be executed. */
#define NOT_STARTED 1000
/* What epoll tells apart: rings by their number, and these. */
#define TAG_SIGNAL UINT64_MAX
#define TAG_CONTROL (UINT64_MAX - 1)
#define TAG_EXEC (UINT64_MAX - 2) /* what became of the command's exec */

void recorder_block_signals(struct recorder *recorder)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2 };
	struct sigaction action = { .sa_handler = SIG_IGN };

	sigemptyset(&recorder->signals);
	for (size_t i = 0; i < NR_ITEMS(taken); i++)
		sigaddset(&recorder->signals, taken[i]);
	sigprocmask(SIG_BLOCK, &recorder->signals, &recorder->old_signals);
	/* A reader of our pipe that goes away is an error of write, which is told. */
	sigaction(SIGPIPE, &action, &recorder->old_pipe);
	recorder->signals_blocked = true;
}

void recorder_restore_signals(struct recorder *recorder)
{
	const struct timespec now = { 0, 0 };

	if (!recorder->signals_blocked)
		return;
	while (sigtimedwait(&recorder->signals, NULL, &now) > 0)
		;
	sigaction(SIGPIPE, &recorder->old_pipe, NULL);
	sigprocmask(SIG_SETMASK, &recorder->old_signals, NULL);
	recorder->signals_blocked = false;
}

bool recorder_interrupted(struct recorder *recorder)
{
	sigset_t pending;

	if (recorder->signal)
		return true;
	if (sigpending(&pending))
		return false;
	if (sigismember(&pending, SIGINT))
		recorder->signal = SIGINT;
	else if (sigismember(&pending, SIGTERM))
		recorder->signal = SIGTERM;
	else if (sigismember(&pending, SIGHUP))
		recorder->signal = SIGHUP;
	return recorder->signal != 0;
}

/* ---- rings to wait for ---- */

static int watch(struct recorder *recorder, int fd, uint64_t tag)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = tag };

	return epoll_ctl(recorder->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/*
 * Waits for the next counter that writes into the ring. A counter whose tasks have all ended says so for ever, and
 * would keep us busy; others may still write into its ring.
 */
static bool watch_next(struct recorder *recorder, size_t ring)
{
	const struct counter_set *set = recorder->set;

	for (size_t i = recorder->next_counter[ring]; i < set->counters.nr; i++) {
		if (set->counters.items[i].ring != ring ||
		    watch(recorder, set->counters.items[i].fd, ring) < 0)
			continue;
		recorder->next_counter[ring] = i + 1;
		return true;
	}
	recorder->next_counter[ring] = set->counters.nr;
	return false;
}

static void unwatch_ended(struct recorder *recorder, size_t ring)
{
	size_t current = recorder->next_counter[ring] - 1;

	epoll_ctl(recorder->epoll_fd, EPOLL_CTL_DEL, recorder->set->counters.items[current].fd, NULL);
	if (!watch_next(recorder, ring))
		recorder->nr_live_rings--;
}

static int open_waiting(struct recorder *recorder, struct err *err)
{
	recorder->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	recorder->signal_fd = signalfd(-1, &recorder->signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (recorder->epoll_fd < 0 || recorder->signal_fd < 0 ||
	    watch(recorder, recorder->signal_fd, TAG_SIGNAL) < 0)
		return err_errno(err, -errno, "cannot wait for rings and signals");
	if (recorder->control && recorder->control->fd >= 0 &&
	    watch(recorder, recorder->control->fd, TAG_CONTROL) < 0)
		return err_errno(err, -errno, "cannot wait for commands (--control)");
	recorder->next_counter = xcalloc(recorder->set->rings.nr + 1, sizeof(*recorder->next_counter));
	for (size_t i = 0; i < recorder->set->rings.nr; i++)
		if (watch_next(recorder, i))
			recorder->nr_live_rings++;
	return 0;
}

static void close_waiting(struct recorder *recorder)
{
	if (recorder->epoll_fd >= 0)
		close(recorder->epoll_fd);
	if (recorder->signal_fd >= 0)
		close(recorder->signal_fd);
	free(recorder->next_counter);
	recorder->next_counter = NULL;
}

/* ---- on and off ---- */

static void switch_events(struct recorder *recorder, bool on)
{
	if (on == recorder->enabled)
		return;
	counter_set_enable(recorder->set, recorder->events, on);
	recorder->enabled = on;
	if (recorder->switched)
		recorder->switched(recorder->context, on);
}

static void switch_named(struct recorder *recorder, const char *name, bool on)
{
	const struct counter_set *set = recorder->set;

	for (size_t i = 0; i < set->counters.nr; i++)
		if (!strcmp(recorder->events->events.items[set->counters.items[i].event].name, name))
			ioctl(set->counters.items[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			      0);
}

/* Turns events on or off as the ranges say, and returns when they will say something else. */
static uint64_t apply_ranges(struct recorder *recorder, uint64_t now)
{
	uint64_t since = now - recorder->start_time;

	while (recorder->range < recorder->nr_ranges) {
		const struct recorder_range *range = &recorder->ranges[recorder->range];

		if (since < range->from) {
			switch_events(recorder, false);
			return recorder->start_time + range->from;
		}
		if (range->to == UINT64_MAX) {
			switch_events(recorder, true);
			return NO_TIME;
		}
		if (since < range->to) {
			switch_events(recorder, true);
			return recorder->start_time + range->to;
		}
		recorder->range++;
	}
	if (recorder->nr_ranges)
		switch_events(recorder, false);
	return NO_TIME;
}

static void start_events(struct recorder *recorder)
{
	bool later = recorder->start_disabled || (recorder->nr_ranges && recorder->ranges[0].from);

	counter_set_start(recorder->set, recorder->events, later);
	recorder->enabled = !later;
}

/* ---- what happens ---- */

static int dump_overwritten(struct recorder *recorder, struct err *err)
{
	int64_t got = drain_overwritten(recorder->drain, err);

	return got < 0 ? (int)got : 0;
}

/* The next file; what overwriting rings hold belongs to the old one. */
static int rotate(struct recorder *recorder, struct err *err)
{
	int code;

	if (drain_once(recorder->drain, err) < 0)
		return RECORDER_FAILED;
	if (!recorder->rotate)
		return -1; /* in one file everything would be there twice: overwriting rings are written at the end */
	if (dump_overwritten(recorder, err) < 0)
		return RECORDER_FAILED;
	code = recorder->rotate(recorder->context, err);
	if (code < 0)
		return RECORDER_FAILED;
	if (recorder->switch_time)
		recorder->next_switch = clock_now(CLOCK_MONOTONIC) + recorder->switch_time;
	return code > 0 ? RECORDER_FULL : -1;
}

/* All of these return an enum recorder_end, or -1 to go on. */

/* How the command's exec came out, once. */
static int take_exec(struct recorder *recorder, struct err *err)
{
	if (recorder->workload->failed < 0 || !workload_exec_result(recorder->workload, recorder->argv, err))
		return -1;
	return NOT_STARTED;
}

static int take_signals(struct recorder *recorder, struct err *err)
{
	struct signalfd_siginfo info;
	int end = -1;

	while (read(recorder->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGCHLD:
			/* It has said why before it went. */
			if (recorder->argv && end < 0)
				end = take_exec(recorder, err);
			if (recorder->argv && end < 0 && workload_poll(recorder->workload))
				end = RECORDER_COMMAND_ENDED;
			break;
		case SIGUSR2:
			if (end < 0)
				end = rotate(recorder, err);
			break;
		default:
			recorder->signal = (int)info.ssi_signo;
			return RECORDER_SIGNAL;
		}
	}
	return end;
}

static int take_commands(struct recorder *recorder, struct err *err)
{
	const char *argument;
	int end = -1;

	for (;;) {
		enum control_command command = control_next(recorder->control, &argument);

		switch (command) {
		case CONTROL_NONE:
			return end;
		case CONTROL_CLOSED:
			epoll_ctl(recorder->epoll_fd, EPOLL_CTL_DEL, recorder->control->fd, NULL);
			return end;
		case CONTROL_ENABLE:
		case CONTROL_DISABLE:
			if (*argument)
				switch_named(recorder, argument, command == CONTROL_ENABLE);
			else
				switch_events(recorder, command == CONTROL_ENABLE);
			break;
		case CONTROL_SNAPSHOT:
			end = rotate(recorder, err);
			break;
		case CONTROL_STOP:
			control_ack(recorder->control);
			return RECORDER_STOPPED;
		case CONTROL_PING:
			break;
		default:
			if (recorder->command)
				recorder->command(recorder->context, command, argument);
			break;
		}
		control_ack(recorder->control);
		if (end >= 0)
			return end;
	}
}

static int drain_rings(struct recorder *recorder, struct err *err)
{
	struct drain_counts *counts = &recorder->drain->counts;
	uint64_t sideband = counts->sideband, size;

	if (drain_once(recorder->drain, err) < 0)
		return RECORDER_FAILED;
	recorder->tick = counts->sideband > sideband + 2 ? TICK_BUSY : TICK_IDLE;
	if (!recorder->written)
		return -1;
	size = recorder->written(recorder->context);
	if (recorder->max_size && size >= recorder->max_size)
		return RECORDER_FULL;
	if (recorder->switch_size && size >= recorder->switch_size)
		return rotate(recorder, err);
	return -1;
}

static int wait_milliseconds(uint64_t now, uint64_t until)
{
	if (until == NO_TIME)
		return -1;
	if (until <= now)
		return 0;
	until = (until - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;
	return until > 3600000 ? 3600000 : (int)until;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int loop(struct recorder *recorder, struct err *err)
{
	uint64_t deadline = recorder->timeout ? recorder->start_time + recorder->timeout : NO_TIME;
	struct epoll_event events[64];

	for (;;) {
		uint64_t now = clock_now(CLOCK_MONOTONIC), until;
		bool rings = false;
		int nr, end = -1;

		until = recorder->start_disabled ? NO_TIME : apply_ranges(recorder, now);
		until = earlier(earlier(until, deadline),
				earlier(recorder->next_tick, recorder->next_switch));
		nr = epoll_wait(recorder->epoll_fd, events, NR_ITEMS(events), wait_milliseconds(now, until));
		if (nr < 0 && errno != EINTR)
			return err_errno(err, -errno, "cannot wait for rings"), RECORDER_FAILED;
		for (int i = 0; i < nr; i++) {
			uint64_t tag = events[i].data.u64;

			if (tag >= TAG_EXEC)
				continue;
			rings = true;
			if (events[i].events & (EPOLLHUP | EPOLLERR))
				unwatch_ended(recorder, tag);
		}
		recorder->wakeups += rings;
		now = clock_now(CLOCK_MONOTONIC);
		if (rings || now >= recorder->next_tick) {
			end = drain_rings(recorder, err);
			recorder->next_tick = now + recorder->tick;
		}
		for (int i = 0; i < nr && end < 0; i++) {
			if (events[i].data.u64 == TAG_SIGNAL)
				end = take_signals(recorder, err);
			else if (events[i].data.u64 == TAG_CONTROL)
				end = take_commands(recorder, err);
			else if (events[i].data.u64 == TAG_EXEC)
				end = take_exec(recorder, err);
		}
		if (end < 0 && now >= recorder->next_switch)
			end = rotate(recorder, err);
		if (end >= 0)
			return end;
		if (now >= deadline)
			return RECORDER_TIMEOUT;
		if (recorder->target->kind == TARGET_TASKS && !recorder->nr_live_rings)
			return RECORDER_TARGET_ENDED;
	}
}

/* ---- priority ---- */

int recorder_raise_priority(struct recorder *recorder, struct err *err)
{
	bool wanted = recorder->realtime > 0;
	struct sched_param param = { .sched_priority = wanted ? recorder->realtime : 1 };
	int code;

	if (!recorder->realtime || !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) ||
	    !wanted)
		return 0;
	code = err_errno(err, -errno, "cannot get real-time priority %d", recorder->realtime);
	err_hint(err, "It needs CAP_SYS_NICE, or ulimit -r.");
	return code;
}

static void lower_priority(void)
{
	struct sched_param param = { .sched_priority = 0 };

	sched_setscheduler(0, SCHED_OTHER, &param);
}

int recorder_run(struct recorder *recorder, struct err *err)
{
	int code;

	recorder->epoll_fd = recorder->signal_fd = -1;
	code = open_waiting(recorder, err);
	if (code < 0) {
		close_waiting(recorder);
		return code;
	}
	start_events(recorder);
	recorder->tick = TICK_BUSY;
	if (recorder->argv) {
		/* While it execs it is recorded already, which may take its time. */
		watch(recorder, recorder->workload->failed, TAG_EXEC);
		workload_go(recorder->workload);
	}
	recorder->start_time = clock_now(CLOCK_MONOTONIC);
	recorder->next_tick = recorder->start_time + recorder->tick;
	recorder->next_switch = recorder->switch_time ? recorder->start_time + recorder->switch_time
						      : NO_TIME;
	code = loop(recorder, err);
	if (code == NOT_STARTED) {
		code = err->code;
	} else if (code != RECORDER_FAILED) {
		counter_set_stop(recorder->set);
		if (drain_once(recorder->drain, err) < 0 || dump_overwritten(recorder, err) < 0)
			code = RECORDER_FAILED;
	}
	lower_priority();
	close_waiting(recorder);
	return code;
}
