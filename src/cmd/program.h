/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user said about the run as a whole, in front of the command: under which name, with which pager, and
 * in his configuration files. Set once, at the start.
 */
#ifndef CMD_PROGRAM_H
#define CMD_PROGRAM_H

#include <stdbool.h>

struct config;

enum program_pager {
	PROGRAM_PAGER_AUTO,
	PROGRAM_PAGER_ALWAYS, /* -p */
	PROGRAM_PAGER_NEVER, /* --no-pager */
};

void program_set_perf(void);
void program_set_pager(enum program_pager pager);

/* How this program is called in messages: "sonde", or "perf" when it was started under that name. */
const char *program_name(void);
bool program_is_perf(void);
enum program_pager program_pager(void);
/* The configuration files, read when first asked for; what is wrong in them has been said then. */
const struct config *program_config(void);
/* The folder of files by build-id: --buildid-dir or $PERF_BUILDID_DIR, else what the command was told; may be NULL. */
const char *program_buildid_dir(const char *configured);
/* "0.1.0"; as perf, a version that scripts for perf understand. */
const char *program_version(void);

#endif
