/* SPDX-License-Identifier: Apache-2.0 */
#include "base/xalloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void out_of_memory(void) __attribute__((noreturn));

static void out_of_memory(void)
{
	static const char text[] = "sonde: out of memory\n";
	ssize_t ignored = write(2, text, sizeof(text) - 1);

	(void)ignored;
	abort();
}

void *xmalloc(size_t size)
{
	void *mem = malloc(size ? size : 1);

	if (!mem)
		out_of_memory();
	return mem;
}

void *xcalloc(size_t nr, size_t size)
{
	void *mem = calloc(nr ? nr : 1, size ? size : 1);

	if (!mem)
		out_of_memory();
	return mem;
}

void *xrealloc(void *old, size_t size)
{
	void *mem = realloc(old, size ? size : 1);

	if (!mem)
		out_of_memory();
	return mem;
}

void *xreallocarray(void *old, size_t nr, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, size, &bytes))
		out_of_memory();
	return xrealloc(old, bytes);
}

void *xmalloc_huge(size_t size)
{
	const size_t huge = (size_t)2 << 20;
	void *mem;

	if (size > SIZE_MAX - huge || posix_memalign(&mem, huge, (size + huge - 1) & ~(huge - 1)))
		out_of_memory();
	/* Where there are no huge pages, small ones do. */
	madvise(mem, (size + huge - 1) & ~(huge - 1), MADV_HUGEPAGE);
	return mem;
}

char *xstrdup(const char *text)
{
	return xmemdup(text, strlen(text) + 1);
}

char *xstrndup(const char *text, size_t size)
{
	size_t length = strnlen(text, size);
	char *copy = xmalloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void *xmemdup(const void *data, size_t size)
{
	void *copy = xmalloc(size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		out_of_memory();
	return text;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	return text;
}
