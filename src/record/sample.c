/* SPDX-License-Identifier: Apache-2.0 */
#include "record/sample.h"

#include <errno.h>

#include "base/cursor.h"
#include "record/sample_bits.h"

/* Of branch entries on big-endian machines the flags begin at the most significant bit. */
struct branch_field {
	uint8_t shift, width;
};

static const struct branch_field branch_fields[] = {
	{ 0, 1 }, /* mispred */
	{ 1, 1 }, /* predicted */
	{ 2, 1 }, /* in_tx */
	{ 3, 1 }, /* abort */
	{ 4, 16 }, /* cycles */
	{ 20, 4 }, /* type */
	{ 24, 2 }, /* spec */
	{ 26, 4 }, /* new_type */
	{ 30, 3 }, /* priv */
	{ 33, 31 }, /* reserved */
};

void sample_layout_init(struct sample_layout *layout, const struct event_attr *attr)
{
	uint8_t *const places[] = { &layout->identifier, &layout->ip,	&layout->tid,
				    &layout->time,	 &layout->addr, &layout->id,
				    &layout->stream_id,	 &layout->cpu,	&layout->period };
	static const uint64_t order[] = { SAMPLE_IDENTIFIER, SAMPLE_IP,	  SAMPLE_TID,
					  SAMPLE_TIME,	     SAMPLE_ADDR, SAMPLE_ID,
					  SAMPLE_STREAM_ID,  SAMPLE_CPU,  SAMPLE_PERIOD };
	uint8_t offset = sizeof(struct record_header);

	memset(layout, 0, sizeof(*layout));
	layout->sample_type = attr->sample_type;
	layout->read_format = attr->read_format;
	layout->flags = attr->flags;
	layout->regs_user = attr->sample_regs_user;
	layout->regs_intr = attr->sample_regs_intr;
	layout->branch_type = attr->branch_sample_type;
	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(attr->sample_type & order[i]))
			continue;
		*places[i] = offset;
		offset = (uint8_t)(offset + 8);
	}
	layout->fixed_size = offset;
	if (attr->sample_type & SAMPLE_READ)
		layout->read = offset;
	else if (attr->sample_type & SAMPLE_CALLCHAIN)
		layout->callchain = offset;
}

/* Bytes of READ values at the cursor; 0 and failed when they do not fit. */
static size_t read_values_size(struct cursor *cursor, uint64_t format)
{
	size_t times = !!(format & READ_TOTAL_TIME_ENABLED) + !!(format & READ_TOTAL_TIME_RUNNING);
	size_t value = 1 + !!(format & READ_ID) + !!(format & READ_LOST);
	struct cursor peek = *cursor;
	uint64_t nr;

	if (!(format & READ_GROUP))
		return 8 * (value + times);
	nr = cursor_u64(&peek);
	if (nr > cursor_left(cursor) / (8 * value)) {
		cursor->failed = true;
		return 0;
	}
	return 8 * (1 + times + (size_t)nr * value);
}

static void branches_decode(struct cursor *cursor, const struct sample_layout *layout, struct sample *sample)
{
	uint64_t nr = cursor_u64(cursor);

	sample->branch_hw_index = UINT64_MAX;
	if (layout->branch_type & BRANCH_HW_INDEX)
		sample->branch_hw_index = cursor_u64(cursor);
	if (nr > cursor_left(cursor) / BRANCH_ENTRY_SIZE) {
		cursor->failed = true;
		return;
	}
	sample->nr_branches = nr;
	sample->branches = cursor_bytes(cursor, (size_t)nr * BRANCH_ENTRY_SIZE);
	if (layout->branch_type & BRANCH_COUNTERS)
		sample->branch_counters = cursor_bytes(cursor, (size_t)nr * 8);
}

static void regs_decode(struct cursor *cursor, uint64_t mask, struct sample_regs *regs)
{
	regs->abi = cursor_u64(cursor);
	if (!regs->abi)
		return;
	regs->mask = mask;
	regs->values = cursor_bytes(cursor, 8 * (size_t)__builtin_popcountll(mask));
	if (!regs->values)
		regs->abi = regs->mask = 0;
}

static void stack_decode(struct cursor *cursor, struct sample *sample)
{
	uint64_t size = cursor_u64(cursor), used;
	const uint8_t *data;

	sample->stack_user.data = cursor->pos;
	if (!size)
		return;
	if (size > cursor_left(cursor)) {
		cursor->failed = true;
		return;
	}
	data = cursor_bytes(cursor, (size_t)size);
	used = cursor_u64(cursor);
	if (cursor->failed)
		return;
	sample->stack_user = (struct span){ data, (size_t)(used < size ? used : size) };
}

