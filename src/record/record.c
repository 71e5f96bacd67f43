/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records other than samples: bytes into structs, and the order of bytes turned.
 *
 * A body is read with a cursor that ends where the trailer begins, so that a name which lacks its NUL
 * cannot run into the trailer's numbers. Nothing is copied: strings and arrays point into the record.
 */
#include "record/record.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "event/event_attr.h"
#include "record/sample_bits.h"

static const char *const type_names[] = {
	[RECORD_MMAP] = "MMAP",
	[RECORD_LOST] = "LOST",
	[RECORD_COMM] = "COMM",
	[RECORD_EXIT] = "EXIT",
	[RECORD_THROTTLE] = "THROTTLE",
	[RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[RECORD_FORK] = "FORK",
	[RECORD_READ] = "READ",
	[RECORD_SAMPLE] = "SAMPLE",
	[RECORD_MMAP2] = "MMAP2",
	[RECORD_AUX] = "AUX",
	[RECORD_ITRACE_START] = "ITRACE_START",
	[RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[RECORD_SWITCH] = "SWITCH",
	[RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[RECORD_NAMESPACES] = "NAMESPACES",
	[RECORD_KSYMBOL] = "KSYMBOL",
	[RECORD_BPF_EVENT] = "BPF_EVENT",
	[RECORD_CGROUP] = "CGROUP",
	[RECORD_TEXT_POKE] = "TEXT_POKE",
	[RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	[RECORD_HEADER_ATTR] = "ATTR",
	[RECORD_HEADER_EVENT_TYPE] = "EVENT_TYPE",
	[RECORD_HEADER_TRACING_DATA] = "TRACING_DATA",
	[RECORD_HEADER_BUILD_ID] = "BUILD_ID",
	[RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
	[RECORD_ID_INDEX] = "ID_INDEX",
	[RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
	[RECORD_AUXTRACE] = "AUXTRACE",
	[RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
	[RECORD_THREAD_MAP] = "THREAD_MAP",
	[RECORD_CPU_MAP] = "CPU_MAP",
	[RECORD_STAT_CONFIG] = "STAT_CONFIG",
	[RECORD_STAT] = "STAT",
	[RECORD_STAT_ROUND] = "STAT_ROUND",
	[RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
	[RECORD_TIME_CONV] = "TIME_CONV",
	[RECORD_HEADER_FEATURE] = "FEATURE",
	[RECORD_COMPRESSED] = "COMPRESSED",
	[RECORD_FINISHED_INIT] = "FINISHED_INIT",
	[RECORD_COMPRESSED2] = "COMPRESSED2",
	[RECORD_BPF_METADATA] = "BPF_METADATA",
	[RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
	[RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
};

const char *record_type_name(uint32_t type)
{
	return type < NR_ITEMS(type_names) ? type_names[type] : NULL;
}

size_t record_trailer_size(uint64_t sample_type)
{
	return 8 * (size_t)__builtin_popcountll(sample_type & SAMPLE_TRAILER_BITS);
}

/* HEADER_BUILD_ID: the byte behind the 20 of the id holds its size. */
#define MISC_BUILD_ID_SIZE (1 << 15)

static void trailer_decode(struct cursor *cursor, uint64_t sample_type, struct record_id *id)
{
	if (sample_type & SAMPLE_TID) {
		id->pid = (int32_t)cursor_u32(cursor);
		id->tid = (int32_t)cursor_u32(cursor);
	}
	if (sample_type & SAMPLE_TIME)
		id->time = cursor_u64(cursor);
	if (sample_type & SAMPLE_ID)
		id->id = cursor_u64(cursor);
	if (sample_type & SAMPLE_STREAM_ID)
		id->stream_id = cursor_u64(cursor);
	if (sample_type & SAMPLE_CPU) {
		id->cpu = (int32_t)cursor_u32(cursor);
		cursor_skip(cursor, 4);
	}
	if (sample_type & SAMPLE_IDENTIFIER)
		id->id = cursor_u64(cursor);
}

/*
 * Whether the 24 bytes at this place of an MMAP2 are {u8 size, zeros, build-id} or {u32 major, minor ...} in spite of the
 * bit in misc (RECORD_NO_BUILD_IDS). Ids have 20 bytes, or 16; others are believed when somebody asked for ids.
 */
static bool is_build_id(const uint8_t *bytes, bool any_size)
{
	if (bytes[1] || bytes[2] || bytes[3])
		return false;
	return bytes[0] == 20 || bytes[0] == 16 || (any_size && bytes[0] && bytes[0] < 20);
}

static void mmap_decode(struct cursor *body, const struct record_header *raw, bool any_size,
			struct record_mmap *mmap)
{
	mmap->pid = (int32_t)cursor_u32(body);
	mmap->tid = (int32_t)cursor_u32(body);
	mmap->addr = cursor_u64(body);
	mmap->length = cursor_u64(body);
	mmap->pgoff = cursor_u64(body);
	if (raw->type == RECORD_MMAP) {
		mmap->prot = raw->misc & RECORD_MISC_MMAP_DATA ? 1 : 4; /* PROT_READ, PROT_EXEC */
	} else {
		if (raw->misc & RECORD_MISC_MMAP_BUILD_ID && cursor_left(body) >= 24 &&
		    is_build_id(body->pos, any_size)) {
			const uint8_t *bytes = cursor_bytes(body, 24);

			mmap->build_id_size = bytes[0];
			memcpy(mmap->build_id, bytes + 4, mmap->build_id_size);
		} else {
			mmap->major = cursor_u32(body);
			mmap->minor = cursor_u32(body);
			mmap->inode = cursor_u64(body);
			mmap->inode_generation = cursor_u64(body);
		}
		mmap->prot = cursor_u32(body);
		mmap->flags = cursor_u32(body);
	}
	mmap->path = cursor_string(body);
}

static void task_decode(struct cursor *body, struct record_task *task)
{
	task->pid = (int32_t)cursor_u32(body);
	task->parent_pid = (int32_t)cursor_u32(body);
	task->tid = (int32_t)cursor_u32(body);
	task->parent_tid = (int32_t)cursor_u32(body);
	task->time = cursor_u64(body);
}

static void namespaces_decode(struct cursor *body, struct record_namespaces *namespaces)
{
	namespaces->pid = (int32_t)cursor_u32(body);
	namespaces->tid = (int32_t)cursor_u32(body);
	namespaces->nr = cursor_u64(body);
	if (namespaces->nr > cursor_left(body) / 16)
		body->failed = true;
	else
		namespaces->links = cursor_bytes(body, namespaces->nr * 16);
}

static void ksymbol_decode(struct cursor *body, struct record_ksymbol *ksymbol)
{
	ksymbol->addr = cursor_u64(body);
	ksymbol->length = cursor_u32(body);
	ksymbol->kind = cursor_u16(body);
	ksymbol->is_unregister = cursor_u16(body) & 1;
	ksymbol->name = cursor_string(body);
}

static void build_id_decode(struct cursor *body, uint16_t misc, struct record_build_id *build_id)
{
	const uint8_t *bytes;

	build_id->pid = (int32_t)cursor_u32(body);
	bytes = cursor_bytes(body, 24);
	if (bytes) {
		/* Writers before 5.10 left the size byte zero: then it was always 20. */
		build_id->build_id_size = misc & MISC_BUILD_ID_SIZE ? bytes[20] : 20;
		if (build_id->build_id_size > 20)
			build_id->build_id_size = 20;
		memcpy(build_id->build_id, bytes, build_id->build_id_size);
	}
	build_id->path = cursor_string(body);
}

int record_decode_build_id(struct span body, uint16_t misc, bool swap, struct record_build_id *ret_build_id)
{
	struct cursor cursor = cursor_of(body.data, body.size, swap);

	memset(ret_build_id, 0, sizeof(*ret_build_id));
	build_id_decode(&cursor, misc, ret_build_id);
	return cursor.failed ? -EBADMSG : 0;
}

static void text_poke_decode(struct cursor *body, struct record_text_poke *text_poke)
{
	text_poke->addr = cursor_u64(body);
	text_poke->old_length = cursor_u16(body);
	text_poke->new_length = cursor_u16(body);
	text_poke->bytes = cursor_bytes(body, (size_t)text_poke->old_length + text_poke->new_length);
}

static void body_decode(struct cursor *body, const struct record_header *raw, uint64_t trailer_type,
			struct record *record)
{
	switch (raw->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		mmap_decode(body, raw, !(trailer_type & RECORD_NO_BUILD_IDS), &record->mmap);
		break;
	case RECORD_COMM:
		record->comm.pid = (int32_t)cursor_u32(body);
		record->comm.tid = (int32_t)cursor_u32(body);
		record->comm.is_exec = raw->misc & RECORD_MISC_COMM_EXEC;
		record->comm.comm = cursor_string(body);
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		task_decode(body, &record->task);
		break;
	case RECORD_LOST:
		record->lost.id = cursor_u64(body);
		record->lost.lost = cursor_u64(body);
		break;
	case RECORD_LOST_SAMPLES:
		record->lost.lost = cursor_u64(body);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		record->throttle.time = cursor_u64(body);
		record->throttle.id = cursor_u64(body);
		record->throttle.stream_id = cursor_u64(body);
		break;
	case RECORD_READ:
		record->read.pid = (int32_t)cursor_u32(body);
		record->read.tid = (int32_t)cursor_u32(body);
		record->read.values = (struct span){ body->pos, cursor_left(body) };
		break;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		record->sw.next_prev_pid = record->sw.next_prev_tid = -1;
		record->sw.is_out = raw->misc & RECORD_MISC_SWITCH_OUT;
		record->sw.is_preempt = raw->misc & RECORD_MISC_SWITCH_OUT_PREEMPT;
		if (raw->type == RECORD_SWITCH_CPU_WIDE) {
			record->sw.next_prev_pid = (int32_t)cursor_u32(body);
			record->sw.next_prev_tid = (int32_t)cursor_u32(body);
		}
		break;
	case RECORD_NAMESPACES:
		namespaces_decode(body, &record->namespaces);
		break;
	case RECORD_KSYMBOL:
		ksymbol_decode(body, &record->ksymbol);
		break;
	case RECORD_BPF_EVENT: {
		const void *tag;

		record->bpf.kind = cursor_u16(body);
		record->bpf.flags = cursor_u16(body);
		record->bpf.id = cursor_u32(body);
		tag = cursor_bytes(body, sizeof(record->bpf.tag));
		if (tag)
			memcpy(record->bpf.tag, tag, sizeof(record->bpf.tag));
		break;
	}
	case RECORD_CGROUP:
		record->cgroup.id = cursor_u64(body);
		record->cgroup.path = cursor_string(body);
		break;
	case RECORD_TEXT_POKE:
		text_poke_decode(body, &record->text_poke);
		break;
	case RECORD_AUX:
		record->aux.offset = cursor_u64(body);
		record->aux.size = cursor_u64(body);
		record->aux.flags = cursor_u64(body);
		break;
	case RECORD_HEADER_BUILD_ID:
		build_id_decode(body, raw->misc, &record->build_id);
		break;
	default:
		record->body = (struct span){ body->pos, cursor_left(body) };
		break;
	}
}

int record_decode(const struct record_header *raw, uint64_t trailer_type, uint64_t offset,
		  struct record *ret_record)
{
	size_t trailer_size = raw->type < RECORD_USER_FIRST ? record_trailer_size(trailer_type) : 0;
	struct cursor body, trailer;

	*ret_record = (struct record){
		.raw = raw,
		.offset = offset,
		.type = raw->type,
		.misc = raw->misc,
		.size = raw->size,
		.id = { .pid = -1, .tid = -1, .time = RECORD_NO_TIME, .cpu = -1 },
	};
	if (raw->size < sizeof(*raw) + trailer_size)
		return -EBADMSG;
	body = cursor_of(raw + 1, raw->size - sizeof(*raw) - trailer_size, false);
	if (trailer_size) {
		trailer = cursor_of(body.end, trailer_size, false);
		trailer_decode(&trailer, trailer_type, &ret_record->id);
	}
	body_decode(&body, raw, trailer_type, ret_record);
	return body.failed ? -EBADMSG : 0;
}

/*
 * The other byte order. One letter a field: h, w, d are numbers of 2, 4, 8 bytes, b is bytes and strings
 * to the end of the body, digits are that many bytes to leave alone, and * repeats what follows it
 * to the end of the body.
 */
static const char *const type_shapes[] = {
	[RECORD_MMAP] = "wwdddb",
	[RECORD_LOST] = "dd",
	[RECORD_COMM] = "wwb",
	[RECORD_EXIT] = "wwwwd",
	[RECORD_THROTTLE] = "ddd",
	[RECORD_UNTHROTTLE] = "ddd",
	[RECORD_FORK] = "wwwwd",
	[RECORD_READ] = "ww*d",
	[RECORD_MMAP2] = "wwdddwwddwwb",
	[RECORD_AUX] = "ddd",
	[RECORD_ITRACE_START] = "ww",
	[RECORD_LOST_SAMPLES] = "d",
	[RECORD_SWITCH] = "",
	[RECORD_SWITCH_CPU_WIDE] = "ww",
	[RECORD_NAMESPACES] = "ww*d",
	[RECORD_KSYMBOL] = "dwhhb",
	[RECORD_BPF_EVENT] = "hhwb",
	[RECORD_CGROUP] = "db",
	[RECORD_TEXT_POKE] = "dhhb",
	[RECORD_AUX_OUTPUT_HW_ID] = "d",
	[RECORD_CALLCHAIN_DEFERRED] = "*d",
	[RECORD_HEADER_TRACING_DATA] = "w",
	[RECORD_HEADER_EVENT_TYPE] = "db",
	[RECORD_HEADER_BUILD_ID] = "wb",
	[RECORD_FINISHED_ROUND] = "",
	[RECORD_ID_INDEX] = "*d",
	[RECORD_AUXTRACE_INFO] = "ww*d",
	[RECORD_AUXTRACE] = "dddwwww",
	[RECORD_AUXTRACE_ERROR] = "wwwwwwdd64*w",
	[RECORD_THREAD_MAP] = "d*d16",
	[RECORD_STAT_CONFIG] = "*d",
	[RECORD_STAT] = "dwwddd",
	[RECORD_STAT_ROUND] = "dd",
	[RECORD_TIME_CONV] = "ddd*ddb",
	[RECORD_HEADER_FEATURE] = "db", /* the payload is left to whoever decodes the feature */
	[RECORD_COMPRESSED] = "b",
	[RECORD_FINISHED_INIT] = "",
	[RECORD_COMPRESSED2] = "db",
	[RECORD_BPF_METADATA] = "16db",
};

static uint8_t *swap_number(uint8_t *pos, const uint8_t *end, unsigned size)
{
	if ((size_t)(end - pos) < size)
		return NULL;
	for (unsigned i = 0; i < size / 2; i++) {
		uint8_t byte = pos[i];

		pos[i] = pos[size - 1 - i];
		pos[size - 1 - i] = byte;
	}
	return pos + size;
}

/* Where the shape's fields end; NULL when the body is too short for them. */
static uint8_t *swap_shape(uint8_t *pos, uint8_t *end, const char *shape)
{
	const char *repeat = NULL;

	for (;;) {
		if (!*shape) {
			if (!repeat || pos == end)
				return pos;
			shape = repeat;
		}
		if (*shape == '*') {
			repeat = ++shape;
			if (pos == end)
				return pos;
		}
		if (*shape == 'b')
			return end;
		if (*shape == 'd' || *shape == 'w' || *shape == 'h') {
			pos = swap_number(pos, end, *shape == 'd' ? 8 : *shape == 'w' ? 4 : 2);
			shape++;
		} else {
			size_t skip = 0;

			while (*shape >= '0' && *shape <= '9')
				skip = skip * 10 + (size_t)(*shape++ - '0');
			pos = (size_t)(end - pos) < skip ? NULL : pos + skip;
		}
		if (!pos)
			return NULL;
	}
}

/* CPU_MAP bodies, also within EVENT_UPDATE: {u16 kind}, then by kind a list, a mask or a range. */
static uint8_t *swap_cpu_map(uint8_t *pos, uint8_t *end)
{
	uint8_t *after = swap_shape(pos, end, "hhh");
	uint16_t kind, long_size;

	if (!after)
		return swap_shape(pos, end, "hh"); /* an empty list */
	memcpy(&kind, pos, 2);
	memcpy(&long_size, pos + 4, 2);
	switch (kind) {
	case 0:
		return swap_shape(after, after + (end - after) / 2 * 2, "*h") ? end : NULL;
	case 1:
		if (long_size == 4)
			return swap_shape(after, after + (end - after) / 4 * 4, "*w") ? end : NULL;
		if (end - after < 4)
			return end;
		after += 4;
		return swap_shape(after, after + (end - after) / 8 * 8, "*d") ? end : NULL;
	case 2: {
		/* {u8 any, u8 pad} was taken for a number: put back */
		uint8_t any = pos[2];

		pos[2] = pos[3];
		pos[3] = any;
		return swap_shape(after, end, "h") ? end : NULL;
	}
	default:
		return end;
	}
}

static uint8_t *swap_event_update(uint8_t *pos, uint8_t *end)
{
	uint8_t *after = swap_shape(pos, end, "dd");
	uint64_t kind;

	if (!after)
		return NULL;
	memcpy(&kind, pos, 8);
	switch (kind) {
	case 1: /* scale */
		return swap_shape(after, end, "d");
	case 3: /* cpus */
		return swap_cpu_map(after, end);
	default:
		return end;
	}
}

/* type, size, the numbers of the attr, then ids. */
static uint8_t *swap_attr_record(uint8_t *pos, uint8_t *end)
{
	uint32_t size;
	uint8_t *attr_end;

	if (end - pos < 8)
		return NULL;
	memcpy(&size, pos + 4, 4);
	size = __builtin_bswap32(size);
	if (!size)
		size = EVENT_ATTR_SIZE_MIN;
	if (size < EVENT_ATTR_SIZE_MIN || size > (size_t)(end - pos) || size % 8)
		return NULL;
	attr_end = pos + size;
	event_attr_swap(pos, size);
	return swap_shape(attr_end, attr_end + (end - attr_end) / 8 * 8, "*d");
}

int record_swap(struct record_header *raw, uint64_t sample_type, uint64_t read_format, bool sample_id_all)
{
	uint8_t *body = (uint8_t *)(raw + 1), *end, *after;
	size_t trailer_size = 0;

	(void)read_format; /* READ is numbers of 8 bytes whatever it holds */
	raw->type = __builtin_bswap32(raw->type);
	raw->misc = __builtin_bswap16(raw->misc);
	raw->size = __builtin_bswap16(raw->size);
	if (raw->size < sizeof(*raw))
		return -EBADMSG;
	end = (uint8_t *)raw + raw->size;
	if (sample_id_all && raw->type < RECORD_USER_FIRST) {
		trailer_size = record_trailer_size(sample_type);
		if (trailer_size > (size_t)(end - body))
			return -EBADMSG;
		end -= trailer_size;
	}
	switch (raw->type) {
	case RECORD_HEADER_ATTR:
		after = swap_attr_record(body, end);
		break;
	case RECORD_CPU_MAP:
		after = swap_cpu_map(body, end);
		break;
	case RECORD_EVENT_UPDATE:
		after = swap_event_update(body, end);
		break;
	case RECORD_MMAP2:
		/* In the other order a major number has zeros first: no size. */
		if (raw->misc & RECORD_MISC_MMAP_BUILD_ID && end - body >= 56 && is_build_id(body + 32, true))
			after = swap_shape(body, end, "wwddd24wwb");
		else
			after = swap_shape(body, end, type_shapes[RECORD_MMAP2]);
		break;
	default:
		if (raw->type >= NR_ITEMS(type_shapes) || !type_shapes[raw->type])
			after = body; /* nothing is known of it, nothing will be read from it */
		else
			after = swap_shape(body, end, type_shapes[raw->type]);
		break;
	}
	if (trailer_size) {
		uint64_t words = sample_type & (SAMPLE_TID | SAMPLE_CPU);
		uint8_t *pos = end;

		for (unsigned bit = 0; bit < 6; bit++) {
			static const uint64_t order[] = { SAMPLE_TID,	    SAMPLE_TIME, SAMPLE_ID,
							  SAMPLE_STREAM_ID, SAMPLE_CPU,	 SAMPLE_IDENTIFIER };

			if (sample_type & order[bit])
				pos = swap_shape(pos, end + trailer_size, words & order[bit] ? "ww" : "d");
		}
	}
	return after ? 0 : -EBADMSG;
}
