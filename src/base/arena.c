/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define CHUNK_SIZE_MIN 4096
#define CHUNK_SIZE_MAX (1 << 20)

struct arena_chunk {
	struct arena_chunk *older;
	size_t size;
	_Alignas(16) char bytes[];
};

static void arena_add_chunk(struct arena *arena, size_t size)
{
	/* Twice of what there is, so that scratch which is reset settles in a chunk that holds a whole round. */
	size_t room = arena->size < CHUNK_SIZE_MIN ? CHUNK_SIZE_MIN : 2 * arena->size;
	struct arena_chunk *chunk;

	if (room > CHUNK_SIZE_MAX)
		room = CHUNK_SIZE_MAX;
	if (room < size)
		room = size;
	chunk = xmalloc(sizeof(*chunk) + room);
	chunk->older = arena->chunk;
	chunk->size = room;
	arena->chunk = chunk;
	arena->pos = chunk->bytes;
	arena->end = chunk->bytes + room;
	arena->size += sizeof(*chunk) + room;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	void *mem;

	if (size > SIZE_MAX / 2)
		return xmalloc(size); /* out of memory, which does not return; the sum below would wrap */
	size = (size + 15) & ~(size_t)15;
	if (size > (size_t)(arena->end - arena->pos) || !arena->chunk)
		arena_add_chunk(arena, size);
	mem = arena->pos;
	arena->pos += size;
	return mem;
}

void *arena_zalloc(struct arena *arena, size_t size)
{
	return memset(arena_alloc(arena, size), 0, size);
}

void *arena_memdup(struct arena *arena, const void *data, size_t size)
{
	void *copy = arena_alloc(arena, size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

char *arena_strndup(struct arena *arena, const char *text, size_t size)
{
	size_t length = strnlen(text, size);
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_memdup(arena, text, strlen(text) + 1);
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	char *text;
	int length;

	va_start(ap, fmt);
	length = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (length < (int)sizeof(small))
		return arena_memdup(arena, small, (size_t)length + 1);
	text = arena_alloc(arena, (size_t)length + 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)length + 1, fmt, ap);
	va_end(ap);
	return text;
}

void arena_reset(struct arena *arena)
{
	struct arena_chunk *keep = arena->chunk;

	if (!keep)
		return;
	while (keep->older) {
		struct arena_chunk *older = keep->older->older;

		arena->size -= sizeof(*keep) + keep->older->size;
		free(keep->older);
		keep->older = older;
	}
	arena->pos = keep->bytes;
	arena->end = keep->bytes + keep->size;
}

void arena_release(struct arena *arena)
{
	while (arena->chunk) {
		struct arena_chunk *older = arena->chunk->older;

		free(arena->chunk);
		arena->chunk = older;
	}
	*arena = (struct arena){ 0 };
}
