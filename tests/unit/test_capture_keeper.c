/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are deleted while they are recorded are found in the build-id cache afterwards. */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/keeper.h"

/* Files of this test begin with their build-id: "ID", then its twenty bytes. */
static int read_build_id(const char *path, uint8_t ret_build_id[SNAPSHOT_BUILD_ID_MAX])
{
	char head[22];
	int fd = open(path, O_RDONLY);
	ssize_t size = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	if (size != sizeof(head) || memcmp(head, "ID", 2))
		return -ENODATA;
	memcpy(ret_build_id, head + 2, 20);
	return 20;
}

static void write_file(const char *path, char id)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs("ID", file);
	for (int i = 0; i < 20; i++)
		fputc(id, file);
	fputs("contents", file);
	fclose(file);
}

static void tell(struct keeper *keeper, const char *path, char id)
{
	struct {
		struct record_header header;
		uint32_t pid, tid;
		uint64_t addr, length, pgoff;
		uint8_t size, reserved[3], build_id[20];
		uint32_t prot, flags;
		char path[128];
	} record = {
		.header = { .type = RECORD_MMAP2, .misc = RECORD_MISC_MMAP_BUILD_ID, .size = sizeof(record) },
		.pid = (uint32_t)getpid(),
		.addr = 0x1000,
		.length = 0x1000,
		.size = 20
	};

	memset(record.build_id, id, sizeof(record.build_id));
	snprintf(record.path, sizeof(record.path), "%s", path);
	keeper_tell(keeper, &record.header);
}

static bool is_kept(const char *dir, const char *path, char id)
{
	char hex[41], file[512], link[512];
	struct stat a, b;

	for (int i = 0; i < 20; i++)
		sprintf(hex + 2 * i, "%02x", id);
	snprintf(file, sizeof(file), "%s%s/%s/elf", dir, path, hex);
	snprintf(link, sizeof(link), "%s/.build-id/%.2s/%s/elf", dir, hex, hex + 2);
	if (stat(file, &a))
		return false;
	assert_int_equal(stat(link, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(a.st_size, 30);
	return true;
}

static void test_keeper(void **state)
{
	char dir[] = "/tmp/test_keeper.XXXXXX", cache[64], stays[64], goes[64], other[64], large[64],
	     command[96];
	struct keeper_options options = { .dir = cache, .read_build_id = read_build_id };
	struct keeper_counts counts;
	struct keeper *keeper;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	snprintf(stays, sizeof(stays), "%s/stays", dir);
	snprintf(goes, sizeof(goes), "%s/goes", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	snprintf(large, sizeof(large), "%s/large", dir);
	write_file(stays, 1);
	write_file(goes, 2);
	write_file(other, 4);
	write_file(large, 5);
	assert_int_equal(truncate(large, 1 << 20), 0);
	options.file_max = 1 << 16;

	keeper = keeper_new(&options);
	assert_non_null(keeper);
	tell(keeper, stays, 1);
	tell(keeper, goes, 2);
	tell(keeper, goes, 2); /* once is enough */
	tell(keeper, other, 3); /* another file lies there now */
	tell(keeper, large, 5);
	tell(keeper, "[vdso]", 9);
	tell(keeper, "//anon", 9);
	for (int i = 0; i < 500;
	     i++) { /* until it has been looked at; unlinking earlier would lose the race */
		usleep(2000);
		if (access(cache, F_OK) || i == 100)
			break;
	}
	usleep(50000);
	unlink(goes);
	unlink(large);
	keeper_finish(keeper, &counts);
	keeper_free(keeper);
	assert_int_equal(counts.seen, 4);
	assert_int_equal(counts.kept, 1);
	assert_int_equal(counts.gone, 1);
	assert_int_equal(counts.too_large, 1);
	assert_true(is_kept(cache, goes, 2));
	assert_false(is_kept(cache, stays, 1));
	assert_false(is_kept(cache, other, 3));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* One that is freed without an end stops all the same. */
static void test_free_at_once(void **state)
{
	struct keeper_options options = { .dir = "/nonexistent", .read_build_id = read_build_id };

	(void)state;
	keeper_free(keeper_new(&options));
	keeper_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeper),
		cmocka_unit_test(test_free_at_once),
	};

	return cmocka_run_group_tests_name("capture_keeper", tests, NULL, NULL);
}
