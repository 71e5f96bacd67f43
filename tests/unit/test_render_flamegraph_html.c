/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/flame_gen.h"
#include "base/array.h"
#include "base/xalloc.h"
#include "render/flame_pack.h"
#include "render/flamegraph_html.h"

static struct buf render(const struct flame_data *data, uint32_t budget)
{
	struct flamegraph_html_options options = { .node_budget = budget };
	struct buf buf = BUF_INIT;
	struct err err = { 0 };

	assert_int_equal(flamegraph_html_render(data, &options, &buf, &err), 0);
	buf_text(&buf);
	return buf;
}

static size_t count(const char *text, const char *what)
{
	size_t nr = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		nr++;
	return nr;
}

static struct buf decode_base64(const char *text)
{
	struct buf buf = BUF_INIT;
	uint32_t bits = 0;
	unsigned held = 0;

	for (; *text && *text != '<' && *text != '='; text++) {
		static const char digits[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
		const char *digit = strchr(digits, *text);

		assert_non_null(digit);
		bits = bits << 6 | (uint32_t)(digit - digits);
		held += 6;
		if (held >= 8) {
			held -= 8;
			buf_putc(&buf, (char)(bits >> held));
		}
	}
	return buf;
}

/* The data in the page is the packed profile: through base64 and zlib's own reading of gzip, checksums included. */
static void check_data(const char *page, const struct flame_data *data, uint32_t budget)
{
	static const char mark[] = "<script type=\"application/gzip\" id=\"data\">";
	const char *text = strstr(page, mark);
	struct buf packed = BUF_INIT;
	struct buf zipped;
	z_stream stream = { 0 };
	char *out;

	assert_non_null(text);
	zipped = decode_base64(text + strlen(mark));
	flame_pack(data, budget, &packed);
	out = xmalloc(packed.size + 1);
	assert_int_equal(inflateInit2(&stream, 31), Z_OK);
	stream.next_in = (Bytef *)zipped.data;
	stream.avail_in = (uInt)zipped.size;
	stream.next_out = (Bytef *)out;
	stream.avail_out = (uInt)packed.size + 1;
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, packed.size);
	assert_int_equal(stream.avail_in, 0);
	assert_memory_equal(out, packed.data, packed.size);
	inflateEnd(&stream);
	free(out);
	buf_release(&zipped);
	buf_release(&packed);
}

static void test_pages(void **state)
{
	static const char *const names[] = { "demo", "deep", "names", "empty", "silent" };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(names); i++) {
		struct flame_gen *gen = flame_gen_new(names[i]);
		struct buf page = render(flame_gen_data(gen), 0);

		check_data(page.data, flame_gen_data(gen), 0);
		assert_int_equal(strncmp(page.data, "<!DOCTYPE html>", 15), 0);
		assert_int_equal(count(page.data, "<script"), 3);
		assert_int_equal(count(page.data, "</script"), 3);
		assert_int_equal(count(page.data, "@DATA@") + count(page.data, "@TITLE@"), 0);
		/* Nothing that would be fetched; the one address is the name of SVG's namespace. */
		assert_null(strstr(page.data, "src="));
		assert_int_equal(count(page.data, "http:"), count(page.data, "http://www.w3.org/2000/svg\""));
		assert_null(strstr(page.data, "https:"));
		assert_null(strstr(page.data, "@import"));
		buf_release(&page);
		flame_gen_free(gen);
	}
}

/* Many pieces, so that their joints are there. */
static void test_large(void **state)
{
	struct flame_gen *gen = flame_gen_new("stacks");
	struct buf page = render(flame_gen_data(gen), 300000);

	(void)state;
	check_data(page.data, flame_gen_data(gen), 300000);
	buf_release(&page);
	flame_gen_free(gen);
}

static void test_title(void **state)
{
	struct flame_gen *gen = flame_gen_new("names");
	struct buf page = render(flame_gen_data(gen), 0);

	(void)state;
	assert_non_null(strstr(page.data, "<title>sh -c &#39;echo &lt;/title&gt;&lt;script&gt;"));
	assert_null(strstr(page.data, "window.broken = 1</script>"));
	buf_release(&page);
	flame_gen_free(gen);
}

static void test_refused(void **state)
{
	struct flame_gen *gen = flame_gen_new("demo");
	struct flame_data data = *flame_gen_data(gen);
	struct buf buf = BUF_INIT;
	struct err err = { 0 };

	(void)state;
	data.nr_threads = 1;
	assert_int_equal(flamegraph_html_render(&data, NULL, &buf, &err), -EINVAL);
	assert_true(err.text[0] != '\0');
	assert_int_equal(buf.size, 0);
	flame_gen_free(gen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_title),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("render/flamegraph_html", tests, NULL, NULL);
}
