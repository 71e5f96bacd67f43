/* SPDX-License-Identifier: Apache-2.0 */
#include "record/perfdata_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "record/sample_bits.h"
#include "record/zstd_stream.h"

#define NR_CUTS 64

struct perfdata_writer {
	struct record_sink sink;
	int fd;
	struct perfdata_writer_options options;
	struct perfdata_file_header header;
	uint64_t size; /* written */
	uint64_t in_size; /* records taken */
	int error; /* of the first failed write */
	/* Where the last pushes began, in the file: places to cut when features need the room. */
	uint64_t cuts[NR_CUTS];
	unsigned nr_cuts;
	struct zstd_sink *zstd;
};

static void put_u32(struct buf *buf, uint32_t value)
{
	buf_put(buf, &value, sizeof(value));
}

static void put_u64(struct buf *buf, uint64_t value)
{
	buf_put(buf, &value, sizeof(value));
}

/* Writes as much as goes; returns how much that was. error is set when it was not all. */
static size_t write_some(struct perfdata_writer *writer, const void *data, size_t size)
{
	const uint8_t *pos = data;
	size_t left = size;

	while (left && !writer->error) {
		ssize_t got = write(writer->fd, pos, left);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			writer->error = -errno;
			break;
		}
		pos += got;
		left -= (size_t)got;
	}
	return size - left;
}

static int failed(const struct perfdata_writer *writer, struct err *err)
{
	err_errno(err, writer->error, "cannot write the recording");
	if (writer->error == -ENOSPC)
		err_hint(err, "make room, or record less: -F for fewer samples a second, -z to compress");
	return writer->error;
}

/* Of records of which only the first `size` bytes could be written: the bytes of the whole ones. */
static size_t whole_records(struct span records, size_t size)
{
	size_t at = 0;

	while (size - at >= sizeof(struct record_header)) {
		struct record_header header;

		memcpy(&header, records.data + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > size - at)
			break;
		at += header.size;
	}
	return at;
}

static int file_push(struct record_sink *sink, struct span records, struct err *err)
{
	struct perfdata_writer *writer = (struct perfdata_writer *)sink;
	size_t written;

	writer->cuts[writer->nr_cuts++ % NR_CUTS] = writer->size;
	written = write_some(writer, records.data, records.size);
	if (written < records.size)
		written = whole_records(records, written);
	writer->size += written;
	return writer->error ? failed(writer, err) : 0;
}

/* What a record of user space says about an event: unit, scale, name. */
static void put_update(struct buf *buf, uint64_t kind, uint64_t id, const void *data, size_t size)
{
	size_t room = (size + 7) & ~(size_t)7;
	struct record_header header = { .type = RECORD_EVENT_UPDATE,
					.size = (uint16_t)(sizeof(header) + 16 + room) };

	buf_put(buf, &header, sizeof(header));
	put_u64(buf, kind);
	put_u64(buf, id);
	buf_put(buf, data, size);
	buf_fill(buf, 0, room - size);
}

static void put_updates(struct buf *buf, const struct event_table *events, bool names)
{
	for (size_t i = 0; i < events->events.nr; i++) {
		const struct recorded_event *event = &events->events.items[i];
		uint64_t id = event->ids.nr ? event->ids.items[0] : 0;

		if (!id)
			continue;
		if (event->unit && event->unit[0])
			put_update(buf, 0, id, event->unit, strlen(event->unit) + 1);
		if (event->scale < 1 || event->scale > 1)
			put_update(buf, 1, id, &event->scale, sizeof(event->scale));
		if (names)
			put_update(buf, 2, id, event->name, strlen(event->name) + 1);
	}
}

/* Header, ids, attrs; then the data begins. */
static void put_file_head(struct perfdata_writer *writer, const struct event_table *events, struct buf *buf)
{
	uint32_t attr_size = perfdata_attrs_size(events);
	uint64_t ids_offset = sizeof(writer->header);

	buf_put(buf, &writer->header, sizeof(writer->header));
	for (size_t i = 0; i < events->events.nr; i++)
		if (events->events.items[i].ids.nr)
			buf_put(buf, events->events.items[i].ids.items, events->events.items[i].ids.nr * 8);
	writer->header = (struct perfdata_file_header){
		.magic = PERFDATA_MAGIC,
		.size = sizeof(writer->header),
		.attr_size = attr_size + sizeof(struct perfdata_section),
		.attrs = { buf->size, events->events.nr * (attr_size + sizeof(struct perfdata_section)) },
	};
	for (size_t i = 0; i < events->events.nr; i++) {
		const struct recorded_event *event = &events->events.items[i];

		perfdata_encode_attr(buf, &event->attr, attr_size);
		put_u64(buf, ids_offset);
		put_u64(buf, event->ids.nr * 8);
		ids_offset += event->ids.nr * 8;
	}
	writer->header.data.offset = buf->size;
	memcpy(buf->data, &writer->header, sizeof(writer->header));
	put_updates(buf, events, false);
}

