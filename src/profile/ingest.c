/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a recording to a profile, in two passes.
 *
 * The index pass (sideband) makes the machine a history. Then samples need no order: blocks are handed to workers,
 * each with its own tables (sampler), and the tables are merged at the end: worker 0's are kept, the others' rows
 * are pushed into them under new ids.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/xalloc.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/sampler.h"
#include "profile/sideband.h"

struct ingest {
	struct record_source *source;
	const struct sideband *sideband;
	const struct profile_options *options;
	struct sampler **samplers;
	unsigned nr_workers;
	pthread_mutex_t lock; /* progress, and the next block of a source that is not stable */
	uint64_t done_size;
	bool is_at_end;
	int ret;
	struct err *err;
};

static void add_block(struct sampler *sampler, const struct record_block *block)
{
	for (const struct record_header *raw = record_first(block); raw; raw = record_next(block, raw))
		if (raw->type == RECORD_SAMPLE)
			sampler_add(sampler, raw,
				    block->offset + (uint64_t)((const uint8_t *)raw - block->bytes.data));
	sampler_settle(sampler);
}

static void report_progress(struct ingest *ingest, size_t size)
{
	if (!ingest->options->progress)
		return;
	pthread_mutex_lock(&ingest->lock);
	ingest->done_size += size;
	ingest->options->progress(ingest->options->progress_context, ingest->done_size,
				  ingest->sideband->size);
	pthread_mutex_unlock(&ingest->lock);
}

static void take_stable_block(void *context, unsigned worker, size_t i)
{
	struct ingest *ingest = context;
	const struct record_block *block = &ingest->sideband->blocks.items[i];

	add_block(ingest->samplers[worker], block);
	report_progress(ingest, block->bytes.size);
}

static void pull_blocks(void *context, unsigned worker, size_t i)
{
	struct ingest *ingest = context;

	(void)i;
	for (;;) {
		struct record_block block;
		int ret = 0;

		pthread_mutex_lock(&ingest->lock);
		if (!ingest->is_at_end) {
			ret = record_source_next(ingest->source, &block, ingest->err);
			if (ret <= 0) {
				ingest->is_at_end = true;
				ingest->ret = ret;
			}
		}
		pthread_mutex_unlock(&ingest->lock);
		if (ret <= 0)
			return;
		add_block(ingest->samplers[worker], &block);
		report_progress(ingest, block.bytes.size);
		record_source_done(ingest->source, &block);
	}
}

/* ---- merging ---- */

struct merged {
	struct frame_table frames;
	struct stack_table stacks;
	struct row_table rows;
	struct thread_table threads;
	struct extra_table extras;
};

static uint32_t *merge_frames(struct merged *merged, const struct sampler_tables *tables)
{
	uint32_t *ids = xreallocarray(NULL, tables->frames.rows.nr, sizeof(*ids));

	for (size_t i = 0; i < tables->frames.rows.nr; i++)
		ids[i] = frame_table_intern(&merged->frames, &tables->frames.rows.items[i]);
	return ids;
}

static uint32_t *merge_stacks(struct merged *merged, const struct sampler_tables *tables,
			      const uint32_t *frames)
{
	uint32_t *ids = xreallocarray(NULL, tables->stacks.rows.nr, sizeof(*ids));

	ids[0] = 0;
	for (size_t i = 1; i < tables->stacks.rows.nr; i++) {
		const struct stack *stack = &tables->stacks.rows.items[i];

		ids[i] = stack_table_push(&merged->stacks, ids[stack->parent], frames[stack->frame]);
	}
	return ids;
}

static uint32_t *merge_threads(struct merged *merged, const struct sampler_tables *tables)
{
	uint32_t *ids = xreallocarray(NULL, tables->threads.rows.nr, sizeof(*ids));

	for (size_t i = 0; i < tables->threads.rows.nr; i++)
		ids[i] = thread_table_intern(&merged->threads, &tables->threads.rows.items[i]);
	return ids;
}

/* Payload ids of PROFILE_EXTRA_RAW become ids in the profile's strings. */
static void translate_raw(struct profile *profile, struct sampler_tables *tables)
{
	unsigned nr_columns = tables->extras.nr_columns;
	unsigned column = (unsigned)__builtin_popcount(profile->extras & ((1u << PROFILE_EXTRA_RAW) - 1));
	uint32_t *ids;

	if (!(profile->extras & 1u << PROFILE_EXTRA_RAW))
		return;
	ids = xreallocarray(NULL, tables->raw.rows.nr, sizeof(*ids));
	for (size_t i = 0; i < tables->raw.rows.nr; i++)
		ids[i] = intern_bytes(&profile->strings, tables->raw.rows.items[i].text,
				      tables->raw.rows.items[i].size)
				 .v;
	for (uint32_t i = 1; i < tables->extras.nr; i++) {
		uint64_t *value = &tables->extras.values.items[(size_t)i * nr_columns + column];

		*value = ids[*value];
	}
	free(ids);
}

