/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profile -> flame_data. Addresses without a symbol become one frame per DSO ("[libx.so]"): a flame graph of
 * nameless addresses says nothing, and every call site would be a box of its own. So the stacks are interned
 * once more over the merged frames.
 */
#include "cmd/flame_adapter.h"

#include <ctype.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/clock.h"
#include "cmd/program.h"
#include "profile/stack_table.h"
#include "record/perfdata_features.h"
#include "record/perfdata_format.h"

struct flame_adapter {
	struct flame_data data;
	struct arena arena;
	struct stack_table stacks;
	ARRAY(struct flame_frame) frames;
	ARRAY(uint32_t) node_parent;
	ARRAY(uint32_t) node_frame;
	ARRAY(struct flame_row) rows;
	ARRAY(struct flame_event) events;
	ARRAY(struct flame_thread) threads;
	ARRAY(struct flame_meta) meta;
	ARRAY(struct flame_break) breaks;
	ARRAY(const char *) notes;
};

static enum flame_kind kind_of(const struct dso *dso, uint8_t mode)
{
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_MODULE:
	case DSO_BPF:
		return FLAME_KERNEL;
	case DSO_JIT:
		return FLAME_JIT;
	case DSO_UNKNOWN:
		return mode == MACHINE_MODE_KERNEL ? FLAME_KERNEL : FLAME_UNKNOWN;
	default:
		return FLAME_USER;
	}
}

/* The profile's frames -> the page's, those without a symbol merged per DSO and mode. */
static uint32_t *convert_frames(struct flame_adapter *adapter, const struct profile *profile)
{
	uint32_t *ids = xreallocarray(NULL, profile->frames.nr, sizeof(*ids));
	size_t nr_nameless = (size_t)machine_nr_dsos(profile->machine) * 8;
	uint32_t *nameless = xreallocarray(NULL, nr_nameless, sizeof(*nameless)); /* by DSO and mode */

	memset(nameless, 0xff, nr_nameless * sizeof(*nameless));
	for (size_t i = 0; i < profile->frames.nr; i++) {
		const struct frame *frame = &profile->frames.items[i];
		const struct dso *dso = profile_frame_dso(profile, (uint32_t)i);
		uint32_t *merged = &nameless[(size_t)frame->dso * 8 + (frame->mode & 7)];
		struct flame_frame out = { .kind = kind_of(dso, frame->mode) };

		out.name = profile_frame_name(profile, (uint32_t)i);
		out.dso = dso->kind == DSO_UNKNOWN ? NULL : dso->kind == DSO_FILE ? dso->path : dso->name;
		ids[i] = out.name ? HASH_NONE : *merged;
		if (ids[i] != HASH_NONE)
			continue;
		ids[i] = (uint32_t)adapter->frames.nr;
		if (!out.name)
			*merged = ids[i];
		array_push(&adapter->frames, out);
	}
	free(nameless);
	return ids;
}

static void convert_stacks(struct flame_adapter *adapter, const struct profile *profile)
{
	uint32_t *frames = convert_frames(adapter, profile);
	uint32_t *stacks = xreallocarray(NULL, profile->stacks.nr, sizeof(*stacks));

	stack_table_init(&adapter->stacks);
	stacks[0] = 0;
	for (size_t i = 1; i < profile->stacks.nr; i++)
		stacks[i] = stack_table_push(&adapter->stacks, stacks[profile->stacks.items[i].parent],
					     frames[profile->stacks.items[i].frame]);
	for (size_t i = 0; i < profile->rows.nr; i++) {
		const struct profile_row *row = &profile->rows.items[i];
		uint32_t stack = stacks[row->stack];

		/* Without a callchain the sampled function stands alone. */
		if (!stack)
			stack = stack_table_push(&adapter->stacks, 0, frames[row->self]);
		array_push(&adapter->rows, (struct flame_row){ .event = row->event,
							       .thread = row->thread,
							       .node = stack - 1,
							       .samples = row->nr_samples,
							       .weight = row->period });
	}
	/* Node i of the page is stack i + 1 here: the page has no empty stack. */
	array_reserve(&adapter->node_parent, adapter->stacks.rows.nr);
	array_reserve(&adapter->node_frame, adapter->stacks.rows.nr);
	for (size_t i = 1; i < adapter->stacks.rows.nr; i++) {
		const struct stack *stack = &adapter->stacks.rows.items[i];

		array_push(&adapter->node_parent, stack->parent ? stack->parent - 1 : FLAME_ROOT);
		array_push(&adapter->node_frame, stack->frame);
	}
	free(frames);
	free(stacks);
}

