/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/keeper_roots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"

#define ROOTS_MAX 64

/* Two mount namespaces may have one root and other things mounted below it. */
struct root {
	uint64_t device, inode, mounts;
	int fd;
};

struct keeper_roots {
	struct root own;
	ARRAY(struct root) roots;
};

static bool describe(const char *process, struct root *root)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/root/", process);
	if (stat(path, &st))
		return false;
	root->device = st.st_dev;
	root->inode = st.st_ino;
	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (stat(path, &st))
		return false;
	root->mounts = st.st_ino;
	return true;
}

static bool is_same(const struct root *a, const struct root *b)
{
	return a->device == b->device && a->inode == b->inode && a->mounts == b->mounts;
}

struct keeper_roots *keeper_roots_new(void)
{
	struct keeper_roots *roots = xcalloc(1, sizeof(*roots));

	describe("self", &roots->own);
	return roots;
}

void keeper_roots_free(struct keeper_roots *roots)
{
	if (!roots)
		return;
	for (size_t i = 0; i < roots->roots.nr; i++)
		close(roots->roots.items[i].fd);
	array_release(&roots->roots);
	free(roots);
}

void keeper_roots_look(struct keeper_roots *roots, int32_t pid)
{
	char process[16], path[64];
	struct root root;

	snprintf(process, sizeof(process), "%d", pid);
	if (roots->roots.nr >= ROOTS_MAX || !describe(process, &root) || is_same(&root, &roots->own))
		return;
	for (size_t i = 0; i < roots->roots.nr; i++)
		if (is_same(&root, &roots->roots.items[i]))
			return;
	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	root.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root.fd >= 0)
		array_push(&roots->roots, root);
}

int keeper_roots_open(const struct keeper_roots *roots, const char *path, unsigned *at)
{
	/* Links of a container lead to places in the container. */
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK, .resolve = RESOLVE_IN_ROOT };

	while (*at < roots->roots.nr) {
		int root = roots->roots.items[(*at)++].fd;
		int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

		if (fd >= 0)
			return fd;
	}
	return -1;
}
