/* SPDX-License-Identifier: Apache-2.0 */
/* check: for scripts that must know, before they start, whether this build can do something. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "cli/color.h"
#include "cli/suggest.h"
#include "cmd/command.h"
#include "cmd/feature.h"

struct check_options {
	bool quiet;
};

static const struct option_row check_rows[] = {
	{ 'q', "quiet", OPTION_FLAG(struct check_options, quiet),
	  .help = "say nothing, answer by the exit status" },
};

static const struct command check_feature;

static void say_unknown(const char *name)
{
	struct suggest suggest = { .wanted = name };

	for (const struct feature *feature = features; feature->name; feature++)
		suggest_offer(&suggest, feature->name);
	fprintf(stderr,
		"Unknown feature '%s', please use '%s version --build-options' to see which ones are available.\n",
		name, program_name());
	if (suggest.nr)
		fprintf(stderr, "Did you mean '%s'?\n", suggest.names[0]);
}

/* Of "zstd,libelf": 0 when all are on. */
static int check_list(const char *list, bool quiet)
{
	char *text = xstrdup(list), *rest = text, *name;
	struct buf buf = BUF_INIT;
	int status = 0;

	buf.fd = STDOUT_FILENO;
	while ((name = strsep(&rest, ","))) {
		const struct feature *feature = feature_find(name);

		if (!feature || !feature->on)
			status = 1;
		if (quiet)
			continue;
		if (feature)
			feature_print(feature, color_wanted(COLOR_AUTO, STDOUT_FILENO), &buf);
		buf_flush(&buf);
		if (!feature)
			say_unknown(name);
	}
	free(text);
	/* What could not be written is no answer either. */
	return command_print(&buf) ? EXIT_FAILED : status;
}

static int check_run(int argc, char **argv)
{
	struct check_options options = { 0 };
	int status;

	if (!command_parse(&command_check, &options, &argc, &argv, &status))
		return status;
	if (!argc)
		return command_usage(&command_check);
	if (strcmp(argv[0], "feature")) {
		fprintf(stderr, "Unknown subcommand: %s\n", argv[0]);
		return command_usage(&command_check);
	}
	if (!command_parse(&check_feature, &options, &argc, &argv, &status))
		return status;
	if (!argc)
		return command_usage(&check_feature);
	if (argc > 1)
		return command_failf("check feature takes one list, \"a,b,c\", not '%s' too", argv[1]);
	return check_list(argv[0], options.quiet);
}

static const struct command check_feature = {
	.spec = {
		.name = "check feature",
		.summary = "Tell whether features, separated by commas, are all in this build",
		.usage = { "check feature <feature_list>" },
		.sets = { { check_rows, NR_ITEMS(check_rows), 0 } },
	},
	.run = check_run,
};

static const struct command *const check_parts[] = { &check_feature, NULL };

const struct command command_check = {
	.spec = {
		.name = "check",
		.summary = "Check whether something is in this build",
		.usage = { "check [<options>] {feature}" },
		.examples = {
			{ "check feature zstd", "Is compression there?" },
			{ "check -q feature libtraceevent,zstd && echo yes", "Ask for several, in a script." },
		},
		.description = "The exit status is 0 when all that was asked for is there, and 1 otherwise.",
		.sets = { { check_rows, NR_ITEMS(check_rows), 0 } },
		.see_also = "version",
		.flags = OPTION_STOP_AT_WORD,
	},
	.purpose = COMMAND_TOOL,
	.run = check_run,
	.subcommands = check_parts,
};
