/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that the record rows of the bench profile: `deepstack FILE SECONDS THREADS DEPTH`.
 * Threads that work at the bottom of a deep stack, built with frame pointers. At its end it writes into
 * FILE what it has used of the CPU and the time, in nanoseconds, so that the recorder's own share and
 * the time from here to the recorder's exit can be told.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double seconds;
static int depth;
static volatile uint64_t sink;

static uint64_t now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

__attribute__((noinline)) static uint64_t work(uint64_t value)
{
	for (int i = 0; i < 2000; i++)
		value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9 + 1;
	return value;
}

__attribute__((noinline)) static uint64_t descend(int level, uint64_t value)
{
	uint64_t below = level ? descend(level - 1, value + 1) : work(value);

	return below ^ (uint64_t)level; /* not a tail call */
}

static void *run(void *arg)
{
	uint64_t end = now(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9), value = (uint64_t)arg;

	while (now(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 100; i++)
			value = descend(depth, value);
	sink = value;
	return NULL;
}

int main(int argc, char **argv)
{
	int nr = argc > 3 ? atoi(argv[3]) : 4;
	pthread_t threads[64];
	struct rusage usage;
	FILE *file;

	if (argc < 2 || nr < 1 || nr > 64)
		return 1;
	seconds = argc > 2 ? atof(argv[2]) : 2;
	depth = argc > 4 ? atoi(argv[4]) : 30;
	for (long i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	file = fopen(argv[1], "w");
	if (!file)
		return 1;
	getrusage(RUSAGE_SELF, &usage);
	fprintf(file, "%llu %llu\n",
		((unsigned long long)usage.ru_utime.tv_sec + (unsigned long long)usage.ru_stime.tv_sec) *
				1000000000 +
			((unsigned long long)usage.ru_utime.tv_usec +
			 (unsigned long long)usage.ru_stime.tv_usec) *
				1000,
		(unsigned long long)now(CLOCK_MONOTONIC));
	return fclose(file);
}
