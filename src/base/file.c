/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"

int file_map_fd(int fd, const char *name, struct file_map *ret_map, struct err *err)
{
	struct stat st;
	void *data;

	*ret_map = (struct file_map){ 0 };
	if (fstat(fd, &st))
		return err_errno(err, -errno, "%s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: not a regular file", name);
	if (st.st_size == 0)
		return 0;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_errno(err, -errno, "%s: cannot be mapped", name);
	ret_map->data = data;
	ret_map->size = (size_t)st.st_size;
	return 0;
}

int file_map_path(const char *path, struct file_map *ret_map, struct err *err)
{
	int fd, ret;

	*ret_map = (struct file_map){ 0 };
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, -errno, "%s", path);
	ret = file_map_fd(fd, path, ret_map, err);
	close(fd);
	return ret;
}

void file_unmap(struct file_map *map)
{
	if (map->data)
		munmap((void *)map->data, map->size);
	*map = (struct file_map){ 0 };
}

int file_read_fd(int fd, struct buf *buf, size_t limit)
{
	size_t start = buf->size;

	for (;;) {
		ssize_t got;

		buf_grow(buf, 4096);
		got = read(fd, buf->data + buf->size, buf->room - buf->size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		buf->size += (size_t)got;
		if (buf->size - start > limit)
			return -EFBIG;
	}
}

int file_read_path(const char *path, struct buf *buf, size_t limit)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = file_read_fd(fd, buf, limit);
	close(fd);
	return ret;
}

int file_read_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, text, size - 1);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		got = -errno;
	close(fd);
	if (got < 0)
		return (int)got;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return (int)strlen(text);
}

int file_read_u64(const char *path, uint64_t *ret_value)
{
	char text[64];
	int ret = file_read_line(path, text, sizeof(text));

	return ret < 0 ? ret : number_parse_u64(text, ret_value);
}

int file_write_all(int fd, const void *data, size_t size)
{
	const char *pos = data;

	while (size) {
		ssize_t put = write(fd, pos, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		pos += put;
		size -= (size_t)put;
	}
	return 0;
}

int file_write_path(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t size = strlen(text);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, size) != (ssize_t)size)
		ret = errno ? -errno : -EIO;
	close(fd);
	return ret;
}

int file_make_dirs(const char *path, unsigned mode)
{
	char part[PATH_MAX];
	size_t size = strlen(path);

	if (size >= sizeof(part))
		return -ENAMETOOLONG;
	memcpy(part, path, size + 1);
	for (char *pos = part + 1; *pos; pos++) {
		if (*pos != '/')
			continue;
		*pos = '\0';
		if (mkdir(part, mode) && errno != EEXIST)
			return -errno;
		*pos = '/';
	}
	return mkdir(part, mode) && errno != EEXIST ? -errno : 0;
}

int file_pread_all(int fd, void *data, size_t size, uint64_t offset)
{
	char *pos = data;

	while (size) {
		ssize_t got = pread(fd, pos, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -EBADMSG;
		pos += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}
