/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_STACK_TABLE_H
#define PROFILE_STACK_TABLE_H

#include <stdint.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/profile.h"

/*
 * Stacks, interned as (parent stack, frame): one node for every distinct prefix from the root. Node 0 is
 * the empty stack. A parent's id is smaller than its children's.
 */
struct stack_table {
	struct hash_index index;
	ARRAY(struct stack) rows;
};

void stack_table_init(struct stack_table *table);
void stack_table_release(struct stack_table *table);
uint32_t stack_table_add(struct stack_table *table, uint32_t parent, uint32_t frame, uint64_t hash);

/* The stack that has `frame` on top of `parent`: found or added. */
static inline uint32_t stack_table_push(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	uint64_t hash = hash_u64((uint64_t)parent << 32 | frame);
	uint32_t pos = hash_index_start(&table->index, hash), id;

	while ((id = hash_index_next(&table->index, hash, &pos)) != HASH_NONE) {
		const struct stack *row = &table->rows.items[id];

		if (row->parent == parent && row->frame == frame)
			return id;
	}
	return stack_table_add(table, parent, frame, hash);
}

#endif
