/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"

#define WRITE_SIZE (256 * 1024)

void buf_init(struct buf *buf, int fd)
{
	*buf = BUF_INIT;
	buf->fd = fd;
}

void buf_release(struct buf *buf)
{
	free(buf->data);
	buf->data = NULL;
	buf->size = buf->room = 0;
}

int buf_flush(struct buf *buf)
{
	if (buf->fd >= 0 && buf->size) {
		int ret = buf->error ? 0 : file_write_all(buf->fd, buf->data, buf->size);

		if (ret < 0)
			buf->error = ret;
		buf->size = 0;
	}
	return buf->error;
}

void buf_grow(struct buf *buf, size_t more)
{
	size_t room;

	if (buf->fd >= 0 && buf->size >= WRITE_SIZE)
		buf_flush(buf);
	if (more <= buf->room - buf->size)
		return;
	room = buf->room ? buf->room : 1024;
	if (buf->fd >= 0 && room < WRITE_SIZE + 4096)
		room = WRITE_SIZE + 4096;
	while (room - buf->size < more)
		room *= 2;
	buf->data = xrealloc(buf->data, room);
	buf->room = room;
}

void buf_vprintf(struct buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	size_t room = buf->room - buf->size;
	int length;

	va_copy(again, ap);
	length = vsnprintf(room ? buf->data + buf->size : NULL, room, fmt, ap);
	if (length > 0 && (size_t)length >= room) {
		buf_grow(buf, (size_t)length + 1);
		vsnprintf(buf->data + buf->size, buf->room - buf->size, fmt, again);
	}
	va_end(again);
	if (length > 0)
		buf->size += (size_t)length;
}

void buf_printf(struct buf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(buf, fmt, ap);
	va_end(ap);
}

void buf_fill(struct buf *buf, char c, size_t nr)
{
	if (!nr)
		return;
	if (nr > buf->room - buf->size)
		buf_grow(buf, nr);
	memset(buf->data + buf->size, c, nr);
	buf->size += nr;
}

/* Digits of value, written backwards from end; returns where they start. */
static char *digits(char *end, uint64_t value)
{
	do {
		*--end = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return end;
}

static char *hex_digits(char *end, uint64_t value)
{
	do {
		*--end = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	return end;
}

static void put_right(struct buf *buf, const char *start, const char *end, unsigned width, char fill)
{
	size_t size = (size_t)(end - start);

	if (size < width)
		buf_fill(buf, fill, width - size);
	buf_put(buf, start, size);
}

void buf_u64(struct buf *buf, uint64_t value)
{
	char text[24], *end = text + sizeof(text), *start = digits(end, value);

	buf_put(buf, start, (size_t)(end - start));
}

void buf_i64(struct buf *buf, int64_t value)
{
	if (value < 0)
		buf_putc(buf, '-');
	buf_u64(buf, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void buf_hex(struct buf *buf, uint64_t value)
{
	char text[16], *end = text + sizeof(text), *start = hex_digits(end, value);

	buf_put(buf, start, (size_t)(end - start));
}

void buf_u64_right(struct buf *buf, uint64_t value, unsigned width)
{
	char text[24], *end = text + sizeof(text);

	put_right(buf, digits(end, value), end, width, ' ');
}

void buf_u64_zero(struct buf *buf, uint64_t value, unsigned width)
{
	char text[24], *end = text + sizeof(text);

	put_right(buf, digits(end, value), end, width, '0');
}

void buf_hex_right(struct buf *buf, uint64_t value, unsigned width)
{
	char text[16], *end = text + sizeof(text);

	put_right(buf, hex_digits(end, value), end, width, ' ');
}

void buf_str_right(struct buf *buf, const char *text, unsigned width)
{
	put_right(buf, text, text + strlen(text), width, ' ');
}

void buf_str_left(struct buf *buf, const char *text, unsigned width)
{
	size_t size = strlen(text);

	buf_put(buf, text, size);
	if (size < width)
		buf_fill(buf, ' ', width - size);
}

char *buf_text(struct buf *buf)
{
	buf_putc(buf, '\0');
	buf->size--;
	return buf->data;
}
