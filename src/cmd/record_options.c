/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/record_options.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "cmd/options_symbol.h"
#include "cmd/program.h"

void record_options_init(struct record_options *options)
{
	*options = (struct record_options){ .sampling = { .frequency = SAMPLING_FREQUENCY },
					    .realtime = RECORDER_REALTIME_AUTO,
					    .callgraph_config = EVENT_CALLGRAPH_FP,
					    .process_timeout = 500 * NSEC_PER_MSEC,
					    .synth = RECORD_SYNTH_ALL };
}

void record_options_release(struct record_options *options)
{
	options_event_release(&options->events);
	array_release(&options->delays);
}

/* ---- rates ---- */

static int parse_frequency(void *field, const struct option_row *row, const char *arg, bool unset,
			   struct err *err)
{
	struct record_options *options = field;
	uint64_t value;

	(void)row;
	options->frequency_max = false;
	options->frequency_given = !unset;
	if (unset)
		return 0;
	if (!strcmp(arg, "max")) {
		options->frequency_max = true;
		return 0;
	}
	if (number_parse_u64(arg, &value) < 0 || value > INT32_MAX)
		return err_set(err, -EINVAL, "expects a number of samples a second, or max");
	if (!value)
		return err_set(err, -EINVAL, "0 samples a second are none (-n records without samples)");
	options->sampling.frequency = value;
	return 0;
}

/* ---- call graphs ---- */

static int set_callgraph(enum event_callgraph *mode, uint32_t *stack_size, const char *text, struct err *err)
{
	size_t size = strcspn(text, ",");
	const char *more = text[size] ? text + size + 1 : NULL;
	uint64_t bytes;

	if (size == 2 && !strncmp(text, "fp", size)) {
		*mode = EVENT_CALLGRAPH_FP;
	} else if (size == 3 && !strncmp(text, "lbr", size)) {
		*mode = EVENT_CALLGRAPH_LBR;
	} else if (size == 5 && !strncmp(text, "dwarf", size)) {
		*mode = EVENT_CALLGRAPH_DWARF;
		if (!more || !*more)
			return 0;
		if (number_parse_size(more, &bytes) < 0 || !bytes || bytes > SAMPLING_STACK_SIZE_MAX)
			return err_set(err, -EINVAL, "the size of stack dumps is at most %d bytes",
				       SAMPLING_STACK_SIZE_MAX);
		*stack_size = (uint32_t)((bytes + 7) & ~7ull);
		more = NULL;
	} else {
		return err_set(err, -EINVAL,
			       "'%s' is not a way to record call graphs: fp, dwarf[,SIZE] or lbr", text);
	}
	if (more)
		return err_set(err, -EINVAL, "only dwarf takes a size");
	return 0;
}

static int parse_callgraph(void *field, const struct option_row *row, const char *arg, bool unset,
			   struct err *err)
{
	struct record_options *options = field;

	(void)row;
	options->callgraph_given = !unset;
	if (unset) {
		options->sampling.callgraph = EVENT_CALLGRAPH_NONE;
		return 0;
	}
	return set_callgraph(&options->sampling.callgraph, &options->sampling.stack_size, arg, err);
}

/* -g: the way that the configuration names, unless --call-graph says another. */
static int parse_callgraph_flag(void *field, const struct option_row *row, const char *arg, bool unset,
				struct err *err)
{
	struct record_options *options = field;

	(void)row, (void)arg, (void)err;
	if (unset) {
		options->sampling.callgraph = EVENT_CALLGRAPH_NONE;
		options->callgraph_given = false;
	} else if (!options->callgraph_given) {
		options->sampling.callgraph = (enum event_callgraph)options->callgraph_config;
		options->sampling.stack_size = options->callgraph_config_size;
	}
	return 0;
}

static int parse_callgraph_config(void *field, const struct option_row *row, const char *arg, bool unset,
				  struct err *err)
{
	struct record_options *options = field;
	enum event_callgraph mode = EVENT_CALLGRAPH_FP;
	int code;

	(void)row;
	if (unset || !arg)
		return 0;
	code = set_callgraph(&mode, &options->callgraph_config_size, arg, err);
	options->callgraph_config = (int)mode;
	return code;
}

static int parse_dump_size_config(void *field, const struct option_row *row, const char *arg, bool unset,
				  struct err *err)
{
	struct record_options *options = field;
	uint64_t bytes;

