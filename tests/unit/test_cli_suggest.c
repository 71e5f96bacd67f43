/* SPDX-License-Identifier: Apache-2.0 */
/* Distances, and which candidates are offered. */
#include "lib/unit.h"

#include <string.h>

#include "base/array.h"
#include "cli/suggest.h"

static void test_distance(void **state)
{
	char long_text[100];

	(void)state;
	assert_int_equal(suggest_distance("", ""), 0);
	assert_int_equal(suggest_distance("", "abc"), 3);
	assert_int_equal(suggest_distance("record", "record"), 0);
	assert_int_equal(suggest_distance("Record", "rECORD"), 0);
	assert_int_equal(suggest_distance("reccord", "record"), 1);
	assert_int_equal(suggest_distance("recrod", "record"), 1); /* a swap is one slip */
	assert_int_equal(suggest_distance("rpeort", "report"), 1);
	assert_int_equal(suggest_distance("stat", "start"), 1);
	assert_int_equal(suggest_distance("kitten", "sitting"), 3);
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	assert_int_equal(suggest_distance(long_text, "x"), 99);
	assert_int_equal(suggest_distance(long_text, long_text), 0);
}

static const char *offer(const char *wanted)
{
	static const char *const names[] = { "record",	      "report", "stat", "script",
					     "build-options", "top",	"xy" };
	static struct suggest suggest;

	suggest = (struct suggest){ .wanted = wanted };
	for (size_t i = 0; i < NR_ITEMS(names); i++)
		suggest_offer(&suggest, names[i]);
	return suggest.nr ? suggest.names[0] : "";
}

static void test_offer(void **state)
{
	(void)state;
	assert_string_equal(offer("reccord"), "record");
	assert_string_equal(offer("recrod"), "record");
	assert_string_equal(offer("stats"), "stat");
	assert_string_equal(offer("scrpt"), "script");
	assert_string_equal(offer("build-opt"), "build-options");
	assert_string_equal(offer("biuld"), "build-options");
	assert_string_equal(offer("tpo"), "top");
	/* What is no slip is not guessed at. */
	assert_string_equal(offer("foo"), "");
	assert_string_equal(offer("frobnicate"), "");
	assert_string_equal(offer("x"), "");
	assert_string_equal(offer(""), "");
}

static void test_several(void **state)
{
	struct suggest suggest = { .wanted = "bat" };

	(void)state;
	suggest_offer(&suggest, "cat");
	suggest_offer(&suggest, "rat");
	suggest_offer(&suggest, "cat");
	assert_int_equal(suggest.nr, 2);
	suggest_offer(&suggest, "bat");
	assert_int_equal(suggest.nr, 1);
	assert_int_equal(suggest.distance, 0);
	for (int i = 0; i < 10; i++)
		suggest_offer(&suggest, "hat");
	assert_int_equal(suggest.nr, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_offer),
		cmocka_unit_test(test_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
