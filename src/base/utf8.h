/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the valid sequence beyond ASCII at text (2 to 4), 0 when there is none (Unicode 15, table 3-7). */
static inline size_t utf8_length(const uint8_t *text, size_t size)
{
	uint8_t c = text[0];
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

#endif
