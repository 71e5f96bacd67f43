/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/row_table.h"

#include <string.h>

void row_table_init(struct row_table *table)
{
	*table = (struct row_table){ 0 };
	hash_index_init(&table->index, 1024);
}

void row_table_release(struct row_table *table)
{
	hash_index_release(&table->index);
	array_release(&table->rows);
}

void row_table_add(struct row_table *table, const struct profile_row *row)
{
	uint64_t hash = hash_pair((uint64_t)row->stack << 32 | row->self,
				  ((uint64_t)row->thread << 32 | row->extra) + row->event * HASH_K2);
	uint32_t pos = hash_index_start(&table->index, hash), id;

	while ((id = hash_index_next(&table->index, hash, &pos)) != HASH_NONE) {
		struct profile_row *old = &table->rows.items[id];

		if (old->stack != row->stack || old->self != row->self || old->thread != row->thread ||
		    old->extra != row->extra || old->event != row->event)
			continue;
		old->nr_samples += row->nr_samples;
		old->period += row->period;
		return;
	}
	hash_index_insert(&table->index, hash, (uint32_t)table->rows.nr);
	array_push(&table->rows, *row);
}

void thread_table_init(struct thread_table *table)
{
	*table = (struct thread_table){ 0 };
	hash_index_init(&table->index, 64);
}

void thread_table_release(struct thread_table *table)
{
	hash_index_release(&table->index);
	array_release(&table->rows);
}

uint32_t thread_table_intern(struct thread_table *table, const struct profile_thread *thread)
{
	uint64_t hash = hash_pair((uint64_t)(uint32_t)thread->pid << 32 | (uint32_t)thread->tid, thread->comm.v);
	uint32_t pos = hash_index_start(&table->index, hash), id;

	while ((id = hash_index_next(&table->index, hash, &pos)) != HASH_NONE) {
		const struct profile_thread *row = &table->rows.items[id];

		if (row->pid == thread->pid && row->tid == thread->tid && row->comm.v == thread->comm.v)
			return id;
	}
	id = (uint32_t)table->rows.nr;
	array_push(&table->rows, *thread);
	hash_index_insert(&table->index, hash, id);
	return id;
}

void extra_table_init(struct extra_table *table, unsigned nr_columns)
{
	static const uint64_t zeros[NR_PROFILE_EXTRA];

	*table = (struct extra_table){ .nr_columns = nr_columns };
	hash_index_init(&table->index, 64);
	extra_table_intern(table, zeros);
}

void extra_table_release(struct extra_table *table)
{
	hash_index_release(&table->index);
	array_release(&table->values);
}

uint32_t extra_table_intern(struct extra_table *table, const uint64_t *values)
{
	uint64_t hash = hash_words(values, table->nr_columns, 0);
	uint32_t pos = hash_index_start(&table->index, hash), id;
	size_t size = table->nr_columns * sizeof(*values);

	while ((id = hash_index_next(&table->index, hash, &pos)) != HASH_NONE)
		if (!memcmp(&table->values.items[(size_t)id * table->nr_columns], values, size))
			return id;
	id = table->nr++;
	array_reserve(&table->values, table->values.nr + table->nr_columns + 1);
	memcpy(&table->values.items[table->values.nr], values, size);
	table->values.nr += table->nr_columns;
	hash_index_insert(&table->index, hash, id);
	return id;
}
