/* SPDX-License-Identifier: Apache-2.0 */
/* The command that is recorded, or only says how long to record: its start, held until counters are ready, and its end. */
#ifndef CMD_RECORD_COMMAND_H
#define CMD_RECORD_COMMAND_H

#include <stdbool.h>

#include "base/err.h"
#include "capture/cgroup.h"
#include "capture/target.h"
#include "capture/workload.h"
#include "cmd/record_options.h"

struct record_command {
	char *const *argv; /* NULL: there is none */
	struct workload workload;
	struct cgroup cgroup; /* its own; fd -1: it has none */
};

#define RECORD_COMMAND_INIT(words) \
	((struct record_command){ .argv = (words), .workload = WORKLOAD_NONE, .cgroup = CGROUP_NONE })

/*
 * Removes cgroups of killed runs; forks the command, in a cgroup of its own when it is to be followed by that and
 * that is allowed, and adds it to the target when it is what is recorded. stdout_is_ours: the recording goes to
 * standard output. 0 or -errno with words.
 */
int record_command_start(struct record_command *command, const struct record_options *options,
			 struct target *target, bool stdout_is_ours, struct err *err);
/* Ends the command when it has not ended, waits for it, removes the cgroup. */
void record_command_end(struct record_command *command);
void record_command_release(struct record_command *command);
/* The name that the command has until its exec. */
const char *record_command_comm(void);

#endif
