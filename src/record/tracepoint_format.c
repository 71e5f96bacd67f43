/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats of a recording's tracepoints.
 *
 * A recording of `syscalls:*` has 700 formats and asks for a dozen, so texts are kept and read when the first sample
 * wants them.
 */
#include "record/tracepoint_format.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/tracepoint_program.h"
#include "record/tracing_data.h"

struct row {
	struct tracepoint_format format;
	bool is_read;
};

struct tracepoint_format_table {
	pthread_mutex_t lock; /* of reading a format on first use */
	struct arena arena;
	ARRAY(struct row *) rows; /* by id, once sorted */
	bool is_sorted;
	bool swap;
	unsigned long_size;
	ARRAY(struct tracepoint_printk) printks;
};

struct tracepoint_format_table *tracepoint_format_table_new(bool swap, unsigned long_size)
{
	struct tracepoint_format_table *table = xcalloc(1, sizeof(*table));

	pthread_mutex_init(&table->lock, NULL);
	table->swap = swap;
	table->long_size = long_size == 4 ? 4 : 8;
	return table;
}

void tracepoint_format_table_free(struct tracepoint_format_table *table)
{
	if (!table)
		return;
	array_release(&table->rows);
	array_release(&table->printks);
	arena_release(&table->arena);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

size_t tracepoint_format_table_size(const struct tracepoint_format_table *table)
{
	return table->rows.nr;
}

/* ---- fields ----------------------------------------------------------------------------------- */

/* The number behind "KEY" in one field's line. */
static bool line_number(const char *line, const char *end, const char *key, uint32_t *ret_number)
{
	const char *pos = memmem(line, (size_t)(end - line), key, strlen(key));
	uint64_t number = 0;

	if (!pos)
		return false;
	for (pos += strlen(key); pos < end && isdigit((unsigned char)*pos) && number < UINT32_MAX; pos++)
		number = number * 10 + (uint64_t)(*pos - '0');
	*ret_number = number > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)number;
	return true;
}

static bool has_word(const char *type, const char *word)
{
	size_t size = strlen(word);

	for (const char *pos = strstr(type, word); pos; pos = strstr(pos + 1, word))
		if ((pos == type || (!isalnum((unsigned char)pos[-1]) && pos[-1] != '_')) &&
		    !isalnum((unsigned char)pos[size]) && pos[size] != '_')
			return true;
	return false;
}

static uint32_t size_of_type(const char *type, unsigned long_size)
{
	if (strstr(type, "long long") || has_word(type, "u64") || has_word(type, "s64") ||
	    has_word(type, "__u64"))
		return 8;
	if (has_word(type, "long"))
		return long_size;
	if (has_word(type, "char") || has_word(type, "u8") || has_word(type, "s8") || has_word(type, "__u8"))
		return 1;
	if (has_word(type, "short") || has_word(type, "u16") || has_word(type, "s16") ||
	    has_word(type, "__u16"))
		return 2;
	return has_word(type, "int") || has_word(type, "u32") || has_word(type, "s32") ? 4 : 0;
}

/* "TYPE NAME" or "TYPE NAME[N]": the declaration of a field. */
static bool read_declaration(struct tracepoint_format_table *table, struct tracepoint_field *field,
			     const char *text, const char *end)
{
	const char *name_end = end, *name;
	uint32_t length = 0;

	while (name_end > text && isspace((unsigned char)name_end[-1]))
		name_end--;
	if (name_end > text && name_end[-1] == ']') {
		const char *bracket = memchr(text, '[', (size_t)(name_end - text));
		/* The last one: "__data_loc char[] name" has its brackets in the type. */
		for (const char *pos = bracket; pos && pos < name_end; pos++)
			if (*pos == '[')
				bracket = pos;
		if (!bracket)
			return false;
		for (const char *pos = bracket + 1;
		     pos < name_end && isdigit((unsigned char)*pos) && length < 1u << 20; pos++)
			length = length * 10 + (uint32_t)(*pos - '0');
		field->is_array = true;
		name_end = bracket;
	}
	while (name_end > text && isspace((unsigned char)name_end[-1]))
		name_end--;
	name = name_end;
	while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
		name--;
	if (name == name_end)
		return false;
	field->name = arena_strndup(&table->arena, name, (size_t)(name_end - name));
	while (name > text && isspace((unsigned char)name[-1]))
		name--;
	field->type = arena_strndup(&table->arena, text, (size_t)(name - text));
	field->is_relative = strstr(field->type, "__rel_loc");
	field->is_dynamic = field->is_relative || strstr(field->type, "__data_loc");
	field->is_array |= field->is_dynamic;
	field->is_pointer = strchr(field->type, '*');
	field->is_string = field->is_array && (strstr(field->type, "char") || strstr(field->type, "u8") ||
					       strstr(field->type, "s8"));
	field->is_long = strstr(field->type, "long");
	if (field->is_dynamic)
		field->element_size = size_of_type(field->type, table->long_size);
	else if (field->is_array && length)
		field->element_size = field->size / length;
	else
		field->element_size = field->size;
	return true;
}