static void variable_decode(struct cursor *cursor, const struct sample_layout *layout, struct sample *sample)
{
	uint64_t type = layout->sample_type, nr;

	if (type & SAMPLE_READ) {
		size_t size = read_values_size(cursor, layout->read_format);
		const uint8_t *data = cursor_bytes(cursor, size);

		if (data)
			sample->read = (struct span){ data, size };
	}
	if (type & SAMPLE_CALLCHAIN) {
		nr = cursor_u64(cursor);
		if (nr > cursor_left(cursor) / 8) {
			cursor->failed = true;
			return;
		}
		sample->nr_callchain = nr;
		sample->callchain = cursor_bytes(cursor, (size_t)nr * 8);
	}
	if (type & SAMPLE_RAW) {
		uint32_t size = cursor_u32(cursor);
		const uint8_t *data = cursor_bytes(cursor, size);

		if (data)
			sample->raw_data = (struct span){ data, size };
		/* The kernel pads the size so that what follows is aligned. */
		if (cursor_offset(cursor) % 8)
			cursor_skip(cursor, 8 - cursor_offset(cursor) % 8);
	}
	if (type & SAMPLE_BRANCH_STACK)
		branches_decode(cursor, layout, sample);
	if (type & SAMPLE_REGS_USER)
		regs_decode(cursor, layout->regs_user, &sample->regs_user);
	if (type & SAMPLE_STACK_USER)
		stack_decode(cursor, sample);
	if (type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		sample->weight = cursor_u64(cursor);
	if (type & SAMPLE_DATA_SRC)
		sample->data_src = cursor_u64(cursor);
	if (type & SAMPLE_TRANSACTION)
		sample->transaction = cursor_u64(cursor);
	if (type & SAMPLE_REGS_INTR)
		regs_decode(cursor, layout->regs_intr, &sample->regs_intr);
	if (type & SAMPLE_PHYS_ADDR)
		sample->phys_addr = cursor_u64(cursor);
	if (type & SAMPLE_CGROUP)
		sample->cgroup = cursor_u64(cursor);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		sample->data_page_size = cursor_u64(cursor);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		sample->code_page_size = cursor_u64(cursor);
	if (type & SAMPLE_AUX) {
		nr = cursor_u64(cursor);
		if (nr > cursor_left(cursor))
			cursor->failed = true;
		else
			sample->aux = (struct span){ cursor_bytes(cursor, (size_t)nr), (size_t)nr };
	}
}

int sample_decode(const struct sample_layout *layout, const struct record_header *raw, uint64_t offset,
		  struct sample *ret_sample)
{
	struct cursor cursor;

	*ret_sample = (struct sample){
		.raw = raw,
		.offset = offset,
		.misc = raw->misc,
		.id = { .pid = -1, .tid = -1, .time = RECORD_NO_TIME, .cpu = -1 },
	};
	if (raw->size < layout->fixed_size)
		return -EBADMSG;
	if (layout->identifier)
		ret_sample->id.id = sample_u64_at(raw, layout->identifier);
	if (layout->ip)
		ret_sample->ip = sample_u64_at(raw, layout->ip);
	if (layout->tid) {
		ret_sample->id.pid = (int32_t)sample_u32_at(raw, layout->tid);
		ret_sample->id.tid = (int32_t)sample_u32_at(raw, layout->tid + 4u);
	}
	if (layout->time)
		ret_sample->id.time = sample_u64_at(raw, layout->time);
	if (layout->addr)
		ret_sample->addr = sample_u64_at(raw, layout->addr);
	if (layout->id)
		ret_sample->id.id = sample_u64_at(raw, layout->id);
	if (layout->stream_id)
		ret_sample->id.stream_id = sample_u64_at(raw, layout->stream_id);
	if (layout->cpu)
		ret_sample->id.cpu = (int32_t)sample_u32_at(raw, layout->cpu);
	if (layout->period)
		ret_sample->period = sample_u64_at(raw, layout->period);
	cursor = cursor_of(raw, raw->size, false);
	cursor_skip(&cursor, layout->fixed_size);
	variable_decode(&cursor, layout, ret_sample);
	return cursor.failed ? -EBADMSG : 0;
}

static void swap_u64(void *pos)
{
	uint64_t value;

	memcpy(&value, pos, 8);
	value = __builtin_bswap64(value);
	memcpy(pos, &value, 8);
}

static void swap_u32(void *pos)
{
	uint32_t value;

	memcpy(&value, pos, 4);
	value = __builtin_bswap32(value);
	memcpy(pos, &value, 4);
}

/* Reads the number at the cursor and leaves it turned. */
static uint64_t swap_next(struct cursor *cursor)
{
	void *pos = (void *)cursor_bytes(cursor, 8);

	if (!pos)
		return 0;
	swap_u64(pos);
	return sample_u64_at(pos, 0);
}

static bool swap_many(struct cursor *cursor, uint64_t nr)
{
	uint8_t *pos;

	if (nr > cursor_left(cursor) / 8) {
		cursor->failed = true;
		return false;
	}
	pos = (void *)cursor_bytes(cursor, (size_t)nr * 8);
	for (uint64_t i = 0; i < nr; i++)
		swap_u64(pos + i * 8);
	return true;
}

static void swap_branches(struct cursor *cursor, const struct sample_layout *layout)
{
	uint64_t nr = swap_next(cursor);
	uint8_t *pos;

	if (layout->branch_type & BRANCH_HW_INDEX)
		swap_next(cursor);
	pos = (uint8_t *)cursor->pos;
	if (nr > cursor_left(cursor) / BRANCH_ENTRY_SIZE || !swap_many(cursor, nr * 3)) {
		cursor->failed = true;
		return;
	}
	for (uint64_t left = nr; left; left--, pos += BRANCH_ENTRY_SIZE) {
		uint64_t theirs = sample_u64_at((void *)pos, 16), ours = 0;

		for (unsigned i = 0; i < sizeof(branch_fields) / sizeof(branch_fields[0]); i++) {
			unsigned shift = branch_fields[i].shift, width = branch_fields[i].width;
			unsigned other = 64 - shift - width;

			if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
				ours |= (theirs >> other & ((1ull << width) - 1)) << shift;
			else
				ours |= (theirs >> shift & ((1ull << width) - 1)) << other;
		}
		memcpy(pos + 16, &ours, 8);
	}
	if (layout->branch_type & BRANCH_COUNTERS)
		swap_many(cursor, nr);
}

static void swap_regs(struct cursor *cursor, uint64_t mask)
{
	if (swap_next(cursor))
		swap_many(cursor, (unsigned)__builtin_popcountll(mask));
}

static void swap_variable(struct cursor *cursor, const struct sample_layout *layout)
{
	uint64_t type = layout->sample_type, nr;

	if (type & SAMPLE_READ) {
		if (layout->read_format & READ_GROUP) {
			size_t times = !!(layout->read_format & READ_TOTAL_TIME_ENABLED) +
				       !!(layout->read_format & READ_TOTAL_TIME_RUNNING);
			size_t value = 1 + !!(layout->read_format & READ_ID) +
				       !!(layout->read_format & READ_LOST);

			nr = swap_next(cursor);
			if (nr > cursor_left(cursor) / 8)
				cursor->failed = true;
			else
				swap_many(cursor, times + nr * value);
		} else {
			swap_many(cursor, read_values_size(cursor, layout->read_format) / 8);
		}
	}
	if (type & SAMPLE_CALLCHAIN)
		swap_many(cursor, swap_next(cursor));
	if (type & SAMPLE_RAW) {
		uint8_t *pos = (void *)cursor_bytes(cursor, 4);
		uint32_t size;

		if (!pos)
			return;
		swap_u32(pos);
		memcpy(&size, pos, 4);
		cursor_skip(cursor, size);
		if (cursor_offset(cursor) % 8)
			cursor_skip(cursor, 8 - cursor_offset(cursor) % 8);
	}
	if (type & SAMPLE_BRANCH_STACK)
		swap_branches(cursor, layout);
	if (type & SAMPLE_REGS_USER)
		swap_regs(cursor, layout->regs_user);
	if (type & SAMPLE_STACK_USER) {
		nr = swap_next(cursor);
		if (nr && nr <= cursor_left(cursor)) {
			cursor_skip(cursor, (size_t)nr);
			swap_next(cursor);
		} else if (nr) {
			cursor->failed = true;
		}
	}
	swap_many(cursor, !!(type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT)) + !!(type & SAMPLE_DATA_SRC) +
				  !!(type & SAMPLE_TRANSACTION));
	if (type & SAMPLE_REGS_INTR)
		swap_regs(cursor, layout->regs_intr);
	swap_many(cursor, !!(type & SAMPLE_PHYS_ADDR) + !!(type & SAMPLE_CGROUP) +
				  !!(type & SAMPLE_DATA_PAGE_SIZE) + !!(type & SAMPLE_CODE_PAGE_SIZE));
	if (type & SAMPLE_AUX) {
		nr = swap_next(cursor);
		if (nr > cursor_left(cursor))
			cursor->failed = true;
	}
}

int sample_swap(const struct sample_layout *layout, struct record_header *raw)
{
	uint8_t *bytes = (uint8_t *)raw;
	struct cursor cursor;

	raw->type = __builtin_bswap32(raw->type);
	raw->misc = __builtin_bswap16(raw->misc);
	raw->size = __builtin_bswap16(raw->size);
	if (raw->size < layout->fixed_size || raw->size < sizeof(*raw))
		return -EBADMSG;
	for (unsigned offset = sizeof(*raw); offset < layout->fixed_size; offset += 8) {
		if (offset == layout->tid || offset == layout->cpu) {
			swap_u32(bytes + offset);
			swap_u32(bytes + offset + 4);
		} else {
			swap_u64(bytes + offset);
		}
	}
	cursor = cursor_of(raw, raw->size, false);
	cursor_skip(&cursor, layout->fixed_size);
	swap_variable(&cursor, layout);
	return cursor.failed ? -EBADMSG : 0;
}
