/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event_term.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "event/event_hardware.h"

#define ALIAS_DEPTH_MAX 4

enum {
	TERM_CONFIG,
	TERM_NAME,
	TERM_PERIOD,
	TERM_FREQ,
	TERM_TIME,
	TERM_CALLGRAPH,
	TERM_STACK_SIZE,
	TERM_MAX_STACK,
	TERM_NR,
	TERM_INHERIT,
	TERM_OVERWRITE,
	TERM_PERCORE,
	TERM_CPU,
	TERM_NOT_BUILT,
};

struct term_row {
	const char *name;
	int kind;
	int value; /* which config word; 1: the positive form */
	const char *words; /* of what is not built */
};

static const struct term_row term_rows[] = {
	{ "config", TERM_CONFIG, 0, NULL },
	{ "config1", TERM_CONFIG, 1, NULL },
	{ "config2", TERM_CONFIG, 2, NULL },
	{ "config3", TERM_CONFIG, 3, NULL },
	{ "config4", TERM_CONFIG, 4, NULL },
	{ "name", TERM_NAME, 0, NULL },
	{ "period", TERM_PERIOD, 0, NULL },
	{ "freq", TERM_FREQ, 0, NULL },
	{ "time", TERM_TIME, 0, NULL },
	{ "call-graph", TERM_CALLGRAPH, 0, NULL },
	{ "stack-size", TERM_STACK_SIZE, 0, NULL },
	{ "max-stack", TERM_MAX_STACK, 0, NULL },
	{ "nr", TERM_NR, 0, NULL },
	{ "inherit", TERM_INHERIT, 1, NULL },
	{ "no-inherit", TERM_INHERIT, 0, NULL },
	{ "overwrite", TERM_OVERWRITE, 1, NULL },
	{ "no-overwrite", TERM_OVERWRITE, 0, NULL },
	{ "percore", TERM_PERCORE, 0, NULL },
	{ "cpu", TERM_CPU, 0, NULL },
	{ "branch_type", TERM_NOT_BUILT, 0, "branch stacks are not built" },
	{ "aux-output", TERM_NOT_BUILT, 0, "AUX area tracing is not built" },
	{ "aux-action", TERM_NOT_BUILT, 0, "AUX area tracing is not built" },
	{ "aux-sample-size", TERM_NOT_BUILT, 0, "AUX area tracing is not built" },
	{ "metric-id", TERM_NOT_BUILT, 0, "metrics are not built" },
	{ "ratio-to-prev", TERM_NOT_BUILT, 0, "metrics are not built" },
};

static const char *const term_names[] = {
	"config",     "config1",   "config2",	   "config3",	 "config4",   "name", "period",
	"freq",	      "time",	   "call-graph",   "stack-size", "max-stack", "nr",   "inherit",
	"no-inherit", "overwrite", "no-overwrite", "percore",	 "cpu",	      NULL,
};

const char *const *event_parse_term_names(void)
{
	return term_names;
}

static int term_number(struct event_place *place, const struct event_term_text *term, uint64_t limit,
		       uint64_t *ret_value)
{
	if (!term->has_value)
		return event_place_complain(place, term->at, -EINVAL, "needs a number: TERM=N");
	if (number_parse_u64(term->value, ret_value) < 0)
		return event_place_complain(place, term->at, -EINVAL, "its value is not a number");
	if (*ret_value > limit)
		return event_place_complain(place, term->at, -EINVAL, "its value is too large");
	return 0;
}

static int apply_callgraph(struct event_place *place, struct event *event, const struct event_term_text *term)
{
	static const struct {
		const char *name;
		enum event_callgraph mode;
	} modes[] = {
		{ "fp", EVENT_CALLGRAPH_FP },	  { "dwarf", EVENT_CALLGRAPH_DWARF },
		{ "lbr", EVENT_CALLGRAPH_LBR },	  { "no", EVENT_CALLGRAPH_NONE },
		{ "none", EVENT_CALLGRAPH_NONE },
	};

	for (size_t i = 0; term->has_value && i < NR_ITEMS(modes); i++) {
		if (strcmp(modes[i].name, term->value))
			continue;
		event->callgraph = modes[i].mode;
		event->terms |= EVENT_TERM_CALLGRAPH;
		return 0;
	}
	return event_place_complain(place, term->at, -EINVAL, "call-graph is fp, dwarf, lbr or no");
}

/* inherit, no-inherit, overwrite ...: bare, or "=0" to turn the meaning round. */
static int term_flag(struct event_place *place, const struct event_term_text *term, bool positive,
		     bool *ret_value)
{
	uint64_t value = 1;
	int code = term->has_value ? term_number(place, term, 1, &value) : 0;

	*ret_value = positive == !!value;
	return code;
}

