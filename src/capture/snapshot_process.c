/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes, from /proc.
 *
 * Mappings are asked for one by one with the PROCMAP_QUERY ioctl where the kernel has it (6.11): it skips what is not
 * executable and gives the build-id without opening the file. Elsewhere /proc/PID/maps is read, once.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "capture/snapshot.h"
#include "capture/snapshot_files.h"
#include "record/record.h"

/* ---- tasks ---- */

struct task {
	int32_t pid, tid, parent;
	char comm[16];
};

/* "pid (comm) state ppid ...": of a process or thread. false: it is gone. */
static bool read_stat(int dir, const char *name, struct task *task)
{
	char path[64], text[512], *open_paren, *close_paren;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "%.40s/stat", name);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return false;
	text[size] = 0;
	open_paren = strchr(text, '(');
	close_paren = strrchr(text, ')');
	if (!open_paren || !close_paren || sscanf(close_paren + 1, " %*c %d", &task->parent) != 1)
		return false;
	*close_paren = 0;
	snprintf(task->comm, sizeof(task->comm), "%s", open_paren + 1);
	return true;
}

static void put_fork(struct snapshot *snapshot, const struct task *task)
{
	int32_t parent = task->tid == task->pid ? task->parent : task->pid;

	snapshot_record_begin(snapshot, RECORD_FORK, 0);
	snapshot_put_u32(snapshot, (uint32_t)task->pid);
	snapshot_put_u32(snapshot, (uint32_t)parent);
	snapshot_put_u32(snapshot, (uint32_t)task->tid);
	snapshot_put_u32(snapshot, (uint32_t)parent);
	snapshot_put_u64(snapshot, 0);
	snapshot_record_end(snapshot);
}

static void put_comm(struct snapshot *snapshot, const struct task *task)
{
	snapshot_record_begin(snapshot, RECORD_COMM, 0);
	snapshot_put_u32(snapshot, (uint32_t)task->pid);
	snapshot_put_u32(snapshot, (uint32_t)task->tid);
	snapshot_put_string(snapshot, task->comm);
	snapshot_record_end(snapshot);
}

/* In the order of include/uapi/linux/perf_event.h: NET UTS IPC PID USER MNT CGROUP. */
static void put_namespaces(struct snapshot *snapshot, int dir, const struct task *task)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };

	snapshot_record_begin(snapshot, RECORD_NAMESPACES, 0);
	snapshot_put_u32(snapshot, (uint32_t)task->pid);
	snapshot_put_u32(snapshot, (uint32_t)task->tid);
	snapshot_put_u64(snapshot, NR_ITEMS(names));
	for (size_t i = 0; i < NR_ITEMS(names); i++) {
		struct stat st = { .st_dev = 0 };
		char path[64];

		snprintf(path, sizeof(path), "%d/ns/%s", task->tid, names[i]);
		if (fstatat(dir, path, &st, 0))
			st.st_dev = st.st_ino = 0;
		snapshot_put_u64(snapshot, st.st_dev);
		snapshot_put_u64(snapshot, st.st_ino);
	}
	snapshot_record_end(snapshot);
}

/* ---- mappings by query ---- */

/* struct procmap_query of include/uapi/linux/fs.h (6.11), whatever the build machine's headers know. */
struct procmap_query {
	__u64 size;
	__u64 query_flags;
	__u64 query_addr;
	__u64 vma_start, vma_end;
	__u64 vma_flags;
	__u64 vma_page_size;
	__u64 vma_offset;
	__u64 inode;
	__u32 dev_major, dev_minor;
	__u32 vma_name_size;
	__u32 build_id_size;
	__u64 vma_name_addr;
	__u64 build_id_addr;
};

#define PROCMAP_QUERY _IOWR('f', 17, struct procmap_query)
#define PROCMAP_READABLE 0x01
#define PROCMAP_WRITABLE 0x02
#define PROCMAP_EXECUTABLE 0x04
#define PROCMAP_SHARED 0x08
#define PROCMAP_COVERING_OR_NEXT 0x10

struct process_maps {
	struct snapshot *snapshot;
	int32_t pid;
	uint64_t deadline; /* CLOCK_MONOTONIC; 0: none */
	unsigned nr;
};

