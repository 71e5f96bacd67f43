/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde flame: from a program, a process or a recording to one page. Recording is `sonde record` itself, run
 * with the same options into a file that is removed afterwards (or kept with --data).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "cli/progress.h"
#include "cmd/command.h"
#include "cmd/flame_adapter.h"
#include "cmd/options_symbol.h"
#include "cmd/record.h"
#include "cmd/recording.h"
#include "render/flamegraph_html.h"
#include "render/flamegraph_svg.h"
#include "render/folded.h"

struct flame_options {
	/* How to record: handed on to record as they are. */
	const char *freq, *count, *pid, *tid, *cpu, *user, *cgroup, *call_graph, *mmap_pages, *delay;
	struct option_strings events;
	bool all_cpus, all_user, all_kernel;
	/* What to draw. */
	const char *input, *output, *data;
	const char *symfs, *vmlinux, *kallsyms;
	bool folded, svg, force, no_demangle;
	unsigned verbose;
	bool quiet;
};

static const struct option_row rows[] = {
	{ .heading = "What to record" },
	{ 'a', "all-cpus", OPTION_FLAG(struct flame_options, all_cpus), .help = "the whole machine" },
	{ 'p', "pid", OPTION_STRING(struct flame_options, pid), .arg = "pid,...",
	  .help = "running processes" },
	{ 't', "tid", OPTION_STRING(struct flame_options, tid), .arg = "tid,...", .help = "running threads" },
	{ 'u', "uid", OPTION_STRING(struct flame_options, user), .arg = "user",
	  .help = "all processes of a user" },
	{ 'G', "cgroup", OPTION_STRING(struct flame_options, cgroup), .arg = "name",
	  .help = "one cgroup (with -a)" },
	{ 'C', "cpu", OPTION_STRING(struct flame_options, cpu), .arg = "list", .help = "only these CPUs" },
	{ 'e', "event", OPTION_STRINGS(struct flame_options, events), .arg = "event", .flags = OPTION_REPEATS,
	  .help = "what to sample (default: cycles, or the CPU clock where there is no PMU)" },
	{ 'F', "freq", OPTION_STRING(struct flame_options, freq), .arg = "n",
	  .help = "samples a second (default 999)" },
	{ 'c', "count", OPTION_STRING(struct flame_options, count), .arg = "n",
	  .help = "one sample every n events" },
	{ .name = "call-graph",
	  OPTION_STRING(struct flame_options, call_graph),
	  .arg = "fp|dwarf",
	  .help = "how stacks are recorded (default fp)" },
	{ 'm', "mmap-pages", OPTION_STRING(struct flame_options, mmap_pages), .arg = "pages",
	  .help = "size of the rings" },
	{ 'D', "delay", OPTION_STRING(struct flame_options, delay), .arg = "ms",
	  .help = "start after so long" },
	{ .name = "all-user", OPTION_FLAG(struct flame_options, all_user), .help = "no kernel code" },
	{ .name = "all-kernel", OPTION_FLAG(struct flame_options, all_kernel), .help = "only kernel code" },
	{ .name = "data",
	  OPTION_STRING(struct flame_options, data),
	  .arg = "file",
	  .help = "keep the recording in this file" },
	{ .heading = "What to draw" },
	{ 'i', "input", OPTION_STRING(struct flame_options, input), .arg = "file",
	  .help = "a recording; - is standard input" },
	{ 'o', "output", OPTION_STRING(struct flame_options, output), .arg = "file",
	  .help = "where to write (default flame.html or flame.svg; folded stacks: standard output); - is standard output" },
	{ .name = "folded",
	  OPTION_FLAG(struct flame_options, folded),
	  .help = "one line a stack, \"comm;outermost;...;innermost samples\", as other flame graph tools read" },
	{ .name = "svg", OPTION_FLAG(struct flame_options, svg), .help = "a picture instead of a page" },
	{ .heading = "Names" },
	{ .name = "symfs",
	  OPTION_CALLBACK(struct flame_options, symfs, option_directory),
	  .arg = "dir",
	  .help = "look for binaries below this directory" },
	{ 'k', "vmlinux", OPTION_CALLBACK(struct flame_options, vmlinux, option_readable), .arg = "file",
	  .help = "the kernel's image" },
	{ .name = "kallsyms",
	  OPTION_CALLBACK(struct flame_options, kallsyms, option_readable),
	  .arg = "file",
	  .help = "the kernel's symbols" },
	{ .name = "no-demangle",
	  OPTION_FLAG(struct flame_options, no_demangle),
	  .help = "show names as they are in symbol tables" },
	{ 'f', "force", OPTION_FLAG(struct flame_options, force), .help = "read files of other users" },
	{ 'v', "verbose", OPTION_COUNTER(struct flame_options, verbose), .help = "say more" },
	{ 'q', "quiet", OPTION_FLAG(struct flame_options, quiet), .help = "say nothing" },
};

