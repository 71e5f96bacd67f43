/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs to be measured: small, known, and part of the binary.
 *
 * A test of a profiler needs something whose profile is known beforehand, and a user who reports a fault needs something
 * that we have too. Each workload does one thing; the functions in which its time goes are real functions with the
 * names given in its file: never inlined, cloned or optimised away (WORKLOAD_FUNCTION).
 */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <signal.h>
#include <stdint.h>

#include "base/err.h"

/* Keeps a function as it is written: callers know nothing of its inside, nor it of them. */
#if __has_attribute(noipa)
#define WORKLOAD_FUNCTION __attribute__((noinline, noipa))
#else /* clang */
#define WORKLOAD_FUNCTION __attribute__((noinline, optnone))
#endif
/* Makes a function set up its frame even when it calls nobody: compilers leave leaves without, whatever they are told. */
#define WORKLOAD_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))
/* Keeps a call from being the last thing in its function, which would make it a jump and lose a frame. */
#define WORKLOAD_NO_TAIL_CALL() __asm__ volatile("")

struct workload {
	const char *name; /* NULL ends the table */
	const char *arguments; /* "[SECONDS]": for the list */
	const char *what;
	/* Does the work. argv are the words behind the name. 0, or -errno with words. */
	int (*run)(int argc, char **argv, struct err *err);
};

extern const struct workload workloads[];

const struct workload *workload_find(const char *name); /* NULL: there is none */

/* The i-th word as seconds ("2", "0.5"), in nanoseconds; fallback when there is no such word. 0 or -EINVAL with words. */
int workload_seconds(int argc, char **argv, int i, uint64_t fallback, uint64_t *ret_duration,
		     struct err *err);
/* The i-th word as a number from 1 to max. */
int workload_count(int argc, char **argv, int i, uint64_t fallback, uint64_t max, uint64_t *ret_count,
		   struct err *err);

/* Set by the timer; the loops look at it, in all threads. */
extern volatile _Atomic sig_atomic_t workload_done;
/* Clears workload_done and has it set when the duration has passed (by SIGALRM). */
void workload_start_timer(uint64_t duration);

int workload_noploop(int argc, char **argv, struct err *err);
int workload_thloop(int argc, char **argv, struct err *err);
int workload_leafloop(int argc, char **argv, struct err *err);
int workload_sqrtloop(int argc, char **argv, struct err *err);
int workload_brstack(int argc, char **argv, struct err *err);
int workload_datasym(int argc, char **argv, struct err *err);
int workload_inlineloop(int argc, char **argv, struct err *err);
int workload_traploop(int argc, char **argv, struct err *err);
int workload_landlock(int argc, char **argv, struct err *err);
int workload_context_switch_loop(int argc, char **argv, struct err *err);
int workload_named_threads(int argc, char **argv, struct err *err);
int workload_deterministic(int argc, char **argv, struct err *err);

#endif
