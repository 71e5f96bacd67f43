/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure FILE SECONDS BYTES COMMAND...: runs a command with its output into nothing and its errors into
 * FILE.err, and writes "wall-ns cpu-ns maxrss-KiB status end-ns" into FILE. Stops it after SECONDS; BYTES
 * limits its address space (0: no limit). A small program of its own, because a child's peak memory begins with that
 * of the process it was forked from, and an interpreter's is 30 MB.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static pid_t child;

static void stop(int signal)
{
	(void)signal;
	kill(-child, SIGKILL);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static uint64_t nanoseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	uint64_t start, end, limit;
	struct rusage usage;
	char errors[4096];
	int status, ret;
	FILE *file;

	if (argc < 5)
		return 129;
	snprintf(errors, sizeof(errors), "%s.err", argv[1]);
	limit = strtoull(argv[3], NULL, 10);
	if (limit)
		setrlimit(RLIMIT_AS, &(struct rlimit){ limit, limit });
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	signal(SIGALRM, stop);
	start = now();
	ret = posix_spawnp(&child, argv[4], &actions, &attributes, argv + 4, environ);
	if (ret) {
		fprintf(stderr, "%s: %s\n", argv[4], strerror(ret));
		return 127;
	}
	alarm((unsigned)atoi(argv[2]));
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return 1;
	end = now();
	file = fopen(argv[1], "w");
	if (!file)
		return 1;
	fprintf(file, "%llu %llu %ld %d %llu\n", (unsigned long long)(end - start),
		(unsigned long long)(nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)),
		usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
		(unsigned long long)end);
	return fclose(file);
}
