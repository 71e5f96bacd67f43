/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>

#include "profile/time_spec.h"

#define S 1000000000ull

static void expect(const char *text, uint64_t first, uint64_t last, size_t nr, uint64_t from, uint64_t to)
{
	struct time_spec spec;
	struct err err;

	assert_int_equal(time_spec_parse(text, first, last, &spec, &err), 0);
	assert_int_equal(spec.ranges.nr, nr);
	assert_int_equal(spec.ranges.items[0].first, from);
	assert_int_equal(spec.ranges.items[nr - 1].last, to);
	time_spec_release(&spec);
}

static void test_ranges(void **state)
{
	(void)state;
	expect("1.5,2.25", 0, 10 * S, 1, S + S / 2, 2 * S + S / 4);
	expect(",2", 0, 10 * S, 1, 0, 2 * S);
	expect("3,", 0, 10 * S, 1, 3 * S, PROFILE_NO_LIMIT - 1);
	expect("3", 0, 10 * S, 1, 3 * S, PROFILE_NO_LIMIT - 1);
	expect("1,2 5,6", 0, 10 * S, 2, S, 6 * S);
	expect("5,6 1,2", 0, 10 * S, 2, S, 6 * S); /* brought into order */
	expect("1,5 4,7", 0, 10 * S, 1, S, 7 * S); /* and put together */
}

static void test_shares(void **state)
{
	(void)state;
	assert_true(time_spec_is_share("10%/2"));
	assert_false(time_spec_is_share("1,2"));
	expect("10%/1", 100, 1100, 1, 100, 200);
	expect("10%/2", 100, 1100, 1, 200, 300);
	expect("10%/10", 100, 1100, 1, 1000, 1100);
	expect("0%-10%", 100, 1100, 1, 100, 200);
	expect("0%-100%", 100, 1100, 1, 100, 1100);
	expect("10%/1,10%/3", 0, 1000, 2, 0, 300);
	expect("0%-10%,30%-40%", 0, 1000, 2, 0, 400);
	expect("12.5%/8", 0, 800, 1, 700, 800);
}

static void test_wrong(void **state)
{
	static const char *const texts[] = { "",	"x",	   "1,x",    "2,1", "10%",
					     "10%/0",	"10%/11",  "10%/x",  "5%-", "50%-40%",
					     "0%-101%", "-5%-10%", "10%/1x", "1;2", "nan%/1" };
	struct time_spec spec;
	struct err err;

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(texts); i++)
		assert_int_equal(time_spec_parse(texts[i], 0, 1000, &spec, &err), -EINVAL);
	/* No time stamps at all. */
	assert_int_equal(time_spec_parse("10%/1", 1, 0, &spec, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
