/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

/* Strings as 32-bit ids: equal strings have equal ids. Id 0 is the empty string. Not thread-safe. */
struct str_id {
	uint32_t v;
};

struct intern_row {
	const char *text;
	uint32_t size;
	uint32_t hash;
};

struct intern {
	struct arena arena;
	struct hash_index index;
	ARRAY(struct intern_row) rows;
};

void intern_init(struct intern *intern);
void intern_release(struct intern *intern);
/* Find or add; the text is copied. */
struct str_id intern_string(struct intern *intern, const char *text);
struct str_id intern_bytes(struct intern *intern, const char *text, size_t size);

/* NUL-terminated, valid as long as the table. */
static inline const char *intern_text(const struct intern *intern, struct str_id id)
{
	return intern->rows.items[id.v].text;
}

static inline uint32_t intern_size(const struct intern *intern, struct str_id id)
{
	return intern->rows.items[id.v].size;
}

#endif
