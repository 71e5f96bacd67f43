/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde script: every sample of a recording as lines of text, in the order of time.
 *
 * The text is what flame graph tools, hotspot, the Firefox profiler and people's own scripts read, so it is perf's to
 * the byte. Here the command line becomes a set of fields for each event and a filter; script_printer does the rest.
 */
#include "cmd/script_printer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/log.h"
#include "base/pool.h"
#include "cmd/command.h"
#include "cmd/options_symbol.h"
#include "cmd/program.h"
#include "cmd/recording.h"
#include "record/perfdata_print.h"
#include "profile/sideband.h"
#include "record/perfdata_format.h"
#include "record/sample_bits.h"
#include "record/sorter.h"

#define BIT(type) (1ull << RECORD_##type)

struct script_options {
	struct options_symbol symbol;
	const char *input;
	bool force;
	unsigned verbose;
	struct option_strings fields;
	bool hide_call_graph;
	uint64_t max_stack;
	bool max_stack_seen;
	const char *stop_bt;
	bool ns, reltime, deltatime, latency;
	struct script_filter_options filter;
	const char *switch_on, *switch_off;
	bool show_on_off;
	bool show_task, show_mmap, show_switch, show_lost, show_namespace, show_cgroup, show_bpf,
		show_text_poke;
	bool show_round, show_kernel_path, show_info, full_source_path;
	bool header, header_only, dump;
	bool per_event_dump;
	bool debug_mode;
};

typedef struct script_options S;

#define REFUSED(why) \
	.type = OPTION_TYPE_CALLBACK, .parse = option_refuse, .value = (intptr_t)(why), .flags = OPTION_HIDDEN
#define NO_DECODER \
	"(traces of instructions) is not in this version: Intel PT, CoreSight and SPE data is not decoded"
#define NO_SCRIPTS \
	"(scripts in Python and Perl) is not in this version: pipe the lines into the script instead"

