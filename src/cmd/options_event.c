/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options_event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/cgroup.h"
#include "cli/suggest.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "event/event_hardware.h"
#include "event/filter.h"
#include "event/tracepoint.h"

static struct event_parser *parser_of(struct options_event *options)
{
	if (!options->has_parser)
		event_parser_init(&options->parser, NULL, NULL);
	options->has_parser = true;
	return &options->parser;
}

void options_event_release(struct options_event *options)
{
	event_list_release(&options->list);
	if (options->has_parser)
		event_parser_release(&options->parser);
	options->has_parser = false;
}

/* ---- did you mean ---- */

struct offer {
	struct suggest suggest;
	char names[512][80]; /* of tracepoints: a suggestion must outlive the walk */
	size_t nr;
	bool systems;
};

static int offer_tracepoint(void *context, const char *system, const char *name)
{
	struct offer *offer = context;
	const char *word = offer->systems ? system : name;

	if (offer->nr == NR_ITEMS(offer->names) || (offer->nr && !strcmp(offer->names[offer->nr - 1], word)))
		return 0;
	snprintf(offer->names[offer->nr], sizeof(offer->names[0]), "%s", word);
	suggest_offer(&offer->suggest, offer->names[offer->nr]);
	offer->nr++;
	return 0;
}

static void offer_tracepoints(struct offer *offer, struct event_parser *parser, const char *system)
{
	char root[TRACEPOINT_ROOT_SIZE];

	snprintf(root, sizeof(root), "%s", parser->tracefs);
	if (root[0] || !tracepoint_find_root(root, NULL))
		tracepoint_each(root, system, "*", offer_tracepoint, offer, NULL);
}

static void offer_names(struct offer *offer)
{
	/* Cache events as people write them; the rest of their spellings are only slips of these. */
	static const char *const caches[] = {
		"L1-dcache-loads",
		"L1-dcache-load-misses",
		"L1-dcache-stores",
		"L1-icache-load-misses",
		"LLC-loads",
		"LLC-load-misses",
		"LLC-stores",
		"LLC-store-misses",
		"dTLB-loads",
		"dTLB-load-misses",
		"dTLB-stores",
		"dTLB-store-misses",
		"iTLB-loads",
		"iTLB-load-misses",
		"branch-loads",
		"branch-load-misses",
		"L1-dcache-prefetches",
		"node-loads",
		"node-load-misses",
	};
	size_t nr;
	const struct event_name *table = event_hardware_table(&nr);

	for (size_t i = 0; i < nr; i++) {
		suggest_offer(&offer->suggest, table[i].name);
		if (table[i].alias)
			suggest_offer(&offer->suggest, table[i].alias);
	}
	for (size_t i = 0; i < NR_ITEMS(caches); i++)
		suggest_offer(&offer->suggest, caches[i]);
}

static void offer_terms(struct offer *offer, struct event_parser *parser, const char *pmu_name)
{
	const char *const *terms = event_parse_term_names();
	struct pmu *pmu = pmu_name[0] ? pmu_table_find(&parser->pmus, pmu_name) : NULL;

	for (; *terms; terms++)
		suggest_offer(&offer->suggest, *terms);
	for (size_t i = 0; pmu && i < pmu->formats.nr; i++)
		suggest_offer(&offer->suggest, pmu->formats.items[i].name);
}

static void add_suggestions(struct event_parser *parser, struct err *err)
{
	struct offer *offer;

	if (parser->unknown == EVENT_UNKNOWN_NONE)
		return;
	offer = xcalloc(1, sizeof(*offer));
	offer->suggest.wanted = parser->unknown_word;
	switch (parser->unknown) {
	case EVENT_UNKNOWN_NAME:
		offer_names(offer);
		break;
	case EVENT_UNKNOWN_SYSTEM:
		offer->systems = true;
		offer_tracepoints(offer, parser, "*");
		break;
	case EVENT_UNKNOWN_TRACEPOINT:
		offer_tracepoints(offer, parser, parser->unknown_context);
		break;
	case EVENT_UNKNOWN_PMU:
		pmu_table_load(&parser->pmus);
		for (size_t i = 0; i < parser->pmus.pmus.nr; i++)
			suggest_offer(&offer->suggest, parser->pmus.pmus.items[i].name);
		break;
	default:
		offer_terms(offer, parser, parser->unknown_context);
		break;
	}
	if (offer->suggest.nr) {
		struct buf buf = BUF_INIT;

		for (size_t i = 0; i < offer->suggest.nr; i++)
			buf_printf(&buf, "%s%s", i ? " or " : "", offer->suggest.names[i]);
		err_hint(err, "Did you mean %s?", buf_text(&buf));
		buf_release(&buf);
	}
	free(offer);
	if (command_find("list"))
		err_hint(err, "'%s list' shows what can be counted here.", program_name());
	else
		err_hint(err,
			 "Tracepoints are named in /sys/kernel/tracing/available_events, events of the processor's "
			 "units in /sys/bus/event_source/devices/*/events.");
}

