/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/hash.h"
#include "capture/keeper_maps.h"
#include "capture/keeper_roots.h"

#define SEEN_SIZE 8192 /* remembered files; a power of two */
#define QUEUE_MAX 1024
#define HELD_MAX 256
#define PATH_MAX_KEPT 3800
#define JIT_SALT 0x6a6974

struct request {
	int32_t pid;
	uint64_t addr, length;
	uint8_t build_id_size;
	uint8_t build_id[SNAPSHOT_BUILD_ID_MAX];
	char *path; /* NULL: no file, but a process with JIT memory */
};

struct held {
	int fd;
	struct request request;
};

struct keeper {
	struct keeper_options options;
	char dir[1024];
	uint64_t seen[SEEN_SIZE]; /* hashes; only the drain's */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* Under the lock. */
	ARRAY(struct request) queue;
	bool ending;
	bool running; /* the thread; the caller's */
	/* The thread's; after it has ended, the caller's. */
	ARRAY(struct held) held;
	struct keeper_roots *roots;
	struct keeper_maps *maps;
	uint64_t total;
	struct keeper_counts counts;
};

static void request_release(struct request *request)
{
	free(request->path);
}

/* ---- the drain's side ---- */

/* Direct-mapped: two files that fall on one place only cost a second look. */
static bool seen_before(struct keeper *keeper, uint64_t hash)
{
	uint64_t *slot = &keeper->seen[hash & (SEEN_SIZE - 1)];

	if (*slot == hash)
		return true;
	*slot = hash;
	return false;
}

static void enqueue(struct keeper *keeper, struct request *request)
{
	pthread_mutex_lock(&keeper->lock);
	if (keeper->queue.nr < QUEUE_MAX) {
		array_push(&keeper->queue, *request);
		request->path = NULL;
		pthread_cond_signal(&keeper->wake);
	}
	pthread_mutex_unlock(&keeper->lock);
	request_release(request);
}

static bool is_jit(const struct record_mmap *mmap)
{
	return mmap->prot & PROT_EXEC &&
	       (!strncmp(mmap->path, "//anon", 6) || !strncmp(mmap->path, "[anon", 5) ||
		!strncmp(mmap->path, "/memfd:doublemapper", 19));
}

void keeper_tell(struct keeper *keeper, const struct record_header *raw)
{
	struct request request = { .pid = 0 };
	struct record record;
	uint64_t hash;

	/* The trailer is not of interest: a path ends at its NUL. */
	if (record_decode(raw, 0, 0, &record) < 0 || record.mmap.pid < 0)
		return;
	request.pid = record.mmap.pid;
	if (is_jit(&record.mmap)) {
		if (!seen_before(keeper, hash_pair((uint64_t)request.pid, JIT_SALT)))
			enqueue(keeper, &request);
		return;
	}
	if (!(raw->misc & RECORD_MISC_MMAP_BUILD_ID) || record.mmap.path[0] != '/' ||
	    record.mmap.path[1] == '/' || !record.mmap.build_id_size)
		return;
	hash = hash_bytes(record.mmap.build_id, record.mmap.build_id_size, hash_string(record.mmap.path));
	if (seen_before(keeper, hash))
		return;
	request.addr = record.mmap.addr;
	request.length = record.mmap.length;
	request.build_id_size = record.mmap.build_id_size;
	memcpy(request.build_id, record.mmap.build_id, sizeof(request.build_id));
	request.path = xstrdup(record.mmap.path);
	enqueue(keeper, &request);
}

/* ---- the cache ---- */

static void print_build_id(const struct request *request, char text[2 * SNAPSHOT_BUILD_ID_MAX + 1])
{
	for (unsigned i = 0; i < request->build_id_size; i++)
		sprintf(text + 2 * i, "%02x", request->build_id[i]);
}

/* Copies fd's file, as a clone where the file systems can. */
static int copy_file(int from, int to, uint64_t size)
{
	char block[65536];
	off_t at = 0;

	while ((uint64_t)at < size) {
		off_t offset = at;
		ssize_t got = copy_file_range(from, &offset, to, NULL, size - (uint64_t)at, 0);

		if (got <= 0)
			break;
		at += got;
	}
	while ((uint64_t)at < size) {
		ssize_t got = pread(from, block, sizeof(block), at);
		int code;

		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		code = file_write_all(to, block, (size_t)got);
		if (code < 0)
			return code;
		at += got;
	}
	return 0;
}

