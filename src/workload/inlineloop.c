/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inlineloop: all time at one address of the function `inlineloop`, where the debug information says
 * inlineloop_leaf, inlined into inlineloop_middle, inlined into inlineloop.
 */
#include "base/clock.h"
#include "workload/workload.h"

#define INLINED inline __attribute__((always_inline))

static volatile unsigned inlineloop_count;

static INLINED void inlineloop_leaf(unsigned step)
{
	while (!workload_done)
		inlineloop_count += step;
}

static INLINED void inlineloop_middle(unsigned step)
{
	inlineloop_leaf(step);
}

WORKLOAD_FUNCTION static void inlineloop(unsigned step)
{
	WORKLOAD_FRAME();
	inlineloop_middle(step);
}

int workload_inlineloop(int argc, char **argv, struct err *err)
{
	uint64_t duration;
	int ret = workload_seconds(argc, argv, 0, NSEC_PER_SEC, &duration, err);

	if (ret < 0)
		return ret;
	workload_start_timer(duration);
	inlineloop(1);
	return 0;
}
