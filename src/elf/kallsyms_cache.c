/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's symbols without reading /proc/kallsyms again.
 *
 * The kernel needs 20 ms to format its 120,000 symbols and we need 10 to take the text apart, whether a report is of
 * a million samples or of ten. The finished tables are kept in the user's cache as a file that is
 * mapped and used (symtab_file), and thrown away when they may be wrong.
 *
 * **When are they right?** As long as the key is the same, which is all that decides about the text:
 *
 *   - this program, by its build-id: another one may choose other names
 *   - the kernel, by its build-id and by the id of this boot: addresses differ from boot to boot
 *   - the first page of /proc/kallsyms, which costs little: it shows whether addresses are to be seen at all
 *   - the modules, by their lines in /proc/modules without the counts of users, and by the inode numbers of their
 *     folders in sysfs, which differ when one is unloaded and another build of it is loaded at the same place
 *
 * The key stands in the file in full; the file's name holds only its hash. It is taken before the text is
 * read and again behind it: if a module came or went meanwhile, nothing is kept.
 *
 * Some symbols come and go without any of this: BPF programs, trampolines of ftrace and kprobes. In kallsyms
 * they stand as modules of their own; these are left out of the file, and who wants one reads the text. Recordings
 * describe them by records, so that is rare.
 *
 * Text without addresses (kptr_restrict) makes no tables, so nothing of it is ever kept.
 */
#include "elf/kallsyms_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cache.h"
#include "base/hash.h"
#include "base/xalloc.h"
#include "elf/build_id.h"
#include "elf/kallsyms_table.h"
#include "elf/symtab_file.h"

#define KALLSYMS "/proc/kallsyms"
#define PREFIX "kernel-"
#define NR_KEPT 4
#define MODULES_SIZE_MAX ((size_t)4 << 20)

static bool comes_and_goes(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", strlen("__builtin__"));
}

/* ---- the key ---------------------------------------------------------------------------------- */

/* The first object is the program itself. */
static int read_own_build_id(struct dl_phdr_info *info, size_t size, void *context)
{
	struct build_id *id = context;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		struct span notes = { (const uint8_t *)info->dlpi_addr + segment->p_vaddr, segment->p_memsz };

		if (segment->p_type == PT_NOTE && !build_id_from_notes(notes, false, segment->p_align, id))
			break;
	}
	return 1;
}

static int add_build_ids(struct buf *key)
{
	char text[BUILD_ID_TEXT_SIZE];
	struct build_id id = { 0 };
	int ret;

	dl_iterate_phdr(read_own_build_id, &id);
	if (!build_id_known(&id))
		return -ENODATA;
	buf_printf(key, "program %s\n", build_id_print(&id, text));
	ret = build_id_read_kernel(&id);
	if (!ret)
		buf_printf(key, "kernel %s\n", build_id_print(&id, text));
	return ret;
}

static int add_boot(struct buf *key)
{
	char text[128];
	int size = file_read_line("/proc/sys/kernel/random/boot_id", text, sizeof(text));

	if (size <= 0)
		return size < 0 ? size : -ENODATA;
	buf_printf(key, "boot %s\n", text);
	return 0;
}

static int add_first_page(struct buf *key)
{
	int fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text));
	close(fd);
	if (got <= 0)
		return -ENODATA;
	buf_printf(key, "text %016" PRIx64 "\n", hash_bytes(text, (size_t)got, 0));
	return 0;
}

/* "ext4 933888 2 jbd2, Live 0xffffffffc0400000 (E)": all but the users, whose number changes all the time. */
static void add_module_line(struct buf *key, const char *line, size_t size)
{
	const char *end = line + size, *pos = line;

	for (unsigned field = 0; pos < end; field++) {
		const char *blank = memchr(pos, ' ', (size_t)(end - pos)), *stop = blank ? blank : end;

		if (field != 2 && field != 3) {
			buf_putc(key, ' ');
			buf_put(key, pos, (size_t)(stop - pos));
		}
		pos = blank ? blank + 1 : end;
	}
	buf_putc(key, '\n');
}

static int add_module_folders(struct buf *key)
{
	DIR *dir = opendir("/sys/module");
	const struct dirent *item;
	uint64_t sum = 0;

	if (!dir)
		return -errno;
	/* In any order. */
	while ((item = readdir(dir)))
		if (item->d_name[0] != '.')
			sum += hash_bytes(item->d_name, strlen(item->d_name), item->d_ino);
	closedir(dir);
	buf_printf(key, "folders %016" PRIx64 "\n", sum);
	return 0;
}

static int add_modules(struct buf *key)
{
	struct buf text = BUF_INIT;
	int ret = file_read_path("/proc/modules", &text, MODULES_SIZE_MAX);

	if (ret == -ENOENT) {
		buf_str(key, "no modules\n"); /* a kernel that cannot load any */
		return 0;
	}
	for (size_t pos = 0; !ret && pos < text.size;) {
		const char *line = text.data + pos, *end = memchr(line, '\n', text.size - pos);
		size_t size = end ? (size_t)(end - line) : text.size - pos;

		add_module_line(key, line, size);
		pos += size + 1;
	}
	if (!ret)
		ret = add_module_folders(key);
	buf_release(&text);
	return ret;
}

