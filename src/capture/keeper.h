/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the programs and libraries that will be gone when the recording is looked at: deleted ones, those in a
 * temporary place, those of a container. They are copied into the build-id cache (~/.debug), in perf's layout:
 *
 *	DIR/PATH/BUILDID/elf
 *	DIR/.build-id/BU/ILDID -> ../../PATH/BUILDID
 *
 * The drain tells of mappings; a thread of normal priority looks at each distinct file once. A file whose path and
 * build-id are the same on this machine stays where it is; if it does not belong to the system, its descriptor is held
 * open, so that at the end of the recording it can still be copied, should it have been deleted meanwhile. Any other is
 * opened through the process that maps it, /proc/PID/map_files or /proc/PID/root (or, when it has ended already, through
 * another one that was seen in the same container), and copied at once. Names of JIT-compiled code in containers
 * are kept, too: see keeper_maps.h.
 */
#ifndef CAPTURE_KEEPER_H
#define CAPTURE_KEEPER_H

#include <stdint.h>

#include "base/err.h"
#include "capture/snapshot.h"
#include "record/record.h"

struct keeper;

struct keeper_options {
	const char *dir; /* of the cache; NULL: $PERF_BUILDID_DIR, else ~/.debug */
	const char *map_dir; /* where the names of JIT-compiled code go; NULL: /tmp */
	uint64_t file_max; /* bytes; larger files are not copied; 0: 256 MiB */
	uint64_t total_max; /* bytes of one recording; 0: 1 GiB */
	int (*read_build_id)(const char *path, uint8_t ret_build_id[SNAPSHOT_BUILD_ID_MAX]);
};

struct keeper_counts {
	unsigned seen; /* distinct files */
	unsigned kept; /* copied */
	unsigned gone; /* neither on this machine nor in a process any more: their symbols are lost */
	unsigned too_large;
	unsigned maps; /* of JIT-compiled code, copied */
};

/* NULL when there is no place for a cache (no home directory). */
struct keeper *keeper_new(const struct keeper_options *options);
/* Told of an MMAP2 record. Returns at once. */
void keeper_tell(struct keeper *keeper, const struct record_header *raw);
/* Ends the thread, copies what has been deleted since. */
void keeper_finish(struct keeper *keeper, struct keeper_counts *ret_counts);
void keeper_free(struct keeper *keeper);

#endif
