/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line: nothing where nobody looks, a bar on a terminal, and a clean line afterwards. */
#include "lib/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/progress.h"

/* Standard error as a terminal for the time of one run; what came out of it is put into text. */
static size_t run(bool terminal, uint64_t total, char *text, size_t room)
{
	struct progress progress = { 0 };
	int saved = dup(STDERR_FILENO), ends[2], side;
	size_t length = 0;
	ssize_t size;

	if (terminal) {
		ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
		if (ends[0] < 0 || grantpt(ends[0]) || unlockpt(ends[0]))
			skip();
		side = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
	} else {
		assert_int_equal(pipe(ends), 0);
		side = ends[1];
	}
	dup2(side, STDERR_FILENO);
	progress_start(&progress, "reading", total);
	progress_set(&progress, 1);
	if (progress.enabled)
		progress.next = 1; /* as if time had passed */
	progress_add(&progress, 49);
	progress_add(&progress, 1); /* too early for another */
	progress_stop(&progress);
	progress_add(&progress, 1);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(side);
	/* A terminal hands on what was written when it gets to it: all is there when the other end says so. */
	while (length < room - 1 && (size = read(ends[0], text + length, room - 1 - length)) > 0)
		length += (size_t)size;
	text[length] = '\0';
	close(ends[0]);
	return strlen(text);
}

static void test_no_terminal(void **state)
{
	char text[512];

	(void)state;
	assert_int_equal(run(false, 100, text, sizeof(text)), 0);
}

static void test_bar(void **state)
{
	char text[512];

	(void)state;
	assert_true(run(true, 100, text, sizeof(text)) > 0);
	assert_int_equal(strncmp(text, "\rreading  50% [=====", 20), 0);
	assert_null(strstr(text, " 51%"));
	assert_string_equal(text + strlen(text) - 4, "\r\033[K");
}

static void test_count(void **state)
{
	char text[512];

	(void)state;
	run(true, 0, text, sizeof(text));
	assert_string_equal(text, "\rreading: 50\033[K\r\033[K");
	/* More than was announced is no more than all. */
	run(true, 10, text, sizeof(text));
	assert_non_null(strstr(text, "100%"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_terminal),
		cmocka_unit_test(test_bar),
		cmocka_unit_test(test_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
