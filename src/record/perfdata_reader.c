/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening finds out what is before us (file, pipe, directory, byte order), describes the events and makes
 * one block_stream for each file of data. Then it primes: blocks are taken from the first stream until one
 * holds a sample, because pipes describe their events by records, and files put units and scales there.
 * Primed blocks are handed out first. Events are not changed after that: other threads read them.
 */
#include "record/perfdata_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "record/block_stream.h"
#include "record/tracing_data.h"

#define PRIME_SIZE_MAX (32u << 20)

struct perfdata_file {
	struct file_map map;
	int fd; /* of a pipe; -1 */
	uint32_t number; /* N of data.N */
	struct block_stream *stream;
};

struct perfdata_reader {
	struct record_source source;
	struct perfdata_header header;
	struct event_table events;
	struct perfdata_features features;
	struct perfdata_damage damage; /* of the header */
	struct span tracing_data;
	char *path;
	struct buf slurped; /* a recording in file format that came through a pipe */
	ARRAY(struct perfdata_file) files; /* one for each stream: several only of directories */
	size_t file; /* the one being read */
	ARRAY(struct record_block) primed;
	size_t nr_primed_given;
	bool priming;
	unsigned flags;
	pthread_mutex_t lock;
};

/* ---- events ---- */

struct event_names {
	struct perfdata_reader *reader;
	uint32_t nr;
};

static int name_count(void *context, uint32_t index, const struct perfdata_event_desc *desc)
{
	struct event_names *names = context;

	(void)index;
	(void)desc;
	names->nr++;
	return 0;
}

/* A row of EVENT_DESC belongs to the event of the same place, or, when their numbers differ, of the same id. */
static int name_apply(void *context, uint32_t index, const struct perfdata_event_desc *desc)
{
	struct event_names *names = context;
	struct perfdata_reader *reader = names->reader;
	struct event_table *events = &reader->events;
	uint32_t event = index;

	if (names->nr != events->events.nr) {
		if (!desc->nr_ids)
			return 0;
		event = event_table_find_id(events, perfdata_features_desc_id(&reader->features, desc, 0));
	}
	if (event >= events->events.nr)
		return 0;
	if (desc->name[0])
		event_table_rename(events, event, desc->name);
	for (uint32_t i = 0; i < desc->nr_ids; i++)
		event_table_add_id(events, event, perfdata_features_desc_id(&reader->features, desc, i));
	return 0;
}

static int group_apply(void *context, const char *name, uint32_t leader, uint32_t nr_members)
{
	struct event_table *events = &((struct perfdata_reader *)context)->events;

	if (leader >= events->events.nr || !nr_members || nr_members > events->events.nr - leader)
		return 0;
	for (uint32_t i = 0; i < nr_members; i++)
		events->events.items[leader + i].leader = leader;
	events->events.items[leader].nr_members = nr_members;
	free(events->events.items[leader].group_name);
	events->events.items[leader].group_name = name ? xstrdup(name) : NULL;
	return 0;
}

/* Tracepoints that nobody named: the formats know their ids. */
static void name_tracepoints(struct perfdata_reader *reader)
{
	struct tracing_data *data = NULL;

	for (uint32_t i = 0; i < reader->events.events.nr; i++) {
		struct recorded_event *event = &reader->events.events.items[i];
		const struct tracing_format *format;
		char *name;

		if (event->attr.type != 2 || strcmp(event->name, "unknown tracepoint"))
			continue;
		if (!reader->tracing_data.size)
			return;
		if (!data)
			data = tracing_data_parse(reader->tracing_data);
		format = tracing_data_find(data, event->attr.config);
		if (!format)
			continue;
		name = xasprintf("%s:%s", format->system, format->name);
		event_table_rename(&reader->events, i, name);
		free(name);
	}
	tracing_data_free(data);
}

static void events_describe(struct perfdata_reader *reader)
{
	struct event_names names = { .reader = reader };

	perfdata_features_event_descs(&reader->features, name_count, &names);
	perfdata_features_event_descs(&reader->features, name_apply, &names);
	perfdata_features_groups(&reader->features, group_apply, reader);
	name_tracepoints(reader);
}

/* ---- records that describe ---- */

