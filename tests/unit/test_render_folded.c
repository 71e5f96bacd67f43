/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <string.h>

#include "lib/flame_gen.h"
#include "base/array.h"
#include "render/folded.h"

static void check(const struct flame_data *data, const struct folded_options *options, const char *want)
{
	struct buf buf = BUF_INIT;
	struct err err = { 0 };

	assert_int_equal(folded_render(data, options, &buf, &err), 0);
	assert_string_equal(buf_text(&buf), want);
	buf_release(&buf);
}

/* Threads of one name are one; equal stacks are one line, in the order of bytes; names keep blanks. */
static void test_lines(void **state)
{
	struct flame_gen *gen = flame_gen_new_empty();
	uint32_t event = flame_gen_event(gen, "cycles", "");
	uint32_t other = flame_gen_event(gen, "faults", "");
	uint32_t a = flame_gen_thread(gen, 1, 1, "two words");
	uint32_t b = flame_gen_thread(gen, 1, 2, "two words");
	uint32_t c = flame_gen_thread(gen, 3, 3, "a;b");
	struct folded_options options = { .event = other };

	(void)state;
	flame_gen_sample(gen, event, a, flame_gen_stack(gen, "main;work"), 10);
	flame_gen_sample(gen, event, b, flame_gen_stack(gen, "main;work"), 5);
	flame_gen_sample(gen, event, a, flame_gen_stack(gen, "main"), 1);
	flame_gen_sample(gen, event, a, flame_gen_stack(gen, "main b"), 2);
	flame_gen_sample(gen, event, a, flame_gen_stack(gen, "main b;x"), 3);
	flame_gen_sample(gen, event, a, flame_gen_stack(gen, "main:"), 4);
	flame_gen_sample(gen, event, c, flame_gen_stack(gen, "main"), 7);
	flame_gen_sample(gen, event, c, FLAME_ROOT, 8);
	flame_gen_sample(gen, other, c, flame_gen_stack(gen, "main;work"), 9);
	check(flame_gen_data(gen), NULL,
	      "a:b 8\n"
	      "a:b;main 7\n"
	      "two words;main 1\n"
	      "two words;main b 2\n"
	      "two words;main b;x 3\n"
	      "two words;main: 4\n"
	      "two words;main;work 15\n");
	check(flame_gen_data(gen), &options, "a:b;main;work 9\n");
	options = (struct folded_options){ .by_samples = true };
	check(flame_gen_data(gen), &options,
	      "a:b 1\n"
	      "a:b;main 1\n"
	      "two words;main 1\n"
	      "two words;main b 1\n"
	      "two words;main b;x 1\n"
	      "two words;main: 1\n"
	      "two words;main;work 2\n");
	flame_gen_free(gen);
}

/* Frames that differ only in what the line does not show are one frame. */
static void test_labels(void **state)
{
	struct flame_gen *gen = flame_gen_new_empty();
	uint32_t event = flame_gen_event(gen, "cycles", "");
	uint32_t thread = flame_gen_thread(gen, 1, 1, "x");
	struct folded_options options = { .annotate = true };
	const enum flame_kind kinds[] = { FLAME_USER, FLAME_KERNEL, FLAME_JIT, FLAME_INLINED };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(kinds); i++) {
		uint32_t node = flame_gen_node(gen, FLAME_ROOT,
					       flame_gen_frame(gen, "f;g\nh", "d", kinds[i]));

		flame_gen_sample(gen, event, thread, node, 1);
		node = flame_gen_node(gen, node, flame_gen_frame(gen, "", "/lib/libm.so.6", FLAME_UNKNOWN));
		flame_gen_sample(gen, event, thread, node, 10);
	}
	check(flame_gen_data(gen), NULL, "x;f:g h 4\nx;f:g h;[libm.so.6] 40\n");
	check(flame_gen_data(gen), &options,
	      "x;f:g h 1\nx;f:g h;[libm.so.6] 10\n"
	      "x;f:g h_[i] 1\nx;f:g h_[i];[libm.so.6] 10\n"
	      "x;f:g h_[j] 1\nx;f:g h_[j];[libm.so.6] 10\n"
	      "x;f:g h_[k] 1\nx;f:g h_[k];[libm.so.6] 10\n");
	flame_gen_free(gen);
}

/* Sorted as strcmp sorts, all different, and nothing lost. */
static void check_large(const char *name)
{
	struct flame_gen *gen = flame_gen_new(name);
	const struct flame_data *data = flame_gen_data(gen);
	struct buf buf = BUF_INIT;
	const char *before = "";
	uint64_t sum = 0;

	assert_int_equal(folded_render(data, NULL, &buf, NULL), 0);
	for (char *line = buf_text(&buf), *end; (end = strchr(line, '\n')); line = end + 1) {
		char *blank;

		*end = '\0';
		blank = strrchr(line, ' ');
		assert_non_null(blank);
		sum += strtoull(blank + 1, NULL, 10);
		*blank = '\0';
		assert_true(strcmp(before, line) < 0);
		before = line;
	}
	for (size_t i = 0; i < data->nr_rows; i++)
		if (data->rows[i].event == 0)
			sum -= data->rows[i].weight;
	assert_int_equal(sum, 0);
	buf_release(&buf);
	flame_gen_free(gen);
}

static void test_large(void **state)
{
	(void)state;
	check_large("demo");
	check_large("deep");
	check_large("names");
	check_large("silent");
	check_large("empty");
}

static void test_refused(void **state)
{
	struct flame_row row = { .event = 3 };
	struct flame_data data = { .rows = &row, .nr_rows = 1 };
	struct buf buf = BUF_INIT;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(folded_render(&data, NULL, &buf, &err), -EINVAL);
	assert_int_equal(buf.size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("render/folded", tests, NULL, NULL);
}