static const struct option_row rows[] = {
	{ 'i', "input", OPTION_STRING(S, input), .arg = "file",
	  .help = "the recording (perf.data); - for standard input", .heading = "What to show" },
	{ 'F', "fields", OPTION_STRINGS(S, fields), .arg = "[type:]field,...",
	  .help = "these fields instead of the usual ones; +field adds, -field removes\n"
		  "Only of events of a type with hw:, sw:, trace: or raw: in front.\n"
		  "comm tid pid time cpu event trace ip sym dso dsoff addr symoff srcline\n"
		  "period iregs uregs brstack brstacksym brstackoff data_src weight\n"
		  "bpf-output insn insnlen phys_addr misc tod data_page_size\n"
		  "code_page_size ins_lat retire_lat cgroup" },
	{ 'G', "hide-call-graph", OPTION_FLAG(S, hide_call_graph),
	  .help = "only the place of each sample, without its callers" },
	{ .name = "max-stack",
	  OPTION_U64(S, max_stack),
	  OPTION_SEEN(S, max_stack_seen),
	  .arg = "n",
	  .help = "show so many frames of each callchain at most" },
	{ .name = "stop-bt",
	  OPTION_STRING(S, stop_bt),
	  .arg = "symbol[,symbol...]",
	  .help = "end callchains at these functions" },
	{ .name = "ns", OPTION_FLAG(S, ns), .help = "times to the nanosecond" },
	{ .name = "reltime", OPTION_FLAG(S, reltime), .help = "times since the first sample" },
	{ .name = "deltatime", OPTION_FLAG(S, deltatime), .help = "times since the line before" },
	{ 'L', "Latency", OPTION_FLAG(S, latency),
	  .help = "short names and CPU numbers, as latency tracers print them" },
	{ .name = "full-source-path",
	  OPTION_FLAG(S, full_source_path),
	  .help = "source files with their folders" },
	{ .name = "per-event-dump",
	  OPTION_FLAG(S, per_event_dump),
	  .help = "write the lines of each event to a file of its own, INPUT.EVENT.dump" },

	{ 'c', "comms", OPTION_STRING(S, filter.comms), .arg = "comm[,comm...]", .heading = "Which samples",
	  .help = "only of tasks with these names" },
	{ .name = "comm", OPTION_STRING(S, filter.comms), .arg = "comm[,comm...]", .flags = OPTION_HIDDEN },
	{ .name = "pid",
	  OPTION_STRING(S, filter.pids),
	  .arg = "pid[,pid...]",
	  .help = "only of these processes" },
	{ .name = "tid",
	  OPTION_STRING(S, filter.tids),
	  .arg = "tid[,tid...]",
	  .help = "only of these threads" },
	{ 'C', "cpu", OPTION_STRING(S, filter.cpus), .arg = "list",
	  .help = "only taken on these CPUs: 0-3,8" },
	{ .name = "time",
	  OPTION_STRING(S, filter.time),
	  .arg = "range",
	  .help = "only in this time: START,STOP in seconds, 10%/2 (the second tenth), 0%-10%" },
	{ 'S', "symbols", OPTION_STRING(S, filter.symbols), .arg = "symbol[,symbol...]",
	  .help = "only taken in these functions, or at these hexadecimal addresses" },
	{ .name = "addr-range",
	  OPTION_U64(S, filter.addr_range),
	  .arg = "n",
	  .help = "with addresses in -S: up to so many bytes behind them, too" },
	{ .name = "dsos",
	  OPTION_STRING(S, filter.dsos),
	  .arg = "dso[,dso...]",
	  .help = "only taken in these programs and libraries" },
	{ .name = "switch-on",
	  OPTION_STRING(S, switch_on),
	  .arg = "event",
	  .help = "only after this event has come" },
	{ .name = "switch-off",
	  OPTION_STRING(S, switch_off),
	  .arg = "event",
	  .help = "only until this event comes" },
	{ .name = "show-on-off-events",
	  OPTION_FLAG(S, show_on_off),
	  .help = "the switching events themselves, too" },

	{ .name = "show-task-events",
	  OPTION_FLAG(S, show_task),
	  .help = "tasks that begin, end and change their name",
	  .heading = "Records beside samples" },
	{ .name = "show-mmap-events", OPTION_FLAG(S, show_mmap), .help = "mappings" },
	{ .name = "show-switch-events", OPTION_FLAG(S, show_switch), .help = "context switches" },
	{ .name = "show-namespace-events", OPTION_FLAG(S, show_namespace), .help = "namespaces of tasks" },
	{ .name = "show-cgroup-events", OPTION_FLAG(S, show_cgroup), .help = "names of cgroups" },
	{ .name = "show-lost-events", OPTION_FLAG(S, show_lost), .help = "where records were lost" },
	{ .name = "show-bpf-events",
	  OPTION_FLAG(S, show_bpf),
	  .help = "BPF programs that are loaded and unloaded" },
	{ .name = "show-text-poke-events",
	  OPTION_FLAG(S, show_text_poke),
	  .help = "changes of the kernel's code" },
	{ .name = "show-round-events",
	  OPTION_FLAG(S, show_round),
	  .help = "where rounds of reading the rings ended" },

	{ .name = "header",
	  OPTION_FLAG(S, header),
	  .help = "what the file says about the recording first",
	  .heading = "About the file" },
	{ .name = "header-only", OPTION_FLAG(S, header_only), .help = "nothing but that" },
	{ 'I', "show-info", OPTION_FLAG(S, show_info), .help = "with --header: also what is long" },
	{ 'D', "dump-raw-trace", OPTION_FLAG(S, dump), .help = "each record in hexadecimal and in words" },
	{ .name = "dump-unsorted-raw-trace",
	  REFUSED("(records in the order of the file) is not in this version: -D shows them in the order of time") },
	{ 'd', "debug-mode", OPTION_FLAG(S, debug_mode), .help = "count records that are out of order" },
	{ 'f', "force", OPTION_FLAG(S, force), .help = "read files of other users" },
	{ 'v', "verbose", OPTION_COUNTER(S, verbose), .help = "say more" },
	{ .name = "show-kernel-path",
	  OPTION_FLAG(S, show_kernel_path),
	  .help = "the paths of the kernel (-k) and its modules instead of names in brackets" },

	{ .name = "itrace", REFUSED(NO_DECODER), .arg = "opts" },
	{ .name = "insn-trace", REFUSED(NO_DECODER) },
	{ .name = "call-trace", REFUSED(NO_DECODER) },
	{ .name = "call-ret-trace", REFUSED(NO_DECODER) },
	{ .name = "graph-function", REFUSED(NO_DECODER), .arg = "symbol" },
	{ .name = "xed", REFUSED(NO_DECODER) },
	{ .name = "max-blocks",
	  REFUSED("(decoding the code between branches) is not in this version"),
	  .arg = "n" },
	{ .name = "merge-callchains",
	  REFUSED("(joining user callchains that come later) is not in this version") },
	{ .name = "unwind-style", REFUSED("(unwinding raw stacks) is not in this version"), .arg = "style" },
	{ .name = "addr2line", REFUSED("is of no use: no program is run to find lines"), .arg = "path" },
	{ .name = "guest-code", REFUSED("(guests' symbols) is not in this version") },
	{ 'a', "all-cpus", REFUSED(NO_SCRIPTS) },
	{ .name = "stitch-lbr", REFUSED("(joining LBR callchains) is not in this version") },
	{ 's', "script", REFUSED(NO_SCRIPTS), .arg = "name" },
	{ 'g', "gen-script", REFUSED(NO_SCRIPTS), .arg = "lang" },
	{ 'l', "list", REFUSED(NO_SCRIPTS) },
	{ .name = "dlfilter", REFUSED("(filters in shared objects) is not in this version"), .arg = "file" },
	{ .name = "dlarg", REFUSED("(filters in shared objects) is not in this version"), .arg = "argument" },
	{ .name = "list-dlfilters", REFUSED("(filters in shared objects) is not in this version") },
	{ .name = "guestmount", REFUSED("(guests' symbols) is not in this version"), .arg = "directory" },
	{ .name = "guestkallsyms", REFUSED("(guests' symbols) is not in this version"), .arg = "file" },
	{ .name = "guestmodules", REFUSED("(guests' symbols) is not in this version"), .arg = "file" },
	{ .name = "guestvmlinux", REFUSED("(guests' symbols) is not in this version"), .arg = "file" },
};

