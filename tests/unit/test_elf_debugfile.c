/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "elf/debugfile.h"
#include "elf/image.h"
#include "lib/elf_make.h"

static char dir[PATH_MAX];

static void write_file(const char *path, const void *data, size_t size)
{
	char full[PATH_MAX * 2], *slash;
	int fd;

	snprintf(full, sizeof(full), "%s%s", dir, path);
	slash = strrchr(full, '/');
	*slash = '\0';
	assert_int_equal(file_make_dirs(full, 0755), 0);
	*slash = '/';
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, data, size), 0);
	close(fd);
}

struct wanted {
	const char *build_id; /* 4 bytes; NULL: none */
	const char *link; /* .gnu_debuglink; NULL: none */
	uint32_t crc;
	bool symbols;
};

/* Returns the CRC of the file that is written. */
static uint32_t write_elf(const char *path, const struct wanted *wanted)
{
	struct elf_make *make = elf_make_new(64, false, ET_DYN, EM_X86_64);
	unsigned text = elf_make_section(make, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL,
					 0x1000);
	struct span bytes;
	uint32_t crc;

	if (wanted->build_id)
		elf_make_build_id(make, wanted->build_id, 4);
	if (wanted->link) {
		uint8_t data[64] = { 0 };
		size_t size = (strlen(wanted->link) + 4) & ~(size_t)3;

		strcpy((char *)data, wanted->link);
		memcpy(data + size, &wanted->crc, 4);
		elf_make_section(make, ".gnu_debuglink", SHT_PROGBITS, 0, 0, data, size + 4);
	}
	elf_make_symbol(make, true, "exported", STB_GLOBAL, STT_FUNC, text, 0x1000, 16);
	if (wanted->symbols)
		elf_make_symbol(make, false, "inner", STB_LOCAL, STT_FUNC, text, 0x1010, 16);
	bytes = elf_make_bytes(make);
	write_file(path, bytes.data, bytes.size);
	crc = (uint32_t)crc32(0, bytes.data, (uInt)bytes.size);
	elf_make_free(make);
	return crc;
}

static struct debugfile_options options;
static char cache[PATH_MAX + 16], symfs[PATH_MAX];

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/sonde-debugfile-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	strcpy(symfs, dir);
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	/* Everything below our folder: /usr/lib/debug of the machine is out of sight. */
	options = (struct debugfile_options){ .symfs = symfs, .buildid_dir = cache };
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#define ID "\x12\x34\x56\x78"

static const struct build_id recorded = { 4, ID };

static void expect(const struct build_id *id, enum debugfile_status status, const char *symbols_at,
		   const char *reason)
{
	struct debugfile file;

	debugfile_find(&options, "/usr/lib/libx.so", id, DEBUGFILE_SYMBOLS, &file);
	assert_int_equal(file.status, status);
	if (symbols_at) {
		assert_non_null(file.symbols);
		assert_non_null(strstr(elf_image_name(file.symbols), symbols_at));
	} else {
		assert_null(file.symbols);
	}
	if (reason)
		assert_non_null(strstr(file.reason, reason));
	else
		assert_string_equal(file.reason, "");
	debugfile_release(&file);
}

static void test_itself(void **state)
{
	(void)state;
	expect(NULL, DEBUGFILE_MISSING, NULL, "/usr/lib/libx.so is not there");
	write_elf("/usr/lib/libx.so", &(struct wanted){ ID, NULL, 0, true });
	expect(NULL, DEBUGFILE_COMPLETE, "/usr/lib/libx.so", NULL);
	expect(&recorded, DEBUGFILE_COMPLETE, "/usr/lib/libx.so", NULL);
	write_elf("/usr/lib/libx.so", &(struct wanted){ "abcd", NULL, 0, true });
	expect(&recorded, DEBUGFILE_DIFFERS, NULL, "its build-id is 61626364, recorded was 12345678");
	write_elf("/usr/lib/libx.so", &(struct wanted){ NULL, NULL, 0, true });
	expect(&recorded, DEBUGFILE_DIFFERS, NULL, "its build-id is absent");
	write_elf("/usr/lib/libx.so", &(struct wanted){ ID, NULL, 0, false });
	expect(&recorded, DEBUGFILE_STRIPPED, "/usr/lib/libx.so",
	       "libx.so is stripped and shows only its exported functions");
	write_elf("/usr/lib/libx.so", &(struct wanted){ NULL, NULL, 0, false });
	expect(NULL, DEBUGFILE_STRIPPED, "/usr/lib/libx.so", "it has no build-id");
	write_file("/usr/lib/libx.so", "#!/bin/sh", 9);
	expect(NULL, DEBUGFILE_DAMAGED, NULL, "not an ELF file");
}

