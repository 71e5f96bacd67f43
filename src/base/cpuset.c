/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cpuset.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

int cpuset_parse(const char *text, struct cpuset *ret_set, struct err *err)
{
	const char *pos = text;

	*ret_set = (struct cpuset){ 0 };
	for (;;) {
		char *end;
		unsigned long first, last;

		if (*pos < '0' || *pos > '9')
			break;
		first = last = strtoul(pos, &end, 10);
		pos = end;
		if (*pos == '-') {
			if (pos[1] < '0' || pos[1] > '9')
				break;
			last = strtoul(pos + 1, &end, 10);
			pos = end;
		}
		if (last < first || last >= CPUSET_MAX)
			break;
		for (; first <= last; first++)
			cpuset_add(ret_set, (uint32_t)first);
		if (*pos == '\0')
			return 0;
		if (*pos++ != ',')
			break;
	}
	return err_set(err, -EINVAL, "'%s' is not a list of CPUs (like 0-3,8)", text);
}

void cpuset_online(struct cpuset *ret_set)
{
	char text[4096];

	if (file_read_line("/sys/devices/system/cpu/online", text, sizeof(text)) > 0 &&
	    !cpuset_parse(text, ret_set, NULL))
		return;
	*ret_set = (struct cpuset){ 0 };
	for (long i = 0, nr = sysconf(_SC_NPROCESSORS_ONLN); i < nr; i++)
		cpuset_add(ret_set, (uint32_t)i);
}

unsigned cpuset_count(const struct cpuset *set)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < CPUSET_MAX / 64; i++)
		nr += (unsigned)__builtin_popcountll(set->bits[i]);
	return nr;
}

int cpuset_next(const struct cpuset *set, int cpu)
{
	while (cpu < CPUSET_MAX) {
		uint64_t rest = set->bits[cpu / 64] >> (cpu % 64);

		if (rest)
			return cpu + __builtin_ctzll(rest);
		cpu = (cpu / 64 + 1) * 64;
	}
	return -1;
}

void cpuset_print(const struct cpuset *set, struct buf *buf)
{
	bool first = true;

	for (int cpu = cpuset_next(set, 0); cpu >= 0; cpu = cpuset_next(set, cpu + 1)) {
		int last = cpu;

		while (last + 1 < CPUSET_MAX && cpuset_has(set, (uint32_t)last + 1))
			last++;
		if (!first)
			buf_putc(buf, ',');
		first = false;
		buf_i64(buf, cpu);
		if (last > cpu) {
			buf_putc(buf, '-');
			buf_i64(buf, last);
		}
		cpu = last;
	}
}
