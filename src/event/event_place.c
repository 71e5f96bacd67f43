/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event_place.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define PICTURE_WIDTH 64

/* "event syntax error: 'TEXT'" with "\___ WORDS" below the place; long texts are cut around it. */
int event_place_complain(struct event_place *place, const char *at, int code, const char *words)
{
	static const char head[] = "event syntax error: '";
	size_t size = strlen(place->text), column = (size_t)(at - place->text);
	size_t from = column > PICTURE_WIDTH / 2 && size > PICTURE_WIDTH ? column - PICTURE_WIDTH / 2 : 0;
	size_t shown = size - from > PICTURE_WIDTH ? PICTURE_WIDTH : size - from;

	return err_set(place->err, code, "%s%s%.*s%s'\n%*s\\___ %s", head, from ? ".." : "", (int)shown,
		       place->text + from, from + shown < size ? ".." : "",
		       (int)(sizeof(head) - 1 + (from ? 2 : 0) + column - from), "", words);
}

int event_place_complain_unknown(struct event_place *place, const char *at, enum event_unknown unknown,
				 const char *word, const char *context, const char *words)
{
	struct event_parser *parser = place->parser;

	parser->unknown = unknown;
	snprintf(parser->unknown_word, sizeof(parser->unknown_word), "%.63s", word);
	snprintf(parser->unknown_context, sizeof(parser->unknown_context), "%.63s", context ? context : "");
	return event_place_complain(place, at, -ENOENT, words);
}

void event_place_skip_blanks(struct event_place *place)
{
	while (isspace((unsigned char)*place->at))
		place->at++;
}

bool event_place_take(struct event_place *place, char c)
{
	event_place_skip_blanks(place);
	if (*place->at != c)
		return false;
	place->at++;
	return true;
}

/* The length of the name at `at`: up to what has a meaning of its own. */
size_t event_place_name_length(const char *at)
{
	size_t size = 0;

	for (; at[size] && !isspace((unsigned char)at[size]); size++) {
		if (strchr("/,:{}=", at[size]))
			break;
		if (at[size] == '[') { /* a glob's set of characters may hold anything */
			size_t end = strcspn(at + size, "]");

			if (at[size + end])
				size += end;
		}
	}
	return size;
}

void event_place_copy_word(char ret_word[EVENT_WORD_MAX], const char *text, size_t size)
{
	snprintf(ret_word, EVENT_WORD_MAX, "%.*s", (int)(size < EVENT_WORD_MAX ? size : EVENT_WORD_MAX - 1),
		 text);
}

bool event_place_is_number(const char *text, size_t size)
{
	uint64_t value;
	char word[EVENT_WORD_MAX];

	event_place_copy_word(word, text, size);
	return size && size < 24 && isdigit((unsigned char)*word) && !number_parse_u64(word, &value);
}

bool event_place_is_raw(const char *text, size_t size, uint64_t *ret_config)
{
	char word[EVENT_WORD_MAX], *end;

	if (size < 2 || size > 17 || (text[0] != 'r' && text[0] != 'R'))
		return false;
	event_place_copy_word(word, text + 1, size - 1);
	for (const char *p = word; *p; p++)
		if (!isxdigit((unsigned char)*p))
			return false;
	*ret_config = strtoull(word, &end, 16);
	return true;
}
