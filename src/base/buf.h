/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text or bytes being written: a growing block of memory, optionally in front of a file.
 *
 * With fd >= 0 the block is written out whenever it passes 256 KiB and at buf_flush; a failed write
 * is remembered in `error` (a -errno) and later output is dropped, so a renderer needs no checks:
 * whoever opened the buf asks once at the end.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
	char *data;
	size_t size;
	size_t room;
	int fd; /* -1: memory only */
	int error; /* first failed write, -errno */
};

#define BUF_INIT ((struct buf){ .fd = -1 })

void buf_init(struct buf *buf, int fd);
void buf_release(struct buf *buf); /* frees memory; does not flush, does not close */
int buf_flush(struct buf *buf); /* 0, or the first -errno of any write so far */
void buf_grow(struct buf *buf, size_t more); /* makes room for `more` bytes; may write out */

void buf_printf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void buf_fill(struct buf *buf, char c, size_t nr);
void buf_u64(struct buf *buf, uint64_t value); /* decimal */
void buf_i64(struct buf *buf, int64_t value);
void buf_hex(struct buf *buf, uint64_t value); /* lower case, no 0x, no leading zeros */
void buf_u64_right(struct buf *buf, uint64_t value, unsigned width); /* right-aligned with blanks */
void buf_u64_zero(struct buf *buf, uint64_t value, unsigned width); /* right-aligned with zeros */
void buf_hex_right(struct buf *buf, uint64_t value, unsigned width);
void buf_str_right(struct buf *buf, const char *text, unsigned width);
void buf_str_left(struct buf *buf, const char *text, unsigned width);
/* NUL-terminates (the NUL does not count) and returns the text; for memory-only bufs. */
char *buf_text(struct buf *buf);

static inline void buf_put(struct buf *buf, const void *data, size_t size)
{
	if (!size)
		return;
	if (size > buf->room - buf->size)
		buf_grow(buf, size);
	memcpy(buf->data + buf->size, data, size);
	buf->size += size;
}

static inline void buf_putc(struct buf *buf, char c)
{
	if (buf->size == buf->room)
		buf_grow(buf, 1);
	buf->data[buf->size++] = c;
}

static inline void buf_str(struct buf *buf, const char *text)
{
	buf_put(buf, text, strlen(text));
}

#endif
