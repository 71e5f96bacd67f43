/* SPDX-License-Identifier: Apache-2.0 */
/* A recording from beginning to end, for `record` and for commands that look at what they have just recorded. */
#ifndef CMD_RECORD_SESSION_H
#define CMD_RECORD_SESSION_H

#include <stdint.h>

#include "base/err.h"
#include "cmd/record_options.h"

struct record_session_result {
	uint64_t samples, lost;
	char path[4160]; /* of the (last) file */
	int signal; /* that ended the recording; 0: none */
};

/*
 * Records what options say. argv: the command to start, NULL-ended; NULL: none. cmdline: what the user typed, for the
 * file's header. Notes, warnings and the closing lines go to standard error unless options->quiet. Returns the
 * status to exit with (the command's own, when it ended the recording), or -errno with words when nothing
 * came about.
 */
int record_session_run(struct record_options *options, char *const *argv, const char *const *cmdline,
		       uint32_t nr_cmdline, struct record_session_result *ret_result, struct err *err);

#endif