static int apply_cpu(struct event_place *place, struct event *event, const struct event_term_text *term)
{
	struct cpuset set = { { 0 } };

	if (!term->has_value || cpuset_parse(term->value, &set, NULL) < 0)
		return event_place_complain(place, term->at, -EINVAL,
					    "cpu needs a number or a range: cpu=0-3");
	if (!event->cpus)
		event->cpus = xmalloc(sizeof(*event->cpus));
	*event->cpus = set;
	event->has_cpus = true;
	return 0;
}

static int apply_common(struct event_place *place, struct event *event, const struct term_row *row,
			const struct event_term_text *term)
{
	uint64_t value = 0;
	bool flag = false;
	int code = 0;

	switch (row->kind) {
	case TERM_CONFIG:
		code = term_number(place, term, UINT64_MAX,
				   pmu_attr_word(&event->attr, (unsigned)row->value));
		break;
	case TERM_NAME:
		if (!term->has_value || !term->value[0])
			return event_place_complain(place, term->at, -EINVAL,
						    "name needs a value: name=TEXT");
		free(event->name);
		event->name = xstrdup(term->value);
		break;
	case TERM_PERIOD:
	case TERM_FREQ:
		code = term_number(place, term, INT64_MAX, &value);
		if (!code && !value)
			return event_place_complain(place, term->at, -EINVAL, "its value must not be 0");
		event->attr.sample_period = value;
		event->attr.flags &= ~ATTR_FREQ;
		event->attr.flags |= row->kind == TERM_FREQ ? ATTR_FREQ : 0;
		event->terms &= ~(uint32_t)(EVENT_TERM_FREQ | EVENT_TERM_PERIOD);
		event->terms |= row->kind == TERM_FREQ ? EVENT_TERM_FREQ : EVENT_TERM_PERIOD;
		break;
	case TERM_TIME:
		code = term_number(place, term, 1, &value);
		event->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
		event->attr.sample_type |= value ? PERF_SAMPLE_TIME : 0;
		event->terms |= EVENT_TERM_TIME;
		break;
	case TERM_CALLGRAPH:
		return apply_callgraph(place, event, term);
	case TERM_STACK_SIZE:
		code = term_number(place, term, UINT16_MAX - 7, &value);
		if (!code && (!value || value % 8))
			return event_place_complain(place, term->at, -EINVAL,
						    "stack-size is a multiple of 8 below 65536");
		event->stack_size = (uint32_t)value;
		event->terms |= EVENT_TERM_STACK_SIZE;
		break;
	case TERM_MAX_STACK:
		code = term_number(place, term, UINT16_MAX, &value);
		event->attr.sample_max_stack = (uint16_t)value;
		event->terms |= EVENT_TERM_MAX_STACK;
		break;
	case TERM_NR:
		code = term_number(place, term, UINT64_MAX, &event->max_nr);
		event->terms |= EVENT_TERM_NR;
		break;
	case TERM_INHERIT:
		code = term_flag(place, term, row->value, &flag);
		event->no_inherit = !flag;
		event->terms |= EVENT_TERM_INHERIT;
		break;
	case TERM_OVERWRITE:
		code = term_flag(place, term, row->value, &flag);
		event->attr.flags &= ~ATTR_WRITE_BACKWARD;
		event->attr.flags |= flag ? ATTR_WRITE_BACKWARD : 0;
		event->terms |= EVENT_TERM_OVERWRITE;
		break;
	case TERM_PERCORE:
		event->terms |= EVENT_TERM_PERCORE;
		break;
	case TERM_CPU:
		return apply_cpu(place, event, term);
	default:
		return event_place_complain(place, term->at, -EINVAL, row->words);
	}
	return code;
}

static const struct term_row *find_term(const char *name)
{
	for (size_t i = 0; i < NR_ITEMS(term_rows); i++)
		if (!strcmp(term_rows[i].name, name))
			return &term_rows[i];
	return NULL;
}

/* What stands before the next ',' or '/' or the end; quotes (single or double) protect, and are dropped. */
static int take_value(struct event_place *place, char ret_value[EVENT_WORD_MAX])
{
	const char *start = place->at;
	char quote = 0;
	size_t size = 0;

	for (; *place->at; place->at++) {
		char c = *place->at;

		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
			continue;
		}
		if (!quote && (c == ',' || c == '/'))
			break;
		if (size == EVENT_WORD_MAX - 1)
			return event_place_complain(place, start, -EINVAL, "is too long");
		ret_value[size++] = c;
	}
	ret_value[size] = 0;
	if (quote)
		return event_place_complain(place, start, -EINVAL, "a quote that is not closed");
	return 0;
}

/* The next term; place->at is behind it. */
static int take_term(struct event_place *place, struct event_term_text *ret_term)
{
	size_t size;

	event_place_skip_blanks(place);
	ret_term->at = place->at;
	size = strcspn(place->at, ",/=");
	if (!size)
		return event_place_complain(place, place->at, -EINVAL, "a term is missing");
	if (size >= EVENT_WORD_MAX)
		return event_place_complain(place, place->at, -EINVAL, "is too long");
	event_place_copy_word(ret_term->name, place->at, size);
	place->at += size;
	while (size && isspace((unsigned char)ret_term->name[size - 1]))
		ret_term->name[--size] = 0;
	ret_term->has_value = *place->at == '=';
	ret_term->value[0] = 0;
	if (!ret_term->has_value)
		return 0;
	place->at++;
	return take_value(place, ret_term->value);
}

