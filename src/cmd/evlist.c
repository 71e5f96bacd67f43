/* SPDX-License-Identifier: Apache-2.0 */
/* evlist: the events of a recording. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/recording.h"
#include "record/perfdata_print.h"
#include "record/perfdata_reader.h"
#include "record/tracing_data.h"

struct evlist_options {
	const char *input;
	bool force, freq, group, trace_fields;
	unsigned verbose;
};

#define E struct evlist_options

static const struct option_row rows[] = {
	{ 'f', "force", OPTION_FLAG(E, force), .help = "read files of other owners, too" },
	{ 'F', "freq", OPTION_FLAG(E, freq), .help = "with the frequency or period of each event" },
	{ 'g', "group", OPTION_FLAG(E, group), .help = "events of a group together, in braces" },
	{ 'i', "input", OPTION_STRING(E, input), .arg = "file", .help = "the recording (perf.data)" },
	{ 'v', "verbose", OPTION_COUNTER(E, verbose),
	  .help = "with everything that the kernel was asked for" },
	{ .name = "trace-fields", OPTION_FLAG(E, trace_fields), .help = "with the fields of tracepoints" },
};

struct field_list {
	struct buf *buf;
	bool any;
};

static void put_field(void *context, const char *name, size_t size)
{
	struct field_list *list = context;

	if (list->any)
		buf_putc(list->buf, ',');
	list->any = true;
	buf_put(list->buf, name, size);
}

static void put_trace_fields(const struct recorded_event *event, const struct tracing_data *formats,
			     struct buf *buf)
{
	const struct tracing_format *format = tracing_data_find(formats, event->attr.config);
	struct field_list list = { buf, false };

	if (event->attr.type != 2 || !format) {
		buf_str(buf, "(not a tracepoint)");
		return;
	}
	buf_str(buf, "trace_fields: ");
	tracing_format_fields(format, put_field, &list);
}

static void put_group(const struct event_table *events, uint32_t leader, struct buf *buf)
{
	const struct recorded_event *event = &events->events.items[leader];

	if (event->leader != leader)
		return;
	if (event->nr_members > 1) {
		if (event->group_name)
			buf_str(buf, event->group_name);
		buf_putc(buf, '{');
	}
	for (uint32_t i = 0; i < event->nr_members; i++)
		buf_printf(buf, "%s%s", i ? "," : "", events->events.items[leader + i].name);
	buf_str(buf, event->nr_members > 1 ? "}\n" : "\n");
}

static void put_event(const struct evlist_options *options, struct perfdata_reader *reader,
		      const struct recorded_event *event, const struct tracing_data *formats, struct buf *buf)
{
	const char *separator = ": ";

	buf_str(buf, event->name);
	if (options->verbose) {
		buf_str(buf, separator);
		perfdata_print_attr(&event->attr, ": ", perfdata_reader_features(reader), event->name, buf);
		separator = ", ";
	} else if (options->freq) {
		buf_printf(buf, "%ssample_%s=%" PRIu64, separator,
			   event->attr.flags & ATTR_FREQ ? "freq" : "period", event->attr.sample_period);
		separator = ", ";
	}
	if (options->trace_fields) {
		buf_str(buf, separator);
		put_trace_fields(event, formats, buf);
	}
	buf_putc(buf, '\n');
}

static void put_events(const struct evlist_options *options, struct perfdata_reader *reader, struct buf *buf)
{
	const struct event_table *events = perfdata_reader_events(reader);
	struct tracing_data *formats = tracing_data_parse(perfdata_reader_tracing_data(reader));
	bool has_groups = false, has_tracepoints = false;

	for (uint32_t i = 0; i < events->events.nr; i++) {
		const struct recorded_event *event = &events->events.items[i];

		has_groups |= event->nr_members > 1;
		has_tracepoints |= event->attr.type == 2;
		if (options->group)
			put_group(events, i, buf);
		else
			put_event(options, reader, event, formats, buf);
	}
	if (has_tracepoints && !options->trace_fields)
		buf_printf(buf,
			   "# Tip: use '%s evlist --trace-fields' to show fields for tracepoint events\n",
			   program_name());
	if (has_groups && !options->group)
		buf_printf(buf, "# Tip: use '%s evlist -g' to show group information\n", program_name());
	tracing_data_free(formats);
}

static int evlist_run(int argc, char **argv)
{
	struct evlist_options options = { .input = "perf.data" };
	struct perfdata_reader *reader;
	struct err err = { 0 };
	struct buf buf;
	int status;

	if (!command_parse(&command_evlist, &options, &argc, &argv, &status))
		return status;
	if (argc)
		return command_usage(&command_evlist);
	if (options.group && (options.verbose || options.freq))
		return command_usage_error(&command_evlist,
					   "--group option is not compatible with other options");
	if (recording_reader_open(options.input,
				  PERFDATA_ONE_PASS | PERFDATA_HEADER_ONLY |
					  (options.force ? PERFDATA_ANY_OWNER : 0),
				  &reader, &err) < 0)
		return command_fail(&err);
	buf_init(&buf, STDOUT_FILENO);
	put_events(&options, reader, &buf);
	status = command_print(&buf);
	perfdata_reader_close(reader);
	return status;
}

const struct command command_evlist = {
	.spec = { .name = "evlist",
		  .summary = "List the events of a recording",
		  .usage = { "evlist [<options>]" },
		  .sets = { { rows, NR_ITEMS(rows), 0 } } },
	.purpose = COMMAND_LOOK,
	.run = evlist_run,
};