static const char *unit_of(const struct event_attr *attr)
{
	if (attr->type == PERF_TYPE_SOFTWARE &&
	    (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK))
		return "ns";
	if (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES)
		return "cycles";
	return "";
}

/* Events without samples (the tracking event of a recording) are left out. */
static void convert_events(struct flame_adapter *adapter, const struct profile *profile)
{
	uint32_t *ids = xcalloc(profile->events->events.nr + 1, sizeof(*ids));

	for (size_t i = 0; i < profile->events->events.nr; i++) {
		const struct recorded_event *event = &profile->events->events.items[i];

		ids[i] = (uint32_t)adapter->events.nr;
		if (profile->event_stats.items[i].nr_samples)
			array_push(&adapter->events,
				   (struct flame_event){ event->name, unit_of(&event->attr) });
	}
	for (size_t i = 0; i < adapter->rows.nr; i++)
		adapter->rows.items[i].event = ids[adapter->rows.items[i].event];
	free(ids);
}

static void convert_threads(struct flame_adapter *adapter, const struct profile *profile)
{
	for (size_t i = 0; i < profile->threads.nr; i++) {
		const struct profile_thread *thread = &profile->threads.items[i];
		const char *comm = intern_text(&profile->strings, thread->comm);

		if (!thread->comm.v)
			comm = arena_printf(&adapter->arena, ":%" PRId32, thread->tid);
		array_push(&adapter->threads,
			   (struct flame_thread){ (uint32_t)thread->pid, (uint32_t)thread->tid, comm });
	}
}

static void add_meta(struct flame_adapter *adapter, const char *key, const char *value)
{
	if (value && *value)
		array_push(&adapter->meta, (struct flame_meta){ key, value });
}

static const char *event_rate(struct flame_adapter *adapter, const struct event_attr *attr)
{
	if (attr->flags & ATTR_FREQ)
		return arena_printf(&adapter->arena, "%" PRIu64 " samples a second", attr->sample_period);
	return arena_printf(&adapter->arena, "one sample in %" PRIu64, attr->sample_period);
}

static void describe(struct flame_adapter *adapter, struct recording *recording)
{
	struct perfdata_features *features = perfdata_reader_features(recording->reader);
	const struct profile *profile = recording->profile;
	const struct profile_stats *stats = &profile->stats;
	const char *const *words;
	uint32_t nr_words, nr_online, nr_available;
	struct buf line = BUF_INIT;
	char text[64];
	time_t captured = (time_t)perfdata_reader_header(recording->reader)->captured_time;
	struct tm tm;

	words = perfdata_features_cmdline(features, &nr_words);
	for (uint32_t i = 0; words && i < nr_words; i++)
		buf_printf(&line, "%s%s", i ? " " : "", words[i]);
	if (line.size)
		add_meta(adapter, "command line", arena_strdup(&adapter->arena, buf_text(&line)));
	buf_release(&line);
	add_meta(adapter, "host", perfdata_features_string(features, PERFDATA_HOSTNAME));
	add_meta(adapter, "kernel", perfdata_features_string(features, PERFDATA_OSRELEASE));
	add_meta(adapter, "CPU", perfdata_features_string(features, PERFDATA_CPUDESC));
	if (perfdata_features_nrcpus(features, &nr_online, &nr_available))
		add_meta(adapter, "CPUs", arena_printf(&adapter->arena, "%" PRIu32, nr_online));
	if (captured && localtime_r(&captured, &tm) && strftime(text, sizeof(text), "%F %T %z", &tm))
		add_meta(adapter, "recorded", arena_strdup(&adapter->arena, text));
	if (stats->first_time < stats->last_time)
		add_meta(adapter, "duration",
			 arena_printf(&adapter->arena, "%.3f s",
				      (double)(stats->last_time - stats->first_time) / (double)NSEC_PER_SEC));
	for (size_t i = 0; i < profile->events->events.nr; i++)
		if (profile->event_stats.items[i].nr_samples)
			add_meta(adapter, profile->events->events.items[i].name,
				 event_rate(adapter, &profile->events->events.items[i].attr));
	add_meta(adapter, "samples", arena_printf(&adapter->arena, "%" PRIu64, stats->nr_samples));
	add_meta(adapter, "drawn by", arena_printf(&adapter->arena, "sonde %s", program_version()));
}

