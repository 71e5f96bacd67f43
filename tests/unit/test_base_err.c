/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"

static void test_words(void **state)
{
	struct err err;

	(void)state;
	err_clear(&err);
	assert_int_equal(err.code, 0);
	assert_int_equal(err_set(&err, -EINVAL, "bad %s", "thing"), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_string_equal(err.text, "bad thing");
	assert_string_equal(err.hint, "");
	assert_int_equal(err_errno(&err, -ENOENT, "%s", "file"), -ENOENT);
	assert_string_equal(err.text, "file: No such file or directory");
	err_prefix(&err, "reading %d", 5);
	assert_string_equal(err.text, "reading 5: file: No such file or directory");
	err_hint(&err, "try %s", "this");
	err_hint(&err, "or that");
	assert_string_equal(err.hint, "try this\nor that");
	err_set(&err, -EIO, "new"); /* takes the old advice away */
	assert_string_equal(err.hint, "");
}

static void test_no_err(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -EINVAL, "x"), -EINVAL);
	assert_int_equal(err_errno(NULL, -ENOENT, "x"), -ENOENT);
	err_hint(NULL, "x");
	err_prefix(NULL, "x");
	err_clear(NULL);
}

/* Texts from outside may have any length: cut, never overrun. */
static void test_too_long(void **state)
{
	struct err err;
	char text[5000];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, -EINVAL, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	err_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	err_errno(&err, -ENOENT, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	for (int i = 0; i < 3; i++)
		err_hint(&err, "%s", text);
	assert_int_equal(strlen(err.hint), sizeof(err.hint) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_no_err),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
