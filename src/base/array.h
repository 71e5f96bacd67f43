/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays: `ARRAY(struct mapping) maps;` zeroed is empty; array_push, array_release. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define ARRAY(type) \
	struct { \
		type *items; \
		size_t nr; \
		size_t room; \
	}

/* Makes room for at least `want` items in all. */
#define array_reserve(array, want) \
	do { \
		size_t array_want_ = (want); \
		if ((array)->room < array_want_) { \
			size_t array_room_ = (array)->room ? (array)->room * 2 : 8; \
			while (array_room_ < array_want_) \
				array_room_ *= 2; \
			(array)->items = xreallocarray((array)->items, array_room_, \
						       sizeof(*(array)->items)); \
			(array)->room = array_room_; \
		} \
	} while (0)

#define array_push(array, ...) \
	do { \
		array_reserve((array), (array)->nr + 1); \
		(array)->items[(array)->nr++] = (__VA_ARGS__); \
	} while (0)

/* Appends a zeroed item and gives its address (good until the next push). */
#define array_add(array) \
	({ \
		array_reserve((array), (array)->nr + 1); \
		memset(&(array)->items[(array)->nr], 0, sizeof(*(array)->items)); \
		&(array)->items[(array)->nr++]; \
	})

#define array_release(array) \
	do { \
		free((array)->items); \
		(array)->items = NULL; \
		(array)->nr = (array)->room = 0; \
	} while (0)

#define array_last(array) (&(array)->items[(array)->nr - 1])
#define array_clear(array) ((array)->nr = 0)
#define NR_ITEMS(table) (sizeof(table) / sizeof((table)[0]))

#endif