/* The page shows advice as a sentence of its own. */
static const char *sentence(struct flame_adapter *adapter, const char *text)
{
	char *copy = text ? arena_printf(&adapter->arena, "%s.", text) : NULL;

	if (copy)
		copy[0] = (char)toupper((unsigned char)copy[0]);
	return copy;
}

static void judge(struct flame_adapter *adapter, struct recording *recording)
{
	const struct profile *profile = recording->profile;
	const struct stack_quality *quality = &profile->quality;
	struct perfdata_damage damage = perfdata_reader_damage(recording->reader);
	const struct symbolizer_complaint *complaints;
	size_t nr_complaints = symbolizer_complaints(profile->symbolizer, &complaints);
	uint64_t lost_samples = 0;

	for (unsigned i = 0; i < quality->nr_worst; i++) {
		const struct dso *dso = machine_dso(profile->machine,
						    (struct dso_id){ quality->worst[i].dso });

		array_push(&adapter->breaks, (struct flame_break){ dso->name, quality->worst[i].nr });
	}
	adapter->data.quality =
		(struct flame_quality){ .nr_stacks = quality->nr_stacks,
					.nr_complete = quality->nr_complete,
					.breaks = adapter->breaks.items,
					.nr_breaks = adapter->breaks.nr,
					.advice = sentence(adapter, recording_quality_advice(profile)) };
	for (size_t i = 0; i < profile->event_stats.nr; i++)
		lost_samples += profile->event_stats.items[i].nr_lost_samples;
	adapter->data.lost = (struct flame_lost){ .records = profile->stats.nr_lost_records,
						  .samples = lost_samples,
						  .throttled = profile->stats.nr_throttled };
	if (profile->stats.nr_lost_records || lost_samples)
		adapter->data.lost.advice = "Record with larger rings (-m 4M) or less often (-F).";
	if (damage.nr)
		array_push(&adapter->notes, arena_printf(&adapter->arena, "%s: offset %#" PRIx64 ": %s",
							 recording->path, damage.first_offset, damage.text));
	for (size_t i = 0; i < nr_complaints && i < 8; i++)
		array_push(&adapter->notes, complaints[i].text);
}

struct flame_adapter *flame_adapter_new(struct recording *recording, const char *title)
{
	struct flame_adapter *adapter = xcalloc(1, sizeof(*adapter));
	struct flame_data *data = &adapter->data;

	convert_stacks(adapter, recording->profile);
	convert_events(adapter, recording->profile);
	convert_threads(adapter, recording->profile);
	describe(adapter, recording);
	judge(adapter, recording);
	data->title = arena_strdup(&adapter->arena, title);
	data->meta = adapter->meta.items;
	data->nr_meta = adapter->meta.nr;
	data->events = adapter->events.items;
	data->nr_events = adapter->events.nr;
	data->threads = adapter->threads.items;
	data->nr_threads = adapter->threads.nr;
	data->frames = adapter->frames.items;
	data->nr_frames = adapter->frames.nr;
	data->node_parent = adapter->node_parent.items;
	data->node_frame = adapter->node_frame.items;
	data->nr_nodes = adapter->node_parent.nr;
	data->rows = adapter->rows.items;
	data->nr_rows = adapter->rows.nr;
	data->notes = adapter->notes.items;
	data->nr_notes = adapter->notes.nr;
	return adapter;
}

void flame_adapter_free(struct flame_adapter *adapter)
{
	if (!adapter)
		return;
	stack_table_release(&adapter->stacks);
	array_release(&adapter->frames);
	array_release(&adapter->node_parent);
	array_release(&adapter->node_frame);
	array_release(&adapter->rows);
	array_release(&adapter->events);
	array_release(&adapter->threads);
	array_release(&adapter->meta);
	array_release(&adapter->breaks);
	array_release(&adapter->notes);
	arena_release(&adapter->arena);
	free(adapter);
}

const struct flame_data *flame_adapter_data(const struct flame_adapter *adapter)
{
	return &adapter->data;
}
