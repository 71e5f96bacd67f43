/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of things, which matters:
 *
 *	the command is forked before any thread, descriptor or signal mask of ours can leak into it
 *	counters are opened before the output, so that what cannot be recorded leaves the old file alone
 *	side-band counts before the snapshot is taken, so that nothing falls between the two
 *	of processes that run already, events are on before the snapshot; of the whole machine after it, so that
 *	    the snapshot does not see itself
 */
#include "cmd/record_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "capture/control.h"
#include "capture/counter_advice.h"
#include "capture/keeper.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/record_command.h"
#include "cmd/record_output.h"
#include "cmd/record_snapshot.h"
#include "cmd/record_words.h"
#include "record/tracing_data.h"

struct session {
	struct record_options *options;
	struct perfdata_context context;
	struct target target;
	struct record_command command;
	struct counter_set counters;
	struct event_table table;
	struct record_output output;
	struct drain drain;
	struct recorder recorder;
	struct control control;
	struct keeper *keeper;
	struct buf tracing_data;
	int *event_cgroups;
	uint64_t *lost; /* of each event */
};

static bool is_quiet(const struct session *session)
{
	return session->options->quiet;
}

/* ---- counters ---- */

static void print_notes(const struct session *session)
{
	const struct counter_fallback *fallback = &session->counters.fallback;
	const char *hidden = NULL;

	if (is_quiet(session))
		return;
	for (size_t i = 0; i < fallback->notes.nr; i++)
		command_note("%s", fallback->notes.items[i]);
	for (size_t i = 0; i < session->options->events.list.events.nr && !hidden; i++) {
		const struct event *event = &session->options->events.list.events.items[i];

		if (!(event->attr.flags & ATTR_EXCLUDE_KERNEL))
			hidden = counter_advice_kernel_symbols();
	}
	if (hidden)
		command_note("%s", hidden);
}

static int open_counters(struct session *session, struct err *err)
{
	struct record_options *options = session->options;
	struct options_event *events = &options->events;
	struct counter_plan plan = { .events = &events->list,
				     .sampling = &options->sampling,
				     .target = &session->target,
				     .command_cgroup = session->command.cgroup.fd,
				     .ring_size = options->ring_size,
				     .ring_size_given = options->ring_size != 0 };
	int code;

	if (events->cgroups) {
		if (session->target.kind != TARGET_CPUS)
			return err_set(err, -EINVAL, "-G (cgroups) needs whole CPUs: -a or -C");
		/* One more for the side-band, which is of all. */
		session->event_cgroups = xreallocarray(NULL, events->list.events.nr + 1, sizeof(int));
		code = options_event_open_cgroups(events, session->event_cgroups, err);
		if (code < 0)
			return code;
		session->event_cgroups[events->list.events.nr] = -1;
		plan.event_cgroups = session->event_cgroups;
	}
	code = sampling_apply(&options->sampling, &session->target, &events->list, err);
	if (code >= 0)
		code = counter_set_open(&session->counters, &plan, err);
	if (code >= 0)
		code = counter_set_filter(&session->counters, &events->list, events->parser.tracefs, err);
	if (code < 0)
		return code;
	print_notes(session);
	if (!session->counters.by_cgroup && session->command.cgroup.fd >= 0)
		log_debug("the command is followed by its tasks: counters of CPUs are not allowed");
	return 0;
}

/* The list as recordings describe it. */
static void fill_table(struct session *session)
{
	const struct event_list *list = &session->options->events.list;
	const struct counter_set *set = &session->counters;

	event_table_init(&session->table);
	for (size_t i = 0; i < list->events.nr; i++) {
		const struct event *event = &list->events.items[i];
		uint32_t index = event_table_add(&session->table, &event->attr, event->name);
		struct recorded_event *recorded = &session->table.events.items[index];

		if (event->leader == EVENT_NO_LEADER)
			continue;
		recorded->leader = event->leader;
		session->table.events.items[event->leader].nr_members += event->leader != i;
		if (event->group_name)
			recorded->group_name = xstrdup(event->group_name);
	}
	for (size_t i = 0; i < set->counters.nr; i++)
		event_table_add_id(&session->table, set->counters.items[i].event, set->counters.items[i].id);
}