static void attr_apply(struct perfdata_reader *reader, const struct record_header *raw, uint64_t offset)
{
	const uint8_t *bytes = (const uint8_t *)(raw + 1);
	size_t size = raw->size - sizeof(*raw);
	uint32_t attr_size = size >= 8 ? sample_u32_at(raw, 12) : 0, event;
	struct event_attr attr;

	if (size >= 8 && !attr_size)
		attr_size = EVENT_ATTR_SIZE_MIN;
	if (attr_size < EVENT_ATTR_SIZE_MIN || attr_size > size) {
		perfdata_damage_add(&reader->damage, offset, 0, "the description of an event is too short");
		return;
	}
	event_attr_decode(bytes, attr_size, false, &attr);
	event = event_table_add(&reader->events, &attr, NULL);
	for (size_t at = attr_size; at + 8 <= size; at += 8)
		event_table_add_id(&reader->events, event, sample_u64_at(raw, (unsigned)(sizeof(*raw) + at)));
}

static void update_apply(struct perfdata_reader *reader, const struct record_header *raw, uint64_t offset)
{
	struct cursor cursor = cursor_of(raw + 1, raw->size - sizeof(*raw), false);
	uint64_t kind = cursor_u64(&cursor), id = cursor_u64(&cursor), bits;
	uint32_t index = event_table_find_id(&reader->events, id);
	struct recorded_event *event;
	const char *text;

	if (index == HASH_NONE)
		return;
	event = &reader->events.events.items[index];
	switch (kind) {
	case 0:
		text = cursor_string(&cursor);
		if (text) {
			free(event->unit);
			event->unit = xstrdup(text);
		}
		break;
	case 1:
		bits = cursor_u64(&cursor);
		if (!cursor.failed)
			memcpy(&event->scale, &bits, sizeof(event->scale));
		break;
	case 2:
		text = cursor_string(&cursor);
		if (text)
			event_table_rename(&reader->events, index, text);
		break;
	default:
		return;
	}
	if (cursor.failed)
		perfdata_damage_add(&reader->damage, offset, 0, "the update of an event is too short");
}

static void feature_apply(struct perfdata_reader *reader, const struct record_header *raw)
{
	uint64_t bit;

	if (raw->size < 16)
		return;
	bit = sample_u64_at(raw, 8);
	/* perf ends the list by an empty one whose number is its own count of features. */
	if (raw->size == 16 && bit != PERFDATA_BRANCH_STACK && bit != PERFDATA_STAT)
		return;
	if (bit < PERFDATA_FEATURE_MAX)
		perfdata_features_add(&reader->features, (unsigned)bit,
				      (struct span){
					      arena_memdup(&reader->features.arena, raw + 2, raw->size - 16u),
					      raw->size - 16u });
}

static void record_apply(void *context, const struct record_header *raw, uint64_t offset)
{
	struct perfdata_reader *reader = context;

	if (!reader->priming) {
		if (raw->type == RECORD_HEADER_ATTR)
			perfdata_damage_add(&reader->damage, offset, raw->size,
					    "an event is described behind the first samples");
		return;
	}
	if (raw->type == RECORD_HEADER_ATTR)
		attr_apply(reader, raw, offset);
	else if (raw->type == RECORD_EVENT_UPDATE)
		update_apply(reader, raw, offset);
	else if (raw->type == RECORD_HEADER_FEATURE)
		feature_apply(reader, raw);
}

/* ---- the source ---- */

static int reader_next(struct record_source *source, struct record_block *ret_block, struct err *err)
{
	struct perfdata_reader *reader = (struct perfdata_reader *)source;
	int ret = 0;

	pthread_mutex_lock(&reader->lock);
	if (reader->nr_primed_given < reader->primed.nr) {
		*ret_block = reader->primed.items[reader->nr_primed_given++];
		ret = 1;
	}
	while (!ret && reader->file < reader->files.nr) {
		struct block_stream *stream = reader->files.items[reader->file].stream;

		ret = block_stream_next(stream, ret_block, err);
		if (block_stream_is_compressed(stream))
			reader->header.is_compressed = true;
		if (!ret)
			reader->file++;
	}
	if (ret < 0)
		err_prefix(err, "%s", reader->path);
	pthread_mutex_unlock(&reader->lock);
	return ret;
}

