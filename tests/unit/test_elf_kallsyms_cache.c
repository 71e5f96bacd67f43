/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "elf/kallsyms.h"
#include "elf/kallsyms_cache.h"
#include "elf/symtab.h"

static const struct span key = { (const uint8_t *)"key", 3 };

static char home[] = "/tmp/sonde-kallsyms.XXXXXX";

static int make_home(void **state)
{
	(void)state;
	if (!mkdtemp(home))
		return -1;
	setenv("XDG_CACHE_HOME", home, 1);
	unsetenv("SONDE_CACHE");
	return 0;
}

static int remove_home(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", home);
	return system(command);
}

static void assert_equal_tables(const struct symtab *a, const struct symtab *b)
{
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(symtab_nr(a), symtab_nr(b));
	for (uint32_t i = 0; i < symtab_nr(a); i++) {
		struct symtab_symbol first = symtab_get(a, i), second = symtab_get(b, i);

		assert_true(first.start == second.start && first.end == second.end);
		assert_string_equal(first.name, second.name);
		assert_int_equal(symtab_find(a, first.start), i);
		assert_int_equal(symtab_find(b, first.start), i);
	}
}

static void test_bytes(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000000 T startup\n"
				   "ffffffff81000100 t local_one\n"
				   "ffffffff81001000 T _stext\n"
				   "ffffffffc0100000 t mod_init\t[nf-nat]\n"
				   "ffffffffc0100040 T _text\t[nf-nat]\n"
				   "ffffffffc0200000 t bpf_prog_1\t[bpf]\n"
				   "ffffffffc0300000 t ftrace_trampoline\t[__builtin__ftrace]\n";
	struct kallsyms *made, *read;
	struct buf buf = BUF_INIT;
	struct file_map file;
	struct kallsyms_marks marks;
	char path[128];

	(void)state;
	assert_int_equal(kallsyms_parse((struct span){ (const uint8_t *)text, sizeof(text) - 1 }, "made",
					&made, NULL),
			 0);
	marks = kallsyms_marks(made);
	assert_true(marks.text == 0xffffffff81000000 && marks.stext == 0xffffffff81001000);
	assert_int_equal(kallsyms_cache_encode(made, key, &buf), 0);
	snprintf(path, sizeof(path), "%s/file", home);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	truncate(path, 0);
	{
		int fd = open(path, O_WRONLY);

		assert_int_equal(file_write_all(fd, buf.data, buf.size), 0);
		close(fd);
	}
	assert_int_equal(file_map_path(path, &file, NULL), 0);
	assert_int_equal(kallsyms_cache_decode(&file, key, &read), 0);
	assert_null(file.data);
	marks = kallsyms_marks(read);
	assert_true(marks.text == 0xffffffff81000000 && marks.stext == 0xffffffff81001000);
	assert_equal_tables(kallsyms_kernel(made), kallsyms_kernel(read));
	assert_equal_tables(kallsyms_module(made, "nf_nat"), kallsyms_module(read, "nf_nat"));
	/* What comes and goes is not kept, and the tables know it. */
	assert_int_equal(kallsyms_nr_modules(made), 3);
	assert_int_equal(kallsyms_nr_modules(read), 1);
	assert_true(kallsyms_cache_lacks(read, "bpf") && kallsyms_cache_lacks(read, "__builtin__ftrace"));
	assert_false(kallsyms_cache_lacks(read, "nf_nat") || kallsyms_cache_lacks(made, "bpf"));
	kallsyms_free(read);
	assert_int_equal(file_map_path(path, &file, NULL), 0);
	assert_int_equal(kallsyms_cache_decode(&file, (struct span){ (const uint8_t *)"kex", 3 }, &read),
			 -ESTALE);
	assert_null(read);
	file_unmap(&file);
	kallsyms_free(made);
	buf_release(&buf);
}

/* The one file of the cache. */
static const char *cached(void)
{
	static char path[256];
	char pattern[128];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/sonde/kernel-*", home);
	if (glob(pattern, 0, NULL, &found))
		return NULL;
	assert_int_equal(found.gl_pathc, 1);
	snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
	globfree(&found);
	return path;
}

static void open_and_compare(const struct kallsyms *fresh)
{
	struct kallsyms *kallsyms;

	assert_int_equal(kallsyms_cache_open(&kallsyms, NULL), 0);
	assert_equal_tables(kallsyms_kernel(fresh), kallsyms_kernel(kallsyms));
	assert_int_equal(kallsyms_marks(fresh).text, kallsyms_marks(kallsyms).text);
	kallsyms_free(kallsyms);
}

static void test_running_kernel(void **state)
{
	struct kallsyms *fresh, *kallsyms;
	struct stat st, again;
	FILE *file;

	(void)state;
	if (kallsyms_open("/proc/kallsyms", &fresh, NULL))
		skip();
	setenv("SONDE_CACHE", "0", 1);
	open_and_compare(fresh);
	assert_null(cached());
	unsetenv("SONDE_CACHE");
	open_and_compare(fresh);
	if (!cached()) {
		/* A kernel without a build-id, or a sandbox without /sys. */
		kallsyms_free(fresh);
		skip();
	}
	assert_int_equal(stat(cached(), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	open_and_compare(fresh);
	assert_int_equal(kallsyms_cache_open(&kallsyms, NULL), 0);
	assert_true(kallsyms_cache_lacks(kallsyms, "bpf"));
	kallsyms_free(kallsyms);
	/* Used, not written again. */
	assert_int_equal(stat(cached(), &again), 0);
	assert_int_equal(again.st_ino, st.st_ino);
	/* Damage is not believed, and is mended. */
	assert_int_equal(truncate(cached(), st.st_size / 2), 0);
	open_and_compare(fresh);
	assert_int_equal(stat(cached(), &again), 0);
	assert_int_equal(again.st_size, st.st_size);
	file = fopen(cached(), "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, 4096, SEEK_SET), 0);
	for (int i = 0; i < 100000; i++)
		putc(0xee, file);
	fclose(file);
	open_and_compare(fresh);
	assert_int_equal(kallsyms_cache_open(&kallsyms, NULL), 0);
	assert_true(kallsyms_cache_lacks(kallsyms, "bpf"));
	kallsyms_free(kallsyms);
	kallsyms_free(fresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_running_kernel),
	};

	return cmocka_run_group_tests(tests, make_home, remove_home);
}
