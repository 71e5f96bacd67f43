/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

static void check(struct buf *buf, const char *want)
{
	assert_string_equal(buf_text(buf), want);
	buf->size = 0;
}

static void test_numbers(void **state)
{
	static const uint64_t values[] = { 0, 1, 9, 10, 15, 16, 99, 100, UINT32_MAX, INT64_MAX, UINT64_MAX };
	struct buf buf = BUF_INIT;
	char want[64];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		snprintf(want, sizeof(want), "%" PRIu64 "|%" PRId64 "|%" PRIx64, values[i],
			 (int64_t)values[i], values[i]);
		buf_u64(&buf, values[i]);
		buf_putc(&buf, '|');
		buf_i64(&buf, (int64_t)values[i]);
		buf_putc(&buf, '|');
		buf_hex(&buf, values[i]);
		check(&buf, want);
		for (unsigned width = 0; width < 30; width++) {
			snprintf(want, sizeof(want), "%*" PRIu64, (int)width, values[i]);
			buf_u64_right(&buf, values[i], width);
			check(&buf, want);
			snprintf(want, sizeof(want), "%0*" PRIu64, (int)width, values[i]);
			buf_u64_zero(&buf, values[i], width);
			check(&buf, want);
			snprintf(want, sizeof(want), "%*" PRIx64, (int)width, values[i]);
			buf_hex_right(&buf, values[i], width);
			check(&buf, want);
		}
	}
	buf_i64(&buf, INT64_MIN);
	check(&buf, "-9223372036854775808");
	buf_release(&buf);
}

static void test_text(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	buf_str(&buf, ""); /* nothing into nothing */
	check(&buf, "");
	buf_put(&buf, NULL, 0);
	buf_str_left(&buf, "ab", 4);
	buf_str_right(&buf, "cd", 4);
	buf_str_left(&buf, "longer", 2);
	buf_str_right(&buf, "longer", 2);
	buf_fill(&buf, '-', 0);
	buf_fill(&buf, '-', 3);
	check(&buf, "ab    cdlongerlonger---");
	buf_release(&buf);
	buf_release(&buf);
}

/* The result must be whole wherever the end of the room falls. */
static void test_printf_at_every_room(void **state)
{
	(void)state;
	for (size_t filled = 900; filled < 1100; filled++) {
		struct buf buf = BUF_INIT;

		buf_fill(&buf, 'x', filled);
		buf_printf(&buf, "%s-%d", "0123456789012345678901234567890123456789", 42);
		assert_int_equal(buf.size, filled + 43);
		assert_string_equal(buf_text(&buf) + filled, "0123456789012345678901234567890123456789-42");
		buf_release(&buf);
	}
}

static void test_text_keeps_size(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < 5000; i++) {
		assert_int_equal(strlen(buf_text(&buf)), i);
		buf_putc(&buf, 'a');
	}
	buf_release(&buf);
}

/* What passes through a buf in front of a file arrives whole and in order. */
static void test_file(void **state)
{
	char path[] = "/tmp/sonde-buf.XXXXXX";
	int fd = mkstemp(path);
	struct buf buf;
	struct stat st;
	char *data;

	(void)state;
	assert_true(fd >= 0);
	buf_init(&buf, fd);
	for (unsigned i = 0; i < 200000; i++)
		buf_printf(&buf, "%u\n", i);
	assert_true(buf.room < 1 << 20);
	assert_int_equal(buf_flush(&buf), 0);
	assert_int_equal(buf_flush(&buf), 0);
	buf_release(&buf);
	assert_int_equal(fstat(fd, &st), 0);
	data = malloc((size_t)st.st_size + 1);
	assert_int_equal(pread(fd, data, (size_t)st.st_size, 0), st.st_size);
	data[st.st_size] = '\0';
	for (unsigned i = 0, pos = 0; i < 200000; i++) {
		char *end;

		assert_int_equal(strtoul(data + pos, &end, 10), i);
		assert_int_equal(*end, '\n');
		pos = (unsigned)(end + 1 - data);
	}
	free(data);
	close(fd);
	unlink(path);
}

/* One piece larger than the block that is kept. */
static void test_file_large_piece(void **state)
{
	char path[] = "/tmp/sonde-buf.XXXXXX";
	int fd = mkstemp(path);
	size_t size = 3 << 20;
	char *piece = malloc(size);
	struct buf buf;
	struct stat st;

	(void)state;
	memset(piece, 'p', size);
	buf_init(&buf, fd);
	buf_str(&buf, "head");
	buf_put(&buf, piece, size);
	buf_str(&buf, "tail");
	assert_int_equal(buf_flush(&buf), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, size + 8);
	buf_release(&buf);
	free(piece);
	close(fd);
	unlink(path);
}

static void test_full_disk(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct buf buf;

	(void)state;
	if (fd < 0)
		skip();
	buf_init(&buf, fd);
	for (unsigned i = 0; i < 100000; i++)
		buf_str(&buf, "these bytes have no place to go");
	assert_int_equal(buf_flush(&buf), -ENOSPC);
	assert_true(buf.room < 1 << 20); /* dropped, not piled up */
	buf_str(&buf, "more");
	assert_int_equal(buf_flush(&buf), -ENOSPC);
	buf_release(&buf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_printf_at_every_room),
		cmocka_unit_test(test_text_keeps_size),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_file_large_piece),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