/* perf 6.1 takes the first 128 bytes of a HEADER_ATTR record for the attr whatever size it has. */
#define PIPE_ATTR_SIZE 128

static int put_attr_record(struct buf *buf, const struct recorded_event *event, struct err *err)
{
	uint32_t smallest = event_attr_smallest_size(&event->attr);
	uint32_t attr_size = smallest > PIPE_ATTR_SIZE ? smallest : PIPE_ATTR_SIZE;
	size_t size = sizeof(struct record_header) + attr_size + event->ids.nr * 8;
	struct record_header header = { .type = RECORD_HEADER_ATTR, .size = (uint16_t)size };

	if (size > UINT16_MAX)
		return err_set(err, -E2BIG,
			       "event %s has %zu counters: the pipe format has no room for so many",
			       event->name, event->ids.nr);
	buf_put(buf, &header, sizeof(header));
	perfdata_encode_attr(buf, &event->attr, attr_size);
	if (event->ids.nr)
		buf_put(buf, event->ids.items, event->ids.nr * 8);
	return 0;
}

static void put_feature_record(struct buf *buf, unsigned bit, const struct perfdata_context *context)
{
	struct record_header header = { .type = RECORD_HEADER_FEATURE };
	size_t start = buf->size, size;

	buf_put(buf, &header, sizeof(header));
	put_u64(buf, bit);
	if (!perfdata_feature_encode(bit, context, buf)) {
		buf->size = start;
		return;
	}
	buf_fill(buf, 0, -(buf->size - start) & 7);
	size = buf->size - start;
	if (size > UINT16_MAX) { /* what is too long for a record is not said */
		buf->size = start;
		return;
	}
	header.size = (uint16_t)size;
	memcpy(buf->data + start, &header, sizeof(header));
}

static int put_pipe_head(struct perfdata_writer *writer, const struct perfdata_context *context,
			 struct buf *buf, struct err *err)
{
	struct perfdata_pipe_header header = { PERFDATA_MAGIC, sizeof(header) };
	struct perfdata_context said = *context;
	int ret = 0;

	said.compression_level = writer->options.compression_level;
	said.compression_ratio = 1;
	said.compression_mmap_size = ZSTD_SINK_UNPACKED_MAX;
	buf_put(buf, &header, sizeof(header));
	for (size_t i = 0; i < context->events->events.nr && !ret; i++)
		ret = put_attr_record(buf, &context->events->events.items[i], err);
	put_updates(buf, context->events, true);
	/* perf takes a feature that it does not know for damage when it comes as a record: none later than perf 6.1's. */
	for (unsigned bit = PERFDATA_BUILD_ID + 1; bit <= PERFDATA_PMU_CAPS; bit++)
		put_feature_record(buf, bit, &said);
	if (context->tracing_data.size) {
		struct record_header record = { .type = RECORD_HEADER_TRACING_DATA, .size = 16 };
		size_t padding = -context->tracing_data.size & 7;

		buf_put(buf, &record, sizeof(record));
		put_u32(buf, (uint32_t)(context->tracing_data.size + padding));
		put_u32(buf, 0);
		buf_put(buf, context->tracing_data.data, context->tracing_data.size);
		buf_fill(buf, 0, padding);
	}
	return ret;
}

int perfdata_writer_new(int fd, const struct perfdata_writer_options *options,
			const struct perfdata_context *context, struct perfdata_writer **ret_writer,
			struct err *err)
{
	struct perfdata_writer *writer = xcalloc(1, sizeof(*writer));
	struct buf head = BUF_INIT;
	int ret = 0;

	*ret_writer = NULL;
	writer->sink.push = file_push;
	writer->fd = fd;
	writer->options = *options;
	if (options->is_pipe)
		ret = put_pipe_head(writer, context, &head, err);
	else
		put_file_head(writer, context->events, &head);
	if (!ret && options->compression_level) {
		writer->zstd = zstd_sink_new(&writer->sink, options->compression_level, err);
		ret = writer->zstd ? 0 : -ENOTSUP;
	}
	if (!ret) {
		writer->size = write_some(writer, head.data, head.size);
		if (writer->error)
			ret = failed(writer, err);
	}
	buf_release(&head);
	if (ret < 0) {
		perfdata_writer_free(writer);
		return ret;
	}
	*ret_writer = writer;
	return 0;
}

void perfdata_writer_free(struct perfdata_writer *writer)
{
	if (!writer)
		return;
	zstd_sink_free(writer->zstd);
	free(writer);
}

struct record_sink *perfdata_writer_sink(struct perfdata_writer *writer)
{
	return writer->zstd ? zstd_sink_as_sink(writer->zstd) : &writer->sink;
}

uint64_t perfdata_writer_size(const struct perfdata_writer *writer)
{
	return writer->size;
}

