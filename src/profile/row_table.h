/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_ROW_TABLE_H
#define PROFILE_ROW_TABLE_H

#include <stdint.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/profile.h"

#define ROW_TABLE_PENDING 16u /* a power of two */

/*
 * The aggregated samples: one row for each distinct (event, thread, stack, self, extra).
 *
 * The table is larger than any cache, so every look-up would wait for memory, twice. New weight waits in a
 * short queue instead while its place in the index is fetched.
 */
struct row_table {
	struct hash_index index;
	ARRAY(struct profile_row) rows;
	struct {
		struct profile_row row;
		uint64_t hash;
	} pending[ROW_TABLE_PENDING];
	unsigned nr_pending, next_pending;
};

void row_table_init(struct row_table *table);
void row_table_release(struct row_table *table);
/* Adds the weight of `row` to the row with its key; it is there after row_table_settle at the latest. */
void row_table_add(struct row_table *table, const struct profile_row *row);
void row_table_settle(struct row_table *table);

/* Threads: distinct (pid, tid, comm). Ids are dense. */
struct thread_table {
	struct hash_index index;
	ARRAY(struct profile_thread) rows;
};

void thread_table_init(struct thread_table *table);
void thread_table_release(struct thread_table *table);
uint32_t thread_table_intern(struct thread_table *table, const struct profile_thread *thread);

/* Tuples of nr_columns values. Id 0 is the empty tuple's place: all zeros. */
struct extra_table {
	struct hash_index index;
	unsigned nr_columns;
	uint32_t nr;
	ARRAY(uint64_t) values;
};

void extra_table_init(struct extra_table *table, unsigned nr_columns);
void extra_table_release(struct extra_table *table);
uint32_t extra_table_intern(struct extra_table *table, const uint64_t *values);

#endif
