/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/cgroup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"

#define NAME_PREFIX "sonde-"

int cgroup_find_mount(char *ret_path, size_t size, int *ret_version)
{
	struct buf buf = BUF_INIT;
	char *line, *rest, unified[512] = "", perf_v1[512] = "";

	if (!file_read_path("/proc/self/mounts", &buf, 4 << 20)) {
		for (line = strtok_r(buf_text(&buf), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			char dir[512], type[64], options[512];

			if (sscanf(line, "%*s %511s %63s %511s", dir, type, options) != 3)
				continue;
			if (!strcmp(type, "cgroup2") && !unified[0])
				snprintf(unified, sizeof(unified), "%s", dir);
			else if (!strcmp(type, "cgroup") && strstr(options, "perf_event"))
				snprintf(perf_v1, sizeof(perf_v1), "%s", dir);
		}
	}
	buf_release(&buf);
	*ret_version = perf_v1[0] ? 1 : 2;
	snprintf(ret_path, size, "%s", perf_v1[0] ? perf_v1 : unified);
	return ret_path[0] ? 0 : -ENOENT;
}

int cgroup_of_process(pid_t pid, char *ret_path, size_t size)
{
	struct buf buf = BUF_INIT;
	char path[64], *line, *rest;
	int code;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	code = file_read_path(path, &buf, 1 << 20);
	ret_path[0] = 0;
	for (line = code < 0 ? NULL : strtok_r(buf_text(&buf), "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, "0::", 3))
			snprintf(ret_path, size, "%s", line + 3);
	buf_release(&buf);
	if (code < 0)
		return code;
	return ret_path[0] == '/' ? 0 : -ENOENT;
}

/* A process's start in clock ticks after boot: with the pid, the identity of a process. 0: there is none. */
static unsigned long long start_time(pid_t pid)
{
	char path[64], text[1024], *end;
	unsigned long long start = 0;
	int size;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	size = file_read_line(path, text, sizeof(text));
	end = size > 0 ? strrchr(text, ')') : NULL; /* a comm may hold blanks and parentheses */
	if (!end || sscanf(end + 2,
			   "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			   &start) != 1)
		return 0;
	return start;
}

int cgroup_move(const char *path, pid_t pid)
{
	char file[1100], text[16];

	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	snprintf(text, sizeof(text), "%d", pid);
	return file_write_path(file, text);
}

/* Every process of `from` into `to`; again, because they may fork meanwhile. */
static void move_all(const char *from, const char *to)
{
	char file[1100], *rest;

	snprintf(file, sizeof(file), "%s/cgroup.procs", from);
	for (int round = 0; round < 8; round++) {
		struct buf buf = BUF_INIT;
		unsigned nr = 0;

		if (file_read_path(file, &buf, 4 << 20) < 0)
			buf.size = 0;
		for (char *line = strtok_r(buf_text(&buf), "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest)) {
			cgroup_move(to, atoi(line));
			nr++;
		}
		buf_release(&buf);
		if (!nr)
			return;
	}
}

/* Removes a directory of the hierarchy and what is below it, after its processes have moved to `to`. */
static int remove_tree(const char *path, const char *to, unsigned depth)
{
	struct dirent *entry;
	DIR *dir;

	if (!rmdir(path) || errno == ENOENT)
		return 0;
	if (errno != EBUSY && errno != ENOTEMPTY)
		return -errno;
	dir = depth < 16 ? opendir(path) : NULL;
	while (dir && (entry = readdir(dir))) {
		char child[1100];

		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR ||
		    snprintf(child, sizeof(child), "%s/%s", path, entry->d_name) >= (int)sizeof(child))
			continue;
		remove_tree(child, to, depth + 1);
	}
	if (dir)
		closedir(dir);
	/* A task that is just exiting still counts for a moment. */
	for (int round = 0; round < 20; round++) {
		move_all(path, to);
		if (!rmdir(path))
			return 0;
		usleep(1000);
	}
	return -errno;
}

/* ---- notes: where cgroups are that somebody may have to remove ---- */

static int notes_dir(char *ret_path, size_t size, bool create)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		snprintf(ret_path, size, "/run/sonde");
	else if (runtime && runtime[0] == '/')
		snprintf(ret_path, size, "%s/sonde", runtime);
	else
		return -ENOENT;
	if (create && mkdir(ret_path, 0700) && errno != EEXIST)
		return -errno;
	return 0;
}

static void write_note(struct cgroup *cgroup, const char *name)
{
	char dir[160];

	cgroup->note[0] = 0;
	if (notes_dir(dir, sizeof(dir), true) < 0)
		return;
	snprintf(cgroup->note, sizeof(cgroup->note), "%s/%s", dir, name);
	if (symlink(cgroup->path, cgroup->note))
		cgroup->note[0] = 0;
}

/* The number of the pid namespace that this process is in: what its pids mean elsewhere is not known here. */
static unsigned long pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

static void own_name(char *ret_name, size_t size)
{
	snprintf(ret_name, size, NAME_PREFIX "%d-%llu-%lu", getpid(), start_time(getpid()), pid_namespace());
}

/* "sonde-PID-START-NAMESPACE": whether the run that made it is over. When that cannot be told it is not. */
static bool is_stale(const char *name)
{
	unsigned long long start;
	unsigned long namespace;
	int pid;

	if (sscanf(name, NAME_PREFIX "%d-%llu-%lu", &pid, &start, &namespace) != 3 || pid <= 0)
		return false;
	if (!namespace || namespace != pid_namespace() || !start_time(getpid()))
		return false;
	return start_time(pid) != start;
}

static unsigned sweep_dir(const char *path)
{
	unsigned nr = 0;
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir))) {
		char child[1300];

		if (strncmp(entry->d_name, NAME_PREFIX, sizeof(NAME_PREFIX) - 1) || !is_stale(entry->d_name))
			continue;
		snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
		nr += !remove_tree(child, path, 0);
	}
	if (dir)
		closedir(dir);
	return nr;
}

static unsigned sweep_notes(void)
{
	char notes[160];
	unsigned nr = 0;
	struct dirent *entry;
	DIR *dir;

	if (notes_dir(notes, sizeof(notes), false) < 0)
		return 0;
	dir = opendir(notes);
	while (dir && (entry = readdir(dir))) {
		char parent[1024], *slash;
		ssize_t size;

		if (strncmp(entry->d_name, NAME_PREFIX, sizeof(NAME_PREFIX) - 1) || !is_stale(entry->d_name))
			continue;
		size = readlinkat(dirfd(dir), entry->d_name, parent, sizeof(parent) - 1);
		if (size > 0) {
			parent[size] = 0;
			slash = strrchr(parent, '/');
			/* A note speaks of a directory of its own name, and of nothing else. */
			if (slash && !strcmp(slash + 1, entry->d_name)) {
				*slash = 0;
				nr += sweep_dir(parent);
			}
		}
		unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	return nr;
}

/* The directory of the cgroup that this process is in. */
static int own_dir(char *ret_path, size_t size)
{
	char mount[512], path[1024];
	int version, code;

	code = cgroup_find_mount(mount, sizeof(mount), &version);
	if (code < 0)
		return code;
	if (version != 2)
		return -EOPNOTSUPP; /* perf_event belongs to a v1 hierarchy: cgroups of the unified one do not scope */
	code = cgroup_of_process(getpid(), path, sizeof(path));
	if (code < 0)
		return code;
	if ((size_t)snprintf(ret_path, size, "%s%s", mount, strcmp(path, "/") ? path : "") >= size)
		return -ENAMETOOLONG;
	return 0;
}

unsigned cgroup_sweep(void)
{
	char path[1024];
	unsigned nr = sweep_notes();

	if (!own_dir(path, sizeof(path)))
		nr += sweep_dir(path);
	return nr;
}

/* ---- ours ---- */

int cgroup_create(struct cgroup *ret_cgroup)
{
	struct cgroup *cgroup = ret_cgroup;
	char name[96];
	int code;

	*cgroup = CGROUP_NONE;
	code = own_dir(cgroup->parent, sizeof(cgroup->parent));
	if (code < 0)
		return code;
	own_name(name, sizeof(name));
	if ((size_t)snprintf(cgroup->path, sizeof(cgroup->path), "%s/%s", cgroup->parent, name) >=
	    sizeof(cgroup->path)) {
		cgroup->path[0] = 0;
		return -ENAMETOOLONG;
	}
	/* The note comes first: a run killed between the two leaves a note of nothing, which does no harm. */
	write_note(cgroup, name);
	if (mkdir(cgroup->path, 0755) && errno != EEXIST)
		code = -errno;
	else if ((cgroup->fd = open(cgroup->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		code = -errno;
	if (code < 0)
		cgroup_remove(cgroup);
	return code;
}

int cgroup_remove(struct cgroup *cgroup)
{
	int code = 0;

	if (cgroup->fd >= 0)
		close(cgroup->fd);
	if (cgroup->path[0])
		code = remove_tree(cgroup->path, cgroup->parent, 0);
	if (cgroup->note[0])
		unlink(cgroup->note);
	*cgroup = CGROUP_NONE;
	return code;
}

int cgroup_open_named(const char *name, struct err *err)
{
	char mount[512], path[1600];
	int version, fd;

	if (cgroup_find_mount(mount, sizeof(mount), &version) < 0) {
		err_set(err, -ENOENT, "cgroup '%s' cannot be opened: no cgroup file system is mounted", name);
		err_hint(err, "As root: mount -t cgroup2 none /sys/fs/cgroup");
		return -ENOENT;
	}
	while (*name == '/')
		name++;
	if (strstr(name, "..") || (size_t)snprintf(path, sizeof(path), "%s/%s", mount, name) >= sizeof(path))
		return err_set(err, -EINVAL, "'%s' is not the path of a cgroup", name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		int code = -errno;

		err_errno(err, code, "there is no cgroup '%s'", name);
		err_hint(err, "Cgroups are named by their path below %s.", mount);
		return code;
	}
	return fd;
}
