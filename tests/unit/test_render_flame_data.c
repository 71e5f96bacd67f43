/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>

#include "lib/flame_gen.h"
#include "render/flame_data.h"

static void check_label(const char *name, const char *dso, const char *want)
{
	struct flame_frame frame = { name, dso, FLAME_UNKNOWN };
	struct buf buf = BUF_INIT;

	flame_frame_print(&frame, &buf);
	assert_string_equal(buf_text(&buf), want);
	buf_release(&buf);
}

static void test_labels(void **state)
{
	(void)state;
	check_label("main", "/bin/x", "main");
	check_label(NULL, "/usr/lib/libc.so.6", "[libc.so.6]");
	check_label("[unknown]", "libc.so.6", "[libc.so.6]");
	check_label("", "[kernel.kallsyms]", "[kernel.kallsyms]");
	check_label("", "", "[unknown]");
	check_label("", NULL, "[unknown]");
	check_label("", "[unknown]", "[unknown]");
	assert_string_equal(flame_dso_short("/a/b"), "b");
	assert_string_equal(flame_dso_short("/a/"), "/a/");
	assert_string_equal(flame_dso_short("[vdso]"), "[vdso]");
}

static void test_check(void **state)
{
	struct flame_gen *gen = flame_gen_new("names");
	struct flame_data data = *flame_gen_data(gen);
	const struct flame_data good = data;
	uint32_t parent[] = { FLAME_ROOT, 1 };
	uint32_t frame[] = { 0, 1000 };
	struct flame_row row = { 0 };
	struct flame_frame strange = { "x", "", (enum flame_kind)77 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(flame_data_check(&good, &err), 0);
	data.node_parent = parent;
	data.nr_nodes = 2;
	assert_int_equal(flame_data_check(&data, &err), -EINVAL);
	assert_non_null(strstr(err.text, "node 1"));
	parent[1] = 0;
	data.node_frame = frame;
	assert_int_equal(flame_data_check(&data, &err), -EINVAL);
	data = good;
	data.rows = &row;
	data.nr_rows = 1;
	row.node = (uint32_t)good.nr_nodes;
	assert_int_equal(flame_data_check(&data, &err), -EINVAL);
	row.node = FLAME_ROOT;
	assert_int_equal(flame_data_check(&data, &err), 0);
	row.thread = 2;
	assert_int_equal(flame_data_check(&data, &err), -EINVAL);
	row = (struct flame_row){ .event = 1 };
	assert_int_equal(flame_data_check(&data, NULL), -EINVAL);
	data = good;
	data.frames = &strange;
	data.nr_frames = 1;
	data.nr_nodes = data.nr_rows = 0;
	assert_int_equal(flame_data_check(&data, &err), -EINVAL);
	flame_gen_free(gen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests_name("render/flame_data", tests, NULL, NULL);
}
