/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a recording and what they had mapped, as the records say it and no more: for listings of
 * the records themselves (report --tasks, --mmaps, -D). Samples are resolved by the machine of the model floor.
 */
#ifndef RECORD_RECORD_TASKS_H
#define RECORD_RECORD_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "record/record.h"

struct record_tasks;

struct record_tasks *record_tasks_new(void);
void record_tasks_free(struct record_tasks *tasks);
/* COMM, FORK, MMAP and MMAP2 records, in the order of time; others are ignored. */
void record_tasks_apply(struct record_tasks *tasks, const struct record *record);
/* The name of a task; NULL: unknown. Valid until the next apply. */
const char *record_tasks_comm(const struct record_tasks *tasks, int32_t tid);
struct record_place {
	const char *path;
	uint8_t build_id_size; /* 0: the record had none */
	const uint8_t *build_id;
};

/* What is mapped at addr in the process, or in the kernel when is_kernel. false: nothing. Valid until the next apply. */
bool record_tasks_place(const struct record_tasks *tasks, int32_t pid, uint64_t addr, bool is_kernel,
			struct record_place *ret_place);
/* Makes the task known under the pid (a sample was seen). */
void record_tasks_add(struct record_tasks *tasks, int32_t pid, int32_t tid);
/* The tree, as `report --tasks` prints it; with the mappings below each task: --mmaps. */
void record_tasks_print(const struct record_tasks *tasks, bool with_maps, struct buf *buf);

#endif
