/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock: `landlock` calls landlock_add_rule(2) twice, with the two kinds of rule, to descriptors that are none. The
 * calls fail, and what they were given is known: {allowed_access: 4 (read file), parent_fd: 14} as a rule for paths (1),
 * {allowed_access: 2 (connect by TCP), port: 19} as a rule for ports (2), ruleset 11, flags 45. For tracers that
 * show structs behind pointers.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload/workload.h"

#ifndef SYS_landlock_add_rule
#define SYS_landlock_add_rule 445
#endif

/* As in linux/landlock.h, whose older versions do not have all of it. */
struct path_beneath_rule {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

struct net_port_rule {
	uint64_t allowed_access;
	uint64_t port;
};

WORKLOAD_FUNCTION static void landlock(void)
{
	struct path_beneath_rule path = { .allowed_access = 1 << 2, .parent_fd = 14 };
	struct net_port_rule port = { .allowed_access = 1 << 1, .port = 19 };

	syscall(SYS_landlock_add_rule, 11, 1, &path, 45);
	syscall(SYS_landlock_add_rule, 11, 2, &port, 45);
}

int workload_landlock(int argc, char **argv, struct err *err)
{
	if (argc)
		return err_set(err, -EINVAL, "takes no arguments, not '%s'", argv[0]);
	landlock();
	return 0;
}
