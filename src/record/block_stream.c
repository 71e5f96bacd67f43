/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes come from a mapping or from reads into chunks; either way there is a window of contiguous raw
 * bytes, and walk() finds how far whole records reach in it and what stopped it. Plain records of this
 * machine's order go out where they stand. Copies are made only where they must be: records of the other
 * order, records off their alignment (behind an old COMPRESSED record), and what zstd unpacks.
 *
 * Damage: a header that cannot be one (size below 8, type 0 or absurd) ends the run; the next place is
 * looked for where four headers in a row make sense, and what lies between is counted as lost. A file
 * that ends within a record loses that record. Nothing here trusts a size: mapped bytes are bounded by
 * the mapping, payloads that are skipped are skipped without being stored, the payload that is kept
 * (TRACING_DATA) grows as its bytes come.
 */
#include "record/block_stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/xalloc.h"
#include "record/sample_bits.h"
#include "record/zstd_stream.h"

#define BLOCK_SIZE (1u << 20) /* what a block aims at */
#define RECORD_SIZE_MAX 65536u
#define BUFFER_ROOM (BLOCK_SIZE + RECORD_SIZE_MAX)
#define TYPE_LIMIT (1u << 16) /* beyond it a type is garbage, not news */
#define SPARE_BUFFERS 4

struct block_buffer {
	struct block_buffer *previous, *following; /* of all */
	struct block_buffer *next; /* of the spare ones */
	unsigned users; /* blocks given out of it, and the stream while it reads or fills it */
	bool kept; /* until the stream is freed */
	uint64_t offset; /* chunk: of its first byte in the file */
	size_t size; /* filled */
	size_t room;
	uint8_t data[] __attribute__((aligned(16)));
};

struct copy {
	uint64_t offset;
	size_t size;
	struct block_buffer *buffer;
};

/* Contiguous bytes not yet given out. */
struct window {
	const uint8_t *pos, *end;
	uint64_t offset; /* of pos in the file; unpacked: of the COMPRESSED record */
	struct block_buffer *buffer; /* what they stand in; NULL: the mapping */
};

struct block_stream {
	struct block_stream_config config;
	struct perfdata_damage damage;
	bool first_pass, promised, stable, compressed;
	uint64_t nr_compressed[2]; /* COMPRESSED, COMPRESSED2 */

	struct window raw;
	bool at_eof;
	ARRAY(struct block_buffer *) chunks; /* fd with keep: all that was read */
	size_t chunk; /* index of the next chunk of a replay */
	bool replaying;

	struct zstd_decoder *decoder;
	bool decoder_dead; /* damaged: wait for the next frame */
	bool unpacking; /* the unpacked window comes before the raw one */
	struct span packed; /* of the COMPRESSED record at hand, in the raw window's bytes */
	bool packed_more; /* the decoder may give more of what it was given */
	struct window unpacked;
	uint64_t unpacked_skip; /* AUXTRACE payload within compressed data, still to be dropped */

	struct block_buffer *buffers; /* all, so that what nobody gave back is freed too */
	struct block_buffer *spare;
	unsigned nr_spare;
	ARRAY(struct copy) copies; /* made for a stable stream, by offset */

	struct buf tracing;
	struct span tracing_map;
};

enum run_stop {
	RUN_FULL, /* as much as a block takes */
	RUN_PARTIAL, /* a record that goes on behind the window, or nothing left */
	RUN_COMPRESSED, /* next is a COMPRESSED record */
	RUN_PAYLOAD, /* the last record is followed by raw bytes */
	RUN_UNALIGNED, /* the last record's size is odd, so the next one must be moved */
	RUN_BAD, /* next is no record */
};

struct run {
	size_t size;
	enum run_stop stop;
	bool has_descriptions; /* records that `apply` wants to see */
	bool is_tracing;
	uint64_t payload;
};

static struct record_header header_at(const uint8_t *pos, bool swap)
{
	struct record_header header;

	memcpy(&header, pos, sizeof(header));
	if (swap) {
		header.type = __builtin_bswap32(header.type);
		header.misc = __builtin_bswap16(header.misc);
		header.size = __builtin_bswap16(header.size);
	}
	return header;
}

static uint64_t number_at(const uint8_t *pos, unsigned size, bool swap)
{
	uint64_t wide;
	uint32_t narrow;

	if (size == 4) {
		memcpy(&narrow, pos, 4);
		return swap ? __builtin_bswap32(narrow) : narrow;
	}
	memcpy(&wide, pos, 8);
	return swap ? __builtin_bswap64(wide) : wide;
}

