/* SPDX-License-Identifier: Apache-2.0 */
#include "record/tracing_data.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/file.h"
#include "base/xalloc.h"

static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

/* {u64 size, bytes} or {u32 size, bytes}. */
static struct span sized(struct cursor *cursor, unsigned number_size)
{
	uint64_t size = number_size == 8 ? cursor_u64(cursor) : cursor_u32(cursor);
	const void *bytes;

	if (size > cursor_left(cursor)) {
		cursor->failed = true;
		cursor->pos = cursor->end;
		return (struct span){ 0 };
	}
	bytes = cursor_bytes(cursor, (size_t)size);
	return (struct span){ bytes, (size_t)size };
}

/* What follows "key: " at the start of a line; size 0 when there is no such line. */
static struct span format_line(struct span text, const char *key)
{
	const char *pos = (const char *)text.data, *end = pos + text.size;
	size_t key_size = strlen(key);

	while (pos < end) {
		const char *newline = memchr(pos, '\n', (size_t)(end - pos));
		const char *line_end = newline ? newline : end;

		if ((size_t)(line_end - pos) > key_size && !memcmp(pos, key, key_size)) {
			pos += key_size;
			while (pos < line_end && *pos == ' ')
				pos++;
			return (struct span){ (const uint8_t *)pos, (size_t)(line_end - pos) };
		}
		pos = line_end + 1;
	}
	return (struct span){ 0 };
}

static const char *keep(struct tracing_data *data, const char *text, size_t size)
{
	data->strings = xreallocarray(data->strings, data->nr_strings + 1, sizeof(*data->strings));
	data->strings[data->nr_strings] = xstrndup(text, size);
	return data->strings[data->nr_strings++];
}

static void format_add(struct tracing_data *data, const char *system, struct span text)
{
	struct span name = format_line(text, "name:"), id = format_line(text, "ID:");
	struct tracing_format *format;
	uint64_t number = 0;

	for (size_t i = 0; i < id.size && isdigit(id.data[i]); i++)
		number = number * 10 + (uint64_t)(id.data[i] - '0');
	format = array_add(&data->formats);
	format->system = system;
	format->name = keep(data, name.data ? (const char *)name.data : "", name.size);
	format->id = number;
	format->text = text;
}

static void formats_parse(struct tracing_data *data, struct cursor *cursor)
{
	uint32_t nr = cursor_u32(cursor), nr_systems;

	while (nr-- && !cursor->failed) {
		struct span text = sized(cursor, 8);

		if (!cursor->failed)
			format_add(data, "ftrace", text);
	}
	nr_systems = cursor_u32(cursor);
	while (nr_systems-- && !cursor->failed) {
		const char *system = cursor_string(cursor);

		nr = cursor_u32(cursor);
		while (nr-- && !cursor->failed) {
			struct span text = sized(cursor, 8);

			if (!cursor->failed)
				format_add(data, system, text);
		}
	}
}

struct tracing_data *tracing_data_parse(struct span blob)
{
	struct tracing_data *data = xcalloc(1, sizeof(*data));
	struct cursor cursor = cursor_of(blob.data, blob.size, false);
	const uint8_t *head = cursor_bytes(&cursor, sizeof(magic));
	const char *version, *label;

	data->is_damaged = true;
	if (!head || memcmp(head, magic, sizeof(magic)))
		return data;
	version = cursor_string(&cursor);
	data->is_big_endian = cursor_u8(&cursor);
	cursor.swap = data->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	data->long_size = cursor_u8(&cursor);
	data->page_size = cursor_u32(&cursor);
	label = cursor_string(&cursor);
	if (!label || strcmp(label, "header_page"))
		return data;
	data->header_page = sized(&cursor, 8);
	label = cursor_string(&cursor);
	if (!label || strcmp(label, "header_event"))
		return data;
	data->header_event = sized(&cursor, 8);
	formats_parse(data, &cursor);
	data->kallsyms = sized(&cursor, 4);
	data->printk_formats = sized(&cursor, 4);
	data->is_damaged = cursor.failed;
	if (!cursor.failed && strcmp(version, "0.5") && cursor_left(&cursor) >= 8)
		data->saved_cmdlines = sized(&cursor, 8);
	return data;
}

void tracing_data_free(struct tracing_data *data)
{
	if (!data)
		return;
	for (size_t i = 0; i < data->nr_strings; i++)
		free(data->strings[i]);
	free(data->strings);
	array_release(&data->formats);
	free(data);
}

