/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the kernel's symbols ahead changes nothing about what comes out. */
#include "lib/unit.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/symbol_source.h"

static const struct dso kernel = {
	.kind = DSO_KERNEL, .path = "[kernel.kallsyms]", .name = "[kernel.kallsyms]", .pid = -1
};

static int set_up(void **state)
{
	(void)state;
	setenv("SONDE_CACHE", "0", 1);
	return 0;
}

/* The kernel's symbols by a context with these options. */
static void load(const struct symbolizer_options *options, bool ahead, struct symbol_context *context,
		 struct symbol_set *set)
{
	*context = (struct symbol_context){ .options = *options };
	*set = (struct symbol_set){ 0 };
	if (ahead)
		symbol_source_kernel_preload(context);
	symbol_source_kernel(context, &kernel, set);
}

static void release(struct symbol_context *context, struct symbol_set *set)
{
	if (!set->is_shared_table)
		symtab_free(set->table);
	elf_image_close(set->debug_image);
	free(set->complaint);
	symbol_source_kernel_release(context);
}

static void compare(const struct symbolizer_options *options, bool is_read_ahead)
{
	struct symbol_context plain, ahead;
	struct symbol_set plain_set, ahead_set;

	load(options, false, &plain, &plain_set);
	load(options, true, &ahead, &ahead_set);
	assert_int_equal(ahead.preload != NULL, is_read_ahead);
	assert_int_equal(ahead_set.table != NULL, plain_set.table != NULL);
	if (plain_set.table)
		assert_int_equal(symtab_nr(ahead_set.table), symtab_nr(plain_set.table));
	assert_int_equal(ahead_set.bias, plain_set.bias);
	assert_int_equal(ahead_set.complaint != NULL, plain_set.complaint != NULL);
	if (plain_set.complaint)
		assert_string_equal(ahead_set.complaint, plain_set.complaint);
	release(&plain, &plain_set);
	release(&ahead, &ahead_set);
}

static void test_same_answer(void **state)
{
	struct symbolizer_options options = { 0 };

	(void)state;
	compare(&options, true);
	/* What the user names, and other kernels, are not read ahead. */
	options.os_release = "1.2.3-other";
	compare(&options, false);
	options = (struct symbolizer_options){ .kallsyms = "/does/not/exist" };
	compare(&options, false);
	options = (struct symbolizer_options){ .vmlinux = "/does/not/exist" };
	compare(&options, false);
}

static void test_nobody_needs_it(void **state)
{
	struct symbol_context context = { 0 };
	struct machine *machine = machine_new();
	struct symbolizer *symbolizer = symbolizer_new(machine, NULL);

	(void)state;
	symbol_source_kernel_preload(&context);
	symbol_source_kernel_preload(&context);
	symbol_source_kernel_release(&context);
	symbolizer_preload_wait(symbolizer);
	symbolizer_preload(symbolizer);
	symbolizer_preload_wait(symbolizer);
	symbolizer_preload_wait(symbolizer);
	symbolizer_free(symbolizer);
	/* Freed while it reads. */
	symbolizer = symbolizer_new(machine, NULL);
	symbolizer_preload(symbolizer);
	symbolizer_free(symbolizer);
	machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_answer),
		cmocka_unit_test(test_nobody_needs_it),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