static uint32_t *merge_extras(struct merged *merged, const struct sampler_tables *tables)
{
	uint32_t *ids = xreallocarray(NULL, tables->extras.nr, sizeof(*ids));

	for (uint32_t i = 0; i < tables->extras.nr; i++)
		ids[i] = extra_table_intern(
			&merged->extras, &tables->extras.values.items[(size_t)i * tables->extras.nr_columns]);
	return ids;
}

static void merge_rows(struct merged *merged, struct sampler_tables *tables)
{
	uint32_t *frames = merge_frames(merged, tables);
	uint32_t *stacks = merge_stacks(merged, tables, frames);
	uint32_t *threads = merge_threads(merged, tables);
	uint32_t *extras = merge_extras(merged, tables);

	for (size_t i = 0; i < tables->rows.rows.nr; i++) {
		struct profile_row row = tables->rows.rows.items[i];

		row.stack = stacks[row.stack];
		row.self = frames[row.self];
		row.thread = threads[row.thread];
		row.extra = extras[row.extra];
		row_table_add(&merged->rows, &row);
	}
	free(frames);
	free(stacks);
	free(threads);
	free(extras);
}

static void merge_stats(struct profile *profile, const struct sampler_tables *tables)
{
	struct profile_stats *stats = &profile->stats;

	for (size_t i = 0; i < tables->event_stats.nr && i < profile->event_stats.nr; i++) {
		profile->event_stats.items[i].nr_samples += tables->event_stats.items[i].nr_samples;
		profile->event_stats.items[i].period += tables->event_stats.items[i].period;
		profile->event_stats.items[i].nr_no_callchain += tables->event_stats.items[i].nr_no_callchain;
	}
	stats->nr_samples += tables->stats.nr_samples;
	stats->nr_unknown_event += tables->stats.nr_unknown_event;
	if (tables->stats.nr_bad_records) {
		if (!stats->nr_bad_records || tables->stats.first_bad_offset < stats->first_bad_offset)
			stats->first_bad_offset = tables->stats.first_bad_offset;
		stats->nr_bad_records += tables->stats.nr_bad_records;
	}
	if (tables->stats.first_time < stats->first_time)
		stats->first_time = tables->stats.first_time;
	if (tables->stats.last_time > stats->last_time)
		stats->last_time = tables->stats.last_time;
	profile->quality.nr_stacks += tables->nr_stacks;
	profile->quality.nr_raw_dumps += tables->nr_raw_dumps;
}

/* Hands an array of one table to the profile. */
#define TAKE(to, from) \
	do { \
		(to)->items = (from)->items; \
		(to)->nr = (from)->nr; \
		(to)->room = (from)->room; \
		(from)->items = NULL; \
		(from)->nr = (from)->room = 0; \
	} while (0)

static void merge_all(struct profile *profile, struct sampler **samplers, unsigned nr_workers)
{
	struct sampler_tables *first = sampler_tables(samplers[0]);
	struct merged merged;

	for (unsigned i = 0; i < nr_workers; i++) {
		row_table_settle(&sampler_tables(samplers[i])->rows);
		merge_stats(profile, sampler_tables(samplers[i]));
		translate_raw(profile, sampler_tables(samplers[i]));
	}
	if (profile->extras & 1u << PROFILE_EXTRA_RAW) {
		/* Worker 0's index knows its tuples by their old values: all go through a fresh table. */
		frame_table_init(&merged.frames);
		stack_table_init(&merged.stacks);
		row_table_init(&merged.rows);
		thread_table_init(&merged.threads);
		extra_table_init(&merged.extras, first->extras.nr_columns);
		merge_rows(&merged, first);
	} else {
		merged = (struct merged){ first->frames, first->stacks, first->rows, first->threads,
					  first->extras };
		first->frames = (struct frame_table){ 0 };
		first->stacks = (struct stack_table){ 0 };
		first->rows = (struct row_table){ 0 };
		first->threads = (struct thread_table){ 0 };
		first->extras = (struct extra_table){ 0 };
	}
	for (unsigned i = 1; i < nr_workers; i++)
		merge_rows(&merged, sampler_tables(samplers[i]));
	row_table_settle(&merged.rows);
	for (size_t i = 0; i < merged.threads.rows.nr; i++) {
		struct profile_thread *thread = &merged.threads.rows.items[i];

		thread->comm = intern_string(&profile->strings,
					     intern_text(machine_strings(profile->machine), thread->comm));
	}
	TAKE(&profile->frames, &merged.frames.rows);
	TAKE(&profile->stacks, &merged.stacks.rows);
	TAKE(&profile->rows, &merged.rows.rows);
	TAKE(&profile->threads, &merged.threads.rows);
	TAKE(&profile->extra_values, &merged.extras.values);
	frame_table_release(&merged.frames);
	stack_table_release(&merged.stacks);
	row_table_release(&merged.rows);
	thread_table_release(&merged.threads);
	extra_table_release(&merged.extras);
}

