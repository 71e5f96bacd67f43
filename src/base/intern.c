/* SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"

#include <string.h>

void intern_init(struct intern *intern)
{
	*intern = (struct intern){ 0 };
	hash_index_init(&intern->index, 256);
	intern_bytes(intern, "", 0);
}

void intern_release(struct intern *intern)
{
	arena_release(&intern->arena);
	hash_index_release(&intern->index);
	array_release(&intern->rows);
}

struct str_id intern_bytes(struct intern *intern, const char *text, size_t size)
{
	uint64_t hash = hash_bytes(text, size, 0);
	uint32_t pos = hash_index_start(&intern->index, hash);
	uint32_t id;
	char *copy;

	while ((id = hash_index_next(&intern->index, hash, &pos)) != HASH_NONE) {
		const struct intern_row *row = &intern->rows.items[id];

		if (row->size == size && (!size || !memcmp(row->text, text, size)))
			return (struct str_id){ id };
	}
	/* Not arena_strndup: a name out of a file may hold NULs, and all of its bytes count. */
	copy = arena_alloc(&intern->arena, size + 1);
	if (size)
		memcpy(copy, text, size);
	copy[size] = '\0';
	id = (uint32_t)intern->rows.nr;
	array_push(&intern->rows, (struct intern_row){ copy, (uint32_t)size, (uint32_t)hash });
	hash_index_insert(&intern->index, hash, id);
	return (struct str_id){ id };
}

struct str_id intern_string(struct intern *intern, const char *text)
{
	return intern_bytes(intern, text, strlen(text));
}
