/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/parallelism.h"

#include <stdlib.h>

#include "base/array.h"

struct change {
	uint64_t time;
	int32_t tid;
	int32_t running; /* what the record says, 0 or 1; then +1 or -1; at last the number from this time on */
	uint32_t order; /* keeps equal times in file order */
};

struct parallelism {
	ARRAY(struct change) changes;
};

struct parallelism *parallelism_new(void)
{
	return xcalloc(1, sizeof(struct parallelism));
}

void parallelism_free(struct parallelism *parallelism)
{
	if (!parallelism)
		return;
	array_release(&parallelism->changes);
	free(parallelism);
}

void parallelism_add(struct parallelism *parallelism, int32_t tid, uint64_t time, bool is_running)
{
	if (tid)
		array_push(&parallelism->changes,
			   (struct change){ time, tid, is_running, (uint32_t)parallelism->changes.nr });
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return compare_changes(a, b);
}

/* A record that says what is so already changes nothing: tasks that ran before the recording began, exits. */
static void find_steps(struct parallelism *parallelism)
{
	bool is_running = false;

	for (size_t i = 0; i < parallelism->changes.nr; i++) {
		struct change *change = &parallelism->changes.items[i];

		if (!i || change->tid != change[-1].tid)
			is_running = false;
		if (change->running == is_running) {
			change->running = 0;
			continue;
		}
		is_running = change->running;
		change->running = is_running ? 1 : -1;
	}
}

void parallelism_finish(struct parallelism *parallelism)
{
	int32_t running = 0;

	if (!parallelism->changes.nr)
		return;
	qsort(parallelism->changes.items, parallelism->changes.nr, sizeof(struct change), compare_tasks);
	find_steps(parallelism);
	qsort(parallelism->changes.items, parallelism->changes.nr, sizeof(struct change), compare_changes);
	for (size_t i = 0; i < parallelism->changes.nr; i++) {
		running += parallelism->changes.items[i].running;
		parallelism->changes.items[i].running = running;
	}
}

uint32_t parallelism_at(const struct parallelism *parallelism, uint64_t time)
{
	size_t low = 0, high = parallelism->changes.nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (parallelism->changes.items[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || parallelism->changes.items[low - 1].running < 1)
		return 1;
	return (uint32_t)parallelism->changes.items[low - 1].running;
}