/* ---- what is to be shown ------------------------------------------------------------------------ */

static uint64_t shown_records(const S *options)
{
	uint64_t show = 0;

	if (options->show_task)
		show |= BIT(COMM) | BIT(FORK) | BIT(EXIT);
	if (options->show_mmap)
		show |= BIT(MMAP) | BIT(MMAP2);
	if (options->show_switch)
		show |= BIT(SWITCH) | BIT(SWITCH_CPU_WIDE);
	if (options->show_namespace)
		show |= BIT(NAMESPACES);
	if (options->show_cgroup)
		show |= BIT(CGROUP);
	if (options->show_lost)
		show |= BIT(LOST) | BIT(LOST_SAMPLES);
	if (options->show_bpf)
		show |= BIT(KSYMBOL) | BIT(BPF_EVENT);
	if (options->show_text_poke)
		show |= BIT(KSYMBOL) | BIT(TEXT_POKE);
	return show;
}

static int parse_fields(const S *options, struct script_fields *fields, struct err *err)
{
	struct buf notes = BUF_INIT;
	int ret = 0;

	script_fields_init(fields);
	for (size_t i = 0; i < options->fields.nr && !ret; i++)
		ret = script_fields_parse(fields, options->fields.items[i], &notes, err);
	if (notes.size)
		fprintf(stderr, "%s", buf_text(&notes));
	buf_release(&notes);
	return ret;
}

static char *dump_name(const char *path, const char *event)
{
	char *name = xasprintf("%s.%s.dump", !strcmp(path, "-") ? "stdin" : path, event);

	/* An event's name may have terms in slashes. */
	for (char *pos = name + strlen(path); *pos; pos++)
		if (*pos == '/')
			*pos = '_';
	return name;
}