/* ---- recording ---- */

struct arguments {
	ARRAY(char *) words;
};

static void add_word(struct arguments *arguments, const char *word)
{
	array_push(&arguments->words, (char *)word);
}

static void add_option(struct arguments *arguments, const char *option, const char *value)
{
	if (!value)
		return;
	add_word(arguments, option);
	add_word(arguments, value);
}

/* Runs `record` with the options of this command. Its exit status is the workload's. */
static int record(const struct flame_options *options, const char *path, int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int status, signal;

	add_word(&arguments, "record");
	add_option(&arguments, "-o", path);
	add_option(&arguments, "--call-graph", options->call_graph ? options->call_graph : "fp");
	if (options->count)
		add_option(&arguments, "-c", options->count);
	else
		add_option(&arguments, "-F", options->freq ? options->freq : "999");
	for (size_t i = 0; i < options->events.nr; i++)
		add_option(&arguments, "-e", options->events.items[i]);
	if (options->all_cpus)
		add_word(&arguments, "-a");
	if (options->all_user)
		add_word(&arguments, "--all-user");
	if (options->all_kernel)
		add_word(&arguments, "--all-kernel");
	if (options->quiet)
		add_word(&arguments, "-q");
	add_option(&arguments, "-p", options->pid);
	add_option(&arguments, "-t", options->tid);
	add_option(&arguments, "-u", options->user);
	add_option(&arguments, "-G", options->cgroup);
	add_option(&arguments, "-C", options->cpu);
	add_option(&arguments, "-m", options->mmap_pages);
	add_option(&arguments, "-D", options->delay);
	if (argc)
		add_word(&arguments, "--");
	for (int i = 0; i < argc; i++)
		add_word(&arguments, argv[i]);
	add_word(&arguments, NULL);
	/* Ctrl-C ends the recording; what there is of it is drawn. */
	status = record_run_words((int)arguments.words.nr - 1, arguments.words.items, &signal);
	array_release(&arguments.words);
	return status;
}

/* A word on the command line is a recording when it is a directory or begins as perf.data files do. */
static bool is_recording(const char *path)
{
	char magic[8];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st)) {
		if (S_ISDIR(st.st_mode))
			found = true;
		else if (S_ISREG(st.st_mode) && pread(fd, magic, sizeof(magic), 0) == sizeof(magic))
			found = !memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8) ||
				!memcmp(magic, "PERFFILE", 8);
	}
	close(fd);
	return found;
}

/* ---- drawing ---- */

static void show_progress(void *context, uint64_t done, uint64_t total)
{
	struct progress *progress = context;

	progress->total = total;
	progress_set(progress, done);
}

static int render(const struct flame_options *options, struct recording *recording, const char *title,
		  struct buf *buf, struct err *err)
{
	struct flame_adapter *adapter = flame_adapter_new(recording, title);
	const struct flame_data *data = flame_adapter_data(adapter);
	int ret;

	if (options->folded)
		ret = folded_render(data, NULL, buf, err);
	else if (options->svg)
		ret = flamegraph_svg_render(data, NULL, buf, err);
	else
		ret = flamegraph_html_render(data, NULL, buf, err);
	flame_adapter_free(adapter);
	return ret;
}

static int draw(const struct flame_options *options, const char *input, const char *title)
{
	struct symbolizer_options symbols = { .symfs = options->symfs,
					      .vmlinux = options->vmlinux,
					      .kallsyms = options->kallsyms,
					      .no_demangle = options->no_demangle };
	struct profile_options wanted = { .need_symbols = true, .need_stacks = true };
	struct recording recording;
	struct progress progress = { 0 };
	const char *output = options->output;
	struct buf buf;
	struct err err;
	int ret, fd = 1;

	err_clear(&err);
	if (!output)
		output = options->folded ? "-" : options->svg ? "flame.svg" : "flame.html";
	ret = recording_open(&recording, input, options->force ? PERFDATA_ANY_OWNER : 0, &symbols, &err);
	if (ret < 0)
		return command_fail(&err);
	progress_start(&progress, "reading", 0);
	wanted.progress = show_progress;
	wanted.progress_context = &progress;
	ret = recording_ingest(&recording, &wanted, &err);
	progress_stop(&progress);
	if (ret < 0)
		command_fail(&err);
	recording_note_damage(&recording);
	if (!recording.profile->stats.nr_samples) {
		ret = title ? command_failf("no samples: the target used no CPU time while it was recorded")
			    : command_failf("The %s data has no samples!", recording.path);
		recording_close(&recording);
		return ret;
	}
	if (strcmp(output, "-")) {
		fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (fd < 0) {
			ret = command_failf("%s: %s", output, strerror(errno));
			recording_close(&recording);
			return ret;
		}
	}
	buf_init(&buf, fd);
	ret = render(options, &recording, title ? title : recording.path, &buf, &err);
	if (ret < 0)
		ret = command_fail(&err);
	else if (buf_flush(&buf) < 0)
		ret = buf.error == -EPIPE && fd == 1 ? 0
						     : command_failf("%s: %s", output, strerror(-buf.error));
	buf_release(&buf);
	if (fd != 1)
		close(fd);
	if (!ret && fd != 1 && !options->quiet)
		command_note("wrote %s (%llu samples)", output,
			     (unsigned long long)recording.profile->stats.nr_samples);
	recording_close(&recording);
	return ret;
}