	(void)row;
	if (unset || !arg)
		return 0;
	if (number_parse_size(arg, &bytes) < 0 || !bytes || bytes > SAMPLING_STACK_SIZE_MAX)
		return err_set(err, -EINVAL, "the size of stack dumps is at most %d bytes",
			       SAMPLING_STACK_SIZE_MAX);
	options->callgraph_config_size = (uint32_t)((bytes + 7) & ~7ull);
	return 0;
}

/* ---- rings and output ---- */

/* Pages as a number, or bytes with a unit; rounded up to a power of two of pages. */
static int parse_ring_size(void *field, const struct option_row *row, const char *arg, bool unset,
			   struct err *err)
{
	struct record_options *options = field;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), value, size = page;

	(void)row;
	options->ring_size = 0;
	if (unset)
		return 0;
	if (strchr(arg, ','))
		return err_set(err, -EINVAL, "a second size is for AUX area tracing, which is not built");
	if (!number_parse_u64(arg, &value))
		value = value > UINT64_MAX / page ? UINT64_MAX : value * page;
	else if (number_parse_size(arg, &value) < 0)
		return err_set(err, -EINVAL, "'%s' is neither a number of pages nor a size (64K, 1M)", arg);
	if (!value || value > 1ull << 40)
		return err_set(err, -EINVAL, "rings of %s cannot be", arg);
	while (size < value)
		size *= 2;
	options->ring_size = size;
	return 0;
}

static int parse_compression(void *field, const struct option_row *row, const char *arg, bool unset,
			     struct err *err)
{
	struct record_options *options = field;
	uint64_t level;

	(void)row;
	options->compression_level = 0;
	if (unset)
		return 0;
	if (number_parse_u64(arg, &level) < 0)
		return err_set(err, -EINVAL, "expects a level from 1 (fast) to 22 (small), 0 for none");
	options->compression_level = level > 22 ? 22 : (int)level;
	return 0;
}

static int parse_delay(void *field, const struct option_row *row, const char *arg, bool unset,
		       struct err *err)
{
	struct record_options *options = field;
	const char *pos = arg;

	(void)row;
	array_clear(&options->delays);
	options->start_disabled = false;
	if (unset)
		return 0;
	if (!strcmp(arg, "-1")) {
		options->start_disabled = true;
		return 0;
	}
	while (*pos) {
		char *end;
		struct recorder_range range = { .to = UINT64_MAX };

		range.from = strtoull(pos, &end, 10) * NSEC_PER_MSEC;
		if (end == pos || *pos == '-')
			break;
		pos = end;
		if (*pos == '-') {
			range.to = strtoull(pos + 1, &end, 10) * NSEC_PER_MSEC;
			if (end == pos + 1 || range.to <= range.from)
				break;
			pos = end;
		}
		if (options->delays.nr && (array_last(&options->delays)->to == UINT64_MAX ||
					   range.from < array_last(&options->delays)->to))
			break;
		array_push(&options->delays, range);
		if (!*pos)
			return 0;
		if (*pos++ != ',')
			break;
	}
	return err_set(err, -EINVAL, "expects milliseconds, -1, or ranges like 10-20,30-40 in rising order");
}

/* "signal", a size with its unit, or a time with its unit. */
static int parse_switch_output(void *field, const struct option_row *row, const char *arg, bool unset,
			       struct err *err)
{
	struct record_options *options = field;
	size_t size;

	(void)row;
	options->switch_on_signal = false;
	options->switch_size = options->switch_time = 0;
	if (unset)
		return 0;
	size = strlen(arg);
	if (!strcmp(arg, "signal")) {
		options->switch_on_signal = true;
		return 0;
	}
	if (size > 1 && strchr("BKMGbkmg", arg[size - 1]) && !number_parse_size(arg, &options->switch_size) &&
	    options->switch_size)
		return 0;
	options->switch_size = 0;
	if (size > 1 && arg[size - 1] == 'd') {
		char days[32];
		uint64_t number;

		snprintf(days, sizeof(days), "%.*s", (int)(size - 1), arg);
		if (!number_parse_u64(days, &number) && number && number < 100000) {
			options->switch_time = number * 86400 * NSEC_PER_SEC;
			return 0;
		}
	}
	if (size > 1 && strchr("smh", arg[size - 1]) &&
	    !number_parse_duration(arg, NSEC_PER_SEC, &options->switch_time) && options->switch_time)
		return 0;
	return err_set(err, -EINVAL, "expects signal, a size (100M) or a time (30s, 5m, 1h, 1d)");
}

