/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: where the samples of a recording were taken, as tables.
 *
 * The recording is read once into a profile that holds just what the chosen columns need; each event (or group of
 * events) is then a view of it. What else can be asked of a recording without looking at its samples' places
 * (--header, --stats, -T ...) is answered here, too, as it is in perf.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "cli/color.h"
#include "cli/pager.h"
#include "cli/progress.h"
#include "cmd/command.h"
#include "cmd/options_symbol.h"
#include "cmd/options_view.h"
#include "cmd/recording.h"
#include "cmd/report_json.h"
#include "cmd/report_notes.h"
#include "cmd/report_threads.h"
#include "record/perfdata_print.h"
#include "record/perfdata_topology.h"
#include "record/record_dump.h"
#include "record/tracing_data.h"
#include "render/group_json.h"
#include "render/group_text.h"

struct report_options {
	struct options_view view;
	struct options_symbol symbol;
	const char *input;
	bool force, quiet, json;
	unsigned verbose;
	bool header, header_only, show_info;
	bool stats, tasks, mmaps, dump;
	bool threads;
	bool group, group_seen, keep_empty;
	unsigned group_sort_index;
	bool stdio, tui, as_always;
	int color;
};

#define R struct report_options
#define NOT_YET(what) \
	.type = OPTION_TYPE_CALLBACK, .parse = option_refuse, .flags = OPTION_HIDDEN | OPTION_OPTIONAL_WORD, \
	.arg = "value", .value = (intptr_t)what

#define ANNOTATE "(looking at a function's code) belongs to annotate, which is not in this version yet"

static const struct option_row report_rows[] = {
	{ 'i', "input", OPTION_STRING(R, input), .arg = "file",
	  .help = "the recording (perf.data; standard input when that is a pipe)" },
	{ 'f', "force", OPTION_FLAG(R, force), .help = "read files of other users, too" },
	{ .name = "json", OPTION_FLAG(R, json), .help = "JSON instead of text" },
	{ .name = "group",
	  OPTION_FLAG(R, group),
	  OPTION_SEEN(R, group_seen),
	  .config = "report.group",
	  .help = "events side by side: those recorded as groups (the default), or all when there are no groups" },
	{ .name = "group-sort-idx",
	  OPTION_UINT(R, group_sort_index),
	  .arg = "n",
	  .help = "sort groups by their n-th event (0 is the first)" },
	{ .name = "no-skip-empty", OPTION_FLAG(R, keep_empty), .help = "also events that have no samples" },
	{ 'T', "threads", OPTION_FLAG(R, threads), .help = "counts by thread, too (recorded with -s)" },
	{ 'q', "quiet", OPTION_FLAG(R, quiet), .help = "only the rows" },
	{ 'v', "verbose", OPTION_COUNTER(R, verbose), .help = "addresses of symbols, and what goes on" },
	{ .name = "stdio", OPTION_FLAG(R, stdio), .help = "as text (the default)" },
	{ .name = "stdio-color",
	  OPTION_CHOICE(R, color),
	  .arg = "when",
	  .choices = color_choices,
	  .flags = OPTION_OPTIONAL_WORD,
	  .absent = "always",
	  .help = "colours: auto, always or never" },
	{ .name = "tui", OPTION_FLAG(R, tui), .flags = OPTION_HIDDEN, .help = "full screen" },

	{ .name = "header",
	  OPTION_FLAG(R, header),
	  .heading = "About the recording itself",
	  .help = "what it says of its machine, in front" },
	{ .name = "header-only", OPTION_FLAG(R, header_only), .help = "only that" },
	{ 'I', "show-info", OPTION_FLAG(R, show_info), .help = "topology and caches, too" },
	{ .name = "stats", OPTION_FLAG(R, stats), .help = "how many records of each type there are" },
	{ .name = "tasks", OPTION_FLAG(R, tasks), .help = "which tasks there were, as a tree" },
	{ .name = "mmaps", OPTION_FLAG(R, mmaps), .help = "what they had mapped" },
	{ 'D', "dump-raw-trace", OPTION_FLAG(R, dump), .help = "every record as it is" },

	{ .name = "gtk", NOT_YET("is not in this program: --stdio, or flame for a picture") },
	{ .name = "itrace",
	  NOT_YET("needs hardware traces (Intel PT ...), which this version does not decode") },
	{ .name = "total-cycles", NOT_YET("needs branch records, which this version does not read") },
	{ .name = "samples", NOT_YET("belongs to the full-screen view, which is not in this version yet") },
	{ .name = "switch-on",
	  NOT_YET("is not in this version yet: --time chooses a part of the recording") },
	{ .name = "switch-off",
	  NOT_YET("is not in this version yet: --time chooses a part of the recording") },
	{ .name = "show-ref-call-graph", NOT_YET("is not in this version yet") },
	{ .name = "show-on-off-events",
	  NOT_YET("is not in this version yet: --time chooses a part of the recording") },
	{ .name = "pretty", NOT_YET("is not in this version: -T writes one table") },
	{ .name = "disable-order", NOT_YET("is not in this version: -D shows records in the order of time") },
	{ .name = "addr2line", NOT_YET("is of no use: no program is run to find lines") },
	{ .name = "addr2line-style", NOT_YET("is of no use: no program is run to find lines") },
	{ .name = "unwind-style", NOT_YET("(unwinding raw stacks) is not in this version yet") },
	{ .name = "objdump", NOT_YET(ANNOTATE) },
	{ .name = "source", NOT_YET(ANNOTATE) },
	{ .name = "asm-raw", NOT_YET(ANNOTATE) },
	{ 'M', "disassembler-style", NOT_YET(ANNOTATE) },
	{ .name = "prefix", NOT_YET(ANNOTATE) },
	{ .name = "prefix-strip", NOT_YET(ANNOTATE) },
	{ .name = "percent-type", NOT_YET(ANNOTATE) },
	{ 'm', "modules", OPTION_FLAG(R, as_always), .flags = OPTION_HIDDEN,
	  .help = "symbols of kernel modules (always)" },
	{ .name = "stitch-lbr", NOT_YET("needs branch records, which this version does not read") },
};

