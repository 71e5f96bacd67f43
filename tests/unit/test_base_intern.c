/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/intern.h"

static void test_equal_texts_have_equal_ids(void **state)
{
	struct intern intern;
	char copy[] = "main";

	(void)state;
	intern_init(&intern);
	assert_int_equal(intern_string(&intern, "").v, 0);
	assert_int_equal(intern_string(&intern, "main").v, intern_string(&intern, copy).v);
	assert_int_not_equal(intern_string(&intern, "main").v, intern_string(&intern, "main2").v);
	copy[0] = 'x';
	assert_string_equal(intern_text(&intern, intern_string(&intern, "main")), "main");
	intern_release(&intern);
}

static void test_many(void **state)
{
	enum { NR = 20000 };
	struct intern intern;
	char text[32];

	(void)state;
	intern_init(&intern);
	for (unsigned i = 0; i < NR; i++) {
		snprintf(text, sizeof(text), "function_%u", i);
		assert_int_equal(intern_string(&intern, text).v, i + 1);
	}
	for (unsigned i = 0; i < NR; i++) {
		snprintf(text, sizeof(text), "function_%u", i);
		assert_int_equal(intern_string(&intern, text).v, i + 1);
		assert_string_equal(intern_text(&intern, (struct str_id){ i + 1 }), text);
		assert_int_equal(intern_size(&intern, (struct str_id){ i + 1 }), strlen(text));
	}
	intern_release(&intern);
}

/* Bytes out of a file may hold NULs: they are part of the name, and prefixes stay apart. */
static void test_bytes_with_nul(void **state)
{
	struct intern intern;
	struct str_id a, b, c;

	(void)state;
	intern_init(&intern);
	a = intern_bytes(&intern, "ab\0cd", 5);
	b = intern_bytes(&intern, "ab\0ce", 5);
	c = intern_bytes(&intern, "ab", 2);
	assert_int_not_equal(a.v, b.v);
	assert_int_not_equal(a.v, c.v);
	assert_int_equal(a.v, intern_bytes(&intern, "ab\0cd", 5).v);
	assert_int_equal(intern_size(&intern, a), 5);
	assert_memory_equal(intern_text(&intern, a), "ab\0cd", 6);
	assert_int_equal(intern_bytes(&intern, "\0", 1).v, intern_bytes(&intern, "\0", 1).v);
	assert_int_not_equal(intern_bytes(&intern, "\0", 1).v, 0);
	intern_release(&intern);
}

static void test_bytes_without_end(void **state)
{
	static const char text[] = { 'a', 'b', 'c' };
	struct intern intern;

	(void)state;
	intern_init(&intern);
	assert_string_equal(intern_text(&intern, intern_bytes(&intern, text, 3)), "abc");
	assert_string_equal(intern_text(&intern, intern_bytes(&intern, text, 2)), "ab");
	assert_int_equal(intern_bytes(&intern, NULL, 0).v, 0);
	intern_release(&intern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_texts_have_equal_ids),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_bytes_with_nul),
		cmocka_unit_test(test_bytes_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