static int apply_pmu_term(struct event_place *place, struct event *event, struct pmu *pmu,
			  const struct event_term_text *term, unsigned depth);

/* The terms of a ready-made event of the PMU, "event=0x3c,umask=0x01". */
int event_term_apply_alias(struct event_place *place, struct event *event, struct pmu *pmu,
			   const struct event_term_text *term, unsigned depth)
{
	char text[1024], *rest, *word;
	int size = pmu_read_alias(&place->parser->pmus, pmu, term->name, text, sizeof(text));

	if (size < 0)
		return size;
	for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		struct event_term_text part = { .at = term->at };
		char *equals = strchr(word, '=');
		int code;

		event_place_copy_word(part.name, word, equals ? (size_t)(equals - word) : strlen(word));
		part.has_value = equals;
		if (equals)
			event_place_copy_word(part.value, equals + 1, strlen(equals + 1));
		if (part.has_value && !strcmp(part.value, "?"))
			continue; /* a parameter, for the user to give */
		code = apply_pmu_term(place, event, pmu, &part, depth + 1);
		if (code < 0)
			return code;
	}
	return 0;
}

/* Generic names within a core PMU's slashes, software names within "software". */
static bool apply_fixed_name(struct event *event, const struct pmu *pmu, const char *name)
{
	const struct event_name *row = event_hardware_find(name, strlen(name));
	uint64_t config, extended = strcmp(pmu->name, "cpu") ? (uint64_t)pmu->type << 32 : 0;

	if (row && row->type == PERF_TYPE_SOFTWARE && pmu->type == PERF_TYPE_SOFTWARE) {
		event->attr.config = row->config;
		return true;
	}
	if (!pmu->is_core)
		return false;
	if (row && row->type == PERF_TYPE_HARDWARE) {
		event->attr.type = PERF_TYPE_HARDWARE;
		event->attr.config = row->config | extended;
		return true;
	}
	if (event_hardware_parse_cache(name, strlen(name), &config)) {
		event->attr.type = PERF_TYPE_HW_CACHE;
		event->attr.config = config | extended;
		return true;
	}
	return false;
}

static int apply_pmu_term(struct event_place *place, struct event *event, struct pmu *pmu,
			  const struct event_term_text *term, unsigned depth)
{
	const struct term_row *row = find_term(term->name);
	const struct pmu_format *format;
	uint64_t value = 1;
	int code;

	if (row)
		return apply_common(place, event, row, term);
	format = pmu_find_format(&place->parser->pmus, pmu, term->name);
	if (format) {
		code = term->has_value ? term_number(place, term, UINT64_MAX, &value) : 0;
		if (code < 0)
			return code;
		if (pmu_format_apply(format, &event->attr, value) < 0)
			return event_place_complain(place, term->at, -EINVAL,
						    "its value needs more bits than the field has");
		return 0;
	}
	if (!term->has_value && event_place_is_raw(term->name, strlen(term->name), &value)) {
		event->attr.config = value;
		return 0;
	}
	if (!term->has_value && depth < ALIAS_DEPTH_MAX) {
		code = event_term_apply_alias(place, event, pmu, term, depth);
		if (code != -ENOENT)
			return code;
		if (apply_fixed_name(event, pmu, term->name))
			return 0;
	}
	return event_place_complain_unknown(place, term->at, EVENT_UNKNOWN_TERM, term->name, pmu->name,
					    term->has_value ? "unknown term" : "unknown event or term");
}

/* Terms up to and with the closing slash, for the events from `first` on. pmu NULL: an event of the fixed tables. */
int event_term_parse(struct event_place *place, size_t first, struct pmu *pmu)
{
	const char *open = place->at;
	struct event_term_text term;
	int code;

	if (event_place_take(place, '/'))
		return 0;
	do {
		code = take_term(place, &term);
		if (code < 0)
			return code;
		for (size_t i = first; i < place->list->events.nr; i++) {
			struct event *event = &place->list->events.items[i];
			const struct term_row *row = find_term(term.name);

			if (pmu)
				code = apply_pmu_term(place, event, pmu, &term, 0);
			else if (row && row->kind == TERM_CONFIG)
				code = event_place_complain(place, term.at, -EINVAL,
							    "this event's config is fixed by its name");
			else if (row)
				code = apply_common(place, event, row, &term);
			else
				code = event_place_complain_unknown(place, term.at, EVENT_UNKNOWN_TERM,
								    term.name, NULL, "unknown term");
			if (code < 0)
				return code;
		}
	} while (event_place_take(place, ','));
	if (!event_place_take(place, '/'))
		return event_place_complain(place, open > place->text ? open - 1 : open, -EINVAL,
					    "the closing slash of these terms is missing");
	return 0;
}
