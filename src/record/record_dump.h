/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a recording, record by record or counted: the listings of `report -D, --stats, --tasks, --mmaps`. */
#ifndef RECORD_RECORD_DUMP_H
#define RECORD_RECORD_DUMP_H

#include "base/buf.h"
#include "base/err.h"
#include "record/perfdata_reader.h"
#include "record/sorter.h"

/*
 * All read the recording from where its source stands (open, or rewind it) to its end, and print as perf does. 0, or
 * -errno with words when it cannot be read on; what was read has then been printed.
 */
/* Every record, in the order of time: offset, bytes in hex, and what they say; then the counts. */
int record_dump_raw(struct perfdata_reader *reader, struct buf *buf, struct err *err);
/* The same, a record at a time and without the counts, for who has something to say in between. */
struct record_dump;
struct record_dump *record_dump_new(struct perfdata_reader *reader);
void record_dump_record(struct record_dump *dump, const struct sorted_record *sorted, struct buf *buf);
void record_dump_free(struct record_dump *dump);
/* How many records there are of each type, and how many samples of each event. */
int record_dump_stats(struct perfdata_reader *reader, struct buf *buf, struct err *err);
/* The tree of tasks. */
int record_dump_tasks(struct perfdata_reader *reader, struct buf *buf, struct err *err);
/* The same with what each had mapped at the end. */
int record_dump_mmaps(struct perfdata_reader *reader, struct buf *buf, struct err *err);

#endif
