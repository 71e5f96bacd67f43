/* SPDX-License-Identifier: Apache-2.0 */
/*
 * datasym: `datasym` writes to the global variable `datasym_buffer`, 63 times to .first for each time to .second, which
 * lies on another cache line: for samples with data addresses.
 */
#include "base/clock.h"
#include "workload/workload.h"

struct datasym_buffer {
	volatile unsigned first;
	char between[124];
	volatile unsigned second;
};

/* Not static: a symbol that every tool sees. */
extern struct datasym_buffer datasym_buffer;
struct datasym_buffer datasym_buffer __attribute__((aligned(64)));

WORKLOAD_FUNCTION static void datasym(void)
{
	WORKLOAD_FRAME();
	while (!workload_done) {
		datasym_buffer.first++;
		if (datasym_buffer.first % 64 == 0)
			datasym_buffer.second++;
	}
}

int workload_datasym(int argc, char **argv, struct err *err)
{
	uint64_t duration;
	int ret = workload_seconds(argc, argv, 0, NSEC_PER_SEC, &duration, err);

	if (ret < 0)
		return ret;
	workload_start_timer(duration);
	datasym();
	return 0;
}
