/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds-checked reading of untrusted bytes.
 *
 * A cursor walks a span. A read past the end returns 0 (or NULL), moves the cursor to the end and
 * sets `failed`, which stays set: a decoder reads all fields of a structure and asks once at the
 * end whether they were all there. `swap` turns the byte order of every number.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"

struct cursor {
	const uint8_t *start;
	const uint8_t *pos;
	const uint8_t *end;
	bool swap;
	bool failed;
};

static inline struct cursor cursor_of(const void *data, size_t size, bool swap)
{
	/* NULL is a fine address for nothing, but not for adding 0 to. */
	const uint8_t *start = data ? data : (const uint8_t *)"";

	return (struct cursor){ start, start, start + size, swap, false };
}

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->pos);
}

/* Bytes read so far. */
static inline size_t cursor_offset(const struct cursor *cursor)
{
	return (size_t)(cursor->pos - cursor->start);
}

/* The next size bytes, in place; NULL (and failed) when there are fewer. */
static inline const void *cursor_bytes(struct cursor *cursor, size_t size)
{
	const uint8_t *pos = cursor->pos;

	if (size > cursor_left(cursor)) {
		cursor->failed = true;
		cursor->pos = cursor->end;
		return NULL;
	}
	cursor->pos += size;
	return pos;
}

static inline bool cursor_skip(struct cursor *cursor, size_t size)
{
	return cursor_bytes(cursor, size) != NULL;
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	const uint8_t *p = cursor_bytes(cursor, 1);

	return p ? *p : 0;
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	const void *p = cursor_bytes(cursor, 2);
	uint16_t value = 0;

	if (p)
		memcpy(&value, p, sizeof(value));
	return cursor->swap ? __builtin_bswap16(value) : value;
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	const void *p = cursor_bytes(cursor, 4);
	uint32_t value = 0;

	if (p)
		memcpy(&value, p, sizeof(value));
	return cursor->swap ? __builtin_bswap32(value) : value;
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	const void *p = cursor_bytes(cursor, 8);
	uint64_t value = 0;

	if (p)
		memcpy(&value, p, sizeof(value));
	return cursor->swap ? __builtin_bswap64(value) : value;
}

/* A NUL-terminated string within the span, in place; NULL (and failed) when no NUL comes. */
static inline const char *cursor_string(struct cursor *cursor)
{
	const uint8_t *pos = cursor->pos;
	size_t left = cursor_left(cursor);
	const uint8_t *nul = left ? memchr(pos, 0, left) : NULL;

	if (!nul) {
		cursor->failed = true;
		cursor->pos = cursor->end;
		return NULL;
	}
	cursor->pos = nul + 1;
	return (const char *)pos;
}

#endif
