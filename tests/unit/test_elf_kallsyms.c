/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/kallsyms.h"
#include "elf/symtab.h"

static struct kallsyms *parse(const char *text)
{
	struct kallsyms *kallsyms;

	assert_int_equal(kallsyms_parse((struct span){ (const uint8_t *)text, strlen(text) }, "made",
					&kallsyms, NULL),
			 0);
	return kallsyms;
}

static const char *name_at(const struct symtab *table, uint64_t addr)
{
	uint32_t index = symtab_find(table, addr);

	return index == SYMTAB_NONE ? "-" : symtab_get(table, index).name;
}

static void test_kernel_and_modules(void **state)
{
	struct kallsyms *kallsyms = parse("0000000000000000 A per_cpu_thing\n"
					  "ffffffff81000000 T _text\n"
					  "ffffffff81000000 T _stext\n"
					  "ffffffff81000100 t local_one\n"
					  "ffffffff81000200 W weak_one\n"
					  "ffffffff81000200 T strong\n"
					  "ffffffff82000000 D some_data\n"
					  "ffffffff83000000 U undefined\n"
					  "ffffffffc0100000 t mod_init\t[nf-nat]\n"
					  "ffffffffc0200000 t bpf_prog_1\t[bpf]\n"
					  "ffffffffc0100040 T mod_run\t[nf-nat]\n"
					  "ffffffffc0100040 t $x\t[nf-nat]");
	const struct symtab *kernel = kallsyms_kernel(kallsyms),
			    *module = kallsyms_module(kallsyms, "nf_nat");
	const char *name;

	(void)state;
	assert_int_equal(symtab_nr(kernel), 4);
	/* Of equals without sizes the last one is shown, as perf does. */
	assert_string_equal(name_at(kernel, 0xffffffff81000010), "_stext");
	assert_string_equal(name_at(kernel, 0xffffffff810001ff), "local_one");
	assert_string_equal(name_at(kernel, 0xffffffff81000200), "strong");
	assert_string_equal(name_at(kernel, 0xffffffff80ffffff), "-");
	assert_int_equal(symtab_get(kernel, 1).binding, STB_LOCAL);
	assert_int_equal(symtab_get(kernel, 3).type, STT_OBJECT);
	assert_non_null(module);
	assert_int_equal(symtab_nr(module), 2);
	assert_string_equal(name_at(module, 0xffffffffc010003f), "mod_init");
	assert_string_equal(name_at(module, 0xffffffffc0100040), "mod_run");
	assert_null(kallsyms_module(kallsyms, "nf"));
	assert_int_equal(kallsyms_nr_modules(kallsyms), 2);
	assert_ptr_equal(kallsyms_module_at(kallsyms, 0, &name), module);
	assert_string_equal(name, "nf-nat");
	assert_int_equal(kallsyms_nr_damaged(kallsyms), 0);
	kallsyms_free(kallsyms);
}

static void test_damaged_lines(void **state)
{
	static const char text[] = "ffffffff81000000 T good\n"
				   "\n"
				   "nonsense\n"
				   "ffffffff81000000\n"
				   "ffffffff81000000 T\n"
				   "ffffffff81000000 T \n"
				   "ffffffff8100000000 T too_wide\n"
				   "ffffffff81000000 T no_module [\n"
				   "ffffffff81000000 T no_name []\n"
				   "ffffffff81000010 t also_good";
	struct kallsyms *kallsyms = parse(text);

	(void)state;
	assert_int_equal(symtab_nr(kallsyms_kernel(kallsyms)), 2);
	assert_int_equal(kallsyms_nr_damaged(kallsyms), 7);
	kallsyms_free(kallsyms);
	/* Cut off anywhere. */
	for (size_t size = 0; size < sizeof(text); size++) {
		char *copy = malloc(size + 1);

		memcpy(copy, text, size);
		if (!kallsyms_parse((struct span){ (const uint8_t *)copy, size }, "cut", &kallsyms, NULL))
			kallsyms_free(kallsyms);
		free(copy);
	}
}

static void test_hidden(void **state)
{
	static const char text[] = "0000000000000000 T _text\n0000000000000000 t x\n";
	struct kallsyms *kallsyms;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(kallsyms_parse((struct span){ (const uint8_t *)text, strlen(text) }, "K", &kallsyms,
					&err),
			 -EPERM);
	assert_string_equal(err.text, "K shows no addresses");
	assert_non_null(strstr(err.hint, "kptr_restrict"));
	assert_int_equal(kallsyms_parse((struct span){ (const uint8_t *)"", 0 }, "K", &kallsyms, &err),
			 -EBADMSG);
	assert_int_equal(kallsyms_open("/no/such", &kallsyms, &err), -ENOENT);
}

/* The running kernel's, when it may be read: each text line is found where it says. */
static void test_running_kernel(void **state)
{
	struct kallsyms *kallsyms;
	unsigned long addr;
	char line[1024], type, name[512];
	size_t nr = 0;
	FILE *file;

	(void)state;
	if (kallsyms_open("/proc/kallsyms", &kallsyms, NULL))
		skip();
	file = fopen("/proc/kallsyms", "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) && nr++ < 20000) {
		uint32_t index;

		if (strchr(line, '[') || sscanf(line, "%lx %c %511s", &addr, &type, name) != 3 ||
		    !strchr("tT", type))
			continue;
		index = symtab_find(kallsyms_kernel(kallsyms), addr);
		assert_int_not_equal(index, SYMTAB_NONE);
		assert_int_equal(symtab_get(kallsyms_kernel(kallsyms), index).start, addr);
	}
	fclose(file);
	kallsyms_free(kallsyms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_and_modules),
		cmocka_unit_test(test_damaged_lines),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
