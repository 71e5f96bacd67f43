/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqrtloop: the work is done by a child process, in `sqrtloop` and in libm's square root (or the instruction), while
 * the parent waits: what a profiler sees only if it follows forks.
 */
#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "workload/workload.h"

WORKLOAD_FUNCTION static double sqrtloop(void)
{
	volatile double value = 2.0;
	double sum = 0;

	WORKLOAD_FRAME();
	while (!workload_done) {
		sum += sqrt(value);
		value = value + 1.0;
	}
	return sum;
}

int workload_sqrtloop(int argc, char **argv, struct err *err)
{
	uint64_t duration;
	int ret = workload_seconds(argc, argv, 0, NSEC_PER_SEC, &duration, err), status = 0;
	pid_t child;

	if (ret < 0)
		return ret;
	child = fork();
	if (child < 0)
		return err_errno(err, -errno, "cannot fork");
	if (!child) {
		workload_start_timer(duration);
		_exit(sqrtloop() >= 0 ? 0 : 1);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status ? err_set(err, -ECHILD, "the child ended with status %d", status) : 0;
}
