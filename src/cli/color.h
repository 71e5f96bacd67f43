/* SPDX-License-Identifier: Apache-2.0 */
/* Whether to write colours, and the sequences that make them. */
#ifndef CLI_COLOR_H
#define CLI_COLOR_H

#include <stdbool.h>

#include "cli/option.h"

enum color_mode {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/* "auto", "always", "never": for option rows. */
extern const struct option_choice color_choices[];

/*
 * Whether what goes to fd is to be coloured. In the mode AUTO: no with NO_COLOR set; yes with CLICOLOR_FORCE or
 * FORCE_COLOR set (and not "0"); no on a dumb terminal; else when fd is a terminal or our pager.
 */
bool color_wanted(enum color_mode mode, int fd);

enum color {
	COLOR_NONE,
	COLOR_BOLD,
	COLOR_DIM,
	COLOR_RED,
	COLOR_GREEN,
	COLOR_YELLOW,
	COLOR_BLUE,
	COLOR_MAGENTA,
	COLOR_CYAN,
};

/* What starts a colour on a terminal ("" for COLOR_NONE); color_end() goes back to plain. */
const char *color_start(enum color color);
const char *color_end(void);

#endif
