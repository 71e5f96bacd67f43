/* SPDX-License-Identifier: Apache-2.0 */
/* Build-ids of files that are mapped by many processes: read once each. */
#ifndef CAPTURE_SNAPSHOT_FILES_H
#define CAPTURE_SNAPSHOT_FILES_H

#include <stdint.h>

struct snapshot_files;

struct snapshot_files *snapshot_files_new(void);
void snapshot_files_free(struct snapshot_files *files);
/*
 * The build-id of the file with this device and inode, read from path with read the first time. Its size; 0: none. The
 * answer is good until the next call.
 */
uint8_t snapshot_files_build_id(struct snapshot_files *files, uint32_t major, uint32_t minor, uint64_t inode,
				const char *path, int (*read)(const char *path, uint8_t *ret_build_id),
				const uint8_t **ret_build_id);

#endif
