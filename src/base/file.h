/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* A file mapped read-only. A zeroed struct is "not mapped"; file_unmap takes it too. */
struct file_map {
	const uint8_t *data;
	size_t size;
};

/* Maps a regular file whole; an empty file gives size 0 and data NULL. 0 or -errno with words. */
int file_map_path(const char *path, struct file_map *ret_map, struct err *err);
int file_map_fd(int fd, const char *name, struct file_map *ret_map, struct err *err);
void file_unmap(struct file_map *map);

/* Appends everything that can be read (made for /proc and /sys, whose size is unknown). At most `limit` bytes
 * (-EFBIG beyond). 0 or -errno; no words: absence is often no error. */
int file_read_fd(int fd, struct buf *buf, size_t limit);
int file_read_path(const char *path, struct buf *buf, size_t limit);
/* First line without its newline into text; -errno, or the length. */
int file_read_line(const char *path, char *text, size_t size);
int file_read_u64(const char *path, uint64_t *ret_value); /* decimal or 0x hex */
int file_write_all(int fd, const void *data, size_t size); /* retries short writes and EINTR; 0 or -errno */
int file_write_path(const char *path, const char *text); /* an existing file, one write; 0 or -errno */
/* mkdir -p; 0 or -errno. */
int file_make_dirs(const char *path, unsigned mode);
/* Reads exactly size bytes at offset; -EBADMSG when the file ends before. */
int file_pread_all(int fd, void *data, size_t size, uint64_t offset);

#endif
