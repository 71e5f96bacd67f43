/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "base/cursor.h"

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static void test_numbers(void **state)
{
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), false);

	(void)state;
	assert_int_equal(cursor_u8(&cursor), 1);
	assert_int_equal(cursor_u16(&cursor), 0x0302);
	assert_int_equal(cursor_u32(&cursor), 0x07060504);
	assert_int_equal(cursor_u64(&cursor), 0x0f0e0d0c0b0a0908);
	assert_int_equal(cursor_offset(&cursor), 15);
	assert_int_equal(cursor_left(&cursor), 1);
	assert_false(cursor.failed);
}

static void test_swapped(void **state)
{
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), true);

	(void)state;
	assert_int_equal(cursor_u8(&cursor), 1);
	assert_int_equal(cursor_u16(&cursor), 0x0203);
	assert_int_equal(cursor_u32(&cursor), 0x04050607);
	assert_int_equal(cursor_u64(&cursor), 0x08090a0b0c0d0e0f);
	assert_false(cursor.failed);
}

/* One byte short fails, gives 0, moves to the end, and what follows fails too. */
static void test_short(void **state)
{
	for (size_t size = 0; size < 8; size++) {
		struct cursor cursor = cursor_of(bytes, size, (size & 1) != 0);

		assert_int_equal(cursor_u64(&cursor), 0);
		assert_true(cursor.failed);
		assert_int_equal(cursor_left(&cursor), 0);
		assert_int_equal(cursor_u8(&cursor), 0);
		assert_true(cursor.failed);
	}
	(void)state;
}

static void test_failed_stays(void **state)
{
	struct cursor cursor = cursor_of(bytes, 4, false);

	(void)state;
	assert_null(cursor_bytes(&cursor, 5));
	assert_true(cursor.failed);
	assert_true(cursor_skip(&cursor, 0)); /* nothing is always there; the flag stays */
	assert_true(cursor.failed);
}

static void test_huge_size(void **state)
{
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), false);

	(void)state;
	cursor_u64(&cursor);
	assert_false(cursor_skip(&cursor, SIZE_MAX));
	assert_true(cursor.failed);
	cursor = cursor_of(bytes, sizeof(bytes), false);
	assert_null(cursor_bytes(&cursor, SIZE_MAX - 7));
	assert_int_equal(cursor_offset(&cursor), sizeof(bytes));
}

static void test_empty(void **state)
{
	struct cursor cursor = cursor_of(NULL, 0, false);

	(void)state;
	assert_int_equal(cursor_left(&cursor), 0);
	assert_null(cursor_string(&cursor));
	assert_true(cursor.failed);
	assert_int_equal(cursor_u32(&cursor), 0);
}

static void test_string(void **state)
{
	static const char text[] = { 'a', 'b', 0, 0, 'c', 'd' };
	struct cursor cursor = cursor_of(text, sizeof(text), false);

	(void)state;
	assert_string_equal(cursor_string(&cursor), "ab");
	assert_string_equal(cursor_string(&cursor), "");
	assert_int_equal(cursor_left(&cursor), 2);
	assert_null(cursor_string(&cursor)); /* "cd" never ends */
	assert_true(cursor.failed);
	assert_int_equal(cursor_left(&cursor), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	  cmocka_unit_test(test_swapped),
		cmocka_unit_test(test_short),	  cmocka_unit_test(test_failed_stays),
		cmocka_unit_test(test_huge_size), cmocka_unit_test(test_empty),
		cmocka_unit_test(test_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
