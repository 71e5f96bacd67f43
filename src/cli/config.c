/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading and changing configuration files.
 *
 * The reader goes over the text once, byte by byte, since values may be quoted and may go on over the end of a
 * line. A bad line is reported and skipped: one slip must not switch off the rest of the file. The writer changes the
 * one line concerned (or adds one) and leaves the user's comments and order alone.
 */
#include "cli/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"

#define FILE_MAX (1 << 20)
#define SYSTEM_PATH "/etc/perfconfig"

struct reader {
	struct config *config;
	const char *path;
	const char *pos, *end;
	unsigned line;
	struct buf section; /* "section." or "section.Sub." */
	/* Where things are, for the writer: offsets from the start. */
	const char *start;
	const char *statement; /* the line on which the current entry starts */
};

typedef void entry_fn(struct reader *reader, const char *key, const char *value, void *context);

static void problem(struct reader *reader, const char *what)
{
	array_push(&reader->config->problems, (const char *)arena_printf(&reader->config->arena, "%s:%u: %s",
									 reader->path, reader->line, what));
}

static int peek(const struct reader *reader)
{
	return reader->pos < reader->end ? (unsigned char)*reader->pos : '\n';
}

static int next(struct reader *reader)
{
	int c = peek(reader);

	if (reader->pos < reader->end)
		reader->pos++;
	return c;
}

static void skip_blanks(struct reader *reader)
{
	while (peek(reader) != '\n' && isspace(peek(reader)))
		reader->pos++;
}

/* To the newline that ends the line, which is left unread. */
static void skip_line(struct reader *reader)
{
	while (peek(reader) != '\n')
		reader->pos++;
}

static bool is_name(int c)
{
	return isalnum(c) || c == '-' || c == '_' || c == '.';
}

static bool read_section(struct reader *reader)
{
	struct buf *section = &reader->section;

	section->size = 0;
	reader->pos++;
	skip_blanks(reader);
	while (is_name(peek(reader)))
		buf_putc(section, (char)tolower(next(reader)));
	skip_blanks(reader);
	if (peek(reader) == '"') {
		buf_putc(section, '.');
		reader->pos++;
		while (peek(reader) != '"' && peek(reader) != '\n') {
			if (peek(reader) == '\\')
				reader->pos++;
			if (peek(reader) != '\n')
				buf_putc(section, (char)next(reader));
		}
		if (next(reader) != '"')
			return false;
		skip_blanks(reader);
	}
	if (!section->size || peek(reader) != ']')
		return false;
	reader->pos++;
	buf_putc(section, '.');
	return true;
}

static int unescape(int c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case '"':
	case '\\':
		return c;
	default:
		return -1;
	}
}

/* The text behind '=': blanks at its ends go, unless quoted; a backslash at the end of a line joins the next. */
static bool read_value(struct reader *reader, struct buf *value)
{
	bool quoted = false;
	size_t solid = 0; /* size up to the last byte that is no trailing blank */

	value->size = 0;
	skip_blanks(reader);
	for (;;) {
		int c = peek(reader);

		if (c == '\n')
			break;
		if (!quoted && (c == '#' || c == ';')) {
			skip_line(reader);
			break;
		}
		reader->pos++;
		if (c == '"') {
			quoted = !quoted;
			solid = value->size;
			continue;
		}
		if (c == '\\') {
			if (reader->pos < reader->end && *reader->pos == '\n') {
				reader->pos++;
				reader->line++;
				continue;
			}
			c = unescape(next(reader));
			if (c < 0)
				return false;
			buf_putc(value, (char)c);
			solid = value->size;
			continue;
		}
		buf_putc(value, (char)c);
		if (quoted || !isspace(c))
			solid = value->size;
	}
	value->size = solid;
	return !quoted;
}

static bool read_entry(struct reader *reader, struct buf *key, struct buf *value, bool *ret_has_value)
{
	key->size = 0;
	buf_put(key, reader->section.data, reader->section.size);
	if (!isalpha(peek(reader)))
		return false;
	while (is_name(peek(reader)) && peek(reader) != '.')
		buf_putc(key, (char)tolower(next(reader)));
	skip_blanks(reader);
	*ret_has_value = peek(reader) == '=';
	if (*ret_has_value) {
		reader->pos++;
		return read_value(reader, value);
	}
	if (peek(reader) == '#' || peek(reader) == ';')
		skip_line(reader);
	return peek(reader) == '\n';
}