static void read_fields(struct tracepoint_format_table *table, struct tracepoint_format *format)
{
	ARRAY(struct tracepoint_field) fields = { 0 };
	const char *pos = strstr(format->text, "format:");
	const char *stop = strstr(format->text, "print fmt:");
	bool is_common = true;

	while (pos && (pos = strchr(pos, '\n'))) {
		const char *line = ++pos, *end = strchr(line, '\n'), *declaration, *semicolon;
		struct tracepoint_field field = { .is_common = is_common };
		uint32_t is_signed = 0;

		if (stop && line >= stop)
			break;
		if (!end)
			end = line + strlen(line);
		declaration = memmem(line, (size_t)(end - line), "field:", 6);
		if (!declaration) {
			/* An empty line ends the common fields. */
			if (fields.nr)
				is_common = false;
			continue;
		}
		declaration += 6;
		semicolon = memchr(declaration, ';', (size_t)(end - declaration));
		if (!semicolon || !line_number(semicolon, end, "offset:", &field.offset) ||
		    !line_number(semicolon, end, "size:", &field.size))
			continue;
		line_number(semicolon, end, "signed:", &is_signed);
		field.is_signed = is_signed;
		if (read_declaration(table, &field, declaration, semicolon))
			array_push(&fields, field);
	}
	format->nr_fields = (unsigned)fields.nr;
	format->fields = fields.nr ? arena_memdup(&table->arena, fields.items,
						  fields.nr * sizeof(*fields.items))
				   : NULL;
	array_release(&fields);
}

/* ---- the table -------------------------------------------------------------------------------- */

bool tracepoint_format_table_add(struct tracepoint_format_table *table, const char *system, struct span text)
{
	const char *name, *id_line, *name_end;
	struct row *row;
	char *copy;

	copy = arena_strndup(&table->arena, (const char *)text.data, text.size);
	id_line = strstr(copy, "ID:");
	if (strncmp(copy, "name:", 5) || !id_line || !strstr(copy, "field:"))
		return false;
	for (name = copy + 5; *name == ' '; name++)
		;
	name_end = name + strcspn(name, "\n");
	row = arena_zalloc(&table->arena, sizeof(*row));
	row->format.id = strtoull(id_line + 3, NULL, 10);
	row->format.system = arena_strdup(&table->arena, system);
	row->format.name = arena_strndup(&table->arena, name, (size_t)(name_end - name));
	row->format.text = copy;
	row->format.swap = table->swap;
	array_push(&table->rows, row);
	table->is_sorted = false;
	return true;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;

	return (*x)->format.id < (*y)->format.id ? -1 : (*x)->format.id > (*y)->format.id;
}

static void read_row(struct tracepoint_format_table *table, struct row *row)
{
	struct tracepoint_program *program;

	if (row->is_read)
		return;
	read_fields(table, &row->format);
	program = tracepoint_parse(&row->format, table->long_size, &table->arena);
	if (program) {
		program->printks = table->printks.items;
		program->nr_printks = table->printks.nr;
	}
	row->format.program = program;
	row->is_read = true;
}

const struct tracepoint_format *tracepoint_format_find(struct tracepoint_format_table *table, uint64_t id)
{
	struct row key = { .format.id = id }, *key_row = &key, **found;

	pthread_mutex_lock(&table->lock);
	if (!table->is_sorted && table->rows.nr)
		qsort(table->rows.items, table->rows.nr, sizeof(*table->rows.items), compare_rows);
	table->is_sorted = true;
	found = table->rows.nr ? bsearch(&key_row, table->rows.items, table->rows.nr,
					 sizeof(*table->rows.items), compare_rows)
			       : NULL;
	if (found)
		read_row(table, *found);
	pthread_mutex_unlock(&table->lock);
	return found ? &(*found)->format : NULL;
}

const struct tracepoint_format *tracepoint_format_find_name(struct tracepoint_format_table *table,
							    const char *system, const char *name)
{
	struct row *found = NULL;

	pthread_mutex_lock(&table->lock);
	for (size_t i = 0; i < table->rows.nr && !found; i++)
		if (!strcmp(table->rows.items[i]->format.name, name) &&
		    (!system || !strcmp(table->rows.items[i]->format.system, system)))
			found = table->rows.items[i];
	if (found)
		read_row(table, found);
	pthread_mutex_unlock(&table->lock);
	return found ? &found->format : NULL;
}

const struct tracepoint_field *tracepoint_format_field(const struct tracepoint_format *format,
						       const char *name)
{
	for (unsigned i = 0; i < format->nr_fields; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}

/* ---- of a recording --------------------------------------------------------------------------- */

static int compare_printks(const void *a, const void *b)
{
	const struct tracepoint_printk *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Lines of the form: 0xffffffff81234567 : "text". */
static void load_printks(struct tracepoint_format_table *table, struct span text)
{
	char *copy = arena_strndup(&table->arena, (const char *)text.data, text.size), *next;

	for (char *line = copy; line && *line; line = next) {
		char *value, *last;
		uint64_t addr;

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		addr = strtoull(line, &value, 16);
		value = strchr(value, '"');
		if (!value)
			continue;
		last = strrchr(++value, '"');
		if (last)
			*last = 0;
		if ((last = strstr(value, "\\n")) && !last[2])
			*last = 0;
		array_push(&table->printks, (struct tracepoint_printk){ addr, value });
	}
	if (table->printks.nr)
		qsort(table->printks.items, table->printks.nr, sizeof(*table->printks.items),
		      compare_printks);
}

int tracepoint_format_table_load(struct span tracing_data, struct tracepoint_format_table **ret_table,
				 struct err *err)
{
	struct tracing_data *data = tracing_data_parse(tracing_data);
	struct tracepoint_format_table *table;
	bool host_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	if (!data->formats.nr) {
		bool is_damaged = data->is_damaged;

		tracing_data_free(data);
		return err_set(err, -EBADMSG, "the recording's tracepoint formats (TRACING_DATA) %s",
			       is_damaged ? "cannot be read" : "are empty");
	}
	table = tracepoint_format_table_new(data->is_big_endian != host_is_big, data->long_size);
	for (size_t i = 0; i < data->formats.nr; i++)
		tracepoint_format_table_add(table, data->formats.items[i].system,
					    data->formats.items[i].text);
	if (data->printk_formats.size)
		load_printks(table, data->printk_formats);
	tracing_data_free(data);
	*ret_table = table;
	return 0;
}
