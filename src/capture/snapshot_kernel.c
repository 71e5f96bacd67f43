/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel as mappings of pid -1: its text, and each module.
 *
 * Where the text begins stands in /proc/kallsyms, near its beginning; where it ends does as well, but a hundred
 * thousand lines later, for which the kernel needs 25 ms. /proc/iomem knows the size of the same text in a few lines.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/hash.h"
#include "capture/snapshot.h"
#include "record/record.h"

#define NOTE_GNU_BUILD_ID 3

uint8_t snapshot_note_build_id(const char *path, uint8_t ret_build_id[SNAPSHOT_BUILD_ID_MAX])
{
	struct buf buf = BUF_INIT;
	size_t at = 0;
	uint8_t size = 0;

	if (file_read_path(path, &buf, 1 << 16) < 0)
		buf.size = 0;
	while (buf.size - at >= 12) {
		uint32_t sizes[3]; /* of the name, of the description; the note's type */
		size_t name, desc;

		memcpy(sizes, buf.data + at, sizeof(sizes));
		name = at + sizeof(sizes);
		if (sizes[0] > buf.size - name)
			break;
		desc = name + ((sizes[0] + 3u) & ~3u);
		if (desc > buf.size || sizes[1] > buf.size - desc)
			break;
		if (sizes[2] == NOTE_GNU_BUILD_ID && sizes[0] == 4 && !memcmp(buf.data + name, "GNU", 4) &&
		    sizes[1] <= SNAPSHOT_BUILD_ID_MAX) {
			size = (uint8_t)sizes[1];
			memcpy(ret_build_id, buf.data + desc, size);
			break;
		}
		at = desc + ((sizes[1] + 3u) & ~3u);
		if (at > buf.size)
			break;
	}
	buf_release(&buf);
	return size;
}

/* ---- kallsyms ---- */

struct kernel_text {
	uint64_t start, end;
	const char *symbol; /* that the start belongs to */
};

/* Looks through lines "ADDRESS TYPE NAME" until want says that it has seen enough. */
static void each_symbol(bool (*enough)(void *context, uint64_t addr, const char *name, size_t size),
			void *context)
{
	char block[16384];
	size_t kept = 0;
	ssize_t got;
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && (got = read(fd, block + kept, sizeof(block) - 1 - kept)) > 0) {
		char *line = block, *end;

		block[kept + (size_t)got] = 0;
		while ((end = strchr(line, '\n'))) {
			uint64_t addr = strtoull(line, &line, 16);
			size_t size;

			if (end - line > 3) {
				line += 3;
				size = strcspn(line, "\t\n");
				if (enough(context, addr, line, size))
					goto out;
			}
			line = end + 1;
		}
		kept = strlen(line);
		memmove(block, line, kept);
		if (kept == sizeof(block) - 1)
			break;
	}
out:
	if (fd >= 0)
		close(fd);
}

static bool is_name(const char *name, size_t size, const char *want)
{
	return strlen(want) == size && !memcmp(name, want, size);
}

static bool find_start(void *context, uint64_t addr, const char *name, size_t size)
{
	struct kernel_text *text = context;

	if (is_name(name, size, "_text")) {
		text->symbol = "_text";
		text->start = addr;
		return true;
	}
	if (!text->symbol && is_name(name, size, "_stext")) {
		text->symbol = "_stext";
		text->start = addr;
	}
	/* They lie side by side: no need to look further than a page behind the first. */
	return text->symbol && addr > text->start + 65536;
}

static bool find_end(void *context, uint64_t addr, const char *name, size_t size)
{
	struct kernel_text *text = context;

	if (!is_name(name, size, "_etext"))
		return false;
	text->end = addr;
	return true;
}

/* Bytes of "Kernel code" in the physical address map; 0: hidden. */
static uint64_t size_of_kernel_code(void)
{
	struct buf buf = BUF_INIT;
	uint64_t size = 0;
	char *line;

	if (!file_read_path("/proc/iomem", &buf, 1 << 20)) {
		line = strstr(buf_text(&buf), " : Kernel code");
		if (line) {
			unsigned long long first, last;

			while (line > buf.data && line[-1] != '\n')
				line--;
			if (sscanf(line, " %llx-%llx", &first, &last) == 2 && last > first)
				size = last - first + 1;
		}
	}
	buf_release(&buf);
	return size;
}

