/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursive descent over the text itself: every function starts where the previous one stopped, and whatever goes
 * wrong is said with the place in the text where it did.
 *
 * The grammar is not context-free in spirit: "cycles:u" and "sched:sched_switch" look the same. The rule here: a name
 * of the fixed tables takes what follows the colon as modifiers; a number as a raw config; a PMU's name as an event of
 * that PMU; anything else is a tracepoint's system.
 */
#include "event/event_parse.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/number.h"
#include "event/event_hardware.h"
#include "event/event_modifiers.h"
#include "event/event_place.h"
#include "event/event_term.h"

#define EVENTS_MAX 100000

void event_parser_init(struct event_parser *parser, const char *pmu_root, const char *tracefs_root)
{
	memset(parser, 0, sizeof(*parser));
	pmu_table_init(&parser->pmus, pmu_root);
	if (tracefs_root)
		snprintf(parser->tracefs, sizeof(parser->tracefs), "%s", tracefs_root);
}

void event_parser_release(struct event_parser *parser)
{
	pmu_table_release(&parser->pmus);
}

static struct event *add_event(struct event_place *place, uint32_t type, uint64_t config)
{
	struct event *event = array_add(&place->list->events);

	event->attr.type = type;
	event->attr.config = config;
	event->leader = EVENT_NO_LEADER;
	return event;
}

/* The name as written, without blanks around it. */
static void set_name(struct event *event, const char *from, const char *to)
{
	if (event->name)
		return; /* name= said it */
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	event->name = xstrndup(from, (size_t)(to - from));
}

/* Modifiers after an event, for all events from `first` on. */
static int parse_event_modifiers(struct event_place *place, size_t first, bool in_group)
{
	struct event_modifiers mods = { 0 };
	int code = event_modifiers_parse(place, &mods, false);

	for (size_t i = first; code >= 0 && i < place->list->events.nr; i++)
		event_modifiers_apply(&place->list->events.items[i], &mods, !in_group || i == first);
	return code;
}

/* ---- kinds of events ---- */

/* The ends of names: modifiers directly behind a closing slash, or behind a colon. */
static int finish_event(struct event_place *place, size_t first, const char *start, bool in_group,
			bool after_slash)
{
	int code = 0;

	if (*place->at == ':' || (after_slash && !event_modifiers_at_end(*place->at))) {
		place->at += *place->at == ':';
		code = parse_event_modifiers(place, first, in_group);
		if (code < 0)
			return code;
	}
	for (size_t i = first; i < place->list->events.nr; i++)
		set_name(&place->list->events.items[i], start, place->at);
	return 0;
}

static int parse_fixed(struct event_place *place, const char *start, size_t size, uint32_t type,
		       uint64_t config, bool in_group)
{
	size_t first = place->list->events.nr;
	bool slash = false;
	int code;

	add_event(place, type, config);
	place->at = start + size;
	if (*place->at == '/') {
		slash = true;
		place->at++;
		code = event_term_parse(place, first, NULL);
		if (code < 0)
			return code;
	}
	return finish_event(place, first, start, in_group, slash);
}

static void restrict_cpus(struct event *event, const struct pmu *pmu)
{
	if (!pmu->has_cpus || event->has_cpus)
		return;
	event->cpus = xmemdup(&pmu->cpus, sizeof(pmu->cpus));
	event->has_cpus = true;
}

static int complain_no_pmu(struct event_place *place, const char *start, const char *word)
{
	if (!strcmp(word, "cpu"))
		return event_place_complain(
			place, start, -ENOENT,
			"no hardware counters here (a virtual machine?): such encodings mean nothing on it");
	return event_place_complain_unknown(place, start, EVENT_UNKNOWN_PMU, word, NULL,
					    "there is no such event or PMU on this machine");
}

