/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named_threads: threads named thread1, thread2 ..., each spending its time in a function of the same name
 * (named_threads_thread1 ...): for reports by thread, and for names that are set after the start.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "workload/workload.h"

/* clang-format off */
#define NAMED_THREADS(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) \
	X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25)
/* clang-format on */
#define THREADS_MAX 25

static uint64_t named_threads_loops;
static volatile uint64_t named_threads_sums[THREADS_MAX + 1];

#define DEFINE_THREAD(n) \
	WORKLOAD_FUNCTION static void *named_threads_thread##n(void *arg) \
	{ \
		WORKLOAD_FRAME(); \
		prctl(PR_SET_NAME, "thread" #n); \
		for (uint64_t i = 0; i < named_threads_loops; i++) \
			named_threads_sums[n] += i; \
		return arg; \
	}
NAMED_THREADS(DEFINE_THREAD)

#define THREAD_ROW(n) named_threads_thread##n,
static void *(*const named_threads[])(void *) = { NAMED_THREADS(THREAD_ROW) };

int workload_named_threads(int argc, char **argv, struct err *err)
{
	pthread_t threads[THREADS_MAX];
	uint64_t nr, started = 0;
	int ret = workload_count(argc, argv, 0, 1, THREADS_MAX, &nr, err);

	if (!ret)
		ret = workload_count(argc, argv, 1, 1000000, UINT64_MAX, &named_threads_loops, err);
	if (ret < 0)
		return ret;
	for (; started < nr; started++) {
		ret = pthread_create(&threads[started], NULL, named_threads[started], NULL);
		if (ret) {
			ret = err_errno(err, -ret, "cannot start thread %llu",
					(unsigned long long)started + 1);
			break;
		}
	}
	for (uint64_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return ret;
}
