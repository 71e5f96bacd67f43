/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <math.h>
#include <string.h>

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
	if (json->filled >> (json->depth & 63) & 1)
		buf_putc(json->buf, ',');
	json->filled |= 1ull << (json->depth & 63);
}

static void open_level(struct json *json, char c)
{
	before_value(json);
	buf_putc(json->buf, c);
	json->depth++;
	json->filled &= ~(1ull << (json->depth & 63));
}

static void close_level(struct json *json, char c)
{
	json->depth--;
	buf_putc(json->buf, c);
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

/* Length of the valid UTF-8 sequence at text, 0 when there is none (Unicode 15, table 3-7). */
static size_t utf8_length(const unsigned char *text, size_t size)
{
	unsigned char c = text[0];
	size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;

	if (c < 0xc2 || c > 0xf4 || size < length)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) || (c == 0xf0 && text[1] < 0x90) ||
	    (c == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
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
