/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/symtab.h"
#include "symbol/perfmap.h"

static struct symtab *parse(const char *text, size_t *ret_nr_damaged)
{
	return perfmap_parse((struct span){ (const uint8_t *)text, strlen(text) }, ret_nr_damaged);
}

static const char *name_at(const struct symtab *table, uint64_t addr)
{
	uint32_t index = symtab_find(table, addr);

	return index == SYMTAB_NONE ? "-" : symtab_get(table, index).name;
}

static void test_lines(void **state)
{
	size_t nr_damaged;
	struct symtab *table = parse("7f0000001000 20 plain\n"
				     "0x7f0000002000 0x40 with prefix and blanks (a, b)\n"
				     "7F0000003000 1A JS:~f /app/x.js:1:2\r\n"
				     "7f0000004000 10 trailing  \n"
				     "7f0000005000 10 control\x1b[31m\tchars",
				     &nr_damaged);

	(void)state;
	assert_int_equal(nr_damaged, 0);
	assert_int_equal(symtab_nr(table), 5);
	assert_string_equal(name_at(table, 0x7f000000101f), "plain");
	assert_string_equal(name_at(table, 0x7f0000001020), "-");
	assert_string_equal(name_at(table, 0x7f000000203f), "with prefix and blanks (a, b)");
	assert_string_equal(name_at(table, 0x7f0000003019), "JS:~f /app/x.js:1:2");
	assert_string_equal(name_at(table, 0x7f0000004000), "trailing");
	assert_string_equal(name_at(table, 0x7f0000005000), "control?[31m?chars");
	symtab_free(table);
}

/* Code that was moved and compiled anew: what was said last is true. */
static void test_later_wins(void **state)
{
	size_t nr_damaged;
	struct symtab *table = parse("1000 100 old\n"
				     "1040 10 inside\n"
				     "1000 20 new\n"
				     "1090 100 behind\n"
				     "1000 20 newest\n",
				     &nr_damaged);

	(void)state;
	assert_string_equal(name_at(table, 0x1000), "newest");
	assert_string_equal(name_at(table, 0x1020), "old");
	assert_string_equal(name_at(table, 0x1040), "inside");
	assert_string_equal(name_at(table, 0x1050), "old");
	assert_string_equal(name_at(table, 0x1090), "behind");
	assert_string_equal(name_at(table, 0x118f), "behind");
	assert_string_equal(name_at(table, 0x1190), "-");
	symtab_free(table);
}

static void test_damaged(void **state)
{
	static const char text[] = "1000 10 good\n"
				   "\n"
				   "nonsense\n"
				   "1000\n"
				   "1000 10\n"
				   "1000 10 \n"
				   "0x 10 x\n"
				   "11112222333344445 10 too wide\n"
				   "ffffffffffffffff 10 wraps\n"
				   " 2000  8  blanks in front\n"
				   "3000 8 good too\n";
	size_t nr_damaged;
	struct symtab *table = parse(text, &nr_damaged);

	(void)state;
	assert_int_equal(nr_damaged, 7);
	assert_int_equal(symtab_nr(table), 3);
	assert_string_equal(name_at(table, 0x2007), "blanks in front");
	symtab_free(table);
	for (size_t size = 0; size < sizeof(text); size++) {
		char *copy = malloc(size + 1);

		memcpy(copy, text, size);
		symtab_free(perfmap_parse((struct span){ (const uint8_t *)copy, size }, &nr_damaged));
		free(copy);
	}
}

static void test_pid(void **state)
{
	(void)state;
	assert_true(perfmap_inner_pid(getpid()) > 0);
	assert_int_equal(perfmap_inner_pid(0x7ffffff0), 0x7ffffff0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_later_wins),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
