/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of tables of samples, and what follows from them.
 *
 * What is sorted by is -s, then what -F adds; what is shown is -F, then what -s adds. Without -F the overhead
 * stands first in both. A '+' in front of a list adds it to the default instead of replacing it.
 */
#include "cmd/options_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/xalloc.h"
#include "cli/suggest.h"
#include "cmd/options_symbol.h"

#define V struct options_view

#define DEFAULT_KEYS "comm,dso,symbol"

/* ---- -g ------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	enum { WORD_MODE, WORD_ORDER, WORD_KEY, WORD_VALUE } kind;
	int value;
} graph_words[] = {
	{ "graph", WORD_MODE, CALLTREE_GRAPH },
	{ "fractal", WORD_MODE, CALLTREE_FRACTAL },
	{ "flat", WORD_MODE, CALLTREE_FLAT },
	{ "folded", WORD_MODE, CALLTREE_FOLDED },
	{ "none", WORD_MODE, CALLTREE_NONE },
	{ "caller", WORD_ORDER, true },
	{ "callee", WORD_ORDER, false },
	{ "function", WORD_KEY, CALLTREE_BY_FUNCTION },
	{ "address", WORD_KEY, CALLTREE_BY_ADDRESS },
	{ "srcline", WORD_KEY, CALLTREE_BY_SRCLINE },
	{ "percent", WORD_VALUE, CALLTREE_PERCENT },
	{ "period", WORD_VALUE, CALLTREE_PERIOD },
	{ "count", WORD_VALUE, CALLTREE_COUNT },
};

/* Words may be cut short ("cal" is not, it could be two). */
static int apply_graph_word(struct options_graph *graph, const char *word, struct err *err)
{
	struct suggest suggest = { .wanted = word };
	size_t found = NR_ITEMS(graph_words), nr_found = 0, size = strlen(word);

	for (size_t i = 0; i < NR_ITEMS(graph_words); i++) {
		suggest_offer(&suggest, graph_words[i].name);
		if (strncmp(graph_words[i].name, word, size))
			continue;
		found = i;
		nr_found++;
		if (!graph_words[i].name[size]) {
			nr_found = 1;
			break;
		}
	}
	if (nr_found != 1) {
		if (!strcmp(word, "branch") || !strcmp(word, "branch-history"))
			return err_set(err, -EOPNOTSUPP,
				       "-g branch needs branch records, which this version does not read");
		err_set(err, -EINVAL, "Invalid callchain mode: %s", word);
		if (suggest.nr)
			err_hint(err, "Did you mean '%s'?", suggest.names[0]);
		return -EINVAL;
	}
	switch (graph_words[found].kind) {
	case WORD_MODE:
		graph->mode = (enum calltree_mode)graph_words[found].value;
		break;
	case WORD_ORDER:
		graph->caller_first = graph_words[found].value;
		graph->order_seen = true;
		break;
	case WORD_KEY:
		graph->key = (enum calltree_key)graph_words[found].value;
		break;
	case WORD_VALUE:
		graph->value = (enum calltree_value)graph_words[found].value;
		break;
	}
	return 0;
}

static int parse_graph(void *field, const struct option_row *row, const char *arg, bool unset,
		       struct err *err)
{
	struct options_graph *graph = field;
	bool threshold_seen = false;
	char *copy, *rest, *word;
	int result = 0;

	(void)row;
	if (unset) {
		graph->mode = CALLTREE_NONE;
		return 0;
	}
	graph->seen = true;
	if (!arg)
		return 0;
	copy = rest = xstrdup(arg);
	while (!result && (word = strsep(&rest, ", "))) {
		double number;

		if (!*word)
			continue;
		if (number_parse_double(word, &number) < 0) {
			result = apply_graph_word(graph, word, err);
		} else if (number < 0 || (threshold_seen && number > 1e9)) {
			result = err_set(err, -EINVAL, "'%s' is no threshold", word);
		} else if (threshold_seen) {
			graph->limit = (unsigned)number;
		} else {
			graph->threshold = number;
			threshold_seen = true;
		}
	}
	free(copy);
	if (graph->mode == CALLTREE_NONE)
		graph->seen = false;
	return result;
}

