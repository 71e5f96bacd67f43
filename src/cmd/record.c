/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "cmd/command.h"
#include "cmd/record.h"
#include "cmd/record_options.h"
#include "cmd/record_session.h"

/* Ends as the signal that ended the recording would have ended us: shells look at that. */
static void end_by_signal(int signal)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigaction(signal, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
}

int record_run_words(int argc, char **argv, int *ret_signal)
{
	struct record_session_result result;
	struct record_options options;
	const char **cmdline = xreallocarray(NULL, (size_t)argc + 2, sizeof(*cmdline));
	uint32_t nr_cmdline = (uint32_t)argc + 1;
	struct err err = { 0 };
	int status;

	/* As it was typed: parsing moves words. */
	cmdline[0] = program_name();
	for (int i = 0; i < argc; i++)
		cmdline[i + 1] = argv[i];
	*ret_signal = 0;
	record_options_init(&options);
	if (command_parse(&command_record, &options, &argc, &argv, &status)) {
		if (options.quiet)
			log_level = 0;
		else
			log_level += (int)options.verbose;
		status = record_session_run(&options, argc ? argv : NULL, cmdline, nr_cmdline, &result, &err);
		*ret_signal = result.signal;
		if (status < 0)
			status = command_fail(&err);
	}
	record_options_release(&options);
	free(cmdline);
	return status;
}

static int record_run(int argc, char **argv)
{
	int signal, status = record_run_words(argc, argv, &signal);

	if (signal)
		end_by_signal(signal);
	return status;
}

const struct command command_record = {
	.spec = {
		.name = "record",
		.summary = "Sample a program, a process or the machine",
		.usage = { "record [<options>] [<command>]", "record [<options>] -- <command> [<options>]" },
		.description =
			"Writes perf.data (-o), which report, script and flame show, and so does perf.\n\n"
			"What is recorded is a command and all that it starts; or processes that run (-p), threads (-t) or a "
			"user's processes (-u); or the whole machine (-a), or some CPUs (-C). With -p, -t, -u, -a or -C a "
			"command is run as well, but only says how long to record: record -p 8999 sleep 5. Without a command "
			"recording goes on until Ctrl-C or until what is recorded has ended.\n\n"
			"A launched command runs in a cgroup of its own, if that is allowed, and is sampled by counters on all "
			"CPUs: so processes that live for less than the time between two samples are seen in the right "
			"proportion. The cgroup is removed at the end.\n\n"
			"The exit status is the command's.",
		.examples = {
			{ "record -g -- make", "Where the time goes while make runs, with call graphs" },
			{ "record -F 99 -p 8999 sleep 10", "A process for ten seconds, 99 samples a second" },
			{ "record -ag --timeout 10s", "The whole machine for ten seconds" },
			{ "record -e sched:sched_switch -a sleep 1", "All context switches of one second" },
			{ "record -e syscalls:sys_enter_openat --filter 'flags & 0x40' ./job",
			  "Files that a program creates" },
			{ "record -o - make | sonde report -i -", "Through a pipe, without a file" },
			{ "record --overwrite --switch-output -a", "Keep the latest data; SIGUSR2 writes it out" },
		},
		.sets = {
			{ options_event_rows, OPTIONS_EVENT_NR_ROWS, offsetof(struct record_options, events) },
			{ options_target_rows, OPTIONS_TARGET_NR_ROWS, offsetof(struct record_options, target) },
			{ record_options_rows, RECORD_OPTIONS_NR_ROWS, 0 },
		},
		.see_also = "report, script, flame, list",
		.flags = OPTION_STOP_AT_WORD,
	},
	.purpose = COMMAND_MEASURE,
	.run = record_run,
};
