/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

static void test_alignment_and_contents(void **state)
{
	struct arena arena = { 0 };
	char *blocks[500];

	(void)state;
	for (size_t i = 0; i < 500; i++) {
		blocks[i] = arena_alloc(&arena, i % 67);
		assert_int_equal((uintptr_t)blocks[i] % 16, 0);
		memset(blocks[i], (int)i, i % 67);
	}
	for (size_t i = 0; i < 500; i++)
		for (size_t k = 0; k < i % 67; k++)
			assert_int_equal((unsigned char)blocks[i][k], i & 255);
	arena_release(&arena);
	assert_null(arena.chunk);
	assert_int_equal(arena.size, 0);
}

/* Nothing asked for is still an address, also from an empty arena. */
static void test_empty(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	assert_non_null(arena_alloc(&arena, 0));
	arena_release(&arena);
	assert_non_null(arena_memdup(&arena, NULL, 0));
	arena_release(&arena);
	assert_non_null(arena_zalloc(&arena, 0));
	arena_release(&arena);
	arena_reset(&arena);
	arena_release(&arena);
}

static void test_large_block(void **state)
{
	struct arena arena = { 0 };
	char *small = arena_strdup(&arena, "small");
	char *large = arena_zalloc(&arena, 5 << 20);
	char *after = arena_strdup(&arena, "after");

	(void)state;
	assert_string_equal(small, "small");
	assert_int_equal(large[0], 0);
	assert_int_equal(large[(5 << 20) - 1], 0);
	memset(large, 'x', 5 << 20);
	assert_string_equal(after, "after");
	arena_release(&arena);
}

/* Scratch that is reset for every record settles in one chunk. */
static void test_reset_settles(void **state)
{
	struct arena arena = { 0 };
	size_t size = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 1000; i++)
			memset(arena_alloc(&arena, 100), round, 100);
		arena_reset(&arena);
		if (round == 20)
			size = arena.size;
		else if (round > 20)
			assert_int_equal(arena.size, size);
	}
	assert_true(size < 1 << 20);
	arena_release(&arena);
}

static void test_zalloc_after_reset(void **state)
{
	struct arena arena = { 0 };
	unsigned char *block;

	(void)state;
	memset(arena_alloc(&arena, 256), 0xff, 256);
	arena_reset(&arena);
	block = arena_zalloc(&arena, 256);
	for (int i = 0; i < 256; i++)
		assert_int_equal(block[i], 0);
	arena_release(&arena);
}

static void test_text(void **state)
{
	struct arena arena = { 0 };
	char long_text[1000];

	(void)state;
	memset(long_text, 'a', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	assert_string_equal(arena_strndup(&arena, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(&arena, "ab", 10), "ab");
	assert_string_equal(arena_strndup(&arena, "", 0), "");
	assert_string_equal(arena_printf(&arena, "%d-%s", 42, "x"), "42-x");
	assert_string_equal(arena_printf(&arena, "%s", long_text), long_text);
	/* around the size that is formatted in one go */
	for (int length = 250; length < 260; length++)
		assert_int_equal(strlen(arena_printf(&arena, "%.*s", length, long_text)), length);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment_and_contents),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_large_block),
		cmocka_unit_test(test_reset_settles),
		cmocka_unit_test(test_zalloc_after_reset),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