/* The styles of all events. */
static int make_events(const S *options, struct recording *recording, const struct script_fields *fields,
		       struct script_event *events, struct err *err)
{
	const struct event_table *table = perfdata_reader_events(recording->reader);
	int ret = script_fields_check(fields, table, err);

	for (size_t i = 0; i < table->events.nr && !ret; i++) {
		const struct recorded_event *event = &table->events.items[i];
		struct script_style *style = &events[i].style;

		ret = script_fields_of_event(fields, event, !options->hide_call_graph, &style->fields, err);
		style->has_chains = !options->hide_call_graph && event->attr.sample_type & SAMPLE_CALLCHAIN;
		style->is_latency = options->latency;
		style->is_ns = options->ns;
		/* Software event 9 is the dummy, which has no samples. */
		if (options->per_event_dump &&
		    !(event->attr.type == SCRIPT_KIND_SOFTWARE && event->attr.config == 9))
			events[i].dump_name = dump_name(recording->path, event->name);
	}
	return ret;
}

static bool is_64bit(struct recording *recording)
{
	const char *arch = perfdata_features_string(perfdata_reader_features(recording->reader),
						    PERFDATA_ARCH);

	return !arch || strstr(arch, "64");
}

static enum script_arch arch_of(struct recording *recording)
{
	const char *arch = perfdata_features_string(perfdata_reader_features(recording->reader),
						    PERFDATA_ARCH);

	if (!arch || !strcmp(arch, "x86_64") || (arch[0] == 'i' && !strcmp(arch + 2, "86")))
		return SCRIPT_ARCH_X86;
	return !strcmp(arch, "aarch64") ? SCRIPT_ARCH_ARM64 : SCRIPT_ARCH_OTHER;
}

/* Times of the first and the last sample, for shares of the recording. */
static int sample_span(struct recording *recording, uint64_t *ret_first, uint64_t *ret_last, struct err *err)
{
	struct record_source *source = perfdata_reader_source(recording->reader);
	const struct event_table *events = perfdata_reader_events(recording->reader);
	struct record_block block;
	int ret;

	if (perfdata_features_sample_time(perfdata_reader_features(recording->reader), ret_first, ret_last))
		return 0;
	*ret_first = UINT64_MAX;
	*ret_last = 0;
	while ((ret = record_source_next(source, &block, err)) > 0) {
		for (const struct record_header *raw = record_first(&block); raw;
		     raw = record_next(&block, raw)) {
			uint64_t time = raw->type == RECORD_SAMPLE ? event_table_record_time(events, raw)
								   : RECORD_NO_TIME;

			if (time == RECORD_NO_TIME)
				continue;
			*ret_first = time < *ret_first ? time : *ret_first;
			*ret_last = time > *ret_last ? time : *ret_last;
		}
		record_source_done(source, &block);
	}
	if (*ret_first > *ret_last)
		*ret_first = *ret_last = 0;
	return ret < 0 ? ret : record_source_rewind(source, err);
}

/* ---- running ------------------------------------------------------------------------------------ */

struct script {
	const S *options;
	struct recording recording;
	struct script_fields fields;
	struct script_event *events;
	struct tracepoint_format_table *formats;
	struct sideband sideband;
	struct script_filter filter;
	struct perfdata_clock clock;
	ARRAY(const char *) stop_symbols;
	char *stop_words;
	bool is_pipe;
	bool is_streaming;
};

static bool any_event_has(const struct script *script, uint64_t bit)
{
	const struct event_table *table = perfdata_reader_events(script->recording.reader);

	for (size_t i = 0; i < table->events.nr; i++)
		if (script->events[i].style.fields & bit)
			return true;
	return false;
}

static void split_stop_symbols(struct script *script)
{
	char *pos, *word;

	if (!script->options->stop_bt)
		return;
	script->stop_words = pos = xstrdup(script->options->stop_bt);
	while ((word = strsep(&pos, ",")))
		if (*word)
			array_push(&script->stop_symbols, word);
	array_push(&script->stop_symbols, NULL);
}

