/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/record_command.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/log.h"
#include "cmd/program.h"

static bool wants_cgroup(const struct record_options *options, const struct target *target)
{
	const struct event_list *list = &options->events.list;
	bool any = false;

	if (target->kind != TARGET_COMMAND || options->scope == RECORD_SCOPE_TASK ||
	    options->sampling.no_inherit || options->sampling.per_thread_counts || target->per_thread)
		return false;
	for (size_t i = 0; i < list->events.nr; i++) {
		const struct event *event = &list->events.items[i];

		if (event->terms & EVENT_TERM_INHERIT && event->no_inherit)
			return false;
		any |= !event->is_tracepoint;
	}
	return any;
}

int record_command_start(struct record_command *command, const struct record_options *options,
			 struct target *target, bool stdout_is_ours, struct err *err)
{
	bool by_cgroup = wants_cgroup(options, target), required = options->scope == RECORD_SCOPE_CGROUP;
	int code;

	cgroup_sweep();
	if (by_cgroup) {
		code = cgroup_create(&command->cgroup);
		if (code < 0 && required)
			return err_errno(err, code, "cannot make a cgroup for the command");
		if (code < 0)
			log_debug("the command is followed by its tasks: no cgroup can be made (%s)",
				  strerror(-code));
	}
	if (!command->argv)
		return 0;
	code = workload_start(&command->workload, command->argv, command->cgroup.fd, stdout_is_ours,
			      record_command_comm(), err);
	if (code < 0)
		return code;
	if (command->cgroup.fd >= 0 && !command->workload.in_cgroup) {
		cgroup_remove(&command->cgroup);
		if (required)
			return err_set(err, -EPERM, "the command cannot be moved into a cgroup");
		log_debug("the command is followed by its tasks: it cannot be moved into a cgroup");
	}
	if (target->kind == TARGET_COMMAND)
		array_push(&target->threads,
			   (struct target_thread){ command->workload.pid, command->workload.pid });
	return 0;
}

static void wait_for_end(struct record_command *command)
{
	sigset_t none;

	if (!command->workload.pid || command->workload.has_ended)
		return;
	workload_signal(&command->workload, SIGTERM);
	/* From here on a signal ends us at once. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while (!command->workload.has_ended &&
	       waitpid(command->workload.pid, &command->workload.status, 0) < 0)
		if (errno != EINTR)
			return;
	command->workload.has_ended = true;
}

void record_command_end(struct record_command *command)
{
	wait_for_end(command);
	if (command->cgroup.path[0])
		cgroup_remove(&command->cgroup);
}

void record_command_release(struct record_command *command)
{
	workload_release(&command->workload);
	if (command->cgroup.path[0])
		cgroup_remove(&command->cgroup);
}

const char *record_command_comm(void)
{
	return program_is_perf() ? "perf-exec" : "sonde-exec";
}