static bool out_of_time(struct process_maps *maps)
{
	return maps->deadline && ++maps->nr % 64 == 0 && clock_now(CLOCK_MONOTONIC) > maps->deadline;
}

static void put_query(struct process_maps *maps, const struct procmap_query *query, const char *name,
		      const uint8_t *build_id)
{
	struct snapshot_mapping mapping = {
		.pid = maps->pid,
		.tid = maps->pid,
		.cpumode = RECORD_CPUMODE_USER,
		.addr = query->vma_start,
		.length = query->vma_end - query->vma_start,
		.pgoff = query->vma_offset,
		.major = query->dev_major,
		.minor = query->dev_minor,
		.inode = query->inode,
		.path = query->vma_name_size && *name ? name : "//anon",
	};

	mapping.prot |= query->vma_flags & PROCMAP_READABLE ? PROT_READ : 0;
	mapping.prot |= query->vma_flags & PROCMAP_WRITABLE ? PROT_WRITE : 0;
	mapping.prot |= query->vma_flags & PROCMAP_EXECUTABLE ? PROT_EXEC : 0;
	mapping.flags = query->vma_flags & PROCMAP_SHARED ? MAP_SHARED : MAP_PRIVATE;
	if (query->inode && query->build_id_size && query->build_id_size <= SNAPSHOT_BUILD_ID_MAX) {
		mapping.build_id_size = (uint8_t)query->build_id_size;
		memcpy(mapping.build_id, build_id, query->build_id_size);
	}
	snapshot_mapping(maps->snapshot, &mapping);
}

/* false: the kernel has no such ioctl. */
static bool query_mappings(struct process_maps *maps, int fd)
{
	struct snapshot *snapshot = maps->snapshot;
	char name[4096];
	uint8_t build_id[64];
	uint64_t addr = 0;

	for (;;) {
		struct procmap_query query = {
			.size = sizeof(query),
			.query_flags = PROCMAP_COVERING_OR_NEXT |
				       (snapshot->data_mmaps ? 0 : PROCMAP_EXECUTABLE),
			.query_addr = addr,
			.vma_name_size = sizeof(name),
			.build_id_size = snapshot->build_ids ? sizeof(build_id) : 0,
			.vma_name_addr = (uintptr_t)name,
			.build_id_addr = snapshot->build_ids ? (uintptr_t)build_id : 0,
		};

		if (ioctl(fd, PROCMAP_QUERY, &query)) {
			if (errno == EINTR)
				continue;
			return errno != ENOTTY && errno != EINVAL;
		}
		put_query(maps, &query, name, build_id);
		addr = query.vma_end;
		if (out_of_time(maps))
			return true;
	}
}

/* ---- mappings by text ---- */

/* "\012" is a newline in a path. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (!strncmp(text, "\\012", 4)) {
			*to++ = '\n';
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = 0;
}

static void put_line(struct process_maps *maps, char *line)
{
	struct snapshot *snapshot = maps->snapshot;
	struct snapshot_mapping mapping = { .pid = maps->pid,
					    .tid = maps->pid,
					    .cpumode = RECORD_CPUMODE_USER };
	unsigned long long start, end, pgoff, inode;
	const uint8_t *build_id;
	char prot[8], *path;
	int path_at = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, prot, &pgoff, &mapping.major,
		   &mapping.minor, &inode, &path_at) < 7)
		return;
	if (prot[2] != 'x' && !snapshot->data_mmaps)
		return;
	path = line + path_at;
	unescape(path);
	mapping.prot |= prot[0] == 'r' ? PROT_READ : 0;
	mapping.prot |= prot[1] == 'w' ? PROT_WRITE : 0;
	mapping.prot |= prot[2] == 'x' ? PROT_EXEC : 0;
	mapping.flags = prot[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	mapping.addr = start;
	mapping.length = end - start;
	mapping.pgoff = pgoff;
	mapping.inode = inode;
	mapping.path = *path ? path : "//anon";
	if (snapshot->build_ids && inode && *path == '/') {
		char through[128];

		/* Not by its path: that is the process's, which may live in another root. */
		snprintf(through, sizeof(through), "/proc/%d/map_files/%llx-%llx", maps->pid, start, end);
		mapping.build_id_size = snapshot_files_build_id(snapshot->files, mapping.major, mapping.minor,
								inode, access(through, R_OK) ? path : through,
								snapshot->read_build_id, &build_id);
		memcpy(mapping.build_id, build_id, mapping.build_id_size);
	}
	snapshot_mapping(snapshot, &mapping);
}

