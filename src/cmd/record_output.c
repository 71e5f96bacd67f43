/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/record_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static struct record_output *of_sink(struct record_sink *sink)
{
	return (struct record_output *)sink;
}

static int push(struct record_sink *sink, struct span records, struct err *err)
{
	return record_sink_push(perfdata_writer_sink(of_sink(sink)->writer), records, err);
}

static int flush(struct record_sink *sink, struct err *err)
{
	return record_sink_flush(perfdata_writer_sink(of_sink(sink)->writer), err);
}

bool record_output_is_stdout(const char *path)
{
	struct stat st;

	if (path)
		return !strcmp(path, "-");
	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}

static int open_stdout(struct record_output *output, struct err *err)
{
	if (isatty(STDOUT_FILENO)) {
		err_set(err, -EINVAL, "a recording is not for a terminal");
		err_hint(err, "Write it to a file (-o FILE) or pipe it into report or script.");
		return -EINVAL;
	}
	output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	return output->fd < 0 ? err_errno(err, -errno, "cannot write to standard output") : 0;
}

/* The file that is there is kept once as NAME.old. */
static int keep_old(const char *path, struct err *err)
{
	char old[4160];
	struct stat st;

	if (lstat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	snprintf(old, sizeof(old), "%s.old", path);
	if (rename(path, old))
		return err_errno(err, -errno, "cannot rename %s to %s", path, old);
	return 0;
}

static int open_file(struct record_output *output, struct err *err)
{
	int flags = O_RDWR | O_CLOEXEC | (output->in_place ? 0 : O_CREAT | O_TRUNC);

	/* A named pipe is opened for both sides, so that this does not wait for a reader. */
	output->fd = open(output->path, flags, 0600);
	if (output->fd < 0 && output->in_place)
		output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
	if (output->fd < 0) {
		int code = -errno;

		err_errno(err, code, "cannot write %s", output->path);
		if (code == -EACCES || code == -EROFS)
			err_hint(err, "Choose another place with -o FILE.");
		return code;
	}
	return 0;
}

int record_output_open(struct record_output *output, const char *path, struct err *err)
{
	struct stat st;
	int code;

	output->fd = -1;
	output->sink = (struct record_sink){ .push = push, .flush = flush };
	if (record_output_is_stdout(path)) {
		snprintf(output->path, sizeof(output->path), "-");
		output->is_pipe = true;
		output->in_place = true;
		return open_stdout(output, err);
	}
	if (!path)
		path = "perf.data";
	if ((size_t)snprintf(output->path, sizeof(output->path), "%s", path) >= sizeof(output->path))
		return err_set(err, -ENAMETOOLONG, "the output's name is too long");
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			return err_set(err, -EISDIR, "%s is a directory", path);
		output->in_place = true;
		output->is_pipe = S_ISFIFO(st.st_mode);
	} else {
		code = keep_old(path, err);
		if (code < 0)
			return code;
	}
	return open_file(output, err);
}

int record_output_begin(struct record_output *output, const struct perfdata_context *context, struct err *err)
{
	const struct perfdata_writer_options options = { .is_pipe = output->is_pipe,
							 .compression_level = output->compression_level };

	return perfdata_writer_new(output->fd, &options, context, &output->writer, err);
}

/* NAME.YYYYMMDDHHMMSShh: now, or as soon after as no file has the name. Files may follow each other in less than that. */
static void name_by_time(struct record_output *output)
{
	uint64_t hundredths = clock_now(CLOCK_REALTIME) / (10 * NSEC_PER_MSEC);
	struct stat st;

	do {
		time_t seconds = (time_t)(hundredths / 100);
		struct tm tm;
		char time[32];

		localtime_r(&seconds, &tm);
		strftime(time, sizeof(time), "%Y%m%d%H%M%S", &tm);
		snprintf(output->last_path, sizeof(output->last_path), "%s.%s%02u", output->path, time,
			 (unsigned)(hundredths++ % 100));
	} while (!lstat(output->last_path, &st));
}

/* Gives the finished file its time, removes those that are too many. */
static int stamp(struct record_output *output, struct err *err)
{
	snprintf(output->last_path, sizeof(output->last_path), "%s", output->path);
	if (!output->is_timestamped || output->in_place)
		return 0;
	name_by_time(output);
	if (rename(output->path, output->last_path))
		return err_errno(err, -errno, "cannot rename %s to %s", output->path, output->last_path);
	array_push(&output->files, xstrdup(output->last_path));
	if (output->max_files && output->files.nr > output->max_files) {
		unlink(output->files.items[0]);
		free(output->files.items[0]);
		output->files.nr--;
		memmove(output->files.items, output->files.items + 1, output->files.nr * sizeof(char *));
	}
	return 0;
}

int record_output_finish(struct record_output *output, const struct perfdata_context *context,
			 struct err *err)
{
	uint64_t in, out;
	int code, stamped;

	if (!output->writer)
		return 0;
	code = perfdata_writer_finish(output->writer, context, err);
	perfdata_writer_data_sizes(output->writer, &in, &out);
	output->in_size += in;
	output->out_size += out;
	output->finished_size += perfdata_writer_size(output->writer);
	perfdata_writer_free(output->writer);
	output->writer = NULL;
	if (close(output->fd) && !code)
		code = err_errno(err, -errno, "cannot write %s", output->path);
	output->fd = -1;
	stamped = stamp(output, code ? NULL : err);
	return code ? code : stamped;
}

int record_output_rotate(struct record_output *output, const struct perfdata_context *context,
			 struct err *err)
{
	int code = record_output_finish(output, context, err);

	if (code >= 0)
		code = open_file(output, err);
	return code < 0 ? code : record_output_begin(output, context, err);
}

uint64_t record_output_size(const struct record_output *output)
{
	return output->writer ? perfdata_writer_size(output->writer) : 0;
}

void record_output_discard(struct record_output *output)
{
	if (!output->in_place && output->fd >= 0)
		unlink(output->path);
}

void record_output_release(struct record_output *output)
{
	perfdata_writer_free(output->writer);
	if (output->fd >= 0)
		close(output->fd);
	for (size_t i = 0; i < output->files.nr; i++)
		free(output->files.items[i]);
	array_release(&output->files);
}
