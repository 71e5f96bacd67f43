/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the nearest of some names, by the number of slips of the finger between them. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/*
 * Damerau-Levenshtein distance (optimal string alignment) of two texts, letter case ignored: insertions, deletions,
 * substitutions and swaps of neighbours count one each. Texts beyond 63 bytes are as different as they are long.
 */
size_t suggest_distance(const char *a, const char *b);

/* Best candidates so far; zeroed with `wanted` set is empty. Only what is plausibly a slip is kept. */
struct suggest {
	const char *wanted;
	size_t distance;
	size_t nr;
	const char *names[4]; /* all at the same, smallest distance */
};

void suggest_offer(struct suggest *suggest, const char *name);

#endif