/* "PMU/terms/": place->at is at the first slash. */
static int parse_pmu_event(struct event_place *place, const char *start, size_t size, bool in_group)
{
	struct pmu_table *table = &place->parser->pmus;
	struct pmu no_core = {
		.name = (char[]){ "cpu" }, .type = PERF_TYPE_RAW, .is_core = true, .formats_loaded = true
	};
	const char *terms = start + size + 1;
	size_t first = place->list->events.nr;
	char word[EVENT_WORD_MAX];
	bool found = false;
	int code = 0;

	event_place_copy_word(word, start, size);
	pmu_table_load(table);
	for (size_t i = 0; i <= table->pmus.nr && code >= 0; i++) {
		struct pmu *pmu = i < table->pmus.nr ? &table->pmus.items[i] : &no_core;
		size_t mine = place->list->events.nr;

		/* Without a core PMU its generic names can still be asked for: whoever opens them knows a way out. */
		if (pmu == &no_core ? found || strcmp(word, "cpu") : !pmu_matches(pmu, word))
			continue;
		found = true;
		add_event(place, pmu->type, 0);
		place->at = terms;
		code = event_term_parse(place, mine, pmu);
		if (code == -ENOENT && pmu == &no_core)
			return complain_no_pmu(place, start, word);
		if (code < 0)
			return code;
		for (size_t j = mine; j < place->list->events.nr; j++) {
			restrict_cpus(&place->list->events.items[j], pmu);
			place->list->events.items[j].pmu = xstrdup(pmu->name);
		}
	}
	if (!found)
		return complain_no_pmu(place, start, word);
	return finish_event(place, first, start, in_group, true);
}

/* An event that the sysfs directory of some PMU names, without the PMU's name or as PMU:EVENT. 1: done, 0: none. */
static int parse_alias_event(struct event_place *place, const char *start, const char *pmu_name,
			     const char *name, size_t size, bool in_group)
{
	struct pmu_table *table = &place->parser->pmus;
	struct event_term_text term = { .at = name };
	size_t first = place->list->events.nr;
	bool slash = false;
	int code;

	if (size >= EVENT_WORD_MAX)
		return 0;
	event_place_copy_word(term.name, name, size);
	pmu_table_load(table);
	for (size_t i = 0; i < table->pmus.nr; i++) {
		struct pmu *pmu = &table->pmus.items[i];
		size_t mine = place->list->events.nr;
		char text[1024];

		if ((pmu_name && !pmu_matches(pmu, pmu_name)) ||
		    pmu_read_alias(table, pmu, term.name, text, sizeof(text)) < 0)
			continue;
		add_event(place, pmu->type, 0);
		code = event_term_apply_alias(place, &place->list->events.items[mine], pmu, &term, 0);
		if (code < 0)
			return code;
		place->at = name + size;
		if (*place->at == '/') {
			slash = true;
			place->at++;
			code = event_term_parse(place, mine, pmu);
			if (code < 0)
				return code;
		}
		restrict_cpus(&place->list->events.items[mine], pmu);
		place->list->events.items[mine].pmu = xstrdup(pmu->name);
	}
	if (place->list->events.nr == first)
		return 0;
	code = finish_event(place, first, start, in_group, slash);
	return code < 0 ? code : 1;
}

struct tracepoint_walk {
	struct event_place *place;
	int code;
};

static int add_tracepoint(void *context, const char *system, const char *name)
{
	struct tracepoint_walk *walk = context;
	struct event_place *place = walk->place;
	struct event *event;
	uint64_t id;
	int code = tracepoint_read_id(place->parser->tracefs, system, name, &id, place->err);

	if (code < 0)
		return code == -ENOENT ? 0 : code;
	if (place->list->events.nr >= EVENTS_MAX)
		return err_set(place->err, -E2BIG, "more than %d events", EVENTS_MAX);
	event = add_event(place, PERF_TYPE_TRACEPOINT, id);
	event->is_tracepoint = true;
	event->name = xasprintf("%s:%s", system, name);
	return 0;
}

static bool has_system(struct event_parser *parser, const char *system)
{
	char path[TRACEPOINT_ROOT_SIZE + EVENT_WORD_MAX + 16];
	uint64_t dummy;

	snprintf(path, sizeof(path), "%s/events/%s/enable", parser->tracefs, system);
	return file_read_u64(path, &dummy) != -ENOENT;
}

