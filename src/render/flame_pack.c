/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile as compact bytes for the page.
 *
 *   4 bytes   length of the JSON text, little-endian
 *   JSON      everything that is small or text: metadata, events, names, counts
 *   varints   the columns, one after the other, each as long as the counts in the JSON say:
 *     threads   pid (difference to the one before, zigzag), tid - pid (zigzag), comm
 *     frames    DSO; kind (of frames 1...)
 *     nodes     of nodes 1...: levels to go up from the node before; frame
 *     groups    event by event: thread (difference), number of rows
 *     rows      node (difference within the group); weight / scale; samples (unless "same")
 *
 * A varint is the usual one: seven bits a byte, low ones first, the eighth bit says "more".
 *
 * Nodes are in preorder with siblings by name, which serves three masters: the page lays the picture
 * out in one pass without sorting, every subtree is one interval, and a stack is stored as one or two
 * bytes of "how far up" and its frame. Columns stand apart, so that like is next to like for the compressor.
 * Node 0 is the root ("all", frame 0); "(other)", what flame_prune merged, and "(no stack)" are
 * ordinary nodes whose frames are named in the JSON. Weights are divided by what divides all of
 * them: with a fixed period they are then the number of samples, and the samples column is left out.
 */
#include "render/flame_pack.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "render/flame_layout.h"

/* ---- text ------------------------------------------------------------------------------------ */

struct event_sum {
	uint64_t weight;
	uint64_t samples;
	uint64_t scale; /* divides every weight */
	uint64_t other; /* weight in "(other)" */
	uint32_t nr_groups;
	bool same; /* weight / scale is the number of samples, in every row */
};

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void sum_events(const struct flame_layout *layout, struct event_sum *sums)
{
	const struct flame_row *rows = layout->rows.items;

	for (size_t i = 0; i < layout->rows.nr; i++) {
		struct event_sum *sum = &sums[rows[i].event];

		sum->weight += rows[i].weight;
		sum->samples += rows[i].samples;
		if (sum->scale != 1)
			sum->scale = greatest_divisor(rows[i].weight, sum->scale);
		if (layout->other_frame && layout->frame[rows[i].node] == layout->other_frame)
			sum->other += rows[i].weight;
		if (!i || rows[i].event != rows[i - 1].event || rows[i].thread != rows[i - 1].thread)
			sum->nr_groups++;
	}
	for (size_t e = 0; e < layout->data->nr_events; e++) {
		sums[e].scale += !sums[e].scale;
		sums[e].same = true;
	}
	for (size_t i = 0; i < layout->rows.nr; i++) {
		struct event_sum *sum = &sums[rows[i].event];

		if (rows[i].weight / sum->scale != rows[i].samples)
			sum->same = false;
	}
}

static void json_member(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_u64(json, value);
}

static void json_text(struct json *json, const char *key, const char *value)
{
	json_key(json, key);
	json_string(json, value ? value : "");
}

static void write_meta(const struct flame_data *data, struct json *json)
{
	json_text(json, "title", data->title);
	json_key(json, "meta");
	json_open_array(json);
	for (size_t i = 0; i < data->nr_meta; i++) {
		json_open_array(json);
		json_string(json, data->meta[i].key);
		json_string(json, data->meta[i].value ? data->meta[i].value : "");
		json_close_array(json);
	}
	json_close_array(json);
	json_key(json, "notes");
	json_open_array(json);
	for (size_t i = 0; i < data->nr_notes; i++)
		json_string(json, data->notes[i]);
	json_close_array(json);
}