/* "gcc -O2 x.c", or "pid 12", for the page's title. */
static char *title_of(const struct flame_options *options, int argc, char **argv)
{
	struct buf buf = BUF_INIT;
	char *title;

	if (options->pid)
		buf_printf(&buf, "pid %s", options->pid);
	else if (options->tid)
		buf_printf(&buf, "tid %s", options->tid);
	else if (options->all_cpus || options->cpu)
		buf_str(&buf, "the whole machine");
	else
		for (int i = 0; i < argc; i++)
			buf_printf(&buf, "%s%s", i ? " " : "", argv[i]);
	title = xstrdup(buf_text(&buf));
	buf_release(&buf);
	return title;
}

static int record_and_draw(const struct flame_options *options, int argc, char **argv)
{
	const char *dir = getenv("TMPDIR");
	char *path = options->data ? xstrdup(options->data)
				   : xasprintf("%s/sonde-flame-XXXXXX", dir && *dir ? dir : "/tmp");
	char *title = title_of(options, argc, argv);
	int status, drawn;

	if (!options->data) {
		int fd = mkostemp(path, O_CLOEXEC);

		if (fd < 0) {
			status = command_failf("%s: %s", path, strerror(errno));
			free(path);
			free(title);
			return status;
		}
		close(fd);
	}
	status = record(options, path, argc, argv);
	if (status == EXIT_USAGE) {
		drawn = status;
	} else {
		drawn = is_recording(path) ? draw(options, path, title) : status;
		if (!drawn)
			drawn = status;
	}
	if (!options->data) {
		char *old = xasprintf("%s.old", path);

		unlink(path);
		unlink(old); /* record keeps what it replaces: the empty file that held the name */
		free(old);
	}
	free(path);
	free(title);
	return drawn;
}

static int flame_run(int argc, char **argv)
{
	struct flame_options options = { 0 };
	bool has_target;
	int status;

	if (!command_parse(&command_flame, &options, &argc, &argv, &status))
		return status;
	/* Options end where a program's command line begins; behind a recording they are still ours. */
	if (argc && !options.input && is_recording(argv[0])) {
		options.input = argv[0];
		if (!command_parse(&command_flame, &options, &argc, &argv, &status))
			return status;
	}
	has_target = options.all_cpus || options.pid || options.tid || options.user || options.cpu;
	if (options.folded && options.svg)
		return command_usage_error(&command_flame, "--folded and --svg: choose one");
	if (options.input && (argc || has_target))
		return command_usage_error(&command_flame,
					   "%s is a recording: there is nothing to record then",
					   options.input);
	if (options.input)
		status = draw(&options, options.input, NULL);
	else if (argc || has_target)
		status = record_and_draw(&options, argc, argv);
	else
		status = draw(&options, NULL, NULL);
	option_strings_release(&options.events);
	return status;
}

const struct command command_flame = {
	.spec = {
		.name = "flame",
		.summary = "Draw a flame graph of a program, a process or a recording",
		.usage = { "flame [<options>] <command>", "flame [<options>] -p <pid>", "flame [<options>] [<perf.data>]" },
		.description =
			"Writes one self-contained HTML page: a flame graph with search, zoom, threads and processes, "
			"callers, a table of functions, what was lost and how complete the stacks are. With a command or "
			"a target it records first, as sonde record does; with a recording, or with none and a perf.data "
			"in this directory, it draws that.\n\n"
			"With --folded it writes one line a stack, which other flame graph tools read; with --svg one picture.",
		.examples = {
			{ "flame make -j4", "record a build, with all its processes, and write flame.html" },
			{ "flame -p 1234 sleep 10", "ten seconds of a running process" },
			{ "flame -a -o - sleep 5 | ssh host 'cat > page.html'", "the whole machine; the page to standard output" },
			{ "flame perf.data", "draw a recording of perf or sonde" },
			{ "flame --folded -i perf.data", "folded stacks of a recording" },
		},
		.sets = { { rows, NR_ITEMS(rows), 0 } },
		.see_also = "record, report, script",
		.flags = OPTION_STOP_AT_WORD,
	},
	.purpose = COMMAND_MEASURE,
	.run = flame_run,
};