/* DIR/.build-id/ab/cdef -> ../../PATH/abcdef */
static int link_build_id(const struct keeper *keeper, const char *path, const char *id)
{
	char link[1200], target[PATH_MAX_KEPT + 128];
	int code;

	snprintf(link, sizeof(link), "%s/.build-id/%.2s", keeper->dir, id);
	code = file_make_dirs(link, 0755);
	if (code < 0)
		return code;
	snprintf(link, sizeof(link), "%s/.build-id/%.2s/%s", keeper->dir, id, id + 2);
	snprintf(target, sizeof(target), "../..%s/%s", path, id);
	if (!symlink(target, link) || errno == EEXIST)
		return 0;
	return -errno;
}

static bool is_cached(const struct keeper *keeper, const char *id)
{
	char file[1300];

	snprintf(file, sizeof(file), "%s/.build-id/%.2s/%s/elf", keeper->dir, id, id + 2);
	return !access(file, F_OK);
}

/* The open file into the cache under the path that its process knows it by. */
static int keep(struct keeper *keeper, const struct request *request, int fd)
{
	char id[2 * SNAPSHOT_BUILD_ID_MAX + 1], path[PATH_MAX_KEPT], dir[PATH_MAX_KEPT + 1200];
	char name[PATH_MAX_KEPT + 1300], half[PATH_MAX_KEPT + 1300];
	size_t length = strlen(request->path);
	struct stat st;
	int to, code;

	print_build_id(request, id);
	if (is_cached(keeper, id))
		return 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return -EINVAL;
	if ((uint64_t)st.st_size > keeper->options.file_max ||
	    keeper->total + (uint64_t)st.st_size > keeper->options.total_max) {
		keeper->counts.too_large++;
		return -EFBIG;
	}
	if (length > 10 && !strcmp(request->path + length - 10, " (deleted)"))
		length -= 10;
	if (length >= sizeof(path) || strstr(request->path, "/../"))
		return -ENAMETOOLONG;
	snprintf(path, sizeof(path), "%.*s", (int)length, request->path);
	snprintf(dir, sizeof(dir), "%s%s/%s", keeper->dir, path, id);
	code = file_make_dirs(dir, 0755);
	if (code < 0)
		return code;
	snprintf(name, sizeof(name), "%s/elf", dir);
	snprintf(half, sizeof(half), "%s/.elf.%d", dir, getpid());
	to = open(half, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0755);
	if (to < 0)
		return -errno;
	code = copy_file(fd, to, (uint64_t)st.st_size);
	close(to);
	if (!code && rename(half, name))
		code = -errno;
	if (code < 0) {
		unlink(half);
		return code;
	}
	code = link_build_id(keeper, path, id);
	if (!code) {
		keeper->total += (uint64_t)st.st_size;
		keeper->counts.kept++;
	}
	return code;
}

/* ---- the thread's side ---- */

/* Whether the open file is the one that was mapped; closed when not. */
static bool is_same(const struct keeper *keeper, const struct request *request, int fd, int *ret_fd)
{
	uint8_t build_id[SNAPSHOT_BUILD_ID_MAX];
	char through[64];

	if (fd < 0)
		return false;
	snprintf(through, sizeof(through), "/proc/self/fd/%d", fd);
	if (keeper->options.read_build_id(through, build_id) == request->build_id_size &&
	    !memcmp(build_id, request->build_id, request->build_id_size)) {
		*ret_fd = fd;
		return true;
	}
	close(fd);
	return false;
}

static bool open_same(const struct keeper *keeper, const struct request *request, const char *path,
		      int *ret_fd)
{
	return is_same(keeper, request, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret_fd);
}

static bool open_in_roots(const struct keeper *keeper, const struct request *request, int *ret_fd)
{
	unsigned at = 0;
	int fd;

	while ((fd = keeper_roots_open(keeper->roots, request->path, &at)) >= 0)
		if (is_same(keeper, request, fd, ret_fd))
			return true;
	return false;
}

/* Files that come and go with packages only. */
static bool is_of_system(const char *path)
{
	static const char *const dirs[] = { "/usr/", "/lib",  "/bin/", "/sbin/",
					    "/opt/", "/nix/", "/gnu/", "/snap/" };

	for (size_t i = 0; i < NR_ITEMS(dirs); i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])))
			return strncmp(path, "/usr/local/tmp", 14) != 0;
	return false;
}

