/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured: the options of every command that opens counters. */
#ifndef CMD_OPTIONS_TARGET_H
#define CMD_OPTIONS_TARGET_H

#include <stdbool.h>

#include "capture/target.h"
#include "cli/option.h"

struct options_target {
	const char *pids, *tids, *uid, *cpus;
	bool system_wide;
	bool per_thread;
};

#define OPTIONS_TARGET_NR_ROWS 6

extern const struct option_row options_target_rows[OPTIONS_TARGET_NR_ROWS];

struct target_request options_target_request(const struct options_target *options, bool has_command);

#endif
