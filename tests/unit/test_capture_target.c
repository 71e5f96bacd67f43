/* SPDX-License-Identifier: Apache-2.0 */
/* Targets, launched commands, commands that come while recording. */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/control.h"
#include "capture/target.h"
#include "capture/workload.h"

static void check(struct target_request request, enum target_kind kind, int code, const char *words)
{
	struct target target;
	struct err err = { 0 };
	int got = target_resolve(&request, &target, &err);

	assert_int_equal(got, code);
	if (code < 0) {
		if (!strstr(err.text, words))
			fail_msg("'%s' not in '%s'", words, err.text);
		return;
	}
	assert_int_equal(target.kind, kind);
	if (words && !strstr(target.overridden, words))
		fail_msg("'%s' not in '%s'", words, target.overridden);
	target_release(&target);
}

static void test_resolve(void **state)
{
	char pid[16];

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	check((struct target_request){ .has_command = true }, TARGET_COMMAND, 0, NULL);
	check((struct target_request){ .system_wide = false }, TARGET_CPUS, 0, NULL);
	check((struct target_request){ .system_wide = true, .has_command = true }, TARGET_CPUS, 0, NULL);
	check((struct target_request){ .cpus = "0", .has_command = true }, TARGET_CPUS, 0, NULL);
	check((struct target_request){ .pids = pid, .has_command = true }, TARGET_TASKS, 0, NULL);
	check((struct target_request){ .tids = pid }, TARGET_TASKS, 0, NULL);
	check((struct target_request){ .pids = pid, .system_wide = true }, TARGET_TASKS, 0,
	      "instead of all CPUs");
	check((struct target_request){ .pids = pid, .cpus = "0" }, TARGET_TASKS, 0, "instead of CPUs");
	check((struct target_request){ .pids = "999999999" }, TARGET_TASKS, -ESRCH, "no process");
	check((struct target_request){ .tids = "999999999" }, TARGET_TASKS, -ESRCH, "no thread");
	check((struct target_request){ .pids = "x" }, TARGET_TASKS, -EINVAL, "'x' is not");
	check((struct target_request){ .pids = "," }, TARGET_TASKS, -EINVAL, "empty");
	check((struct target_request){ .uid = "nosuchuser" }, TARGET_TASKS, -EINVAL, "no user");
	check((struct target_request){ .cpus = "8000" }, TARGET_CPUS, -ENODEV, "not online");
	check((struct target_request){ .cpus = "a" }, TARGET_CPUS, -EINVAL, "");
}

static void test_twice_the_same(void **state)
{
	struct target target;
	char pids[64];

	(void)state;
	snprintf(pids, sizeof(pids), "%d,%d", getpid(), getpid());
	assert_int_equal(target_resolve(&(struct target_request){ .pids = pids }, &target, NULL), 0);
	for (size_t i = 0; i < target.threads.nr; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(target.threads.items[i].tid, target.threads.items[j].tid);
	target_release(&target);
}

/* ---- workload ---- */

static int run(char *const argv[], struct err *err)
{
	struct workload workload;
	int status;

	assert_int_equal(workload_start(&workload, argv, -1, false, "held", err), 0);
	assert_false(workload_poll(&workload));
	workload_go(&workload);
	if (workload_exec_result(&workload, argv, err) < 0) {
		assert_true(workload.has_ended);
		workload_release(&workload);
		return -1;
	}
	while (!workload_poll(&workload))
		usleep(1000);
	status = workload_exit_status(&workload);
	workload_release(&workload);
	return status;
}

static void test_workload(void **state)
{
	char *const three[] = { (char *)"sh", (char *)"-c", (char *)"exit 3", NULL };
	char *const killed[] = { (char *)"sh", (char *)"-c", (char *)"kill -9 $$", NULL };
	char *const none[] = { (char *)"/nonexistent/program", NULL };
	struct err err;

	(void)state;
	assert_int_equal(run(three, &err), 3);
	assert_int_equal(run(killed, &err), 128 + SIGKILL);
	assert_int_equal(run(none, &err), -1);
	assert_non_null(strstr(err.text, "No such file"));
	assert_int_equal(workload_check("sh", NULL), 0);
	assert_int_equal(workload_check("nosuchprogram", &err), -ENOENT);
	assert_int_equal(workload_check("/etc/passwd", &err), geteuid() ? -EACCES : -EACCES);
}

/* One that was never let go ends with us. */
static void test_workload_not_run(void **state)
{
	char *const argv[] = { (char *)"true", NULL };
	struct workload workload;
	pid_t pid;

	(void)state;
	assert_int_equal(workload_start(&workload, argv, -1, false, "held", NULL), 0);
	pid = workload.pid;
	workload_release(&workload);
	assert_int_equal(kill(pid, 0), -1);
}

/* ---- control ---- */

static void test_control(void **state)
{
	static const char text[] =
		"ping\n\n  \nenable\ndisable cpu-clock:u\r\nsnapshot\0evlist -v\nfoo bar\nsto";
	int commands[2], acks[2];
	struct control control;
	const char *argument;
	char spec[48], ack[8];

	(void)state;
	assert_int_equal(pipe(commands), 0);
	assert_int_equal(pipe(acks), 0);
	snprintf(spec, sizeof(spec), "fd:%d,%d", commands[0], acks[1]);
	assert_int_equal(control_open(spec, &control, NULL), 0);
	assert_int_equal(control_next(&control, &argument), CONTROL_NONE);
	assert_int_equal(write(commands[1], text, sizeof(text) - 1), sizeof(text) - 1);
	assert_int_equal(control_next(&control, &argument), CONTROL_PING);
	control_ack(&control);
	assert_int_equal(read(acks[0], ack, sizeof(ack)), 5);
	assert_string_equal(ack, "ack\n");
	assert_int_equal(control_next(&control, &argument), CONTROL_ENABLE);
	assert_string_equal(argument, "");
	assert_int_equal(control_next(&control, &argument), CONTROL_DISABLE);
	assert_string_equal(argument, "cpu-clock:u");
	assert_int_equal(control_next(&control, &argument), CONTROL_SNAPSHOT);
	assert_int_equal(control_next(&control, &argument), CONTROL_EVLIST);
	assert_string_equal(argument, "-v");
	assert_int_equal(control_next(&control, &argument), CONTROL_UNKNOWN);
	assert_string_equal(argument, "foo bar");
	assert_int_equal(control_next(&control, &argument), CONTROL_NONE);
	assert_int_equal(write(commands[1], "p\n", 2), 2);
	assert_int_equal(control_next(&control, &argument), CONTROL_STOP);
	close(commands[1]);
	assert_int_equal(control_next(&control, &argument), CONTROL_CLOSED);
	control_close(&control);
	close(acks[0]);
}

static void test_control_errors(void **state)
{
	struct control control;
	struct err err;

	(void)state;
	assert_int_equal(control_open("nonsense", &control, &err), -EINVAL);
	assert_int_equal(control_open("fd:999", &control, &err), -EBADF);
	assert_int_equal(control_open("fd:x", &control, &err), -EBADF);
	assert_int_equal(control_open("fifo:/nonexistent", &control, &err), -ENOENT);
	assert_int_equal(control_open("fifo:/dev/null", &control, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolve),	 cmocka_unit_test(test_twice_the_same),
		cmocka_unit_test(test_workload), cmocka_unit_test(test_workload_not_run),
		cmocka_unit_test(test_control),	 cmocka_unit_test(test_control_errors),
	};

	return cmocka_run_group_tests_name("capture_target", tests, NULL, NULL);
}
