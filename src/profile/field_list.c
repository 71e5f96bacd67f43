/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of fields, and the words that name them. */
#include "profile/field.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "profile/field_trace.h"
#include "profile/field_value.h"

bool field_use_equal(const struct field_use *a, const struct field_use *b)
{
	if (a->trace || b->trace)
		return a->trace && b->trace && a->trace->event == b->trace->event &&
		       a->trace->field == b->trace->field && a->trace->is_raw == b->trace->is_raw;
	return a->field == b->field || (a->field->of_frame == field_value_symbol_of_frame &&
					b->field->of_frame == field_value_symbol_of_frame);
}

const char *field_use_title(const struct field_use *use)
{
	return use->trace ? use->trace->name : use->field->title;
}

bool field_list_has(const struct field_list *list, const struct field_use *use)
{
	for (size_t i = 0; i < list->uses.nr; i++)
		if (field_use_equal(&list->uses.items[i], use))
			return true;
	return false;
}

bool field_list_has_name(const struct field_list *list, const char *name)
{
	struct field_use use = { field_find(name), NULL };

	return field_list_has(list, &use);
}

static void list_push(struct field_list *list, struct field_use use)
{
	array_push(&list->uses, use);
}

void field_list_add(struct field_list *list, const char *name)
{
	struct field_use use = { field_find(name), NULL };

	if (!field_list_has(list, &use))
		list_push(list, use);
}

void field_list_release(struct field_list *list)
{
	for (size_t i = 0; i < list->uses.nr; i++)
		field_trace_free(list->uses.items[i].trace);
	array_release(&list->uses);
}

static void add_trace_field(struct field_list *list, uint32_t event, const struct tracepoint_format *format,
			    const struct tracepoint_field *field, bool is_raw)
{
	struct field_use use = { &field_of_trace, field_trace_new(event, format, field, is_raw) };

	if (field_list_has(list, &use))
		field_trace_free(use.trace);
	else
		list_push(list, use);
}

static unsigned add_trace_fields_of(struct field_list *list, uint32_t event,
				    const struct tracepoint_format *format, const char *name, bool is_raw)
{
	bool all = !strcmp(name, "*");
	unsigned nr = 0;

	for (unsigned i = 0; i < format->nr_fields; i++) {
		const struct tracepoint_field *field = &format->fields[i];

		if (all ? field->is_common : strcmp(field->name, name) != 0)
			continue;
		add_trace_field(list, event, format, field, is_raw);
		nr++;
	}
	return nr;
}

/* "next_pid", "switch.next_pid", "%2.next_pid", "sched:sched_switch.*", each with "/raw" behind it or not. */
static bool add_trace_fields(struct field_list *list, const char *word, const struct event_table *events,
			     struct tracepoint_format_table *formats)
{
	char *copy = xstrdup(word), *name = strchr(copy, '.'), *event_name = NULL, *slash;
	bool all = !strcmp(word, "trace_fields"), is_raw = false;
	unsigned long index = 0;
	unsigned nr = 0;

	if (name) {
		event_name = copy;
		*name++ = '\0';
		if (*event_name == '%')
			index = strtoul(event_name + 1, NULL, 10);
	} else {
		name = copy;
	}
	slash = strchr(name, '/');
	if (slash && !strcmp(slash, "/raw")) {
		*slash = '\0';
		is_raw = true;
	}
	for (uint32_t i = 0; i < events->events.nr; i++) {
		const struct recorded_event *event = &events->events.items[i];
		const struct tracepoint_format *format;

		if (event->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		if (event_name && (index ? index != i + 1 : !strstr(event->name, event_name)))
			continue;
		format = tracepoint_format_find(formats, event->attr.config);
		if (format)
			nr += add_trace_fields_of(list, i, format, all ? "*" : name, is_raw);
	}
	free(copy);
	return nr || all;
}

static int parse_word(struct field_list *list, const char *word, const char *what,
		      const struct event_table *events, struct tracepoint_format_table *formats,
		      struct err *err)
{
	const struct field *field = field_find(word);

	if (field && field->kind == FIELD_REFUSED)
		return err_set(err, -EOPNOTSUPP, "%s key `%s' %s", what, word, field->title);
	if (field) {
		struct field_use use = { field, NULL };

		if (!field_list_has(list, &use))
			list_push(list, use);
		return 0;
	}
	if (formats && events && add_trace_fields(list, word, events, formats))
		return 0;
	if (!strcmp(word, "trace_fields"))
		return 0;
	return err_set(err, -EINVAL, "Unknown %s key: `%s'", what, word);
}

int field_list_parse(struct field_list *list, const char *text, const char *what,
		     const struct event_table *events, struct tracepoint_format_table *formats,
		     struct err *err)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	int result = 0;

	while (!result && (word = strsep(&rest, ", ")))
		if (*word)
			result = parse_word(list, word, what, events, formats, err);
	free(copy);
	return result;
}
