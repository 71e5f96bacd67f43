/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/pool.h"

enum { NR = 100000 };

struct job {
	_Atomic unsigned char done[NR];
	_Atomic bool busy[64];
	size_t last[64]; /* 1 + the task that this worker had before */
	unsigned nr_workers;
	_Atomic unsigned wrong; /* asserts must not leave a worker's thread */
};

static void task(void *context, unsigned worker, size_t i)
{
	struct job *job = context;

	if (worker >= job->nr_workers || worker >= 64 || i >= NR) {
		job->wrong++;
		return;
	}
	if (atomic_exchange(&job->busy[worker], true)) /* tasks of one worker never overlap */
		job->wrong++;
	if (job->last[worker] > i) /* handed out in rising order */
		job->wrong++;
	job->last[worker] = i + 1;
	job->done[i]++;
	job->busy[worker] = false;
}

static void test_each_task_once(void **state)
{
	static const unsigned workers[] = { 0, 1, 2, 7, 64, 1000 };

	(void)state;
	for (size_t w = 0; w < sizeof(workers) / sizeof(*workers); w++) {
		struct job *job = calloc(1, sizeof(*job));

		job->nr_workers = workers[w] > 64 ? 64 : workers[w] ? workers[w] : 1;
		pool_run(NR, workers[w], task, job);
		assert_int_equal(job->wrong, 0);
		for (size_t i = 0; i < NR; i++)
			assert_int_equal(job->done[i], 1);
		free(job);
	}
}

static void test_few_tasks(void **state)
{
	struct job *job = calloc(1, sizeof(*job));

	(void)state;
	job->nr_workers = 3;
	pool_run(0, 8, task, job);
	assert_int_equal(job->done[0], 0);
	pool_run(3, 8, task, job);
	assert_int_equal(job->wrong, 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(job->done[i], i < 3);
	free(job);
}

static void test_workers(void **state)
{
	unsigned own;

	(void)state;
	unsetenv("SONDE_WORKERS");
	own = pool_workers();
	assert_in_range(own, 1, 64);
	setenv("SONDE_WORKERS", "3", 1);
	assert_int_equal(pool_workers(), 3);
	setenv("SONDE_WORKERS", "100000", 1);
	assert_int_equal(pool_workers(), 64);
	setenv("SONDE_WORKERS", "0", 1);
	assert_int_equal(pool_workers(), own);
	setenv("SONDE_WORKERS", "many", 1);
	assert_int_equal(pool_workers(), own);
	setenv("SONDE_WORKERS", "-1", 1);
	assert_int_equal(pool_workers(), own);
	unsetenv("SONDE_WORKERS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_task_once),
		cmocka_unit_test(test_few_tasks),
		cmocka_unit_test(test_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
