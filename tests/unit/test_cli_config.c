/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files: what the reader makes of every kind of line, and that the writer leaves the others alone. */
#include "lib/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "cli/config.h"

static char folder[] = "/tmp/sonde-config.XXXXXX";
static char path[64];
static struct config config;

static void load(const char *text)
{
	FILE *file = fopen(path, "w");

	config_release(&config);
	memset(&config, 0, sizeof(config));
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(config_load_file(&config, path), 0);
}

static const char *value(const char *key)
{
	const struct config_entry *entry = config_find(&config, key);

	return !entry ? "absent" : entry->value ? entry->value : "alone";
}

static void test_reading(void **state)
{
	(void)state;
	load("# comment\n[call-graph]\n\trecord-mode = dwarf ; unwinds\n  Threshold=0.5\n\n"
	     "[colors] top = red, lightgray # in one line\n"
	     "[s \"Sub \\\"q\\\"\"]\n flag\n flag2 ; yes\n"
	     "[a]\nquoted = \" x # y \"  # z\nescaped = \"a\\\"b\" c\\\\d\\te\njoined = one \\\n   two\nempty =\nmid = a  b\n");
	assert_int_equal(config.problems.nr, 0);
	assert_string_equal(value("call-graph.record-mode"), "dwarf");
	assert_string_equal(value("Call-Graph.THRESHOLD"), "0.5");
	assert_string_equal(value("colors.top"), "red, lightgray");
	assert_string_equal(value("s.Sub \"q\".flag"), "alone");
	assert_string_equal(value("s.Sub \"q\".flag2"), "alone");
	assert_string_equal(value("a.quoted"), " x # y ");
	assert_string_equal(value("a.escaped"), "a\"b c\\d\te");
	assert_string_equal(value("a.joined"), "one    two");
	assert_string_equal(value("a.empty"), "");
	assert_string_equal(value("a.mid"), "a  b");
	assert_int_equal(config_find(&config, "call-graph.threshold")->line, 4);
}

static void test_last_counts(void **state)
{
	const struct config_entry *entries[8];

	(void)state;
	load("[a]\nx = 1\ny = 2\n[b]\nx = 3\n[a]\nx = 4\n");
	assert_string_equal(value("a.x"), "4");
	assert_int_equal(config_effective(&config, entries, 8), 3);
	assert_string_equal(entries[0]->key, "a.x");
	assert_string_equal(entries[0]->value, "4");
	assert_string_equal(entries[2]->key, "b.x");
	assert_int_equal(config_effective(&config, entries, 2), 2);
}

/* A bad line is reported, with its number, and costs no other. */
static void test_problems(void **state)
{
	char words[128];

	(void)state;
	load("lost = 1\n[a\n[ok]\nx = 1\n9 = 2\ny = \"open\nz = \\q\nw z\nlast = 3");
	assert_int_equal(config.problems.nr, 6);
	snprintf(words, sizeof(words), "%s:5: not a \"key = value\"", path);
	assert_string_equal(config.problems.items[2], words);
	assert_string_equal(value("ok.x"), "1");
	assert_string_equal(value("ok.last"), "3");
	assert_string_equal(value("ok.y"), "absent");
}

static void test_files(void **state)
{
	char folder_path[64];

	(void)state;
	load("");
	assert_int_equal(config.entries.nr, 0);
	snprintf(folder_path, sizeof(folder_path), "%s/none", folder);
	assert_int_equal(config_load_file(&config, folder_path), -ENOENT);
	assert_int_equal(config_load_file(&config, folder), -EISDIR);
	load("\\");
	load("[");
	load("[a \"");
	load("[a]\nb = \\");
	load("[a]\nb = \"\\");
}

static void expect_file(const char *text)
{
	struct buf buf = BUF_INIT;

	assert_int_equal(file_read_path(path, &buf, 1 << 20), 0);
	assert_string_equal(buf_text(&buf), text);
	buf_release(&buf);
}

static void set(const char *key, const char *to)
{
	struct err err;

	assert_int_equal(config_write(path, key, to, &err), 0);
}

static void test_writing(void **state)
{
	(void)state;
	load("# mine\n[a]\n\tx = 1 # one\n\n\ty = 2\n# end\n[b]\n\tx = 3\n");
	chmod(path, 0600);
	set("a.x", "10");
	expect_file("# mine\n[a]\n\tx = 10\n\n\ty = 2\n# end\n[b]\n\tx = 3\n");
	set("a.z", "with space");
	expect_file("# mine\n[a]\n\tx = 10\n\n\ty = 2\n\tz = with space\n# end\n[b]\n\tx = 3\n");
	set("c.x", " a\"b#\\ ");
	expect_file("# mine\n[a]\n\tx = 10\n\n\ty = 2\n\tz = with space\n# end\n[b]\n\tx = 3\n[c]\n"
		    "\tx = \" a\\\"b#\\\\ \"\n");
	set("s.Sub.x", "1");
	load("[p]\n\tx = 1\n[a] y = 2");
	set("a.y", "3");
	expect_file("[p]\n\tx = 1\n[a] y = 3\n");
	load("[p]\n\tx = 1");
	set("p.y", "3");
	expect_file("[p]\n\tx = 1\n\ty = 3\n");
}

/* Whatever is written is read back as it was. */
static void test_round_trip(void **state)
{
	static const char *const values[] = { "",   " ",  "plain", "a b",  " a ",  "#",
					      ";x", "\"", "\\",	   "a\nb", "a\tb", "'" };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(values); i++) {
		struct stat st;

		load("[z]\n\tx = 0\n");
		chmod(path, 0640);
		set("a.k", values[i]);
		set("s.Sub.k", values[i]);
		set("a.k", values[i]);
		config_release(&config);
		memset(&config, 0, sizeof(config));
		assert_int_equal(config_load_file(&config, path), 0);
		assert_int_equal(config.problems.nr, 0);
		assert_string_equal(value("a.k"), values[i]);
		assert_string_equal(value("s.Sub.k"), values[i]);
		assert_int_equal(config.entries.nr, 3);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0640);
	}
}

static void test_new_file(void **state)
{
	struct err err;
	char deep[128], dir[64];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/new/deep", folder);
	snprintf(deep, sizeof(deep), "%s/config", dir);
	assert_int_equal(config_write(deep, "a.b", "c", &err), 0);
	assert_int_equal(config_write(deep, "nodot", "c", &err), -EINVAL);
	assert_int_equal(unlink(deep), 0);
	rmdir(dir);
	*strrchr(dir, '/') = '\0';
	rmdir(dir);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/config", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	config_release(&config);
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reading),	 cmocka_unit_test(test_last_counts),
		cmocka_unit_test(test_problems), cmocka_unit_test(test_files),
		cmocka_unit_test(test_writing),	 cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_new_file),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
