/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract of a subcommand, and what all of them share: options, errors, exit statuses.
 *
 * A subcommand is one file, cmd/NAME.c, that defines `const struct command command_NAME` (with '_' for '-'), and one
 * word in the list below.
 *
 *	static int evlist_run(int argc, char **argv)
 *	{
 *		struct evlist_options options = { .input = "perf.data" };
 *		struct err err;
 *		int status;
 *
 *		if (!command_parse(&command_evlist, &options, &argc, &argv, &status))
 *			return status;
 *		if (argc)
 *			return command_usage_error(&command_evlist, "takes no arguments");
 *		if (something(&options, &err) < 0)
 *			return command_fail(&err);
 *		return 0;
 *	}
 *
 *	const struct command command_evlist = {
 *		.spec = { .name = "evlist", .summary = "List the events of a recording",
 *			  .usage = { "evlist [<options>]" }, .sets = { { rows, NR_ITEMS(rows), 0 } } },
 *		.purpose = COMMAND_LOOK,
 *		.run = evlist_run,
 *	};
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/option.h"
#include "cmd/program.h"

/*
 * All subcommands, in the order in which people meet them within their purpose. One whose file is not there is
 * left out of the program.
 */
/* clang-format off */
#define COMMANDS(X) \
	X(record) \
	X(stat) \
	X(top) \
	X(trace) \
	X(flame) \
	X(report) \
	X(annotate) \
	X(script) \
	X(diff) \
	X(evlist) \
	X(buildid_list) \
	X(buildid_cache) \
	X(inject) \
	X(data) \
	X(sched) \
	X(lock) \
	X(list) \
	X(probe) \
	X(kallsyms) \
	X(config) \
	X(doctor) \
	X(check) \
	X(version) \
	X(test) \
	X(help)
/* clang-format on */

/* What people want to do: the headings of the list that `sonde` alone prints. */
enum command_purpose {
	COMMAND_MEASURE, /* record, stat, top, trace, flame */
	COMMAND_LOOK, /* report, script, annotate ... */
	COMMAND_ANALYSE, /* sched, lock ... */
	COMMAND_EVENTS, /* list, probe, kallsyms */
	COMMAND_TOOL, /* config, check, version, test, help */
	COMMAND_NR_PURPOSES,
};

enum {
	EXIT_USAGE = 129, /* the command line is wrong */
	EXIT_FAILED = 255, /* anything that goes wrong later */
};

struct command {
	struct option_spec spec;
	enum command_purpose purpose;
	bool hidden; /* not in the list of commands */
	/* argv[0] is the command's name, argv[argc] is NULL; returns the exit status. */
	int (*run)(int argc, char **argv);
	/* `sched record` and its like, for help, man page and completion; NULL-ended; the command runs them itself. */
	const struct command *const *subcommands;
};

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/*
 * Applies the configuration files, then the command line, to options (which hold the defaults). On success the
 * remaining words are at *argv (NULL-ended) and true is returned. Otherwise everything has been said (an error with
 * the usage, or the help that was asked for) and *ret_status is the exit status.
 */
bool command_parse(const struct command *command, void *options, int *argc, char ***argv, int *ret_status);
/* Prints the usage and all options on stderr; returns EXIT_USAGE. */
int command_usage(const struct command *command);
/* " Error: TEXT" and the usage lines without the options; returns EXIT_USAGE. */
int command_usage_error(const struct command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints an error the one way: "sonde: TEXT", then the hint's lines; returns EXIT_FAILED. */
int command_fail(const struct err *err);
/* The same for an error made on the spot. */
int command_failf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Words that are not errors, in the same form, on stderr: "sonde: TEXT". */
void command_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Writes buf to standard output and releases it: 0, or EXIT_FAILED with the reason said (none when the reader has gone). */
int command_print(struct buf *buf);

/* Sends standard output through the pager, when it is a terminal and the user has not said otherwise. */
void command_paginate(const struct command *command);

const struct command *command_find(const char *name); /* by the name users type; NULL: there is none */
/* All commands, NULL-ended. */
const struct command *const *command_all(void);
/* The specs of those that are not hidden, NULL-ended; returns their number. */
size_t command_specs(const struct command *const *commands, const struct option_spec **ret, size_t room);

#endif
