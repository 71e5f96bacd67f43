/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brstack: branches of every kind in a known order, for records of branches: `brstack_bench` makes direct calls, an
 * indirect call, conditional jumps taken and not, and a jump back; `brstack_foo` calls `brstack_bar`, both return.
 */
#include "workload/workload.h"

static volatile unsigned brstack_count;

WORKLOAD_FUNCTION static void brstack_bar(void)
{
	WORKLOAD_FRAME();
	brstack_count++;
}

WORKLOAD_FUNCTION static void brstack_foo(void)
{
	WORKLOAD_FRAME();
	brstack_bar();
	WORKLOAD_NO_TAIL_CALL();
}

WORKLOAD_FUNCTION static void brstack_bench(void)
{
	void (*volatile indirect)(void) = brstack_foo;

	WORKLOAD_FRAME();
	if (brstack_count & 1)
		brstack_bar();
	brstack_foo();
	indirect();
	WORKLOAD_NO_TAIL_CALL();
}

int workload_brstack(int argc, char **argv, struct err *err)
{
	uint64_t loops;
	int ret = workload_count(argc, argv, 0, 1000000, UINT64_MAX, &loops, err);

	if (ret < 0)
		return ret;
	for (uint64_t i = 0; i < loops; i++)
		brstack_bench();
	return 0;
}