static void read_text(struct reader *reader, entry_fn *visit, void *context)
{
	struct buf key = BUF_INIT, value = BUF_INIT;

	reader->line = 1;
	while (reader->pos < reader->end) {
		int c = peek(reader);
		bool has_value = false;

		if (c == '\n') {
			reader->line++;
			reader->pos++;
		} else if (isspace(c)) {
			reader->pos++;
		} else if (c == '#' || c == ';') {
			skip_line(reader);
		} else if (c == '[') {
			if (!read_section(reader)) {
				problem(reader, "not a [section]");
				reader->section.size = 0;
				skip_line(reader);
			}
		} else {
			reader->statement = reader->pos;
			if (!reader->section.size) {
				problem(reader, "a setting must stand under a [section]");
				skip_line(reader);
			} else if (read_entry(reader, &key, &value, &has_value)) {
				visit(reader, buf_text(&key), has_value ? buf_text(&value) : NULL, context);
			} else {
				problem(reader, "not a \"key = value\"");
				skip_line(reader);
			}
		}
	}
	buf_release(&key);
	buf_release(&value);
}

static void add_entry(struct reader *reader, const char *key, const char *value, void *context)
{
	struct config *config = reader->config;

	(void)context;
	array_push(&config->entries, (struct config_entry){
					     .key = arena_strdup(&config->arena, key),
					     .value = value ? arena_strdup(&config->arena, value) : NULL,
					     .path = reader->path,
					     .line = reader->line,
				     });
}

static int read_file(struct config *config, const char *path, struct buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (S_ISDIR(st.st_mode))
		ret = -EISDIR;
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		ret = -EACCES;
	if (ret == -EACCES)
		array_push(&config->problems,
			   (const char *)arena_printf(&config->arena,
						      "%s: belongs to somebody else and is not read", path));
	if (!ret)
		ret = file_read_fd(fd, text, FILE_MAX);
	close(fd);
	return ret;
}

int config_load_file(struct config *config, const char *path)
{
	struct buf text = BUF_INIT;
	struct reader reader = { .config = config, .section = BUF_INIT };
	int ret;

	reader.path = arena_strdup(&config->arena, path);
	ret = read_file(config, path, &text);
	if (!ret && text.size) {
		reader.pos = reader.start = text.data;
		reader.end = text.data + text.size;
		read_text(&reader, add_entry, NULL);
	}
	buf_release(&reader.section);
	buf_release(&text);
	return ret;
}

const char *config_path(struct config *config, enum config_scope scope)
{
	const char *home = getenv("HOME"), *xdg = getenv("XDG_CONFIG_HOME"), *only = getenv("PERF_CONFIG");

	if (only && only[0])
		return only;
	switch (scope) {
	case CONFIG_SYSTEM:
		return SYSTEM_PATH;
	case CONFIG_PERF:
		return home && home[0] ? arena_printf(&config->arena, "%s/.perfconfig", home) : NULL;
	default:
		if (xdg && xdg[0])
			return arena_printf(&config->arena, "%s/sonde/config", xdg);
		return home && home[0] ? arena_printf(&config->arena, "%s/.config/sonde/config", home) : NULL;
	}
}

void config_load(struct config *config, enum config_scope scope)
{
	static const enum config_scope order[] = { CONFIG_SYSTEM, CONFIG_PERF, CONFIG_USER };
	const char *only = getenv("PERF_CONFIG");

	if (only && only[0]) {
		config_load_file(config, only);
		return;
	}
	for (size_t i = 0; i < NR_ITEMS(order); i++) {
		const char *path;

		/* The user's settings are those in both of his files. */
		if (scope == CONFIG_SYSTEM ? order[i] != CONFIG_SYSTEM
					   : scope != CONFIG_ALL && order[i] == CONFIG_SYSTEM)
			continue;
		path = config_path(config, order[i]);
		if (path)
			config_load_file(config, path);
	}
}

void config_release(struct config *config)
{
	array_release(&config->entries);
	array_release(&config->problems);
	arena_release(&config->arena);
}

const struct config_entry *config_find(const struct config *config, const char *key)
{
	for (size_t i = config->entries.nr; i-- > 0;)
		if (!strcasecmp(config->entries.items[i].key, key))
			return &config->entries.items[i];
	return NULL;
}

size_t config_effective(const struct config *config, const struct config_entry **ret, size_t room)
{
	size_t nr = 0;

	for (size_t i = 0; i < config->entries.nr; i++) {
		const struct config_entry *entry = &config->entries.items[i];
		size_t at = 0;

		while (at < nr && strcasecmp(ret[at]->key, entry->key))
			at++;
		if (at == nr && nr == room)
			continue;
		ret[at] = entry;
		if (at == nr)
			nr++;
	}
	return nr;
}

/* Where the writer's line goes: over an entry of that key, else behind the last entry of that section. */
struct place {
	const char *key;
	size_t section_size; /* of "section." in key */
	const char *from, *to; /* the line to be replaced; NULL: none */
	const char *behind; /* end of the last line of the section; NULL: none */
};

