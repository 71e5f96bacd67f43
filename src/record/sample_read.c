/* SPDX-License-Identifier: Apache-2.0 */
#include "record/sample_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/xalloc.h"
#include "record/sample_bits.h"

struct sample_read_row {
	uint64_t id, value;
	int32_t tid;
};

static size_t value_size(const struct sample_read *read)
{
	return 8 * (1 + (size_t)read->has_id + read->has_lost);
}

int sample_read_decode(struct span bytes, uint64_t read_format, struct sample_read *ret_read)
{
	struct cursor cursor = cursor_of(bytes.data ? bytes.data : (const uint8_t *)"", bytes.size, false);
	bool is_group = read_format & READ_GROUP;

	*ret_read = (struct sample_read){ .nr = 1,
					  .has_id = read_format & READ_ID,
					  .has_lost = read_format & READ_LOST };
	if (is_group)
		ret_read->nr = cursor_u64(&cursor);
	else
		ret_read->values = cursor_bytes(&cursor, 8);
	if (read_format & READ_TOTAL_TIME_ENABLED)
		ret_read->time_enabled = cursor_u64(&cursor);
	if (read_format & READ_TOTAL_TIME_RUNNING)
		ret_read->time_running = cursor_u64(&cursor);
	if (is_group) {
		if (ret_read->nr > cursor_left(&cursor) / value_size(ret_read))
			return -EBADMSG;
		ret_read->values = cursor_bytes(&cursor, (size_t)ret_read->nr * value_size(ret_read));
		return cursor.failed ? -EBADMSG : 0;
	}
	ret_read->lone_gap = cursor_offset(&cursor) - 8;
	if (cursor_left(&cursor) < value_size(ret_read) - 8)
		return -EBADMSG;
	return cursor.failed ? -EBADMSG : 0;
}

static uint64_t u64_at(const uint8_t *pos)
{
	uint64_t value;

	memcpy(&value, pos, sizeof(value));
	return value;
}

struct sample_read_value sample_read_value(const struct sample_read *read, uint64_t i)
{
	const uint8_t *pos = read->values + i * value_size(read);
	struct sample_read_value value = { .value = u64_at(pos) };

	pos += 8 + read->lone_gap;
	if (read->has_id) {
		value.id = u64_at(pos);
		pos += 8;
	}
	if (read->has_lost)
		value.lost = u64_at(pos);
	return value;
}

void sample_read_memory_init(struct sample_read_memory *memory)
{
	memset(memory, 0, sizeof(*memory));
	hash_index_init(&memory->index, 64);
}

void sample_read_memory_release(struct sample_read_memory *memory)
{
	hash_index_release(&memory->index);
	free(memory->rows);
	memset(memory, 0, sizeof(*memory));
}

uint64_t sample_read_memory_delta(struct sample_read_memory *memory, uint64_t id, int32_t tid, uint64_t value)
{
	uint64_t hash = hash_pair(id, (uint32_t)tid), delta;
	uint32_t pos = hash_index_start(&memory->index, hash), row;

	while ((row = hash_index_next(&memory->index, hash, &pos)) != HASH_NONE) {
		struct sample_read_row *last = &memory->rows[row];

		if (last->id != id || last->tid != tid)
			continue;
		delta = value - last->value;
		last->value = value;
		return delta;
	}
	if (memory->nr == memory->room) {
		memory->room = memory->room ? memory->room * 2 : 64;
		memory->rows = xreallocarray(memory->rows, memory->room, sizeof(*memory->rows));
	}
	memory->rows[memory->nr] = (struct sample_read_row){ id, value, tid };
	hash_index_insert(&memory->index, hash, (uint32_t)memory->nr++);
	return value;
}
