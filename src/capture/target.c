/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"

static int compare_threads(const void *a, const void *b)
{
	const struct target_thread *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

int target_add_process(struct target *target, pid_t pid)
{
	size_t first = target->threads.nr;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			array_push(&target->threads, (struct target_thread){ pid, atoi(entry->d_name) });
	closedir(dir);
	if (target->threads.nr > first)
		qsort(target->threads.items + first, target->threads.nr - first, sizeof(struct target_thread),
		      compare_threads);
	return (int)(target->threads.nr - first);
}

void target_add_family(struct target *target, pid_t pid)
{
	size_t first = target->threads.nr;
	int nr = target_add_process(target, pid);

	for (size_t i = first; nr > 0 && i < first + (size_t)nr; i++) {
		struct buf buf = BUF_INIT;
		char path[64], *word, *rest;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, target->threads.items[i].tid);
		if (!file_read_path(path, &buf, 1 << 20))
			for (word = strtok_r(buf_text(&buf), " ", &rest); word;
			     word = strtok_r(NULL, " ", &rest))
				target_add_family(target, atoi(word));
		buf_release(&buf);
	}
}

void target_add_cgroup(struct target *target, const char *dir)
{
	struct buf buf = BUF_INIT;
	char path[1100], *line, *rest;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	if (!file_read_path(path, &buf, 16 << 20))
		for (line = strtok_r(buf_text(&buf), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			target_add_process(target, atoi(line));
	buf_release(&buf);
}

static bool has_thread(const struct target *target, pid_t tid)
{
	for (size_t i = 0; i < target->threads.nr; i++)
		if (target->threads.items[i].tid == tid)
			return true;
	return false;
}

/* The process that a thread belongs to; 0: there is no such thread. */
static pid_t process_of(pid_t tid)
{
	struct buf buf = BUF_INIT;
	char path[64], *line;
	pid_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (!file_read_path(path, &buf, 1 << 20)) {
		line = strstr(buf_text(&buf), "\nTgid:");
		pid = line ? atoi(line + 6) : 0;
	}
	buf_release(&buf);
	return pid;
}

static int add_one(struct target *target, pid_t id, bool is_thread, struct err *err)
{
	int nr;

	if (has_thread(target, id))
		return 0;
	if (is_thread) {
		pid_t pid = process_of(id);

		if (!pid)
			return err_set(err, -ESRCH, "there is no thread %d", id);
		array_push(&target->threads, (struct target_thread){ pid, id });
		return 0;
	}
	nr = target_add_process(target, id);
	if (nr == -ESRCH || !nr)
		return err_set(err, -ESRCH, "there is no process %d", id);
	return nr < 0 ? err_errno(err, nr, "cannot list the threads of process %d", id) : 0;
}

static int add_list(struct target *target, const char *list, bool are_threads, struct err *err)
{
	char *copy = xstrdup(list), *rest, *word;
	int code = 0;

	for (word = strtok_r(copy, ", ", &rest); word && !code; word = strtok_r(NULL, ", ", &rest)) {
		uint64_t id;

		if (number_parse_u64(word, &id) < 0 || !id || id > INT32_MAX)
			code = err_set(err, -EINVAL, "'%s' is not the number of a %s", word,
				       are_threads ? "thread" : "process");
		else
			code = add_one(target, (pid_t)id, are_threads, err);
	}
	free(copy);
	if (!code && !target->threads.nr)
		code = err_set(err, -EINVAL, "the list of %s is empty",
			       are_threads ? "threads" : "processes");
	return code;
}

static int add_user(struct target *target, const char *name, struct err *err)
{
	struct passwd *user = getpwnam(name);
	struct dirent *entry;
	uint64_t uid;
	DIR *dir;

	if (user)
		uid = user->pw_uid;
	else if (number_parse_u64(name, &uid) < 0 || uid > UINT32_MAX)
		return err_set(err, -EINVAL, "there is no user '%s'", name);
	dir = opendir("/proc");
	if (!dir)
		return err_errno(err, -errno, "cannot list processes: /proc");
	while ((entry = readdir(dir))) {
		struct stat st;

		if (!isdigit((unsigned char)entry->d_name[0]) || fstatat(dirfd(dir), entry->d_name, &st, 0) ||
		    st.st_uid != uid || atoi(entry->d_name) == getpid())
			continue;
		target_add_process(target, atoi(entry->d_name));
	}
	closedir(dir);
	if (!target->threads.nr)
		return err_set(err, -ESRCH, "user '%s' has no processes", name);
	return 0;
}

static int resolve_cpus(const char *text, struct target *target, struct err *err)
{
	struct cpuset online, wanted;
	struct buf buf = BUF_INIT;
	int code;

	cpuset_online(&online);
	target->cpus = online;
	if (!text)
		return 0;
	code = cpuset_parse(text, &wanted, err);
	if (code < 0)
		return code;
	target->cpus_given = true;
	target->cpus = wanted;
	for (int cpu = cpuset_next(&wanted, 0); cpu >= 0 && !code; cpu = cpuset_next(&wanted, cpu + 1)) {
		if (cpuset_has(&online, (uint32_t)cpu))
			continue;
		cpuset_print(&online, &buf);
		code = err_set(err, -ENODEV, "CPU %d is not online", cpu);
		err_hint(err, "CPUs %s are.", buf_text(&buf));
	}
	buf_release(&buf);
	return code;
}

static void drop(struct target *target, bool given, const char *winner, const char *loser)
{
	size_t size = strlen(target->overridden);

	if (given)
		snprintf(target->overridden + size, sizeof(target->overridden) - size, "%s%s instead of %s",
			 size ? "; " : "", winner, loser);
}

int target_resolve(const struct target_request *request, struct target *ret_target, struct err *err)
{
	bool tasks = request->pids || request->tids || request->uid;
	const char *cpus = request->cpus;
	int code;

	*ret_target = (struct target){ .per_thread = request->per_thread };
	if (tasks) {
		const char *winner = request->pids   ? "processes (-p)"
				     : request->tids ? "threads (-t)"
						     : "a user (-u)";

		drop(ret_target, request->pids && request->tids, winner, "threads (-t)");
		drop(ret_target, (request->pids || request->tids) && request->uid, winner, "a user (-u)");
		drop(ret_target, request->cpus, winner, "CPUs (-C)");
		drop(ret_target, request->system_wide, winner, "all CPUs (-a)");
		cpus = NULL;
		ret_target->kind = TARGET_TASKS;
	} else if (request->system_wide || request->cpus || !request->has_command) {
		drop(ret_target, request->per_thread, "whole CPUs", "threads (--per-thread)");
		ret_target->per_thread = false;
		ret_target->kind = TARGET_CPUS;
	} else {
		ret_target->kind = TARGET_COMMAND;
	}
	code = resolve_cpus(cpus, ret_target, err);
	if (code < 0)
		return code;
	if (request->pids)
		code = add_list(ret_target, request->pids, false, err);
	else if (request->tids)
		code = add_list(ret_target, request->tids, true, err);
	else if (request->uid)
		code = add_user(ret_target, request->uid, err);
	if (code < 0)
		target_release(ret_target);
	return code;
}

void target_release(struct target *target)
{
	array_release(&target->threads);
}
