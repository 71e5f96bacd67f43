/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_SOURCE_H
#define RECORD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "record/record.h"

/*
 * Whole records, back to back, in this machine's byte order. Every header in a block is checked by the
 * source: size >= 8 and within the block. What the block's bytes stand on (a file mapping, a buffer of
 * decompressed data) is the source's business: they stay valid until record_source_done, or, when
 * the source says `stable`, until the source is closed.
 *
 * next and done may be called from several threads; the source serialises itself. Blocks come in file order.
 */
struct record_block {
	struct span bytes;
	uint64_t offset; /* of the first record in the file, for messages */
	bool offset_is_fixed; /* compressed: all records stand at `offset` */
	uint32_t stream; /* which data file of a directory recording (0: the only or first) */
	void *owner;
};

struct record_source {
	/* 1: a block; 0: the end; -errno: cannot go on (what could be read has been given before). */
	int (*next)(struct record_source *source, struct record_block *ret_block, struct err *err);
	void (*done)(struct record_source *source, struct record_block *block);
	/* Starts again from the first record. 0 or -errno. */
	int (*rewind)(struct record_source *source, struct err *err);
	bool stable; /* bytes of all blocks stay valid until the source is closed */
};

static inline int record_source_next(struct record_source *source, struct record_block *ret_block,
				     struct err *err)
{
	return source->next(source, ret_block, err);
}

static inline void record_source_done(struct record_source *source, struct record_block *block)
{
	source->done(source, block);
}

static inline int record_source_rewind(struct record_source *source, struct err *err)
{
	return source->rewind(source, err);
}

/* for (raw = record_first(&block); raw; raw = record_next(&block, raw)) */
static inline const struct record_header *record_first(const struct record_block *block)
{
	return block->bytes.size ? (const struct record_header *)block->bytes.data : NULL;
}

static inline const struct record_header *record_next(const struct record_block *block,
						      const struct record_header *raw)
{
	const uint8_t *pos = (const uint8_t *)raw + raw->size;

	return pos < block->bytes.data + block->bytes.size ? (const struct record_header *)pos : NULL;
}

#endif
