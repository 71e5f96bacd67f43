/* SPDX-License-Identifier: Apache-2.0 */
#include "event/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void filter_and(char **filter, const char *more)
{
	char *both;

	if (!*filter) {
		*filter = xstrdup(more);
		return;
	}
	both = xasprintf("(%s) && (%s)", *filter, more);
	free(*filter);
	*filter = both;
}

static bool word_in(const char *words, const char *word, size_t size)
{
	while (*words) {
		size_t length = strcspn(words, " ");

		if (length == size && !memcmp(words, word, size))
			return true;
		words += length;
		words += strspn(words, " ");
	}
	return false;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static int explain_at(struct err *err, const char *filter, const char *at, const char *event,
		      const char *what)
{
	err_set(err, -EINVAL, "the filter of %s is wrong: %s", event, what);
	err_hint(err, "    %s", filter);
	err_hint(err, "    %*s^", (int)(at - filter), "");
	return -EINVAL;
}

int filter_explain(const char *filter, const char *event, const char *fields, struct err *err)
{
	static const char builtin[] = "cpu comm CPU COMM stacktrace STACKTRACE cpumask";
	static const char *const operators[] = { "==", "!=", "<=", ">=", "<", ">", "&", "~" };
	const char *at = filter;
	int depth = 0;
	bool left_side = true;

	while (*at) {
		if (isspace((unsigned char)*at)) {
			at++;
		} else if (*at == '(' || *at == ')') {
			depth += *at == '(' ? 1 : -1;
			if (depth < 0)
				return explain_at(err, filter, at, event,
						  "a parenthesis is closed that is not open");
			at++;
		} else if (*at == '!' && at[1] != '=') {
			at++;
		} else if (!strncmp(at, "&&", 2) || !strncmp(at, "||", 2)) {
			left_side = true;
			at += 2;
		} else if (*at == '"' || *at == '\'') {
			const char *end = strchr(at + 1, *at);

			if (!end)
				return explain_at(err, filter, at, event, "a quote is not closed");
			at = end + 1;
		} else if (is_word_char(*at)) {
			size_t size = 0, name_size;

			while (is_word_char(at[size]))
				size++;
			name_size = strcspn(at, "."); /* filename.ustring */
			if (name_size > size)
				name_size = size;
			if (left_side && !word_in(fields, at, name_size) &&
			    !word_in(builtin, at, name_size)) {
				explain_at(err, filter, at, event, "there is no such field");
				err_hint(err, "Its fields: %s", fields);
				return -EINVAL;
			}
			at += size;
		} else {
			size_t i, nr = sizeof(operators) / sizeof(operators[0]);

			if (left_side) {
				for (i = 0; i < nr && strncmp(at, operators[i], strlen(operators[i])); i++)
					;
				if (i == nr)
					return explain_at(err, filter, at, event,
							  "an operator is expected: == != < <= > >= & ~");
				at += strlen(operators[i]);
				left_side = false;
			} else {
				at++;
			}
		}
	}
	if (depth)
		return explain_at(err, filter, at, event, "a parenthesis is still open");
	err_set(err, -EINVAL, "the kernel refuses the filter of %s: %s", event, filter);
	err_hint(
		err,
		"Compare numbers with == != < <= > >= &, text with == != ~ \"*pattern*\"; join with && and ||.");
	err_hint(err, "Its fields: %s", fields);
	return -EINVAL;
}