static void reader_done(struct record_source *source, struct record_block *block)
{
	struct perfdata_reader *reader = (struct perfdata_reader *)source;

	if (!block->owner)
		return;
	pthread_mutex_lock(&reader->lock);
	block_stream_done(reader->files.items[block->stream].stream, block);
	pthread_mutex_unlock(&reader->lock);
}

static int reader_rewind(struct record_source *source, struct err *err)
{
	struct perfdata_reader *reader = (struct perfdata_reader *)source;
	int ret = 0;

	pthread_mutex_lock(&reader->lock);
	while (reader->nr_primed_given < reader->primed.nr) {
		struct record_block *block = &reader->primed.items[reader->nr_primed_given++];

		if (block->owner)
			block_stream_done(reader->files.items[block->stream].stream, block);
	}
	array_clear(&reader->primed);
	reader->nr_primed_given = 0;
	reader->file = 0;
	for (size_t i = 0; i < reader->files.nr && !ret; i++)
		ret = block_stream_rewind(reader->files.items[i].stream, err);
	pthread_mutex_unlock(&reader->lock);
	return ret;
}

static bool has_sample(const struct record_block *block)
{
	for (const struct record_header *raw = record_first(block); raw; raw = record_next(block, raw))
		if (raw->type == RECORD_SAMPLE)
			return true;
	return false;
}

static int prime(struct perfdata_reader *reader, struct err *err)
{
	size_t size = 0;

	if (reader->flags & PERFDATA_HEADER_ONLY && !reader->header.is_pipe &&
	    perfdata_features_has(&reader->features, PERFDATA_EVENT_DESC))
		return 0; /* the names are known: no need to touch the data */
	reader->priming = true;
	for (;;) {
		struct record_block block;
		int ret = block_stream_next(reader->files.items[0].stream, &block, err);

		if (ret < 0)
			return ret;
		if (!ret)
			break;
		array_push(&reader->primed, block);
		size += block.bytes.size;
		if (size >= PRIME_SIZE_MAX || has_sample(&block))
			break;
	}
	reader->priming = false;
	return 0;
}

static void stream_add(struct perfdata_reader *reader, struct perfdata_file *file, struct span data,
		       uint64_t offset)
{
	struct block_stream_config config = {
		.map = data,
		.fd = file->fd,
		.keep = !(reader->flags & (PERFDATA_ONE_PASS | PERFDATA_HEADER_ONLY)),
		.offset = offset,
		.number = (uint32_t)reader->files.nr,
		.swap = reader->header.is_swapped,
		.events = &reader->events,
		.apply = record_apply,
		.context = reader,
	};

	file->stream = block_stream_new(&config);
	array_push(&reader->files, *file);
}

/* ---- the header of files ---- */

static uint64_t turned(const struct perfdata_reader *reader, uint64_t value)
{
	return reader->header.is_swapped ? __builtin_bswap64(value) : value;
}

static struct perfdata_section section_turned(const struct perfdata_reader *reader,
					      struct perfdata_section section)
{
	return (struct perfdata_section){ turned(reader, section.offset), turned(reader, section.size) };
}

/* The bytes of a section; damage and nothing when they are not all in the file. */
static struct span section_bytes(struct perfdata_reader *reader, struct span file,
				 struct perfdata_section section, const char *what)
{
	if (section.offset > file.size || section.size > file.size - section.offset) {
		perfdata_damage_add(&reader->damage, section.offset, section.size, "%s lies outside the file",
				    what);
		return (struct span){ 0 };
	}
	return (struct span){ file.data + section.offset, (size_t)section.size };
}

static int attrs_read(struct perfdata_reader *reader, struct span file, struct perfdata_section section,
		      struct err *err)
{
	uint64_t stride = reader->header.attr_size;

