/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which event a record belongs to is asked for every record, so the answer is prepared: when events are added,
 * the places of id and time in samples (from the start) and in trailers (from the end) are worked out for
 * all events together. Recordings whose events disagree carry IDENTIFIER, whose place is the same in all.
 */
#include "record/event_table.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "record/sample_bits.h"

static const char *const hardware_names[] = {
	"cycles",	 "instructions", "cache-references",	    "cache-misses",	      "branches",
	"branch-misses", "bus-cycles",	 "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};

static const char *const software_names[] = {
	"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
};

static void cache_name(uint64_t config, struct buf *buf)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					      "iTLB",	   "branch",	"node" };
	static const char *const operations[][2] = { { "loads", "load-misses" },
						     { "stores", "store-misses" },
						     { "prefetches", "prefetch-misses" } };
	uint64_t cache = config & 0xff, operation = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= NR_ITEMS(caches) || operation >= NR_ITEMS(operations) || result > 1)
		buf_str(buf, "unknown-ext-hardware-cache-type");
	else
		buf_printf(buf, "%s-%s", caches[cache], operations[operation][result]);
}

static void breakpoint_name(const struct event_attr *attr, struct buf *buf)
{
	buf_printf(buf, "mem:0x%llx:", (unsigned long long)attr->config1);
	if (attr->bp_type & 1)
		buf_putc(buf, 'r');
	if (attr->bp_type & 2)
		buf_putc(buf, 'w');
	if (attr->bp_type & 4)
		buf_putc(buf, 'x');
}

/* ":ukpp": the modes that are left when some are excluded, and the precision. */
static void modifiers(const struct event_attr *attr, struct buf *buf)
{
	uint64_t excluded = attr->flags & (ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV);
	unsigned precise = (unsigned)((attr->flags & ATTR_PRECISE_MASK) >> ATTR_PRECISE_SHIFT);
	size_t before = buf->size;

	buf_putc(buf, ':');
	if (excluded) {
		if (!(excluded & ATTR_EXCLUDE_KERNEL))
			buf_putc(buf, 'k');
		if (!(excluded & ATTR_EXCLUDE_USER))
			buf_putc(buf, 'u');
		if (!(excluded & ATTR_EXCLUDE_HV))
			buf_putc(buf, 'h');
	}
	buf_fill(buf, 'p', precise);
	if (!(attr->flags & ATTR_EXCLUDE_HOST) != !(attr->flags & ATTR_EXCLUDE_GUEST))
		buf_putc(buf, attr->flags & ATTR_EXCLUDE_GUEST ? 'H' : 'G');
	if (buf->size == before + 1)
		buf->size = before;
}

void event_attr_name(const struct event_attr *attr, struct buf *buf)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		buf_str(buf, attr->config < NR_ITEMS(hardware_names) ? hardware_names[attr->config]
								     : "unknown-hardware");
		break;
	case PERF_TYPE_SOFTWARE:
		buf_str(buf, attr->config < NR_ITEMS(software_names) ? software_names[attr->config]
								     : "unknown-software");
		break;
	case PERF_TYPE_HW_CACHE:
		cache_name(attr->config, buf);
		break;
	case PERF_TYPE_RAW:
		buf_printf(buf, "raw 0x%llx", (unsigned long long)attr->config);
		break;
	case PERF_TYPE_TRACEPOINT:
		buf_str(buf, "unknown tracepoint");
		return;
	case PERF_TYPE_BREAKPOINT:
		breakpoint_name(attr, buf);
		break;
	default:
		buf_printf(buf, "unknown attr type: %u", attr->type);
		return;
	}
	modifiers(attr, buf);
}

void event_table_init(struct event_table *table)
{
	memset(table, 0, sizeof(*table));
	hash_index_init(&table->by_id, 16);
}

void event_table_release(struct event_table *table)
{
	for (size_t i = 0; i < table->events.nr; i++) {
		struct recorded_event *event = &table->events.items[i];

		free(event->name);
		free(event->unit);
		free(event->group_name);
		array_release(&event->ids);
	}
	array_release(&table->events);
	hash_index_release(&table->by_id);
	free(table->id_rows);
	memset(table, 0, sizeof(*table));
}

/* Where the last of `bits` before `bit` in trailer order leaves it, counted from the end; 0: not there. */
static int trailer_place(uint64_t sample_type, uint64_t bit)
{
	static const uint64_t order[] = { SAMPLE_IDENTIFIER, SAMPLE_CPU,  SAMPLE_STREAM_ID,
					  SAMPLE_ID,	     SAMPLE_TIME, SAMPLE_TID };
	int place = 0;

	for (unsigned i = 0; i < NR_ITEMS(order); i++) {
		if (sample_type & order[i])
			place += 8;
		if (order[i] == bit)
			return sample_type & bit ? place : 0;
	}
	return 0;
}

struct places {
	int id_from_start, id_from_end, time_from_start, time_from_end;
	uint64_t trailer_type;
};

static struct places places_of(const struct recorded_event *event)
{
	uint64_t type = event->layout.sample_type;
	struct places places = {
		.id_from_start = event->layout.identifier ? event->layout.identifier : event->layout.id,
		.time_from_start = event->layout.time,
	};

	if (event->attr.flags & ATTR_SAMPLE_ID_ALL) {
		places.trailer_type = type & SAMPLE_TRAILER_BITS;
		places.id_from_end = trailer_place(type,
						   type & SAMPLE_IDENTIFIER ? SAMPLE_IDENTIFIER : SAMPLE_ID);
		places.time_from_end = trailer_place(type, SAMPLE_TIME);
	}
	return places;
}