extern const struct command command_report;

static const char header_hint[] =
	"# To display the perf.data header info, please use --header/--header-only options.\n#\n";

/* ---- facts --------------------------------------------------------------------------------- */

static void find_facts(struct recording *recording, struct tracepoint_format_table *formats,
		       struct options_view_facts *facts)
{
	const struct event_table *events = perfdata_reader_events(recording->reader);

	*facts = (struct options_view_facts){ .events = events, .formats = formats };
	for (size_t i = 0; i < events->events.nr; i++) {
		const struct event_attr *attr = &events->events.items[i].attr;

		facts->has_callchains |= (attr->sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
		facts->has_cpus |= (attr->sample_type & PERF_SAMPLE_CPU) != 0;
		facts->has_parallelism |= (attr->flags & ATTR_CONTEXT_SWITCH) != 0;
	}
}

/* First and last time of the samples: as the header says, else from the records. */
static int find_times(struct recording *recording, uint64_t *ret_first, uint64_t *ret_last, struct err *err)
{
	struct record_source *source = perfdata_reader_source(recording->reader);
	const struct event_table *events = perfdata_reader_events(recording->reader);
	struct record_block block;
	int result;

	if (perfdata_features_sample_time(perfdata_reader_features(recording->reader), ret_first, ret_last))
		return 0;
	*ret_first = UINT64_MAX;
	*ret_last = 0;
	while ((result = record_source_next(source, &block, err)) > 0) {
		for (const struct record_header *raw = record_first(&block); raw;
		     raw = record_next(&block, raw)) {
			uint64_t time = raw->type == RECORD_SAMPLE ? event_table_record_time(events, raw)
								   : RECORD_NO_TIME;

			if (time == RECORD_NO_TIME)
				continue;
			if (time < *ret_first)
				*ret_first = time;
			if (time > *ret_last)
				*ret_last = time;
		}
		record_source_done(source, &block);
	}
	return record_source_rewind(source, err);
}

static int load_formats(struct recording *recording, struct tracepoint_format_table **ret)
{
	struct span data = perfdata_reader_tracing_data(recording->reader);
	struct err err;

	*ret = NULL;
	if (!data.size)
		return 0;
	if (tracepoint_format_table_load(data, ret, &err) < 0)
		command_note("%s", err.text);
	return 0;
}

/* ---- what is said around the tables -------------------------------------------------------- */

struct elision {
	const char *names[4]; /* of the columns left out; NULL ends */
	bool shows_comm, shows_dso, shows_symbol; /* said in the head */
};

static void print_elided(const R *options, const struct elision *elision, struct buf *buf)
{
	if (elision->shows_comm)
		buf_printf(buf, "# comm: %s\n", options->view.comms);
	if (elision->shows_dso)
		buf_printf(buf, "# dso: %s\n", options->view.dsos);
	if (elision->shows_symbol)
		buf_printf(buf, "# symbol: %s\n", options->view.symbols);
}

/* A column that could show only one value is left out, unless none would be left. */
static void elide(const R *options, const struct view_options *view, struct elision *ret)
{
	size_t nr_keys = 0, nr = 0;

	for (size_t i = 0; i < view->columns.uses.nr; i++)
		nr_keys += view->columns.uses.items[i].field->kind != FIELD_AMOUNT;
	ret->shows_comm = filter_list_is_single(options->view.comms) &&
			  field_list_has_name(&view->columns, "comm");
	ret->shows_dso = filter_list_is_single(options->view.dsos) &&
			 field_list_has_name(&view->columns, "dso");
	ret->shows_symbol = filter_list_is_single(options->view.symbols) &&
			    field_list_has_name(&view->columns, "symbol");
	if (ret->shows_comm)
		ret->names[nr++] = "comm";
	if (ret->shows_dso)
		ret->names[nr++] = "dso";
	if (ret->shows_symbol)
		ret->names[nr++] = "symbol";
	ret->names[nr == nr_keys ? 0 : nr] = NULL;
}

/* ---- tables -------------------------------------------------------------------------------- */

struct report {
	const R *options;
	struct recording *recording;
	struct view_options *view;
	struct group_text *text;
	struct view_plan *plan;
	struct buf *buf;
	struct json json;
	struct perfdata_sockets sockets;
	bool is_usage; /* the error is one of the command line */
};

static void print_table(struct report *report, const uint32_t *events, uint32_t nr_events)
{
	bool graph = report->text->graph.mode != CALLTREE_NONE;
	struct view *view = view_new(report->plan, events, nr_events, graph);

	if (report->options->json) {
		group_json_table(report->text, view, &report->json);
	} else {
		if (!report->options->quiet)
			group_text_head(report->text, view, report->buf);
		group_text_table(report->text, view, report->buf);
		buf_str(report->buf, "\n\n");
	}
	view_free(view);
}

static bool has_samples(const struct report *report, uint32_t event)
{
	const struct profile *profile = report->recording->profile;

	return event < profile->event_stats.nr && profile->event_stats.items[event].nr_samples;
}

/*
 * The events of a table. Those without samples are left out of groups, so that no column says only 0.00%; not in
 * JSON, where a group's numbers are arrays of the same length always.
 */
static void print_table_of(struct report *report, uint32_t *events, uint32_t nr)
{
	uint32_t nr_used = 0;

	report->text->is_group = nr > 1;
	for (uint32_t i = 0; i < nr; i++)
		nr_used += has_samples(report, events[i]);
	if (!nr_used && !report->options->keep_empty)
		return;
	if (!report->options->keep_empty && !report->options->json) {
		nr_used = 0;
		for (uint32_t i = 0; i < nr; i++)
			if (has_samples(report, events[i]))
				events[nr_used++] = events[i];
		nr = nr_used;
	}
	print_table(report, events, nr);
}

static bool has_groups(const struct event_table *events)
{
	for (size_t i = 0; i < events->events.nr; i++)
		if (events->events.items[i].nr_members > 1)
			return true;
	return false;
}

/* One table for each event, or group of events, that has samples. */
static void print_tables(struct report *report)
{
	const struct event_table *events = perfdata_reader_events(report->recording->reader);
	uint32_t nr = (uint32_t)events->events.nr;
	uint32_t *list = xcalloc(nr + 1, sizeof(*list));
	bool grouped = report->options->group && has_groups(events);
	bool together = report->options->group_seen && report->options->group && !grouped;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t nr_list = 0;

		if (grouped && events->events.items[i].leader != i)
			continue;
		if (together && i)
			break;
		for (uint32_t k = i; k < nr; k++)
			if (k == i || together || (grouped && events->events.items[k].leader == i))
				list[nr_list++] = k;
		print_table_of(report, list, nr_list);
	}
	free(list);
}

