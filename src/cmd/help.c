/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help: the list of commands, a command's manual page, and everything else that is made from the option tables.
 *
 * Pages are made on the spot, so they are there without an installation and always speak of this very program. On a
 * terminal man(1) formats and shows them; without man(1), and when the output goes elsewhere, they are plain text.
 */
#include "cmd/help.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/color.h"
#include "cli/option_doc.h"
#include "cli/pager.h"
#include "cli/suggest.h"
#include "cmd/command.h"

#define PARTS_MAX 128

extern const char asset_completion_bash_start[], asset_completion_bash_end[];

struct help_options {
	bool all;
	bool man;
	const char *generate;
};

static const struct option_row help_rows[] = {
	{ 'a', "all", OPTION_FLAG(struct help_options, all), .help = "list all commands" },
	{ 'm', "man", OPTION_FLAG(struct help_options, man),
	  .help = "show the manual page (as without options)" },
	{ .name = "generate",
	  OPTION_STRING(struct help_options, generate),
	  .arg = "man|bash|config",
	  .help = "write what is made from the option tables: a manual page in roff, the completion script for bash,\n"
		  "the keys of the configuration file" },
};

static const struct option_spec program_spec = {
	.summary = "see what processors, the kernel and programs do, and where their time goes",
	.usage = { "[--version] [--help] [OPTIONS] COMMAND [ARGS]" },
	.examples = {
		{ "record -g -- make -j8", "Sample a command with its call chains into perf.data." },
		{ "report", "Show where the time went." },
		{ "flame -p 1234", "Watch a process until Ctrl-C and write a flame graph, one HTML file." },
		{ "help record", "Read about a command." },
	},
	.description = "sonde counts, samples and traces what processors, the kernel and programs do, and shows the "
		       "answer. It has the command line, the text output and the file format (perf.data) of Linux perf; "
		       "started under the name perf it answers as perf does.",
};

static const char *const purposes[COMMAND_NR_PURPOSES] = {
	[COMMAND_MEASURE] = "See where the time goes",
	[COMMAND_LOOK] = "Look at a recording",
	[COMMAND_ANALYSE] = "Ask a special question",
	[COMMAND_EVENTS] = "Find out what can be measured",
	[COMMAND_TOOL] = "The tool itself",
};

void help_list_commands(struct buf *buf)
{
	buf_printf(buf, "\n usage: %s [--version] [--help] [OPTIONS] COMMAND [ARGS]\n", program_name());
	for (int purpose = 0; purpose < COMMAND_NR_PURPOSES; purpose++) {
		bool titled = false;

		for (const struct command *const *all = command_all(); *all; all++) {
			if ((int)(*all)->purpose != purpose || (*all)->hidden)
				continue;
			if (!titled)
				buf_printf(buf, "\n %s\n", purposes[purpose]);
			titled = true;
			buf_printf(buf, "   %-15s %s\n", (*all)->spec.name, (*all)->spec.summary);
		}
	}
	buf_printf(buf, "\n See '%s help COMMAND' for more information on a specific command.\n\n",
		   program_name());
}

/* The page of a command, or (NULL) of the program. parts has room for PARTS_MAX. */
static struct option_page page_of(const struct command *command, const struct option_spec **parts)
{
	command_specs(command ? command->subcommands : command_all(), parts, PARTS_MAX);
	return (struct option_page){
		.spec = command ? &command->spec : &program_spec,
		.program = program_name(),
		.version = program_version(),
		.parts = parts,
	};
}

static unsigned terminal_width(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col
												: 100;
}

int help_show(const struct command *command)
{
	static const char *const man[] = { "man", "-l", "-", NULL };
	const struct option_spec *parts[PARTS_MAX];
	struct option_page page = page_of(command, parts);
	unsigned width = terminal_width();
	struct buf buf = BUF_INIT;
	int ret;

	if (program_pager() != PROGRAM_PAGER_NEVER && isatty(STDOUT_FILENO) && pager_start_program(man)) {
		option_doc_man(&page, &buf);
	} else {
		command_paginate(&command_help);
		option_doc_text(&page, width, color_wanted(COLOR_AUTO, STDOUT_FILENO), &buf);
	}
	ret = command_print(&buf);
	/* A man(1) that knows no -l has said so. */
	return pager_stop() ? EXIT_FAILED : ret;
}