/* Counter values in samples are differences to the sample before: their file order must be kept. */
static bool needs_file_order(const struct event_table *events)
{
	for (size_t i = 0; i < events->events.nr; i++)
		if (events->events.items[i].layout.read)
			return true;
	return false;
}

int profile_ingest(struct record_source *source, const struct event_table *events, struct machine *machine,
		   struct symbolizer *symbolizer, const struct profile_options *options,
		   struct profile **ret_profile, struct err *err)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));
	struct ingest ingest = { .source = source, .options = options, .err = err };
	struct sideband sideband;
	int ret;

	profile->machine = machine;
	profile->symbolizer = symbolizer;
	profile->events = events;
	profile->extras = options->extras;
	intern_init(&profile->strings);
	ret = sideband_read(source, events, machine, options->need_symbols ? symbolizer : NULL, &sideband,
			    err);
	ingest.sideband = &sideband;
	ingest.nr_workers = options->nr_workers ? options->nr_workers : pool_workers();
	if (needs_file_order(events))
		ingest.nr_workers = 1;
	if (sideband.blocks.nr && ingest.nr_workers > sideband.blocks.nr)
		ingest.nr_workers = (unsigned)sideband.blocks.nr;
	ingest.samplers = xcalloc(ingest.nr_workers, sizeof(struct sampler *));
	for (unsigned i = 0; i < ingest.nr_workers; i++)
		ingest.samplers[i] = sampler_new(events, machine, symbolizer, options, sideband.parallelism,
						 sideband.size);
	pthread_mutex_init(&ingest.lock, NULL);
	if (source->stable) {
		pool_run(sideband.blocks.nr, ingest.nr_workers, take_stable_block, &ingest);
		for (size_t i = 0; i < sideband.blocks.nr; i++)
			record_source_done(source, &sideband.blocks.items[i]);
	} else if (ret == 0) {
		ret = record_source_rewind(source, err);
		if (ret == 0) {
			pool_run(ingest.nr_workers, ingest.nr_workers, pull_blocks, &ingest);
			ret = ingest.ret;
		}
	}
	profile->stats = sideband.stats;
	profile->stats.first_time = UINT64_MAX;
	for (size_t i = 0; i < events->events.nr; i++)
		array_push(&profile->event_stats, i < sideband.event_stats.nr
							  ? sideband.event_stats.items[i]
							  : (struct profile_event_stats){ 0 });
	merge_all(profile, ingest.samplers, ingest.nr_workers);
	for (unsigned i = 0; i < ingest.nr_workers; i++)
		sampler_free(ingest.samplers[i]);
	free(ingest.samplers);
	pthread_mutex_destroy(&ingest.lock);
	sideband_release(&sideband);
	if (options->need_symbols) {
		symbolizer_preload_wait(symbolizer);
		quality_measure(profile);
	}
	*ret_profile = profile;
	return ret < 0 ? ret : 0;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	symbolizer_free(profile->symbolizer);
	machine_free(profile->machine);
	intern_release(&profile->strings);
	array_release(&profile->frames);
	array_release(&profile->stacks);
	array_release(&profile->threads);
	array_release(&profile->extra_values);
	array_release(&profile->rows);
	array_release(&profile->event_stats);
	free(profile);
}

const char *profile_frame_name(const struct profile *profile, uint32_t frame)
{
	const struct frame *row = &profile->frames.items[frame];

	if (row->symbol == SYMBOL_NONE)
		return NULL;
	return symbolizer_name(profile->symbolizer, (struct dso_id){ row->dso }, row->symbol);
}

const struct dso *profile_frame_dso(const struct profile *profile, uint32_t frame)
{
	return machine_dso(profile->machine, (struct dso_id){ profile->frames.items[frame].dso });
}

uint64_t profile_extra_value(const struct profile *profile, uint32_t extra, enum profile_extra column)
{
	unsigned nr_columns = (unsigned)__builtin_popcount(profile->extras);
	unsigned index = (unsigned)__builtin_popcount(profile->extras & ((1u << column) - 1));

	if (!(profile->extras & 1u << column))
		return 0;
	return profile->extra_values.items[(size_t)extra * nr_columns + index];
}