static void look_at(struct keeper *keeper, struct request *request)
{
	char path[PATH_MAX_KEPT + 64], id[2 * SNAPSHOT_BUILD_ID_MAX + 1];
	int fd;

	keeper_roots_look(keeper->roots, request->pid);
	if (!request->path) {
		keeper_maps_look(keeper->maps, request->pid);
		return;
	}
	keeper->counts.seen++;
	if (open_same(keeper, request, request->path, &fd)) {
		if (is_of_system(request->path) || keeper->held.nr >= HELD_MAX) {
			close(fd);
			return;
		}
		array_push(&keeper->held, (struct held){ fd, *request });
		request->path = NULL;
		return;
	}
	print_build_id(request, id);
	if (is_cached(keeper, id))
		return;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", request->pid,
		 (unsigned long long)request->addr, (unsigned long long)(request->addr + request->length));
	if (!open_same(keeper, request, path, &fd)) {
		snprintf(path, sizeof(path), "/proc/%d/root%.*s", request->pid, PATH_MAX_KEPT, request->path);
		if (!open_same(keeper, request, path, &fd) && !open_in_roots(keeper, request, &fd)) {
			keeper->counts.gone++;
			return;
		}
	}
	keep(keeper, request, fd);
	close(fd);
}

static void *run(void *argument)
{
	struct keeper *keeper = argument;

	pthread_mutex_lock(&keeper->lock);
	for (;;) {
		ARRAY(struct request) work = { 0 };

		while (!keeper->queue.nr && !keeper->ending)
			pthread_cond_wait(&keeper->wake, &keeper->lock);
		if (!keeper->queue.nr)
			break;
		work.items = keeper->queue.items;
		work.nr = keeper->queue.nr;
		memset(&keeper->queue, 0, sizeof(keeper->queue));
		pthread_mutex_unlock(&keeper->lock);
		for (size_t i = 0; i < work.nr; i++) {
			look_at(keeper, &work.items[i]);
			request_release(&work.items[i]);
		}
		free(work.items);
		pthread_mutex_lock(&keeper->lock);
	}
	pthread_mutex_unlock(&keeper->lock);
	return NULL;
}

static bool find_dir(const char *wanted, char *ret_dir, size_t size)
{
	const char *dir = wanted ? wanted : getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	if (dir && *dir)
		snprintf(ret_dir, size, "%s", dir);
	else if (home && *home == '/')
		snprintf(ret_dir, size, "%s/.debug", home);
	else
		return false;
	return true;
}

struct keeper *keeper_new(const struct keeper_options *options)
{
	struct keeper *keeper = xcalloc(1, sizeof(*keeper));

	keeper->options = *options;
	if (!keeper->options.file_max)
		keeper->options.file_max = 256ull << 20;
	if (!keeper->options.total_max)
		keeper->options.total_max = 1ull << 30;
	pthread_mutex_init(&keeper->lock, NULL);
	pthread_cond_init(&keeper->wake, NULL);
	if (!find_dir(options->dir, keeper->dir, sizeof(keeper->dir))) {
		free(keeper);
		return NULL;
	}
	keeper->roots = keeper_roots_new();
	keeper->maps = keeper_maps_new(options->map_dir);
	keeper->running = !pthread_create(&keeper->thread, NULL, run, keeper);
	if (!keeper->running) {
		keeper_free(keeper);
		return NULL;
	}
	return keeper;
}

void keeper_finish(struct keeper *keeper, struct keeper_counts *ret_counts)
{
	pthread_mutex_lock(&keeper->lock);
	keeper->ending = true;
	pthread_cond_signal(&keeper->wake);
	pthread_mutex_unlock(&keeper->lock);
	pthread_join(keeper->thread, NULL);
	keeper->running = false;
	for (size_t i = 0; i < keeper->held.nr; i++) {
		struct held *held = &keeper->held.items[i];
		struct stat st;

		if (!fstat(held->fd, &st) && !st.st_nlink)
			keep(keeper, &held->request, held->fd);
		close(held->fd);
		request_release(&held->request);
	}
	array_release(&keeper->held);
	keeper->counts.maps = keeper_maps_finish(keeper->maps, keeper->options.file_max);
	*ret_counts = keeper->counts;
}

void keeper_free(struct keeper *keeper)
{
	struct keeper_counts counts;

	if (!keeper)
		return;
	if (keeper->running)
		keeper_finish(keeper, &counts);
	array_release(&keeper->queue);
	keeper_roots_free(keeper->roots);
	keeper_maps_free(keeper->maps);
	pthread_mutex_destroy(&keeper->lock);
	pthread_cond_destroy(&keeper->wake);
	free(keeper);
}