static int build_tracing_data(struct session *session, struct err *err)
{
	const struct event_list *list = &session->options->events.list;
	ARRAY(char *) names = { 0 };
	int code = 0;

	buf_init(&session->tracing_data, -1);
	for (size_t i = 0; i < list->events.nr; i++) {
		char *name;

		if (!list->events.items[i].is_tracepoint)
			continue;
		name = xstrdup(list->events.items[i].name);
		if (strchr(name, ':'))
			*strchr(name, ':') = '/';
		array_push(&names, name);
	}
	if (names.nr)
		code = tracing_data_build(session->options->events.parser.tracefs,
					  (const char *const *)names.items, names.nr, &session->tracing_data,
					  err);
	for (size_t i = 0; i < names.nr; i++)
		free(names.items[i]);
	array_release(&names);
	session->context.tracing_data = (struct span){ (const uint8_t *)session->tracing_data.data,
						       session->tracing_data.size };
	return code;
}

static struct record_snapshot snapshot_of(struct session *session)
{
	return (struct record_snapshot){ .options = session->options,
					 .target = &session->target,
					 .command = &session->command,
					 .counters = &session->counters,
					 .table = &session->table,
					 .sink = &session->output.sink,
					 .keeper = session->keeper };
}

static void read_lost(struct session *session)
{
	const struct event_list *list = &session->options->events.list;
	const struct counter_set *set = &session->counters;

	session->lost = xcalloc(list->events.nr, sizeof(*session->lost));
	for (size_t i = 0; i < set->counters.nr; i++) {
		const struct counter *counter = &set->counters.items[i];

		session->lost[counter->event] += counter_read_lost(counter,
								   &list->events.items[counter->event].attr);
	}
}

/* ---- files ---- */

static void update_context(struct session *session)
{
	const struct sampling *sampling = &session->options->sampling;
	const struct drain_counts *counts = &session->drain.counts;

	session->context.has_sample_time = counts->first_time != RECORD_NO_TIME;
	session->context.first_time = counts->first_time;
	session->context.last_time = counts->last_time;
	if (sampling->has_clockid) {
		struct timespec resolution = { 0, 1 };

		clock_getres(sampling->clockid, &resolution);
		session->context.has_clockid = true;
		session->context.clockid = sampling->clockid;
		session->context.clockid_resolution = (uint64_t)resolution.tv_sec * NSEC_PER_SEC +
						      (uint64_t)resolution.tv_nsec;
		session->context.wall_time = clock_now(CLOCK_REALTIME);
		session->context.clock_time = clock_now(sampling->clockid);
	}
}

static uint64_t written(void *context)
{
	struct session *session = context;

	return record_output_size(&session->output);
}

static int rotate(void *context, struct err *err)
{
	struct session *session = context;
	struct record_snapshot snapshot = snapshot_of(session);
	int code;

	update_context(session);
	code = record_output_rotate(&session->output, &session->context, err);
	if (code < 0)
		return code;
	session->drain.counts.first_time = session->drain.counts.last_time = RECORD_NO_TIME;
	if (!is_quiet(session))
		fprintf(stderr, "[ %s record: Dump %s ]\n", program_name(), session->output.last_path);
	return record_snapshot_put(&snapshot, false, err);
}

static void answer(void *context, enum control_command command, const char *argument)
{
	struct session *session = context;
	const struct event_list *list = &session->options->events.list;

	if (command != CONTROL_EVLIST) {
		if (!is_quiet(session))
			command_note("--control: unknown command '%s'", argument);
		return;
	}
	for (size_t i = 0; i < list->events.nr; i++)
		fprintf(stderr, "%s\n", list->events.items[i].name);
}

static void switched(void *context, bool enabled)
{
	if (!is_quiet(context))
		fprintf(stderr, "Events %s\n", enabled ? "enabled" : "disabled");
}

static void mapped(void *context, const struct record_header *raw)
{
	struct session *session = context;

	keeper_tell(session->keeper, raw);
}

static void start_keeper(struct session *session)
{
	const struct keeper_options options = { .dir = program_buildid_dir(NULL),
						.read_build_id = record_snapshot_read_build_id };
	const struct record_options *asked = session->options;

	if (asked->no_build_ids || asked->no_build_id_cache)
		return;
	session->keeper = keeper_new(&options);
	if (session->keeper) {
		session->drain.mapped = mapped;
		session->drain.mapped_context = session;
	}
}

