/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>

/*
 * Runs task(context, worker, i) for every i in [0, nr_tasks), handing out the i in rising order to
 * nr_workers threads (the caller is worker 0). Returns when all are done. Tasks of one worker never
 * overlap, so per-worker tables need no locks.
 */
void pool_run(size_t nr_tasks, unsigned nr_workers, void (*task)(void *context, unsigned worker, size_t i),
	      void *context);
/* Workers that this process may use: the CPUs of its affinity mask, at most 64; SONDE_WORKERS=N overrides. */
unsigned pool_workers(void);

#endif
