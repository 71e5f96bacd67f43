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

static uint64_t hash_row(const struct profile_row *row)
{
	return hash_pair((uint64_t)row->stack << 32 | row->self,
			 ((uint64_t)row->thread << 32 | row->extra) + row->event * HASH_K2);
}

static void settle(struct row_table *table, const struct profile_row *row, uint64_t hash)
{
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

/* Half way through the queue the index slot has arrived: it says which row will be needed. */
static void prefetch_row(const struct row_table *table, uint64_t hash)
{
	uint32_t pos = hash_index_start(&table->index, hash);
	uint32_t id = hash_index_next(&table->index, hash, &pos);

	if (id != HASH_NONE)
		__builtin_prefetch(&table->rows.items[id]);
}

void row_table_add(struct row_table *table, const struct profile_row *row)
{
	unsigned at = table->next_pending++ % ROW_TABLE_PENDING;
	unsigned half = (at + ROW_TABLE_PENDING / 2) % ROW_TABLE_PENDING;

	if (table->nr_pending == ROW_TABLE_PENDING)
		settle(table, &table->pending[at].row, table->pending[at].hash);
	else
		table->nr_pending++;
	table->pending[at].row = *row;
	table->pending[at].hash = hash_row(row);
	hash_index_prefetch(&table->index, table->pending[at].hash);
	if (table->nr_pending == ROW_TABLE_PENDING)
		prefetch_row(table, table->pending[half].hash);
}

void row_table_settle(struct row_table *table)
{
	unsigned first = table->next_pending - table->nr_pending;

	for (unsigned i = 0; i < table->nr_pending; i++) {
		unsigned at = (first + i) % ROW_TABLE_PENDING;

		settle(table, &table->pending[at].row, table->pending[at].hash);
	}
	table->nr_pending = 0;
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
	uint64_t hash = hash_pair((uint64_t)(uint32_t)thread->pid << 32 | (uint32_t)thread->tid,
				  thread->comm.v);
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