/* ---- what is made from the tables -------------------------------------------------------------- */

static void put_completions(const char *path, const struct command *command, struct buf *buf)
{
	buf_printf(buf, "\t'%s') words='", path);
	option_doc_complete(&command->spec, buf);
	buf_str(buf, "'; parts='");
	for (const struct command *const *part = command->subcommands; part && *part; part++) {
		const char *word = strrchr((*part)->spec.name, ' ');

		buf_printf(buf, " %s", word ? word + 1 : (*part)->spec.name);
	}
	buf_printf(buf, "'; stops=%d ;;\n", command->spec.flags & OPTION_STOP_AT_WORD ? 1 : 0);
	for (const struct command *const *part = command->subcommands; part && *part; part++)
		put_completions((*part)->spec.name, *part, buf);
}

static void generate_bash(struct buf *buf)
{
	buf_put(buf, asset_completion_bash_start,
		(size_t)(asset_completion_bash_end - asset_completion_bash_start));
	buf_str(buf,
		"\n# Made from the option tables: the words behind each command, '=ARGUMENT' behind those that take "
		"one.\n_sonde_words() {\n\twords= parts= stops=0\n\tcase $1 in\n\t'') words=' --version --help "
		"--paginate --no-pager --debugfs-dir=dir --buildid-dir=dir --debug=name-value "
		"--debug-file=file'; parts='");
	for (const struct command *const *all = command_all(); *all; all++)
		if (!(*all)->hidden)
			buf_printf(buf, " %s", (*all)->spec.name);
	buf_str(buf, "' ;;\n");
	for (const struct command *const *all = command_all(); *all; all++)
		if (!(*all)->hidden)
			put_completions((*all)->spec.name, *all, buf);
	buf_str(buf, "\tesac\n}\n\ncomplete -F _sonde -o bashdefault -o default sonde\n");
}

static int generate(const char *what, const struct command *command)
{
	const struct option_spec *parts[PARTS_MAX];
	struct buf buf = BUF_INIT;

	if (!strcmp(what, "man")) {
		struct option_page page = page_of(command, parts);

		option_doc_man(&page, &buf);
	} else if (!strcmp(what, "bash")) {
		generate_bash(&buf);
	} else if (!strcmp(what, "config")) {
		for (const struct command *const *all = command_all(); *all; all++)
			option_doc_config(&(*all)->spec, &buf);
	} else {
		return command_usage_error(&command_help, "'%s' cannot be generated: man, bash or config",
					   what);
	}
	return command_print(&buf);
}

static int fail_unknown(const char *name)
{
	struct suggest suggest = { .wanted = name };

	for (const struct command *const *all = command_all(); *all; all++)
		suggest_offer(&suggest, (*all)->spec.name);
	fprintf(stderr, "No manual entry for %s-%s\n", program_name(), name);
	for (size_t i = 0; i < suggest.nr; i++)
		fprintf(stderr, "Did you mean '%s help %s'?\n", program_name(), suggest.names[i]);
	return 16;
}

static int help_run(int argc, char **argv)
{
	struct help_options options = { 0 };
	const struct command *command = NULL;
	struct buf buf = BUF_INIT;
	int status;

	if (!command_parse(&command_help, &options, &argc, &argv, &status))
		return status;
	if (argc > 1)
		return command_usage_error(&command_help, "one command at a time, not '%s' too", argv[1]);
	if (argc && strcmp(argv[0], program_name())) {
		command = command_find(argv[0]);
		if (!command)
			return fail_unknown(argv[0]);
	}
	if (options.generate)
		return generate(options.generate, command);
	if (argc && !options.all)
		return help_show(command);
	help_list_commands(&buf);
	return command_print(&buf);
}

const struct command command_help = {
	.spec = {
		.name = "help",
		.summary = "Show the manual page of a command",
		.usage = { "help [<options>] [<command>]" },
		.examples = {
			{ "help record", "Read about record." },
			{ "record -h call", "See only the options of record that have to do with calls." },
			{ "help --generate bash", "Write the completion script for bash." },
		},
		.sets = { { help_rows, NR_ITEMS(help_rows), 0 } },
	},
	.purpose = COMMAND_TOOL,
	.run = help_run,
};