/* The same from the configuration: one word or number, and nobody has asked for call graphs by it. */
static int parse_graph_setting(void *field, const struct option_row *row, const char *arg, bool unset,
			       struct err *err)
{
	struct options_graph *graph = field;
	double number;

	(void)row;
	if (unset || !arg)
		return 0;
	if (number_parse_double(arg, &number) < 0)
		return apply_graph_word(graph, arg, err);
	if (!(number >= 0))
		return err_set(err, -EINVAL, "'%s' is no threshold", arg);
	graph->threshold = number;
	return 0;
}

static int parse_widths(void *field, const struct option_row *row, const char *arg, bool unset,
			struct err *err)
{
	V *options = field;
	char *copy, *rest, *word;
	int result = 0;

	(void)row;
	array_clear(&options->widths);
	if (unset)
		return 0;
	copy = rest = xstrdup(arg);
	while (!result && (word = strsep(&rest, ","))) {
		uint64_t width;

		if (number_parse_u64(word, &width) < 0 || width > 4096)
			result = err_set(err, -EINVAL, "'%s' is no width of a column", word);
		else
			array_push(&options->widths, (unsigned)width);
	}
	free(copy);
	return result;
}

static const struct option_choice percentage_choices[] = { { "absolute", 0 },
							   { "relative", 1 },
							   { NULL, 0 } };

/* ---- rows ---------------------------------------------------------------------------------- */