static void read_mappings(struct process_maps *maps, int fd)
{
	struct buf buf = BUF_INIT;
	char *line, *rest;

	if (file_read_fd(fd, &buf, 256 << 20) < 0)
		buf.size = 0;
	for (line = strtok_r(buf_text(&buf), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		put_line(maps, line);
		if (out_of_time(maps))
			break;
	}
	buf_release(&buf);
}

static void put_mappings(struct snapshot *snapshot, int dir, int32_t pid)
{
	struct process_maps maps = { .snapshot = snapshot, .pid = pid };
	char path[32];
	int fd;

	if (snapshot->tasks_only)
		return;
	snprintf(path, sizeof(path), "%d/maps", pid);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (snapshot->process_timeout)
		maps.deadline = clock_now(CLOCK_MONOTONIC) + snapshot->process_timeout;
	if (!query_mappings(&maps, fd))
		read_mappings(&maps, fd);
	close(fd);
}

/* ---- processes ---- */

static void put_task(struct snapshot *snapshot, int proc, const struct task *task, bool with_fork)
{
	if (with_fork)
		put_fork(snapshot, task);
	if (snapshot->namespaces)
		put_namespaces(snapshot, proc, task);
	put_comm(snapshot, task);
}

/* The other threads of a process. */
static void put_threads(struct snapshot *snapshot, int proc, const struct task *process)
{
	struct dirent *entry;
	char path[32];
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%d/task", process->pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	while (dir && (entry = readdir(dir))) {
		struct task task = { .pid = process->pid, .tid = atoi(entry->d_name) };

		if (task.tid > 0 && task.tid != process->pid && read_stat(fd, entry->d_name, &task))
			put_task(snapshot, proc, &task, true);
	}
	if (dir)
		closedir(dir);
}

static bool has_threads(int proc, int32_t pid)
{
	struct stat st;
	char path[32];

	/* One link for each thread, one for itself and one for its parent. */
	snprintf(path, sizeof(path), "%d/task", pid);
	return fstatat(proc, path, &st, 0) || st.st_nlink != 3;
}

void snapshot_all_processes(struct snapshot *snapshot)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	int32_t kthreadd = -1; /* 2, unless we are in a container's pid namespace */

	while (dir && (entry = readdir(dir)) && !snapshot->error) {
		struct task task = { .pid = atoi(entry->d_name) };

		task.tid = task.pid;
		if (!isdigit((unsigned char)entry->d_name[0]) || !read_stat(dirfd(dir), entry->d_name, &task))
			continue;
		put_task(snapshot, dirfd(dir), &task, true);
		if (has_threads(dirfd(dir), task.pid))
			put_threads(snapshot, dirfd(dir), &task);
		if (task.pid == 2 && !strcmp(task.comm, "kthreadd"))
			kthreadd = 2;
		if (task.pid != kthreadd && task.parent != kthreadd) /* the kernel's threads have none */
			put_mappings(snapshot, dirfd(dir), task.pid);
	}
	if (dir)
		closedir(dir);
}

void snapshot_processes(struct snapshot *snapshot, const struct target *target)
{
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int32_t mapped = 0;

	for (size_t i = 0; proc >= 0 && i < target->threads.nr && !snapshot->error; i++) {
		struct task task = { .pid = target->threads.items[i].pid,
				     .tid = target->threads.items[i].tid };
		char name[48];

		snprintf(name, sizeof(name), "%d/task/%d", task.pid, task.tid);
		if (!read_stat(proc, name, &task))
			continue;
		put_task(snapshot, proc, &task, false);
		/* Threads of a process follow each other. */
		if (task.pid != mapped)
			put_mappings(snapshot, proc, task.pid);
		mapped = task.pid;
	}
	if (proc >= 0)
		close(proc);
}

void snapshot_command(struct snapshot *snapshot, pid_t pid, const char *comm)
{
	struct task task = { .pid = pid, .tid = pid };

	snprintf(task.comm, sizeof(task.comm), "%s", comm);
	if (snapshot->namespaces) {
		int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		put_task(snapshot, proc, &task, false);
		close(proc);
		return;
	}
	put_comm(snapshot, &task);
}
