/* SPDX-License-Identifier: Apache-2.0 */
/* When colours are written: what the environment says, in which order. Standard output is no terminal here. */
#include "lib/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/color.h"

static void clear(void)
{
	unsetenv("NO_COLOR");
	unsetenv("CLICOLOR_FORCE");
	unsetenv("FORCE_COLOR");
	setenv("TERM", "xterm", 1);
}

static void test_modes(void **state)
{
	int file = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	clear();
	assert_false(color_wanted(COLOR_AUTO, file));
	assert_true(color_wanted(COLOR_ALWAYS, file));
	assert_false(color_wanted(COLOR_NEVER, file));
	setenv("CLICOLOR_FORCE", "1", 1);
	assert_true(color_wanted(COLOR_AUTO, file));
	assert_false(color_wanted(COLOR_NEVER, file));
	setenv("CLICOLOR_FORCE", "0", 1);
	assert_false(color_wanted(COLOR_AUTO, file));
	setenv("FORCE_COLOR", "1", 1);
	assert_true(color_wanted(COLOR_AUTO, file));
	setenv("NO_COLOR", "1", 1);
	assert_false(color_wanted(COLOR_AUTO, file));
	assert_true(color_wanted(COLOR_ALWAYS, file));
	setenv("NO_COLOR", "", 1);
	assert_true(color_wanted(COLOR_AUTO, file));
	close(file);
}

static void test_terminal(void **state)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), other;

	(void)state;
	clear();
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
		skip();
	other = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (other < 0)
		skip();
	assert_true(color_wanted(COLOR_AUTO, other));
	setenv("TERM", "dumb", 1);
	assert_false(color_wanted(COLOR_AUTO, other));
	unsetenv("TERM");
	assert_false(color_wanted(COLOR_AUTO, other));
	close(other);
	close(terminal);
}

static void test_sequences(void **state)
{
	(void)state;
	assert_string_equal(color_start(COLOR_NONE), "");
	assert_string_equal(color_start(COLOR_RED), "\033[31m");
	assert_string_equal(color_end(), "\033[m");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_sequences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
