/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "elf/symtab.h"
#include "elf/symtab_file.h"

static const uint64_t numbers[SYMTAB_FILE_NR_NUMBERS] = { 11, 22 };
static const struct span key = { (const uint8_t *)"the key", 7 };

struct made {
	struct symtab_names names;
	struct symtab_row *rows[2];
	size_t nr[2];
	struct symtab *tables[2];
	struct buf buf;
};

static void add(struct made *made, unsigned table, uint64_t start, uint64_t end, const char *name)
{
	made->rows[table] = xreallocarray(made->rows[table], made->nr[table] + 1, sizeof(struct symtab_row));
	made->rows[table][made->nr[table]++] = (struct symtab_row){
		.start = start,
		.end = end,
		.name = symtab_names_add(&made->names, name, strlen(name)),
		.info = STB_GLOBAL << 4 | STT_FUNC,
	};
}

/* Two tables: one with overlaps and with names that only their readable forms can decide between, one simple. */
static void make(struct made *made)
{
	struct symtab_file_table parts[2];

	*made = (struct made){ .buf = BUF_INIT };
	add(made, 0, 0x1000, 0x2000, "outer");
	add(made, 0, 0x1400, 0x1500, "inner");
	add(made, 0, 0x3000, 0x3100, "_ZN1a4longEi");
	add(made, 0, 0x3000, 0x3100, "_ZN1a1bEv");
	add(made, 0, 0x3000, 0x3100, "_ZN1a1cEv");
	for (unsigned i = 0; i < 100; i++)
		add(made, 0, 0x10000 + 64 * i, 0x10000 + 64 * i + 32, "many");
	add(made, 1, 0x500, 0x500, "a");
	add(made, 1, 0x600, 0x600, "b");
	for (unsigned i = 0; i < 2; i++) {
		struct symtab_parts symtab = { .rows = made->rows[i], .nr_rows = made->nr[i] };

		symtab.pools[0] = (struct span){ (const uint8_t *)made->names.text, made->names.size };
		made->tables[i] = symtab_build(&symtab);
		parts[i] = (struct symtab_file_table){ i ? "second" : "", made->tables[i] };
	}
	assert_int_equal(symtab_file_encode(key, parts, 2, numbers, &made->buf), 0);
}

static void release(struct made *made)
{
	symtab_free(made->tables[0]);
	symtab_free(made->tables[1]);
	free(made->names.text);
	buf_release(&made->buf);
}

static int decode(const void *data, size_t size, struct symtab_file_table **ret, size_t *ret_nr)
{
	uint64_t got[SYMTAB_FILE_NR_NUMBERS];
	int code = symtab_file_decode((struct span){ data, size }, key, ret, ret_nr, got);

	if (!code)
		assert_true(*ret_nr != 2 || got[0] + got[1] != 0);
	return code;
}

static void free_tables(struct symtab_file_table *tables, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		symtab_free(tables[i].table);
	free(tables);
}

/* Whatever a table says, asking it must be safe. */
static void ask(const struct symtab *table)
{
	for (uint64_t addr = 0; addr < 0x13000; addr += 16)
		symtab_find(table, addr);
	for (uint32_t i = 0; i < symtab_nr(table); i++)
		assert_true(strlen(symtab_get(table, i).name) < 1000);
	symtab_find(table, UINT64_MAX);
}

static void test_round_trip(void **state)
{
	struct symtab_file_table *tables;
	struct made made;
	size_t nr;

	(void)state;
	make(&made);
	assert_int_equal(decode(made.buf.data, made.buf.size, &tables, &nr), 0);
	assert_int_equal(nr, 2);
	assert_string_equal(tables[0].name, "");
	assert_string_equal(tables[1].name, "second");
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(symtab_nr(tables[i].table), symtab_nr(made.tables[i]));
		for (uint64_t addr = 0; addr < 0x13000; addr += 4)
			assert_int_equal(symtab_find(tables[i].table, addr),
					 symtab_find(made.tables[i], addr));
		for (uint32_t index = 0; index < symtab_nr(made.tables[i]); index++) {
			struct symtab_symbol a = symtab_get(tables[i].table, index),
					     b = symtab_get(made.tables[i], index);

			assert_string_equal(a.name, b.name);
			assert_true(a.start == b.start && a.end == b.end && a.type == b.type);
		}
	}
	assert_string_equal(symtab_get(tables[0].table, symtab_find(tables[0].table, 0x1600)).name, "outer");
	free_tables(tables, nr);
	release(&made);
}

