/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEBUGINFOD_H
#define ELF_DEBUGINFOD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/build_id.h"

/* Called every now and then while a file comes, total is 0 while unknown; a last time, with what == NULL, when it is over.
 * true: stop. Downloads follow one another, so one context serves them all. */
typedef bool debuginfod_progress(void *context, const char *what, uint64_t done, uint64_t total);

enum debuginfod_part {
	DEBUGINFOD_DEBUGINFO, /* the separate debug file, with .symtab */
	DEBUGINFOD_EXECUTABLE,
};

/*
 * Asks the servers of $DEBUGINFOD_URLS for a file; downloads go into the library's own cache and stay there. `what`
 * names it for progress. An open fd, or -ENOENT when no server has it; -ENXIO when DEBUGINFOD_URLS is not
 * set; -EOPNOTSUPP without the library (libdebuginfod.so.1, opened here for the first time) or when built without;
 * -EINTR when progress said stop.
 */
int debuginfod_fetch(const struct build_id *id, enum debuginfod_part part, const char *what,
		     debuginfod_progress *progress, void *context, struct err *err);

#endif