static void agree(struct event_table *table, const struct recorded_event *event)
{
	struct places places = places_of(event);

	if (event->attr.flags & ATTR_BUILD_ID)
		table->trailer_type &= ~RECORD_NO_BUILD_IDS;
	if (table->events.nr == 1) {
		table->trailer_type = places.trailer_type;
		if (!(event->attr.flags & ATTR_BUILD_ID))
			table->trailer_type |= RECORD_NO_BUILD_IDS;
		table->id_from_start = places.id_from_start;
		table->id_from_end = places.id_from_end;
		table->time_from_start = places.time_from_start;
		table->time_from_end = places.time_from_end;
		return;
	}
	if (table->id_from_start != places.id_from_start)
		table->id_from_start = 0;
	if (table->id_from_end != places.id_from_end)
		table->id_from_end = 0;
	if (table->time_from_start != places.time_from_start)
		table->time_from_start = -1;
	if (table->time_from_end != places.time_from_end)
		table->time_from_end = -1;
	if ((table->trailer_type & ~RECORD_NO_BUILD_IDS) != places.trailer_type)
		table->trailers_differ = true;
}

uint32_t event_table_add(struct event_table *table, const struct event_attr *attr, const char *name)
{
	uint32_t index = (uint32_t)table->events.nr;
	struct recorded_event *event = array_add(&table->events);

	event->attr = *attr;
	event->scale = 1;
	event->leader = index;
	event->nr_members = 1;
	sample_layout_init(&event->layout, attr);
	if (name) {
		event->name = xstrdup(name);
	} else {
		struct buf buf = BUF_INIT;

		event_attr_name(attr, &buf);
		event->name = xstrdup(buf_text(&buf));
		buf_release(&buf);
	}
	agree(table, event);
	return index;
}

void event_table_rename(struct event_table *table, uint32_t event, const char *name)
{
	char *copy = xstrdup(name);

	free(table->events.items[event].name);
	table->events.items[event].name = copy;
}

static uint32_t id_find(const struct event_table *table, uint64_t id)
{
	uint64_t hash = hash_u64(id);
	uint32_t pos = hash_index_start(&table->by_id, hash), row;

	while ((row = hash_index_next(&table->by_id, hash, &pos)) != HASH_NONE)
		if (table->id_rows[row].id == id)
			return table->id_rows[row].event;
	return HASH_NONE;
}

void event_table_add_id(struct event_table *table, uint32_t event, uint64_t id)
{
	if (id_find(table, id) != HASH_NONE)
		return;
	if (table->nr_ids == table->room_ids) {
		table->room_ids = table->room_ids ? table->room_ids * 2 : 16;
		table->id_rows = xreallocarray(table->id_rows, table->room_ids, sizeof(*table->id_rows));
	}
	table->id_rows[table->nr_ids].id = id;
	table->id_rows[table->nr_ids].event = event;
	hash_index_insert(&table->by_id, hash_u64(id), (uint32_t)table->nr_ids++);
	array_push(&table->events.items[event].ids, id);
}

uint32_t event_table_find_id(const struct event_table *table, uint64_t id)
{
	if (!id && table->events.nr)
		return 0;
	return id_find(table, id);
}

/* The event of a non-sample, by the id in its trailer. */
static uint32_t of_trailer(const struct event_table *table, const struct record_header *raw)
{
	if (table->events.nr <= 1 || !table->id_from_end)
		return table->events.nr ? 0 : HASH_NONE;
	if (raw->size < sizeof(*raw) + (unsigned)table->id_from_end)
		return HASH_NONE;
	return event_table_find_id(table, sample_u64_at(raw, raw->size - (unsigned)table->id_from_end));
}

uint32_t event_table_of_record(const struct event_table *table, const struct record_header *raw)
{
	if (raw->type == RECORD_SAMPLE)
		return event_table_of_sample(table, raw);
	if (raw->type >= RECORD_USER_FIRST)
		return HASH_NONE;
	return of_trailer(table, raw);
}

uint64_t event_table_trailer_type(const struct event_table *table, const struct record_header *raw)
{
	uint32_t event;

	if (raw->type >= RECORD_USER_FIRST)
		return 0;
	if (!table->trailers_differ)
		return table->trailer_type;
	event = of_trailer(table, raw);
	return (table->trailer_type & RECORD_NO_BUILD_IDS) |
	       (event == HASH_NONE ? 0 : places_of(&table->events.items[event]).trailer_type);
}

uint64_t event_table_record_time(const struct event_table *table, const struct record_header *raw)
{
	bool is_sample = raw->type == RECORD_SAMPLE;
	int place = is_sample ? table->time_from_start : table->time_from_end;

	if (raw->type >= RECORD_USER_FIRST)
		return RECORD_NO_TIME;
	if (place < 0) {
		uint32_t event = event_table_of_record(table, raw);
		struct places places;

		if (event == HASH_NONE)
			return RECORD_NO_TIME;
		places = places_of(&table->events.items[event]);
		place = is_sample ? places.time_from_start : places.time_from_end;
	}
	if (!place || raw->size < sizeof(*raw) + (unsigned)place)
		return RECORD_NO_TIME;
	return sample_u64_at(raw, is_sample ? (unsigned)place : raw->size - (unsigned)place);
}