static void test_build_id_folder(void **state)
{
	(void)state;
	write_elf("/usr/lib/libx.so", &(struct wanted){ ID, NULL, 0, false });
	write_elf("/usr/lib/debug/.build-id/12/345678.debug", &(struct wanted){ "abcd", NULL, 0, true });
	expect(NULL, DEBUGFILE_STRIPPED, "/usr/lib/libx.so", "is stripped");
	write_elf("/usr/lib/debug/.build-id/12/345678.debug", &(struct wanted){ ID, NULL, 0, true });
	expect(NULL, DEBUGFILE_COMPLETE, "/.build-id/12/345678.debug", NULL);
	/* Also when the file itself is gone or replaced, if the recording knows the id. */
	write_elf("/usr/lib/libx.so", &(struct wanted){ "abcd", NULL, 0, true });
	expect(&recorded, DEBUGFILE_COMPLETE, "/.build-id/12/345678.debug", NULL);
}

static void test_cache(void **state)
{
	struct debugfile file;

	(void)state;
	write_elf("/cache/.build-id/12/345678/elf", &(struct wanted){ ID, NULL, 0, true });
	expect(NULL, DEBUGFILE_MISSING, NULL, "is not there");
	expect(&recorded, DEBUGFILE_COMPLETE, "/345678/elf", NULL);
	/* It is what was mapped, too. */
	debugfile_find(&options, "/usr/lib/libx.so", &recorded, DEBUGFILE_SYMBOLS, &file);
	assert_ptr_equal(file.runtime, file.symbols);
	debugfile_release(&file);
	options.buildid_dir = "";
	expect(&recorded, DEBUGFILE_MISSING, NULL, "is not there");
}

static void test_old_cache(void **state)
{
	(void)state;
	write_elf("/cache/.build-id/12/345678", &(struct wanted){ ID, NULL, 0, true });
	expect(&recorded, DEBUGFILE_COMPLETE, "/cache/.build-id/12/345678", NULL);
}

static void test_debuglink(void **state)
{
	static const char *const places[] = {
		"/usr/lib/libx.debug",
		"/usr/lib/.debug/libx.debug",
		"/usr/lib/debug/usr/lib/libx.debug",
		"/usr/lib/debug/lib/libx.debug",
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		uint32_t crc = write_elf(places[i], &(struct wanted){ NULL, NULL, 0, true });
		char full[PATH_MAX + 64];

		write_elf("/usr/lib/libx.so", &(struct wanted){ NULL, "libx.debug", crc, false });
		expect(NULL, DEBUGFILE_COMPLETE, places[i], NULL);
		write_elf("/usr/lib/libx.so", &(struct wanted){ NULL, "libx.debug", crc + 1, false });
		expect(NULL, DEBUGFILE_STRIPPED, "/usr/lib/libx.so", "is stripped");
		/* With build-ids those decide. */
		write_elf(places[i], &(struct wanted){ ID, NULL, 0, true });
		write_elf("/usr/lib/libx.so", &(struct wanted){ ID, "libx.debug", 0, false });
		expect(NULL, DEBUGFILE_COMPLETE, places[i], NULL);
		snprintf(full, sizeof(full), "%s%s", dir, places[i]);
		assert_int_equal(unlink(full), 0);
	}
}

static void test_path_in_debug_folder(void **state)
{
	(void)state;
	write_elf("/usr/lib/libx.so", &(struct wanted){ ID, NULL, 0, false });
	write_elf("/usr/lib/debug/usr/lib/libx.so.debug", &(struct wanted){ ID, NULL, 0, true });
	expect(NULL, DEBUGFILE_COMPLETE, "/usr/lib/debug/usr/lib/libx.so.debug", NULL);
	write_elf("/usr/lib/debug/usr/lib/libx.so.debug", &(struct wanted){ "abcd", NULL, 0, true });
	write_elf("/usr/lib/debug/usr/lib/libx.so", &(struct wanted){ ID, NULL, 0, true });
	expect(NULL, DEBUGFILE_COMPLETE, "/usr/lib/debug/usr/lib/libx.so", NULL);
}

static void test_deleted(void **state)
{
	struct debugfile file;

	(void)state;
	write_elf("/usr/lib/libx.so", &(struct wanted){ ID, NULL, 0, true });
	debugfile_find(&options, "/usr/lib/libx.so (deleted)", NULL, DEBUGFILE_SYMBOLS, &file);
	assert_int_equal(file.status, DEBUGFILE_MISSING);
	assert_string_equal(file.reason, "/usr/lib/libx.so was deleted or replaced while it ran");
	debugfile_release(&file);
	debugfile_find(&options, "/usr/lib/libx.so (deleted)", &recorded, DEBUGFILE_SYMBOLS, &file);
	assert_int_equal(file.status, DEBUGFILE_COMPLETE);
	debugfile_release(&file);
}