static int parse_tracepoint(struct event_place *place, const char *start, size_t size, bool in_group)
{
	const char *name_at = start + size + 1;
	size_t first = place->list->events.nr, name_size = event_place_name_length(name_at);
	struct tracepoint_walk walk = { .place = place };
	char system[EVENT_WORD_MAX], name[EVENT_WORD_MAX];
	bool slash = false;
	int code;

	if (!name_size)
		return event_place_complain(place, name_at, -EINVAL,
					    "a tracepoint's name or modifiers are missing after the colon");
	if (size >= EVENT_WORD_MAX || name_size >= EVENT_WORD_MAX)
		return event_place_complain(place, start, -EINVAL, "is too long");
	if (!place->parser->tracefs[0]) {
		code = tracepoint_find_root(place->parser->tracefs, place->err);
		if (code < 0)
			return code;
	}
	event_place_copy_word(system, start, size);
	event_place_copy_word(name, name_at, name_size);
	if (strpbrk(system, "*?[") || strpbrk(name, "*?["))
		code = tracepoint_each(place->parser->tracefs, system, name, add_tracepoint, &walk,
				       place->err);
	else
		code = add_tracepoint(&walk, system, name);
	if (code < 0)
		return code;
	if (place->list->events.nr == first) {
		if (strpbrk(system, "*?[") || !has_system(place->parser, system))
			return event_place_complain_unknown(place, start, EVENT_UNKNOWN_SYSTEM, system, NULL,
							    "unknown event, and no tracepoint either");
		return event_place_complain_unknown(place, name_at, EVENT_UNKNOWN_TRACEPOINT, name, system,
						    "unknown tracepoint");
	}
	place->at = name_at + name_size;
	if (*place->at == '/') {
		slash = true;
		place->at++;
		code = event_term_parse(place, first, NULL);
		if (code < 0)
			return code;
	}
	return finish_event(place, first, start, in_group, slash);
}

/* "mem:0x1000/8:rw:u": where data or code is touched. */
static int parse_breakpoint(struct event_place *place, const char *start, bool in_group)
{
	size_t first = place->list->events.nr;
	uint32_t kind = 0;
	uint64_t addr, length = 0;
	struct event *event;
	const char *word;
	char number[EVENT_WORD_MAX];
	size_t size;

	place->at = start + 4;
	size = event_place_name_length(place->at);
	event_place_copy_word(number, place->at, size);
	if (!event_place_is_number(number, strlen(number)) || number_parse_u64(number, &addr) < 0)
		return event_place_complain(place, place->at, -EINVAL,
					    "an address is expected here: mem:0x1234");
	place->at += size;
	if (*place->at == '/') {
		place->at++;
		size = event_place_name_length(place->at);
		event_place_copy_word(number, place->at, size);
		if (number_parse_u64(number, &length) < 0 || !length || length > 4096)
			return event_place_complain(place, place->at, -EINVAL,
						    "a length is expected here: 1, 2, 4 or 8");
		place->at += size;
	}
	word = place->at;
	if (*place->at == ':' && strchr("rwx", place->at[1]) && place->at[1]) {
		for (place->at++;
		     !event_modifiers_at_end(*place->at) && *place->at != ':' && *place->at != '/';
		     place->at++) {
			uint32_t bit = *place->at == 'r'   ? HW_BREAKPOINT_R
				       : *place->at == 'w' ? HW_BREAKPOINT_W
				       : *place->at == 'x' ? HW_BREAKPOINT_X
							   : 0;

			if (!bit || kind & bit)
				return event_place_complain(place, place->at, -EINVAL,
							    "of r, w and x each once");
			kind |= bit;
		}
		if (kind & HW_BREAKPOINT_X && kind != HW_BREAKPOINT_X)
			return event_place_complain(place, word + 1, -EINVAL,
						    "x cannot be combined with r and w");
	}
	if (!kind)
		kind = HW_BREAKPOINT_R | HW_BREAKPOINT_W;
	if (!length)
		length = kind == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	event = add_event(place, PERF_TYPE_BREAKPOINT, 0);
	event->attr.bp_type = kind;
	event->attr.config1 = addr;
	event->attr.config2 = length;
	return finish_event(place, first, start, in_group, false);
}

static int parse_plain(struct event_place *place, const char *start, size_t size, bool in_group)
{
	const struct event_name *row = event_hardware_find(start, size);
	uint64_t config;
	int code;

	if (row)
		return parse_fixed(place, start, size, row->type, row->config, in_group);
	if (event_hardware_parse_cache(start, size, &config))
		return parse_fixed(place, start, size, PERF_TYPE_HW_CACHE, config, in_group);
	code = parse_alias_event(place, start, NULL, start, size, in_group);
	if (code)
		return code < 0 ? code : 0;
	if (event_place_is_raw(start, size, &config))
		return parse_fixed(place, start, size, PERF_TYPE_RAW, config, in_group);
	return 1;
}

