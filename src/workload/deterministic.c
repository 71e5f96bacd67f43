/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deterministic: three functions with known shares of the instructions, whatever the machine: each loop runs
 * `deterministic_60`, `deterministic_30` and `deterministic_10`, which count to 6,000, 3,000 and 1,000 with the same
 * instructions. There is no timer, no input and no system call between the first loop and the last.
 */
#include "workload/workload.h"

/* The same code in all three, by asking the compiler for nothing but a loop around an empty statement. */
#define DEFINE_SHARE(percent) \
	WORKLOAD_FUNCTION static void deterministic_##percent(void) \
	{ \
		WORKLOAD_FRAME(); \
		for (unsigned i = 0; i < percent * 100; i++) \
			__asm__ volatile("" : "+r"(i)); \
	}
DEFINE_SHARE(60)
DEFINE_SHARE(30)
DEFINE_SHARE(10)

WORKLOAD_FUNCTION static void deterministic(uint64_t loops)
{
	WORKLOAD_FRAME();
	for (uint64_t i = 0; i < loops; i++) {
		deterministic_60();
		deterministic_30();
		deterministic_10();
	}
}

int workload_deterministic(int argc, char **argv, struct err *err)
{
	uint64_t loops;
	int ret = workload_count(argc, argv, 0, 10000, UINT64_MAX, &loops, err);

	if (ret < 0)
		return ret;
	deterministic(loops);
	return 0;
}
