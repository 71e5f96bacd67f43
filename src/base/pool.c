/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/xalloc.h"

#define NR_WORKERS_MAX 64

struct run {
	_Atomic size_t next;
	size_t nr_tasks;
	void (*task)(void *context, unsigned worker, size_t i);
	void *context;
};

struct worker {
	struct run *run;
	unsigned number;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct run *run = worker->run;

	for (;;) {
		size_t i = atomic_fetch_add(&run->next, 1);

		if (i >= run->nr_tasks)
			return NULL;
		run->task(run->context, worker->number, i);
	}
}

void pool_run(size_t nr_tasks, unsigned nr_workers, void (*task)(void *context, unsigned worker, size_t i),
	      void *context)
{
	struct run run = { .nr_tasks = nr_tasks, .task = task, .context = context };
	struct worker workers[NR_WORKERS_MAX];
	unsigned started = 1;

	if (nr_workers > NR_WORKERS_MAX)
		nr_workers = NR_WORKERS_MAX;
	if (nr_workers > nr_tasks)
		nr_workers = (unsigned)nr_tasks;
	for (; started < nr_workers; started++) {
		workers[started] = (struct worker){ .run = &run, .number = started };
		/* Fewer threads than wanted is slower, not wrong. */
		if (pthread_create(&workers[started].thread, NULL, work, &workers[started]))
			break;
	}
	workers[0] = (struct worker){ .run = &run };
	work(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

unsigned pool_workers(void)
{
	const char *wanted = getenv("SONDE_WORKERS");
	cpu_set_t set;
	int nr = wanted ? atoi(wanted) : 0;

	if (nr <= 0)
		nr = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
	return nr < 1 ? 1 : nr > NR_WORKERS_MAX ? NR_WORKERS_MAX : (unsigned)nr;
}