static void test_container_root(void **state)
{
	char root[PATH_MAX + 16];
	struct debugfile file;

	(void)state;
	snprintf(root, sizeof(root), "%s/root", dir);
	options.root = root;
	write_elf("/root/usr/lib/libx.so", &(struct wanted){ ID, NULL, 0, true });
	write_elf("/usr/lib/libx.so", &(struct wanted){ "abcd", NULL, 0, true });
	debugfile_find(&options, "/usr/lib/libx.so", NULL, DEBUGFILE_SYMBOLS, &file);
	assert_non_null(strstr(elf_image_name(file.symbols), "/root/usr/lib/libx.so"));
	debugfile_release(&file);
}

static void test_debuginfod_is_not_asked(void **state)
{
	struct debugfile file;
	struct err err = { 0 };

	(void)state;
	unsetenv("DEBUGINFOD_URLS");
	write_elf("/usr/lib/libx.so", &(struct wanted){ ID, NULL, 0, false });
	options.debuginfod = true;
	debugfile_find(&options, "/usr/lib/libx.so", NULL, DEBUGFILE_SYMBOLS, &file);
	assert_int_equal(file.status, DEBUGFILE_STRIPPED);
#ifdef HAVE_DEBUGINFOD
	assert_non_null(strstr(file.reason, "DEBUGINFOD_URLS is not set"));
	assert_int_equal(debuginfod_fetch(&recorded, DEBUGINFOD_DEBUGINFO, "x", NULL, NULL, &err), -ENXIO);
#else
	assert_int_equal(debuginfod_fetch(&recorded, DEBUGINFOD_DEBUGINFO, "x", NULL, NULL, &err),
			 -EOPNOTSUPP);
#endif
	debugfile_release(&file);
}

static void test_kernel(void **state)
{
	char *path;

	(void)state;
	assert_null(debugfile_find_vmlinux(&options, "9.9", &recorded));
	assert_null(debugfile_find_kallsyms(&options, &recorded));
	write_elf("/boot/vmlinux-9.9", &(struct wanted){ "abcd", NULL, 0, true });
	assert_null(debugfile_find_vmlinux(&options, "9.9", &recorded));
	write_elf("/usr/lib/debug/boot/vmlinux-9.9", &(struct wanted){ ID, NULL, 0, true });
	path = debugfile_find_vmlinux(&options, "9.9", &recorded);
	assert_non_null(path);
	assert_non_null(strstr(path, "/usr/lib/debug/boot/vmlinux-9.9"));
	free(path);
	write_file("/cache/.build-id/12/345678/kallsyms", "x", 1);
	path = debugfile_find_kallsyms(&options, &recorded);
	assert_non_null(path);
	assert_non_null(strstr(path, "/345678/kallsyms"));
	free(path);
	path = debugfile_find_kallsyms(&options, NULL);
	assert_string_equal(path, "/proc/kallsyms");
	free(path);
}

static void test_modules(void **state)
{
	static const char dep[] = "kernel/net/nf/nf-nat.ko.xz: kernel/lib/crc.ko.xz\n"
				  "/lib/modules/9.9/kernel/fs/ext4/ext4.ko:\n"
				  "updates/ext4x.ko.zst:\n";
	char *path;

	(void)state;
	assert_null(debugfile_find_module(&options, "9.9", "ext4"));
	write_file("/lib/modules/9.9/modules.dep", dep, sizeof(dep) - 1);
	path = debugfile_find_module(&options, "9.9", "[nf_nat]");
	assert_non_null(strstr(path, "/lib/modules/9.9/kernel/net/nf/nf-nat.ko.xz"));
	free(path);
	path = debugfile_find_module(&options, "9.9", "ext4");
	assert_non_null(strstr(path, "/lib/modules/9.9/kernel/fs/ext4/ext4.ko"));
	free(path);
	path = debugfile_find_module(&options, "9.9", "ext4x");
	assert_non_null(strstr(path, "updates/ext4x.ko.zst"));
	free(path);
	assert_null(debugfile_find_module(&options, "9.9", "ext"));
	assert_null(debugfile_find_module(&options, "../..", "ext4"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_itself),    TEST(test_build_id_folder), TEST(test_cache),
		TEST(test_old_cache), TEST(test_debuglink),	  TEST(test_path_in_debug_folder),
		TEST(test_deleted),   TEST(test_container_root),  TEST(test_debuginfod_is_not_asked),
		TEST(test_kernel),    TEST(test_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
