/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Allocation that cannot fail: out of memory ends the program with one line. Sizes that come from
 * input must be checked by the caller before they get here.
 */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t nr, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *old, size_t size) __attribute__((returns_nonnull));
/* As xrealloc for nr elements of size bytes; an overflowing product ends the program. */
void *xreallocarray(void *old, size_t nr, size_t size) __attribute__((returns_nonnull));
/* For tables that are hit at random: aligned to 2 MiB and asked to be in huge pages. Not zeroed; free() frees it. */
void *xmalloc_huge(size_t size) __attribute__((malloc, returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *text, size_t size) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *data, size_t size) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0), returns_nonnull));

#endif