/* Bytes that follow AUXTRACE and TRACING_DATA records without being part of them. */
static bool has_payload(const uint8_t *pos, const struct record_header *header, bool swap, struct run *run)
{
	if (header->type == RECORD_AUXTRACE && header->size >= 16) {
		run->payload = number_at(pos + 8, 8, swap);
		return run->payload;
	}
	if (header->type == RECORD_HEADER_TRACING_DATA && header->size >= 12) {
		run->payload = (number_at(pos + 8, 4, swap) + 7) & ~7ull;
		run->is_tracing = true;
		return run->payload;
	}
	return false;
}

static bool is_description(uint32_t type)
{
	return type == RECORD_HEADER_ATTR || type == RECORD_EVENT_UPDATE || type == RECORD_HEADER_FEATURE;
}

static struct run walk(const uint8_t *pos, size_t size, size_t limit, bool swap, bool unpacked)
{
	struct run run = { .stop = RUN_PARTIAL };

	while (size - run.size >= sizeof(struct record_header)) {
		struct record_header header = header_at(pos + run.size, swap);

		/* Where the next record stands is only known when this one has come: the rest is asked for early. */
		__builtin_prefetch(pos + run.size + 1536);
		if (header.size < sizeof(header) || !header.type || header.type >= TYPE_LIMIT) {
			run.stop = RUN_BAD;
			break;
		}
		if (header.size > size - run.size)
			break;
		if (header.type >= RECORD_USER_FIRST) {
			run.has_descriptions |= is_description(header.type);
			if (!unpacked &&
			    (header.type == RECORD_COMPRESSED || header.type == RECORD_COMPRESSED2)) {
				run.stop = RUN_COMPRESSED;
				break;
			}
			if (has_payload(pos + run.size, &header, swap, &run)) {
				run.size += header.size;
				run.stop = RUN_PAYLOAD;
				break;
			}
		}
		run.size += header.size;
		if (header.size % 8) {
			run.stop = RUN_UNALIGNED;
			break;
		}
		if (run.size >= limit) {
			run.stop = RUN_FULL;
			break;
		}
	}
	return run;
}

static bool is_plausible(const struct record_header *header)
{
	return header->size >= sizeof(*header) && header->size % 8 == 0 && record_type_name(header->type) &&
	       (header->type == RECORD_SAMPLE || header->type == RECORD_READ ||
		header->type >= RECORD_USER_FIRST || header->size < 5000);
}

/* The distance, in steps of 8, to where records begin again; size when they do not. */
static size_t find_records(const uint8_t *pos, size_t size, bool swap)
{
	for (size_t start = 8; start + sizeof(struct record_header) <= size; start += 8) {
		size_t at = start;
		unsigned nr = 0;

		while (nr < 4 && at + sizeof(struct record_header) <= size) {
			struct record_header header = header_at(pos + at, swap);

			if (!is_plausible(&header) || header.size > size - at)
				break;
			at += header.size;
			nr++;
		}
		if (nr == 4 || (nr && at == size))
			return start;
	}
	return size;
}

/* ---- buffers ---- */

static struct block_buffer *buffer_new(struct block_stream *stream, size_t room)
{
	struct block_buffer *buffer = xmalloc(sizeof(*buffer) + room);

	*buffer = (struct block_buffer){ .users = 1, .room = room, .following = stream->buffers };
	if (stream->buffers)
		stream->buffers->previous = buffer;
	stream->buffers = buffer;
	return buffer;
}

static void buffer_free(struct block_stream *stream, struct block_buffer *buffer)
{
	if (buffer->previous)
		buffer->previous->following = buffer->following;
	else
		stream->buffers = buffer->following;
	if (buffer->following)
		buffer->following->previous = buffer->previous;
	free(buffer);
}

static struct block_buffer *buffer_get(struct block_stream *stream)
{
	struct block_buffer *buffer = stream->spare;

	if (!buffer)
		return buffer_new(stream, BUFFER_ROOM);
	stream->spare = buffer->next;
	stream->nr_spare--;
	buffer->next = NULL;
	buffer->users = 1;
	buffer->kept = false;
	buffer->offset = buffer->size = 0;
	return buffer;
}

