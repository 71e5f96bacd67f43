/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a recording, and which of them a record belongs to. */
#ifndef RECORD_EVENT_TABLE_H
#define RECORD_EVENT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/hash.h"
#include "event/event_attr.h"
#include "record/record.h"
#include "record/sample.h"

struct recorded_event {
	struct event_attr attr;
	char *name; /* "task-clock:ppp"; made from the attr when the file names none */
	char *unit; /* EVENT_UPDATE; NULL: none */
	double scale; /* EVENT_UPDATE; 1 */
	ARRAY(uint64_t) ids;
	struct sample_layout layout;
	uint32_t leader; /* index of the group's leader; its own index when alone */
	uint32_t nr_members; /* of a leader: events in the group; 1 alone */
	char *group_name; /* NULL: anonymous */
};

struct event_table {
	ARRAY(struct recorded_event) events;
	struct hash_index by_id; /* of id_rows */
	struct {
		uint64_t id;
		uint32_t event;
	} * id_rows;
	size_t nr_ids, room_ids;
	/* How a record's event is found: all events agree on these (checked on add), or there is one event. */
	uint64_t trailer_type; /* for record_decode: sample_type (none of it without sample_id_all), RECORD_NO_BUILD_IDS */
	int id_from_start; /* offset of IDENTIFIER/ID in samples from the header; 0: cannot be told, the first event */
	int id_from_end; /* offset of ID from the end of non-samples; 0: none */
	int time_from_start; /* the same for TIME; 0: none has one, -1: by event */
	int time_from_end;
	bool trailers_differ; /* trailer_type is only that of the first event: ask event_table_trailer_type */
};

void event_table_init(struct event_table *table);
void event_table_release(struct event_table *table);
/* Adds an event; name is copied (NULL: made from the attr). Returns its index. */
uint32_t event_table_add(struct event_table *table, const struct event_attr *attr, const char *name);
void event_table_add_id(struct event_table *table, uint32_t event, uint64_t id);
/* Index of the event with this id; HASH_NONE: unknown. Id 0, which synthesised records carry, is the first event. */
uint32_t event_table_find_id(const struct event_table *table, uint64_t id);

/* Index of the event of a sample (raw->size checked by the source); HASH_NONE when its id is unknown. */
static inline uint32_t event_table_of_sample(const struct event_table *table, const struct record_header *raw)
{
	if (table->events.nr == 1 || !table->id_from_start)
		return table->events.nr ? 0 : HASH_NONE;
	if (raw->size < table->id_from_start + 8)
		return HASH_NONE;
	return event_table_find_id(table, sample_u64_at(raw, (unsigned)table->id_from_start));
}

/* Index of the event of a record of any type, by its trailer when it is no sample; HASH_NONE: unknown id. */
uint32_t event_table_of_record(const struct event_table *table, const struct record_header *raw);
/* What record_decode wants: the sample_type of a non-sample's trailer, 0 when it has none. */
uint64_t event_table_trailer_type(const struct event_table *table, const struct record_header *raw);
/* Gives the event another name (copied). */
void event_table_rename(struct event_table *table, uint32_t event, const char *name);
/* Appends the name that perf gives to an attr without one: "cycles:u", "raw 0x1a8". */
void event_attr_name(const struct event_attr *attr, struct buf *buf);

/* Time stamp of any record; RECORD_NO_TIME when it has none. */
uint64_t event_table_record_time(const struct event_table *table, const struct record_header *raw);

#endif
