/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control groups, to scope per-CPU counters.
 *
 * A command that is launched gets a cgroup of its own for as long as it is measured, a child of the one that this
 * process is in, so that limits and accounting stay as they are. Its name holds our pid, start time and pid namespace: one that a
 * killed run has left behind is recognised by the next run, which removes it. Where to look for those is noted in
 * a directory of the run time file system, one link for each cgroup that lives.
 */
#ifndef CAPTURE_CGROUP_H
#define CAPTURE_CGROUP_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct cgroup {
	int fd; /* the directory, for PERF_FLAG_PID_CGROUP and CLONE_INTO_CGROUP; -1: none */
	char path[1024]; /* empty: not ours to remove */
	char parent[1024];
	char note[256]; /* the link that says where it is; empty: could not be written */
};

#define CGROUP_NONE ((struct cgroup){ .fd = -1 })

/* A new, empty cgroup of the unified hierarchy. 0 or -errno: no such hierarchy, not allowed. */
int cgroup_create(struct cgroup *ret_cgroup);
/*
 * Moves what is still in it to its parent, removes it and closes fd. 0 or -errno. Takes one that was not created.
 */
int cgroup_remove(struct cgroup *cgroup);
/* Removes what killed runs have left behind. Returns how many. */
unsigned cgroup_sweep(void);
/* Opens one that exists by its path in the hierarchy ("user.slice", "/docker/ID") for counters: fd or -errno with words. */
int cgroup_open_named(const char *name, struct err *err);
/* Writes pid into path/cgroup.procs. */
int cgroup_move(const char *path, pid_t pid);
/* Where the unified hierarchy is mounted; with perf_event in a v1 hierarchy: that one (for cgroup_open_named). */
int cgroup_find_mount(char *ret_path, size_t size, int *ret_version);
/* The path of a process's cgroup in the unified hierarchy, "/" at least. 0 or -errno. */
int cgroup_of_process(pid_t pid, char *ret_path, size_t size);

#endif
