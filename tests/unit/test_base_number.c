/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>

#include "base/array.h"
#include "base/number.h"

static void test_u64(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t value;
	} rows[] = {
		{ "0", 0, 0 },
		{ "42", 0, 42 },
		{ "010", 0, 10 }, /* not octal */
		{ "0x10", 0, 16 },
		{ "0XfF", 0, 255 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "0xffffffffffffffff", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "0x10000000000000000", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ "0xg", -EINVAL, 0 },
		{ "1a", -EINVAL, 0 },
		{ "abc", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(rows); i++) {
		uint64_t value = 0;

		assert_int_equal(number_parse_u64(rows[i].text, &value), rows[i].ret);
		if (!rows[i].ret)
			assert_int_equal(value, rows[i].value);
	}
}

static void test_i64(void **state)
{
	int64_t value;

	(void)state;
	assert_int_equal(number_parse_i64("-1", &value), 0);
	assert_int_equal(value, -1);
	assert_int_equal(number_parse_i64("-9223372036854775808", &value), 0);
	assert_true(value == INT64_MIN);
	assert_int_equal(number_parse_i64("9223372036854775807", &value), 0);
	assert_true(value == INT64_MAX);
	assert_int_equal(number_parse_i64("9223372036854775808", &value), -ERANGE);
	assert_int_equal(number_parse_i64("-9223372036854775809", &value), -ERANGE);
	assert_int_equal(number_parse_i64("--1", &value), -EINVAL);
	assert_int_equal(number_parse_i64("-", &value), -EINVAL);
	assert_int_equal(number_parse_i64("-0x10", &value), 0);
	assert_int_equal(value, -16);
}

static void test_double(void **state)
{
	double value;

	(void)state;
	assert_int_equal(number_parse_double("0.5", &value), 0);
	assert_true(value == 0.5);
	assert_int_equal(number_parse_double("-2e3", &value), 0);
	assert_true(value == -2000);
	assert_int_equal(number_parse_double("", &value), -EINVAL);
	assert_int_equal(number_parse_double(" 1", &value), -EINVAL);
	assert_int_equal(number_parse_double("1x", &value), -EINVAL);
	assert_int_equal(number_parse_double("nan", &value), -EINVAL);
	assert_int_equal(number_parse_double("inf", &value), -EINVAL);
	assert_int_equal(number_parse_double("1e999", &value), -EINVAL);
}

static void test_size(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t value;
	} rows[] = {
		{ "0", 0, 0 },
		{ "17", 0, 17 },
		{ "17B", 0, 17 },
		{ "512K", 0, 512 << 10 },
		{ "512k", 0, 512 << 10 },
		{ "3M", 0, 3 << 20 },
		{ "3MB", 0, 3 << 20 },
		{ "2G", 0, 2ull << 30 },
		{ "17179869183G", 0, 17179869183ull << 30 },
		{ "17179869184G", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ "K", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "-1K", -EINVAL, 0 },
		{ "1BB", -EINVAL, 0 },
		{ "1KM", -EINVAL, 0 },
		{ "1.5M", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(rows); i++) {
		uint64_t value = 0;

		assert_int_equal(number_parse_size(rows[i].text, &value), rows[i].ret);
		if (!rows[i].ret)
			assert_int_equal(value, rows[i].value);
	}
}

static void test_duration(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t value;
	} rows[] = {
		{ "5", 0, 5000000 }, /* the caller's unit: milliseconds here */
		{ "1.5s", 0, 1500000000 },
		{ ".5s", 0, 500000000 },
		{ "0.3s", 0, 300000000 },
		{ "0.57s", 0, 570000000 }, /* 569999999.99... as a product of doubles */
		{ "1.001s", 0, 1001000000 },
		{ "10us", 0, 10000 },
		{ "250ms", 0, 250000000 },
		{ "7ns", 0, 7 },
		{ "2m", 0, 120000000000 },
		{ "1h", 0, 3600000000000 },
		{ "0", 0, 0 },
		{ "", -EINVAL, 0 },
		{ ".", -EINVAL, 0 },
		{ "-1s", -EINVAL, 0 },
		{ "1x", -EINVAL, 0 },
		{ "1 s", -EINVAL, 0 },
		{ "s", -EINVAL, 0 },
		{ "1e300s", -ERANGE, 0 },
		{ "600000000h", -ERANGE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(rows); i++) {
		uint64_t value = 0;

		assert_int_equal(number_parse_duration(rows[i].text, 1000000, &value), rows[i].ret);
		if (!rows[i].ret)
			assert_int_equal(value, rows[i].value);
	}
}

static void test_timestamp(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t value;
	} rows[] = {
		{ "0", 0, 0 },
		{ "12", 0, 12000000000 },
		{ "12.", 0, 12000000000 },
		{ "12.5", 0, 12500000000 },
		{ "2473.567890123", 0, 2473567890123 },
		{ "2473.000000001", 0, 2473000000001 },
		{ "1.0000000009", 0, 1000000000 }, /* finer than a nanosecond */
		{ "18446744072.999999999", 0, 18446744072999999999ull },
		{ "18446744073", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ ".5", -EINVAL, 0 },
		{ "1.2.3", -EINVAL, 0 },
		{ "1.5s", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(rows); i++) {
		uint64_t value = 0;

		assert_int_equal(number_parse_timestamp(rows[i].text, &value), rows[i].ret);
		if (!rows[i].ret)
			assert_true(value == rows[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64),	 cmocka_unit_test(test_i64),
		cmocka_unit_test(test_double),	 cmocka_unit_test(test_size),
		cmocka_unit_test(test_duration), cmocka_unit_test(test_timestamp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
