/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording being written, as a sink for records.
 *
 *	perfdata_writer_new(fd, &options, &context, &writer, err)    everything known so far goes out
 *	record_sink_push(perfdata_writer_sink(writer), span, err)    whole records
 *	perfdata_writer_finish(writer, &context, err)                features, sizes; also after a failed push
 *	perfdata_writer_free(writer)
 *
 * A file is complete only after finish; before, its header says data.size 0 and has no features, which readers
 * take as "everything to the end of the file": a killed writer leaves a readable recording. On a full disk
 * push fails; what was written up to the last whole record stays, and finish makes a proper file of it.
 */
#ifndef RECORD_PERFDATA_WRITER_H
#define RECORD_PERFDATA_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "record/perfdata_encode.h"
#include "record/sink.h"

struct perfdata_writer;

struct perfdata_writer_options {
	bool is_pipe; /* write the pipe format: nothing is ever seeked or rewritten */
	int compression_level; /* 1 to 22: records go through zstd; 0: as they are */
};

/*
 * fd stays the caller's, and is written from its beginning. context->events must be complete, ids included; the rest of
 * the context counts here only for pipes, which get all their features at the start. 0 or -errno with words.
 */
int perfdata_writer_new(int fd, const struct perfdata_writer_options *options,
			const struct perfdata_context *context, struct perfdata_writer **ret_writer,
			struct err *err);
void perfdata_writer_free(struct perfdata_writer *writer);
/* Where records go: the compressing stage or the file itself. */
struct record_sink *perfdata_writer_sink(struct perfdata_writer *writer);
/*
 * Ends the recording: what is inside zstd, the features, the sizes. Of context, events must be those given to
 * perfdata_writer_new; compression_* are filled in here. 0 or -errno with words; the file is then as good as can be.
 */
int perfdata_writer_finish(struct perfdata_writer *writer, const struct perfdata_context *context,
			   struct err *err);
/* Bytes written so far, header included. */
uint64_t perfdata_writer_size(const struct perfdata_writer *writer);
/* Bytes of records taken, and bytes written for them: they differ with compression. */
void perfdata_writer_data_sizes(const struct perfdata_writer *writer, uint64_t *ret_in, uint64_t *ret_out);

#endif
