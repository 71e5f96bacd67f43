/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distances between what was typed and what exists.
 *
 * A candidate is worth showing when few of its letters would have to change: at most one in three of the longer
 * text (one for very short words). A candidate that begins with the whole of what was typed (three letters or
 * more) counts as one slip: people stop typing in the middle of a word. One whose beginning is nearly what was
 * typed counts as one slip more than that beginning.
 */
#include "cli/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

#define LENGTH_MAX 63

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

static char fold(char c)
{
	return (char)tolower((unsigned char)c);
}

size_t suggest_distance(const char *a, const char *b)
{
	size_t rows[3][LENGTH_MAX + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	size_t a_size = strlen(a), b_size = strlen(b);

	if (a_size > LENGTH_MAX || b_size > LENGTH_MAX)
		return strcasecmp(a, b) ? (a_size > b_size ? a_size : b_size) : 0;
	for (size_t j = 0; j <= b_size; j++)
		above[j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			bool same = fold(a[i - 1]) == fold(b[j - 1]);

			row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + !same);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]) && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[b_size];
}

/* To as many letters of name as were typed, or one more or less: a letter may be missing or doubled. */
static size_t beginning_distance(const char *wanted, const char *name, size_t size)
{
	char head[LENGTH_MAX + 1];
	size_t best = SIZE_MAX;

	if (size + 1 > LENGTH_MAX)
		return best;
	for (size_t length = size - 1; length <= size + 1 && length <= strlen(name); length++) {
		size_t distance;

		memcpy(head, name, length);
		head[length] = '\0';
		distance = suggest_distance(wanted, head);
		if (distance < best)
			best = distance;
	}
	return best;
}

void suggest_offer(struct suggest *suggest, const char *name)
{
	size_t wanted_size = strlen(suggest->wanted), name_size = strlen(name);
	size_t longer = wanted_size > name_size ? wanted_size : name_size;
	size_t limit = longer <= 3 ? 1 : longer / 3;
	size_t short_limit = wanted_size <= 3 ? 0 : 1; /* for beginnings */
	size_t distance;

	if (wanted_size < 2 || name_size < 2)
		return;
	distance = suggest_distance(suggest->wanted, name);
	if (wanted_size >= 3 && wanted_size < name_size) {
		size_t beginning = beginning_distance(suggest->wanted, name, wanted_size);

		if (beginning <= short_limit && beginning + 1 < distance)
			distance = beginning + 1;
	}
	if (distance > limit || (suggest->nr && distance > suggest->distance))
		return;
	if (suggest->nr && distance < suggest->distance)
		suggest->nr = 0;
	for (size_t i = 0; i < suggest->nr; i++)
		if (!strcmp(suggest->names[i], name))
			return;
	suggest->distance = distance;
	if (suggest->nr < NR_ITEMS(suggest->names))
		suggest->names[suggest->nr++] = name;
}
