/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

struct json json_of(struct buf *buf)
{
	return (struct json){ .buf = buf };
}

static void before_value(struct json *json)
{
	if (json->after_key) {
		json->after_key = false;
		return;
	}
	if (json->filled)
		buf_putc(json->buf, ',');
	json->filled = true;
}

static void open_level(struct json *json, char c)
{
	before_value(json);
	buf_putc(json->buf, c);
	json->filled = false;
}

static void close_level(struct json *json, char c)
{
	buf_putc(json->buf, c);
	json->filled = true; /* the one around it has this member now */
}

void json_open_object(struct json *json)
{
	open_level(json, '{');
}

void json_close_object(struct json *json)
{
	close_level(json, '}');
}

void json_open_array(struct json *json)
{
	open_level(json, '[');
}

void json_close_array(struct json *json)
{
	close_level(json, ']');
}

static void put_string(struct buf *buf, const char *text, size_t size)
{
	const unsigned char *pos = (const unsigned char *)text;
	const unsigned char *end = pos + size;

	buf_putc(buf, '"');
	while (pos < end) {
		unsigned char c = *pos;
		size_t length;

		if (c == '"' || c == '\\') {
			buf_putc(buf, '\\');
			buf_putc(buf, (char)c);
			pos++;
		} else if (c == '\n') {
			buf_str(buf, "\\n");
			pos++;
		} else if (c == '\t') {
			buf_str(buf, "\\t");
			pos++;
		} else if (c < 0x20 || c == 0x7f) {
			buf_printf(buf, "\\u%04x", c);
			pos++;
		} else if (c < 0x80) {
			buf_putc(buf, (char)c);
			pos++;
		} else if ((length = utf8_length(pos, (size_t)(end - pos)))) {
			buf_put(buf, pos, length);
			pos += length;
		} else {
			buf_str(buf, "\xef\xbf\xbd");
			pos++;
		}
	}
	buf_putc(buf, '"');
}

void json_key(struct json *json, const char *key)
{
	before_value(json);
	put_string(json->buf, key, strlen(key));
	buf_putc(json->buf, ':');
	json->after_key = true;
}

void json_bytes(struct json *json, const char *text, size_t size)
{
	before_value(json);
	put_string(json->buf, text, size);
}

void json_string(struct json *json, const char *text)
{
	json_bytes(json, text, strlen(text));
}

void json_u64(struct json *json, uint64_t value)
{
	before_value(json);
	buf_u64(json->buf, value);
}

void json_i64(struct json *json, int64_t value)
{
	before_value(json);
	buf_i64(json->buf, value);
}

void json_double(struct json *json, double value, int digits)
{
	before_value(json);
	if (isfinite(value))
		buf_printf(json->buf, "%.*f", digits, value);
	else
		buf_str(json->buf, "null");
}

void json_bool(struct json *json, bool value)
{
	before_value(json);
	buf_str(json->buf, value ? "true" : "false");
}

void json_null(struct json *json)
{
	before_value(json);
	buf_str(json->buf, "null");
}
