/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes as open recordings, for unit tests. */
#ifndef TESTS_RECIPE_OPEN_H
#define TESTS_RECIPE_OPEN_H

#include "lib/recipe.h"
#include "record/perfdata_reader.h"

/* The text of tests/golden/recipes/NAME.recipe; the caller frees it. The test ends when there is none. */
char *recipe_load(const char *name);
/* The bytes of a recipe; the test ends when it does not compile. */
void recipe_bytes(const char *text, const struct recipe_options *options, struct buf *ret);
/* Opens bytes as a file. 0 or what perfdata_reader_open says. */
int recipe_open_bytes(const void *data, size_t size, unsigned flags, struct perfdata_reader **ret_reader,
		      struct err *err);
/* The recording that a recipe makes; the test ends when it cannot be opened. */
struct perfdata_reader *recipe_open(const char *text, const struct recipe_options *options);

/*
 * Every record, in file order, as text: type, misc, and what record_decode and sample_decode say. Equal texts mean
 * equal records, whatever the byte order, the format and the compression.
 */
void recipe_records(struct perfdata_reader *reader, struct buf *ret);

#endif