static int check_cpus(const struct event_table *table, const char *cpus, struct err *err)
{
	if (!cpus)
		return 0;
	for (size_t i = 0; i < table->events.nr; i++)
		if (!(table->events.items[i].attr.sample_type & SAMPLE_CPU))
			return err_set(err, -EINVAL,
				       "File does not contain CPU events. Remove -C option to proceed.");
	return 0;
}

static int check_switch_event(const struct event_table *table, const char *name, struct err *err)
{
	if (!name)
		return 0;
	for (size_t i = 0; i < table->events.nr; i++)
		if (!strcmp(table->events.items[i].name, name))
			return 0;
	return err_set(err, -EINVAL, "the recording has no event '%s' to switch by", name);
}

static int prepare(struct script *script, struct err *err)
{
	const S *options = script->options;
	struct perfdata_reader *reader = script->recording.reader;
	struct event_table *table = perfdata_reader_events(reader);
	struct span formats = perfdata_reader_tracing_data(reader);
	uint64_t first = 0, last = 0;
	struct err format_err;
	int ret;

	script->events = xcalloc(table->events.nr + 1, sizeof(*script->events));
	ret = make_events(options, &script->recording, &script->fields, script->events, err);
	if (!ret)
		ret = check_cpus(table, options->filter.cpus, err);
	if (!ret)
		ret = check_switch_event(table, options->switch_on, err);
	if (!ret)
		ret = check_switch_event(table, options->switch_off, err);
	if (ret < 0)
		return ret;
	if (any_event_has(script, SCRIPT_BIT(TOD)) &&
	    !perfdata_features_clock(perfdata_reader_features(reader), &script->clock))
		return err_set(
			err, -EINVAL,
			"Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option.");
	if (formats.size && any_event_has(script, SCRIPT_BIT(TRACE)) &&
	    tracepoint_format_table_load(formats, &script->formats, &format_err) < 0)
		command_note("%s", format_err.text);
	split_stop_symbols(script);
	if (!script->is_streaming) {
		struct record_source *source = perfdata_reader_source(reader);

		ret = sideband_read(source, table, script->recording.machine, NULL, &script->sideband, err);
		if (!ret)
			ret = record_source_rewind(source, err);
		if (ret < 0)
			return ret;
	}
	if (options->filter.time && time_spec_is_share(options->filter.time)) {
		if (script->is_pipe)
			return err_set(err, -EINVAL,
				       "--time: shares of a recording that is still coming are not known");
		ret = sample_span(&script->recording, &first, &last, err);
		if (ret < 0)
			return ret;
	}
	return script_filter_init(&script->filter, &options->filter, first, last, err);
}

/* The blocks that the index pass has found and checked, once more. */
struct replay {
	struct record_source source;
	const struct sideband *sideband;
	size_t next;
};

static int replay_next(struct record_source *source, struct record_block *ret_block, struct err *err)
{
	struct replay *replay = (struct replay *)source;

	(void)err;
	if (replay->next == replay->sideband->blocks.nr)
		return 0;
	*ret_block = replay->sideband->blocks.items[replay->next++];
	return 1;
}

static void replay_done(struct record_source *source, struct record_block *block)
{
	(void)source;
	(void)block;
}

static int replay_rewind(struct record_source *source, struct err *err)
{
	(void)err;
	((struct replay *)source)->next = 0;
	return 0;
}

static void note_counts(const struct script *script, const struct script_counts *counts,
			struct sorter *sorter)
{
	const char *path = script->recording.path;

