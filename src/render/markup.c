/* SPDX-License-Identifier: Apache-2.0 */
#include "render/markup.h"

#include <stdint.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* As utf8_length, without what is no text: C1 controls, U+FFFE and U+FFFF, and what turns the direction of writing. */
static size_t character_size(const uint8_t *text, size_t left)
{
	size_t size = utf8_length(text, left);

	if (size == 2 && text[0] == 0xc2 && text[1] < 0xa0)
		return 0;
	if (size == 3 && text[0] == 0xef && text[1] == 0xbf && text[2] >= 0xbe)
		return 0;
	if (size == 3 && text[0] == 0xe2 &&
	    ((text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
	     (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9)))
		return 0;
	return size;
}

static const char *escape_of(uint8_t c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return c < 0x20 || c == 0x7f ? REPLACEMENT : NULL;
	}
}

void markup_bytes(struct buf *buf, const char *text, size_t size)
{
	const uint8_t *pos = (const uint8_t *)text;
	const uint8_t *end = pos + size;

	while (pos < end) {
		const char *escape = escape_of(*pos);
		size_t length = 1;

		if (!escape && *pos >= 0x80) {
			length = character_size(pos, (size_t)(end - pos));
			if (!length) {
				escape = REPLACEMENT;
				length = utf8_length(pos, (size_t)(end - pos));
				length += !length;
			}
		}
		if (escape)
			buf_str(buf, escape);
		else
			buf_put(buf, pos, length);
		pos += length;
	}
}

void markup_text(struct buf *buf, const char *text)
{
	if (text)
		markup_bytes(buf, text, strlen(text));
}
