/* SPDX-License-Identifier: Apache-2.0 */
/* noploop: all time in the one function `noploop`, called from nowhere interesting. */
#include "base/clock.h"
#include "workload/workload.h"

WORKLOAD_FUNCTION static void noploop(void)
{
	WORKLOAD_FRAME();
	while (!workload_done)
		;
}

int workload_noploop(int argc, char **argv, struct err *err)
{
	uint64_t duration;
	int ret = workload_seconds(argc, argv, 0, NSEC_PER_SEC, &duration, err);

	if (ret < 0)
		return ret;
	workload_start_timer(duration);
	noploop();
	WORKLOAD_NO_TAIL_CALL();
	return 0;
}
