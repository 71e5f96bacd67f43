/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world before the recording, read from /proc.
 *
 * A machine has thousands of mappings but few files: build-ids are remembered by device and inode. One
 * buffer holds each /proc file in turn; records are put together in a second one that goes to the sink when it is
 * large. No stdio, no allocation per process.
 */
#include "capture/snapshot.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "capture/snapshot_records.h"
#include "record/record.h"

#define PROC_FILE_MAX (256u << 20) /* no /proc file is larger unless something is wrong */

static int put(struct snapshot *snapshot, uint32_t type, uint16_t misc, const void *fixed, size_t fixed_size,
	       const char *text, size_t text_size, struct err *err)
{
	/* A string, its NUL, and padding to 8 bytes. */
	size_t text_room = text ? (text_size + 8) & ~(size_t)7 : 0;
	size_t size = sizeof(struct record_header) + fixed_size + text_room + snapshot->options.trailer_size;
	struct record_header header = { .type = type, .misc = misc, .size = (uint16_t)size };
	struct buf *out = &snapshot->out;

	if (size > UINT16_MAX - 7)
		return 0; /* a path that no record can hold */
	buf_put(out, &header, sizeof(header));
	buf_put(out, fixed, fixed_size);
	if (text) {
		buf_put(out, text, text_size);
		buf_fill(out, '\0', text_room - text_size);
	}
	buf_fill(out, '\0', snapshot->options.trailer_size);
	return out->size > SNAPSHOT_PUSH_SIZE ? snapshot_flush(snapshot, err) : 0;
}

int snapshot_put(struct snapshot *snapshot, uint32_t type, uint16_t misc, const void *fixed, size_t fixed_size,
		 const char *text, struct err *err)
{
	return put(snapshot, type, misc, fixed, fixed_size, text, text ? strlen(text) : 0, err);
}

struct snapshot *snapshot_new(const struct snapshot_options *options, struct record_sink *sink)
{
	struct snapshot *snapshot = xcalloc(1, sizeof(*snapshot));

	snapshot->options = *options;
	snapshot->sink = sink;
	buf_init(&snapshot->out, -1);
	buf_init(&snapshot->text, -1);
	hash_index_init(&snapshot->files_index, 256);
	return snapshot;
}

void snapshot_free(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	buf_release(&snapshot->out);
	buf_release(&snapshot->text);
	hash_index_release(&snapshot->files_index);
	array_release(&snapshot->files);
	free(snapshot);
}

int snapshot_flush(struct snapshot *snapshot, struct err *err)
{
	struct span records = { (const uint8_t *)snapshot->out.data, snapshot->out.size };
	int ret = 0;

	if (records.size)
		ret = record_sink_push(snapshot->sink, records, err);
	snapshot->out.size = 0;
	return ret;
}

/* ---- mappings ---- */

struct mapping_line {
	uint64_t start, end, pgoff, inode;
	uint32_t major, minor, prot, flags;
	const char *path;
	size_t path_size;
};

