/* SPDX-License-Identifier: Apache-2.0 */
/* Long output, a screen at a time: standard output goes through less(1) or what the user likes better. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>

/*
 * Starts a pager behind standard output, if that is a terminal. The program is the first of $SONDE_PAGER,
 * $PERF_PAGER, `configured` (may be NULL), $PAGER, "less -FRX"; an empty one or "cat" means none. When no pager can be
 * started output simply goes to the terminal. True when a pager runs.
 */
bool pager_start(const char *configured);
/* As pager_start, with this program and arguments ("man", "-l", "-"), whatever the environment says. */
bool pager_start_program(const char *const *argv);
/* Closes the pager's input and waits until the user has read it. Returns its exit status, 0 when none runs. */
int pager_stop(void);
bool pager_is_running(void);

#endif