static bool find_kernel_text(struct kernel_text *text)
{
	uint64_t size;

	*text = (struct kernel_text){ 0 };
	each_symbol(find_start, text);
	if (!text->symbol || !text->start)
		return false; /* hidden */
	size = size_of_kernel_code();
	text->end = text->start + size;
	if (!size)
		each_symbol(find_end, text);
	return text->end > text->start;
}

/* ---- modules ---- */

struct module_paths {
	struct buf dep; /* modules.dep */
	char dir[128];
};

/* modules.dep names files ("kernel/fs/ext4/ext4.ko.xz: ..."), /proc/modules modules ("ext4"): '-' is '_' there. */
static bool find_module_path(struct module_paths *paths, const char *name, char *ret_path, size_t size)
{
	const char *line = buf_text(&paths->dep);

	while (*line) {
		size_t length = strcspn(line, ":\n"), i = 0;
		const char *base = line + length;

		while (base > line && base[-1] != '/')
			base--;
		while (name[i] && &base[i] < line + length &&
		       (base[i] == name[i] || (base[i] == '-' && name[i] == '_')))
			i++;
		if (!name[i] && !strncmp(base + i, ".ko", 3)) {
			snprintf(ret_path, size, "%s/%.*s", *line == '/' ? "" : paths->dir, (int)length,
				 line);
			return true;
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return false;
}

static void put_module(struct snapshot *snapshot, struct module_paths *paths, const char *name, uint64_t addr,
		       uint64_t length)
{
	struct snapshot_mapping mapping = {
		.pid = -1, .cpumode = RECORD_CPUMODE_KERNEL, .addr = addr, .length = length
	};
	char path[512], notes[160];

	if (!find_module_path(paths, name, path, sizeof(path)))
		snprintf(path, sizeof(path), "[%s]", name);
	snprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id", name);
	if (snapshot->build_ids)
		mapping.build_id_size = snapshot_note_build_id(notes, mapping.build_id);
	mapping.path = path;
	snapshot_mapping(snapshot, &mapping);
}

static void put_modules(struct snapshot *snapshot)
{
	struct module_paths paths = { .dep = BUF_INIT };
	struct buf buf = BUF_INIT;
	struct utsname uts;
	char *line, *rest, path[160];

	if (file_read_path("/proc/modules", &buf, 4 << 20) < 0 || uname(&uts))
		buf.size = 0;
	if (buf.size) {
		snprintf(paths.dir, sizeof(paths.dir), "/lib/modules/%.90s", uts.release);
		snprintf(path, sizeof(path), "%s/modules.dep", paths.dir);
		if (file_read_path(path, &paths.dep, 16 << 20) < 0)
			paths.dep.size = 0;
	}
	for (line = strtok_r(buf_text(&buf), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		unsigned long long size, addr;
		char name[64];

		/* name size refcount users state address */
		if (sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &size, &addr) == 3 && addr && size)
			put_module(snapshot, &paths, name, addr, size);
	}
	buf_release(&paths.dep);
	buf_release(&buf);
}

void snapshot_kernel(struct snapshot *snapshot)
{
	struct snapshot_mapping mapping = { .pid = -1, .cpumode = RECORD_CPUMODE_KERNEL };
	struct kernel_text text;
	char name[64];

	if (find_kernel_text(&text)) {
		snprintf(name, sizeof(name), "[kernel.kallsyms]%s", text.symbol);
		mapping.addr = text.start;
		mapping.length = text.end - text.start;
		mapping.pgoff = text.start;
		if (snapshot->build_ids)
			mapping.build_id_size = snapshot_note_build_id("/sys/kernel/notes", mapping.build_id);
		mapping.path = name;
		snapshot_mapping(snapshot, &mapping);
	}
	put_modules(snapshot);
}
