/* SPDX-License-Identifier: Apache-2.0 */
/* The table of workloads, and reading their arguments. */
#include "workload/workload.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "base/clock.h"
#include "base/number.h"

volatile _Atomic sig_atomic_t workload_done;

const struct workload workloads[] = {
	{ "noploop", "[SECONDS]", "spin in one function", workload_noploop },
	{ "thloop", "[SECONDS [THREADS]]", "spin in several threads", workload_thloop },
	{ "leafloop", "[SECONDS]", "spin in a leaf function below two callers", workload_leafloop },
	{ "sqrtloop", "[SECONDS]", "take square roots in a child process", workload_sqrtloop },
	{ "brstack", "[LOOPS]", "calls, returns, jumps of every kind", workload_brstack },
	{ "datasym", "[SECONDS]", "write to two fields of a global variable", workload_datasym },
	{ "inlineloop", "[SECONDS]", "spin in a function that is inlined into two others",
	  workload_inlineloop },
	{ "traploop", "[LOOPS]", "instructions that trap into the kernel", workload_traploop },
	{ "landlock", "", "two system calls with structs as arguments", workload_landlock },
	{ "context_switch_loop", "[LOOPS]", "two processes that wait for each other",
	  workload_context_switch_loop },
	{ "named_threads", "[THREADS [LOOPS]]", "threads with names, each in a function of its own",
	  workload_named_threads },
	{ "deterministic", "[LOOPS]", "three functions with 60, 30 and 10 percent of the instructions",
	  workload_deterministic },
	{ NULL, NULL, NULL, NULL },
};

const struct workload *workload_find(const char *name)
{
	for (const struct workload *workload = workloads; workload->name; workload++)
		if (!strcmp(workload->name, name))
			return workload;
	return NULL;
}

int workload_seconds(int argc, char **argv, int i, uint64_t fallback, uint64_t *ret_duration, struct err *err)
{
	*ret_duration = fallback;
	if (i >= argc)
		return 0;
	if (number_parse_duration(argv[i], NSEC_PER_SEC, ret_duration) || *ret_duration < 1000)
		return err_set(err, -EINVAL, "'%s' is no number of seconds", argv[i]);
	return 0;
}

int workload_count(int argc, char **argv, int i, uint64_t fallback, uint64_t max, uint64_t *ret_count,
		   struct err *err)
{
	*ret_count = fallback;
	if (i >= argc)
		return 0;
	if (number_parse_u64(argv[i], ret_count) || *ret_count < 1 || *ret_count > max)
		return err_set(err, -EINVAL, "'%s' is no number from 1 to %llu", argv[i],
			       (unsigned long long)max);
	return 0;
}

#ifdef __SANITIZE_THREAD__

/* The thread sanitizer keeps signals back until the next call into it, which a loop never makes: a thread of its own then. */
static void *sleep_then_set_done(void *context)
{
	struct timespec duration = { .tv_sec = (time_t)((uintptr_t)context / NSEC_PER_SEC),
				     .tv_nsec = (long)((uintptr_t)context % NSEC_PER_SEC) };

	while (nanosleep(&duration, &duration) && errno == EINTR)
		;
	workload_done = 1;
	return NULL;
}

void workload_start_timer(uint64_t duration)
{
	pthread_t thread;

	workload_done = 0;
	if (!pthread_create(&thread, NULL, sleep_then_set_done, (void *)(uintptr_t)duration))
		pthread_detach(thread);
}

#else

static void set_done(int signal_number)
{
	(void)signal_number;
	workload_done = 1;
}

void workload_start_timer(uint64_t duration)
{
	struct sigaction action = { .sa_handler = set_done, .sa_flags = SA_RESTART };
	struct itimerval timer = {
		.it_value = { (time_t)(duration / NSEC_PER_SEC),
			      (suseconds_t)(duration % NSEC_PER_SEC / 1000) },
	};

	workload_done = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

#endif