static uint64_t take_hex(const char **pos)
{
	uint64_t value = 0;

	for (; isxdigit((unsigned char)**pos); (*pos)++) {
		int c = tolower((unsigned char)**pos);

		value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return value;
}

/* "start-end rwxp pgoff major:minor inode   path" (proc(5)); false: not of this form. line ends in '\n' or NUL. */
static bool parse_mapping(const char *line, size_t size, struct mapping_line *ret)
{
	const char *pos = line, *end = line + size;

	ret->start = take_hex(&pos);
	if (*pos++ != '-')
		return false;
	ret->end = take_hex(&pos);
	if (*pos++ != ' ' || end - pos < 5)
		return false;
	ret->prot = (pos[0] == 'r' ? PROT_READ : 0) | (pos[1] == 'w' ? PROT_WRITE : 0) | (pos[2] == 'x' ? PROT_EXEC : 0);
	ret->flags = pos[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	pos += 5;
	ret->pgoff = take_hex(&pos);
	if (*pos++ != ' ')
		return false;
	ret->major = (uint32_t)take_hex(&pos);
	if (*pos++ != ':')
		return false;
	ret->minor = (uint32_t)take_hex(&pos);
	if (*pos++ != ' ')
		return false;
	for (ret->inode = 0; *pos >= '0' && *pos <= '9'; pos++)
		ret->inode = ret->inode * 10 + (uint64_t)(*pos - '0');
	while (pos < end && *pos == ' ')
		pos++;
	ret->path = pos;
	ret->path_size = (size_t)(end - pos);
	return true;
}

/* By device and inode; a path is asked once. The process's own view serves where the path means another file here. */
static const struct snapshot_file *find_build_id(struct snapshot *snapshot, pid_t pid, const struct mapping_line *line,
						 const char *path)
{
	uint64_t device = makedev(line->major, line->minor);
	uint64_t hash = hash_pair(line->inode, device);
	uint32_t at = hash_index_start(&snapshot->files_index, hash), id;
	struct snapshot_file file = { .inode = line->inode, .device = device };
	struct stat st;
	char map_file[80];

	while ((id = hash_index_next(&snapshot->files_index, hash, &at)) != HASH_NONE)
		if (snapshot->files.items[id].inode == line->inode && snapshot->files.items[id].device == device)
			return &snapshot->files.items[id];
	if (stat(path, &st) || st.st_ino != line->inode) {
		snprintf(map_file, sizeof(map_file), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, line->start, line->end);
		path = map_file;
	}
	file.build_id_size = snapshot->options.read_build_id(snapshot->options.context, path, file.build_id);
	hash_index_insert(&snapshot->files_index, hash, (uint32_t)snapshot->files.nr);
	array_push(&snapshot->files, file);
	return array_last(&snapshot->files);
}

static int put_mapping(struct snapshot *snapshot, pid_t pid, const struct mapping_line *line, struct err *err)
{
	struct {
		int32_t pid, tid;
		uint64_t addr, length, pgoff;
		union {
			struct {
				uint32_t major, minor;
				uint64_t inode, generation;
			} file;
			struct {
				uint8_t size, zero[3];
				uint8_t bytes[20];
			} build_id;
		} id;
		uint32_t prot, flags;
	} fixed = { .pid = pid, .tid = pid, .addr = line->start, .length = line->end - line->start,
		    .pgoff = line->pgoff, .prot = line->prot, .flags = line->flags };
	const struct snapshot_file *file = NULL;
	uint16_t misc = RECORD_CPUMODE_USER;
	char path[PATH_MAX];

	if (line->path_size >= sizeof(path))
		return 0;
	memcpy(path, line->path, line->path_size);
	path[line->path_size] = '\0';
	if (!line->path_size)
		strcpy(path, "//anon");
	if (!(line->prot & PROT_EXEC))
		misc |= RECORD_MISC_MMAP_DATA;
	if (snapshot->options.build_ids && snapshot->options.read_build_id && line->inode && path[0] == '/')
		file = find_build_id(snapshot, pid, line, path);
	if (file && file->build_id_size) {
		misc |= RECORD_MISC_MMAP_BUILD_ID;
		fixed.id.build_id.size = file->build_id_size;
		memcpy(fixed.id.build_id.bytes, file->build_id, sizeof(file->build_id));
	} else {
		fixed.id.file.major = line->major;
		fixed.id.file.minor = line->minor;
		fixed.id.file.inode = line->inode;
	}
	_Static_assert(sizeof(fixed) == 64, "MMAP2 without header and path");
	return snapshot_put(snapshot, RECORD_MMAP2, misc, &fixed, sizeof(fixed), path, err);
}

static int put_mappings(struct snapshot *snapshot, pid_t pid, struct err *err)
{
	struct buf *text = &snapshot->text;
	char path[64];
	const char *pos, *end;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	text->size = 0;
	if (file_read_path(path, text, PROC_FILE_MAX) < 0)
		return 0;
	pos = buf_text(text);
	end = pos + text->size;
	while (pos < end) {
		const char *newline = memchr(pos, '\n', (size_t)(end - pos));
		size_t size = newline ? (size_t)(newline - pos) : (size_t)(end - pos);
		struct mapping_line line;
		int ret;

		if (parse_mapping(pos, size, &line) && (line.prot & PROT_EXEC || snapshot->options.data_mappings)) {
			ret = put_mapping(snapshot, pid, &line, err);
			if (ret < 0)
				return ret;
		}
		pos += size + 1;
	}
	return 0;
}

/* ---- tasks ---- */

static int put_task(struct snapshot *snapshot, pid_t pid, pid_t parent_pid, pid_t tid, pid_t parent_tid,
		    struct err *err)
{
	struct {
		int32_t pid, parent_pid, tid, parent_tid;
		uint64_t time;
	} fixed = { pid, parent_pid, tid, parent_tid, 0 };

	/* FORK_EXEC: the child's mappings are not its parent's, they follow. */
	return snapshot_put(snapshot, RECORD_FORK, pid == tid ? RECORD_MISC_FORK_EXEC : 0, &fixed, sizeof(fixed), NULL,
			    err);
}

static int put_comm(struct snapshot *snapshot, pid_t pid, pid_t tid, const char *comm, size_t size, struct err *err)
{
	int32_t fixed[2] = { pid, tid };

	return put(snapshot, RECORD_COMM, 0, fixed, sizeof(fixed), comm, size, err);
}

static int put_namespaces(struct snapshot *snapshot, pid_t pid, pid_t tid, struct err *err)
{
	/* The order of include/uapi/linux/perf_event.h, NET_NS_INDEX on. */
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct {
		int32_t pid, tid;
		uint64_t nr;
		struct {
			uint64_t device, inode;
		} links[NR_ITEMS(names)];
	} fixed = { .pid = pid, .tid = tid, .nr = NR_ITEMS(names) };
	char path[64];
	struct stat st;

	for (size_t i = 0; i < NR_ITEMS(names); i++) {
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, names[i]);
		if (stat(path, &st))
			continue;
		fixed.links[i].device = st.st_dev;
		fixed.links[i].inode = st.st_ino;
	}
	return snapshot_put(snapshot, RECORD_NAMESPACES, 0, &fixed, sizeof(fixed), NULL, err);
}

struct task_facts {
	pid_t parent_pid;
	char comm[32];
	size_t comm_size;
	bool is_kernel;
};

/* From /proc/PID/stat: "pid (comm) state ppid ... flags"; the comm may hold anything, so its end is the last ')'. */
static bool read_task(const char *path, struct task_facts *ret)
{
	char text[1024];
	int size = file_read_line(path, text, sizeof(text));
	char *open, *close;
	unsigned flags = 0;

	if (size <= 0)
		return false;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open)
		return false;
	ret->comm_size = (size_t)(close - open - 1);
	if (ret->comm_size >= sizeof(ret->comm))
		ret->comm_size = sizeof(ret->comm) - 1;
	memcpy(ret->comm, open + 1, ret->comm_size);
	ret->comm[ret->comm_size] = '\0';
	ret->parent_pid = 0;
	/* state ppid pgrp session tty_nr tpgid flags */
	if (sscanf(close + 1, " %*c %d %*d %*d %*d %*d %u", &ret->parent_pid, &flags) != 2)
		return false;
	ret->is_kernel = flags & 0x00200000; /* PF_KTHREAD */
	return true;
}

