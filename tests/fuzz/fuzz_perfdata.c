/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of any bytes: the reader as a file, or as a pipe when the last byte is odd; twice through, every
 * record decoded, sorted, dumped; header and features printed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "record/perfdata_print.h"
#include "record/perfdata_reader.h"
#include "record/record_dump.h"
#include "record/sample_read.h"
#include "record/sorter.h"
#include "record/tracing_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sum {
	uint64_t nr, bytes;
};

static void decode(const struct event_table *events, const struct record_header *raw)
{
	struct record record;
	struct sample sample;
	struct sample_read read;
	uint32_t event = event_table_of_record(events, raw);

	event_table_record_time(events, raw);
	if (raw->type != RECORD_SAMPLE) {
		record_decode(raw, event_table_trailer_type(events, raw), 0, &record);
		return;
	}
	if (event == HASH_NONE)
		return;
	if (event >= events->events.nr)
		abort();
	if (sample_decode(&events->events.items[event].layout, raw, 0, &sample) == 0 && sample.read.size)
		sample_read_decode(sample.read, events->events.items[event].attr.read_format, &read);
}

static struct sum walk(struct perfdata_reader *reader)
{
	struct record_source *source = perfdata_reader_source(reader);
	struct record_block block;
	struct sum sum = { 0 };

	while (record_source_next(source, &block, NULL) > 0) {
		if ((uintptr_t)block.bytes.data % 8)
			abort();
		for (const struct record_header *raw = record_first(&block); raw;
		     raw = record_next(&block, raw)) {
			if (raw->size < sizeof(*raw) ||
			    (const uint8_t *)raw + raw->size > block.bytes.data + block.bytes.size)
				abort();
			sum.nr++;
			sum.bytes += raw->size;
			decode(perfdata_reader_events(reader), raw);
		}
		record_source_done(source, &block);
	}
	return sum;
}

static void sort(struct perfdata_reader *reader)
{
	struct sorter *sorter = sorter_new(perfdata_reader_source(reader), perfdata_reader_events(reader),
					   perfdata_reader_nr_streams(reader));
	struct sorted_record batch[16];

	while (sorter_next(sorter, batch, 16, NULL) > 0)
		sorter_release(sorter);
	sorter_free(sorter);
}

static void read_all(struct perfdata_reader *reader)
{
	struct buf buf = BUF_INIT;
	struct tracing_data *tracing = tracing_data_parse(perfdata_reader_tracing_data(reader));
	struct sum first = walk(reader), second;

	if (record_source_rewind(perfdata_reader_source(reader), NULL) < 0)
		abort();
	second = walk(reader);
	if (memcmp(&first, &second, sizeof(first)))
		abort();
	record_source_rewind(perfdata_reader_source(reader), NULL);
	sort(reader);
	record_source_rewind(perfdata_reader_source(reader), NULL);
	record_dump_raw(reader, &buf, NULL);
	buf.size = 0;
	record_source_rewind(perfdata_reader_source(reader), NULL);
	record_dump_mmaps(reader, &buf, NULL);
	perfdata_print_header(reader, true, &buf);
	perfdata_reader_damage(reader);
	tracing_data_free(tracing);
	buf_release(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfdata_reader *reader;
	int fds[2] = { -1, -1 };
	char path[64];

	if (size && data[size - 1] & 1 && size < 60000) {
		if (pipe(fds) < 0 || file_write_all(fds[1], data, size) < 0)
			abort();
		close(fds[1]);
	} else {
		fds[0] = memfd_create("perf.data", MFD_CLOEXEC);
		if (fds[0] < 0 || file_write_all(fds[0], data, size) < 0)
			abort();
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	if (perfdata_reader_open(path, PERFDATA_ANY_OWNER, &reader, NULL) == 0) {
		read_all(reader);
		perfdata_reader_close(reader);
	}
	close(fds[0]);
	return 0;
}
