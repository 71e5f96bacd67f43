/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traploop: `traploop` executes an instruction that the processor hands to the kernel, over and over: into the kernel and
 * back without a system call. arm64: a read of an ID register, which the kernel answers in the program's place. Elsewhere:
 * an undefined instruction, which the kernel turns into a SIGILL, whose handler steps over it.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#include "workload/workload.h"

#if defined(__aarch64__)

static bool prepare(void)
{
	return true;
}

static inline void trap(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, ID_AA64ISAR0_EL1" : "=r"(value));
	(void)value;
}

#elif defined(__x86_64__)

static void step_over(int signal_number, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signal_number;
	(void)info;
	user->uc_mcontext.gregs[REG_RIP] += 2; /* ud2 is 0f 0b */
}

static bool prepare(void)
{
	struct sigaction action = { .sa_sigaction = step_over, .sa_flags = SA_SIGINFO };

	return !sigaction(SIGILL, &action, NULL);
}

static inline void trap(void)
{
	__asm__ volatile("ud2" ::: "memory");
}

#else

static bool prepare(void)
{
	return false;
}

static inline void trap(void)
{
}

#endif

WORKLOAD_FUNCTION static void traploop(uint64_t loops)
{
	WORKLOAD_FRAME();
	for (uint64_t i = 0; i < loops; i++)
		trap();
}

int workload_traploop(int argc, char **argv, struct err *err)
{
	uint64_t loops;
	int ret = workload_count(argc, argv, 0, 10000, UINT64_MAX, &loops, err);

	if (ret < 0)
		return ret;
	if (!prepare())
		return err_set(err, -EOPNOTSUPP, "this processor has no instruction for it");
	traploop(loops);
	return 0;
}
