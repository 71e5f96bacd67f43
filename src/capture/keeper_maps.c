/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/keeper_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/file.h"

#define HELD_MAX 64

struct held {
	int32_t pid, inner_pid;
	int folder;
};

struct keeper_maps {
	char dir[256];
	ARRAY(struct held) held;
};

struct keeper_maps *keeper_maps_new(const char *dir)
{
	struct keeper_maps *maps = xcalloc(1, sizeof(*maps));

	snprintf(maps->dir, sizeof(maps->dir), "%s", dir ? dir : "/tmp");
	return maps;
}

void keeper_maps_free(struct keeper_maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->held.nr; i++)
		close(maps->held.items[i].folder);
	array_release(&maps->held);
	free(maps);
}

/* "NSpid:\t4711\t12\t1": in our namespace first, in its own last. */
static int32_t find_inner_pid(int32_t pid)
{
	struct buf buf = BUF_INIT;
	int32_t inner = pid;
	char path[64], *line;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (!file_read_path(path, &buf, 64u << 10) && (line = strstr(buf_text(&buf), "\nNSpid:"))) {
		char *end = strchr(line + 1, '\n'), *last;

		if (end)
			*end = '\0';
		last = strrchr(line, '\t');
		if (last && atoi(last + 1) > 0)
			inner = atoi(last + 1);
	}
	buf_release(&buf);
	return inner;
}

void keeper_maps_look(struct keeper_maps *maps, int32_t pid)
{
	struct held held = { .pid = pid, .inner_pid = find_inner_pid(pid) };
	struct stat own, other;
	char path[64];

	if (maps->held.nr >= HELD_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%d/root/tmp", pid);
	held.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (held.folder < 0)
		return;
	if (held.inner_pid == pid && !fstat(held.folder, &other) && !stat(maps->dir, &own) &&
	    own.st_dev == other.st_dev && own.st_ino == other.st_ino) {
		close(held.folder);
		return;
	}
	array_push(&maps->held, held);
}

/* An older file of this name is of a process that has ended: its number is another's now. Not touched if not ours. */
static bool may_replace(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT;
	return S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static int copy(int from, const char *path, uint64_t size_max)
{
	char half[300], block[65536];
	uint64_t size = 0;
	ssize_t got = 0;
	int to, code = 0;

	snprintf(half, sizeof(half), "%s.%d", path, getpid());
	to = open(half, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (to < 0)
		return -errno;
	while (!code && size < size_max && (got = read(from, block, sizeof(block))) > 0) {
		code = file_write_all(to, block, (size_t)got);
		size += (uint64_t)got;
	}
	if (!code && got < 0)
		code = -errno;
	if (close(to) && !code)
		code = -errno;
	if (!code && rename(half, path))
		code = -errno;
	if (code < 0)
		unlink(half);
	return code;
}

unsigned keeper_maps_finish(struct keeper_maps *maps, uint64_t size_max)
{
	unsigned nr = 0;

	for (size_t i = 0; i < maps->held.nr; i++) {
		const struct held *held = &maps->held.items[i];
		char name[64], path[280];
		struct stat st;
		int fd;

		snprintf(name, sizeof(name), "perf-%d.map", held->inner_pid);
		snprintf(path, sizeof(path), "%s/perf-%d.map", maps->dir, held->pid);
		/* Whose container it is decides what lies there: no links, no pipes. */
		fd = openat(held->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && S_ISREG(st.st_mode) && may_replace(path) && !copy(fd, path, size_max))
			nr++;
		close(fd);
	}
	return nr;
}
