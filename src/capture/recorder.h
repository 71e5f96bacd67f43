/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time between start and end of a recording: one loop that waits for rings to fill, signals, deadlines, commands
 * and the end of what is recorded, and moves bytes.
 *
 * It runs at real-time priority where that is allowed: then it pre-empts whoever fills the ring, and nothing is lost.
 */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "capture/control.h"
#include "capture/counter.h"
#include "capture/drain.h"
#include "capture/target.h"
#include "capture/workload.h"
#include "event/event.h"

enum recorder_end {
	RECORDER_COMMAND_ENDED,
	RECORDER_TARGET_ENDED,
	RECORDER_SIGNAL, /* recorder.signal */
	RECORDER_TIMEOUT,
	RECORDER_FULL, /* --max-size, or the last of the files of --switch-output */
	RECORDER_STOPPED, /* by a command */
	RECORDER_FAILED, /* err says why; what came before is in the sink */
};

struct recorder_range { /* nanoseconds after the start */
	uint64_t from;
	uint64_t to; /* UINT64_MAX: to the end */
};

#define RECORDER_REALTIME_AUTO (-1)

struct recorder {
	struct counter_set *set;
	const struct event_list *events;
	const struct target *target;
	struct workload *workload;
	char *const *argv; /* of the workload; NULL: there is none */
	struct drain *drain;
	struct control *control; /* NULL: none */
	const struct recorder_range *ranges; /* when events are on; none: always */
	size_t nr_ranges;
	bool start_disabled; /* until somebody enables them */
	uint64_t timeout; /* nanoseconds; 0: none */
	int realtime; /* SCHED_FIFO priority; 0: none; RECORDER_REALTIME_AUTO: the lowest, if allowed */
	/* Output: bytes written so far; when to end, or go on in the next file. */
	uint64_t (*written)(void *context);
	uint64_t max_size; /* 0: no limit */
	uint64_t switch_size; /* 0: not by size */
	uint64_t switch_time; /* nanoseconds; 0: not by time */
	bool switch_on_signal; /* SIGUSR2 */
	/* Ends this file and begins the next: >0: that was the last one. NULL: never. */
	int (*rotate)(void *context, struct err *err);
	/* For the commands that only the caller can answer (evlist). */
	void (*command)(void *context, enum control_command command, const char *argument);
	void (*switched)(void *context, bool enabled); /* events were turned on or off */
	void *context;
	/* Answers. */
	uint64_t wakeups;
	int signal;
	/* The recorder's own. */
	bool signals_blocked;
	sigset_t signals, old_signals;
	struct sigaction old_pipe; /* what SIGPIPE did */
	int epoll_fd, signal_fd;
	size_t nr_live_rings;
	size_t *next_counter; /* of each ring: whom to wait for when the present one is through */
	bool enabled;
	size_t range;
	uint64_t start_time, next_tick, next_switch, tick;
};

/* Blocks the signals that the loop takes. After the workload was started (it inherits), before any other thread. */
void recorder_block_signals(struct recorder *recorder);
/* Gives them back as they were; what has come and was not taken is forgotten. */
void recorder_restore_signals(struct recorder *recorder);
/*
 * Takes the real-time priority, already for opening counters on a busy machine. 0, or -errno with words when a priority that
 * was asked for is not to be had. recorder_run lowers it at its end.
 */
int recorder_raise_priority(struct recorder *recorder, struct err *err);
/* Turns events on, lets the workload go, and records until the end. Returns enum recorder_end, or -errno with words when it
 * could not begin. */
int recorder_run(struct recorder *recorder, struct err *err);
/* Whether an ending signal has come since (SIGINT, SIGTERM, SIGHUP). */
bool recorder_interrupted(struct recorder *recorder);

#endif
