/* SPDX-License-Identifier: Apache-2.0 */
#include "event/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/file.h"

#define TRACEFS "/sys/kernel/tracing"
#define TRACEFS_IN_DEBUGFS "/sys/kernel/debug/tracing"

/* Also where we may not look: then the files say what is missing, not the directory. */
static bool has_events(const char *root)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/events", root);
	return !access(path, F_OK) || errno == EACCES;
}

/* The first mount of type tracefs, or debugfs with its tracing directory. */
static bool find_in_mounts(char ret_root[TRACEPOINT_ROOT_SIZE])
{
	struct buf buf = BUF_INIT;
	bool found = false;
	char *line, *rest;

	if (file_read_path("/proc/self/mounts", &buf, 4 << 20) < 0) {
		buf_release(&buf);
		return false;
	}
	for (line = strtok_r(buf_text(&buf), "\n", &rest); line && !found;
	     line = strtok_r(NULL, "\n", &rest)) {
		char dir[256], type[64];

		if (sscanf(line, "%*s %255s %63s", dir, type) != 2)
			continue;
		if (!strcmp(type, "tracefs"))
			snprintf(ret_root, TRACEPOINT_ROOT_SIZE, "%s", dir);
		else if (!strcmp(type, "debugfs"))
			snprintf(ret_root, TRACEPOINT_ROOT_SIZE, "%s/tracing", dir);
		else
			continue;
		found = has_events(ret_root);
	}
	buf_release(&buf);
	return found;
}

/* Where --debugfs-dir (or the user, by $PERF_DEBUGFS_DIR) says: tracefs itself, or debugfs with it inside. */
static bool is_where_told(const char *told, char ret_root[TRACEPOINT_ROOT_SIZE])
{
	snprintf(ret_root, TRACEPOINT_ROOT_SIZE, "%s/tracing", told);
	if (has_events(ret_root))
		return true;
	snprintf(ret_root, TRACEPOINT_ROOT_SIZE, "%s", told);
	return has_events(ret_root);
}

int tracepoint_find_root(char ret_root[TRACEPOINT_ROOT_SIZE], struct err *err)
{
	const char *told = getenv("PERF_DEBUGFS_DIR");

	if (told && told[0]) {
		if (is_where_told(told, ret_root))
			return 0;
		ret_root[0] = 0;
		return err_set(err, -ENOENT, "tracepoints are not available: there is no tracefs in %s",
			       told);
	}
	if (find_in_mounts(ret_root))
		return 0;
	snprintf(ret_root, TRACEPOINT_ROOT_SIZE, TRACEFS_IN_DEBUGFS);
	if (has_events(ret_root))
		return 0;
	snprintf(ret_root, TRACEPOINT_ROOT_SIZE, TRACEFS);
	if (has_events(ret_root))
		return 0;
	if (!mount("tracefs", TRACEFS, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) &&
	    has_events(ret_root))
		return 0;
	ret_root[0] = 0;
	if (!access(TRACEFS, F_OK)) {
		err_set(err, -ENOENT, "tracepoints are not readable: tracefs is not mounted on %s", TRACEFS);
		err_hint(err, "As root: mount -t tracefs tracefs %s", TRACEFS);
	} else {
		err_set(err, -ENOENT, "tracepoints are not available: there is no %s", TRACEFS);
		err_hint(err,
			 "The kernel was built without CONFIG_TRACING, or this is a container without /sys.");
	}
	return -ENOENT;
}

/* Words for what stands between the user and a file of tracefs. */
static int explain(struct err *err, int code, const char *root, const char *path)
{
	err_errno(err, code, "cannot read %s", path);
	if (code == -EACCES || code == -EPERM) {
		err_hint(err, "Tracepoints need to be readable: run as root, or");
		err_hint(err, "    sudo mount -o remount,mode=755 %s", root);
	}
	return code;
}

int tracepoint_read_id(const char *root, const char *system, const char *name, uint64_t *ret_id,
		       struct err *err)
{
	char path[768];
	int code;