const struct option_row options_view_rows[OPTIONS_VIEW_NR_ROWS] = {
	{ 's', "sort", OPTION_STRING(V, sort), .arg = "key[,key...]", .config = "report.sort_order",
	  .heading = "How samples are put together",
	  .help = "group samples by these keys, and sort by them; +key adds to comm,dso,symbol" },
	{ 'F', "fields", OPTION_STRING(V, fields), .arg = "key[,key...]",
	  .help = "the columns; +key adds to those that are there anyway" },
	{ .name = "children",
	  OPTION_FLAG(V, children),
	  OPTION_SEEN(V, children_seen),
	  .config = "report.children",
	  .help = "count what functions call as theirs, too (the default with call graphs)" },
	{ 'g', "call-graph", OPTION_CALLBACK(V, graph, parse_graph), .flags = OPTION_OPTIONAL_WORD,
	  .arg = "how[,how...]",
	  .help = "call graphs; any of, in any order:\n"
		  "graph, fractal, flat, folded or none: the layout (graph)\n"
		  "PERCENT: leave out what is below (0.5)\n"
		  "PERCENT,NUMBER: and show no more than so many branches\n"
		  "caller or callee: what stands first (caller; callee with --no-children)\n"
		  "function, address or srcline: what is the same (function)\n"
		  "percent, period or count: what is shown (percent)" },
	{ 'G', "inverted", OPTION_FLAG(V, inverted), .help = "call graphs with the caller first" },
	{ 'H', "hierarchy", OPTION_FLAG(V, hierarchy),
	  .help = "rows below each other, a level for each key" },
	{ 'n', "show-nr-samples", OPTION_FLAG(V, show_nr_samples),
	  .help = "a column with the number of samples" },
	{ .name = "show-total-period",
	  OPTION_FLAG(V, show_total_period),
	  .help = "a column with the sum of periods" },
	{ .name = "show-cpu-utilization",
	  OPTION_FLAG(V, show_cpu_utilization),
	  .help = "columns with the shares of kernel, user and guests" },
	{ .name = "showcpuutilization",
	  OPTION_FLAG(V, show_cpu_utilization),
	  .flags = OPTION_HIDDEN,
	  .help = "columns with the shares of kernel, user and guests" },
	{ .name = "latency",
	  OPTION_FLAG(V, latency),
	  .help = "sort by what costs wall-clock time, not CPU time (recorded with --latency)" },
	{ .name = "max-stack",
	  OPTION_U64(V, max_stack),
	  .arg = "n",
	  .help = "only the innermost n frames of each stack" },
	{ .name = "ignore-callees",
	  OPTION_STRING(V, ignore_callees),
	  .arg = "regex",
	  .help = "what matching functions call counts as theirs" },
	{ 'p', "parent", OPTION_STRING(V, parent), .arg = "regex",
	  .help = "which callers --sort parent looks for" },
	{ .name = "time-quantum",
	  OPTION_DURATION(V, time_quantum),
	  .arg = "time",
	  .unit_ns = 1,
	  .help = "how fine --sort time is (100ms)" },
	{ .name = "percent-limit",
	  OPTION_DOUBLE(V, percent_limit),
	  OPTION_SEEN(V, percent_limit_seen),
	  .arg = "percent",
	  .config = "report.percent-limit",
	  .help = "leave out rows and branches below" },
	{ .name = "percentage",
	  OPTION_CHOICE(V, percentage),
	  .arg = "how",
	  .choices = percentage_choices,
	  .config = "hist.percentage",
	  .help = "shares of all samples (absolute, the default) or of those that the filters leave (relative)" },

	{ 'c', "comms", OPTION_STRING(V, comms), .arg = "comm[,comm...]",
	  .heading = "Which samples are shown",
	  .help = "only of tasks with these names; file://PATH: those in the file, one a line" },
	{ .name = "comm", OPTION_STRING(V, comms), .arg = "comm[,comm...]", .flags = OPTION_HIDDEN },
	{ .name = "pid", OPTION_STRING(V, pids), .arg = "pid[,pid...]", .help = "only of these processes" },
	{ .name = "tid", OPTION_STRING(V, tids), .arg = "tid[,tid...]", .help = "only of these threads" },
	{ 'd', "dsos", OPTION_STRING(V, dsos), .arg = "dso[,dso...]",
	  .help = "only taken in these programs and libraries" },
	{ 'S', "symbols", OPTION_STRING(V, symbols), .arg = "name[,name...]",
	  .help = "only taken in these functions" },
	{ .name = "symbol-filter",
	  OPTION_STRING(V, symbol_part),
	  .arg = "text",
	  .help = "only taken in functions with this in their name" },
	{ 'C', "cpu", OPTION_STRING(V, cpus), .arg = "list", .help = "only taken on these CPUs: 0-3,8" },
	{ .name = "socket-filter",
	  OPTION_INT(V, socket),
	  .arg = "n",
	  .help = "only taken on this processor socket" },
	{ .name = "time",
	  OPTION_STRING(V, time),
	  .arg = "range",
	  .help = "only in this time: START,STOP in seconds, 10%/2 (the second tenth), 0%-10%" },
	{ .name = "parallelism",
	  OPTION_STRING(V, parallelism),
	  .arg = "list",
	  .help = "only while so many tasks ran at once" },
	{ 'x', "exclude-other", OPTION_FLAG(V, exclude_other),
	  .help = "only with a caller that --parent finds" },
	{ 'U', "hide-unresolved", OPTION_FLAG(V, hide_unresolved), .help = "only in functions with a name" },

	{ 't', "field-separator", OPTION_STRING(V, separator), .arg = "sep", .heading = "How it is written",
	  .help = "columns separated by this, without padding; a '.' stands for it in values" },
	{ 'w', "column-widths", .type = OPTION_TYPE_CALLBACK, .parse = parse_widths,
	  .arg = "width[,width...]", .help = "these widths for the first columns; 0: as wide as the values" },
	{ .name = "ns", OPTION_FLAG(V, time_in_ns), .help = "times to the nanosecond" },
	{ .name = "full-source-path",
	  OPTION_FLAG(V, full_source_path),
	  .help = "source files with their folders" },
	{ .name = "raw-trace",
	  OPTION_FLAG(V, raw_trace),
	  .help = "fields of tracepoints as they are, not as the kernel prints" },
	{ OPTION_CALLBACK(V, graph, parse_graph_setting), .config = "call-graph.print-type", .arg = "how" },
	{ OPTION_CALLBACK(V, graph, parse_graph_setting), .config = "call-graph.order", .arg = "order" },
	{ OPTION_CALLBACK(V, graph, parse_graph_setting), .config = "call-graph.sort-key", .arg = "key" },
	{ OPTION_CALLBACK(V, graph, parse_graph_setting), .config = "call-graph.threshold",
	  .arg = "percent" },
	{ .name = "branch-stack",
	  .short_name = 'b',
	  .type = OPTION_TYPE_CALLBACK,
	  .parse = option_refuse,
	  .flags = OPTION_HIDDEN,
	  .value = (intptr_t) "needs branch records, which this version does not read" },
	{ .name = "branch-history",
	  .type = OPTION_TYPE_CALLBACK,
	  .parse = option_refuse,
	  .flags = OPTION_HIDDEN,
	  .value = (intptr_t) "needs branch records, which this version does not read" },
	{ .name = "mem-mode",
	  .type = OPTION_TYPE_CALLBACK,
	  .parse = option_refuse,
	  .flags = OPTION_HIDDEN,
	  .value = (intptr_t) "needs memory addresses (perf mem), which this version does not read" },
};

