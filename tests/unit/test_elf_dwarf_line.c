/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "elf/dwarf_line.h"
#include "elf/image.h"
#include "elf/symtab.h"

/* Whoever moves these lines, moves them together. */
static const unsigned marked_line = __LINE__ + 1;
static __attribute__((noipa)) int marked(int value)
{
	return value * 3;
}

struct opened {
	struct elf_image *image;
	struct symtab *table;
	struct dwarf_line *lines;
};

static bool open_self(struct opened *self)
{
	assert_int_equal(elf_image_open("/proc/self/exe", &self->image, NULL), 0);
	assert_int_equal(symtab_from_image(self->image, self->image, &self->table, NULL), 0);
	self->lines = dwarf_line_new(self->image);
	return self->lines != NULL;
}

static void close_self(struct opened *self)
{
	dwarf_line_free(self->lines);
	symtab_free(self->table);
	elf_image_close(self->image);
}

static void test_self(void **state)
{
	char want[64];
	struct buf buf = BUF_INIT;
	struct opened self;
	struct symtab_symbol symbol;
	const char *path;
	uint32_t line;

	(void)state;
	assert_int_equal(marked(2), 6);
	if (!open_self(&self)) {
		close_self(&self);
		skip();
	}
	symbol = symtab_get(self.table, symtab_find_name(self.table, "marked"));
	assert_true(dwarf_line_find(self.lines, symbol.start, false, &buf));
	assert_true(dwarf_line_get(self.lines, symbol.start, &path, &line));
	/* The first instruction may belong to the first statement. */
	assert_true(line >= marked_line && line <= marked_line + 3);
	assert_non_null(strstr(path, "tests/unit/test_elf_dwarf_line.c"));
	snprintf(want, sizeof(want), "test_elf_dwarf_line.c:%u", line);
	assert_string_equal(buf_text(&buf), want);
	assert_false(dwarf_line_find(self.lines, 0, false, &buf));
	assert_false(dwarf_line_find(self.lines, UINT64_MAX, false, &buf));
	assert_string_equal(buf_text(&buf), want);
	buf.size = 0;
	assert_true(dwarf_line_find(self.lines, symbol.start, true, &buf));
	assert_non_null(strstr(buf_text(&buf), "tests/unit/test_elf_dwarf_line.c:"));
	buf_release(&buf);
	close_self(&self);
}

/* Every function of this file has its line in this file, whoever asks. */
static void *ask_all(void *arg)
{
	struct opened *self = arg;

	for (uint32_t i = 0; i < symtab_nr(self->table); i++) {
		struct symtab_symbol symbol = symtab_get(self->table, i);
		const char *path;
		uint32_t line;

		if (strncmp(symbol.name, "test_", 5) && strcmp(symbol.name, "marked"))
			continue;
		if (!dwarf_line_get(self->lines, symbol.start, &path, &line) ||
		    !strstr(path, "test_elf_dwarf_line.c"))
			return (void *)symbol.name;
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[4];
	struct opened self;

	(void)state;
	if (!open_self(&self)) {
		close_self(&self);
		skip();
	}
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_all, &self), 0);
	for (unsigned i = 0; i < 4; i++) {
		void *wrong;

		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	close_self(&self);
}

static void test_none(void **state)
{
	struct elf_image *image;

	(void)state;
	dwarf_line_free(NULL);
	if (elf_image_open("/bin/true", &image, NULL))
		skip();
	dwarf_line_free(dwarf_line_new(image));
	elf_image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
