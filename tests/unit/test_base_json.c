/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <math.h>

#include "base/array.h"
#include "base/json.h"

static void check(struct buf *buf, const char *want)
{
	assert_string_equal(buf_text(buf), want);
	buf->size = 0;
}

static void test_values(void **state)
{
	struct buf buf = BUF_INIT;
	struct json json = json_of(&buf);

	(void)state;
	json_open_object(&json);
	json_key(&json, "n");
	json_u64(&json, UINT64_MAX);
	json_key(&json, "i");
	json_i64(&json, -5);
	json_key(&json, "d");
	json_double(&json, 12.345, 2);
	json_key(&json, "nan");
	json_double(&json, NAN, 2);
	json_key(&json, "inf");
	json_double(&json, INFINITY, 2);
	json_key(&json, "yes");
	json_bool(&json, true);
	json_key(&json, "no");
	json_bool(&json, false);
	json_key(&json, "nil");
	json_null(&json);
	json_key(&json, "list");
	json_open_array(&json);
	json_u64(&json, 1);
	json_string(&json, "two");
	json_open_array(&json);
	json_close_array(&json);
	json_open_object(&json);
	json_close_object(&json);
	json_u64(&json, 3);
	json_close_array(&json);
	json_key(&json, "last");
	json_open_object(&json);
	json_key(&json, "a");
	json_null(&json);
	json_close_object(&json);
	json_close_object(&json);
	check(&buf, "{\"n\":18446744073709551615,\"i\":-5,\"d\":12.35,\"nan\":null,\"inf\":null,\"yes\":true,"
		    "\"no\":false,\"nil\":null,\"list\":[1,\"two\",[],{},3],\"last\":{\"a\":null}}");
	buf_release(&buf);
}

/* A call tree nests deeper than any word has bits: commas must be right at every depth. */
static void test_deep(void **state)
{
	enum { DEPTH = 300 };
	struct buf buf = BUF_INIT, want = BUF_INIT;
	struct json json = json_of(&buf);

	(void)state;
	for (int i = 0; i < DEPTH; i++) {
		json_open_array(&json);
		json_u64(&json, 0);
		buf_str(&want, i ? ",[0" : "[0");
	}
	json_open_array(&json);
	json_close_array(&json);
	buf_str(&want, ",[]");
	for (int i = 0; i < DEPTH; i++) {
		json_u64(&json, 1);
		json_close_array(&json);
		buf_str(&want, ",1]");
	}
	assert_string_equal(buf_text(&buf), buf_text(&want));
	buf_release(&buf);
	buf_release(&want);
}

static void test_strings(void **state)
{
#define BAD "\xef\xbf\xbd"
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "", "\"\"" },
		{ "plain", "\"plain\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\n\t\r\x01\x1f\x7f", "\"\\n\\t\\u000d\\u0001\\u001f\\u007f\"" },
		{ "</script>", "\"</script>\"" },
		{ "h\xc3\xa9", "\"h\xc3\xa9\"" },
		{ "\xe2\x82\xac", "\"\xe2\x82\xac\"" },
		{ "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
		{ "\xff", "\"" BAD "\"" },
		{ "\xc3", "\"" BAD "\"" }, /* cut off */
		{ "\xc3x", "\"" BAD "x\"" },
		{ "\xe2\x82", "\"" BAD BAD "\"" },
		{ "\xc0\xaf", "\"" BAD BAD "\"" }, /* overlong */
		{ "\xe0\x80\x80", "\"" BAD BAD BAD "\"" },
		{ "\xed\xa0\x80", "\"" BAD BAD BAD "\"" }, /* a surrogate */
		{ "\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"" }, /* beyond U+10FFFF */
		{ "\xf0\x8f\xbf\xbf", "\"" BAD BAD BAD BAD "\"" },
		{ "\x80", "\"" BAD "\"" },
	};
	struct buf buf = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(rows); i++) {
		struct json json = json_of(&buf);

		json_string(&json, rows[i].text);
		check(&buf, rows[i].want);
	}
	buf_release(&buf);
}

static void test_bytes(void **state)
{
	struct buf buf = BUF_INIT;
	struct json json = json_of(&buf);

	(void)state;
	json_bytes(&json, "a\0b", 3);
	check(&buf, "\"a\\u0000b\"");
	json = json_of(&buf);
	json_bytes(&json, "\xf0\x9f\x98\x80", 3); /* the end of the bytes cuts the sequence */
	check(&buf, "\"" BAD BAD BAD "\"");
	buf_release(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