static int open_output(struct session *session, struct err *err)
{
	struct record_output *output = &session->output;
	const struct record_options *options = session->options;
	int code;

	output->compression_level = options->compression_level;
	output->is_timestamped = options->timestamp_filename || options->switch_on_signal ||
				 options->switch_size || options->switch_time;
	output->max_files = options->switch_max_files;
	fill_table(session);
	session->context.events = &session->table;
	session->context.compression_level = options->compression_level;
	code = build_tracing_data(session, err);
	if (code >= 0)
		code = record_output_open(output, options->output, err);
	if (code >= 0 && output->in_place && output->is_timestamped)
		code = err_set(err, -EINVAL, "a row of files needs a file's name (-o), not %s", output->path);
	update_context(session);
	return code < 0 ? code : record_output_begin(output, &session->context, err);
}

/* ---- the recording ---- */

static void prepare_drain(struct session *session)
{
	const struct event_list *list = &session->options->events.list;
	const struct sample_layout *layout = &session->table.events.items[0].layout;
	struct drain *drain = &session->drain;

	drain->sink = &session->output.sink;
	drain->rings = session->counters.rings.items;
	drain->nr_rings = session->counters.rings.nr;
	drain->pid_offset = layout->tid;
	drain->time_offset = layout->time;
	/* All events have the same fields in front of it, or time is not to be had so simply. */
	for (size_t i = 1; i < list->events.nr; i++)
		if (session->table.events.items[i].layout.time != layout->time)
			drain->time_offset = 0;
	if (session->options->events.exclude_self)
		drain->exclude_pid = getpid();
	drain_init(drain);
}

static void prepare_recorder(struct session *session)
{
	const struct record_options *options = session->options;
	struct recorder *recorder = &session->recorder;

	recorder->set = &session->counters;
	recorder->events = &options->events.list;
	recorder->target = &session->target;
	recorder->workload = &session->command.workload;
	recorder->argv = session->command.argv;
	recorder->drain = &session->drain;
	recorder->control = session->control.fd >= 0 ? &session->control : NULL;
	recorder->ranges = options->delays.items;
	recorder->nr_ranges = options->delays.nr;
	recorder->start_disabled = options->start_disabled;
	recorder->timeout = options->timeout;
	/* Slow compression would keep others from running. */
	recorder->realtime = options->realtime == RECORDER_REALTIME_AUTO && options->compression_level > 3
				     ? 0
				     : options->realtime;
	recorder->written = written;
	recorder->max_size = options->max_size;
	recorder->switch_size = options->switch_size;
	recorder->switch_time = options->switch_time;
	recorder->switch_on_signal = options->switch_on_signal;
	recorder->rotate = session->output.is_timestamped && (options->switch_on_signal ||
							      options->switch_size || options->switch_time)
				   ? rotate
				   : NULL;
	recorder->command = answer;
	recorder->switched = switched;
	recorder->context = session;
}

static int raise_priority(struct session *session, struct err *err)
{
	const struct record_options *options = session->options;

	session->recorder.realtime = options->realtime;
	/* Slow compression would keep others from running. */
	if (options->realtime == RECORDER_REALTIME_AUTO && options->compression_level > 3)
		session->recorder.realtime = 0;
	return recorder_raise_priority(&session->recorder, err);
}

static int finish(struct session *session, struct err *err)
{
	struct record_snapshot snapshot = snapshot_of(session);
	struct err tail_err;
	int tail, code;

	read_lost(session);
	tail = record_snapshot_put_tail(&snapshot, session->lost, &tail_err);
	update_context(session);
	code = record_output_finish(&session->output, &session->context, err);
	if (code >= 0 && tail < 0) {
		*err = tail_err;
		code = tail;
	}
	return code;
}

static void describe_end(struct session *session, int end, const struct err *err)
{
	const struct record_words words = {
		.options = session->options,
		.counts = &session->drain.counts,
		.table = &session->table,
		.lost = session->lost,
		.ring_size = session->counters.ring_size,
		.wakeups = session->recorder.wakeups,
		.output = &session->output,
		.end = end,
	};
	struct keeper_counts kept = { 0 };

	if (session->keeper)
		keeper_finish(session->keeper, &kept);
	if (end == RECORDER_FAILED)
		record_words_failed(&words, err);
	if (!is_quiet(session))
		record_words_print(&words);
	if (kept.kept)
		log_debug("%u files that are gone or of containers were kept in the build-id cache",
			  kept.kept);
	if (kept.gone)
		log_debug("%u files were gone before they could be kept: their functions will have no names",
			  kept.gone);
}

