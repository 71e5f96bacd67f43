/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: their names, values and texts. */
#include "lib/unit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "lib/profile_make.h"
#include "profile/view.h"

static void test_table(void **state)
{
	(void)state;
	for (const struct field *field = field_table; field->name; field++) {
		assert_ptr_equal(field_find(field->name), field); /* no name twice */
		switch (field->kind) {
		case FIELD_AMOUNT:
			assert_true(field->width >= 7);
			break;
		case FIELD_CONTEXT:
			assert_non_null(field->of_row);
			assert_non_null(field->print);
			break;
		case FIELD_FRAME:
			assert_non_null(field->of_frame);
			assert_non_null(field->print);
			break;
		case FIELD_REFUSED:
			assert_non_null(field->title);
			break;
		}
	}
	assert_null(field_find("nosuch"));
}

static void test_lists(void **state)
{
	struct field_list list = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(field_list_parse(&list, "comm,dso,,symbol,comm", "--sort", NULL, NULL, &err), 0);
	assert_int_equal(list.uses.nr, 3); /* each once */
	assert_true(field_list_has_name(&list, "sym")); /* another name of symbol */
	assert_false(field_list_has_name(&list, "cpu"));
	assert_int_equal(field_list_parse(&list, "comm,nosuch", "--sort", NULL, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "Unknown --sort key: `nosuch'");
	assert_int_equal(field_list_parse(&list, "mem", "--fields", NULL, NULL, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "--fields key `mem' needs memory addresses"));
	field_list_release(&list);
}

static uint64_t value_of(struct field_env *env, const char *name, const struct profile_row *row)
{
	struct field_use use = { field_find(name), NULL };

	return use.field->kind == FIELD_FRAME ? use.field->of_frame(env, &use, row->self)
					      : use.field->of_row(env, &use, row);
}

static void expect(struct field_env *env, const char *name, const struct profile_row *row, const char *wanted)
{
	struct field_use use = { field_find(name), NULL };
	struct buf buf = BUF_INIT;

	use.field->print(env, &use, value_of(env, name, row), &buf);
	assert_string_equal(buf_text(&buf), wanted);
	buf_release(&buf);
}

static void test_values(void **state)
{
	struct profile_make make;
	struct field_env env;
	struct profile_row *row;
	const int chain[] = { 0, 3, -1 };

	(void)state;
	profile_make_init(&make, 1, false, 0);
	profile_make_thread(&make, 7, 8, "kworker/12:3-x");
	profile_make_thread(&make, 7, 9, NULL);
	row = profile_make_row(&make, 0, 0, profile_make_stack(&make, chain), 1, 1);
	field_env_init(&env, make.profile, false, false);
	expect(&env, "comm", row, "kworker/12:3-x");
	expect(&env, "comm_nodigit", row, "kworker/<N>:<N>-x");
	expect(&env, "pid", row, "      8:kworker/12:3-x");
	expect(&env, "dso", row, "[kernel.kallsyms]");
	expect(&env, "symbol", row, "[k] f3");
	expect(&env, "symbol_size", row, "256");
	expect(&env, "parent", row, "[other]");
	row->thread = 1;
	expect(&env, "comm", row, ":9");
	expect(&env, "comm_nodigit", row, ":<N>");
	row->self = PROFILE_MAKE_NAMELESS;
	expect(&env, "dso", row, "libmade.so");
	expect(&env, "symbol", row, "[.] 0x0000000000001234");
	row->self = 0;
	expect(&env, "dso", row, "[unknown]");
	expect(&env, "symbol", row, "[.] [unknown]");
	field_env_release(&env);
	field_env_init(&env, make.profile, false, true);
	row->self = PROFILE_MAKE_NAMELESS;
	expect(&env, "dso", row, "/nowhere/libmade.so");
	field_env_release(&env);
	profile_make_release(&make);
}

/* Values that come from the sample, in enum order of the columns that the profile has. */
static void test_extras(void **state)
{
	const uint32_t extras = 1u << PROFILE_EXTRA_CPU | 1u << PROFILE_EXTRA_TIME |
				1u << PROFILE_EXTRA_WEIGHT | 1u << PROFILE_EXTRA_TRANSACTION |
				1u << PROFILE_EXTRA_CODE_PAGE_SIZE;
	const int32_t sockets[] = { 0, 0, 1 };
	struct profile_make make;
	struct field_env env;
	struct profile_row *row;

	(void)state;
	profile_make_init(&make, 1, false, extras);
	make.events.events.items[0].attr.sample_type |= 1ull << 24; /* WEIGHT_STRUCT */
	profile_make_thread(&make, 7, 7, "prog");
	row = profile_make_row(&make, 0, 0, 0, 1, 1);
	row->extra = 1;
	array_push(&make.profile->extra_values, 2);
	array_push(&make.profile->extra_values, 12345678901);
	array_push(&make.profile->extra_values, 3ull << 48 | 2ull << 32 | 1);
	array_push(&make.profile->extra_values, PERF_TXN_SYNC | PERF_TXN_CONFLICT);
	array_push(&make.profile->extra_values, 2 << 20);
	field_env_init(&env, make.profile, false, false);
	expect(&env, "cpu", row, "002");
	expect(&env, "socket", row, "-001"); /* not known */
	env.cpu_socket = sockets;
	env.nr_cpu_sockets = 3;
	expect(&env, "socket", row, "001");
	expect(&env, "time", row, "12.345678");
	env.time_in_ns = true;
	expect(&env, "time", row, "12.345678901");
	expect(&env, "weight", row, "1");
	expect(&env, "ins_lat", row, "2");
	expect(&env, "p_stage_cyc", row, "3");
	expect(&env, "transaction", row, "SYNC CON");
	expect(&env, "code_page_size", row, "2M");
	field_env_release(&env);
	profile_make_release(&make);
}

static void test_frames(void **state)
{
	struct profile_make make;
	struct field_env env;
	struct buf buf = BUF_INIT;

	(void)state;
	profile_make_init(&make, 1, false, 0);
	field_env_init(&env, make.profile, false, false);
	field_print_frame(&env, 1, &buf);
	buf_putc(&buf, ' ');
	field_print_frame(&env, PROFILE_MAKE_NAMELESS, &buf);
	buf_putc(&buf, ' ');
	field_print_frame(&env, 0, &buf);
	assert_string_equal(buf_text(&buf), "f0 libmade.so+0x1234 [unknown]");
	buf.size = 0;
	field_print_place(&env, 1, true, &buf);
	assert_string_equal(buf_text(&buf), "f0 +0");
	buf_release(&buf);
	assert_int_equal(field_mode_letter(MACHINE_MODE_USER), '.');
	assert_int_equal(field_mode_letter(MACHINE_MODE_HYPERVISOR), 'H');
	field_env_release(&env);
	profile_make_release(&make);
}

/* What a view asks a profile to hold. */
static void test_needs(void **state)
{
	struct view_options options = { .filter = { .socket = -1 } };
	struct profile_options need = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(field_list_parse(&options.fields, "comm,dso", "--sort", NULL, NULL, &err), 0);
	for (size_t i = 0; i < options.fields.uses.nr; i++)
		array_push(&options.sorts.uses, options.fields.uses.items[i]);
	view_options_need(&options, false, &need);
	assert_false(need.need_symbols || need.need_stacks || need.need_addresses || need.extras);
	view_options_need(&options, true, &need);
	assert_true(need.need_symbols && need.need_stacks && !need.need_addresses);
	field_list_add(&options.sorts, "srcline");
	field_list_add(&options.sorts, "time");
	view_options_need(&options, true, &need);
	assert_true(need.need_addresses);
	assert_int_equal(need.extras, 1u << PROFILE_EXTRA_TIME);
	view_options_release(&options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),  cmocka_unit_test(test_lists),  cmocka_unit_test(test_values),
		cmocka_unit_test(test_extras), cmocka_unit_test(test_frames), cmocka_unit_test(test_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
