/* SPDX-License-Identifier: Apache-2.0 */
/* version: which sonde this is, and what it was built with. */
#include <unistd.h>

#include "cli/color.h"
#include "cmd/command.h"
#include "cmd/feature.h"

struct version_options {
	bool build_options;
	unsigned verbose;
};

static const struct option_row version_rows[] = {
	{ .name = "build-options",
	  OPTION_FLAG(struct version_options, build_options),
	  .help = "say also what this build can do" },
	{ 'v', "verbose", OPTION_COUNTER(struct version_options, verbose), .flags = OPTION_HIDDEN,
	  .help = "the same" },
};

static int version_run(int argc, char **argv)
{
	struct version_options options = { 0 };
	struct buf buf = BUF_INIT;
	int status;

	/* The plain question, asked at every start of many a script, gets its answer without any reading of tables. */
	if (argc > 1 && !command_parse(&command_version, &options, &argc, &argv, &status))
		return status;
	buf_printf(&buf, "%s version %s\n", program_name(), program_version());
	if (options.build_options || options.verbose)
		for (const struct feature *feature = features; feature->name; feature++)
			feature_print(feature, color_wanted(COLOR_AUTO, STDOUT_FILENO), &buf);
	return command_print(&buf);
}

const struct command command_version = {
	.spec = {
		.name = "version",
		.summary = "Display the version and what this build can do",
		.usage = { "version [<options>]" },
		.examples = {
			{ "version --build-options", "List the optional parts and whether they are in." },
		},
		.sets = { { version_rows, NR_ITEMS(version_rows), 0 } },
		.see_also = "check",
	},
	.purpose = COMMAND_TOOL,
	.run = version_run,
};