static int parse_clock(void *field, const struct option_row *row, const char *arg, bool unset,
		       struct err *err)
{
	static const struct {
		const char *name;
		int32_t id;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "real", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};
	struct record_options *options = field;
	const char *name = arg;
	uint64_t number;

	(void)row;
	options->sampling.has_clockid = !unset;
	if (unset)
		return 0;
	if (!number_parse_u64(arg, &number) && number < 64) {
		options->sampling.clockid = (int32_t)number;
		return 0;
	}
	if (!strncasecmp(name, "CLOCK_", 6))
		name += 6;
	for (size_t i = 0; i < NR_ITEMS(clocks); i++) {
		if (strcasecmp(clocks[i].name, name))
			continue;
		options->sampling.clockid = clocks[i].id;
		return 0;
	}
	return err_set(err, -EINVAL,
		       "'%s' is not a clock: monotonic, monotonic_raw, realtime, boottime or tai", arg);
}

/* value: offset of the mask in the options. */
static int parse_registers(void *field, const struct option_row *row, const char *arg, bool unset,
			   struct err *err)
{
	uint64_t *mask = (uint64_t *)((char *)field + row->value);
	struct buf buf = BUF_INIT;

	if (unset) {
		*mask = 0;
		return 0;
	}
	if (!arg) {
		*mask = sampling_all_registers();
		return 0;
	}
	if (!strcmp(arg, "?")) {
		sampling_print_registers(&buf);
		err_set(err, -EINVAL, "registers that can be sampled: %s", buf_text(&buf));
		buf_release(&buf);
		return -EINVAL;
	}
	return sampling_parse_registers(arg, mask, err);
}

static int parse_synth(void *field, const struct option_row *row, const char *arg, bool unset,
		       struct err *err)
{
	static const struct {
		const char *name;
		unsigned bits;
	} parts[] = { { "no", 0 },
		      { "all", RECORD_SYNTH_ALL },
		      { "task", RECORD_SYNTH_TASK },
		      { "mmap", RECORD_SYNTH_TASK | RECORD_SYNTH_MMAP },
		      { "cgroup", RECORD_SYNTH_CGROUP } };
	struct record_options *options = field;

	(void)row;
	options->synth = RECORD_SYNTH_ALL;
	if (unset)
		return 0;
	options->synth = 0;
	while (*arg) {
		size_t size = strcspn(arg, ","), i;

		for (i = 0; i < NR_ITEMS(parts); i++)
			if (strlen(parts[i].name) == size && !strncmp(parts[i].name, arg, size))
				break;
		if (i == NR_ITEMS(parts))
			return err_set(err, -EINVAL, "expects a list of no, all, task, mmap, cgroup");
		options->synth |= parts[i].bits;
		arg += size;
		arg += *arg == ',';
	}
	return 0;
}

/* record.build-id in the configuration. */
static int parse_build_id_config(void *field, const struct option_row *row, const char *arg, bool unset,
				 struct err *err)
{
	struct record_options *options = field;

	(void)row;
	if (unset || !arg)
		return 0;
	if (!strcmp(arg, "no-cache"))
		options->no_build_id_cache = true;
	else if (!strcmp(arg, "skip") || !strcmp(arg, "no-mmap"))
		options->no_build_ids = !strcmp(arg, "skip");
	else if (strcmp(arg, "cache") && strcmp(arg, "mmap"))
		return err_set(err, -EINVAL, "expects cache, no-cache, skip, mmap or no-mmap");
	return 0;
}

/* ---- rows ---- */

static const struct option_choice scopes[] = { { "auto", RECORD_SCOPE_AUTO },
					       { "cgroup", RECORD_SCOPE_CGROUP },
					       { "task", RECORD_SCOPE_TASK },
					       { NULL, 0 } };

#define S struct record_options
#define SAMPLING_FLAG(member) OPTION_FLAG(S, sampling.member)
#define WHOLE(function) .type = OPTION_TYPE_CALLBACK, .parse = (function)
#define REFUSED(why) \
	.type = OPTION_TYPE_CALLBACK, .parse = option_refuse, .flags = OPTION_HIDDEN | OPTION_NO_NEGATION, \
	.value = (intptr_t)(why)
#define REFUSED_OPTIONAL(why) \
	.type = OPTION_TYPE_CALLBACK, .parse = option_refuse, \
	.flags = OPTION_HIDDEN | OPTION_NO_NEGATION | OPTION_OPTIONAL, .value = (intptr_t)(why)
