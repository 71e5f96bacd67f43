/* SPDX-License-Identifier: Apache-2.0 */
/* The entry: which command is meant. */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"

static const char *program = "sonde";

const char *command_program(void)
{
	return program;
}

bool command_is_perf(void)
{
	return !strcmp(program, "perf");
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2)
		return 1;
	command = command_find(argv[1]);
	if (!command) {
		fprintf(stderr, "%s: '%s' is not a %s-command. See '%s --help'.\n", program, argv[1], program, program);
		return 1;
	}
	return command->run(argc - 1, argv + 1);
}