/* ---- fields -------------------------------------------------------------------------------- */

/* The amounts that stand in front when the user named none. */
static void add_default_amounts(const struct options_view *options, const struct options_view_facts *facts,
				bool children, struct field_list *list, bool sorting)
{
	static const char *const plain[2][2] = { { "overhead", "latency" },
						 { "overhead_children", "latency_children" } };
	bool both = options->latency || facts->has_parallelism;

	for (int total = children; total >= 0; total--) {
		field_list_add(list, plain[total][options->latency]);
		if (both)
			field_list_add(list, plain[total][!options->latency]);
	}
	if (sorting)
		return;
	if (options->show_cpu_utilization) {
		field_list_add(list, "overhead_sys");
		field_list_add(list, "overhead_us");
	}
}

static void add_counts(const struct options_view *options, struct field_list *list)
{
	if (options->show_nr_samples)
		field_list_add(list, "sample");
	if (options->show_total_period)
		field_list_add(list, "period");
}

/* Adds what was perhaps meant. */
static int unknown_key(struct err *err)
{
	struct suggest suggest = { 0 };
	const char *tick = strchr(err->text, '`');
	char word[80];

	if (!tick || err->code != -EINVAL)
		return err->code;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(tick + 1, "'"), tick + 1);
	suggest.wanted = word;
	for (const struct field *field = field_table; field->name; field++)
		if (!(field->flags & FIELD_HIDDEN))
			suggest_offer(&suggest, field->name);
	for (size_t i = 0; i < suggest.nr; i++)
		err_hint(err, "Did you mean '%s'?", suggest.names[i]);
	if (!suggest.nr) {
		struct buf buf = BUF_INIT;

		field_print_names(&buf);
		err_hint(err, "Keys: %s", buf_text(&buf));
		buf_release(&buf);
	}
	return err->code;
}

static int parse_fields(struct field_list *list, const char *text, const char *what,
			const struct options_view_facts *facts, struct err *err)
{
	struct err local = { 0 };
	int result = field_list_parse(list, text, what, facts->events, facts->formats, err ? err : &local);

	return result < 0 ? unknown_key(err ? err : &local) : 0;
}

static void append(struct field_list *to, const struct field_list *from)
{
	for (size_t i = 0; i < from->uses.nr; i++)
		if (!field_list_has(to, &from->uses.items[i]))
			array_push(&to->uses, from->uses.items[i]);
}

