/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of one file or pipe, cut into blocks of whole, checked records in this machine's byte order.
 * perfdata_reader knows what a recording consists of; this knows how its bytes become blocks.
 * Not thread-safe: the reader locks.
 */
#ifndef RECORD_BLOCK_STREAM_H
#define RECORD_BLOCK_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "record/event_table.h"
#include "record/perfdata_damage.h"
#include "record/source.h"

struct block_stream;

struct block_stream_config {
	struct span map; /* the data, when it is mapped; */
	int fd; /* else where to read it, or -1 */
	bool keep; /* fd: keep what was read, for rewind */
	uint64_t offset; /* of the first byte in the file */
	uint32_t number; /* record_block.stream */
	bool swap; /* the bytes are of the other order */
	const struct event_table *events; /* for swapping */
	/* Sees HEADER_ATTR, EVENT_UPDATE and HEADER_FEATURE records during the first pass, before their block is given out. */
	void (*apply)(void *context, const struct record_header *raw, uint64_t offset);
	void *context;
};

struct block_stream *block_stream_new(const struct block_stream_config *config);
void block_stream_free(struct block_stream *stream);
/* 1: a block; 0: the end; -errno. */
int block_stream_next(struct block_stream *stream, struct record_block *ret_block, struct err *err);
void block_stream_done(struct block_stream *stream, struct record_block *block);
/* -ESPIPE when the bytes were not kept. */
int block_stream_rewind(struct block_stream *stream, struct err *err);
/* Whether blocks stay valid until the stream is freed. True may only turn false before block_stream_promise. */
bool block_stream_is_stable(const struct block_stream *stream);
/* From now on is_stable stays what it is: what would break it is kept in memory instead. */
void block_stream_promise(struct block_stream *stream);
bool block_stream_is_compressed(const struct block_stream *stream); /* COMPRESSED records have been met */
/* How many records of type COMPRESSED or COMPRESSED2 the pass under way has met. */
uint64_t block_stream_nr_compressed(const struct block_stream *stream, uint32_t type);
const struct perfdata_damage *block_stream_damage(
	const struct block_stream *stream); /* of the pass under way */
/* What followed a TRACING_DATA record; size 0: none was met. */
struct span block_stream_tracing(const struct block_stream *stream);

#endif
