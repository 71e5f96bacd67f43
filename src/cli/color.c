/* SPDX-License-Identifier: Apache-2.0 */
/* The conventions of no-color.org and of CLICOLOR, which the tools around us follow too. */
#include "cli/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/pager.h"

const struct option_choice color_choices[] = {
	{ "auto", COLOR_AUTO },
	{ "always", COLOR_ALWAYS },
	{ "never", COLOR_NEVER },
	{ NULL, 0 },
};

static bool is_forced(const char *variable)
{
	const char *value = getenv(variable);

	return value && value[0] && strcmp(value, "0");
}

bool color_wanted(enum color_mode mode, int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (mode != COLOR_AUTO)
		return mode == COLOR_ALWAYS;
	if (no_color && no_color[0])
		return false;
	if (is_forced("CLICOLOR_FORCE") || is_forced("FORCE_COLOR"))
		return true;
	if (!term || !strcmp(term, "dumb"))
		return false;
	return isatty(fd) || (fd == STDOUT_FILENO && pager_is_running());
}

const char *color_start(enum color color)
{
	static const char *const sequences[] = {
		[COLOR_NONE] = "",	   [COLOR_BOLD] = "\033[1m",	 [COLOR_DIM] = "\033[2m",
		[COLOR_RED] = "\033[31m",  [COLOR_GREEN] = "\033[32m",	 [COLOR_YELLOW] = "\033[33m",
		[COLOR_BLUE] = "\033[34m", [COLOR_MAGENTA] = "\033[35m", [COLOR_CYAN] = "\033[36m",
	};

	return sequences[color];
}

const char *color_end(void)
{
	return "\033[m";
}