	if (stride < EVENT_ATTR_SIZE_MIN + sizeof(struct perfdata_section) || stride > 4096)
		return err_set(err, -EBADMSG,
			       "incompatible file format: %s describes events by %llu bytes each",
			       reader->path, (unsigned long long)stride);
	if (section.offset > file.size)
		return err_set(err, -EBADMSG, "%s: the descriptions of its events lie outside the file",
			       reader->path);
	if (section.size > file.size - section.offset) {
		perfdata_damage_add(&reader->damage, section.offset, section.size,
				    "the descriptions of the events go beyond the end of the file");
		section.size = file.size - section.offset;
	}
	for (uint64_t at = 0; section.size - at >= stride; at += stride) {
		const uint8_t *bytes = file.data + section.offset + at;
		struct cursor cursor = cursor_of(bytes, stride, reader->header.is_swapped);
		struct perfdata_section ids_section;
		struct event_attr attr;
		struct span ids;
		uint32_t size, event;

		cursor_skip(&cursor, 4);
		size = cursor_u32(&cursor);
		if (size < EVENT_ATTR_SIZE_MIN || size > stride - sizeof(ids_section))
			size = size ? (uint32_t)(stride - sizeof(ids_section)) : EVENT_ATTR_SIZE_MIN;
		event_attr_decode(bytes, size, reader->header.is_swapped, &attr);
		/* The ids' place comes right behind the attr, even where an entry is longer than that. */
		memcpy(&ids_section, bytes + size, sizeof(ids_section));
		ids_section = section_turned(reader, ids_section);
		event = event_table_add(&reader->events, &attr, NULL);
		ids = section_bytes(reader, file, ids_section, "the list of an event's ids");
		cursor = cursor_of(ids.data ? ids.data : bytes, ids.size, reader->header.is_swapped);
		while (cursor_left(&cursor) >= 8)
			event_table_add_id(&reader->events, event, cursor_u64(&cursor));
	}
	if (!reader->events.events.nr)
		return err_set(err, -EBADMSG, "%s describes no event", reader->path);
	return 0;
}

static void features_read(struct perfdata_reader *reader, struct span file, const uint64_t *bits)
{
	uint64_t at = reader->header.features_offset;

	for (unsigned bit = 0; bit < PERFDATA_FEATURE_MAX; bit++) {
		struct perfdata_section section;
		struct span payload;

		if (!(bits[bit / 64] >> bit % 64 & 1))
			continue;
		if (at > file.size || file.size - at < sizeof(section)) {
			perfdata_damage_add(&reader->damage, at, 0,
					    "the file ends within its table of features");
			return;
		}
		memcpy(&section, file.data + at, sizeof(section));
		section = section_turned(reader, section);
		at += sizeof(section);
		payload = section_bytes(reader, file, section, "a header feature");
		if (payload.data)
			perfdata_features_add(&reader->features, bit, payload);
	}
}

/* The bitmap is an array of the writer's long: on a big-endian machine of 32 bits its halves come the other way round. */
static void bits_turn(const struct perfdata_reader *reader, uint64_t bits[4])
{
	if (!reader->header.is_swapped)
		return;
	for (unsigned i = 0; i < 4; i++)
		bits[i] = __builtin_bswap64(bits[i]);
	if (!(bits[0] >> PERFDATA_HOSTNAME & 1) && bits[0] >> 32 >> PERFDATA_HOSTNAME & 1)
		for (unsigned i = 0; i < 4; i++)
			bits[i] = bits[i] << 32 | bits[i] >> 32;
}

/* Whether a table of features stands at `at`: perf sets the bits when it begins to write, the table comes at the end. */
static bool has_feature_table(const struct perfdata_reader *reader, struct span file, const uint64_t *bits,
			      uint64_t at)
{
	struct perfdata_section section;
	uint64_t nr = 0;

	for (unsigned i = 0; i < 4; i++)
		nr += (uint64_t)__builtin_popcountll(bits[i]);
	if (!nr || file.size - at < nr * sizeof(section))
		return false;
	memcpy(&section, file.data + at, sizeof(section));
	return section_turned(reader, section).offset == at + nr * sizeof(section);
}

static int file_header_read(struct perfdata_reader *reader, struct span file, struct span *ret_data,
			    struct err *err)
{
	struct perfdata_file_header raw;
	struct perfdata_section data;
	uint64_t left;
	int ret;

