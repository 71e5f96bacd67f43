/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdebuginfod, opened when somebody asks for it: linked, it would cost every start of the program
 * 40 ms and 32 libraries. Its five functions have had these signatures since elfutils 0.180.
 */
#include "elf/debuginfod.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_DEBUGINFOD
#include <dlfcn.h>
#include <pthread.h>

struct client; /* debuginfod_client */

struct library {
	struct client *(*begin)(void);
	void (*end)(struct client *client);
	int (*find_debuginfo)(struct client *client, const unsigned char *id, int size, char **ret_path);
	int (*find_executable)(struct client *client, const unsigned char *id, int size, char **ret_path);
	void (*set_progress)(struct client *client,
			     int (*progress)(struct client *client, long done, long total));
	void (*set_user_data)(struct client *client, void *data);
	void *(*get_user_data)(struct client *client);
};

static struct library library;
static bool is_open;
static pthread_once_t opened = PTHREAD_ONCE_INIT;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void open_library(void)
{
	void *handle = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (!handle)
		return;
	*(void **)&library.begin = dlsym(handle, "debuginfod_begin");
	*(void **)&library.end = dlsym(handle, "debuginfod_end");
	*(void **)&library.find_debuginfo = dlsym(handle, "debuginfod_find_debuginfo");
	*(void **)&library.find_executable = dlsym(handle, "debuginfod_find_executable");
	*(void **)&library.set_progress = dlsym(handle, "debuginfod_set_progressfn");
	*(void **)&library.set_user_data = dlsym(handle, "debuginfod_set_user_data");
	*(void **)&library.get_user_data = dlsym(handle, "debuginfod_get_user_data");
	is_open = library.begin && library.end && library.find_debuginfo && library.find_executable &&
		  library.set_progress && library.set_user_data && library.get_user_data;
}

struct fetch {
	debuginfod_progress *progress;
	void *context;
	const char *what;
	bool stopped;
};

static int report_progress(struct client *client, long done, long total)
{
	struct fetch *fetch = library.get_user_data(client);

	fetch->stopped = fetch->progress(fetch->context, fetch->what, done > 0 ? (uint64_t)done : 0,
					 total > 0 ? (uint64_t)total : 0);
	return fetch->stopped;
}

int debuginfod_fetch(const struct build_id *id, enum debuginfod_part part, const char *what,
		     debuginfod_progress *progress, void *context, struct err *err)
{
	struct fetch fetch = { progress, context, what, false };
	const char *urls = getenv("DEBUGINFOD_URLS");
	char text[BUILD_ID_TEXT_SIZE];
	struct client *client;
	int fd;

	if (!build_id_known(id))
		return err_set(err, -ENOENT, "%s has no build-id to ask for", what);
	if (!urls || !*urls) {
		err_set(err, -ENXIO, "DEBUGINFOD_URLS is not set: no server to ask");
		err_hint(err, "For example: export DEBUGINFOD_URLS=https://debuginfod.elfutils.org/");
		return -ENXIO;
	}
	pthread_once(&opened, open_library);
	if (!is_open) {
		err_set(err, -EOPNOTSUPP, "libdebuginfod.so.1 cannot be loaded");
		err_hint(err,
			 "Install it: apt install libdebuginfod1, or dnf install elfutils-debuginfod-client");
		return -EOPNOTSUPP;
	}
	client = library.begin();
	if (!client)
		return err_set(err, -ENOMEM, "libdebuginfod does not start");
	if (progress) {
		library.set_user_data(client, &fetch);
		library.set_progress(client, report_progress);
	}
	pthread_mutex_lock(&one_at_a_time);
	fd = part == DEBUGINFOD_DEBUGINFO ? library.find_debuginfo(client, id->bytes, id->size, NULL)
					  : library.find_executable(client, id->bytes, id->size, NULL);
	if (progress)
		progress(context, NULL, 0, 0);
	pthread_mutex_unlock(&one_at_a_time);
	library.end(client);
	if (fd >= 0)
		return fd;
	if (fetch.stopped)
		return err_set(err, -EINTR, "the download of %s was stopped", what);
	return err_errno(err, fd, "debuginfod has nothing for %s (build-id %s)", what,
			 build_id_print(id, text));
}
#else
int debuginfod_fetch(const struct build_id *id, enum debuginfod_part part, const char *what,
		     debuginfod_progress *progress, void *context, struct err *err)
{
	(void)id;
	(void)part;
	(void)what;
	(void)progress;
	(void)context;
	return err_set(err, -EOPNOTSUPP, "this sonde was built without debuginfod");
}
#endif
