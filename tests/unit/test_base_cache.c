/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache.h"

static char home[64];

static int make_home(void **state)
{
	(void)state;
	strcpy(home, "/tmp/sonde-cache.XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("HOME", home, 1);
	unsetenv("XDG_CACHE_HOME");
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

static unsigned mode_of(const char *path)
{
	char full[256];
	struct stat st;

	snprintf(full, sizeof(full), "%s/%s", home, path);
	return lstat(full, &st) ? 0 : st.st_mode & 07777;
}

static int put(int cache, const char *name, const char *text, bool keep)
{
	struct cache_file file;

	assert_int_equal(cache_file_create(cache, &file), 0);
	assert_int_equal(file_write_all(file.fd, text, strlen(text)), 0);
	return cache_file_finish(cache, &file, name, keep);
}

static void assert_text(int cache, const char *name, const char *text)
{
	struct file_map map;

	assert_int_equal(cache_map(cache, name, &map), 0);
	assert_int_equal(map.size, strlen(text));
	assert_memory_equal(map.data, text, map.size);
	file_unmap(&map);
}

static unsigned nr_files(void)
{
	char command[128];
	unsigned nr = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "ls -A %s/.cache/sonde | wc -l", home);
	pipe = popen(command, "r");
	assert_int_equal(fscanf(pipe, "%u", &nr), 1);
	pclose(pipe);
	return nr;
}

static void set_age(int cache, const char *name, time_t seconds)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - seconds }, { .tv_sec = time(NULL) - seconds } };

	assert_int_equal(utimensat(cache, name, times, 0), 0);
}

static void test_files_come_whole(void **state)
{
	struct file_map map;
	int cache;

	(void)state;
	assert_int_equal(cache_open(false), -ENOENT);
	assert_int_equal(mode_of(".cache"), 0);
	cache = cache_open(true);
	assert_true(cache >= 0);
	assert_int_equal(mode_of(".cache/sonde"), 0700);
	assert_int_equal(cache_map(cache, "a", &map), -ENOENT);
	assert_int_equal(put(cache, "a", "first", true), 0);
	assert_int_equal(mode_of(".cache/sonde/a"), 0600);
	assert_text(cache, "a", "first");
	assert_int_equal(cache_map(cache, "a", &map), 0);
	assert_int_equal(put(cache, "a", "second", true), 0);
	/* Who has the old one keeps it. */
	assert_memory_equal(map.data, "first", 5);
	file_unmap(&map);
	assert_text(cache, "a", "second");
	assert_int_equal(put(cache, "a", "third", false), 0);
	assert_text(cache, "a", "second");
	assert_int_equal(nr_files(), 1);
	close(cache);
}

static void test_who_has_none(void **state)
{
	char path[128];

	(void)state;
	setenv("SONDE_CACHE", "0", 1);
	assert_true(cache_open(true) < 0);
	setenv("SONDE_CACHE", "1", 1);
	unsetenv("HOME");
	assert_true(cache_open(true) < 0);
	setenv("HOME", "relative", 1);
	assert_true(cache_open(true) < 0);
	setenv("HOME", home, 1);
	setenv("XDG_CACHE_HOME", "relative", 1); /* does not count */
	close(cache_open(true));
	assert_int_equal(mode_of(".cache/sonde"), 0700);
	snprintf(path, sizeof(path), "%s/deep/er", home);
	setenv("XDG_CACHE_HOME", path, 1);
	close(cache_open(true));
	assert_int_equal(mode_of("deep/er/sonde"), 0700);
	snprintf(path, sizeof(path), "%s/file", home);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	setenv("XDG_CACHE_HOME", path, 1);
	assert_true(cache_open(true) < 0);
}

static void test_folders_of_others(void **state)
{
	char path[128], link[160];
	struct file_map map;
	int cache;

	(void)state;
	snprintf(path, sizeof(path), "%s/.cache/sonde", home);
	cache = cache_open(true);
	assert_int_equal(put(cache, "a", "text", true), 0);
	/* Others may write: what is in it is worth nothing. */
	assert_int_equal(fchmodat(cache, "a", 0666, 0), 0);
	assert_int_equal(cache_map(cache, "a", &map), -EPERM);
	snprintf(link, sizeof(link), "%s/link", path);
	assert_int_equal(symlink("a", link), 0);
	assert_int_equal(cache_map(cache, "link", &map), -ELOOP);
	close(cache);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(cache_open(true), -EPERM);
	assert_int_equal(chmod(path, 0700), 0);
	if (geteuid())
		return;
	/* As with sudo and the caller's HOME. */
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(cache_open(true), -EPERM);
	assert_int_equal(chown(home, 65534, 65534), 0);
	setenv("XDG_CACHE_HOME", home, 1);
	assert_int_equal(cache_open(true), -EPERM);
	assert_int_equal(mode_of("sonde"), 0);
}

static void test_trim(void **state)
{
	struct file_map map;
	struct stat st;
	int cache;

	(void)state;
	cache = cache_open(true);
	for (int i = 0; i < 6; i++) {
		char name[] = { 'k', '-', (char)('0' + i), '\0' };

		put(cache, name, name, true);
		set_age(cache, name, 1000 * (i + 1));
	}
	put(cache, "other", "x", true);
	set_age(cache, "other", 1000000);
	put(cache, ".new-1-old", "x", true);
	set_age(cache, ".new-1-old", 100000);
	put(cache, ".new-2-young", "x", true);
	/* Reading is use. */
	assert_text(cache, "k-5", "k-5");
	assert_int_equal(fstatat(cache, "k-5", &st, 0), 0);
	assert_true(time(NULL) - st.st_mtime < 1000);
	cache_trim(cache, "k-", 4);
	for (int i = 0; i < 6; i++) {
		char name[] = { 'k', '-', (char)('0' + i), '\0' };

		assert_int_equal(cache_map(cache, name, &map), i == 3 || i == 4 ? -ENOENT : 0);
		file_unmap(&map);
	}
	assert_text(cache, "other", "x");
	assert_int_equal(cache_map(cache, ".new-1-old", &map), -ENOENT);
	assert_text(cache, ".new-2-young", "x");
	close(cache);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_home, remove_home)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_files_come_whole),
		TEST(test_who_has_none),
		TEST(test_folders_of_others),
		TEST(test_trim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
