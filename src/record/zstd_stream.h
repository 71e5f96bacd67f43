/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd in both directions: a decoder that is fed piece by piece (perfdata_reader), and a sink that packs
 * records into COMPRESSED records on their way to a file (record -z). The only file that knows the library.
 */
#ifndef RECORD_ZSTD_STREAM_H
#define RECORD_ZSTD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "record/sink.h"

struct zstd_decoder;

bool zstd_stream_available(void);

/* NULL with words when this build has no zstd. */
struct zstd_decoder *zstd_decoder_new(struct err *err);
void zstd_decoder_free(struct zstd_decoder *decoder);
/* Forgets what came so far; the next byte begins a frame. */
void zstd_decoder_reset(struct zstd_decoder *decoder);
/*
 * Takes bytes from the front of *in, writes up to room bytes to out. Returns the number written, or -EBADMSG for
 * damaged data. When less than room was written, *in is used up.
 */
int64_t zstd_decoder_push(struct zstd_decoder *decoder, struct span *in, uint8_t *out, size_t room);

/*
 * A sink that compresses what is pushed and pushes COMPRESSED (81) records on: of the two types that hold zstd
 * data the one that perf of every version reads. Records stay inside until flush (or 1 MB). One stream for the
 * whole recording: all COMPRESSED records of a file must come from one zstd_sink.
 */
struct zstd_sink;

/* No COMPRESSED record unpacks to more than this: perf makes its buffers that large. */
#define ZSTD_SINK_UNPACKED_MAX (2u << 20)

struct zstd_sink *zstd_sink_new(struct record_sink *next, int level, struct err *err);
void zstd_sink_free(struct zstd_sink *sink); /* not the sink behind it */
struct record_sink *zstd_sink_as_sink(struct zstd_sink *sink);
/* Bytes taken and bytes passed on so far. */
void zstd_sink_sizes(const struct zstd_sink *sink, uint64_t *ret_in, uint64_t *ret_out);

#endif
