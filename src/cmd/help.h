/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "base/buf.h"
#include "cmd/command.h"

/* Shows a command's manual page, through man(1) on a terminal; returns the exit status. */
int help_show(const struct command *command);
/* Puts the list of commands, grouped by what people want to do, under the program's usage. */
void help_list_commands(struct buf *buf);

#endif
