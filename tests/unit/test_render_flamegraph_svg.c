/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/flame_gen.h"
#include "render/flamegraph_svg.h"

static struct buf render(const char *name, const struct flamegraph_svg_options *options)
{
	struct flame_gen *gen = flame_gen_new(name);
	struct buf buf = BUF_INIT;
	struct err err = { 0 };

	assert_int_equal(flamegraph_svg_render(flame_gen_data(gen), options, &buf, &err), 0);
	buf_text(&buf);
	flame_gen_free(gen);
	return buf;
}

/* Tags that nest, no stray '<' or '&': what a parser of XML would ask for. */
static void check_xml(const char *text)
{
	const char *stack[16];
	size_t depth = 0;

	for (; *text; text++) {
		if (*text == '&')
			assert_true(!strncmp(text, "&lt;", 4) || !strncmp(text, "&gt;", 4) ||
				    !strncmp(text, "&amp;", 5) || !strncmp(text, "&quot;", 6) ||
				    !strncmp(text, "&#39;", 5));
		assert_true((unsigned char)*text >= 0x20 || *text == '\n');
		if (*text != '<' || text[1] == '?')
			continue;
		if (text[1] == '/') {
			size_t length = strcspn(text + 2, ">");

			assert_true(depth > 0);
			depth--;
			assert_memory_equal(stack[depth], text + 2, length);
			continue;
		}
		assert_true(depth < 16);
		stack[depth++] = text + 1;
		text = strchr(text, '>');
		assert_non_null(text);
		if (text[-1] == '/')
			depth--;
	}
	assert_int_equal(depth, 0);
}

/* Every box is inside the picture and no narrower than asked. */
static void check_boxes(const char *text, double width, double least)
{
	size_t nr = 0;

	for (text = strstr(text, "</title><rect class="); text;
	     text = strstr(text + 1, "</title><rect class=")) {
		const char *x = strstr(text, " x=\"");
		const char *w = strstr(text, " width=\"");
		double left = strtod(x + 4, NULL);
		double size = strtod(w + 8, NULL);

		assert_true(left >= 9.99);
		assert_true(left + size <= width - 9.98);
		assert_true(size >= least - 0.01);
		nr++;
	}
	assert_true(nr > 0);
}

static void test_pictures(void **state)
{
	const struct flamegraph_svg_options narrow = {
		.width = 400, .min_width = 2, .icicle = true, .event = 1
	};
	struct buf buf;

	(void)state;
	buf = render("demo", NULL);
	check_xml(buf.data);
	check_boxes(buf.data, 1200, 0.1);
	assert_non_null(strstr(buf.data, "narrower than 0.1 px are not drawn"));
	assert_non_null(strstr(buf.data, "312 samples lost"));
	buf_release(&buf);
	buf = render("demo", &narrow);
	check_xml(buf.data);
	check_boxes(buf.data, 400, 2 - 0.6);
	buf_release(&buf);
	buf = render("deep", NULL);
	check_xml(buf.data);
	check_boxes(buf.data, 1200, 0.1);
	buf_release(&buf);
}

static void test_names(void **state)
{
	struct buf buf = render("names", NULL);

	(void)state;
	check_xml(buf.data);
	assert_null(strstr(buf.data, "<script"));
	assert_null(strstr(buf.data, "<img"));
	assert_non_null(strstr(buf.data, "&lt;img src=x onerror=window.broken=1&gt;"));
	assert_non_null(strstr(buf.data, "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x94\xa5"));
	assert_non_null(strstr(buf.data, "bad \xef\xbf\xbd\xef\xbf\xbd utf-8 \xef\xbf\xbd"));
	assert_null(strstr(buf.data, "\xe2\x80\xae"));
	buf_release(&buf);
}

static void test_nothing(void **state)
{
	struct buf buf = render("empty", NULL);

	(void)state;
	check_xml(buf.data);
	assert_non_null(strstr(buf.data, "No samples."));
	buf_release(&buf);
	buf = render("silent", NULL);
	check_xml(buf.data);
	assert_non_null(strstr(buf.data, "No samples."));
	buf_release(&buf);
}

static void test_refused(void **state)
{
	struct flame_gen *gen = flame_gen_new("demo");
	const struct flame_data *data = flame_gen_data(gen);
	struct flamegraph_svg_options options = { .width = 10 };
	struct buf buf = BUF_INIT;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(flamegraph_svg_render(data, &options, &buf, &err), -EINVAL);
	options = (struct flamegraph_svg_options){ .event = 2 };
	assert_int_equal(flamegraph_svg_render(data, &options, &buf, &err), -EINVAL);
	assert_string_equal(err.text, "there is no event 2");
	assert_int_equal(buf.size, 0);
	flame_gen_free(gen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pictures),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("render/flamegraph_svg", tests, NULL, NULL);
}