static void write_lost(const struct flame_data *data, struct json *json)
{
	const struct flame_quality *quality = &data->quality;
	const struct flame_lost *lost = &data->lost;

	json_key(json, "lost");
	json_open_object(json);
	json_member(json, "records", lost->records);
	json_member(json, "samples", lost->samples);
	json_member(json, "throttled", lost->throttled);
	json_text(json, "advice", lost->advice);
	json_close_object(json);
	json_key(json, "quality");
	json_open_object(json);
	json_member(json, "stacks", quality->nr_stacks);
	json_member(json, "complete", quality->nr_complete);
	json_text(json, "advice", quality->advice);
	json_key(json, "breaks");
	json_open_array(json);
	for (size_t i = 0; i < quality->nr_breaks; i++) {
		json_open_object(json);
		json_text(json, "dso", quality->breaks[i].dso);
		json_member(json, "samples", quality->breaks[i].samples);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

static void write_events(const struct flame_layout *layout, const struct event_sum *sums, struct json *json)
{
	json_key(json, "events");
	json_open_array(json);
	for (size_t e = 0; e < layout->data->nr_events; e++) {
		json_open_object(json);
		json_text(json, "name", layout->data->events[e].name);
		json_text(json, "unit", layout->data->events[e].unit);
		json_member(json, "weight", sums[e].weight);
		json_member(json, "samples", sums[e].samples);
		json_member(json, "scale", sums[e].scale);
		json_member(json, "groups", sums[e].nr_groups);
		json_member(json, "other", sums[e].other);
		json_key(json, "same");
		json_bool(json, sums[e].same);
		json_close_object(json);
	}
	json_close_array(json);
}

static void write_names(const struct flame_layout *layout, struct json *json)
{
	json_key(json, "strings");
	json_open_array(json);
	for (size_t i = 0; i < layout->strings.rows.nr; i++)
		json_bytes(json, layout->strings.rows.items[i].text, layout->strings.rows.items[i].size);
	json_close_array(json);
	json_key(json, "names");
	json_open_array(json);
	for (size_t i = 0; i < layout->frames.nr; i++)
		json_string(json, layout->frames.items[i].name);
	json_close_array(json);
}

static void write_json(const struct flame_layout *layout, const struct event_sum *sums, struct buf *buf)
{
	struct json json = json_of(buf);

	json_open_object(&json);
	json_member(&json, "version", 1);
	write_meta(layout->data, &json);
	write_lost(layout->data, &json);
	write_events(layout, sums, &json);
	json_member(&json, "nodes", layout->nr_nodes);
	json_member(&json, "threads", layout->data->nr_threads);
	json_member(&json, "rows", layout->rows.nr);
	json_member(&json, "noStackFrame", layout->no_stack_frame);
	json_member(&json, "otherFrame", layout->other_frame);
	json_member(&json, "merged", layout->prune.nr_merged);
	json_member(&json, "others", layout->prune.nr_others);
	write_names(layout, &json);
	json_close_object(&json);
}

/* ---- columns --------------------------------------------------------------------------------- */

static inline void put_varint(struct buf *buf, uint64_t value)
{
	char *pos;

	if (buf->room - buf->size < 10)
		buf_grow(buf, 10);
	pos = buf->data + buf->size;
	while (value >= 0x80) {
		*pos++ = (char)(value | 0x80);
		value >>= 7;
	}
	*pos++ = (char)value;
	buf->size = (size_t)(pos - buf->data);
}

/* Zigzag: 0, -1, 1, -2 ... are 0, 1, 2, 3 ... */
static void put_difference(struct buf *buf, uint64_t value, uint64_t before)
{
	uint64_t difference = value - before;

	put_varint(buf, value < before ? ~(difference << 1) : difference << 1);
}

static void put_threads(const struct flame_layout *layout, const uint32_t *comms, struct buf *buf)
{
	const struct flame_thread *threads = layout->data->threads;
	size_t nr = layout->data->nr_threads;

	for (size_t i = 0; i < nr; i++)
		put_difference(buf, threads[i].pid, i ? threads[i - 1].pid : 0);
	for (size_t i = 0; i < nr; i++)
		put_difference(buf, threads[i].tid, threads[i].pid);
	for (size_t i = 0; i < nr; i++)
		put_varint(buf, comms[i]);
}

static void put_nodes(const struct flame_layout *layout, struct buf *buf)
{
	for (size_t i = 1; i < layout->frames.nr; i++)
		put_varint(buf, layout->frames.items[i].dso_id);
	for (size_t i = 1; i < layout->frames.nr; i++)
		put_varint(buf, layout->frames.items[i].kind);
	for (size_t i = 1; i < layout->nr_nodes; i++)
		put_varint(buf, layout->depth[i - 1] + 1 - layout->depth[i]);
	for (size_t i = 1; i < layout->nr_nodes; i++)
		put_varint(buf, layout->frame[i]);
}

static void put_groups(const struct flame_layout *layout, struct buf *buf)
{
	const struct flame_row *rows = layout->rows.items;
	uint32_t event = UINT32_MAX;
	uint32_t thread = 0;

	for (size_t i = 0; i < layout->rows.nr;) {
		size_t end = i + 1;

		while (end < layout->rows.nr && rows[end].event == rows[i].event &&
		       rows[end].thread == rows[i].thread)
			end++;
		put_varint(buf, rows[i].thread - (rows[i].event == event ? thread : 0));
		put_varint(buf, end - i);
		event = rows[i].event;
		thread = rows[i].thread;
		i = end;
	}
}

static void put_rows(const struct flame_layout *layout, const struct event_sum *sums, struct buf *buf)
{
	const struct flame_row *rows = layout->rows.items;
	size_t nr = layout->rows.nr;

	put_groups(layout, buf);
	for (size_t i = 0; i < nr; i++) {
		bool first = !i || rows[i].event != rows[i - 1].event || rows[i].thread != rows[i - 1].thread;

		put_varint(buf, rows[i].node - (first ? 0 : rows[i - 1].node));
	}
	for (size_t i = 0; i < nr; i++)
		put_varint(buf, rows[i].weight / sums[rows[i].event].scale);
	for (size_t i = 0; i < nr; i++)
		if (!sums[rows[i].event].same)
			put_varint(buf, rows[i].samples);
}

void flame_pack(const struct flame_data *data, uint32_t node_budget, struct buf *buf)
{
	struct event_sum *sums = xcalloc(data->nr_events + 1, sizeof(*sums));
	uint32_t *comms = xreallocarray(NULL, data->nr_threads + 1, sizeof(*comms));
	struct flame_layout layout;
	struct buf json = BUF_INIT;

	flame_layout_init(&layout, data, node_budget);
	for (size_t i = 0; i < data->nr_threads; i++) {
		const char *comm = data->threads[i].comm;

		comms[i] = intern_string(&layout.strings, comm ? comm : "").v;
	}
	sum_events(&layout, sums);

	write_json(&layout, sums, &json);
	for (int i = 0; i < 4; i++)
		buf_putc(buf, (char)(json.size >> 8 * i));
	buf_put(buf, json.data, json.size);
	put_threads(&layout, comms, buf);
	put_nodes(&layout, buf);
	put_rows(&layout, sums, buf);

	buf_release(&json);
	flame_layout_release(&layout);
	free(comms);
	free(sums);
}
