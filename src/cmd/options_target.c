/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options_target.h"

#define S struct options_target

/* clang-format off */
const struct option_row options_target_rows[OPTIONS_TARGET_NR_ROWS] = {
	{ 'a', "all-cpus", OPTION_FLAG(S, system_wide), .heading = "What to measure (besides a command)",
	  .help = "the whole machine: all processes on all CPUs" },
	{ 'p', "pid", OPTION_STRING(S, pids), .arg = "pid", .help = "these processes (a list, separated by commas)" },
	{ 't', "tid", OPTION_STRING(S, tids), .arg = "tid", .help = "these threads" },
	{ 'u', "uid", OPTION_STRING(S, uid), .arg = "user", .help = "the processes that this user has now" },
	{ 'C', "cpu", OPTION_STRING(S, cpus), .arg = "cpu", .help = "everything on these CPUs: 0-3,8" },
	{ .name = "per-thread", OPTION_FLAG(S, per_thread),
	  .help = "one ring a thread instead of one a CPU; new threads and processes are not followed" },
};
/* clang-format on */

struct target_request options_target_request(const struct options_target *options, bool has_command)
{
	return (struct target_request){ .pids = options->pids,
					.tids = options->tids,
					.uid = options->uid,
					.cpus = options->cpus,
					.system_wide = options->system_wide,
					.per_thread = options->per_thread,
					.has_command = has_command };
}