const struct tracing_format *tracing_data_find(const struct tracing_data *data, uint64_t id)
{
	for (size_t i = 0; i < data->formats.nr; i++)
		if (data->formats.items[i].id == id && strcmp(data->formats.items[i].system, "ftrace"))
			return &data->formats.items[i];
	for (size_t i = 0; i < data->formats.nr; i++)
		if (data->formats.items[i].id == id)
			return &data->formats.items[i];
	return NULL;
}

/* "	field:char prev_comm[16];	offset:8;": the name is the last word before the ; or [. */
void tracing_format_fields(const struct tracing_format *format,
			   void (*visit)(void *context, const char *name, size_t size), void *context)
{
	const char *pos = (const char *)format->text.data, *end = pos + format->text.size;

	while (pos < end) {
		const char *newline = memchr(pos, '\n', (size_t)(end - pos));
		const char *line_end = newline ? newline : end, *from, *to;

		while (pos < line_end && isspace((unsigned char)*pos))
			pos++;
		if (line_end - pos > 6 && !memcmp(pos, "field:", 6)) {
			to = memchr(pos, ';', (size_t)(line_end - pos));
			to = to ? to : line_end;
			/* An array's bounds stand behind its name; the type of a dynamic one (__data_loc char[]) before. */
			while (to > pos && to[-1] == ']') {
				while (to > pos && *--to != '[')
					;
			}
			from = to;
			while (from > pos && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
				from--;
			if (to > from && !((size_t)(to - from) > 7 && !memcmp(from, "common_", 7)))
				visit(context, from, (size_t)(to - from));
		}
		pos = line_end + 1;
	}
}

static void put_u32(struct buf *buf, uint32_t value)
{
	buf_put(buf, &value, sizeof(value));
}

/* {u64 or u32 size, the file}. An unreadable file is empty. */
static int put_file(struct buf *buf, const char *root, const char *name, unsigned number_size)
{
	char *path = xasprintf("%s/%s", root, name);
	struct buf text = BUF_INIT;
	uint64_t size;
	int ret = file_read_path(path, &text, 64u << 20);

	free(path);
	if (ret < 0)
		text.size = 0;
	size = text.size;
	if (number_size == 8)
		buf_put(buf, &size, sizeof(size));
	else
		put_u32(buf, (uint32_t)size);
	if (size)
		buf_put(buf, text.data, size);
	buf_release(&text);
	return ret;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int tracing_data_build(const char *root, const char *const *tracepoints, size_t nr, struct buf *buf,
		       struct err *err)
{
	const char **sorted = xcalloc(nr + 1, sizeof(*sorted));
	size_t nr_systems_place;
	uint32_t nr_systems = 0;
	int ret = 0;

	for (size_t i = 0; i < nr; i++)
		sorted[i] = tracepoints[i];
	qsort(sorted, nr, sizeof(*sorted), compare_paths);
	buf_put(buf, magic, sizeof(magic));
	buf_put(buf, "0.6", 4);
	buf_putc(buf, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	buf_putc(buf, sizeof(long));
	put_u32(buf, (uint32_t)sysconf(_SC_PAGESIZE));
	buf_put(buf, "header_page", 12);
	put_file(buf, root, "events/header_page", 8);
	buf_put(buf, "header_event", 13);
	put_file(buf, root, "events/header_event", 8);
	put_u32(buf, 0); /* formats of the tracer itself */
	nr_systems_place = buf->size;
	put_u32(buf, 0);
	for (size_t i = 0; i < nr && ret >= 0; nr_systems++) {
		size_t system_size = strcspn(sorted[i], "/");
		const char *system = sorted[i];
		size_t place;
		uint32_t nr_formats = 0;

		buf_put(buf, system, system_size);
		buf_putc(buf, '\0');
		place = buf->size;
		put_u32(buf, 0);
		for (; i < nr && !strncmp(sorted[i], system, system_size + 1); i++) {
			char *name;

			if (i && !strcmp(sorted[i], sorted[i - 1]))
				continue;
			name = xasprintf("events/%s/format", sorted[i]);
			ret = put_file(buf, root, name, 8);
			free(name);
			nr_formats++;
			if (ret < 0) {
				err_errno(err, ret, "cannot read the format of tracepoint %s", sorted[i]);
				break;
			}
		}
		memcpy(buf->data + place, &nr_formats, sizeof(nr_formats));
	}
	memcpy(buf->data + nr_systems_place, &nr_systems, sizeof(nr_systems));
	put_u32(buf, 0); /* kallsyms: perf leaves it empty, and nobody misses it */
	put_file(buf, root, "printk_formats", 4);
	put_file(buf, root, "saved_cmdlines", 8);
	free(sorted);
	return ret < 0 ? ret : 0;
}
