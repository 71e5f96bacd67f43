/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_FRAME_TABLE_H
#define PROFILE_FRAME_TABLE_H

#include <stdint.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/profile.h"

/* Frames, interned. Id 0 is the unknown frame (dso 0, address 0, unknown mode). */
struct frame_table {
	struct hash_index index;
	ARRAY(struct frame) rows;
};

void frame_table_init(struct frame_table *table);
void frame_table_release(struct frame_table *table);
uint32_t frame_table_intern(struct frame_table *table, const struct frame *frame);

#endif
