/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdlib.h>

#include "base/buf_fast.h"

/* The same text as buf.h's writers make. */
static void check(uint64_t value)
{
	struct buf slow = BUF_INIT, fast = BUF_INIT;

	buf_u64(&slow, value);
	buf_hex(&slow, value);
	buf_i64(&slow, (int64_t)value);
	buf_fast_u64(&fast, value);
	buf_fast_hex(&fast, value);
	buf_fast_i64(&fast, (int64_t)value);
	for (unsigned width = 0; width <= 32; width += 4) {
		buf_u64_right(&slow, value, width);
		buf_fast_u64_right(&fast, value, width);
	}
	buf_u64_zero(&slow, value % 1000000, 6);
	buf_fast_zero(&fast, value % 1000000, 6);
	buf_u64_zero(&slow, value % 1000000000, 9);
	buf_fast_zero(&fast, value % 1000000000, 9);
	assert_string_equal(buf_text(&fast), buf_text(&slow));
	buf_release(&slow);
	buf_release(&fast);
}

static void test_numbers(void **state)
{
	uint64_t power = 1;

	(void)state;
	for (unsigned i = 0; i < 20; i++, power *= 10) {
		check(power - 1);
		check(power);
		check(power + 1);
	}
	for (unsigned i = 0; i < 64; i++) {
		check(1ull << i);
		check((1ull << i) - 1);
	}
	check(UINT64_MAX);
	srand(1);
	for (unsigned i = 0; i < 20000; i++)
		check(((uint64_t)rand() << 33 ^ (uint64_t)rand() << 2) >> (rand() % 64));
}

static void test_put(void **state)
{
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7 + 1);
	for (size_t size = 0; size <= sizeof(text); size++) {
		struct buf buf = BUF_INIT;

		buf_fast_put(&buf, "ab", 2);
		buf_fast_put(&buf, text, size);
		assert_int_equal(buf.size, size + 2);
		assert_memory_equal(buf.data, "ab", 2);
		if (size)
			assert_memory_equal(buf.data + 2, text, size);
		buf_release(&buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_numbers), cmocka_unit_test(test_put) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
