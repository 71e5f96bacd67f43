/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of JIT-compiled code, as the runtime writes them to /tmp/perf-PID.map: lines of "START SIZE NAME", in hex with
 * or without 0x; the name is all that follows, blanks included.
 *
 * A runtime moves and recompiles code and just appends: where entries overlap, the later one is right
 * (as far as a file without time stamps can be). The file is being written while we read and may end in
 * half a line; lines that do not read are skipped.
 *
 * The name is made by the process: PID is that of its own pid namespace and /tmp that of its mount
 * namespace. While it lives, /proc/PID says both. Control characters in names are replaced, since names go
 * to terminals.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "symbol/perfmap.h"
#include "symbol/symbol_source.h"

#define TEXT_SIZE_MAX ((size_t)2 << 30)
#define NAME_SIZE_MAX 65536

struct parse {
	struct symtab_names names;
	ARRAY(struct symtab_row) rows;
};

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* A number and the blanks behind it; NULL when it does not read. */
static const char *parse_hex(const char *pos, const char *end, uint64_t *ret_value)
{
	unsigned nr = 0;

	*ret_value = 0;
	while (pos < end && *pos == ' ')
		pos++;
	if (end - pos > 2 && pos[0] == '0' && (pos[1] == 'x' || pos[1] == 'X'))
		pos += 2;
	for (; pos < end && hex_value(*pos) >= 0; pos++) {
		if (*ret_value || *pos != '0')
			nr++;
		*ret_value = *ret_value << 4 | (uint64_t)hex_value(*pos);
	}
	if (nr > 16 || pos == end || *pos != ' ' || hex_value(pos[-1]) < 0)
		return NULL;
	while (pos < end && *pos == ' ')
		pos++;
	return pos;
}

static bool parse_line(struct parse *parse, const char *pos, const char *end)
{
	uint64_t start, size;
	uint32_t name;

	pos = parse_hex(pos, end, &start);
	if (pos)
		pos = parse_hex(pos, end, &size);
	while (pos && end > pos && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	if (!pos || pos == end || end - pos > NAME_SIZE_MAX || size > UINT64_MAX - start)
		return false;
	name = symtab_names_add(&parse->names, pos, (size_t)(end - pos));
	if (name == SYMTAB_NONE)
		return false;
	for (char *c = parse->names.text + name, *last = c + (end - pos); c < last; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	array_push(&parse->rows, (struct symtab_row){
					 .start = start,
					 .end = start + size,
					 .name = name,
					 .info = STB_GLOBAL << 4 | STT_FUNC,
				 });
	return true;
}

struct symtab *perfmap_parse(struct span text, size_t *ret_nr_damaged)
{
	const char *pos = (const char *)text.data, *end = pos + text.size;
	struct symtab_parts parts = { .overlap = SYMTAB_NEWER_WINS };
	struct parse parse = { 0 };

	*ret_nr_damaged = 0;
	while (pos < end) {
		const char *line_end = memchr(pos, '\n', (size_t)(end - pos));

		if (!line_end)
			line_end = end;
		if (line_end > pos && !parse_line(&parse, pos, line_end))
			++*ret_nr_damaged;
		pos = line_end + 1;
	}
	parts.rows = parse.rows.items;
	parts.nr_rows = parse.rows.nr;
	parts.pools[0] = (struct span){ (const uint8_t *)parse.names.text, parse.names.size };
	parts.owned = parse.names.text;
	return symtab_build(&parts);
}

int32_t perfmap_inner_pid(int32_t pid)
{
	char path[64];
	struct buf buf = BUF_INIT;
	int32_t inner = pid;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
	if (!file_read_path(path, &buf, (size_t)64 << 10)) {
		const char *line = strstr(buf_text(&buf), "\nNSpid:");

		/* "NSpid:\t4711\t12\t1": ours first, the innermost last. */
		for (const char *pos = line ? line + 7 : ""; *pos && *pos != '\n';) {
			char *number_end;
			long value = strtol(pos, &number_end, 10);

			if (number_end == pos)
				break;
			if (value > 0 && value <= INT32_MAX)
				inner = (int32_t)value;
			pos = number_end;
		}
	}
	buf_release(&buf);
	return inner;
}

static int read_map(const char *path, struct buf *buf)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int ret = -ENOENT;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		ret = file_read_fd(fd, buf, TEXT_SIZE_MAX);
	close(fd);
	return ret;
}

void symbol_source_perfmap(struct symbol_context *context, const struct dso *dso, struct symbol_set *set)
{
	const char *symfs = context->options.symfs ? context->options.symfs : "";
	struct buf buf = BUF_INIT;
	size_t nr_damaged;
	char path[4096];
	int ret;

	/* A process that lives may lie in a container: there its own name for the file counts. */
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root/tmp/perf-%" PRId32 ".map", dso->pid,
		 perfmap_inner_pid(dso->pid));
	ret = *symfs ? -ENOENT : read_map(path, &buf);
	if (ret) {
		buf.size = 0;
		if (snprintf(path, sizeof(path), "%s/tmp/perf-%" PRId32 ".map", symfs, dso->pid) <
		    (int)sizeof(path))
			ret = read_map(path, &buf);
	}
	if (!ret) {
		set->table = perfmap_parse((struct span){ (const uint8_t *)buf.data, buf.size }, &nr_damaged);
		/* The last line is often half written. */
		if (nr_damaged > 1)
			set->complaint = xasprintf("%s: %zu lines do not read and were skipped", path,
						   nr_damaged);
	}
	buf_release(&buf);
}
