/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

/*
 * Memory that is given back all at once. A zeroed arena is empty and ready. arena_reset keeps one
 * chunk for the next round (scratch per record); arena_release gives everything back.
 */
struct arena_chunk;

struct arena {
	struct arena_chunk *chunk; /* newest first */
	char *pos;
	char *end;
	size_t size; /* bytes taken from malloc */
};

void *arena_alloc(struct arena *arena, size_t size)
	__attribute__((returns_nonnull)); /* 16-aligned, not zeroed */
void *arena_zalloc(struct arena *arena, size_t size) __attribute__((returns_nonnull));
void *arena_memdup(struct arena *arena, const void *data, size_t size) __attribute__((returns_nonnull));
char *arena_strdup(struct arena *arena, const char *text) __attribute__((returns_nonnull));
char *arena_strndup(struct arena *arena, const char *text, size_t size) __attribute__((returns_nonnull));
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));
void arena_reset(struct arena *arena);
void arena_release(struct arena *arena);

#endif
