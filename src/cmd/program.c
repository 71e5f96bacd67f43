/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few facts about a run that every command needs and no command owns. They are static because they are said once,
 * before any command, and never change after.
 */
#include "cmd/program.h"

#include <stdlib.h>

#include "cli/config.h"
#include "cmd/command.h"

/*
 * Scripts that were made for perf ask for "perf version X.Y" and choose what to expect; this is the perf
 * whose command line and file format we follow.
 */
#define PERF_VERSION "7.2.0"

#ifndef SONDE_VERSION
#define SONDE_VERSION "0"
#endif

static struct {
	bool is_perf;
	enum program_pager pager;
	bool has_config;
	struct config config;
} program;

void program_set_perf(void)
{
	program.is_perf = true;
}

void program_set_pager(enum program_pager pager)
{
	program.pager = pager;
}

const char *program_name(void)
{
	return program.is_perf ? "perf" : "sonde";
}

bool program_is_perf(void)
{
	return program.is_perf;
}

enum program_pager program_pager(void)
{
	return program.pager;
}

const struct config *program_config(void)
{
	if (program.has_config)
		return &program.config;
	program.has_config = true;
	config_load(&program.config, CONFIG_ALL);
	for (size_t i = 0; i < program.config.problems.nr; i++)
		command_note("%s", program.config.problems.items[i]);
	return &program.config;
}

const char *program_buildid_dir(const char *configured)
{
	const char *dir = getenv("PERF_BUILDID_DIR");

	return dir && dir[0] ? dir : configured;
}

const char *program_version(void)
{
	return program.is_perf ? PERF_VERSION "-sonde" SONDE_VERSION : SONDE_VERSION;
}