#define ALWAYS .type = OPTION_TYPE_FLAG, .offset = offsetof(S, as_always), .flags = OPTION_HIDDEN

/* clang-format off */
const struct option_row record_options_rows[] = {
	{ 'F', "freq", WHOLE(parse_frequency), .arg = "n", .heading = "How often",
	  .help = "so many samples a second of running time (4000), or max" },
	{ 'c', "count", OPTION_U64(S, sampling.period), OPTION_SEEN(S, period_given), .arg = "n",
	  .help = "one sample each n events" },
	{ .name = "strict-freq", OPTION_FLAG(S, strict_freq),
	  .help = "refuse a frequency that the kernel would limit" },
	{ 'n', "no-samples", SAMPLING_FLAG(no_samples), .flags = OPTION_NO_NEGATION,
	  .help = "no samples: only what processes and mappings there were" },
	{ 'D', "delay", WHOLE(parse_delay), .arg = "ms",
	  .help = "begin so many milliseconds after the start; -1: when told to (--control); or ranges: 10-20,30-40" },
	{ .name = "timeout", OPTION_DURATION(S, timeout), .arg = "ms",
	  .help = "end after this time: milliseconds, or 10s, 5m" },

	{ 'g', NULL, WHOLE(parse_callgraph_flag), .heading = "Call graphs",
	  .help = "record call graphs, by frame pointers unless the configuration says otherwise" },
	{ .name = "call-graph", WHOLE(parse_callgraph), .arg = "mode[,size]",
	  .help = "record them by frame pointers (fp), by dumps of the stack (dwarf, dwarf,16384) or by the CPU's branch "
		  "records (lbr)" },
	{ .name = "kernel-callchains", SAMPLING_FLAG(kernel_callchains), .help = "only their part in the kernel" },
	{ .name = "user-callchains", SAMPLING_FLAG(user_callchains), .help = "only their part in programs" },
	{ .config = "call-graph.record-mode", WHOLE(parse_callgraph_config), .arg = "mode" },
	{ .config = "call-graph.dump-size", WHOLE(parse_dump_size_config), .arg = "bytes" },

	{ .name = "all-user", SAMPLING_FLAG(all_user), .heading = "What to record",
	  .help = "all events only while programs run" },
	{ .name = "all-kernel", SAMPLING_FLAG(all_kernel), .help = "all events only while the kernel runs" },
	{ 'i', "no-inherit", SAMPLING_FLAG(no_inherit), .help = "not the children of what is measured" },
	{ .name = "scope", OPTION_CHOICE(S, scope), .arg = "how", .choices = scopes,
	  .help = "follow a launched command by a cgroup of its own, which sees the shortest processes, or by its tasks, "
		  "as perf does: auto (the first if allowed), cgroup, task" },
	{ 'd', "data", SAMPLING_FLAG(addresses), .help = "addresses of data, and mappings of data" },
	{ .name = "phys-data", SAMPLING_FLAG(phys_data), .help = "physical addresses of data" },
	{ .name = "data-page-size", SAMPLING_FLAG(data_page_size), .help = "the size of the page of data addresses" },
	{ .name = "code-page-size", SAMPLING_FLAG(code_page_size), .help = "the size of the page that code is in" },
	{ .name = "sample-mem-info", SAMPLING_FLAG(data_source), .help = "where data came from" },
	{ .name = "data-mmap", SAMPLING_FLAG(data_mmaps), .help = "mappings that hold no code, too" },
	{ 'T', "timestamp", SAMPLING_FLAG(timestamps), .help = "time stamps (there unless --per-thread)" },
	{ .name = "no-timestamp", SAMPLING_FLAG(no_timestamps), .flags = OPTION_HIDDEN, .help = "no time stamps" },
	{ 'P', "period", SAMPLING_FLAG(always_period), .help = "the period of each sample" },
	{ .name = "no-period", SAMPLING_FLAG(never_period), .flags = OPTION_HIDDEN, .help = "no periods" },
	{ .name = "sample-cpu", SAMPLING_FLAG(cpu), .help = "the CPU of each sample" },
	{ .name = "sample-identifier", SAMPLING_FLAG(identifier), .flags = OPTION_HIDDEN,
	  .help = "the event's identifier at a fixed place" },
	{ 'W', "weight", SAMPLING_FLAG(weight), .help = "the weight (latency) of each sample" },
	{ .name = "transaction", SAMPLING_FLAG(transaction), .help = "flags of hardware transactions" },
	{ 'R', "raw-samples", SAMPLING_FLAG(raw), .help = "raw data of all events (tracepoints have it anyway)" },
	{ 's', "stat", SAMPLING_FLAG(per_thread_counts), .help = "counts of each thread" },
	{ .name = "running-time", SAMPLING_FLAG(running_time), .help = "with counts how long they ran" },
	{ .name = "user-regs", WHOLE(parse_registers), .arg = "registers", .flags = OPTION_OPTIONAL,
	  .value = offsetof(S, sampling.regs_user), .help = "registers of the program (ip,sp ...; all; ? lists them)" },
	{ 'I', "intr-regs", WHOLE(parse_registers), .arg = "registers", .flags = OPTION_OPTIONAL,
	  .value = offsetof(S, sampling.regs_intr), .help = "registers at the time of the sample" },
	{ .name = "namespaces", SAMPLING_FLAG(namespaces), .help = "namespaces of processes" },
	{ .name = "all-cgroups", SAMPLING_FLAG(cgroups), .help = "the cgroup of each sample, and all their names" },
	{ .name = "switch-events", SAMPLING_FLAG(switches), .help = "when tasks are switched" },
	{ .name = "no-bpf-event", SAMPLING_FLAG(no_bpf_events), .help = "not the loading of BPF programs" },
	{ 'k', "clockid", WHOLE(parse_clock), .arg = "clock",
	  .help = "the clock of time stamps: monotonic, monotonic_raw, boottime, realtime, tai" },

	{ 'o', "output", OPTION_STRING(S, output), .arg = "file", .heading = "Output and rings",
	  .help = "write this file instead of perf.data; -: standard output, also when that is a pipe" },
	{ 'z', "compression-level", WHOLE(parse_compression), .arg = "n", .flags = OPTION_OPTIONAL, .absent = "1",
	  .help = "compress with zstd: 1 (fast) to 22 (small)" },
	{ .name = "max-size", OPTION_SIZE(S, max_size), .arg = "size", .help = "end when the file is this large" },
	{ .name = "switch-output", WHOLE(parse_switch_output), .arg = "when", .flags = OPTION_OPTIONAL, .absent = "signal",
	  .help = "begin a new file after a size (100M), a time (30s, 5m) or SIGUSR2 (signal)" },
	{ .name = "switch-max-files", OPTION_UINT(S, switch_max_files), .arg = "n",
	  .help = "keep only the last n of these" },
	{ .name = "timestamp-filename", OPTION_FLAG(S, timestamp_filename), .help = "put the time into the file's name" },
	{ .name = "overwrite", SAMPLING_FLAG(overwrite),
	  .help = "keep only the newest data, in the rings, until the end (or SIGUSR2, with --switch-output)" },
	{ 'm', "mmap-pages", WHOLE(parse_ring_size), .arg = "pages",
	  .help = "size of a CPU's ring: pages, or 64K, 4M (512K; tracepoints 2M, stack dumps 4M)" },
	{ .name = "no-buffering", SAMPLING_FLAG(no_buffering), .flags = OPTION_NO_NEGATION,
	  .help = "write each sample at once" },
	{ 'r', "realtime", OPTION_INT(S, realtime), .arg = "priority",
	  .help = "read rings at this SCHED_FIFO priority (1 if allowed; 0: none)" },
	{ .name = "control", OPTION_STRING(S, control), .arg = "fd:n[,n] or fifo:path[,path]",
	  .help = "take commands: enable, disable (also with an event's name), snapshot, evlist, stop, ping" },
	{ 'B', "no-buildid", OPTION_FLAG(S, no_build_ids), .help = "no build-ids" },
	{ 'N', "no-buildid-cache", OPTION_FLAG(S, no_build_id_cache),
	  .help = "do not keep files that will be gone (deleted ones, those of containers) in ~/.debug" },
	{ .name = "synth", WHOLE(parse_synth), .arg = "what",
	  .help = "what to tell of the time before: no, all, task, mmap, cgroup" },
	{ .name = "tail-synthesize", OPTION_FLAG(S, tail_synth), .help = "tell it at the end of the file" },
	{ .name = "proc-map-timeout", OPTION_DURATION(S, process_timeout), .arg = "ms",
	  .help = "longest time to look at one process's mappings (500; 0: no limit)" },
	{ .config = "record.build-id", WHOLE(parse_build_id_config), .arg = "what" },

	{ 'q', "quiet", OPTION_FLAG(S, quiet), .heading = "Other", .help = "say nothing but errors" },
	{ 'v', "verbose", OPTION_COUNTER(S, verbose), .help = "say more" },
	{ .name = "dry-run", OPTION_FLAG(S, dry_run), .help = "look at the options and end" },

	/* What is done anyway; scripts may ask for it. */
	{ .name = "buildid-all", ALWAYS, .help = "build-ids of all files (always)" },
	{ .name = "buildid-mmap", ALWAYS, .help = "build-ids with mappings (always)" },
	{ .name = "timestamp-boundary", ALWAYS, .help = "time of the first and last sample (always)" },
	{ .name = "num-thread-synthesize", OPTION_UINT(S, as_threads), .arg = "n", .flags = OPTION_HIDDEN,
	  .help = "threads that look at processes (one is enough)" },

	/* What perf has and this version has not. */
	{ 'b', "branch-any", REFUSED("(branch stacks) is not in this version yet") },
	{ 'j', "branch-filter", REFUSED("(branch stacks) is not in this version yet"), .arg = "filter" },
	{ 'S', "snapshot", REFUSED_OPTIONAL("(AUX area tracing) is not in this version yet"), .arg = "options" },
	{ .name = "aux-sample", REFUSED_OPTIONAL("(AUX area tracing) is not in this version yet"), .arg = "options" },
	{ .name = "kcore", REFUSED("is not in this version yet: the kernel's own symbols come from /proc/kallsyms") },
	{ .name = "threads", REFUSED_OPTIONAL("is not in this version yet: one thread of real-time priority reads all "
					      "rings"), .arg = "spec" },
	{ .name = "aio", REFUSED_OPTIONAL("is not in this version yet: data goes from the rings to the page cache in "
					  "one step"), .arg = "n" },
	{ .name = "affinity", REFUSED("is not in this version yet"), .arg = "mode" },
	{ .name = "mmap-flush", REFUSED("is not in this version yet"), .arg = "number" },
	{ .name = "off-cpu", REFUSED("is not in this version yet") },
	{ .name = "off-cpu-thresh", REFUSED("is not in this version yet"), .arg = "ms" },
	{ .name = "latency", REFUSED("is not in this version yet") },
	{ .name = "setup-filter", REFUSED("(BPF filters) is not in this version yet"), .arg = "action" },
	{ .name = "switch-output-event", REFUSED("is not in this version yet"), .arg = "event" },
	{ .name = "debuginfod", REFUSED_OPTIONAL("belongs to report"), .arg = "urls" },
	{ .name = "vmlinux", REFUSED("belongs to report"), .arg = "file" },
};
/* clang-format on */