void perfdata_writer_data_sizes(const struct perfdata_writer *writer, uint64_t *ret_in, uint64_t *ret_out)
{
	*ret_out = writer->size - (writer->options.is_pipe ? 0 : writer->header.data.offset);
	*ret_in = *ret_out;
	if (writer->zstd)
		zstd_sink_sizes(writer->zstd, ret_in, ret_out);
}

/* The table of sections and the payloads behind it; the header's bits say which. */
static void put_features(struct perfdata_writer *writer, const struct perfdata_context *context,
			 struct buf *buf)
{
	struct perfdata_section sections[PERFDATA_FEATURE_NR];
	struct buf payloads = BUF_INIT;
	size_t nr = 0, base;

	memset(writer->header.features, 0, sizeof(writer->header.features));
	for (unsigned bit = 1; bit < PERFDATA_FEATURE_NR; bit++) {
		size_t start = payloads.size;

		if (!perfdata_feature_encode(bit, context, &payloads))
			continue;
		writer->header.features[bit / 64] |= 1ull << bit % 64;
		sections[nr++] = (struct perfdata_section){ start, payloads.size - start };
	}
	base = writer->size + nr * sizeof(sections[0]);
	for (size_t i = 0; i < nr; i++)
		sections[i].offset += base;
	buf_put(buf, sections, nr * sizeof(sections[0]));
	if (payloads.size)
		buf_put(buf, payloads.data, payloads.size);
	buf_release(&payloads);
}

/* The latest place to cut off at least `size` bytes of data; 0: there is none. */
static uint64_t cut_find(const struct perfdata_writer *writer, uint64_t data_end, size_t size)
{
	unsigned nr = writer->nr_cuts < NR_CUTS ? writer->nr_cuts : NR_CUTS;

	for (unsigned i = 1; i <= nr; i++) {
		uint64_t cut = writer->cuts[(writer->nr_cuts - i) % NR_CUTS];

		if (cut + size <= data_end && cut > writer->header.data.offset)
			return cut;
	}
	return 0;
}

static void data_end_set(struct perfdata_writer *writer, uint64_t data_end)
{
	writer->size = data_end;
	writer->header.data.size = data_end - writer->header.data.offset;
	/* Pipes and devices cannot be cut, but nobody reads their header either. */
	if (ftruncate(writer->fd, (off_t)data_end) == 0)
		lseek(writer->fd, (off_t)data_end, SEEK_SET);
}

static bool features_write(struct perfdata_writer *writer, const struct perfdata_context *context,
			   size_t *ret_size)
{
	struct buf features = BUF_INIT;

	put_features(writer, context, &features);
	*ret_size = features.size;
	writer->size += write_some(writer, features.data, features.size);
	buf_release(&features);
	return !writer->error;
}

/*
 * The file behind its data: the features, and then the header that speaks of them. When the disk is full the last
 * records give way to the features: without these nobody knows the events' names.
 */
static int file_finish(struct perfdata_writer *writer, const struct perfdata_context *context,
		       struct err *err)
{
	uint64_t data_end = writer->size;
	int first_error = writer->error;
	size_t size;

	writer->error = 0;
	writer->header.data.size = data_end - writer->header.data.offset;
	if (first_error)
		data_end_set(writer, data_end);
	if (!features_write(writer, context, &size)) {
		uint64_t cut = cut_find(writer, data_end, size + 8192);

		first_error = first_error ? first_error : writer->error;
		writer->error = 0;
		data_end_set(writer, cut ? cut : data_end);
		if (!cut || !features_write(writer, context, &size)) {
			data_end_set(writer, cut ? cut : data_end);
			memset(writer->header.features, 0, sizeof(writer->header.features));
		}
	}
	if (lseek(writer->fd, 0, SEEK_SET) >= 0) {
		writer->error = 0;
		write_some(writer, &writer->header, sizeof(writer->header));
		lseek(writer->fd, (off_t)writer->size, SEEK_SET);
		first_error = first_error ? first_error : writer->error;
	}
	writer->error = first_error;
	return first_error ? failed(writer, err) : 0;
}

int perfdata_writer_finish(struct perfdata_writer *writer, const struct perfdata_context *context,
			   struct err *err)
{
	struct perfdata_context whole = *context;
	uint64_t in = 0, out = 0;
	int ret = 0;

	if (writer->zstd) {
		if (!writer->error)
			ret = record_sink_flush(perfdata_writer_sink(writer), err);
		zstd_sink_sizes(writer->zstd, &in, &out);
		whole.compression_level = writer->options.compression_level;
		whole.compression_ratio = out ? (uint32_t)((in + out / 2) / out) : 1;
		whole.compression_mmap_size = ZSTD_SINK_UNPACKED_MAX;
	}
	if (writer->options.is_pipe)
		return ret;
	return file_finish(writer, &whole, err);
}