static int put_thread(struct snapshot *snapshot, pid_t pid, pid_t tid, bool *ret_is_kernel, struct err *err)
{
	struct task_facts facts;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	if (!read_task(path, &facts))
		return 0;
	*ret_is_kernel = facts.is_kernel;
	ret = put_task(snapshot, pid, pid == tid ? facts.parent_pid : pid, tid, pid == tid ? facts.parent_pid : pid, err);
	if (ret == 0 && snapshot->options.namespaces)
		ret = put_namespaces(snapshot, pid, tid, err);
	if (ret == 0)
		ret = put_comm(snapshot, pid, tid, facts.comm, facts.comm_size, err);
	return ret;
}

int snapshot_thread(struct snapshot *snapshot, pid_t pid, pid_t tid, struct err *err)
{
	bool is_kernel = true;
	int ret = put_thread(snapshot, pid, tid, &is_kernel, err);

	return ret < 0 || is_kernel ? ret : put_mappings(snapshot, pid, err);
}

/* Numbers among a directory's names, in rising order. */
static int read_numbers(const char *path, struct snapshot_numbers *numbers)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	array_clear(numbers);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			array_push(numbers, (pid_t)atoi(entry->d_name));
	closedir(dir);
	return 0;
}

int snapshot_process(struct snapshot *snapshot, pid_t pid, struct err *err)
{
	struct snapshot_numbers tids = { 0 };
	bool is_kernel = true, ignored;
	char path[64];
	int ret;

	/* The process first: its threads refer to it. */
	ret = put_thread(snapshot, pid, pid, &is_kernel, err);
	if (ret == 0 && !is_kernel)
		ret = put_mappings(snapshot, pid, err);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	if (ret == 0 && !is_kernel && read_numbers(path, &tids) == 0)
		for (size_t i = 0; i < tids.nr && ret == 0; i++)
			if (tids.items[i] != pid)
				ret = put_thread(snapshot, pid, tids.items[i], &ignored, err);
	array_release(&tids);
	return ret;
}

