/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Writes JSON into a buf; commas are kept here, at any depth. Strings that are not UTF-8 are written with U+FFFD. */
struct json {
	struct buf *buf;
	bool filled; /* the object or array that is open has a member already */
	bool after_key;
};

struct json json_of(struct buf *buf);
void json_open_object(struct json *json);
void json_close_object(struct json *json);
void json_open_array(struct json *json);
void json_close_array(struct json *json);
void json_key(struct json *json, const char *key);
void json_string(struct json *json, const char *text);
void json_bytes(struct json *json, const char *text, size_t size);
void json_u64(struct json *json, uint64_t value);
void json_i64(struct json *json, int64_t value);
void json_double(struct json *json, double value, int digits);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

#endif
