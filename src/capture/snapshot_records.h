/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the snapshot share; nobody else includes this. */
#ifndef CAPTURE_SNAPSHOT_RECORDS_H
#define CAPTURE_SNAPSHOT_RECORDS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/hash.h"
#include "capture/snapshot.h"

#define SNAPSHOT_PUSH_SIZE (256u * 1024)

struct snapshot_file {
	uint64_t device, inode;
	uint8_t build_id_size;
	uint8_t build_id[20];
};

struct snapshot_numbers {
	pid_t *items;
	size_t nr;
	size_t room;
};

struct snapshot {
	struct snapshot_options options;
	struct record_sink *sink;
	struct buf out; /* whole records, not pushed yet */
	struct buf text; /* a /proc file */
	struct hash_index files_index;
	ARRAY(struct snapshot_file) files;
};

/* One record: header, fixed part, optional string (NUL and padding added), zeroed trailer. 0 or the sink's -errno. */
int snapshot_put(struct snapshot *snapshot, uint32_t type, uint16_t misc, const void *fixed,
		 size_t fixed_size, const char *text, struct err *err);

#endif
