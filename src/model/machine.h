/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that was profiled, as a history.
 *
 * Side-band records are applied in time order; each leaves a dated entry: which comm a thread had from
 * when on, which address space a process, which mapping an address. After that "what was at address A of
 * process P at time T" can be asked in any order and from any number of threads at once, as long as
 * nobody applies records meanwhile. (Streaming consumers alternate: apply, ask, apply, ask.)
 *
 * There are no process objects: a pid has a time line of address spaces (fork copies, exec replaces), a tid has a
 * time line of comms. Reused pids are just later entries.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "model/dso.h"
#include "record/record.h"

struct machine;

/* An address space: what a pid has between exec and exec. 0 is none (unknown process). */
struct space_id {
	uint32_t v;
};

/* Where code was running. The values are those of RECORD_CPUMODE_*. */
enum machine_mode {
	MACHINE_MODE_UNKNOWN = RECORD_CPUMODE_UNKNOWN,
	MACHINE_MODE_KERNEL = RECORD_CPUMODE_KERNEL,
	MACHINE_MODE_USER = RECORD_CPUMODE_USER,
	MACHINE_MODE_HYPERVISOR = RECORD_CPUMODE_HYPERVISOR,
	MACHINE_MODE_GUEST_KERNEL = RECORD_CPUMODE_GUEST_KERNEL,
	MACHINE_MODE_GUEST_USER = RECORD_CPUMODE_GUEST_USER,
};

struct location {
	struct dso_id dso; /* 0: in no mapping; offset is then the address */
	uint64_t offset; /* see enum dso_kind */
	uint64_t map_start; /* of the mapping; 0: none */
	bool is_stable; /* the same for every time of asking: may be cached by (space, address) */
};

struct machine *machine_new(void);
void machine_free(struct machine *machine);

/* Applies one decoded side-band record (others are ignored). Records come in time order; RECORD_NO_TIME counts as 0. */
void machine_apply(struct machine *machine, const struct record *record);

/* The comm of a thread at a time; the empty string (id 0) when nothing is known: perf shows ":TID" then. */
struct str_id machine_comm_at(const struct machine *machine, int32_t tid, uint64_t time);
/* The address space of a process at a time. */
struct space_id machine_space_at(const struct machine *machine, int32_t pid, uint64_t time);
/*
 * Both facts with the span of time [from, until) in which they hold, for callers that see many samples of a thread.
 */
struct machine_thread {
	struct str_id comm;
	struct space_id space;
	uint64_t from, until;
};
struct machine_thread machine_thread_at(const struct machine *machine, int32_t pid, int32_t tid,
					uint64_t time);
/* Finds what is at addr; false (and dso 0) when nothing is known there. */
bool machine_find(struct machine *machine, struct space_id space, enum machine_mode mode, uint64_t addr,
		  uint64_t time, struct location *ret_location);
/* The path of a cgroup id; NULL: unknown. */
const char *machine_cgroup(const struct machine *machine, uint64_t id);
/* The parent's pid as FORK said; -1: unknown. */
int32_t machine_parent_pid(const struct machine *machine, int32_t pid);

uint32_t machine_nr_dsos(const struct machine *machine);
const struct dso *machine_dso(const struct machine *machine, struct dso_id id);
/* The build-id from elsewhere (header feature, HEADER_BUILD_ID records) for DSOs that have none. */
void machine_set_build_id(struct machine *machine, const char *path, const uint8_t *build_id, uint8_t size);
const struct intern *machine_strings(const struct machine *machine);

#endif
