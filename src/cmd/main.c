/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry: under which name were we started, what was said in front of the command, which command is meant.
 *
 * Nothing is set up here: `sonde --version` must cost no more than the start of a process.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/option_doc.h"
#include "cli/pager.h"
#include "cli/suggest.h"
#include "cmd/command.h"
#include "cmd/help.h"

#define EXEC_PATH "/usr/libexec/perf-core"

static int print_commands(void)
{
	struct buf buf = BUF_INIT;

	help_list_commands(&buf);
	return command_print(&buf);
}

/* --list-cmds, for completion scripts. */
static int print_names(void)
{
	struct buf buf = BUF_INIT;

	for (const struct command *const *all = command_all(); *all; all++)
		if (!(*all)->hidden)
			buf_printf(&buf, "%s ", (*all)->spec.name);
	buf_putc(&buf, '\n');
	return command_print(&buf);
}

static int say_usage(const char *fmt, const char *what)
{
	fprintf(stderr, fmt, what);
	fprintf(stderr, "\n\n Usage: %s [--version] [--help] [OPTIONS] COMMAND [ARGS]\n", program_name());
	return EXIT_USAGE;
}

/* ---- options in front of the command ----------------------------------------------------------- */

static int set_debug(const char *text)
{
	static const char *const names[] = { "verbose", "ordered-events", "stderr", "data-convert",
					     "perf-event-open" };
	size_t size = strcspn(text, "=");
	uint64_t level = 1;

	for (size_t i = 0; i < NR_ITEMS(names); i++) {
		if (strlen(names[i]) != size || strncmp(names[i], text, size))
			continue;
		/* Talk goes to standard error anyway. */
		if (!strcmp(names[i], "stderr"))
			return 0;
		if (text[size] && number_parse_u64(text + size + 1, &level))
			level = 1;
		if (log_level < 1 + (int)(level & 15))
			log_level = 1 + (int)(level & 15);
		return 0;
	}
	return -EINVAL;
}

static int set_debug_file(const char *path)
{
	return freopen(path, "w", stderr) ? 0 : -errno;
}

/* The folder that holds tracing/, or that folder itself: where tracefs is, for those who read tracepoints. */
static int set_debugfs(const char *path)
{
	return setenv("PERF_DEBUGFS_DIR", path, 1);
}

static int set_buildid(const char *path)
{
	return setenv("PERF_BUILDID_DIR", path, 1);
}

static const struct global {
	const char *name;
	int (*set)(const char *value);
	const char *missing; /* said when the value is missing */
	const char *wrong; /* said when set refuses it */
} globals[] = {
	{ "--debugfs-dir", set_debugfs, "No directory given for %s.", "%s" },
	{ "--buildid-dir", set_buildid, "No directory given for %s.", "%s" },
	{ "--debug", set_debug, "No variable specified for %s.", "Unknown debug variable '%s'" },
	{ "--debug-file", set_debug_file, "No file given for %s.", "%s: cannot be written" },
};

static int print_global_names(void)
{
	struct buf buf = BUF_INIT;

	buf_str(&buf, "--help --version --exec-path --paginate --no-pager --list-cmds --list-opts ");
	for (size_t i = 0; i < NR_ITEMS(globals); i++)
		buf_printf(&buf, "%s ", globals[i].name);
	buf_putc(&buf, '\n');
	return command_print(&buf);
}

/* One with a value. -ENOENT: it is none of these; 0; or a positive exit status (all said). */
static int take_global(const char *word, char ***argv)
{
	for (size_t i = 0; i < NR_ITEMS(globals); i++) {
		const struct global *global = &globals[i];
		size_t size = strlen(global->name);
		const char *value;

		if (strncmp(word, global->name, size) || (word[size] && word[size] != '='))
			continue;
		value = word[size] ? word + size + 1 : (*argv)[1];
		if (!value)
			return say_usage(global->missing, global->name);
		if (!word[size])
			++*argv;
		return global->set(value) < 0 ? say_usage(global->wrong, value) : 0;
	}
	return -ENOENT;
}