static uint64_t count_lost(const struct profile *profile)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < profile->event_stats.nr; i++)
		lost += profile->event_stats.items[i].nr_lost_samples;
	return lost;
}

static void print_text(struct report *report)
{
	struct buf *buf = report->buf;
	const R *options = report->options;
	struct elision elision = { 0 };

	elide(options, report->view, &elision);
	report->text->elided = elision.names;
	report->text->no_heads = options->quiet;
	if (!options->quiet) {
		if (options->header)
			perfdata_print_header(report->recording->reader, options->show_info, buf);
		else
			buf_str(buf, header_hint);
		print_elided(options, &elision, buf);
		buf_printf(buf, "#\n# Total Lost Samples: %llu\n#\n",
			   (unsigned long long)count_lost(report->recording->profile));
	}
	print_tables(report);
	if (!options->quiet)
		report_notes_print(report->recording, buf);
	if (options->threads)
		report_threads_print(report->recording, buf);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void print_json(struct report *report)
{
	report->json = json_of(report->buf);
	json_open_object(&report->json);
	json_key(&report->json, "sonde_report_version");
	json_u64(&report->json, GROUP_JSON_VERSION);
	report_json_header(report->recording, &report->json);
	json_key(&report->json, "lost_samples");
	json_u64(&report->json, count_lost(report->recording->profile));
	report_json_stacks(report->recording, &report->json);
	json_key(&report->json, "tables");
	json_open_array(&report->json);
	print_tables(report);
	json_close_array(&report->json);
	json_close_object(&report->json);
	buf_putc(report->buf, '\n');
}

/* ---- listings ------------------------------------------------------------------------------ */

/* What can be said without looking at what samples mean. */
static int print_listing(struct perfdata_reader *reader, const R *options, struct buf *buf, struct err *err)
{
	if (options->header || options->header_only)
		perfdata_print_header(reader, options->show_info, buf);
	if (options->header_only)
		return 0;
	if (options->dump) {
		if (!options->header)
			buf_str(buf, header_hint);
		return record_dump_raw(reader, buf, err);
	}
	if (options->tasks)
		return record_dump_tasks(reader, buf, err);
	if (options->mmaps)
		return record_dump_mmaps(reader, buf, err);
	return record_dump_stats(reader, buf, err);
}

/* ---- the command --------------------------------------------------------------------------- */

static void show_progress(void *context, uint64_t done, uint64_t total)
{
	struct progress *progress = context;

	progress->total = total;
	progress_set(progress, done);
}

static int ingest(R *options, struct recording *recording, const struct view_options *view, bool graph,
		  struct err *err)
{
	struct profile_options need = { .time_quantum = options->view.time_quantum };
	struct time_spec spec = { 0 };
	struct progress progress;
	uint64_t first = 0, last = PROFILE_NO_LIMIT - 1;
	int result = 0;

	view_options_need(view, graph, &need);
	need.max_stack = (uint32_t)options->view.max_stack;
	if (options->view.cpus)
		need.cpus = &options->view.cpu_set;
	if (options->view.time) {
		if (time_spec_is_share(options->view.time))
			result = find_times(recording, &first, &last, err);
		if (!result)
			result = time_spec_parse(options->view.time, first, last, &spec, err);
		if (result)
			return result;
		need.time_ranges = spec.ranges.items;
		need.nr_time_ranges = spec.ranges.nr;
	}
	progress_start(&progress, "reading", 0);
	need.progress = show_progress;
	need.progress_context = &progress;
	result = recording_ingest(recording, &need, err);
	progress_stop(&progress);
	time_spec_release(&spec);
	return result;
}

static int make_report(struct report *report, struct tracepoint_format_table *formats, struct err *err)
{
	R *options = (R *)report->options;
	struct options_view_facts facts;
	int result;

	find_facts(report->recording, formats, &facts);
	result = options_view_resolve(&options->view, &facts, report->view, report->text, err);
	if (result) {
		report->is_usage = true;
		return result;
	}
	report->view->verbose = options->verbose;
	report->view->group_sort_index = options->group_sort_index;
	report->view->cpu_socket = report->sockets.socket_of.items;
	report->view->nr_cpu_sockets = report->sockets.socket_of.nr;
	result = ingest(options, report->recording, report->view, report->text->graph.mode != CALLTREE_NONE,
			err);
	if (result)
		return result;
	if (!report->recording->profile->stats.nr_samples) {
		err_set(err, -ENODATA, "The %s data has no samples!", report->recording->path);
		if (options->view.time || options->view.cpus)
			err_hint(err, "--time and --cpu may leave nothing of it");
		return -ENODATA;
	}
	result = view_plan_new(report->recording->profile, report->view, &report->plan, err);
	if (result)
		return result;
	if (options->json)
		print_json(report);
	else
		print_text(report);
	return 0;
}

static int run_on(R *options, struct recording *recording, struct buf *buf, bool *ret_is_usage,
		  struct err *err)
{
	struct tracepoint_format_table *formats;
	struct view_options view = { 0 };
	struct group_text text = { 0 };
	struct report report = {
		.options = options, .recording = recording, .view = &view, .text = &text, .buf = buf
	};
	int result;

	if (options->header_only || options->stats || options->tasks || options->mmaps || options->dump)
		return print_listing(recording->reader, options, buf, err);
	load_formats(recording, &formats);
	perfdata_features_sockets(perfdata_reader_features(recording->reader), &report.sockets);
	text.color = text.graph.color = false;
	if (!options->json && color_wanted((enum color_mode)options->color, STDOUT_FILENO))
		text.color = true;
	result = make_report(&report, formats, err);
	view_plan_free(report.plan);
	view_options_release(&view);
	tracepoint_format_table_free(formats);
	array_release(&report.sockets.socket_of);
	*ret_is_usage = report.is_usage;
	return result;
}

static int report_run(int argc, char **argv)
{
	R options = { .view = OPTIONS_VIEW_DEFAULT, .symbol = OPTIONS_SYMBOL_DEFAULT, .group = true };
	struct symbolizer_options symbols;
	struct recording recording;
	struct err err = { 0 };
	struct buf buf;
	unsigned flags = 0;
	int status, result;
	bool is_usage = false;

	if (!command_parse(&command_report, &options, &argc, &argv, &status)) {
		options_view_release(&options.view);
		return status;
	}
	if (argc + (options.input != NULL) > 1) {
		options_view_release(&options.view);
		return command_usage_error(&command_report, "one recording at a time");
	}
	if (argc)
		options.input = argv[0];
	if (options.verbose)
		log_level = 1 + (int)options.verbose;
	if (options.tui)
		command_note("the full-screen view is not in this version yet: this is the text");
	flags |= options.force ? PERFDATA_ANY_OWNER : 0;
	flags |= options.header_only ? PERFDATA_HEADER_ONLY : 0;
	symbols = options_symbol_resolve(&options.symbol);
	if (recording_open(&recording, options.input, flags, &symbols, &err) < 0) {
		options_view_release(&options.view);
		return command_fail(&err);
	}
	command_paginate(&command_report);
	buf_init(&buf, STDOUT_FILENO);
	result = run_on(&options, &recording, &buf, &is_usage, &err);
	if (buf_flush(&buf) < 0 && !result && buf.error != -EPIPE)
		result = err_errno(&err, buf.error, "standard output");
	buf_release(&buf);
	if (!options.quiet && recording.profile)
		recording_note_damage(&recording);
	status = result < 0 ? command_fail(&err) : 0;
	if (is_usage)
		status = EXIT_USAGE;
	recording_close(&recording);
	options_view_release(&options.view);
	return status;
}

const struct command command_report = {
	.spec = {
		.name = "report",
		.summary = "Show where the samples of a recording were taken",
		.usage = { "report [<options>] [<file>]" },
		.description =
			"Reads a recording and shows, for each event, how its samples are spread over programs, "
			"libraries and functions.\n\n"
			"With call graphs, what a function calls counts as its own, too (column Children; Self is "
			"what it does itself), and below each row stands where the time went from there.\n\n"
			"Symbols of the running kernel are kept in ~/.cache/sonde (or $XDG_CACHE_HOME/sonde) for the "
			"next report; nothing is kept with SONDE_CACHE=0 in the environment.\n\n"
			"With --json one object is written: sonde_report_version (1), header (what the recording "
			"says of its machine), lost_samples, stacks (samples with a callchain, how many of them "
			"are complete, and the DSOs where the others break off) and tables, one for each event "
			"or group. A table has events (name, samples, lost_samples, period), samples, period "
			"and entries. An entry has its columns under their names as for --sort and --fields "
			"(percentages and counts are numbers, keys are strings), mode (user, kernel ...) beside "
			"symbol, self_period, self_samples, "
			"with --children also children_period, and callgraph: nodes of symbol, dso, period, "
			"samples and children. In tables of groups each number is an array, one value for "
			"each event.",
		.examples = {
			{ "report", "the recording in perf.data" },
			{ "report --no-children", "sorted by what functions do themselves, with their callers" },
			{ "report --sort comm,dso -g none", "programs and libraries only" },
			{ "report --time 10%/1 -C 0", "the first tenth, on CPU 0" },
			{ "report -n --sort srcline -S main", "the lines of one function" },
		},
		.sets = {
			{ report_rows, NR_ITEMS(report_rows), 0 },
			{ options_view_rows, OPTIONS_VIEW_NR_ROWS, offsetof(R, view) },
			{ options_symbol_rows, OPTIONS_SYMBOL_NR_ROWS, offsetof(R, symbol) },
		},
		.see_also = "record, script, flame, annotate",
	},
	.purpose = COMMAND_LOOK,
	.run = report_run,
};
