/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "render/markup.h"

#define BAD "\xef\xbf\xbd"

static void check(const char *text, const char *want)
{
	struct buf buf = BUF_INIT;

	markup_text(&buf, text);
	assert_string_equal(buf_text(&buf), want);
	buf_release(&buf);
}

static void test_escapes(void **state)
{
	(void)state;
	check("plain", "plain");
	check("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;");
	check("</title><script>", "&lt;/title&gt;&lt;script&gt;");
	check("", "");
	check(NULL, "");
}

static void test_bytes(void **state)
{
	(void)state;
	check("\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x94\xa5", "\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x94\xa5");
	check("\x01\x1b[m\x7f\t\n", BAD BAD "[m" BAD BAD BAD);
	check("\xff\xc3", BAD BAD); /* no start, no end */
	check("\xc0\xaf\xed\xa0\x80", BAD BAD BAD BAD BAD); /* overlong, surrogate */
	check("\xc2\x85\xef\xbf\xbe", BAD BAD); /* C1 control, never a character */
	check("a\xe2\x80\xae"
	      "b\xe2\x81\xa6"
	      "c",
	      "a" BAD "b" BAD "c"); /* turn the direction of writing */
	check("\xe2\x80\xa6", "\xe2\x80\xa6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests_name("render/markup", tests, NULL, NULL);
}