/* All events are tracepoints: what they say is what there is to see. */
static bool only_tracepoints(const struct event_table *events)
{
	for (size_t i = 0; i < events->events.nr; i++)
		if (events->events.items[i].attr.type != 2)
			return false;
	return events->events.nr;
}

static void choose_default_keys(const struct options_view *options, const struct options_view_facts *facts,
				struct field_list *keys)
{
	if (facts->formats && only_tracepoints(facts->events) && !options->sort) {
		field_list_add(keys, "trace");
		return;
	}
	field_list_add(keys, "comm");
	field_list_add(keys, "dso");
	field_list_add(keys, "symbol");
}

/* What stands in front of the user's keys where the user did not say it: overheads, counts. */
static void put_amounts(const struct options_view *options, const struct options_view_facts *facts,
			bool children, const struct field_list *named, struct view_options *view)
{
	if (!field_list_has_name(named, "overhead") && !field_list_has_name(named, "latency")) {
		add_default_amounts(options, facts, children, &view->columns, false);
		add_default_amounts(options, facts, children, &view->sorts, true);
	}
	add_counts(options, &view->columns);
}

/* named: what -s says, extra: what -F says. */
static void combine(const struct options_view *options, const struct options_view_facts *facts, bool children,
		    const struct field_list *named, const struct field_list *extra, struct view_options *view)
{
	bool replacing = options->fields && options->fields[0] != '+';

	if (!replacing)
		put_amounts(options, facts, children, named, view);
	append(&view->columns, extra);
	append(&view->columns, named);
	if (replacing)
		add_counts(options, &view->columns);
	append(&view->sorts, named);
	append(&view->sorts, extra);
}

static void own(struct view_options *view, struct field_list *list)
{
	for (size_t i = 0; i < list->uses.nr; i++)
		array_push(&view->fields.uses, list->uses.items[i]);
	array_release(&list->uses);
}

static int resolve_fields(const struct options_view *options, const struct options_view_facts *facts,
			  bool children, struct view_options *view, struct err *err)
{
	struct field_list named = { 0 }, extra = { 0 };
	bool adding = options->sort && options->sort[0] == '+';
	int result = 0;

	if (adding || (!options->sort && (!options->fields || options->fields[0] == '+')))
		choose_default_keys(options, facts, &named);
	if (options->sort)
		result = parse_fields(&named, options->sort + adding, "--sort", facts, err);
	if (!result && options->fields)
		result = parse_fields(&extra, options->fields + (options->fields[0] == '+'), "--fields",
				      facts, err);
	if (!result) {
		if (options->parent && !(options->fields && options->fields[0] != '+') &&
		    !field_list_has_name(&named, "parent"))
			field_list_add(&named, "parent");
		combine(options, facts, children, &named, &extra, view);
	}
	own(view, &named);
	own(view, &extra);
	return result;
}

/* ---- everything else ----------------------------------------------------------------------- */

static int resolve_filter(struct options_view *options, const struct options_view_facts *facts,
			  struct view_options *view, struct err *err)
{
	struct filter_options *filter = &view->filter;
	struct err why = { 0 };

	*filter = (struct filter_options){
		.comms = options->comms,
		.dsos = options->dsos,
		.symbols = options->symbols,
		.pids = options->pids,
		.tids = options->tids,
		.symbol_part = options->symbol_part,
		.parent = options->parent,
		.exclude_other = options->exclude_other,
		.hide_unresolved = options->hide_unresolved,
		.ignore_callees = options->ignore_callees,
		.socket = options->socket,
	};
	if (options->parallelism) {
		if (cpuset_parse(options->parallelism, &options->parallelism_set, &why) < 0)
			return err_set(err, -EINVAL, "--parallelism: %s", why.text);
		filter->parallelism = &options->parallelism_set;
	}
	if (options->cpus && cpuset_parse(options->cpus, &options->cpu_set, &why) < 0)
		return err_set(err, -EINVAL, "--cpu: %s", why.text);
	if ((options->cpus || options->socket >= 0) && !facts->has_cpus) {
		err_set(err, -ENODATA, "The recording does not say on which CPU a sample was taken");
		err_hint(err, "Leave out %s, or record with -a or --sample-cpu",
			 options->cpus ? "-C" : "--socket-filter");
		return -ENODATA;
	}
	return 0;
}

