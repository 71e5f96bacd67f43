/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the symbols of a DSO are.
 *
 * Candidates are tried one by one and opened only until one has what is asked for: nearly always the
 * first or second. What a candidate must prove: when the recording knows the build-id, it has that
 * one; otherwise it has that of the file that was found at the path. Only a .gnu_debuglink may do
 * without build-ids: then its checksum over the whole file is compared.
 *
 * perf's build-id cache: BUILDID_DIR/.build-id/xx/yyyy is a symlink to a folder with the files
 * "elf", "debug", "vdso", "kallsyms" or "vmlinux" (very old perfs: to the file itself).
 */
#include "elf/debugfile.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <zlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "elf/image.h"

#define DEBUG_DIR "/usr/lib/debug"

struct search {
	const struct debugfile_options *options;
	const char *path;
	struct build_id build_id; /* what all candidates must have; size 0: unknown */
	enum debugfile_part part;
	struct debugfile *file;
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static bool has_part(struct elf_image *image, enum debugfile_part part)
{
	if (part == DEBUGFILE_LINES)
		return elf_image_has_debug_info(image) && elf_image_has_debug_line(image);
	return elf_image_has_symtab(image);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Opens a candidate with the right build-id: 1; no such file: 0; a wrong one: -1, *ret_image is NULL for both. */
static int open_candidate(const struct search *search, const char *path, struct elf_image **ret_image)
{
	struct elf_image *image;
	struct build_id id;

	*ret_image = NULL;
	if (elf_image_open(path, &image, NULL))
		return 0;
	if (build_id_known(&search->build_id) &&
	    (build_id_read_image(image, &id) || !build_id_equal(&id, &search->build_id))) {
		elf_image_close(image);
		return -1;
	}
	*ret_image = image;
	return 1;
}

/* Takes a candidate that has the part; closes it otherwise. */
static bool take_candidate(struct search *search, struct elf_image *image)
{
	if (!image)
		return false;
	if (!has_part(image, search->part)) {
		elf_image_close(image);
		return false;
	}
	search->file->symbols = image;
	search->file->status = DEBUGFILE_COMPLETE;
	return true;
}

static bool try_path(struct search *search, const char *path)
{
	struct elf_image *image;

	/* Without any build-id, a file of that name proves nothing. */
	if (!build_id_known(&search->build_id))
		return false;
	open_candidate(search, path, &image);
	return take_candidate(search, image);
}

/* "PREFIX/usr/lib/debug/REST" under each of the roots. */
static bool try_debug_dir(struct search *search, const char *rest)
{
	const char *dir = search->options->debug_dir ? search->options->debug_dir : DEBUG_DIR;
	const char *roots[] = { search->options->root, or_empty(search->options->symfs) };
	char path[PATH_MAX];

	for (size_t i = 0; i < NR_ITEMS(roots); i++)
		if (roots[i] &&
		    snprintf(path, sizeof(path), "%s%s/%s", roots[i], dir, rest) < (int)sizeof(path) &&
		    try_path(search, path))
			return true;
	return false;
}

static const char *cache_dir(const struct debugfile_options *options, char path[PATH_MAX])
{
	const char *home = getenv("HOME");

	if (options->buildid_dir)
		return *options->buildid_dir && strcmp(options->buildid_dir, "/dev/null")
			       ? options->buildid_dir
			       : NULL;
	if (!home || !*home || snprintf(path, PATH_MAX, "%s/.debug", home) >= PATH_MAX)
		return NULL;
	return path;
}

/* "DIR/.build-id/xx/yyyy[/NAME]"; false when there is no cache. */
static bool cache_path(const struct debugfile_options *options, const struct build_id *id, const char *name,
		       char path[PATH_MAX])
{
	char home[PATH_MAX], text[BUILD_ID_TEXT_SIZE];
	const char *dir = cache_dir(options, home);

	if (!dir || id->size < 2)
		return false;
	build_id_print(id, text);
	return snprintf(path, PATH_MAX, "%s/.build-id/%.2s/%s%s%s", dir, text, text + 2, *name ? "/" : "",
			name) < PATH_MAX;
}

static bool try_cache(struct search *search)
{
	static const char *const names[] = { "debug", "elf", "" };
	char path[PATH_MAX];

	for (size_t i = 0; i < NR_ITEMS(names); i++)
		if (cache_path(search->options, &search->build_id, names[i], path) && try_path(search, path))
			return true;
	return false;
}

static bool try_build_id_dir(struct search *search)
{
	char text[BUILD_ID_TEXT_SIZE], rest[BUILD_ID_TEXT_SIZE + 32];

	if (search->build_id.size < 2)
		return false;
	build_id_print(&search->build_id, text);
	snprintf(rest, sizeof(rest), ".build-id/%.2s/%s.debug", text, text + 2);
	return try_debug_dir(search, rest);
}

static bool has_checksum(struct elf_image *image, uint32_t crc)
{
	struct span bytes = elf_image_bytes(image);
	uLong sum = crc32(0, NULL, 0);

	for (size_t pos = 0; pos < bytes.size;) {
		size_t part = bytes.size - pos < 1u << 30 ? bytes.size - pos : 1u << 30;

		sum = crc32(sum, bytes.data + pos, (uInt)part);
		pos += part;
	}
	return sum == crc;
}

/* A file that .gnu_debuglink names; the checksum is only for files without build-ids. */
static bool try_link(struct search *search, const char *path, uint32_t crc)
{
	struct elf_image *image;

	if (build_id_known(&search->build_id))
		return try_path(search, path);
	if (elf_image_open(path, &image, NULL))
		return false;
	if (!has_part(image, search->part) || !has_checksum(image, crc)) {
		elf_image_close(image);
		return false;
	}
	return take_candidate(search, image);
}

static bool try_debuglink(struct search *search)
{
	const char *dir = search->options->debug_dir ? search->options->debug_dir : DEBUG_DIR;
	const char *roots[] = { search->options->root, or_empty(search->options->symfs) };
	char folder[PATH_MAX], path[PATH_MAX], *slash;
	const char *name;
	uint32_t crc;

	if (!search->file->runtime || !elf_image_debuglink(search->file->runtime, &name, &crc) ||
	    snprintf(folder, sizeof(folder), "%s", search->path) >= (int)sizeof(folder))
		return false;
	slash = strrchr(folder, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (size_t i = 0; i < NR_ITEMS(roots); i++) {
		if (!roots[i])
			continue;
		/* A file without symbols that names itself must not be found again: it lacks the part. */
		if (snprintf(path, sizeof(path), "%s%s/%s", roots[i], folder, name) < (int)sizeof(path) &&
		    try_link(search, path, crc))
			return true;
		if (snprintf(path, sizeof(path), "%s%s/.debug/%s", roots[i], folder, name) <
			    (int)sizeof(path) &&
		    try_link(search, path, crc))
			return true;
		if (snprintf(path, sizeof(path), "%s%s%s/%s", roots[i], dir, folder, name) <
			    (int)sizeof(path) &&
		    try_link(search, path, crc))
			return true;
		/* Since /lib became a link to /usr/lib, packages are of two minds. */
		if (!strncmp(folder, "/usr/", 5)) {
			if (snprintf(path, sizeof(path), "%s%s%s/%s", roots[i], dir, folder + 4, name) <
				    (int)sizeof(path) &&
			    try_link(search, path, crc))
				return true;
		} else if (snprintf(path, sizeof(path), "%s%s/usr%s/%s", roots[i], dir, folder, name) <
				   (int)sizeof(path) &&
			   try_link(search, path, crc)) {
			return true;
		}
	}
	return false;
}

/* Fedora: PATH.debug; Ubuntu of old: PATH. */
static bool try_path_in_debug_dir(struct search *search)
{
	char rest[PATH_MAX];

	if (search->path[0] != '/')
		return false;
	if (snprintf(rest, sizeof(rest), "%s.debug", search->path + 1) < (int)sizeof(rest) &&
	    try_debug_dir(search, rest))
		return true;
	return try_debug_dir(search, search->path + 1);
}

static bool try_debuginfod(struct search *search, struct err *err)
{
	struct elf_image *image;
	int fd;

	if (!search->options->debuginfod)
		return false;
	fd = debuginfod_fetch(&search->build_id, DEBUGINFOD_DEBUGINFO, base_name(search->path),
			      search->options->progress, search->options->progress_context, err);
	if (fd < 0)
		return false;
	if (elf_image_open_fd(fd, search->path, &image, err))
		image = NULL;
	close(fd);
	search->file->fetched = take_candidate(search, image);
	return search->file->fetched;
}

/* Finds the file at its own path and fills runtime or the reason why not. */
static void open_runtime(struct search *search)
{
	static const char deleted[] = " (deleted)";
	const char *roots[] = { search->options->root, or_empty(search->options->symfs) };
	size_t size = strlen(search->path);
	struct debugfile *file = search->file;
	char path[PATH_MAX], text_a[BUILD_ID_TEXT_SIZE], text_b[BUILD_ID_TEXT_SIZE];
	bool was_deleted = size > strlen(deleted) && !strcmp(search->path + size - strlen(deleted), deleted);

	file->status = DEBUGFILE_MISSING;
	snprintf(file->reason, sizeof(file->reason), "%s is not there", search->path);
	if (was_deleted) {
		size -= strlen(deleted);
		snprintf(file->reason, sizeof(file->reason), "%.*s was deleted or replaced while it ran",
			 (int)size, search->path);
		/* Another file has the name by now, unless it proves to be the one. */
		if (!build_id_known(&search->build_id))
			return;
	}
	for (size_t i = 0; i < NR_ITEMS(roots); i++) {
		struct err err = { 0 };
		struct build_id id;
		int ret;

		if (!roots[i] || snprintf(path, sizeof(path), "%s%.*s", roots[i], (int)size, search->path) >=
					 (int)sizeof(path))
			continue;
		ret = elf_image_open(path, &file->runtime, &err);
		if (ret == -ENOENT || ret == -ENOTDIR || ret == -ESTALE)
			continue;
		if (ret) {
			file->status = ret == -EACCES ? DEBUGFILE_MISSING : DEBUGFILE_DAMAGED;
			snprintf(file->reason, sizeof(file->reason), "%.500s", err.text);
			continue;
		}
		if (build_id_read_image(file->runtime, &id))
			id.size = 0;
		if (!build_id_known(&search->build_id))
			search->build_id = id;
		if (!build_id_known(&search->build_id) || build_id_equal(&id, &search->build_id)) {
			file->reason[0] = '\0';
			return;
		}
		file->status = DEBUGFILE_DIFFERS;
		snprintf(file->reason, sizeof(file->reason),
			 "%.300s is not the file that ran: its build-id is %s, recorded was %s", path,
			 id.size ? build_id_print(&id, text_a) : "absent",
			 build_id_print(&search->build_id, text_b));
		elf_image_close(file->runtime);
		file->runtime = NULL;
	}
}

/* The binary as it ran, from the build-id cache: it has the segments and the PLT. */
static void open_runtime_from_cache(struct search *search)
{
	static const char *const names[] = { "elf", "vdso", "" };
	char path[PATH_MAX];

	for (size_t i = 0; i < NR_ITEMS(names) && !search->file->runtime; i++)
		if (build_id_known(&search->build_id) &&
		    cache_path(search->options, &search->build_id, names[i], path))
			open_candidate(search, path, &search->file->runtime);
	if (search->file->runtime)
		search->file->reason[0] = '\0';
}

/* The names of its own functions in .gnu_debugdata are all that a profile asks for. */
static bool has_mini_symbols(const struct search *search, struct err *err)
{
	struct elf_image *inner;

	return search->part == DEBUGFILE_SYMBOLS &&
	       !elf_image_debugdata(search->file->runtime, &inner, err->code ? NULL : err) && inner;
}

static void say_stripped(struct search *search, struct err *err)
{
	struct debugfile *file = search->file;
	const char *name = base_name(search->path);
	const char *what = search->part == DEBUGFILE_LINES ? "has no line numbers" : "is stripped";
	const char *rest = search->part == DEBUGFILE_LINES	 ? ""
			   : elf_image_has_dynsym(file->runtime) ? " and shows only its exported functions"
								 : " and has no symbols at all";

	file->status = DEBUGFILE_STRIPPED;
	if (has_mini_symbols(search, err))
		file->reason[0] = '\0';
	else if (err->code)
		snprintf(file->reason, sizeof(file->reason), "%.200s %s%s; %.200s", name, what, rest,
			 err->text);
	else if (build_id_known(&search->build_id))
		snprintf(file->reason, sizeof(file->reason),
			 "%.200s %s%s: install its debug symbols (Debian: find-dbgsym-packages; Fedora: dnf "
			 "debuginfo-install) or use --debuginfod",
			 name, what, rest);
	else
		snprintf(file->reason, sizeof(file->reason),
			 "%.200s %s%s, and it has no build-id to find them by: %s", name, what, rest,
			 search->part == DEBUGFILE_LINES ? "build it with -g" : "build it without -s");
}

void debugfile_find(const struct debugfile_options *options, const char *path,
		    const struct build_id *build_id, enum debugfile_part part, struct debugfile *ret_file)
{
	struct search search = { .options = options, .path = path, .part = part, .file = ret_file };
	struct err err = { 0 };

	*ret_file = (struct debugfile){ 0 };
	if (build_id)
		search.build_id = *build_id;
	open_runtime(&search);
	if (!ret_file->runtime)
		open_runtime_from_cache(&search);
	if (ret_file->runtime && has_part(ret_file->runtime, part)) {
		ret_file->symbols = ret_file->runtime;
		ret_file->status = DEBUGFILE_COMPLETE;
		return;
	}
	if (try_cache(&search) || try_build_id_dir(&search) || try_debuglink(&search) ||
	    try_path_in_debug_dir(&search) || try_debuginfod(&search, &err)) {
		ret_file->reason[0] = '\0';
		return;
	}
	if (ret_file->runtime) {
		ret_file->symbols = ret_file->runtime;
		say_stripped(&search, &err);
	}
}

void debugfile_release(struct debugfile *file)
{
	if (file->symbols != file->runtime)
		elf_image_close(file->symbols);
	elf_image_close(file->runtime);
	*file = (struct debugfile){ 0 };
}

/* ---- the kernel ------------------------------------------------------------------------------- */

static bool is_vmlinux(const char *path, const struct build_id *want)
{
	struct build_id id;

	return !build_id_read_path(path, &id) && build_id_equal(&id, want);
}

char *debugfile_find_vmlinux(const struct debugfile_options *options, const char *release,
			     const struct build_id *build_id)
{
	static const char *const places[] = {
		"/boot/vmlinux-%s",
		"/usr/lib/debug/boot/vmlinux-%s",
		"/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/usr/lib/debug/boot/vmlinux-%s.debug",
		"/usr/lib/debug/lib/modules/%s/vmlinux.debug",
		"/boot/vmlinux",
		"vmlinux",
	};
	char path[PATH_MAX], text[BUILD_ID_TEXT_SIZE];
	struct utsname name;
	struct build_id want = { 0 };

	if (build_id)
		want = *build_id;
	if (!build_id_known(&want) && build_id_read_kernel(&want))
		return NULL;
	if (!release && !uname(&name))
		release = name.release;
	if (cache_path(options, &want, "vmlinux", path) && is_vmlinux(path, &want))
		return xstrdup(path);
	if (cache_path(options, &want, "elf", path) && is_vmlinux(path, &want))
		return xstrdup(path);
	build_id_print(&want, text);
	if (snprintf(path, sizeof(path), "%s%s/.build-id/%.2s/%s.debug", or_empty(options->symfs), DEBUG_DIR,
		     text, text + 2) < (int)sizeof(path) &&
	    is_vmlinux(path, &want))
		return xstrdup(path);
	for (size_t i = 0; i < NR_ITEMS(places) && release; i++) {
		/* One of our own formats, with at most one %s. */
		const char *place = places[i], *slot = strstr(place, "%s");
		int size = slot ? snprintf(path, sizeof(path), "%s%.*s%s%s", or_empty(options->symfs),
					   (int)(slot - place), place, release, slot + 2)
				: snprintf(path, sizeof(path), "%s%s",
					   place[0] == '/' ? or_empty(options->symfs) : "", place);

		if (size < (int)sizeof(path) && is_vmlinux(path, &want))
			return xstrdup(path);
	}
	return NULL;
}

char *debugfile_find_kallsyms(const struct debugfile_options *options, const struct build_id *build_id)
{
	struct build_id running;
	char path[PATH_MAX];

	if (!build_id || !build_id_known(build_id))
		return xstrdup("/proc/kallsyms");
	if (!build_id_read_kernel(&running) && build_id_equal(&running, build_id))
		return xstrdup("/proc/kallsyms");
	if (cache_path(options, build_id, "kallsyms", path) && !access(path, R_OK))
		return xstrdup(path);
	/* The cache of old: the link leads to the file. */
	if (cache_path(options, build_id, "", path)) {
		struct stat st;

		if (!stat(path, &st) && S_ISREG(st.st_mode))
			return xstrdup(path);
	}
	return NULL;
}

static bool names_module(const char *file, size_t file_size, const char *name, size_t name_size)
{
	if (file_size < name_size + 3 || memcmp(file + name_size, ".ko", 3))
		return false;
	for (size_t i = 0; i < name_size; i++) {
		char a = file[i] == '-' ? '_' : file[i], b = name[i] == '-' ? '_' : name[i];

		if (a != b)
			return false;
	}
	return true;
}

char *debugfile_find_module(const struct debugfile_options *options, const char *release, const char *name)
{
	struct buf buf = BUF_INIT;
	char path[PATH_MAX], *found = NULL;
	size_t name_size = strlen(name);
	struct utsname uts;

	if (name[0] == '[' && name_size > 2) {
		name++;
		name_size -= 2;
	}
	if (!release && !uname(&uts))
		release = uts.release;
	if (!release || strchr(release, '/') ||
	    snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", or_empty(options->symfs),
		     release) >= (int)sizeof(path) ||
	    file_read_path(path, &buf, (size_t)64 << 20)) {
		buf_release(&buf);
		return NULL;
	}
	/* Each line: "kernel/fs/ext4/ext4.ko.xz: what it needs". */
	for (const char *line = buf_text(&buf); *line && !found;) {
		size_t size = strcspn(line, "\n"), file_size = strcspn(line, ":\n");
		const char *file = line;

		for (size_t i = 0; i < file_size; i++)
			if (line[i] == '/')
				file = line + i + 1;
		if (names_module(file, file_size - (size_t)(file - line), name, name_size)) {
			if (line[0] == '/')
				found = xasprintf("%s%.*s", or_empty(options->symfs), (int)file_size, line);
			else
				found = xasprintf("%s/lib/modules/%s/%.*s", or_empty(options->symfs), release,
						  (int)file_size, line);
		}
		line += size + (line[size] == '\n');
	}
	buf_release(&buf);
	return found;
}
