/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int err_errno(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;
	size_t used;

	if (!err)
		return code;
	err->code = code;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(-code));
	return code;
}

void err_hint(struct err *err, const char *fmt, ...)
{
	va_list ap;
	size_t used;

	if (!err)
		return;
	used = strlen(err->hint);
	if (used && used + 1 < sizeof(err->hint)) {
		err->hint[used++] = '\n';
		err->hint[used] = '\0';
	}
	va_start(ap, fmt);
	vsnprintf(err->hint + used, sizeof(err->hint) - used, fmt, ap);
	va_end(ap);
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list ap;
	size_t used;

	if (!err)
		return;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", old);
}

void err_clear(struct err *err)
{
	if (!err)
		return;
	err->code = 0;
	err->text[0] = '\0';
	err->hint[0] = '\0';
}