static int check_callchains(const struct options_view *options, const struct options_view_facts *facts,
			    const struct view_options *view, struct err *err)
{
	if (facts->has_callchains)
		return 0;
	if (options->graph.seen) {
		err_set(err, -ENODATA, "Selected -g, but the recording has no callchains");
		err_hint(err, "Record with -g or --call-graph dwarf");
		return -ENODATA;
	}
	if (field_list_has_name(&view->sorts, "parent") || options->exclude_other) {
		err_set(err, -ENODATA, "Selected --sort parent, but the recording has no callchains");
		err_hint(err, "Record with -g or --call-graph dwarf");
		return -ENODATA;
	}
	return 0;
}

static int check_latency(const struct options_view *options, const struct options_view_facts *facts,
			 const struct view_options *view, struct err *err)
{
	if (facts->has_parallelism ||
	    !(options->latency || options->parallelism || field_list_has_name(&view->sorts, "parallelism") ||
	      field_list_has_name(&view->sorts, "latency")))
		return 0;
	err_set(err, -ENODATA,
		"Use of latency profile or parallelism needs context switches, which were not recorded");
	err_hint(err, "Record with --latency");
	return -ENODATA;
}

static void resolve_text(const struct options_view *options, bool children, struct group_text *text)
{
	const struct options_graph *graph = &options->graph;

	text->graph.mode = graph->mode;
	text->graph.value = graph->value;
	text->graph.limit = graph->limit;
	text->tree.caller_first = options->inverted || (graph->order_seen ? graph->caller_first : children);
	text->tree.relative = graph->mode == CALLTREE_FRACTAL;
	text->tree.threshold = options->percent_limit_seen ? options->percent_limit : graph->threshold;
	text->tree.key = graph->key;
	text->percent_limit = options->percent_limit;
	text->separator = options->separator;
	if (text->separator && !strcmp(text->separator, "\\t"))
		text->separator = "\t";
	text->widths = options->widths.items;
	text->nr_widths = options->widths.nr;
	text->hierarchy = options->hierarchy;
	text->time_note = options->time;
}

int options_view_resolve(struct options_view *options, const struct options_view_facts *facts,
			 struct view_options *view, struct group_text *text, struct err *err)
{
	bool children = options->children && facts->has_callchains && !options->hierarchy;
	int result;

	*view = (struct view_options){ .children = children,
				       .relative = options->percentage,
				       .time_in_ns = options->time_in_ns,
				       .full_source_path = options->full_source_path,
				       .raw_trace = options->raw_trace,
				       .formats = facts->formats };
	if (options->separator && !strcmp(options->separator, "."))
		return err_set(err, -EINVAL, "'.' is the only non valid --field-separator argument");
	result = resolve_filter(options, facts, view, err);
	if (!result)
		result = resolve_fields(options, facts, children, view, err);
	if (!result)
		result = check_callchains(options, facts, view, err);
	if (!result)
		result = check_latency(options, facts, view, err);
	if (result)
		return result;
	if (!facts->has_callchains)
		options->graph.mode = CALLTREE_NONE;
	view->by_address = options->graph.mode != CALLTREE_NONE && options->graph.key != CALLTREE_BY_FUNCTION;
	for (size_t i = 0; i < view->sorts.uses.nr; i++)
		view->by_address |= (view->sorts.uses.items[i].field->flags & FIELD_NEEDS_ADDRESSES) != 0;
	resolve_text(options, children, text);
	view->filter.caller_first = text->tree.caller_first;
	return 0;
}

void options_view_release(struct options_view *options)
{
	array_release(&options->widths);
}
