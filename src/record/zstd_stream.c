/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoder keeps what it is given until flush is called or 1 MB has been taken: flushing at every push costs a third
 * of the ratio, never flushing would lose everything when the writer is killed. It does not end the frame: a
 * recording is one zstd frame, as perf writes it.
 *
 * A COMPRESSED record's size is 16 bits: what does not fit goes into the next one. Its payload has no size of its
 * own and cannot be padded (zstd would take the padding for data), so what follows it in the file is unaligned.
 * Readers know: perf's own files are like that.
 */
#include "record/zstd_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "record/record.h"

#ifdef HAVE_ZSTD

#include <zstd.h>

struct zstd_decoder {
	ZSTD_DStream *stream;
};

/* Frames of perf and sonde have windows of at most 8 MB (level 19); more is refused, not allocated. */
#define WINDOW_LOG_MAX 27

bool zstd_stream_available(void)
{
	return true;
}

struct zstd_decoder *zstd_decoder_new(struct err *err)
{
	struct zstd_decoder *decoder = xcalloc(1, sizeof(*decoder));

	(void)err;
	decoder->stream = ZSTD_createDStream();
	if (!decoder->stream)
		abort();
	ZSTD_DCtx_setParameter(decoder->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	zstd_decoder_reset(decoder);
	return decoder;
}

void zstd_decoder_free(struct zstd_decoder *decoder)
{
	if (!decoder)
		return;
	ZSTD_freeDStream(decoder->stream);
	free(decoder);
}

void zstd_decoder_reset(struct zstd_decoder *decoder)
{
	ZSTD_DCtx_reset(decoder->stream, ZSTD_reset_session_only);
}

int64_t zstd_decoder_push(struct zstd_decoder *decoder, struct span *in, uint8_t *out, size_t room)
{
	ZSTD_inBuffer input = { in->data, in->size, 0 };
	ZSTD_outBuffer output = { out, room, 0 };

	while (output.pos < output.size) {
		size_t in_before = input.pos, out_before = output.pos;
		size_t left = ZSTD_decompressStream(decoder->stream, &output, &input);

		if (ZSTD_isError(left))
			return -EBADMSG;
		if (input.pos == in_before && output.pos == out_before)
			break;
	}
	in->data += input.pos;
	in->size -= input.pos;
	return (int64_t)output.pos;
}

#define COMPRESSED_PAYLOAD_MAX (UINT16_MAX - 7 - sizeof(struct record_header))

#define FLUSH_SIZE (ZSTD_SINK_UNPACKED_MAX / 2)

struct zstd_sink {
	struct record_sink sink;
	struct record_sink *next;
	ZSTD_CStream *stream;
	uint64_t in_size, out_size;
	size_t unflushed; /* bytes taken since the last flush */
	size_t filled; /* of bytes, behind the header */
	uint8_t bytes[sizeof(struct record_header) + COMPRESSED_PAYLOAD_MAX];
};

static int pass_on(struct zstd_sink *sink, struct err *err)
{
	struct record_header header = {
		.type = RECORD_COMPRESSED,
		.size = (uint16_t)(sizeof(header) + sink->filled),
	};

	if (!sink->filled)
		return 0;
	memcpy(sink->bytes, &header, sizeof(header));
	sink->filled = 0;
	sink->out_size += header.size;
	return record_sink_push(sink->next, (struct span){ sink->bytes, header.size }, err);
}

static int compress(struct zstd_sink *sink, struct span records, ZSTD_EndDirective directive, struct err *err)
{
	ZSTD_inBuffer input = { records.data, records.size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer output = { sink->bytes + sizeof(struct record_header), COMPRESSED_PAYLOAD_MAX,
					  sink->filled };
		int ret;

		left = ZSTD_compressStream2(sink->stream, &output, &input, directive);
		if (ZSTD_isError(left))
			return err_set(err, -EIO, "zstd: %s", ZSTD_getErrorName(left));
		sink->filled = output.pos;
		if (output.pos == output.size || (directive == ZSTD_e_flush && !left)) {
			ret = pass_on(sink, err);
			if (ret < 0)
				return ret;
		}
	} while (input.pos < input.size || (directive == ZSTD_e_flush && left));
	return 0;
}

static int flush_stream(struct zstd_sink *sink, struct err *err)
{
	if (!sink->unflushed)
		return 0;
	sink->unflushed = 0;
	return compress(sink, (struct span){ NULL, 0 }, ZSTD_e_flush, err);
}

static int zstd_sink_push(struct record_sink *base, struct span records, struct err *err)
{
	struct zstd_sink *sink = (struct zstd_sink *)base;
	int ret = 0;

	sink->in_size += records.size;
	while (records.size && !ret) {
		size_t room = FLUSH_SIZE - sink->unflushed;
		struct span piece = { records.data, records.size < room ? records.size : room };

		ret = compress(sink, piece, ZSTD_e_continue, err);
		sink->unflushed += piece.size;
		records.data += piece.size;
		records.size -= piece.size;
		if (!ret && sink->unflushed == FLUSH_SIZE)
			ret = flush_stream(sink, err);
	}
	return ret;
}

static int zstd_sink_flush(struct record_sink *base, struct err *err)
{
	struct zstd_sink *sink = (struct zstd_sink *)base;
	int ret = flush_stream(sink, err);

	return ret ? ret : record_sink_flush(sink->next, err);
}

struct zstd_sink *zstd_sink_new(struct record_sink *next, int level, struct err *err)
{
	struct zstd_sink *sink = xcalloc(1, sizeof(*sink));