	if (file.size < sizeof(raw))
		return err_set(err, -EBADMSG, "%s ends within its header", reader->path);
	memcpy(&raw, file.data, sizeof(raw));
	reader->header.header_size = turned(reader, raw.size);
	reader->header.attr_size = turned(reader, raw.attr_size);
	bits_turn(reader, raw.features);
	ret = attrs_read(reader, file, section_turned(reader, raw.attrs), err);
	if (ret < 0)
		return ret;
	data = section_turned(reader, raw.data);
	if (data.offset > file.size)
		return err_set(err, -EBADMSG, "%s: its data lie outside the file", reader->path);
	left = file.size - data.offset;
	reader->header.data_offset = data.offset;
	reader->header.data_size = data.size;
	reader->header.is_unfinished = !data.size && left &&
				       !has_feature_table(reader, file, raw.features, data.offset);
	if (reader->header.is_unfinished) {
		data.size = left;
	} else if (data.size > left) {
		perfdata_damage_add(&reader->damage, file.size, data.size - left,
				    "the file is cut off within its data");
		data.size = left;
	} else {
		reader->header.features_offset = data.offset + data.size;
		features_read(reader, file, raw.features);
	}
	*ret_data = (struct span){ file.data + data.offset, (size_t)data.size };
	return 0;
}

/* The first 16 bytes of anything. */
static int magic_read(struct perfdata_reader *reader, const uint8_t *bytes, size_t size, struct err *err)
{
	struct perfdata_pipe_header header = { 0 };

	memcpy(&header, bytes, size < sizeof(header) ? size : sizeof(header));
	if (size >= 8 && !memcmp(bytes, PERFDATA_MAGIC_OLD, 8)) {
		err_set(err, -EBADMSG, "%s is in the first perf.data format (PERFFILE, before Linux 3.5)",
			reader->path);
		err_hint(err, "read it with the perf of its time, or record it again");
		return -EBADMSG;
	}
	if (size < sizeof(header) ||
	    (header.magic != PERFDATA_MAGIC && header.magic != PERFDATA_MAGIC_SWAPPED)) {
		err_set(err, -EBADMSG, "incompatible file format: %s is not a perf.data recording",
			reader->path);
		return -EBADMSG;
	}
	reader->header.is_swapped = header.magic == PERFDATA_MAGIC_SWAPPED;
	reader->header.is_pipe = turned(reader, header.size) == sizeof(header);
	reader->features.swap = reader->header.is_swapped;
	reader->features.of_pipe = reader->header.is_pipe;
	return 0;
}

/* ---- opening ---- */

static int bytes_open(struct perfdata_reader *reader, struct perfdata_file *file, struct span bytes,
		      struct err *err)
{
	struct span data = { 0 };
	int ret = magic_read(reader, bytes.data, bytes.size, err);

	reader->header.file_size = bytes.size;
	if (!ret && reader->header.is_pipe) {
		reader->header.data_offset = sizeof(struct perfdata_pipe_header);
		data = (struct span){ bytes.data + sizeof(struct perfdata_pipe_header),
				      bytes.size - sizeof(struct perfdata_pipe_header) };
		reader->header.data_size = data.size;
	} else if (!ret) {
		ret = file_header_read(reader, bytes, &data, err);
	}
	if (!ret)
		stream_add(reader, file, data, reader->header.data_offset);
	return ret;
}

