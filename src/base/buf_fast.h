/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of buf.h for loops that write hundreds of millions of short pieces: inlined, without calls to memcpy
 * (which cost more than the few bytes they move) and without division by a variable. The same text comes out.
 */
#ifndef BASE_BUF_FAST_H
#define BASE_BUF_FAST_H

#include <stdint.h>
#include <string.h>

#include "base/buf.h"

/* Makes sure that so many bytes can be written at buf->data + buf->size. */
static inline char *buf_fast_room(struct buf *buf, size_t size)
{
	if (size > buf->room - buf->size || !buf->data)
		buf_grow(buf, size ? size : 1);
	return buf->data + buf->size;
}

/* As buf_put, for pieces that are mostly shorter than 32 bytes: a first and a last part, which may overlap. */
static inline void buf_fast_put(struct buf *buf, const void *data, size_t size)
{
	char *to = buf_fast_room(buf, size);
	const char *from = data;

	if (size > 32) {
		memcpy(to, from, size);
	} else if (size >= 16) {
		memcpy(to, from, 16);
		memcpy(to + size - 16, from + size - 16, 16);
	} else if (size >= 8) {
		memcpy(to, from, 8);
		memcpy(to + size - 8, from + size - 8, 8);
	} else if (size >= 4) {
		memcpy(to, from, 4);
		memcpy(to + size - 4, from + size - 4, 4);
	} else if (size) {
		to[0] = from[0];
		to[size / 2] = from[size / 2];
		to[size - 1] = from[size - 1];
	}
	buf->size += size;
}

/* Eight hexadecimal digits, the highest first, as the bytes of a number in memory order. */
static inline uint64_t buf_fast_hex_digits(uint32_t value)
{
	uint64_t x = value, letters;

	x = (x << 16 | x) & 0x0000ffff0000ffffull;
	x = (x << 8 | x) & 0x00ff00ff00ff00ffull;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0full;
	letters = (x + 0x0606060606060606ull) >> 4 & 0x0101010101010101ull;
	x += 0x3030303030303030ull + letters * ('a' - '0' - 10);
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(x) : x;
}

/* As buf_hex. */
static inline void buf_fast_hex(struct buf *buf, uint64_t value)
{
	unsigned nr = (67 - (unsigned)__builtin_clzll(value | 1)) / 4;
	char *to = buf_fast_room(buf, 16);
	uint64_t high, low;

	value <<= 64 - nr * 4;
	high = buf_fast_hex_digits((uint32_t)(value >> 32));
	memcpy(to, &high, 8);
	if (nr > 8) {
		low = buf_fast_hex_digits((uint32_t)value);
		memcpy(to + 8, &low, 8);
	}
	buf->size += nr;
}

static inline unsigned buf_fast_nr_digits(uint64_t value)
{
	static const uint64_t powers[] = {
		0,
		10ull,
		100ull,
		1000ull,
		10000ull,
		100000ull,
		1000000ull,
		10000000ull,
		100000000ull,
		1000000000ull,
		10000000000ull,
		100000000000ull,
		1000000000000ull,
		10000000000000ull,
		100000000000000ull,
		1000000000000000ull,
		10000000000000000ull,
		100000000000000000ull,
		1000000000000000000ull,
		10000000000000000000ull,
	};
	/* 1233 / 4096 is log10(2): at most one too many. */
	unsigned guess = (64 - (unsigned)__builtin_clzll(value | 1)) * 1233 >> 12;

	return guess + (value >= powers[guess]);
}

/* Writes nr decimal digits that end at `end`; value has no more. */
static inline void buf_fast_digits(char *end, uint64_t value, unsigned nr)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";

	for (; nr >= 2; nr -= 2) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (nr)
		end[-1] = (char)('0' + value % 10);
}

/* As buf_u64. */
static inline void buf_fast_u64(struct buf *buf, uint64_t value)
{
	unsigned nr = buf_fast_nr_digits(value);
	char *to = buf_fast_room(buf, 20);

	buf_fast_digits(to + nr, value, nr);
	buf->size += nr;
}

/* As buf_i64. */
static inline void buf_fast_i64(struct buf *buf, int64_t value)
{
	if (value < 0)
		buf_putc(buf, '-');
	buf_fast_u64(buf, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* As buf_u64_right; width at most 32. */
static inline void buf_fast_u64_right(struct buf *buf, uint64_t value, unsigned width)
{
	unsigned nr = buf_fast_nr_digits(value), size = nr < width ? width : nr;
	char *to = buf_fast_room(buf, 32);

	for (unsigned i = 0; i + nr < size; i++)
		to[i] = ' ';
	buf_fast_digits(to + size, value, nr);
	buf->size += size;
}

/* Exactly nr digits, with leading zeros; value has no more. */
static inline void buf_fast_zero(struct buf *buf, uint64_t value, unsigned nr)
{
	buf_fast_digits(buf_fast_room(buf, nr) + nr, value, nr);
	buf->size += nr;
}

#endif
