/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ull
#endif

/* struct clone_args of include/uapi/linux/sched.h, whatever the build machine's headers know. */
struct clone_request {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
		set_tid_size, cgroup;
};

/*
 * As fork, in a cgroup from birth: moving a process there later makes the kernel wait for all CPUs. Only what a
 * signal handler may do is allowed in the child.
 */
static pid_t fork_into(struct workload *workload, int cgroup_fd)
{
	struct clone_request request = { .exit_signal = SIGCHLD };
	pid_t pid;
	int procs;

	if (cgroup_fd >= 0) {
		request.flags |= CLONE_INTO_CGROUP;
		request.cgroup = (uint64_t)cgroup_fd;
	}
	pid = (pid_t)syscall(SYS_clone3, &request, sizeof(request));
	workload->in_cgroup = cgroup_fd >= 0;
	if (pid >= 0)
		return pid;
	/* Before 5.7, or clone3 is forbidden here, or the cgroup is one of those that take no processes. */
	workload->in_cgroup = false;
	pid = fork();
	if (pid <= 0 || cgroup_fd < 0)
		return pid;
	procs = openat(cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (procs >= 0) {
		workload->in_cgroup = dprintf(procs, "%d", pid) > 0;
		close(procs);
	}
	return pid;
}

static void __attribute__((noreturn)) run_child(int go, int failed, char *const argv[], const char *comm)
{
	int code;
	char byte;

	prctl(PR_SET_NAME, comm);
	while (read(go, &byte, 1) != 1)
		if (errno != EINTR)
			_exit(0); /* the parent is gone, or has thought better of it */
	execvp(argv[0], argv);
	code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

int workload_start(struct workload *workload, char *const argv[], int cgroup_fd, bool stdout_is_ours,
		   const char *comm, struct err *err)
{
	int go[2], failed[2], code;
	pid_t pid;

	*workload = WORKLOAD_NONE;
	if (pipe2(go, O_CLOEXEC))
		return err_errno(err, -errno, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		code = -errno;
		close(go[0]);
		close(go[1]);
		return err_errno(err, code, "cannot make a pipe");
	}
	errno = 0;
	pid = fork_into(workload, cgroup_fd);
	code = -errno;
	if (!pid) {
		close(go[1]);
		close(failed[0]);
		if (stdout_is_ours)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		run_child(go[0], failed[1], argv, comm);
	}
	close(go[0]);
	close(failed[1]);
	if (pid < 0) {
		close(go[1]);
		close(failed[0]);
		return err_errno(err, code, "cannot start a process");
	}
	workload->pid = pid;
	workload->go = go[1];
	workload->failed = failed[0];
	return 0;
}

static int explain_exec(struct err *err, int code, const char *program)
{
	return err_set(err, code, "cannot run '%s': %s", program, strerror(-code));
}

int workload_check(const char *program, struct err *err)
{
	const char *path = getenv("PATH");
	int code = -ENOENT;

	if (strchr(program, '/'))
		return access(program, X_OK) ? explain_exec(err, -errno, program) : 0;
	if (!path)
		path = "/bin:/usr/bin";
	while (*program) {
		size_t length = strcspn(path, ":");
		char file[4096];
		struct stat st;

		snprintf(file, sizeof(file), "%.*s/%s", length ? (int)length : 1, length ? path : ".",
			 program);
		if (!stat(file, &st) && S_ISREG(st.st_mode)) {
			if (!access(file, X_OK))
				return 0;
			code = -errno;
		}
		path += length;
		if (!*path++)
			break;
	}
	return explain_exec(err, code, program);
}

void workload_go(struct workload *workload)
{
	ssize_t size;

	do {
		size = write(workload->go, "", 1);
	} while (size < 0 && errno == EINTR);
	close(workload->go);
	workload->go = -1;
}

int workload_exec_result(struct workload *workload, char *const argv[], struct err *err)
{
	ssize_t size;
	int code;

	do {
		size = read(workload->failed, &code, sizeof(code));
	} while (size < 0 && errno == EINTR);
	close(workload->failed);
	workload->failed = -1;
	if (size != sizeof(code))
		return 0;
	waitpid(workload->pid, &workload->status, 0);
	workload->has_ended = true;
	return explain_exec(err, -code, argv[0]);
}

bool workload_poll(struct workload *workload)
{
	if (workload->pid && !workload->has_ended &&
	    waitpid(workload->pid, &workload->status, WNOHANG) == workload->pid)
		workload->has_ended = true;
	return workload->has_ended;
}

int workload_exit_status(const struct workload *workload)
{
	if (!workload->has_ended)
		return 0;
	if (WIFSIGNALED(workload->status))
		return 128 + WTERMSIG(workload->status);
	return WEXITSTATUS(workload->status);
}

void workload_signal(struct workload *workload, int signal)
{
	if (workload->pid && !workload->has_ended)
		kill(workload->pid, signal);
}

void workload_release(struct workload *workload)
{
	bool held = workload->go >= 0;

	if (workload->go >= 0)
		close(workload->go);
	if (workload->failed >= 0)
		close(workload->failed);
	if (workload->pid && held && !workload->has_ended)
		waitpid(workload->pid, &workload->status, 0);
	*workload = WORKLOAD_NONE;
}