static void buffer_put(struct block_stream *stream, struct block_buffer *buffer)
{
	if (!buffer || --buffer->users || buffer->kept)
		return;
	if (stream->nr_spare < SPARE_BUFFERS && buffer->room == BUFFER_ROOM) {
		buffer->next = stream->spare;
		stream->spare = buffer;
		stream->nr_spare++;
	} else {
		buffer_free(stream, buffer);
	}
}

static size_t window_left(const struct window *window)
{
	return (size_t)(window->end - window->pos);
}

/* ---- raw bytes ---- */

static void raw_advance(struct block_stream *stream, size_t size)
{
	stream->raw.pos += size;
	stream->raw.offset += size;
}

static void raw_set(struct block_stream *stream, struct block_buffer *chunk)
{
	stream->raw = (struct window){ chunk->data, chunk->data + chunk->size, chunk->offset, chunk };
}

/* A fresh chunk that begins with what is left of the window. */
static void chunk_start(struct block_stream *stream)
{
	struct block_buffer *chunk = buffer_get(stream), *old = stream->raw.buffer;

	chunk->offset = stream->raw.offset;
	chunk->size = window_left(&stream->raw);
	if (chunk->size)
		memcpy(chunk->data, stream->raw.pos, chunk->size);
	if (stream->config.keep) {
		chunk->kept = true;
		array_push(&stream->chunks, chunk);
	}
	raw_set(stream, chunk);
	buffer_put(stream, old);
}

/* As read, but waits where the descriptor does not. */
static int64_t read_some(int fd, void *data, size_t size, struct err *err)
{
	for (;;) {
		ssize_t got = read(fd, data, size);

		if (got >= 0)
			return got;
		if (errno == EAGAIN) {
			struct pollfd pollfd = { .fd = fd, .events = POLLIN };

			poll(&pollfd, 1, -1);
		} else if (errno != EINTR) {
			return err_errno(err, -errno, "cannot read the recording");
		}
	}
}

/* More bytes behind the window. 1; 0 at the end of the input; -errno. */
static int raw_fill(struct block_stream *stream, struct err *err)
{
	struct block_buffer *chunk = stream->raw.buffer;
	int64_t got;

	if (stream->config.fd < 0)
		return 0;
	if (stream->replaying) {
		if (stream->chunk < stream->chunks.nr) {
			struct block_buffer *next = stream->chunks.items[stream->chunk++];

			next->users++;
			raw_set(stream, next);
			buffer_put(stream, chunk);
			return 1;
		}
		stream->replaying = false;
	}
	if (stream->at_eof)
		return 0;
	if (!chunk || chunk->room - chunk->size < RECORD_SIZE_MAX) {
		if (chunk)
			chunk->size -= window_left(&stream->raw);
		chunk_start(stream);
		chunk = stream->raw.buffer;
	}
	got = read_some(stream->config.fd, chunk->data + chunk->size, chunk->room - chunk->size, err);
	if (got < 0)
		return (int)got;
	chunk->size += (size_t)got;
	stream->raw.end = chunk->data + chunk->size;
	stream->at_eof = !got;
	return !!got;
}

/* Passes over the raw bytes behind the record that was given out last. 0 or -errno; too few of them is damage. */
static int payload_pass(struct block_stream *stream, const struct run *run, struct err *err)
{
	size_t left = window_left(&stream->raw);
	size_t size = run->payload < left ? (size_t)run->payload : left;
	uint64_t start = stream->raw.offset, missing = run->payload - size;
	bool wanted = run->is_tracing && stream->first_pass;
	uint8_t bytes[4096];

	if (stream->replaying) /* it was read off the pipe, but not kept among the chunks */
		return 0;
	if (stream->config.fd < 0) {
		if (wanted)
			stream->tracing_map = (struct span){ stream->raw.pos, size };
		raw_advance(stream, size);
	} else {
		if (stream->raw.buffer)
			stream->raw.buffer->size -= left;
		if (wanted)
			buf_put(&stream->tracing, stream->raw.pos, size);
		raw_advance(stream, size);
		while (missing && !stream->at_eof) {
			int64_t got = read_some(stream->config.fd, bytes,
						missing < sizeof(bytes) ? (size_t)missing : sizeof(bytes),
						err);

			if (got < 0)
				return (int)got;
			if (wanted)
				buf_put(&stream->tracing, bytes, (size_t)got);
			stream->raw.offset += (uint64_t)got;
			missing -= (uint64_t)got;
			stream->at_eof = !got;
		}
		chunk_start(stream);
	}
	if (missing)
		perfdata_damage_add(&stream->damage, start, run->payload - missing,
				    "the recording ends within the data behind a record");
	return 0;
}

