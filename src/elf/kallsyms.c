/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/kallsyms: "ffffffff81000000 T _stext", modules with "\t[name]" behind. A hundred thousand
 * lines and more, so the parser looks at each byte once. Text and data symbols are taken (t T w W, d D b B r R v V i),
 * absolute ones (a A: per-cpu offsets) and undefined ones are not.
 *
 * Capital types are global, W and w weak, the other small ones local: that decides which of several
 * names at one address is shown (symtab.c). No symbol has a size: each reaches to the next.
 */
#include "elf/kallsyms.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "elf/kallsyms_table.h"

#define TEXT_SIZE_MAX ((size_t)512 << 20)
#define NR_MODULES_MAX 65536

static const uint8_t hex_values[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,	['6'] = 7,  ['7'] = 8,
	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static uint8_t symbol_info(char type)
{
	switch (type) {
	case 'T':
		return STB_GLOBAL << 4 | STT_FUNC;
	case 't':
	case 'i':
		return STB_LOCAL << 4 | STT_FUNC;
	case 'W':
	case 'w':
		return STB_WEAK << 4 | STT_FUNC;
	case 'V':
	case 'v':
		return STB_WEAK << 4 | STT_OBJECT;
	case 'D':
	case 'B':
	case 'R':
	case 'G':
		return STB_GLOBAL << 4 | STT_OBJECT;
	case 'd':
	case 'b':
	case 'r':
	case 'g':
		return STB_LOCAL << 4 | STT_OBJECT;
	}
	return 0;
}

static struct kallsyms_module *find_module(struct kallsyms *kallsyms, const char *name, size_t size)
{
	struct kallsyms_module *last = array_last(&kallsyms->modules);

	if (strlen(last->name) == size && !memcmp(last->name, name, size))
		return last;
	for (size_t i = 0; i < kallsyms->modules.nr; i++) {
		struct kallsyms_module *module = &kallsyms->modules.items[i];

		if (strlen(module->name) == size && !memcmp(module->name, name, size))
			return module;
	}
	if (kallsyms->modules.nr >= NR_MODULES_MAX)
		return NULL;
	array_push(&kallsyms->modules, (struct kallsyms_module){ .name = xstrndup(name, size) });
	return array_last(&kallsyms->modules);
}

static void note_mark(struct kallsyms_marks *marks, const char *name, size_t size, uint64_t addr)
{
	if (size == 5 && !memcmp(name, "_text", 5))
		marks->text = addr;
	else if (size == 6 && !memcmp(name, "_stext", 6))
		marks->stext = addr;
}

static bool parse_line(struct kallsyms *kallsyms, const char *pos, const char *end)
{
	struct kallsyms_module *module = &kallsyms->modules.items[0];
	const char *start = pos, *name;
	uint64_t addr = 0;
	uint32_t name_at;
	uint8_t info, value;

	for (; pos < end && (value = hex_values[(uint8_t)*pos]); pos++)
		addr = addr << 4 | (value - 1u);
	if (pos == start || pos - start > 16 || end - pos < 4 || pos[0] != ' ' || pos[2] != ' ')
		return false;
	info = symbol_info(pos[1]);
	name = pos += 3;
	while (pos < end && (uint8_t)*pos > ' ')
		pos++;
	if (pos == name)
		return false;
	kallsyms->any_address |= addr != 0;
	if (!info || name[0] == '$')
		return true;
	if (name[0] == '_' && pos == end)
		note_mark(&kallsyms->marks, name, (size_t)(pos - name), addr);
	if (pos < end) {
		const char *open = memchr(pos, '[', (size_t)(end - pos)), *close;

		close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
		if (!close || close == open + 1)
			return false;
		module = find_module(kallsyms, open + 1, (size_t)(close - open - 1));
	}
	name_at = symtab_names_add(&kallsyms->names, name, (size_t)(pos - name));
	if (!module || name_at == SYMTAB_NONE)
		return false;
	if (module->nr_rows == module->room) {
		module->room = module->room ? 2 * module->room : 256;
		module->rows = xreallocarray(module->rows, module->room, sizeof(*module->rows));
	}
	module->rows[module->nr_rows++] =
		(struct symtab_row){ .start = addr, .end = addr, .name = name_at, .info = info };
	return true;
}

static struct kallsyms *new_kallsyms(void)
{
	struct kallsyms *kallsyms = xcalloc(1, sizeof(*kallsyms));

	array_push(&kallsyms->modules, (struct kallsyms_module){ .name = xstrdup("") });
	return kallsyms;
}

/* Whole lines, and at the end of the text what stands behind the last of them; returns how much was used. */
static size_t parse_lines(struct kallsyms *kallsyms, const char *text, size_t size, bool is_end)
{
	const char *pos = text, *end = text + size;

	while (pos < end) {
		const char *line_end = memchr(pos, '\n', (size_t)(end - pos));

		if (!line_end && !is_end)
			break;
		if (!line_end)
			line_end = end;
		if (line_end > pos && !parse_line(kallsyms, pos, line_end))
			kallsyms->nr_damaged++;
		pos = line_end < end ? line_end + 1 : end;
	}
	return (size_t)(pos - text);
}

/* Makes the tables, or frees it all when there is nothing to make them of. */
static int finish(struct kallsyms *kallsyms, const char *name, struct kallsyms **ret_kallsyms,
		  struct err *err)
{
	size_t nr_rows = 0;

	for (size_t i = 0; i < kallsyms->modules.nr; i++) {
		struct kallsyms_module *module = &kallsyms->modules.items[i];
		struct symtab_parts parts = { .rows = module->rows, .nr_rows = module->nr_rows };

		parts.pools[0] = (struct span){ (const uint8_t *)kallsyms->names.text, kallsyms->names.size };
		nr_rows += module->nr_rows;
		module->rows = NULL;
		module->table = symtab_build(&parts);
	}
	if (!nr_rows || !kallsyms->any_address) {
		kallsyms_free(kallsyms);
		if (!nr_rows)
			return err_set(err, -EBADMSG, "%s: no symbols in it", name);
		err_set(err, -EPERM, "%s shows no addresses", name);
		err_hint(
			err,
			"Allow it with: sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1 (or run as root)");
		return -EPERM;
	}
	*ret_kallsyms = kallsyms;
	return 0;
}

int kallsyms_parse(struct span text, const char *name, struct kallsyms **ret_kallsyms, struct err *err)
{
	struct kallsyms *kallsyms = new_kallsyms();

	*ret_kallsyms = NULL;
	parse_lines(kallsyms, (const char *)text.data, text.size, true);
	return finish(kallsyms, name, ret_kallsyms, err);
}

/* The kernel gives a page at a time, formatted anew: each is parsed while it is warm, and no memory holds them all. */
static int parse_fd(struct kallsyms *kallsyms, int fd)
{
	size_t room = (size_t)64 << 10, size = 0, total = 0;
	char *text = xmalloc(room);
	ssize_t got;

	while (total <= TEXT_SIZE_MAX) {
		size_t used;

		got = read(fd, text + size, room - size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		size += (size_t)got;
		total += (size_t)got;
		/* No symbol has a line that fills the room: it is cut, and counted as damage. */
		used = parse_lines(kallsyms, text, size, got == 0 || size == room);
		size -= used;
		memmove(text, text + used, size);
		if (got == 0)
			break;
	}
	if (got >= 0)
		got = total > TEXT_SIZE_MAX ? -EFBIG : 0;
	else
		got = -errno;
	free(text);
	return (int)got;
}

int kallsyms_open(const char *path, struct kallsyms **ret_kallsyms, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	struct kallsyms *kallsyms;

	*ret_kallsyms = NULL;
	if (fd < 0)
		return err_errno(err, -errno, "%s", path);
	kallsyms = new_kallsyms();
	ret = parse_fd(kallsyms, fd);
	close(fd);
	if (!ret)
		return finish(kallsyms, path, ret_kallsyms, err);
	kallsyms_free(kallsyms);
	return err_errno(err, ret, "%s", path);
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	for (size_t i = 0; i < kallsyms->modules.nr; i++) {
		free(kallsyms->modules.items[i].name);
		free(kallsyms->modules.items[i].rows);
		symtab_free(kallsyms->modules.items[i].table);
	}
	array_release(&kallsyms->modules);
	file_unmap(&kallsyms->file);
	free(kallsyms->names.text);
	free(kallsyms);
}

const struct symtab *kallsyms_kernel(const struct kallsyms *kallsyms)
{
	return kallsyms->modules.items[0].table;
}

static bool same_module(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
			return false;
	return *a == *b;
}

const struct symtab *kallsyms_module(const struct kallsyms *kallsyms, const char *name)
{
	for (size_t i = 1; i < kallsyms->modules.nr; i++)
		if (same_module(kallsyms->modules.items[i].name, name))
			return kallsyms->modules.items[i].table;
	return NULL;
}

size_t kallsyms_nr_modules(const struct kallsyms *kallsyms)
{
	return kallsyms->modules.nr - 1;
}

const struct symtab *kallsyms_module_at(const struct kallsyms *kallsyms, size_t i, const char **ret_name)
{
	*ret_name = kallsyms->modules.items[i + 1].name;
	return kallsyms->modules.items[i + 1].table;
}

struct kallsyms_marks kallsyms_marks(const struct kallsyms *kallsyms)
{
	return kallsyms->marks;
}

size_t kallsyms_nr_damaged(const struct kallsyms *kallsyms)
{
	return kallsyms->nr_damaged;
}
