/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_SNAPSHOT_H
#define CAPTURE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "record/sink.h"

/*
 * What is there when recording begins, as the records that the kernel would have written had it been asked in
 * time: the kernel's text, modules, BPF programs, cgroups, and the threads and mappings of processes.
 *
 * The records have an all-zero sample_id trailer (time 0: before everything) and are pushed in spans of some
 * hundred KiB. What disappears while it is being described is left out: that is no error.
 */
struct snapshot_options {
	size_t trailer_size; /* bytes of sample_id that non-samples of this recording end with; 0: none */
	bool build_ids; /* MMAP2 with the build-id instead of device and inode */
	bool data_mappings; /* mappings that are not executable, too */
	bool namespaces;
	bool kernel_mmap2; /* the kernel's text as MMAP2 with build-id (perf 6.10 on reads it); else MMAP */
	/*
	 * The build-id of a file, or, for "/sys/kernel/notes", out of its notes: returns its size (at most 20), 0 when there
	 * is none. NULL: no build-ids. (A function, because capture knows nothing of ELF.)
	 */
	uint8_t (*read_build_id)(void *context, const char *path, uint8_t build_id[20]);
	void *context;
};

struct snapshot;

struct snapshot *snapshot_new(const struct snapshot_options *options, struct record_sink *sink);
void snapshot_free(struct snapshot *snapshot);

/* The kernel's text and modules. 0, or -errno with words: -EPERM when addresses are hidden (kptr_restrict), so that
 * kernel addresses will have no names; nothing was pushed then. */
int snapshot_kernel(struct snapshot *snapshot, struct err *err);
/* Loaded BPF programs. 0 also when this user may not see them; -errno of the sink. */
int snapshot_bpf(struct snapshot *snapshot, struct err *err);
/* All cgroups of the unified hierarchy below its mount point. */
int snapshot_cgroups(struct snapshot *snapshot, const char *mount_point, struct err *err);
/* One process: its threads, comms and mappings. 0 also when it is gone. */
int snapshot_process(struct snapshot *snapshot, pid_t pid, struct err *err);
/* One thread with its process's mappings. */
int snapshot_thread(struct snapshot *snapshot, pid_t pid, pid_t tid, struct err *err);
/* Every process that /proc shows. */
int snapshot_all_processes(struct snapshot *snapshot, struct err *err);
/* Pushes what is still held back; the other functions may hold some. */
int snapshot_flush(struct snapshot *snapshot, struct err *err);

#endif
