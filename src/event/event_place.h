/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A place in the text that names events: what the parser's parts pass to each other, the small steps that all of
 * them take, and the pictures that say where in the text something is wrong.
 */
#ifndef EVENT_EVENT_PLACE_H
#define EVENT_EVENT_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "event/event.h"
#include "event/event_parse.h"

#define EVENT_WORD_MAX 256

struct event_place {
	const char *text; /* the whole of what the user wrote */
	const char *at;
	struct event_parser *parser;
	struct event_list *list;
	struct err *err;
};

/*
 * Sets the error "event syntax error: 'TEXT'" with "\___ WORDS" below the place; long texts are cut around it.
 * Returns code.
 */
int event_place_complain(struct event_place *place, const char *at, int code, const char *words);
/* The same for a word that is not known, which is kept in the parser for suggestions; returns -ENOENT. */
int event_place_complain_unknown(struct event_place *place, const char *at, enum event_unknown unknown,
				 const char *word, const char *context, const char *words);

void event_place_skip_blanks(struct event_place *place);
/* Blanks, then c: true and behind it, or false. */
bool event_place_take(struct event_place *place, char c);
/* Bytes of the name at `at`: up to what has a meaning of its own. */
size_t event_place_name_length(const char *at);
/* Cuts to what fits. */
void event_place_copy_word(char ret_word[EVENT_WORD_MAX], const char *text, size_t size);
bool event_place_is_number(const char *text, size_t size);
/* "r1a8": a config in hex. */
bool event_place_is_raw(const char *text, size_t size, uint64_t *ret_config);

#endif
