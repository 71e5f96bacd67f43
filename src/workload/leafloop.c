/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leafloop: `leafloop` calls `parent`, which calls `leaf`, where all time goes. The leaf calls
 * nobody, so that on machines with a link register its caller is not on the stack: the frame an unwinder loses first.
 */
#include "base/clock.h"
#include "workload/workload.h"

WORKLOAD_FUNCTION static void leaf(volatile unsigned *count)
{
	WORKLOAD_FRAME();
	while (!workload_done)
		++*count;
}

WORKLOAD_FUNCTION static void parent(volatile unsigned *count)
{
	WORKLOAD_FRAME();
	leaf(count);
	WORKLOAD_NO_TAIL_CALL();
}

WORKLOAD_FUNCTION static void leafloop(void)
{
	volatile unsigned count = 0;

	WORKLOAD_FRAME();
	parent(&count);
	WORKLOAD_NO_TAIL_CALL();
}

int workload_leafloop(int argc, char **argv, struct err *err)
{
	uint64_t duration;
	int ret = workload_seconds(argc, argv, 0, NSEC_PER_SEC, &duration, err);

	if (ret < 0)
		return ret;
	workload_start_timer(duration);
	leafloop();
	return 0;
}
