/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf.data: files, pipes and directories, of perf and of sonde, opened for reading.
 */
#ifndef RECORD_PERFDATA_READER_H
#define RECORD_PERFDATA_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "record/event_table.h"
#include "record/perfdata_damage.h"
#include "record/perfdata_features.h"
#include "record/source.h"

struct perfdata_reader;

enum perfdata_open_flags {
	PERFDATA_ONE_PASS =
		1 << 0, /* pipes: nobody will rewind, so what was read need not be kept in memory */
	PERFDATA_ANY_OWNER = 1 << 1, /* -f: read files that belong to neither this user nor root */
	PERFDATA_HEADER_ONLY = 1 << 2, /* no records are wanted: nothing is kept, of files no data is read */
};

/* What the frame of the recording says. */
struct perfdata_header {
	const char *path; /* as given; "-" for standard input */
	bool is_pipe; /* in pipe format, from a pipe or a file */
	bool is_directory;
	bool is_swapped; /* written on a machine of the other byte order */
	bool is_unfinished; /* its writer died: data.size is 0, there are no features */
	bool is_compressed; /* zstd is needed to read it; may become true while reading */
	uint64_t header_size; /* the header's "version" in `report --header` is 1 for files of this kind */
	uint64_t attr_size;
	uint64_t data_offset, data_size, features_offset;
	uint64_t file_size; /* 0: not known */
	int64_t captured_time; /* seconds since 1970: the file's last modification */
};

/*
 * Opens path: a file, "-" (standard input, which may be a pipe or a file) or a directory. Events and features are
 * there when it returns: of a pipe everything up to the first sample has been read. 0, or -errno with words.
 */
int perfdata_reader_open(const char *path, unsigned flags, struct perfdata_reader **ret_reader,
			 struct err *err);
void perfdata_reader_close(struct perfdata_reader *reader);

const struct perfdata_header *perfdata_reader_header(const struct perfdata_reader *reader);
struct event_table *perfdata_reader_events(struct perfdata_reader *reader);
struct perfdata_features *perfdata_reader_features(struct perfdata_reader *reader);
/*
 * All records in file order. Of directories the streams follow each other (block.stream tells which). Synthesised
 * records of pipes (HEADER_ATTR ...) come too, though they have been applied already.
 */
struct record_source *perfdata_reader_source(struct perfdata_reader *reader);
/* How many files of data there are: 1, or more of a directory. */
uint32_t perfdata_reader_nr_streams(const struct perfdata_reader *reader);
/* N of the file data.N that a stream of a directory was read from; of stream 0 ("data"): 0. */
uint32_t perfdata_reader_stream_number(const struct perfdata_reader *reader, uint32_t stream);
/* COMPRESSED and COMPRESSED2 records met so far: they are unpacked, so the source does not give them. */
uint64_t perfdata_reader_nr_compressed(struct perfdata_reader *reader, uint32_t type);
/* Tracepoint formats (tracing_data.h reads them); size 0: the recording has none. */
struct span perfdata_reader_tracing_data(const struct perfdata_reader *reader);
/* Everything found damaged so far, in header and data; ask again after the last block. */
struct perfdata_damage perfdata_reader_damage(struct perfdata_reader *reader);

#endif
