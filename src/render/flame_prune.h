/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_FLAME_PRUNE_H
#define RENDER_FLAME_PRUNE_H

#include <stdint.h>

#include "render/flame_data.h"

/*
 * Which nodes a picture keeps: all that have weight, or the heaviest `budget` of them, the others
 * being merged into one "(other)" at the nearest ancestor that is kept.
 */
struct flame_prune {
	uint32_t *anchor; /* by node: itself when kept; else the kept ancestor (FLAME_ROOT: the root) that it merges at */
	uint8_t *has_other; /* by node, and [nr_nodes] for the root: some of its descendants were merged */
	uint32_t nr_kept;
	uint32_t nr_merged; /* nodes with weight that are gone */
	uint32_t nr_others; /* places where they went */
};

/* budget 0: no limit. The kept nodes and the others together stay within the budget. */
void flame_prune_init(struct flame_prune *prune, const struct flame_data *data, uint32_t budget);
void flame_prune_release(struct flame_prune *prune);

#endif
