/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command that is started to be measured: forked first, held before its exec until the counters are ready, let go.
 */
#ifndef CAPTURE_WORKLOAD_H
#define CAPTURE_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct workload {
	pid_t pid; /* 0: not started; its end is a SIGCHLD */
	int go; /* write end: a byte lets it exec, closing ends it */
	int failed; /* read end: the errno of a failed exec; the end of the file when exec succeeded */
	bool in_cgroup; /* it is where it was to be */
	bool has_ended;
	int status; /* of waitpid */
};

#define WORKLOAD_NONE ((struct workload){ .go = -1, .failed = -1 })

/*
 * Forks the process that will become argv (NULL-ended). cgroup_fd: a cgroup v2 directory that it is born in, or -1.
 * stdout_is_ours: what it prints goes to standard error. comm: the name it has until exec. Call it before any thread is started and any signal is blocked: it inherits all that. 0 or -errno with words.
 */
int workload_start(struct workload *workload, char *const argv[], int cgroup_fd, bool stdout_is_ours,
		   const char *comm, struct err *err);
/* Whether argv[0] can be found and executed, as execvp would. 0 or -errno with words. */
int workload_check(const char *program, struct err *err);
/* Lets it exec. What became of that is told by workload_exec_result when workload->failed is readable. */
void workload_go(struct workload *workload);
/* Waits for it: 0 when the command runs, or -errno with words when it could not be executed (and is over). */
int workload_exec_result(struct workload *workload, char *const argv[], struct err *err);
/* Whether it has ended; stores its status. Does not wait. */
bool workload_poll(struct workload *workload);
/* When it has ended: as a shell's status, 0 to 255, 128 + signal. */
int workload_exit_status(const struct workload *workload);
void workload_signal(struct workload *workload, int signal);
/* Ends it when it has not been let go, and collects it. */
void workload_release(struct workload *workload);

#endif
