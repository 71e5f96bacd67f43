/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file (or pipe, or row of files) that a recording goes to: names, the file that is there already, the writer.
 */
#ifndef CMD_RECORD_OUTPUT_H
#define CMD_RECORD_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/err.h"
#include "record/perfdata_writer.h"
#include "record/sink.h"

struct record_output {
	struct record_sink sink; /* of whatever file is written at the moment */
	char path[4096]; /* "perf.data"; "-": standard output */
	bool is_pipe; /* the pipe format */
	bool is_timestamped; /* finished files get the time behind their name */
	bool in_place; /* not a file of ours to make: a device or named pipe */
	int compression_level;
	unsigned max_files; /* of timestamped ones; 0: all */
	int fd;
	struct perfdata_writer *writer;
	uint64_t finished_size; /* of files that are complete */
	uint64_t in_size, out_size; /* records and what became of them, over all files */
	char last_path[4160]; /* where the last complete file is */
	ARRAY(char *) files; /* timestamped ones that exist, oldest first */
};

/* Whether standard output is where the recording goes: asked for, or it is a pipe and nothing else was. */
bool record_output_is_stdout(const char *path);
/*
 * Decides where to write and opens it; a file of that name becomes NAME.old. For standard output a private descriptor is
 * taken. 0 or -errno with words.
 */
int record_output_open(struct record_output *output, const char *path, struct err *err);
/* Begins the recording proper. 0 or -errno with words. */
int record_output_begin(struct record_output *output, const struct perfdata_context *context,
			struct err *err);
/* Completes the file; also after a failure. 0 or -errno with words. */
int record_output_finish(struct record_output *output, const struct perfdata_context *context,
			 struct err *err);
/* Completes this file and begins the next. */
int record_output_rotate(struct record_output *output, const struct perfdata_context *context,
			 struct err *err);
/* Bytes of the present file. */
uint64_t record_output_size(const struct record_output *output);
void record_output_release(struct record_output *output);
/* Removes a file that holds nothing. */
void record_output_discard(struct record_output *output);

#endif
