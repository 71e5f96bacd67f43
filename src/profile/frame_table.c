/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/frame_table.h"

void frame_table_init(struct frame_table *table)
{
	*table = (struct frame_table){ 0 };
	hash_index_init(&table->index, 1024);
	frame_table_intern(table, &(struct frame){ .symbol = SYMBOL_NONE });
}

void frame_table_release(struct frame_table *table)
{
	hash_index_release(&table->index);
	array_release(&table->rows);
}

uint32_t frame_table_intern(struct frame_table *table, const struct frame *frame)
{
	uint64_t hash = hash_pair(frame->offset,
				  (uint64_t)frame->dso << 32 | (frame->symbol ^ frame->mode << 24));
	uint32_t pos = hash_index_start(&table->index, hash), id;

	while ((id = hash_index_next(&table->index, hash, &pos)) != HASH_NONE) {
		const struct frame *row = &table->rows.items[id];

		if (row->offset == frame->offset && row->dso == frame->dso && row->symbol == frame->symbol &&
		    row->mode == frame->mode)
			return id;
	}
	id = (uint32_t)table->rows.nr;
	array_push(&table->rows, *frame);
	hash_index_insert(&table->index, hash, id);
	return id;
}
