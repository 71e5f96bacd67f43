/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "base/array.h"

struct pair {
	int a;
	int b;
};

static void test_push(void **state)
{
	ARRAY(int) numbers = { 0 };
	ARRAY(struct pair) pairs = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		array_push(&numbers, i);
	assert_int_equal(numbers.nr, 1000);
	assert_true(numbers.room >= 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(numbers.items[i], i);
	assert_int_equal(*array_last(&numbers), 999);
	array_clear(&numbers);
	assert_int_equal(numbers.nr, 0);
	array_reserve(&numbers, 5000);
	assert_true(numbers.room >= 5000);
	array_release(&numbers);
	assert_null(numbers.items);
	array_release(&numbers);
	for (int i = 0; i < 20; i++) {
		array_add(&pairs)->b = i;
		assert_int_equal(array_last(&pairs)->a, 0);
	}
	assert_int_equal(pairs.items[19].b, 19);
	array_release(&pairs);
}

/* An item may be pushed from the array itself while it moves. */
static void test_push_own_item(void **state)
{
	ARRAY(uint64_t) numbers = { 0 };

	(void)state;
	array_push(&numbers, 7);
	for (int i = 0; i < 100; i++)
		array_push(&numbers, numbers.items[0]);
	for (size_t i = 0; i < numbers.nr; i++)
		assert_int_equal(numbers.items[i], 7);
	array_release(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push),
		cmocka_unit_test(test_push_own_item),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
