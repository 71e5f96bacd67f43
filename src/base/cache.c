/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

#define TEMPORARY ".new-"
#define TEMPORARY_AGE 3600 /* seconds; no writer takes that long */
#define USED_AGE 60 /* marks that a file is used are not finer than this */

static bool is_own(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* The deepest folder of path that exists is this user's: what is made in it is, too. */
static bool may_make(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	snprintf(part, sizeof(part), "%s", path);
	while (stat(part, &st)) {
		char *slash = strrchr(part, '/');

		if (errno != ENOENT || !slash)
			return false;
		/* The root is last. */
		slash[slash == part] = '\0';
	}
	return S_ISDIR(st.st_mode) && is_own(&st);
}

/* Path of the folder that holds caches of all programs. */
static int find_base(char path[PATH_MAX])
{
	/* Secure: with capabilities of its own, the program sees what its user must not find in a file. */
	const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	const char *wanted = secure_getenv("SONDE_CACHE");
	int size;

	if (wanted && !strcmp(wanted, "0"))
		return -EOPNOTSUPP;
	if (base && base[0] == '/')
		size = snprintf(path, PATH_MAX, "%s", base);
	else if (home && home[0] == '/')
		size = snprintf(path, PATH_MAX, "%s/.cache", home);
	else
		return -EOPNOTSUPP;
	return size >= PATH_MAX - (int)sizeof("/sonde") ? -ENAMETOOLONG : 0;
}

int cache_open(bool create)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, ret = find_base(path);

	if (ret)
		return ret;
	strcat(path, "/sonde");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && create) {
		if (!may_make(path))
			return -EPERM;
		ret = file_make_dirs(path, 0700);
		if (ret)
			return ret;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !is_own(&st)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int cache_map(int cache, const char *name, struct file_map *ret_map)
{
	int fd = openat(cache, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret;
	struct stat st;

	*ret_map = (struct file_map){ 0 };
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_own(&st))
		ret = -EPERM;
	else
		ret = file_map_fd(fd, name, ret_map, NULL);
	if (!ret && time(NULL) - st.st_mtime > USED_AGE)
		futimens(fd, NULL);
	close(fd);
	return ret;
}

int cache_file_create(int cache, struct cache_file *file)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(file->name, sizeof(file->name), TEMPORARY "%d-%lx", (int)getpid(), now.tv_nsec);
	file->fd = openat(cache, file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return file->fd < 0 ? -errno : 0;
}

int cache_file_finish(int cache, struct cache_file *file, const char *name, bool keep)
{
	int ret = 0;

	if (close(file->fd))
		ret = -errno;
	file->fd = -1;
	if (!ret && keep && renameat(cache, file->name, cache, name))
		ret = -errno;
	if (ret || !keep)
		unlinkat(cache, file->name, 0);
	return ret;
}

struct entry {
	struct timespec time;
	char name[CACHE_NAME_SIZE];
};

static int compare_entries(const void *a, const void *b)
{
	const struct timespec *first = &((const struct entry *)a)->time,
			      *second = &((const struct entry *)b)->time;

	if (first->tv_sec != second->tv_sec)
		return first->tv_sec < second->tv_sec ? 1 : -1;
	return first->tv_nsec < second->tv_nsec ? 1 : first->tv_nsec > second->tv_nsec ? -1 : 0;
}

void cache_trim(int cache, const char *prefix, unsigned nr)
{
	ARRAY(struct entry) entries = { 0 };
	int copy = openat(cache, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *item;

	while (dir && (item = readdir(dir))) {
		bool temporary = !strncmp(item->d_name, TEMPORARY, strlen(TEMPORARY));
		struct stat st;

		if ((!temporary && strncmp(item->d_name, prefix, strlen(prefix))) ||
		    strlen(item->d_name) >= CACHE_NAME_SIZE ||
		    fstatat(cache, item->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!temporary) {
			struct entry *entry = array_add(&entries);

			entry->time = st.st_mtim;
			memcpy(entry->name, item->d_name, strlen(item->d_name) + 1);
		} else if (time(NULL) - st.st_mtime > TEMPORARY_AGE) {
			unlinkat(cache, item->d_name, 0);
		}
	}
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
	if (entries.nr > nr)
		qsort(entries.items, entries.nr, sizeof(*entries.items), compare_entries);
	for (size_t i = nr; i < entries.nr; i++)
		unlinkat(cache, entries.items[i].name, 0);
	array_release(&entries);
}