int options_event_add(struct options_event *options, const char *text, struct err *err)
{
	struct event_parser *parser = parser_of(options);
	size_t before = options->list.events.nr;
	int code = event_parse(parser, text, &options->list, err);

	if (code < 0)
		add_suggestions(parser, err);
	else
		options->last = before;
	return code;
}

/* ---- rows ---- */

static int parse_events(void *field, const struct option_row *row, const char *arg, bool unset,
			struct err *err)
{
	struct options_event *options = field;

	(void)row;
	if (unset) {
		event_list_release(&options->list);
		return 0;
	}
	return options_event_add(options, arg, err);
}

/* Both speak of the events before them: of the last -e. */
static int filter_last(struct options_event *options, const struct option_row *row, const char *filter,
		       struct err *err)
{
	struct event_list *list = &options->list;

	if (!list->events.nr)
		return err_set(err, -EINVAL, "--%s belongs behind the -e of a tracepoint", row->name);
	for (size_t i = options->last; i < list->events.nr; i++)
		if (!list->events.items[i].is_tracepoint)
			return err_set(err, -EINVAL, "--%s is for tracepoints; %s is none", row->name,
				       list->events.items[i].name);
	for (size_t i = options->last; i < list->events.nr; i++)
		filter_and(&list->events.items[i].filter, filter);
	return 0;
}

static int parse_filter(void *field, const struct option_row *row, const char *arg, bool unset,
			struct err *err)
{
	struct options_event *options = field;

	if (!unset)
		return filter_last(options, row, arg, err);
	for (size_t i = options->last; i < options->list.events.nr; i++) {
		free(options->list.events.items[i].filter);
		options->list.events.items[i].filter = NULL;
	}
	return 0;
}

static int parse_exclude_self(void *field, const struct option_row *row, const char *arg, bool unset,
			      struct err *err)
{
	struct options_event *options = field;
	char filter[48];

	(void)arg;
	options->exclude_self = !unset;
	if (unset || !options->list.events.nr || !options->list.events.items[options->last].is_tracepoint)
		return 0;
	snprintf(filter, sizeof(filter), "common_pid != %d", getpid());
	return filter_last(options, row, filter, err);
}

#define S struct options_event

/* clang-format off */
const struct option_row options_event_rows[OPTIONS_EVENT_NR_ROWS] = {
	{ 'e', "event", .type = OPTION_TYPE_CALLBACK, .parse = parse_events, .arg = "event",
	  .flags = OPTION_REPEATS, .heading = "Which events",
	  .help = "cycles, cpu-clock:u, sched:sched_switch, {a,b}, cpu/event=0x3c/ ...: a list" },
	{ .name = "filter", .type = OPTION_TYPE_CALLBACK, .parse = parse_filter, .arg = "filter",
	  .flags = OPTION_REPEATS,
	  .help = "of the tracepoints of the -e before, only hits with this: 'prev_pid == 1 && next_prio < 100'" },
	{ .name = "exclude-perf", .type = OPTION_TYPE_CALLBACK, .parse = parse_exclude_self,
	  .help = "leave out what this program itself does" },
	{ 'G', "cgroup", OPTION_STRING(S, cgroups), .arg = "name",
	  .help = "with -a: only tasks of this cgroup (a list gives one to each event in turn)" },
};
/* clang-format on */

int options_event_open_cgroups(const struct options_event *options, int *ret_fds, struct err *err)
{
	size_t nr = options->list.events.nr, at = 0;
	const char *pos = options->cgroups;
	bool single = !strchr(pos, ',');
	int code = 0;

	for (size_t i = 0; i < nr; i++)
		ret_fds[i] = -1;
	while (code >= 0) {
		size_t size = strcspn(pos, ",");
		char name[1024];

		if (at == nr) {
			code = err_set(err, -EINVAL, "-G names more cgroups than there are events");
			break;
		}
		snprintf(name, sizeof(name), "%.*s", (int)size, pos);
		if (size) {
			code = cgroup_open_named(name, err);
			for (size_t i = at; code >= 0 && i < (single ? nr : at + 1); i++)
				ret_fds[i] = code;
		}
		at++;
		pos += size;
		if (!*pos++)
			break;
	}
	if (code >= 0)
		return 0;
	for (size_t i = 0; i < nr; i++)
		if (ret_fds[i] >= 0 && !(single && i))
			close(ret_fds[i]);
	return code;
}
