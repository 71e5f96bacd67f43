/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_PARALLELISM_H
#define PROFILE_PARALLELISM_H

#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"

/* How many of the recorded tasks were running at a time, from SWITCH and EXIT records. */
struct parallelism;

struct parallelism *parallelism_new(void);
void parallelism_free(struct parallelism *parallelism);
/* A task begins to run, or no longer does; in any order. Task 0 is the idle one and does not count. */
void parallelism_add(struct parallelism *parallelism, int32_t tid, uint64_t time, bool is_running);
/* After the last add. */
void parallelism_finish(struct parallelism *parallelism);
/* At least 1. */
uint32_t parallelism_at(const struct parallelism *parallelism, uint64_t time);

#endif
