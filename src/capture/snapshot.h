/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is there already when a recording begins, told as records: the kernel, its modules and BPF programs, processes
 * with their threads and mappings, cgroups. As the kernel would have told it, had we listened since boot; all
 * with time 0, so that it comes before everything else.
 *
 * Processes may go while they are described: what cannot be read any more is left out.
 */
#ifndef CAPTURE_SNAPSHOT_H
#define CAPTURE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "capture/counter.h"
#include "capture/target.h"
#include "record/record.h"
#include "record/sink.h"

#define SNAPSHOT_BUILD_ID_MAX 20

struct snapshot {
	struct record_sink *sink;
	size_t trailer_size; /* of sample_id in all records but those of user space; see record_trailer_size */
	bool data_mmaps; /* mappings that are not executable, too */
	bool build_ids; /* in MMAP2 */
	bool namespaces, bpf, cgroups;
	bool tasks_only; /* of processes no mappings */
	uint64_t process_timeout; /* nanoseconds that the mappings of one process may take; 0: no limit */
	/* The build-id of an object file: its size, 0 or -errno when it has none. NULL: where the kernel does not say, none. */
	int (*read_build_id)(const char *path, uint8_t ret_build_id[SNAPSHOT_BUILD_ID_MAX]);
	/* Told of each mapping. NULL: not wanted. */
	void (*mapped)(void *context, const struct record_header *raw);
	void *mapped_context;
	/* The rest is the snapshot's own. */
	struct buf buf;
	struct snapshot_files *files; /* build-ids of files read so far */
	size_t record_start;
	int error;
	struct err *err;
};

/* Fill in the open fields of a zeroed struct, then begin; after the parts, end. Parts return 0 or -errno with words. */
void snapshot_begin(struct snapshot *snapshot, struct err *err);
/* Hands the rest to the sink. 0, or the first failure of the sink since begin. */
int snapshot_end(struct snapshot *snapshot);

/* ID_INDEX: which counter has which id. */
void snapshot_ids(struct snapshot *snapshot, const struct counter_set *set);
/* THREAD_MAP and CPU_MAP: what is recorded. */
void snapshot_target(struct snapshot *snapshot, const struct target *target);
/* The kernel's text and its modules. */
void snapshot_kernel(struct snapshot *snapshot);
/* KSYMBOL and BPF_EVENT of the BPF programs that are loaded; silent without the right to see them. */
void snapshot_bpf(struct snapshot *snapshot);
/* CGROUP: the tree of cgroups. */
void snapshot_cgroups(struct snapshot *snapshot);
/* All processes of the machine, with their parents. */
void snapshot_all_processes(struct snapshot *snapshot);
/* The threads and mappings of the target's processes. */
void snapshot_processes(struct snapshot *snapshot, const struct target *target);
/* The name that the launched command has until its exec. */
void snapshot_command(struct snapshot *snapshot, pid_t pid, const char *comm);
/* LOST_SAMPLES of an event: what its counters missed, by its id. */
void snapshot_lost(struct snapshot *snapshot, const struct event_attr *attr, uint64_t id, uint64_t lost);
/* FINISHED_INIT: this was the snapshot. */
void snapshot_finished(struct snapshot *snapshot);

/* ---- for the parts ---- */

/* A record of a type; its body is put into snapshot->buf; end pads it, adds the trailer and its size. */
void snapshot_record_begin(struct snapshot *snapshot, uint32_t type, uint16_t misc);
void snapshot_record_end(struct snapshot *snapshot);
void snapshot_put_u16(struct snapshot *snapshot, uint16_t value);
void snapshot_put_u32(struct snapshot *snapshot, uint32_t value);
void snapshot_put_u64(struct snapshot *snapshot, uint64_t value);
/* With its NUL, padded to a multiple of 8. */
void snapshot_put_string(struct snapshot *snapshot, const char *text);

struct snapshot_mapping {
	int32_t pid, tid;
	uint16_t cpumode; /* RECORD_CPUMODE_* */
	uint64_t addr, length, pgoff;
	uint32_t major, minor;
	uint64_t inode;
	uint32_t prot, flags;
	uint8_t build_id_size; /* 0: none */
	uint8_t build_id[SNAPSHOT_BUILD_ID_MAX];
	const char *path;
};

void snapshot_mapping(struct snapshot *snapshot, const struct snapshot_mapping *mapping);
/* The GNU build-id among the notes of a file like /sys/kernel/notes. Its size; 0: none. */
uint8_t snapshot_note_build_id(const char *path, uint8_t ret_build_id[SNAPSHOT_BUILD_ID_MAX]);

#endif