	if (*system == '.' || *name == '.' || strchr(system, '/') || strchr(name, '/'))
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, name);
	code = file_read_u64(path, ret_id);
	if (code == -ENOENT || code == -ENOTDIR)
		return -ENOENT;
	return code < 0 ? explain(err, code, root, path) : 0;
}

/* ---- lists ---- */

struct word_list {
	ARRAY(char *) words;
};

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void word_list_release(struct word_list *list)
{
	for (size_t i = 0; i < list->words.nr; i++)
		free(list->words.items[i]);
	array_release(&list->words);
}

/* Directories in path that match the glob, sorted. */
static int list_matches(const char *path, const char *glob, struct word_list *list)
{
	struct dirent *entry;
	DIR *dir;

	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		if (!fnmatch(glob, entry->d_name, 0))
			array_push(&list->words, xstrdup(entry->d_name));
	}
	closedir(dir);
	if (list->words.nr)
		qsort(list->words.items, list->words.nr, sizeof(char *), compare_words);
	return 0;
}

static int each_of_system(const char *root, const char *system, const char *name_glob,
			  int (*visit)(void *context, const char *system, const char *name), void *context)
{
	struct word_list names = { 0 };
	char path[512];
	int code = 0, nr = 0;

	snprintf(path, sizeof(path), "%s/events/%s", root, system);
	list_matches(path, name_glob, &names);
	for (size_t i = 0; i < names.words.nr && code >= 0; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, names.words.items[i]);
		if (access(path, F_OK))
			continue; /* ftrace's own events have formats but cannot be opened */
		code = visit(context, system, names.words.items[i]);
		nr++;
	}
	word_list_release(&names);
	return code < 0 ? code : nr;
}

int tracepoint_each(const char *root, const char *system_glob, const char *name_glob,
		    int (*visit)(void *context, const char *system, const char *name), void *context,
		    struct err *err)
{
	struct word_list systems = { 0 };
	char path[512];
	int code, nr = 0;

	snprintf(path, sizeof(path), "%s/events", root);
	code = list_matches(path, system_glob, &systems);
	if (code < 0)
		return explain(err, code, root, path);
	for (size_t i = 0; i < systems.words.nr && code >= 0; i++) {
		code = each_of_system(root, systems.words.items[i], name_glob, visit, context);
		nr += code > 0 ? code : 0;
	}
	word_list_release(&systems);
	return code < 0 ? code : nr;
}

struct id_search {
	const char *root;
	uint64_t id;
	char *system, *name;
	size_t size;
	bool found;
};

static int search_id(void *context, const char *system, const char *name)
{
	struct id_search *search = context;
	uint64_t id;

	if (tracepoint_read_id(search->root, system, name, &id, NULL) || id != search->id)
		return 0;
	snprintf(search->system, search->size, "%s", system);
	snprintf(search->name, search->size, "%s", name);
	search->found = true;
	return -EEXIST;
}

int tracepoint_find_id(const char *root, uint64_t id, char *system, char *name, size_t size)
{
	struct id_search search = { root, id, system, name, size, false };

	tracepoint_each(root, "*", "*", search_id, &search, NULL);
	return search.found ? 0 : -ENOENT;
}

int tracepoint_read_fields(const char *root, const char *system, const char *name, char *text, size_t size)
{
	struct buf buf = BUF_INIT;
	char path[768], *line, *rest;
	size_t used = 0;
	int code;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, system, name);
	code = file_read_path(path, &buf, 1 << 20);
	text[0] = 0;
	for (line = code < 0 ? NULL : strtok_r(buf_text(&buf), "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *field = strstr(line, "field:"), *end, *start;
		int put;

		if (!field || !(end = strchr(field, ';')))
			continue;
		start = memchr(field, '[', (size_t)(end - field));
		if (start) /* char comm[16]; but __data_loc char[] name */
			end = start[1] == ']' ? end : start;
		for (start = end; start > field && start[-1] != ' ' && start[-1] != '*'; start--)
			;
		put = snprintf(text + used, size - used, "%s%.*s", used ? " " : "", (int)(end - start),
			       start);
		if (put < 0 || (size_t)put >= size - used) {
			text[used] = 0;
			break;
		}
		used += (size_t)put;
	}
	buf_release(&buf);
	return code;
}
