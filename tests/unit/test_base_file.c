/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char dir[] = "/tmp/sonde-file.XXXXXX";
static char path[64];

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static const char *put(const char *name, const char *text)
{
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static void test_map(void **state)
{
	struct file_map map;
	struct err err;

	(void)state;
	assert_int_equal(file_map_path(put("map", "hello"), &map, &err), 0);
	assert_int_equal(map.size, 5);
	assert_memory_equal(map.data, "hello", 5);
	file_unmap(&map);
	assert_null(map.data);
	file_unmap(&map);
	assert_int_equal(file_map_path(put("empty", ""), &map, &err), 0);
	assert_int_equal(map.size, 0);
	assert_null(map.data);
	file_unmap(&map);
	assert_int_equal(file_map_path("/nonexistent/file", &map, &err), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/file: No such file or directory");
	assert_int_equal(file_map_path(dir, &map, &err), -EINVAL);
	assert_int_equal(file_map_path("/dev/null", &map, &err), -EINVAL);
	assert_int_equal(file_map_path("/nonexistent/file", &map, NULL), -ENOENT);
}

static void test_read_path(void **state)
{
	struct buf buf = BUF_INIT;
	char *text = malloc(20001);

	(void)state;
	memset(text, 'y', 20000);
	text[20000] = '\0';
	put("long", text);
	buf_str(&buf, "before ");
	assert_int_equal(file_read_path(path, &buf, 1 << 20), 0);
	assert_int_equal(buf.size, 20007);
	assert_memory_equal(buf.data + 7, text, 20000);
	buf.size = 0;
	assert_int_equal(file_read_path(path, &buf, 20000), 0);
	buf.size = 0;
	assert_int_equal(file_read_path(path, &buf, 19999), -EFBIG);
	buf.size = 0;
	assert_int_equal(file_read_path("/dev/zero", &buf, 100000), -EFBIG); /* no end: stops all the same */
	buf.size = 0;
	assert_int_equal(file_read_path("/proc/self/stat", &buf, 1 << 20), 0);
	assert_true(buf.size > 10);
	assert_int_equal(file_read_path("/nonexistent", &buf, 10), -ENOENT);
	assert_int_equal(file_read_path(dir, &buf, 10), -EISDIR);
	free(text);
	buf_release(&buf);
}

static void test_read_line(void **state)
{
	char text[8];

	(void)state;
	assert_int_equal(file_read_line(put("line", "one\ntwo\n"), text, sizeof(text)), 3);
	assert_string_equal(text, "one");
	assert_int_equal(file_read_line(put("line", "no end"), text, sizeof(text)), 6);
	assert_int_equal(file_read_line(put("line", "longer than that"), text, sizeof(text)), 7);
	assert_string_equal(text, "longer ");
	assert_int_equal(file_read_line(put("line", ""), text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(file_read_line("/nonexistent", text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
}

static void test_read_u64(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(file_read_u64(put("n", "42\n"), &value), 0);
	assert_int_equal(value, 42);
	assert_int_equal(file_read_u64(put("n", "0x1f\n"), &value), 0);
	assert_int_equal(value, 31);
	assert_int_equal(file_read_u64(put("n", "010\n"), &value), 0); /* decimal, not octal */
	assert_int_equal(value, 10);
	assert_int_equal(file_read_u64(put("n", "18446744073709551615"), &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(file_read_u64(put("n", "18446744073709551616"), &value), -ERANGE);
	assert_int_equal(file_read_u64(put("n", "-1\n"), &value), -EINVAL);
	assert_int_equal(file_read_u64(put("n", "max\n"), &value), -EINVAL);
	assert_int_equal(file_read_u64(put("n", ""), &value), -EINVAL);
	assert_int_equal(file_read_u64(put("n", "12 34\n"), &value), -EINVAL);
	assert_int_equal(file_read_u64("/nonexistent", &value), -ENOENT);
}

static void test_write(void **state)
{
	struct buf buf = BUF_INIT;
	int fd;

	(void)state;
	assert_int_equal(file_write_path("/nonexistent/x", "a"), -ENOENT);
	put("w", "");
	assert_int_equal(file_write_path(path, "text"), 0);
	assert_int_equal(file_read_path(path, &buf, 100), 0);
	assert_string_equal(buf_text(&buf), "text");
	fd = open("/dev/full", O_WRONLY);
	if (fd >= 0) {
		assert_int_equal(file_write_all(fd, "x", 1), -ENOSPC);
		close(fd);
	}
	assert_int_equal(file_write_all(-1, "x", 1), -EBADF);
	assert_int_equal(file_write_all(-1, NULL, 0), 0);
	buf_release(&buf);
}

static void test_make_dirs(void **state)
{
	char deep[200];
	char *too_long = malloc(10000);
	struct stat st;

	(void)state;
	snprintf(deep, sizeof(deep), "%s/a/b/c", dir);
	assert_int_equal(file_make_dirs(deep, 0755), 0);
	assert_int_equal(stat(deep, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(file_make_dirs(deep, 0755), 0);
	snprintf(deep, sizeof(deep), "%s/a//b/d/", dir);
	assert_int_equal(file_make_dirs(deep, 0755), 0);
	assert_int_equal(stat(deep, &st), 0);
	put("plain", "");
	snprintf(deep, sizeof(deep), "%s/plain/x", dir);
	assert_int_equal(file_make_dirs(deep, 0755), -ENOTDIR);
	memset(too_long, 'a', 9999);
	too_long[9999] = '\0';
	assert_int_equal(file_make_dirs(too_long, 0755), -ENAMETOOLONG);
	free(too_long);
}

static void test_pread(void **state)
{
	int fd = open(put("p", "0123456789"), O_RDONLY);
	char text[11] = "";

	(void)state;
	assert_int_equal(file_pread_all(fd, text, 4, 3), 0);
	assert_string_equal(text, "3456");
	assert_int_equal(file_pread_all(fd, text, 10, 0), 0);
	assert_int_equal(file_pread_all(fd, text, 4, 7), -EBADMSG);
	assert_int_equal(file_pread_all(fd, text, 1, 10), -EBADMSG);
	assert_int_equal(file_pread_all(fd, text, 0, 100), 0);
	assert_int_equal(file_pread_all(fd, text, 1, UINT64_MAX), -EINVAL);
	close(fd);
	assert_int_equal(file_pread_all(-1, text, 1, 0), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),	  cmocka_unit_test(test_read_path),
		cmocka_unit_test(test_read_line), cmocka_unit_test(test_read_u64),
		cmocka_unit_test(test_write),	  cmocka_unit_test(test_make_dirs),
		cmocka_unit_test(test_pread),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
