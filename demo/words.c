/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 31
#define VOCABULARY 60000

struct slot {
	char word[WORD_MAX + 1];
	uint32_t count;
};

struct words {
	struct slot *slots;
	size_t room; /* a power of two */
	size_t nr;
};

struct words *words_new(void)
{
	struct words *words = calloc(1, sizeof(*words));

	words->room = 1024;
	words->slots = calloc(words->room, sizeof(*words->slots));
	return words;
}

void words_free(struct words *words)
{
	free(words->slots);
	free(words);
}

static uint64_t hash_word(const char *word)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *word; word++)
		hash = (hash ^ (unsigned char)*word) * 0x100000001b3;
	return hash;
}

static struct slot *find_slot(struct slot *slots, size_t room, const char *word)
{
	size_t pos = hash_word(word) & (room - 1);

	while (slots[pos].count && strcmp(slots[pos].word, word))
		pos = (pos + 1) & (room - 1);
	return &slots[pos];
}

static void grow(struct words *words)
{
	size_t room = words->room * 2;
	struct slot *slots = calloc(room, sizeof(*slots));

	for (size_t i = 0; i < words->room; i++)
		if (words->slots[i].count)
			*find_slot(slots, room, words->slots[i].word) = words->slots[i];
	free(words->slots);
	words->slots = slots;
	words->room = room;
}

/* A stemmer for people in a hurry. */
static void take_ending(char *word, size_t length)
{
	static const char endings[][5] = { "ingly", "edly", "ing", "ness", "ed", "es", "ly", "s" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t size = strnlen(endings[i], sizeof(endings[i]));

		if (length > size + 2 && !memcmp(word + length - size, endings[i], size)) {
			word[length - size] = '\0';
			return;
		}
	}
}

static void count_word(struct words *words, char *word, size_t length)
{
	struct slot *slot;

	take_ending(word, length);
	slot = find_slot(words->slots, words->room, word);
	if (!slot->count++) {
		strcpy(slot->word, word);
		if (++words->nr > words->room / 2)
			grow(words);
	}
}

void words_count(struct words *words, const char *text, size_t size)
{
	char word[WORD_MAX + 1];
	size_t length = 0;

	for (size_t i = 0; i <= size; i++) {
		char c = i < size ? text[i] | 0x20 : ' ';

		if (c >= 'a' && c <= 'z') {
			if (length < WORD_MAX)
				word[length++] = c;
			continue;
		}
		if (!length)
			continue;
		word[length] = '\0';
		count_word(words, word, length);
		length = 0;
	}
}

void words_each(const struct words *words, void (*visit)(void *context, const char *word, uint32_t count),
		void *context)
{
	for (size_t i = 0; i < words->room; i++)
		if (words->slots[i].count)
			visit(context, words->slots[i].word, words->slots[i].count);
}

static uint64_t next_random(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* The word of a rank: common ones are short. */
static size_t spell(char *text, unsigned rank)
{
	static const char syllables[32][4] = { "ka",  "lo", "mi",  "ren", "tas", "ul",	"vor", "en",
					       "shi", "da", "per", "qui", "st",	 "ol",	"an",  "ther",
					       "be",  "nu", "gra", "fi",  "la",	 "ing", "ed",  "ly",
					       "tio", "ar", "is",  "com", "re",	 "un",	"ex",  "de" };
	size_t at = 0;

	do {
		size_t length = strnlen(syllables[rank & 31], 4);

		memcpy(text + at, syllables[rank & 31], length);
		at += length;
		rank >>= 5;
	} while (rank);
	return at;
}

size_t words_compose(char *text, size_t size, uint64_t seed)
{
	size_t at = 0;

	while (at + 40 < size) {
		uint64_t r = next_random(&seed);

		/* Zipf's law: the rank is e to a uniform number. */
		at += spell(text + at, (unsigned)exp((double)(r >> 11) * 0x1p-53 * log(VOCABULARY)));
		if (!(r & 15))
			text[at++] = '.';
		text[at++] = r & 127 ? ' ' : '\n';
	}
	return at;
}