static const char *line_end(const struct reader *reader)
{
	const char *newline = memchr(reader->pos, '\n', (size_t)(reader->end - reader->pos));

	return newline ? newline + 1 : reader->end;
}

static void find_place(struct reader *reader, const char *key, const char *value, void *context)
{
	struct place *place = context;

	(void)value;
	if (strncasecmp(key, place->key, place->section_size) || strchr(key + place->section_size, '.'))
		return;
	place->behind = line_end(reader);
	if (strcasecmp(key, place->key))
		return;
	place->from = reader->statement;
	place->to = place->behind;
}

static void put_section(struct buf *buf, const char *section, size_t size)
{
	const char *dot = memchr(section, '.', size);

	if (dot)
		buf_printf(buf, "[%.*s \"%.*s\"]\n", (int)(dot - section), section,
			   (int)(section + size - dot - 1), dot + 1);
	else
		buf_printf(buf, "[%.*s]\n", (int)size, section);
}

static void put_entry(struct buf *buf, const char *name, const char *value)
{
	size_t size = strlen(value);
	bool quote = !size || isspace((unsigned char)value[0]) || isspace((unsigned char)value[size - 1]) ||
		     strpbrk(value, "#;");

	buf_printf(buf, "%s = %s", name, quote ? "\"" : "");
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			buf_putc(buf, '\\');
		if (*value == '\n')
			buf_str(buf, "\\n");
		else
			buf_putc(buf, *value);
	}
	buf_str(buf, quote ? "\"\n" : "\n");
}

static void put_changed(struct buf *buf, const struct buf *text, const struct place *place, const char *value)
{
	const char *name = place->key + place->section_size;
	const char *start = text->data, *end = text->data + text->size;

	if (place->from) {
		buf_put(buf, start, (size_t)(place->from - start));
		put_entry(buf, name, value);
		buf_put(buf, place->to, (size_t)(end - place->to));
		return;
	}
	if (place->behind)
		end = place->behind;
	if (text->size)
		buf_put(buf, start, (size_t)(end - start));
	if (buf->size && buf->data[buf->size - 1] != '\n')
		buf_putc(buf, '\n');
	if (!place->behind)
		put_section(buf, place->key, place->section_size - 1);
	buf_putc(buf, '\t');
	put_entry(buf, name, value);
	if (place->behind)
		buf_put(buf, end, (size_t)(text->data + text->size - end));
}

/* The new text beside the old file, then in its place: nobody ever sees half a file. */
static int replace_file(const char *path, const struct buf *text, struct err *err)
{
	struct buf name = BUF_INIT;
	struct stat st;
	mode_t mode = stat(path, &st) ? 0644 : st.st_mode & 07777;
	int fd, ret;

	buf_printf(&name, "%s.XXXXXX", path);
	fd = mkostemp(buf_text(&name), O_CLOEXEC);
	if (fd < 0) {
		ret = err_errno(err, -errno, "cannot write %s", path);
		buf_release(&name);
		return ret;
	}
	ret = file_write_all(fd, text->data, text->size);
	if (!ret && (fchmod(fd, mode) || rename(name.data, path)))
		ret = -errno;
	close(fd);
	if (ret) {
		unlink(name.data);
		err_errno(err, ret, "cannot write %s", path);
	}
	buf_release(&name);
	return ret;
}

int config_write(const char *path, const char *key, const char *value, struct err *err)
{
	const char *dot = strrchr(key, '.');
	struct config scratch = { 0 };
	struct reader reader = { .config = &scratch, .path = path, .section = BUF_INIT };
	struct buf text = BUF_INIT, changed = BUF_INIT;
	struct place place = { .key = key };
	char *real, *folder;
	int ret;

	if (!dot || dot == key || !dot[1])
		return err_set(err, -EINVAL, "'%s' is no section.key", key);
	place.section_size = (size_t)(dot + 1 - key);
	real = realpath(path, NULL); /* through links: people keep their settings elsewhere */
	ret = read_file(&scratch, path, &text);
	if (ret && ret != -ENOENT) {
		err_errno(err, ret, "%s", path);
		goto out;
	}
	if (text.size) {
		reader.pos = reader.start = text.data;
		reader.end = text.data + text.size;
		read_text(&reader, find_place, &place);
	}
	put_changed(&changed, &text, &place, value);
	folder = xstrndup(path, strrchr(path, '/') ? (size_t)(strrchr(path, '/') - path) : 0);
	if (folder[0])
		file_make_dirs(folder, 0755);
	free(folder);
	ret = replace_file(real ? real : path, &changed, err);
out:
	free(real);
	buf_release(&reader.section);
	buf_release(&text);
	buf_release(&changed);
	config_release(&scratch);
	return ret;
}