static int run_version(bool with_options)
{
	char *argv[] = { (char *)"version", with_options ? (char *)"--build-options" : NULL, NULL };

	return command_version.run(with_options ? 2 : 1, argv);
}

/*
 * Reads the options in front of the command and moves *argv to it. -1: go on there; else the exit status, for
 * what the options have done by themselves.
 */
static int take_options(char ***argv)
{
	for (; **argv && ***argv == '-'; ++*argv) {
		const char *word = **argv;
		int ret;

		if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
			const struct command *command = (*argv)[1] ? command_find((*argv)[1]) : NULL;

			return command ? help_show(command) : print_commands();
		}
		if (!strcmp(word, "-v") || !strcmp(word, "--version"))
			return run_version(false);
		if (!strcmp(word, "-vv"))
			return run_version(true);
		if (!strcmp(word, "--list-cmds"))
			return print_names();
		if (!strcmp(word, "--list-opts"))
			return print_global_names();
		if (!strcmp(word, "--exec-path")) {
			puts(getenv("PERF_EXEC_PATH") ? getenv("PERF_EXEC_PATH") : EXEC_PATH);
			return 0;
		}
		if (!strncmp(word, "--exec-path=", 12))
			ret = setenv("PERF_EXEC_PATH", word + 12, 1);
		else if (!strcmp(word, "-p") || !strcmp(word, "--paginate"))
			ret = (program_set_pager(PROGRAM_PAGER_ALWAYS), 0);
		else if (!strcmp(word, "--no-pager"))
			ret = (program_set_pager(PROGRAM_PAGER_NEVER), 0);
		else
			ret = take_global(word, argv);
		if (ret == -ENOENT)
			return say_usage("Unknown option: %s", word);
		if (ret > 0)
			return ret;
	}
	return -1;
}

/* ---- which command ----------------------------------------------------------------------------- */

static int fail_unknown(const char *name)
{
	struct suggest suggest = { .wanted = name };

	for (const struct command *const *all = command_all(); *all; all++)
		if (!(*all)->hidden)
			suggest_offer(&suggest, (*all)->spec.name);
	fprintf(stderr, "%s: '%s' is not a %s-command. See '%s --help'.\n", program_name(), name,
		program_name(), program_name());
	if (suggest.nr)
		fprintf(stderr, "\nDid you mean %s?\n", suggest.nr == 1 ? "this" : "one of these");
	for (size_t i = 0; i < suggest.nr; i++)
		fprintf(stderr, "\t%s\n", suggest.names[i]);
	return 1;
}

static int run(const struct command *command, char **argv)
{
	int argc = 0, status;

	while (argv[argc])
		argc++;
	if (program_pager() == PROGRAM_PAGER_ALWAYS)
		command_paginate(command);
	status = command->run(argc, argv);
	if ((fflush(stdout) || ferror(stdout)) && !status)
		status = command_failf("standard output: %s", strerror(errno ? errno : EIO));
	return status;
}

/* perf-record, sonde-record and trace: the name itself is the command. */
static const struct command *command_of_name(const char *name)
{
	if (!strncmp(name, "perf", 4) && (!name[4] || name[4] == '-')) {
		program_set_perf();
		return name[4] ? command_find(name + 5) : NULL;
	}
	if (!strcmp(name, "trace")) {
		program_set_perf();
		return command_find(name);
	}
	return !strncmp(name, "sonde-", 6) ? command_find(name + 6) : NULL;
}

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const struct command *command;
	int status;

	if (!argc)
		return EXIT_USAGE;
	command = command_of_name(slash ? slash + 1 : argv[0]);
	if (command) {
		argv[0] = (char *)command->spec.name;
		status = run(command, argv);
		pager_stop();
		return status;
	}
	argv++;
	status = take_options(&argv);
	if (status >= 0)
		return status;
	if (!*argv) {
		print_commands();
		return 1;
	}
	command = command_find(*argv);
	if (!command)
		return fail_unknown(*argv);
	status = run(command, argv);
	pager_stop();
	return status;
}