	(void)err;
	sink->sink.push = zstd_sink_push;
	sink->sink.flush = zstd_sink_flush;
	sink->next = next;
	sink->stream = ZSTD_createCStream();
	if (!sink->stream)
		abort();
	ZSTD_CCtx_setParameter(sink->stream, ZSTD_c_compressionLevel, level);
	return sink;
}

void zstd_sink_free(struct zstd_sink *sink)
{
	if (!sink)
		return;
	ZSTD_freeCStream(sink->stream);
	free(sink);
}

struct record_sink *zstd_sink_as_sink(struct zstd_sink *sink)
{
	return &sink->sink;
}

void zstd_sink_sizes(const struct zstd_sink *sink, uint64_t *ret_in, uint64_t *ret_out)
{
	*ret_in = sink->in_size;
	*ret_out = sink->out_size;
}

#else

static int refuse(struct err *err)
{
	err_set(err, -ENOTSUP, "this build has no zstd, which compressed recordings need");
	err_hint(err, "install libzstd's development package and build again");
	return -ENOTSUP;
}

bool zstd_stream_available(void)
{
	return false;
}

struct zstd_decoder *zstd_decoder_new(struct err *err)
{
	refuse(err);
	return NULL;
}

void zstd_decoder_free(struct zstd_decoder *decoder)
{
	(void)decoder;
}

void zstd_decoder_reset(struct zstd_decoder *decoder)
{
	(void)decoder;
}

int64_t zstd_decoder_push(struct zstd_decoder *decoder, struct span *in, uint8_t *out, size_t room)
{
	(void)decoder;
	(void)in;
	(void)out;
	(void)room;
	return -ENOTSUP;
}

struct zstd_sink *zstd_sink_new(struct record_sink *next, int level, struct err *err)
{
	(void)next;
	(void)level;
	refuse(err);
	return NULL;
}

void zstd_sink_free(struct zstd_sink *sink)
{
	(void)sink;
}

struct record_sink *zstd_sink_as_sink(struct zstd_sink *sink)
{
	(void)sink;
	return NULL;
}

void zstd_sink_sizes(const struct zstd_sink *sink, uint64_t *ret_in, uint64_t *ret_out)
{
	(void)sink;
	*ret_in = *ret_out = 0;
}

#endif
