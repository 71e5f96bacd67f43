/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured: a command that is started, processes or threads that exist, CPUs, cgroups.
 *
 * What the user said comes as text in struct target_request (-p, -t, -u, -C, -a, -G and a command);
 * target_resolve turns it into threads and CPUs, by the rules people know: processes win over threads,
 * both over users, and all of them over CPUs; a list of CPUs without processes means whole CPUs.
 */
#ifndef CAPTURE_TARGET_H
#define CAPTURE_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/cpuset.h"
#include "base/err.h"

struct target_request {
	const char *pids; /* "1,2,3"; NULL: not given */
	const char *tids;
	const char *uid; /* a name or number */
	const char *cpus; /* "0-3,8" */
	bool system_wide;
	bool per_thread; /* one ring a thread, on whatever CPU it runs; children not followed */
	bool has_command;
};

enum target_kind {
	TARGET_COMMAND, /* the command, and what it starts */
	TARGET_TASKS, /* threads; a command only says how long */
	TARGET_CPUS, /* everything on `cpus`; likewise */
};

struct target_thread {
	pid_t pid, tid;
};

struct target {
	enum target_kind kind;
	bool per_thread;
	bool cpus_given; /* by -C */
	struct cpuset cpus; /* on which counters are opened */
	ARRAY(struct target_thread)
	threads; /* of TARGET_TASKS; the command's own thread is added when it has started */
	char overridden[160]; /* what of the request was dropped, in words; empty: nothing */
};

/* 0, or -errno with words: no such process, user or CPU. */
int target_resolve(const struct target_request *request, struct target *ret_target, struct err *err);
void target_release(struct target *target);
/* Adds all threads of a process. Their number, or -errno (-ESRCH: there is none). */
int target_add_process(struct target *target, pid_t pid);
/* Adds a process and all that it has started and that still is its offspring. */
void target_add_family(struct target *target, pid_t pid);
/* Adds the processes of a cgroup (its directory in the unified hierarchy). */
void target_add_cgroup(struct target *target, const char *dir);

#endif