static int make_key(struct buf *key)
{
	int ret = add_build_ids(key);

	if (!ret)
		ret = add_boot(key);
	if (!ret)
		ret = add_first_page(key);
	if (!ret)
		ret = add_modules(key);
	return ret;
}

/* ---- tables and bytes ------------------------------------------------------------------------- */

int kallsyms_cache_encode(const struct kallsyms *kallsyms, struct span key, struct buf *buf)
{
	struct symtab_file_table *tables = xcalloc(kallsyms->modules.nr, sizeof(*tables));
	const uint64_t numbers[] = { kallsyms->marks.text, kallsyms->marks.stext };
	size_t nr = 0;
	int ret;

	for (size_t i = 0; i < kallsyms->modules.nr; i++) {
		const struct kallsyms_module *module = &kallsyms->modules.items[i];

		if (!comes_and_goes(module->name))
			tables[nr++] = (struct symtab_file_table){ module->name, module->table };
	}
	ret = symtab_file_encode(key, tables, nr, numbers, buf);
	free(tables);
	return ret;
}

int kallsyms_cache_decode(struct file_map *file, struct span key, struct kallsyms **ret_kallsyms)
{
	uint64_t numbers[SYMTAB_FILE_NR_NUMBERS];
	struct symtab_file_table *tables;
	struct kallsyms *kallsyms;
	size_t nr;
	int ret = symtab_file_decode((struct span){ file->data, file->size }, key, &tables, &nr, numbers);

	*ret_kallsyms = NULL;
	if (ret)
		return ret;
	kallsyms = xcalloc(1, sizeof(*kallsyms));
	kallsyms->marks = (struct kallsyms_marks){ numbers[0], numbers[1] };
	for (size_t i = 0; i < nr; i++)
		array_push(&kallsyms->modules, (struct kallsyms_module){ .name = xstrdup(tables[i].name),
									 .table = tables[i].table });
	free(tables);
	/* The kernel itself is first. */
	if (!nr || kallsyms->modules.items[0].name[0]) {
		kallsyms_free(kallsyms);
		return -EBADMSG;
	}
	kallsyms->file = *file;
	*file = (struct file_map){ 0 };
	*ret_kallsyms = kallsyms;
	return 0;
}

/* ---- the cache -------------------------------------------------------------------------------- */

static int load(int cache, const char *name, struct span key, struct kallsyms **ret_kallsyms)
{
	struct file_map file;
	int ret = cache_map(cache, name, &file);

	if (!ret)
		ret = kallsyms_cache_decode(&file, key, ret_kallsyms);
	file_unmap(&file);
	return ret;
}

/* A cache that cannot be written to is none: nobody is told. */
static void save(const char *name, struct span key, const struct kallsyms *kallsyms)
{
	int cache = cache_open(true);
	struct cache_file file = { .fd = -1 };
	struct buf buf;

	if (cache < 0)
		return;
	if (!cache_file_create(cache, &file)) {
		buf_init(&buf, file.fd);
		cache_file_finish(cache, &file, name, !kallsyms_cache_encode(kallsyms, key, &buf));
		buf_release(&buf);
		cache_trim(cache, PREFIX, NR_KEPT);
	}
	close(cache);
}

static int open_by_cache(int cache, struct kallsyms **ret_kallsyms, struct err *err)
{
	struct buf key = BUF_INIT, later = BUF_INIT;
	bool has_key = !make_key(&key);
	struct span span = { (const uint8_t *)key.data, key.size };
	char name[CACHE_NAME_SIZE];
	int ret = -ENOENT;

	snprintf(name, sizeof(name), PREFIX "%016" PRIx64, hash_bytes(key.data, key.size, 0));
	if (has_key && cache >= 0)
		ret = load(cache, name, span, ret_kallsyms);
	if (ret) {
		ret = kallsyms_open(KALLSYMS, ret_kallsyms, err);
		if (!ret && has_key && !make_key(&later) && later.size == key.size &&
		    !memcmp(later.data, key.data, key.size))
			save(name, span, *ret_kallsyms);
	}
	buf_release(&later);
	buf_release(&key);
	return ret;
}

int kallsyms_cache_open(struct kallsyms **ret_kallsyms, struct err *err)
{
	int cache = cache_open(false), ret;

	/* That it has not been made yet is no reason not to. */
	if (cache < 0 && cache != -ENOENT)
		return kallsyms_open(KALLSYMS, ret_kallsyms, err);
	ret = open_by_cache(cache, ret_kallsyms, err);
	if (cache >= 0)
		close(cache);
	return ret;
}

bool kallsyms_cache_lacks(const struct kallsyms *kallsyms, const char *module)
{
	return kallsyms->file.data && comes_and_goes(module);
}