/* ---- compressed bytes ---- */

/* Takes the COMPRESSED record at the raw window's start off it. */
static int packed_start(struct block_stream *stream, struct err *err)
{
	static const uint8_t frame_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	struct record_header header = header_at(stream->raw.pos, stream->config.swap);
	size_t head = header.type == RECORD_COMPRESSED2 ? 16 : sizeof(header);

	stream->compressed = true;
	stream->nr_compressed[header.type == RECORD_COMPRESSED2]++;
	if (!stream->promised)
		stream->stable = false;
	if (!stream->decoder) {
		stream->decoder = zstd_decoder_new(err);
		if (!stream->decoder)
			return -ENOTSUP;
	}
	stream->unpacked.offset = stream->raw.offset;
	stream->packed = (struct span){ 0 };
	if (header.size >= head) {
		uint64_t size = header.size - head, used = size;

		if (header.type == RECORD_COMPRESSED2)
			used = number_at(stream->raw.pos + 8, 8, stream->config.swap);
		stream->packed = (struct span){ stream->raw.pos + head, (size_t)(used < size ? used : size) };
	}
	raw_advance(stream, header.size);
	if (stream->decoder_dead && stream->packed.size) {
		if (stream->packed.size < 4 || memcmp(stream->packed.data, frame_magic, 4)) {
			perfdata_damage_add(&stream->damage, stream->unpacked.offset, stream->packed.size,
					    "compressed data behind a damaged place cannot be unpacked");
			return 0;
		}
		zstd_decoder_reset(stream->decoder);
		stream->decoder_dead = false;
	}
	stream->packed_more = stream->unpacking = stream->packed.size;
	return 0;
}

/* A fresh buffer that begins with what is left of the unpacked window, filled up from the packed record. */
static void unpack(struct block_stream *stream)
{
	struct block_buffer *buffer = buffer_get(stream);
	size_t left = window_left(&stream->unpacked);

	if (left)
		memcpy(buffer->data, stream->unpacked.pos, left);
	buffer->size = left;
	while (stream->packed_more && buffer->size < buffer->room) {
		size_t room = buffer->room - buffer->size, drop;
		int64_t got = zstd_decoder_push(stream->decoder, &stream->packed, buffer->data + buffer->size,
						room);

		if (got < 0) {
			perfdata_damage_add(&stream->damage, stream->unpacked.offset, stream->packed.size,
					    "compressed data is damaged");
			stream->decoder_dead = true;
			stream->packed_more = false;
			break;
		}
		stream->packed_more = (size_t)got == room;
		drop = (size_t)got < stream->unpacked_skip ? (size_t)got : (size_t)stream->unpacked_skip;
		if (drop) {
			stream->unpacked_skip -= drop;
			got -= (int64_t)drop;
			memmove(buffer->data + buffer->size, buffer->data + buffer->size + drop, (size_t)got);
		}
		buffer->size += (size_t)got;
	}
	buffer_put(stream, stream->unpacked.buffer);
	stream->unpacked = (struct window){ buffer->data, buffer->data + buffer->size,
					    stream->unpacked.offset, buffer };
}

/* ---- blocks ---- */

/* The event of a record that is still in the other order; NULL: unknown. */
static const struct recorded_event *swapped_event(const struct event_table *events, const uint8_t *raw,
						  const struct record_header *header)
{
	bool is_sample = header->type == RECORD_SAMPLE;
	int place = is_sample ? events->id_from_start : events->id_from_end;
	uint32_t event = 0;

	if (header->type >= RECORD_USER_FIRST || !events->events.nr)
		return NULL;
	if (events->events.nr > 1 && place) {
		if (header->size < sizeof(*header) + (unsigned)place)
			return NULL;
		event = event_table_find_id(
			events, number_at(is_sample ? raw + place : raw + header->size - place, 8, true));
	}
	return event == HASH_NONE ? NULL : &events->events.items[event];
}

