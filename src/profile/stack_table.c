/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/stack_table.h"

void stack_table_init(struct stack_table *table)
{
	*table = (struct stack_table){ 0 };
	hash_index_init(&table->index, 4096);
	array_push(&table->rows, (struct stack){ 0, 0 });
}

void stack_table_release(struct stack_table *table)
{
	hash_index_release(&table->index);
	array_release(&table->rows);
}

uint32_t stack_table_add(struct stack_table *table, uint32_t parent, uint32_t frame, uint64_t hash)
{
	uint32_t id = (uint32_t)table->rows.nr;

	array_push(&table->rows, (struct stack){ parent, frame });
	hash_index_insert(&table->index, hash, id);
	return id;
}
