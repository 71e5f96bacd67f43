/* SPDX-License-Identifier: Apache-2.0 */
/* thloop: threads (two, or as many as asked for) that spin, each in `thloop` below `thloop_thread`; the first is main's. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "workload/workload.h"

#define THREADS_MAX 1024

WORKLOAD_FUNCTION static void thloop(void)
{
	WORKLOAD_FRAME();
	while (!workload_done)
		;
}

WORKLOAD_FUNCTION static void *thloop_thread(void *context)
{
	thloop();
	WORKLOAD_NO_TAIL_CALL();
	return context;
}

int workload_thloop(int argc, char **argv, struct err *err)
{
	uint64_t duration, nr, started = 1;
	pthread_t *threads;
	int ret = workload_seconds(argc, argv, 0, NSEC_PER_SEC, &duration, err);

	if (ret < 0)
		return ret;
	ret = workload_count(argc, argv, 1, 2, THREADS_MAX, &nr, err);
	if (ret < 0)
		return ret;
	threads = xcalloc(nr, sizeof(*threads));
	workload_start_timer(duration);
	for (; started < nr; started++) {
		ret = pthread_create(&threads[started], NULL, thloop_thread, NULL);
		if (ret) {
			ret = err_errno(err, -ret, "cannot start thread %llu", (unsigned long long)started);
			workload_done = 1;
			break;
		}
	}
	thloop_thread(NULL);
	for (uint64_t i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return ret;
}