static int record(struct session *session, struct err *err)
{
	struct record_snapshot snapshot;
	struct err end_err;
	int code, end, status;

	prepare_drain(session);
	prepare_recorder(session);
	start_keeper(session);
	if (session->target.kind == TARGET_TASKS && !session->options->start_disabled &&
	    !session->options->delays.nr)
		counter_set_start(&session->counters, &session->options->events.list, false);
	snapshot = snapshot_of(session);
	code = record_snapshot_put(&snapshot, true, err);
	if (code < 0)
		return code;
	end = recorder_run(&session->recorder, &end_err);
	if (end < 0) {
		*err = end_err;
		return end;
	}
	code = finish(session, err);
	if (code < 0 && end != RECORDER_FAILED) {
		end = RECORDER_FAILED;
		end_err = *err;
	}
	record_command_end(&session->command);
	describe_end(session, end, &end_err);
	status = end == RECORDER_COMMAND_ENDED ? workload_exit_status(&session->command.workload) : 0;
	return end == RECORDER_FAILED ? EXIT_FAILED : status;
}

static int prepare(struct session *session, struct err *err)
{
	struct record_options *options = session->options;
	struct target_request request = options_target_request(&options->target,
							       session->command.argv != NULL);
	int code;

	code = record_options_finish(options, err);
	/* Threads that are named one by one are meant one by one. */
	if (request.tids && !request.pids)
		options->sampling.no_inherit = true;
	if (code >= 0)
		code = target_resolve(&request, &session->target, err);
	if (code >= 0 && session->command.argv)
		code = workload_check(session->command.argv[0], err);
	if (code >= 0 && options->control)
		code = control_open(options->control, &session->control, err);
	if (code < 0)
		return code;
	if (session->target.overridden[0] && !is_quiet(session))
		command_note("recording %s", session->target.overridden);
	record_words_begin(options);
	return 0;
}

static void release(struct session *session)
{
	record_command_release(&session->command);
	recorder_restore_signals(&session->recorder);
	control_close(&session->control);
	keeper_free(session->keeper);
	counter_set_release(&session->counters, &session->options->events.list);
	drain_release(&session->drain);
	record_output_release(&session->output);
	if (session->context.events)
		event_table_release(&session->table);
	target_release(&session->target);
	buf_release(&session->tracing_data);
	free(session->event_cgroups);
	free(session->lost);
}

int record_session_run(struct record_options *options, char *const *argv, const char *const *cmdline,
		       uint32_t nr_cmdline, struct record_session_result *ret_result, struct err *err)
{
	struct session session = { .options = options,
				   .command = RECORD_COMMAND_INIT(argv),
				   .control = CONTROL_NO,
				   .output = { .fd = -1 },
				   .tracing_data = BUF_INIT };
	int code;

	*ret_result = (struct record_session_result){ 0 };
	session.context.cmdline = cmdline;
	session.context.nr_cmdline = nr_cmdline;
	session.context.version = program_version();
	code = prepare(&session, err);
	if (code >= 0 && !options->dry_run) {
		session.output.is_pipe = record_output_is_stdout(options->output);
		code = record_command_start(&session.command, options, &session.target,
					    session.output.is_pipe, err);
		if (code >= 0) {
			recorder_block_signals(&session.recorder);
			code = raise_priority(&session, err);
		}
		if (code >= 0)
			code = open_counters(&session, err);
		if (code >= 0)
			code = open_output(&session, err);
		if (code >= 0)
			code = record(&session, err);
		if (code < 0)
			record_output_discard(&session.output);
		ret_result->samples = session.drain.counts.samples;
		for (size_t i = 0; session.lost && i < options->events.list.events.nr; i++)
			ret_result->lost += session.lost[i];
		ret_result->signal = session.recorder.signal;
		snprintf(ret_result->path, sizeof(ret_result->path), "%s", session.output.last_path);
	}
	release(&session);
	return code;
}