static void swap_records(struct block_stream *stream, struct block_buffer *buffer,
			 const struct record_block *block)
{
	for (size_t at = 0; at < buffer->size;) {
		struct record_header *raw = (struct record_header *)(buffer->data + at);
		struct record_header header = header_at(buffer->data + at, true);
		const struct recorded_event *event = swapped_event(stream->config.events, buffer->data + at,
								   &header);
		uint64_t offset = block->offset_is_fixed ? block->offset : block->offset + at;
		int ret;

		if (header.type == RECORD_SAMPLE && event)
			ret = sample_swap(&event->layout, raw);
		else
			ret = record_swap(raw, event ? event->attr.sample_type : 0,
					  event ? event->attr.read_format : 0,
					  event && event->attr.flags & ATTR_SAMPLE_ID_ALL);
		if (ret < 0)
			perfdata_damage_add(&stream->damage, offset, 0, "a record is too short for its type");
		/* Before the records behind it are turned: it may describe their event. */
		if (is_description(header.type) && stream->first_pass && stream->config.apply)
			stream->config.apply(stream->config.context, raw, offset);
		at += header.size;
	}
}

static void apply_records(struct block_stream *stream, const struct record_block *block)
{
	for (const struct record_header *raw = record_first(block); raw; raw = record_next(block, raw)) {
		uint64_t at = (uint64_t)((const uint8_t *)raw - block->bytes.data);

		if (is_description(raw->type))
			stream->config.apply(stream->config.context, raw,
					     block->offset_is_fixed ? block->offset : block->offset + at);
	}
}

