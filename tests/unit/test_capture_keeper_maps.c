/* SPDX-License-Identifier: Apache-2.0 */
/* A process in namespaces of its own: its files and its map are found while it lives, and after it has ended. */
#include "lib/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/keeper_maps.h"
#include "capture/keeper_roots.h"

static char dir[64], maps_dir[96];

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(2);
	close(fd);
}

/* Its root is a file system that nobody else sees; it is number 1 there. */
static void live_in_container(int ready)
{
	char byte;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", dir, "tmpfs", 0, NULL) ||
	    chroot(dir) || chdir("/") || mkdir("/tmp", 0755))
		_exit(1);
	put("/tmp/perf-1.map", "1000 10 contained function\n");
	put("/inside", "hidden");
	if (write(ready, "x", 1) != 1 || read(ready, &byte, 1) < 0)
		_exit(2);
	_exit(0);
}

/* The number of the process here; 0: may not be made here. */
static pid_t start(int *ret_control, pid_t *ret_parent)
{
	int pair[2], number[2];
	pid_t parent, child = 0;
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(pipe(number), 0);
	parent = fork();
	assert_true(parent >= 0);
	if (!parent) {
		close(pair[0]);
		if (unshare(CLONE_NEWNS | CLONE_NEWPID))
			_exit(1);
		child = fork();
		if (!child)
			live_in_container(pair[1]);
		if (write(number[1], &child, sizeof(child)) != sizeof(child))
			_exit(2);
		close(pair[1]);
		waitpid(child, NULL, 0);
		_exit(0);
	}
	close(pair[1]);
	close(number[1]);
	*ret_control = pair[0];
	*ret_parent = parent;
	if (read(number[0], &child, sizeof(child)) != sizeof(child) || read(pair[0], &byte, 1) != 1)
		child = 0;
	close(number[0]);
	return child;
}

static char *read_text(const char *path)
{
	static char text[128];
	int fd = open(path, O_RDONLY);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[size < 0 ? 0 : size] = '\0';
	return text;
}

static void test_container(void **state)
{
	struct keeper_roots *roots = keeper_roots_new();
	struct keeper_maps *maps = keeper_maps_new(maps_dir);
	char path[160], text[8] = "";
	unsigned at = 0;
	int control, fd;
	pid_t parent, pid = start(&control, &parent);

	(void)state;
	if (!pid) {
		waitpid(parent, NULL, 0);
		close(control);
		keeper_roots_free(roots);
		keeper_maps_free(maps);
		skip();
	}
	keeper_roots_look(roots, getpid()); /* ours: not held */
	keeper_roots_look(roots, pid);
	keeper_roots_look(roots, pid);
	keeper_maps_look(maps, getpid());
	keeper_maps_look(maps, pid);
	snprintf(path, sizeof(path), "%s/perf-%d.map", maps_dir, pid);
	put(path, "an older one\n");
	close(control); /* it ends */
	waitpid(parent, NULL, 0);

	fd = keeper_roots_open(roots, "/inside", &at);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 6);
	assert_string_equal(text, "hidden");
	close(fd);
	assert_int_equal(keeper_roots_open(roots, "/inside", &at), -1); /* there is no second */
	at = 0;
	assert_int_equal(keeper_roots_open(roots, "/outside", &at), -1);

	assert_int_equal(keeper_maps_finish(maps, 1 << 20), 1);
	assert_string_equal(read_text(path), "1000 10 contained function\n");
	unlink(path);
	/* What is no file of ours stays as it is. */
	assert_int_equal(symlink("/nonexistent/target", path), 0);
	assert_int_equal(keeper_maps_finish(maps, 1 << 20), 0);
	unlink(path);
	keeper_roots_free(roots);
	keeper_maps_free(maps);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_keeper_maps.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(maps_dir, sizeof(maps_dir), "%s.maps", dir);
	return mkdir(maps_dir, 0700);
}

static int tear_down(void **state)
{
	(void)state;
	rmdir(maps_dir);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(test_container, set_up,
									    tear_down) };

	return cmocka_run_group_tests_name("capture_keeper_maps", tests, NULL, NULL);
}
