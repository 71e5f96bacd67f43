/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_PERFMAP_H
#define SYMBOL_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct symtab;

/* The table of a perf-PID.map's text, which is not kept; never fails: damaged lines are skipped and counted. */
struct symtab *perfmap_parse(struct span text, size_t *ret_nr_damaged);
/* The pid that a process has in its own pid namespace, which its map file is named after; pid itself when unknown. */
int32_t perfmap_inner_pid(int32_t pid);

#endif