	recording_note_damage(&script->recording);
	if (counts->nr_bad)
		command_note("%s: %" PRIu64
			     " records too short for their type were skipped, the first at offset %#" PRIx64,
			     path, counts->nr_bad, counts->first_bad_offset);
	if (counts->nr_unknown)
		command_note("%s: %" PRIu64 " samples of events that the file does not describe were skipped",
			     path, counts->nr_unknown);
	if (counts->nr_lost)
		command_note("%s: %" PRIu64 " records were lost in %" PRIu64
			     " places while recording: larger buffers (record -m) or a "
			     "lower rate (-F) keep them",
			     path, counts->nr_lost, counts->nr_lost_places);
	if (counts->nr_raw_dumps && !script->options->hide_call_graph)
		command_note(
			"%s: %" PRIu64
			" samples hold raw stack dumps, which are not unwound yet: their user stacks are missing",
			path, counts->nr_raw_dumps);
	if (counts->nr_deferred && !script->options->hide_call_graph)
		command_note(
			"%s: the user callchains of %" PRIu64
			" samples come later in the file (deferred), which is not read yet: they are missing",
			path, counts->nr_deferred);
	if (script->options->debug_mode)
		fprintf(stderr, "Misordered timestamps: %" PRIu64 "\n",
			counts->nr_misordered + sorter_nr_late(sorter));
}

static void say_dumped(const struct script *script)
{
	const struct event_table *table = perfdata_reader_events(script->recording.reader);

	for (size_t i = 0; i < table->events.nr; i++) {
		const struct script_event *event = &script->events[i];

		if (event->dump_name)
			printf("[ %s script: Wrote %.3f MB %s (%" PRIu64 " samples) ]\n", program_name(),
			       (double)event->dump_size / 1024 / 1024, event->dump_name, event->nr_dumped);
	}
	fflush(stdout);
}

static int print_lines(struct script *script, struct err *err)
{
	const S *options = script->options;
	struct perfdata_reader *reader = script->recording.reader;
	struct replay replay = { { replay_next, replay_done, replay_rewind, true }, &script->sideband, 0 };
	struct record_source *source = script->sideband.blocks.nr ? &replay.source
								  : perfdata_reader_source(reader);
	const struct event_table *table = perfdata_reader_events(reader);
	struct sorter *sorter = sorter_new(source, table, perfdata_reader_nr_streams(reader));
	struct script_counts counts;
	struct script_printer_config config = {
		.machine = script->recording.machine,
		.symbolizer = script->recording.symbolizer,
		.events = table,
		.event_styles = script->events,
		.formats = script->formats,
		.clock = script->clock.clock_time ? &script->clock : NULL,
		.filter = &script->filter,
		.arch = arch_of(&script->recording),
		.is_64bit = is_64bit(&script->recording),
		.show = shown_records(options),
		.show_rounds = options->show_round,
		.full_source_path = options->full_source_path,
		.show_kernel_path = options->show_kernel_path,
		.vmlinux = options->symbol.vmlinux,
		.is_relative = options->reltime,
		.is_delta = options->deltatime,
		.is_streaming = script->is_streaming,
		.check_order = options->debug_mode,
		.max_stack = options->max_stack_seen && options->max_stack < UINT32_MAX
				     ? (uint32_t)options->max_stack
				     : UINT32_MAX,
		.stop_symbols = script->stop_symbols.items,
		.switch_on = options->switch_on,
		.switch_off = options->switch_off,
		.show_switches = options->show_on_off,
		.nr_workers = pool_workers(),
		.fd = STDOUT_FILENO,
		.dump = options->dump ? record_dump_new(reader) : NULL,
		.sorter = sorter,
		.is_stable = source->stable,
	};
	int ret = script_printer_run(&config, &counts, err);

	if (!ret) {
		note_counts(script, &counts, sorter);
		if (options->per_event_dump)
			say_dumped(script);
	}
	record_dump_free(config.dump);
	sorter_free(sorter);
	return ret;
}

static void release(struct script *script)
{
	const struct event_table *table = script->recording.reader
						  ? perfdata_reader_events(script->recording.reader)
						  : NULL;

	for (size_t i = 0; script->events && i < table->events.nr; i++)
		free((char *)script->events[i].dump_name);
	free(script->events);
	script_filter_release(&script->filter);
	tracepoint_format_table_free(script->formats);
	sideband_release(&script->sideband);
	array_release(&script->stop_symbols);
	free(script->stop_words);
	if (script->recording.reader)
		recording_close(&script->recording);
}