/* "1:0x9": type and config as numbers. */
static int parse_numbers(struct event_place *place, const char *start, size_t size, bool in_group)
{
	const char *config_at = start + size + 1;
	size_t config_size = event_place_name_length(config_at);
	char word[EVENT_WORD_MAX];
	uint64_t type, config;

	event_place_copy_word(word, start, size);
	if (number_parse_u64(word, &type) < 0 || type > UINT32_MAX)
		return event_place_complain(place, start, -EINVAL, "the type's number is too large");
	event_place_copy_word(word, config_at, config_size);
	if (!event_place_is_number(config_at, config_size) || number_parse_u64(word, &config) < 0)
		return event_place_complain(place, config_at, -EINVAL,
					    "the config's number is expected here");
	return parse_fixed(place, start, (size_t)(config_at + config_size - start), (uint32_t)type, config,
			   in_group);
}

static int parse_event(struct event_place *place, bool in_group)
{
	char word[EVENT_WORD_MAX];
	const char *start;
	size_t size;
	int code;

	event_place_skip_blanks(place);
	start = place->at;
	size = event_place_name_length(start);
	if (!size)
		return event_place_complain(place, start, -EINVAL, "an event is expected here");
	if (size >= EVENT_WORD_MAX)
		return event_place_complain(place, start, -EINVAL, "is too long");
	if (size == 3 && start[3] == ':' && !strncasecmp(start, "mem", 3))
		return parse_breakpoint(place, start, in_group);
	if (start[size] == ':' && event_place_is_number(start, size))
		return parse_numbers(place, start, size, in_group);
	code = parse_plain(place, start, size, in_group);
	if (code <= 0)
		return code;
	if (start[size] == '/')
		return parse_pmu_event(place, start, size, in_group);
	if (start[size] == ':') {
		event_place_copy_word(word, start, size);
		code = parse_alias_event(place, start, word, start + size + 1,
					 event_place_name_length(start + size + 1), in_group);
		if (code)
			return code < 0 ? code : 0;
		return parse_tracepoint(place, start, size, in_group);
	}
	event_place_copy_word(word, start, size);
	return event_place_complain_unknown(place, start, EVENT_UNKNOWN_NAME, word, NULL, "unknown event");
}

/* ---- groups and lists ---- */

static int parse_group(struct event_place *place, const char *name, size_t name_size)
{
	const char *open = place->at;
	uint32_t leader = (uint32_t)place->list->events.nr;
	struct event_modifiers mods = { 0 };
	int code;

	place->at++;
	do {
		code = parse_event(place, place->list->events.nr > leader);
		if (code < 0)
			return code;
	} while (event_place_take(place, ','));
	if (!event_place_take(place, '}')) {
		if (*place->at)
			return event_place_complain(place, place->at, -EINVAL,
						    "a comma or } is expected here");
		return event_place_complain(place, open, -EINVAL, "this { is not closed");
	}
	if (*place->at == ':') {
		place->at++;
		code = event_modifiers_parse(place, &mods, true);
		if (code < 0)
			return code;
	}
	for (size_t i = leader; i < place->list->events.nr; i++) {
		struct event *event = &place->list->events.items[i];

		event_modifiers_apply(event, &mods, i == leader);
		event->leader = leader;
		if (name_size)
			event->group_name = xstrndup(name, name_size);
	}
	return 0;
}

static int parse_list(struct event_place *place)
{
	int code;

	do {
		size_t name_size;

		event_place_skip_blanks(place);
		name_size = event_place_name_length(place->at);
		if (place->at[name_size] == '{') {
			const char *name = place->at;

			place->at += name_size;
			code = parse_group(place, name, name_size);
		} else {
			code = parse_event(place, false);
		}
		if (code < 0)
			return code;
		if (place->list->events.nr > EVENTS_MAX)
			return event_place_complain(place, place->at, -E2BIG, "too many events");
	} while (event_place_take(place, ','));
	event_place_skip_blanks(place);
	if (*place->at)
		return event_place_complain(place, place->at, -EINVAL, "a comma is expected here");
	return 0;
}

int event_parse(struct event_parser *parser, const char *text, struct event_list *list, struct err *err)
{
	struct event_place place = { .text = text, .at = text, .parser = parser, .list = list, .err = err };
	size_t before = list->events.nr;
	int code;

	parser->unknown = EVENT_UNKNOWN_NONE;
	code = parse_list(&place);
	while (code < 0 && list->events.nr > before)
		event_release(&list->events.items[--list->events.nr]);
	return code;
}
