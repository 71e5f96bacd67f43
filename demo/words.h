/* SPDX-License-Identifier: Apache-2.0 */
/* libwords.so: the C library of the demo. Splits text into words and counts them. */
#ifndef DEMO_WORDS_H
#define DEMO_WORDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct words; /* word -> how often */

struct words *words_new(void);
void words_free(struct words *words);
/* Splits at everything that is no letter, folds case, takes off common endings, counts. */
void words_count(struct words *words, const char *text, size_t size);
void words_each(const struct words *words, void (*visit)(void *context, const char *word, uint32_t count),
		void *context);
/* A text of about `size` bytes that looks like prose; the same seed gives the same text. */
size_t words_compose(char *text, size_t size, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
