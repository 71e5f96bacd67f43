/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test: runs a workload that is part of this binary, for others to measure.
 *
 * perf's own self tests are perf's; ours are in the source tree (`make check`), not in the program.
 */
#include <stdio.h>
#include <string.h>

#include "cli/suggest.h"
#include "cmd/command.h"
#include "workload/workload.h"

struct test_options {
	const char *workload;
	bool list_workloads;
	unsigned verbose;
};

static const struct option_row test_rows[] = {
	{ 'w', "workload", OPTION_STRING(struct test_options, workload), .arg = "work",
	  .help = "run this workload; what follows are its arguments" },
	{ .name = "list-workloads",
	  OPTION_FLAG(struct test_options, list_workloads),
	  .help = "list the workloads; with -v, say what each does" },
	{ 'v', "verbose", OPTION_COUNTER(struct test_options, verbose), .help = "say more" },
};

static int list_workloads(bool verbose)
{
	for (const struct workload *workload = workloads; workload->name; workload++)
		if (verbose)
			printf("%-20s %-20s %s\n", workload->name, workload->arguments, workload->what);
		else
			puts(workload->name);
	return 0;
}

static int run_workload(const char *name, int argc, char **argv)
{
	const struct workload *workload = workload_find(name);
	struct suggest suggest = { .wanted = name };
	struct err err;

	if (!workload) {
		err_set(&err, -1, "No workload found: %s", name);
		for (workload = workloads; workload->name; workload++)
			suggest_offer(&suggest, workload->name);
		if (suggest.nr)
			err_hint(&err, "Did you mean '%s'?", suggest.names[0]);
		else
			err_hint(&err, "%s test --list-workloads lists them.", program_name());
		return command_fail(&err);
	}
	if (workload->run(argc, argv, &err) < 0) {
		err_prefix(&err, "%s", name);
		return command_fail(&err);
	}
	return 0;
}

static int test_run(int argc, char **argv)
{
	struct test_options options = { 0 };
	int status;

	if (!command_parse(&command_test, &options, &argc, &argv, &status))
		return status;
	if (options.list_workloads)
		return list_workloads(options.verbose);
	if (options.workload)
		return run_workload(options.workload, argc, argv);
	if (argc)
		return command_usage_error(
			&command_test,
			"'%s': there are no built-in self tests; `make check` in the sources runs them",
			argv[0]);
	return command_usage_error(&command_test, "name a workload with -w; --list-workloads lists them");
}

const struct command command_test = {
	.spec = {
		.name = "test",
		.summary = "Run a known workload, to have something to measure",
		.usage = { "test -w <workload> [<arguments>]", "test --list-workloads" },
		.examples = {
			{ "record -g -- sonde test -w leafloop 0.5", "Record half a second of a known call chain." },
			{ "test --list-workloads -v", "See what there is." },
		},
		.description = "The workloads spend their time in functions of known names, so that a profile of them can "
			       "be checked. Seconds may be fractional.",
		.sets = { { test_rows, NR_ITEMS(test_rows), 0 } },
	},
	.purpose = COMMAND_TOOL,
	.run = test_run,
};