static void test_nothing(void **state)
{
	struct symtab_parts none = { 0 };
	struct symtab_file_table *tables, part = { "", symtab_build(&none) };
	struct buf buf = BUF_INIT;
	size_t nr;

	(void)state;
	assert_int_equal(symtab_file_encode(key, &part, 1, numbers, &buf), 0);
	/* The one name, of no characters, is the text. */
	assert_int_equal(decode(buf.data, buf.size, &tables, &nr), 0);
	assert_int_equal(symtab_find(tables[0].table, 0), SYMTAB_NONE);
	free_tables(tables, nr);
	buf_release(&buf);
	assert_int_equal(symtab_file_encode(key, NULL, 0, numbers, &buf), 0);
	assert_int_equal(decode(buf.data, buf.size, &tables, &nr), 0);
	assert_int_equal(nr, 0);
	free_tables(tables, nr);
	buf_release(&buf);
	symtab_free(part.table);
}

static void test_what_cannot_be_kept(void **state)
{
	struct symtab_parts parts = { .nr_rows = 1 };
	struct symtab_file_table part = { "", NULL };
	struct buf buf = BUF_INIT;

	(void)state;
	parts.rows = xcalloc(1, sizeof(*parts.rows));
	parts.rows[0] = (struct symtab_row){ .start = 1, .end = 2, .pool = SYMTAB_POOL_PLT };
	parts.pools[SYMTAB_POOL_PLT] = (struct span){ (const uint8_t *)"a@plt", 6 };
	part.table = symtab_build(&parts);
	assert_int_equal(symtab_file_encode(key, &part, 1, numbers, &buf), -EINVAL);
	assert_int_equal(buf.size, 0);
	symtab_free(part.table);
	buf_release(&buf);
}

static void test_other_key(void **state)
{
	static const char *const keys[] = { "the kex", "the ke", "the key ", "" };
	uint64_t got[SYMTAB_FILE_NR_NUMBERS];
	struct symtab_file_table *tables;
	struct made made;
	size_t nr;

	(void)state;
	make(&made);
	for (unsigned i = 0; i < 4; i++) {
		struct span other = { (const uint8_t *)keys[i], strlen(keys[i]) };

		assert_int_equal(symtab_file_decode((struct span){ (uint8_t *)made.buf.data, made.buf.size },
						    other, &tables, &nr, got),
				 -ESTALE);
		assert_null(tables);
	}
	release(&made);
}

static void test_cut_short(void **state)
{
	struct symtab_file_table *tables;
	struct made made;
	size_t nr;

	(void)state;
	make(&made);
	for (size_t size = 0; size < made.buf.size; size++) {
		/* A copy of just that size, so that a read behind it is noticed. */
		void *copy = xmemdup(made.buf.data, size);

		assert_int_equal(decode(copy, size, &tables, &nr), -EBADMSG);
		free(copy);
	}
	buf_putc(&made.buf, '\0');
	assert_int_equal(decode(made.buf.data, made.buf.size, &tables, &nr), -EBADMSG);
	release(&made);
}

static void test_every_byte_damaged(void **state)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };
	struct made made;

	(void)state;
	make(&made);
	for (size_t i = 0; i < made.buf.size; i++) {
		for (unsigned j = 0; j < sizeof(masks); j++) {
			struct symtab_file_table *tables;
			char *copy = xmemdup(made.buf.data, made.buf.size);
			size_t nr;

			copy[i] = (char)(copy[i] ^ masks[j]);
			if (!decode(copy, made.buf.size, &tables, &nr)) {
				for (size_t k = 0; k < nr; k++)
					ask(tables[k].table);
				free_tables(tables, nr);
			}
			free(copy);
		}
	}
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),	    cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_what_cannot_be_kept), cmocka_unit_test(test_other_key),
		cmocka_unit_test(test_cut_short),	    cmocka_unit_test(test_every_byte_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