/* A copy of the records at pos: made now, or kept from an earlier pass of a stable stream. */
static struct block_buffer *copy_get(struct block_stream *stream, const uint8_t *pos, size_t size,
				     uint64_t offset)
{
	bool keep = stream->stable;
	size_t low = 0, high = stream->copies.nr;
	struct block_buffer *buffer;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (stream->copies.items[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < stream->copies.nr && stream->copies.items[low].offset == offset &&
	    stream->copies.items[low].size == size) {
		buffer = stream->copies.items[low].buffer;
		buffer->users++;
		return buffer;
	}
	buffer = keep ? buffer_new(stream, size) : buffer_get(stream);
	memcpy(buffer->data, pos, size);
	buffer->size = size;
	if (keep) {
		buffer->kept = true;
		if (low == stream->copies.nr)
			array_push(&stream->copies, (struct copy){ offset, size, buffer });
	}
	return buffer;
}

/* Makes a block of the run at the window's start and takes it off. */
static void emit(struct block_stream *stream, struct window *window, const struct run *run,
		 struct record_block *ret_block)
{
	bool is_unpacked = window == &stream->unpacked;
	struct block_buffer *buffer = window->buffer;

	*ret_block = (struct record_block){
		.bytes = { window->pos, run->size },
		.offset = window->offset,
		.offset_is_fixed = is_unpacked,
		.stream = stream->config.number,
	};
	if (stream->config.swap || (uintptr_t)window->pos % 8) {
		buffer = copy_get(stream, window->pos, run->size, window->offset);
		ret_block->bytes.data = buffer->data;
		if (stream->config.swap)
			swap_records(stream, buffer, ret_block);
	} else if (buffer) {
		buffer->users++;
		if (stream->promised && stream->stable)
			buffer->kept = true;
	}
	ret_block->owner = buffer;
	if (run->has_descriptions && !stream->config.swap && stream->first_pass && stream->config.apply)
		apply_records(stream, ret_block);
	if (is_unpacked)
		window->pos += run->size;
	else
		raw_advance(stream, run->size);
}

/* Passes over what cannot be records. */
static void garbage_pass(struct block_stream *stream, struct window *window)
{
	size_t size = find_records(window->pos, window_left(window), stream->config.swap);

	perfdata_damage_add(&stream->damage, window->offset, size,
			    "there is no record where one should begin");
	if (window == &stream->raw)
		raw_advance(stream, size);
	else
		window->pos += size;
}

/* 1: a block; 0: look at the raw window. */
static int unpacked_next(struct block_stream *stream, struct record_block *ret_block)
{
	for (;;) {
		struct window *window = &stream->unpacked;
		struct run run = walk(window->pos, window_left(window), BLOCK_SIZE, stream->config.swap,
				      true);
		size_t left, drop;

		if (run.size) {
			emit(stream, window, &run, ret_block);
			left = window_left(window);
			drop = run.payload < left ? (size_t)run.payload : left;
			window->pos += drop;
			stream->unpacked_skip = run.payload - drop;
			return 1;
		}
		if (run.stop == RUN_BAD) {
			garbage_pass(stream, window);
		} else if (stream->packed_more) {
			unpack(stream);
		} else {
			if (stream->decoder_dead)
				window->pos = window->end;
			stream->unpacking = false;
			return 0;
		}
	}
}

/* The input has ended: nothing may be left. */
static void check_end(struct block_stream *stream)
{
	size_t left = window_left(&stream->raw);

	if (left)
		perfdata_damage_add(&stream->damage, stream->raw.offset, left,
				    "the recording ends within a record");
	raw_advance(stream, left);
	left = window_left(&stream->unpacked);
	if (left)
		perfdata_damage_add(&stream->damage, stream->unpacked.offset, left,
				    "the compressed data ends within a record");
	stream->unpacked.pos = stream->unpacked.end;
}

int block_stream_next(struct block_stream *stream, struct record_block *ret_block, struct err *err)
{
	for (;;) {
		struct run run;
		int ret = 0;

		if (stream->unpacking && unpacked_next(stream, ret_block))
			return 1;
		run = walk(stream->raw.pos, window_left(&stream->raw), BLOCK_SIZE, stream->config.swap,
			   false);
		if (run.size) {
			emit(stream, &stream->raw, &run, ret_block);
			if (run.stop == RUN_PAYLOAD)
				ret = payload_pass(stream, &run, err);
			if (ret < 0)
				block_stream_done(stream, ret_block);
			return ret < 0 ? ret : 1;
		}
		switch (run.stop) {
		case RUN_COMPRESSED:
			ret = packed_start(stream, err);
			break;
		case RUN_BAD:
			garbage_pass(stream, &stream->raw);
			break;
		default:
			ret = raw_fill(stream, err);
			if (!ret) {
				check_end(stream);
				return 0;
			}
			break;
		}
		if (ret < 0)
			return ret;
	}
}

void block_stream_done(struct block_stream *stream, struct record_block *block)
{
	buffer_put(stream, block->owner);
	block->owner = NULL;
}

static void start(struct block_stream *stream)
{
	const struct span *map = &stream->config.map;

	memset(&stream->damage, 0, sizeof(stream->damage));
	stream->nr_compressed[0] = stream->nr_compressed[1] = 0;
	if (stream->config.fd < 0)
		stream->raw = (struct window){ map->data, map->data + map->size, stream->config.offset,
					       NULL };
	buffer_put(stream, stream->unpacked.buffer);
	stream->unpacked = (struct window){ 0 };
	stream->unpacked_skip = 0;
	stream->unpacking = stream->packed_more = stream->decoder_dead = false;
	if (stream->decoder)
		zstd_decoder_reset(stream->decoder);
}

struct block_stream *block_stream_new(const struct block_stream_config *config)
{
	struct block_stream *stream = xcalloc(1, sizeof(*stream));

	stream->config = *config;
	stream->first_pass = stream->stable = true;
	if (config->swap || (config->fd >= 0 && !config->keep))
		stream->stable = false;
	stream->raw.offset = config->offset;
	stream->tracing = BUF_INIT;
	start(stream);
	return stream;
}

void block_stream_free(struct block_stream *stream)
{
	if (!stream)
		return;
	while (stream->buffers)
		buffer_free(stream, stream->buffers);
	array_release(&stream->chunks);
	array_release(&stream->copies);
	zstd_decoder_free(stream->decoder);
	buf_release(&stream->tracing);
	free(stream);
}

int block_stream_rewind(struct block_stream *stream, struct err *err)
{
	if (stream->config.fd >= 0) {
		if (!stream->config.keep)
			return err_set(err, -ESPIPE, "a pipe can be read only once");
		buffer_put(stream, stream->raw.buffer);
		stream->raw = (struct window){ .offset = stream->config.offset };
		stream->chunk = 0;
		stream->replaying = true;
	}
	stream->first_pass = false;
	start(stream);
	return 0;
}

bool block_stream_is_stable(const struct block_stream *stream)
{
	return stream->stable;
}

void block_stream_promise(struct block_stream *stream)
{
	stream->promised = true;
}

bool block_stream_is_compressed(const struct block_stream *stream)
{
	return stream->compressed;
}

uint64_t block_stream_nr_compressed(const struct block_stream *stream, uint32_t type)
{
	return stream->nr_compressed[type == RECORD_COMPRESSED2];
}

const struct perfdata_damage *block_stream_damage(const struct block_stream *stream)
{
	return &stream->damage;
}

struct span block_stream_tracing(const struct block_stream *stream)
{
	if (stream->tracing_map.size)
		return stream->tracing_map;
	return (struct span){ (const uint8_t *)stream->tracing.data, stream->tracing.size };
}