int snapshot_all_processes(struct snapshot *snapshot, struct err *err)
{
	struct snapshot_numbers pids = { 0 };
	int ret = read_numbers("/proc", &pids);

	if (ret < 0)
		ret = err_errno(err, ret, "/proc");
	for (size_t i = 0; i < pids.nr && ret == 0; i++)
		ret = snapshot_process(snapshot, pids.items[i], err);
	array_release(&pids);
	return ret;
}

/* ---- cgroups ---- */

static int put_cgroup(struct snapshot *snapshot, const char *mount_point, const char *path, struct err *err)
{
	struct stat st;
	uint64_t id;
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + 64];
	} handle = { .handle.handle_bytes = 64 };
	int mount_id;

	/* The id in samples is the handle's; where handles cannot be had it is the inode of 64-bit kernels. */
	if (!name_to_handle_at(AT_FDCWD, path, &handle.handle, &mount_id, 0) && handle.handle.handle_bytes >= sizeof(id))
		memcpy(&id, handle.handle.f_handle, sizeof(id));
	else if (!stat(path, &st))
		id = st.st_ino;
	else
		return 0;
	path += strlen(mount_point);
	return snapshot_put(snapshot, RECORD_CGROUP, 0, &id, sizeof(id), *path ? path : "/", err);
}

static int put_cgroups_below(struct snapshot *snapshot, const char *mount_point, const char *path, unsigned depth,
			     struct err *err)
{
	int ret = put_cgroup(snapshot, mount_point, path, err);
	DIR *dir = depth < 64 ? opendir(path) : NULL;
	struct dirent *entry;

	while (ret == 0 && dir && (entry = readdir(dir))) {
		char *child;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		child = xasprintf("%s/%s", path, entry->d_name);
		ret = put_cgroups_below(snapshot, mount_point, child, depth + 1, err);
		free(child);
	}
	if (dir)
		closedir(dir);
	return ret;
}

int snapshot_cgroups(struct snapshot *snapshot, const char *mount_point, struct err *err)
{
	return put_cgroups_below(snapshot, mount_point, mount_point, 0, err);
}
