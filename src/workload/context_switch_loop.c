/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context_switch_loop: two processes named proc1 and proc2 that send each other one byte in turn, each waiting for
 * the other's: `context_switch_loop` makes two switches a loop.
 */
#include <errno.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload/workload.h"

/* False when the other side is gone. */
WORKLOAD_FUNCTION static bool context_switch_loop(int in, int out, uint64_t loops, bool first)
{
	char byte = 0;

	for (uint64_t i = 0; i < loops; i++) {
		if (first && write(out, &byte, 1) != 1)
			return false;
		if (read(in, &byte, 1) != 1)
			return false;
		if (!first && write(out, &byte, 1) != 1)
			return false;
	}
	return true;
}

int workload_context_switch_loop(int argc, char **argv, struct err *err)
{
	uint64_t loops;
	int to_child[2], to_parent[2], status = 0;
	int ret = workload_count(argc, argv, 0, 1000, UINT64_MAX, &loops, err);
	bool good;
	pid_t child;

	if (ret < 0)
		return ret;
	if (pipe2(to_child, 0) || pipe2(to_parent, 0))
		return err_errno(err, -errno, "cannot make a pipe");
	child = fork();
	if (child < 0)
		return err_errno(err, -errno, "cannot fork");
	if (!child) {
		close(to_child[1]);
		close(to_parent[0]);
		prctl(PR_SET_NAME, "proc1");
		_exit(context_switch_loop(to_child[0], to_parent[1], loops, false) ? 0 : 1);
	}
	close(to_child[0]);
	close(to_parent[1]);
	prctl(PR_SET_NAME, "proc2");
	good = context_switch_loop(to_parent[0], to_child[1], loops, true);
	close(to_child[1]);
	close(to_parent[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return good && !status ? 0 : err_set(err, -ECHILD, "the other process ended too early");
}
