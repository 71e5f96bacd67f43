/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "elf/build_id.h"
#include "elf/image.h"
#include "lib/elf_make.h"

static void test_text(void **state)
{
	char text[BUILD_ID_TEXT_SIZE];
	struct build_id id;

	(void)state;
	assert_int_equal(build_id_parse("0123456789abcdefABCDEF0123456789abcdef01", &id), 0);
	assert_int_equal(id.size, 20);
	assert_string_equal(build_id_print(&id, text), "0123456789abcdefabcdef0123456789abcdef01");
	assert_int_equal(build_id_parse("c0ffee", &id), 0);
	assert_int_equal(id.size, 3);
	assert_string_equal(build_id_print(&id, text), "c0ffee");
	assert_int_equal(build_id_parse("", &id), -EINVAL);
	assert_int_equal(build_id_parse("abc", &id), -EINVAL);
	assert_int_equal(build_id_parse("zz", &id), -EINVAL);
	assert_int_equal(build_id_parse("0123456789abcdefabcdef0123456789abcdef0123", &id), -EINVAL);
	assert_false(build_id_known(&id));
	assert_string_equal(build_id_print(&id, text), "");
}

/* An id of 8 bytes that a recording holds as 20 with zeros behind is the same. */
static void test_equal(void **state)
{
	struct build_id a, b;

	(void)state;
	build_id_parse("0102030405060708", &a);
	build_id_parse("0102030405060708000000000000000000000000", &b);
	assert_true(build_id_equal(&a, &b));
	build_id_parse("0102030405060708000000000000000000000001", &b);
	assert_false(build_id_equal(&a, &b));
}

static const uint8_t note[] = {
	5, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 'o', 't', 'h', 'e', 0,    0,    0,	  0,
	9, 9, 0, 0, /* another note */
	4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,	0xde, 0xad, 0xbe, 0xef,
};

static void test_notes(void **state)
{
	char text[BUILD_ID_TEXT_SIZE];
	struct build_id id;

	(void)state;
	assert_int_equal(build_id_from_notes((struct span){ note, sizeof(note) }, false, 4, &id), 0);
	assert_string_equal(build_id_print(&id, text), "deadbeef");
	for (size_t size = 0; size < sizeof(note); size++) {
		uint8_t *copy = malloc(size + 1);

		memcpy(copy, note, size);
		assert_int_not_equal(build_id_from_notes((struct span){ copy, size }, false, 4, &id), 0);
		assert_false(build_id_known(&id));
		free(copy);
	}
}

/* In all shapes, by mapping and by reading a few bytes. */
static void test_made_files(void **state)
{
	static const uint8_t bytes[32] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
					   12, 13, 14, 15, 16, 17, 18, 19, 20, 21 };
	char path[] = "/tmp/sonde-build-id-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	for (unsigned variant = 0; variant < 4; variant++) {
		for (size_t size = 1; size <= sizeof(bytes); size += 3) {
			struct elf_make *make = elf_make_new(variant & 1 ? 32 : 64, variant & 2, ET_DYN,
							     EM_X86_64);
			struct build_id by_map, by_read;
			struct elf_image *image;
			struct span file;

			elf_make_build_id(make, bytes, size);
			file = elf_make_bytes(make);
			assert_int_equal(pwrite(fd, file.data, file.size, 0), file.size);
			assert_int_equal(build_id_read_path(path, &by_read), 0);
			assert_int_equal(by_read.size, size < 20 ? size : 20);
			assert_memory_equal(by_read.bytes, bytes, by_read.size);
			assert_int_equal(elf_image_open(path, &image, NULL), 0);
			assert_int_equal(build_id_read_image(image, &by_map), 0);
			assert_true(build_id_equal(&by_map, &by_read));
			elf_image_close(image);
			elf_make_free(make);
		}
	}
	close(fd);
	unlink(path);
}

static void test_real_files(void **state)
{
	static const char *const files[] = { "/proc/self/exe", "/bin/ls", "/bin/bash", "/usr/bin/python3",
					     "/usr/bin/node" };

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(files); i++) {
		struct build_id by_map, by_read;
		struct elf_image *image;
		int ret;

		if (elf_image_open(files[i], &image, NULL))
			continue;
		ret = build_id_read_image(image, &by_map);
		assert_int_equal(build_id_read_path(files[i], &by_read), ret);
		assert_true(build_id_equal(&by_map, &by_read));
		elf_image_close(image);
	}
}

static void test_none(void **state)
{
	struct build_id id;

	(void)state;
	assert_int_equal(build_id_read_path("/etc/passwd", &id), -ENOEXEC);
	assert_int_equal(build_id_read_path("/no/such", &id), -ENOENT);
	assert_int_equal(build_id_read_module("../../etc", &id), -EINVAL);
	assert_int_equal(build_id_read_module("no_such_module", &id), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	   cmocka_unit_test(test_equal),
		cmocka_unit_test(test_notes),	   cmocka_unit_test(test_made_files),
		cmocka_unit_test(test_real_files), cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