static bool is_fifo(const char *path)
{
	struct stat st;

	return (!path || !strcmp(path, "-")) && !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode);
}

static int print_header(const struct script *script, struct err *err)
{
	struct buf buf;
	int ret;

	buf_init(&buf, STDOUT_FILENO);
	perfdata_print_header(script->recording.reader, script->options->show_info, &buf);
	ret = buf_flush(&buf);
	buf_release(&buf);
	return ret < 0 ? err_errno(err, ret, "writing the output") : 0;
}

static int run(struct script *script, struct err *err)
{
	const S *options = script->options;
	struct symbolizer_options symbols = options_symbol_resolve(&options->symbol);
	unsigned flags = 0;
	int ret;

	script->is_pipe = is_fifo(options->input);
	/* What records beside samples say is shown as it was known when they came. */
	script->is_streaming = script->is_pipe || shown_records(options);
	if (options->force)
		flags |= PERFDATA_ANY_OWNER;
	if (script->is_pipe)
		flags |= PERFDATA_ONE_PASS;
	if (options->header_only)
		flags |= PERFDATA_HEADER_ONLY;
	ret = recording_open(&script->recording, options->input, flags, &symbols, err);
	if (ret < 0)
		return ret;
	command_paginate(&command_script);
	if (options->header || options->header_only)
		ret = print_header(script, err);
	if (ret < 0 || options->header_only)
		return ret;
	ret = prepare(script, err);
	return ret < 0 ? ret : print_lines(script, err);
}

static int refuse_script(char **argv)
{
	const char *name = argv[0];

	if ((!strcmp(name, "report") || !strcmp(name, "record")) && argv[1])
		name = argv[1];
	if (!strcmp(name, "flamegraph"))
		return command_failf("running scripts is not built in; for a flame graph: %s flame",
				     program_name());
	if (!strcmp(name, "stackcollapse"))
		return command_failf("running scripts is not built in; for folded stacks: %s flame --folded",
				     program_name());
	return command_failf(
		"running scripts ('%s') is not built in: pipe the lines of `%s script` into it instead", name,
		program_name());
}

static int script_run(int argc, char **argv)
{
	S options = { .symbol = OPTIONS_SYMBOL_DEFAULT };
	struct script script = { .options = &options };
	struct err err = { 0 };
	int status, ret;

	if (!command_parse(&command_script, &options, &argc, &argv, &status))
		return status;
	log_level += (int)options.verbose;
	if (argc)
		return refuse_script(argv);
	if (options.reltime && options.deltatime)
		return command_failf(
			"reltime and deltatime - the two don't get along well. Please limit to --reltime or --deltatime.");
	ret = parse_fields(&options, &script.fields, &err);
	if (ret < 0) {
		fprintf(stderr, "%s\n", err.text);
		status = ret == -EINVAL ? command_usage(&command_script) : EXIT_FAILED;
	} else {
		ret = run(&script, &err);
		status = ret < 0 ? command_fail(&err) : 0;
	}
	release(&script);
	option_strings_release(&options.fields);
	return status;
}

const struct command command_script = {
	.spec = { .name = "script",
		  .summary = "Print every sample as text",
		  .usage = { "script [<options>]" },
		  .description =
			  "Prints the samples of a recording in the order of time, one line each, with the callchain on "
			  "the lines below. The format is perf's, for the many tools that read it.",
		  .examples = { { "script | stackcollapse-perf.pl | flamegraph.pl > out.svg",
				  "a flame graph, the old way" },
				{ "script -F comm,tid,cpu,time,event,trace", "a trace of kernel events" },
				{ "script --time 10%-20% -C 3", "what ran on CPU 3 in the second tenth" },
				{ "script --show-task-events --show-mmap-events",
				  "also who began, ended and mapped what" } },
		  .sets = { { rows, NR_ITEMS(rows), 0 },
			    { options_symbol_rows, OPTIONS_SYMBOL_NR_ROWS, offsetof(S, symbol) } },
		  .see_also = "record, report, flame" },
	.purpose = COMMAND_LOOK,
	.run = script_run,
};
