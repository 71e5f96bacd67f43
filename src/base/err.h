/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>

/*
 * What went wrong, in words, next to the -errno that the function returns. Filled by the function
 * that knows most about the failure, printed by cmd/ only: "sonde: TEXT", then HINT (what to do
 * about it) on its own lines. A NULL struct err * is allowed everywhere: the words are dropped.
 */
struct err {
	int code; /* the -errno that was returned; 0: nothing happened */
	char text[1024];
	char hint[1024]; /* empty: no advice */
};

/* Stores code and the formatted text, clears the hint; returns code (a -errno), for `return err_set(...)`. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* As err_set, with ": " and the words of strerror(-code) behind the text. */
int err_errno(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds advice to an error that is already set; several calls add lines. */
void err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "PREFIX: " in front of the text that is there: the caller's view of the same failure. */
void err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_clear(struct err *err);

#endif