/* ---- together ---- */

int record_options_finish(struct record_options *options, struct err *err)
{
	struct sampling *sampling = &options->sampling;
	uint64_t most = sampling_max_frequency();

	if (options->frequency_given && options->period_given)
		return err_set(err, -EINVAL,
			       "samples are taken by frequency (-F) or by period (-c), not by both");
	if (options->period_given) {
		if (!sampling->period)
			return err_set(err, -EINVAL,
				       "one sample each 0 events cannot be (-n records without samples)");
		sampling->frequency = 0;
	}
	if (options->frequency_max) {
		if (!most)
			return err_set(err, -ENOENT,
				       "-F max: kernel.perf_event_max_sample_rate cannot be read");
		sampling->frequency = most;
	}
	if (options->strict_freq && sampling->frequency > most && most)
		return err_set(err, -EINVAL,
			       "-F %llu: the kernel takes %llu samples a second at most "
			       "(kernel.perf_event_max_sample_rate)",
			       (unsigned long long)sampling->frequency, (unsigned long long)most);
	sampling->rate_given = options->frequency_given || options->period_given;
	sampling->no_build_ids = options->no_build_ids;
	sampling->tracking_apart = options->start_disabled || options->delays.nr > 0;
	if (sampling->callgraph == EVENT_CALLGRAPH_LBR)
		return err_set(err, -EOPNOTSUPP,
			       "--call-graph lbr (branch stacks) is not in this version yet: use fp or dwarf");
	if (!options->events.list.events.nr)
		return options_event_add(&options->events, "cycles:P", err);
	return 0;
}