static int pipe_open(struct perfdata_reader *reader, struct perfdata_file *file, struct err *err)
{
	uint8_t bytes[sizeof(struct perfdata_pipe_header)];
	size_t size = 0;
	int ret;

	while (size < sizeof(bytes)) {
		ssize_t got = read(file->fd, bytes + size, sizeof(bytes) - size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(err, -errno, "cannot read %s", reader->path);
		if (!got)
			break;
		size += (size_t)got;
	}
	if (!size)
		return err_set(err, -ENODATA, "%s: no recording came through the pipe", reader->path);
	ret = magic_read(reader, bytes, size, err);
	if (ret < 0)
		return ret;
	if (reader->header.is_pipe) {
		reader->header.data_offset = size;
		stream_add(reader, file, (struct span){ 0 }, size);
		return 0;
	}
	/* A file that somebody pours into a pipe: its features stand at the end, so it must be here whole. */
	buf_put(&reader->slurped, bytes, size);
	ret = file_read_fd(file->fd, &reader->slurped, SIZE_MAX);
	if (ret < 0)
		return err_errno(err, ret, "cannot read %s", reader->path);
	close(file->fd);
	file->fd = -1;
	return bytes_open(reader, file,
			  (struct span){ (const uint8_t *)reader->slurped.data, reader->slurped.size }, err);
}

static int owner_check(const struct perfdata_reader *reader, const struct stat *st, struct err *err)
{
	if (reader->flags & PERFDATA_ANY_OWNER || !st->st_uid || st->st_uid == geteuid())
		return 0;
	err_set(err, -EPERM, "file %s not owned by current user or root", reader->path);
	err_hint(err, "use -f to override");
	return -EPERM;
}

static int fd_open(struct perfdata_reader *reader, int fd, struct err *err)
{
	struct perfdata_file file = { .fd = -1 };
	struct stat st;
	int ret;

	if (fstat(fd, &st) < 0)
		return err_errno(err, -errno, "cannot read %s", reader->path);
	reader->header.captured_time = st.st_mtime;
	if (!S_ISREG(st.st_mode)) {
		file.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		ret = pipe_open(reader, &file, err);
		if (ret < 0 && file.fd >= 0)
			close(file.fd);
		return ret;
	}
	if (fd != STDIN_FILENO) {
		ret = owner_check(reader, &st, err);
		if (ret < 0)
			return ret;
	}
	if (!st.st_size)
		return err_set(err, -ENODATA, "zero-sized data (%s), nothing to do!", reader->path);
	ret = file_map_fd(fd, reader->path, &file.map, err);
	if (ret < 0)
		return ret;
	ret = bytes_open(reader, &file, (struct span){ file.map.data, file.map.size }, err);
	if (ret < 0)
		file_unmap(&file.map);
	return ret;
}

static int path_open(struct perfdata_reader *reader, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return err_errno(err, -errno, "failed to open %s", path);
	ret = fd_open(reader, fd, err);
	close(fd);
	return ret;
}

static int compare_files(const void *a, const void *b)
{
	const struct perfdata_file *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* data, then data.0, data.1 ... in the order of their numbers. */
static int directory_open(struct perfdata_reader *reader, struct err *err)
{
	char *path = xasprintf("%s/data", reader->path);
	ARRAY(struct perfdata_file) found = { 0 };
	struct dirent *entry;
	DIR *dir;
	int ret = path_open(reader, path, err);

	free(path);
	if (ret < 0)
		return ret;
	reader->header.is_directory = true;
	dir = opendir(reader->path);
	if (!dir)
		return err_errno(err, -errno, "cannot read %s", reader->path);
	while ((entry = readdir(dir))) {
		struct perfdata_file file = { .fd = -1 };
		char *end;

		if (strncmp(entry->d_name, "data.", 5) || entry->d_name[5] < '0' || entry->d_name[5] > '9')
			continue;
		file.number = (uint32_t)strtoul(entry->d_name + 5, &end, 10);
		if (*end)
			continue;
		path = xasprintf("%s/%s", reader->path, entry->d_name);
		ret = file_map_path(path, &file.map, err);
		free(path);
		if (ret < 0)
			break;
		array_push(&found, file);
	}
	closedir(dir);
	if (found.nr)
		qsort(found.items, found.nr, sizeof(found.items[0]), compare_files);
	for (size_t i = 0; i < found.nr; i++) {
		struct perfdata_file *file = &found.items[i];

		if (ret < 0)
			file_unmap(&file->map);
		else
			stream_add(reader, file, (struct span){ file->map.data, file->map.size }, 0);
	}
	array_release(&found);
	return ret < 0 ? ret : 0;
}

static int any_open(struct perfdata_reader *reader, struct err *err)
{
	struct stat st;

	if (!strcmp(reader->path, "-"))
		return fd_open(reader, STDIN_FILENO, err);
	if (stat(reader->path, &st) == 0 && S_ISDIR(st.st_mode))
		return directory_open(reader, err);
	return path_open(reader, reader->path, err);
}

/* perf stat sets the bit without meaning it; then there is no payload. */
static bool says_compressed(const struct perfdata_reader *reader)
{
	struct perfdata_compression compression;

	return perfdata_features_compression(&reader->features, &compression) && compression.type;
}

/* Blocks stay valid unless they are unpacked or turned, or nobody keeps what came through the pipe. */
static void settle_stability(struct perfdata_reader *reader)
{
	bool stable = !reader->header.is_swapped && !says_compressed(reader);

	for (size_t i = 0; i < reader->files.nr; i++)
		if (!block_stream_is_stable(reader->files.items[i].stream))
			stable = false;
	reader->source.stable = stable;
	for (size_t i = 0; stable && i < reader->files.nr; i++)
		block_stream_promise(reader->files.items[i].stream);
}

int perfdata_reader_open(const char *path, unsigned flags, struct perfdata_reader **ret_reader,
			 struct err *err)
{
	struct perfdata_reader *reader = xcalloc(1, sizeof(*reader));
	int ret;

	*ret_reader = NULL;
	reader->source = (struct record_source){ reader_next, reader_done, reader_rewind, false };
	reader->path = xstrdup(path);
	reader->header.path = reader->path;
	reader->flags = flags;
	reader->slurped = BUF_INIT;
	pthread_mutex_init(&reader->lock, NULL);
	event_table_init(&reader->events);
	perfdata_features_init(&reader->features, false);
	ret = any_open(reader, err);
	if (!ret) {
		if (!reader->header.is_pipe) /* names first: what the records say later goes before */
			events_describe(reader);
		ret = prime(reader, err);
	}
	if (ret < 0) {
		perfdata_reader_close(reader);
		return ret;
	}
	reader->tracing_data = reader->features.payloads[PERFDATA_TRACING_DATA];
	if (!reader->tracing_data.size)
		reader->tracing_data = block_stream_tracing(reader->files.items[0].stream);
	if (reader->header.is_pipe)
		events_describe(reader);
	else
		name_tracepoints(reader);
	reader->header.is_compressed = says_compressed(reader) ||
				       block_stream_is_compressed(reader->files.items[0].stream);
	settle_stability(reader);
	*ret_reader = reader;
	return 0;
}

void perfdata_reader_close(struct perfdata_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->files.nr; i++) {
		block_stream_free(reader->files.items[i].stream);
		file_unmap(&reader->files.items[i].map);
		if (reader->files.items[i].fd >= 0)
			close(reader->files.items[i].fd);
	}
	array_release(&reader->files);
	array_release(&reader->primed);
	event_table_release(&reader->events);
	perfdata_features_release(&reader->features);
	buf_release(&reader->slurped);
	pthread_mutex_destroy(&reader->lock);
	free(reader->path);
	free(reader);
}

const struct perfdata_header *perfdata_reader_header(const struct perfdata_reader *reader)
{
	return &reader->header;
}

struct event_table *perfdata_reader_events(struct perfdata_reader *reader)
{
	return &reader->events;
}

struct perfdata_features *perfdata_reader_features(struct perfdata_reader *reader)
{
	return &reader->features;
}

struct record_source *perfdata_reader_source(struct perfdata_reader *reader)
{
	return &reader->source;
}

uint32_t perfdata_reader_nr_streams(const struct perfdata_reader *reader)
{
	return (uint32_t)reader->files.nr;
}

uint32_t perfdata_reader_stream_number(const struct perfdata_reader *reader, uint32_t stream)
{
	return reader->files.items[stream].number;
}

uint64_t perfdata_reader_nr_compressed(struct perfdata_reader *reader, uint32_t type)
{
	uint64_t nr = 0;

	pthread_mutex_lock(&reader->lock);
	for (size_t i = 0; i < reader->files.nr; i++)
		nr += block_stream_nr_compressed(reader->files.items[i].stream, type);
	pthread_mutex_unlock(&reader->lock);
	return nr;
}

struct span perfdata_reader_tracing_data(const struct perfdata_reader *reader)
{
	return reader->tracing_data;
}

struct perfdata_damage perfdata_reader_damage(struct perfdata_reader *reader)
{
	struct perfdata_damage total;

	pthread_mutex_lock(&reader->lock);
	total = reader->damage;
	for (size_t i = 0; i < reader->files.nr; i++) {
		const struct perfdata_damage *damage = block_stream_damage(reader->files.items[i].stream);

		if (!total.nr && damage->nr)
			total = *damage;
		else {
			total.nr += damage->nr;
			total.lost_size += damage->lost_size;
		}
	}
	pthread_mutex_unlock(&reader->lock);
	return total;
}
