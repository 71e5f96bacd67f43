/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>

#include "base/array.h"
#include "base/cpuset.h"

static void test_parse_and_print(void **state)
{
	static const struct {
		const char *text;
		const char *printed; /* NULL: refused */
		unsigned count;
	} rows[] = {
		{ "0", "0", 1 },
		{ "0-3", "0-3", 4 },
		{ "0-3,8,10-12", "0-3,8,10-12", 8 },
		{ "3,1,2,0", "0-3", 4 },
		{ "5-5", "5", 1 },
		{ "1,1,1", "1", 1 },
		{ "62-66", "62-66", 5 },
		{ "8191", "8191", 1 },
		{ "0-8191", "0-8191", 8192 },
		{ "8192", NULL, 0 },
		{ "0-8192", NULL, 0 },
		{ "", NULL, 0 },
		{ "all", NULL, 0 },
		{ "3-1", NULL, 0 },
		{ "1,", NULL, 0 },
		{ ",1", NULL, 0 },
		{ "1-", NULL, 0 },
		{ "-1", NULL, 0 },
		{ "1 2", NULL, 0 },
		{ "0-3x", NULL, 0 },
		{ "99999999999999999999", NULL, 0 },
		{ "0-18446744073709551615", NULL, 0 },
	};
	struct buf buf = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(rows); i++) {
		struct cpuset set;
		struct err err;
		int ret = cpuset_parse(rows[i].text, &set, &err);

		if (!rows[i].printed) {
			assert_int_equal(ret, -EINVAL);
			assert_int_equal(err.code, -EINVAL);
			assert_int_not_equal(err.text[0], 0);
			continue;
		}
		assert_int_equal(ret, 0);
		assert_int_equal(cpuset_count(&set), rows[i].count);
		cpuset_print(&set, &buf);
		assert_string_equal(buf_text(&buf), rows[i].printed);
		buf.size = 0;
	}
	buf_release(&buf);
}

static void test_members(void **state)
{
	struct cpuset set = { 0 };
	static const int members[] = { 0, 1, 63, 64, 127, 128, 8191 };
	int cpu = cpuset_next(&set, 0);

	(void)state;
	assert_int_equal(cpu, -1);
	for (size_t i = 0; i < NR_ITEMS(members); i++)
		cpuset_add(&set, (uint32_t)members[i]);
	cpuset_add(&set, 8192); /* outside: ignored */
	cpuset_add(&set, UINT32_MAX);
	assert_int_equal(cpuset_count(&set), NR_ITEMS(members));
	assert_false(cpuset_has(&set, 8192));
	assert_false(cpuset_has(&set, UINT32_MAX));
	assert_false(cpuset_has(&set, 2));
	cpu = cpuset_next(&set, 0);
	for (size_t i = 0; i < NR_ITEMS(members); i++) {
		assert_int_equal(cpu, members[i]);
		assert_true(cpuset_has(&set, (uint32_t)cpu));
		cpu = cpuset_next(&set, cpu + 1);
	}
	assert_int_equal(cpu, -1);
}

static void test_online(void **state)
{
	struct cpuset set;

	(void)state;
	cpuset_online(&set);
	assert_true(cpuset_count(&set) >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_and_print),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_online),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
