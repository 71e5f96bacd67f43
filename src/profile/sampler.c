/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hot loop: sample -> (event, thread, stack, self) -> row.
 *
 * A sample costs what is new about it. Four memories stand in front of the work, cheapest first:
 *
 *   thread slot    pid/tid -> thread row and address space, with the span of time for which that holds
 *   chain memo     hash of the raw chain and its address space -> stack: a repeated chain is one look-up
 *   previous chain of the same thread: the frames next to the root that both share (most of them, in deep
 *                  stacks) keep their stack nodes; only what lies above is pushed
 *   address slot   (address space, address) -> frame; a miss asks the machine and the symbol table
 *
 * They are direct-mapped and of fixed size, so memory does not grow with the file; forgetting costs time, never
 * correctness. What a look-up in the machine calls unstable (the answer depends on the time) is never remembered.
 */
#include "profile/sampler.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/xalloc.h"
#include "profile/parallelism.h"

#define NR_ADDRESS_SLOTS (1u << 15)
#define NR_CHAIN_SLOTS (1u << 16)
#define NR_THREAD_SLOTS 32u
#define NR_PREVIOUS_MAX 192u
#define NR_SEGMENTS_MAX 8192u /* a record has at most 65535 / 8 chain entries */

struct address_slot {
	uint64_t addr;
	uint32_t space; /* space << 3 | mode */
	uint32_t frame; /* + 1; 0: empty */
};

struct chain_slot {
	uint64_t hash;
	uint32_t stack;
	uint32_t is_used;
};

/* Arrays are indexed from the root: 0 is the outermost entry. */
struct previous_chain {
	uint32_t nr; /* entries known, all of the outermost segment */
	uint32_t space;
	uint8_t mode;
	uint64_t words[NR_PREVIOUS_MAX];
	uint32_t stacks[NR_PREVIOUS_MAX];
};

struct thread_slot {
	int32_t pid, tid;
	uint64_t from, until;
	uint32_t thread;
	struct space_id space;
	struct previous_chain previous;
};

/* In one huge page. */
struct memories {
	struct chain_slot chains[NR_CHAIN_SLOTS];
	struct address_slot addresses[NR_ADDRESS_SLOTS];
	struct thread_slot threads[NR_THREAD_SLOTS];
};

struct segment {
	uint16_t first; /* entry behind the marker */
	uint8_t mode;
};

struct read_value {
	uint64_t id, value;
};

struct sampler {
	struct sampler_tables tables;
	const struct event_table *events;
	struct machine *machine;
	struct symbolizer *symbolizer;
	const struct profile_options *options;
	const struct parallelism *parallelism;
	struct memories *memories;
	struct segment segments[NR_SEGMENTS_MAX];
	bool is_unstable; /* the chain at hand has an address whose frame depends on the time */
	uint32_t nr_shared_unknown; /* frames below this id stand for callers in no mapping */
	struct hash_index read_index; /* counter values of the last sample, by id */
	ARRAY(struct read_value) reads;
};

struct sampler *sampler_new(const struct event_table *events, struct machine *machine, struct symbolizer *symbolizer,
			    const struct profile_options *options, const struct parallelism *parallelism)
{
	struct sampler *sampler = xcalloc(1, sizeof(*sampler));
	struct sampler_tables *tables = &sampler->tables;

	sampler->events = events;
	sampler->machine = machine;
	sampler->symbolizer = symbolizer;
	sampler->options = options;
	sampler->parallelism = parallelism;
	sampler->memories = xmalloc_huge(sizeof(*sampler->memories));
	memset(sampler->memories, 0, sizeof(*sampler->memories));
	frame_table_init(&tables->frames);
	for (uint8_t mode = MACHINE_MODE_KERNEL; !options->need_addresses && mode <= MACHINE_MODE_GUEST_USER; mode++) {
		frame_table_intern(&tables->frames, &(struct frame){ .symbol = SYMBOL_NONE, .mode = mode });
		sampler->nr_shared_unknown = (uint32_t)tables->frames.rows.nr;
	}
	stack_table_init(&tables->stacks);
	row_table_init(&tables->rows);
	thread_table_init(&tables->threads);
	extra_table_init(&tables->extras, (unsigned)__builtin_popcount(options->extras));
	intern_init(&tables->raw);
	hash_index_init(&sampler->read_index, 64);
	tables->stats.first_time = UINT64_MAX;
	return sampler;
}

void sampler_free(struct sampler *sampler)
{
	struct sampler_tables *tables;

	if (!sampler)
		return;
	tables = &sampler->tables;
	frame_table_release(&tables->frames);
	stack_table_release(&tables->stacks);
	row_table_release(&tables->rows);
	thread_table_release(&tables->threads);
	extra_table_release(&tables->extras);
	intern_release(&tables->raw);
	array_release(&tables->event_stats);
	hash_index_release(&sampler->read_index);
	array_release(&sampler->reads);
	free(sampler->memories);
	free(sampler);
}

struct sampler_tables *sampler_tables(struct sampler *sampler)
{
	return &sampler->tables;
}

/* ---- threads ---- */

static struct thread_slot *thread_slot(struct sampler *sampler, int32_t pid, int32_t tid, uint64_t time)
{
	struct thread_slot *slot = &sampler->memories->threads[(uint32_t)hash_u64((uint32_t)tid) % NR_THREAD_SLOTS];
	struct machine_thread thread;

	if (slot->tid == tid && slot->pid == pid && time >= slot->from && time < slot->until)
		return slot;
	thread = machine_thread_at(sampler->machine, pid, tid, time);
	slot->pid = pid;
	slot->tid = tid;
	slot->from = thread.from;
	slot->until = thread.until;
	slot->space = thread.space;
	slot->thread = thread_table_intern(&sampler->tables.threads,
					   &(struct profile_thread){ pid, tid, thread.comm });
	if (slot->previous.space != thread.space.v)
		slot->previous.nr = 0;
	slot->previous.space = thread.space.v;
	return slot;
}

/* ---- frames ---- */

static uint8_t mode_of_dso(const struct dso *dso, uint8_t mode)
{
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_MODULE:
	case DSO_BPF:
		return MACHINE_MODE_KERNEL;
	case DSO_UNKNOWN:
		return mode;
	default:
		return MACHINE_MODE_USER;
	}
}

static uint32_t frame_of_location(struct sampler *sampler, const struct location *location, uint8_t mode)
{
	const struct profile_options *options = sampler->options;
	struct frame frame = { .dso = location->dso.v, .symbol = SYMBOL_NONE };

	if (!location->dso.v && mode < sampler->nr_shared_unknown)
		return mode; /* their ids are the modes: see sampler_new */
	frame.mode = mode_of_dso(machine_dso(sampler->machine, location->dso), mode);
	/*
	 * Callers in no mapping are what a walk along frame pointers reads from code that has none: another
	 * random number in nearly every sample. They share one frame, unless somebody wants addresses.
	 */
	if (options->need_addresses || (options->need_symbols && location->dso.v))
		frame.offset = location->offset;
	if (options->need_symbols && location->dso.v) {
		frame.symbol = symbolizer_find(sampler->symbolizer, location->dso, location->offset);
		if (frame.symbol != SYMBOL_NONE && !options->need_addresses)
			frame.offset = symbolizer_start(sampler->symbolizer, location->dso, frame.symbol);
	}
	return frame_table_intern(&sampler->tables.frames, &frame);
}

static uint32_t frame_miss(struct sampler *sampler, struct address_slot *slot, struct space_id space, uint8_t mode,
			   uint64_t addr, uint64_t time)
{
	struct location location;
	uint32_t frame;

	machine_find(sampler->machine, space, mode, addr, time, &location);
	frame = frame_of_location(sampler, &location, mode);
	if (location.is_stable)
		*slot = (struct address_slot){ addr, space.v << 3 | mode, frame + 1 };
	else
		sampler->is_unstable = true;
	return frame;
}

static inline uint32_t frame_at(struct sampler *sampler, struct space_id space, uint8_t mode, uint64_t addr,
				uint64_t time)
{
	/* Kernel addresses mean the same in every process. */
	struct space_id in = mode == MACHINE_MODE_KERNEL ? (struct space_id){ 0 } : space;
	uint64_t hash = (addr ^ (uint64_t)in.v << 40) * HASH_K0;
	struct address_slot *slot = &sampler->memories->addresses[hash >> 49];

	_Static_assert(NR_ADDRESS_SLOTS == 1u << (64 - 49), "the shift picks the top bits");
	if (slot->addr == addr && slot->space == (in.v << 3 | mode) && slot->frame)
		return slot->frame - 1;
	return frame_miss(sampler, slot, in, mode, addr, time);
}

/* ---- call chains ---- */

static inline uint64_t word_at(const uint8_t *chain, size_t i)
{
	uint64_t word;

	memcpy(&word, chain + i * 8, sizeof(word));
	return word;
}

static uint8_t mode_of_marker(uint64_t marker)
{
	switch (marker) {
	case CALLCHAIN_HV:
		return MACHINE_MODE_HYPERVISOR;
	case CALLCHAIN_KERNEL:
		return MACHINE_MODE_KERNEL;
	case CALLCHAIN_USER:
	case CALLCHAIN_USER_DEFERRED:
		return MACHINE_MODE_USER;
	case CALLCHAIN_GUEST_KERNEL:
		return MACHINE_MODE_GUEST_KERNEL;
	case CALLCHAIN_GUEST:
	case CALLCHAIN_GUEST_USER:
		return MACHINE_MODE_GUEST_USER;
	default:
		return MACHINE_MODE_UNKNOWN;
	}
}

/* Cuts the chain at its markers; returns the number of segments (at least 1: what stands before any marker). */
static unsigned find_segments(struct sampler *sampler, const uint8_t *chain, size_t nr, uint8_t mode)
{
	unsigned nr_segments = 1;

	sampler->segments[0] = (struct segment){ 0, mode };
	for (size_t i = 0; i < nr; i++) {
		uint64_t word = word_at(chain, i);

		if (word < CALLCHAIN_MAX || nr_segments == NR_SEGMENTS_MAX)
			continue;
		/* A deferred marker is followed by the cookie that names the later record. */
		if (word == CALLCHAIN_USER_DEFERRED)
			i++;
		sampler->segments[nr_segments++] = (struct segment){ (uint16_t)(i + 1), mode_of_marker(word) };
	}
	return nr_segments;
}

/* A run of callers in no mapping is one frame: how many random numbers a walk passed says nothing. */
static inline uint32_t push(struct sampler *sampler, uint32_t stack, uint32_t frame)
{
	struct stack_table *stacks = &sampler->tables.stacks;

	if (frame < sampler->nr_shared_unknown && stack && stacks->rows.items[stack].frame == frame)
		return stack;
	return stack_table_push(stacks, stack, frame);
}

/* Pushes the entries of one segment, outermost first, on top of `stack`. */
static uint32_t push_entries(struct sampler *sampler, struct space_id space, uint8_t mode, const uint8_t *chain,
			     size_t first, size_t end, uint64_t time, uint32_t stack)
{
	while (end > first) {
		uint64_t addr = word_at(chain, --end);

		if (addr >= CALLCHAIN_MAX)
			continue; /* the marker of the next segment */
		stack = push(sampler, stack, frame_at(sampler, space, mode, addr, time));
	}
	return stack;
}

/* The outermost segment: the part it shares with the thread's previous chain keeps its nodes. */
static uint32_t push_outermost(struct sampler *sampler, struct thread_slot *slot, uint8_t mode, const uint8_t *chain,
			       size_t first, size_t nr, uint64_t time)
{
	struct previous_chain *previous = &slot->previous;
	size_t length = nr - first, shared = 0, limit;
	uint32_t stack = 0;

	if (previous->mode == mode) {
		limit = previous->nr < length ? previous->nr : length;
		while (shared < limit && previous->words[shared] == word_at(chain, nr - 1 - shared))
			shared++;
		if (shared)
			stack = previous->stacks[shared - 1];
	}
	previous->mode = mode;
	previous->nr = (uint32_t)shared;
	for (size_t i = shared; i < length; i++) {
		uint64_t addr = word_at(chain, nr - 1 - i);

		if (addr >= CALLCHAIN_MAX)
			continue;
		stack = push(sampler, stack, frame_at(sampler, slot->space, mode, addr, time));
		if (i < NR_PREVIOUS_MAX && previous->nr == i && !sampler->is_unstable) {
			previous->words[i] = addr;
			previous->stacks[i] = stack;
			previous->nr = (uint32_t)i + 1;
		}
	}
	return stack;
}

/* Entries of the chain that max_stack leaves, counted from the leaf. */
static size_t limit_chain(const uint8_t *chain, size_t nr, uint32_t max_stack)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (word_at(chain, i) < CALLCHAIN_MAX && ++kept == max_stack)
			return i + 1;
	return nr;
}

static uint32_t stack_of_chain(struct sampler *sampler, struct thread_slot *slot, const uint8_t *chain, size_t nr,
			       uint8_t mode, uint64_t time)
{
	uint64_t hash;
	struct chain_slot *memo;
	unsigned nr_segments;
	uint32_t stack;
	size_t end = nr;

	if (sampler->options->max_stack)
		nr = end = limit_chain(chain, nr, sampler->options->max_stack);
	hash = hash_words(chain, nr, (uint64_t)slot->space.v << 8 | mode);
	memo = &sampler->memories->chains[hash % NR_CHAIN_SLOTS];
	if (memo->hash == hash && memo->is_used)
		return memo->stack;
	sampler->is_unstable = false;
	nr_segments = find_segments(sampler, chain, nr, mode);
	nr_segments--;
	stack = push_outermost(sampler, slot, sampler->segments[nr_segments].mode, chain,
			       sampler->segments[nr_segments].first < nr ? sampler->segments[nr_segments].first : nr,
			       nr, time);
	while (nr_segments--) {
		end = sampler->segments[nr_segments + 1].first - 1u;
		stack = push_entries(sampler, slot->space, sampler->segments[nr_segments].mode, chain,
				     sampler->segments[nr_segments].first, end, time, stack);
	}
	if (!sampler->is_unstable)
		*memo = (struct chain_slot){ hash, stack, 1 };
	return stack;
}

/* ---- extra columns ---- */

static uint64_t extra_value(struct sampler *sampler, const struct sample *sample, enum profile_extra column)
{
	const struct profile_options *options = sampler->options;

	switch (column) {
	case PROFILE_EXTRA_CPU:
		return (uint32_t)sample->id.cpu;
	case PROFILE_EXTRA_TIME:
		return options->time_quantum ? sample->id.time - sample->id.time % options->time_quantum :
					       sample->id.time;
	case PROFILE_EXTRA_ADDR:
		return sample->addr;
	case PROFILE_EXTRA_WEIGHT:
		return sample->weight;
	case PROFILE_EXTRA_TRANSACTION:
		return sample->transaction;
	case PROFILE_EXTRA_CODE_PAGE_SIZE:
		return sample->code_page_size;
	case PROFILE_EXTRA_DATA_PAGE_SIZE:
		return sample->data_page_size;
	case PROFILE_EXTRA_PHYS_ADDR:
		return sample->phys_addr;
	case PROFILE_EXTRA_CGROUP:
		return sample->cgroup;
	case PROFILE_EXTRA_PARALLELISM:
		return sampler->parallelism ? parallelism_at(sampler->parallelism, sample->id.time) : 1;
	case PROFILE_EXTRA_RAW:
		return intern_bytes(&sampler->tables.raw, (const char *)sample->raw_data.data, sample->raw_data.size)
			.v;
	case PROFILE_EXTRA_IP:
		return sample->ip;
	case NR_PROFILE_EXTRA:
		break;
	}
	return 0;
}

static uint32_t extra_of_sample(struct sampler *sampler, const struct sample *sample)
{
	uint64_t values[NR_PROFILE_EXTRA];
	unsigned nr = 0;

	for (unsigned column = 0; column < NR_PROFILE_EXTRA; column++)
		if (sampler->options->extras & 1u << column)
			values[nr++] = extra_value(sampler, sample, column);
	return extra_table_intern(&sampler->tables.extras, values);
}

/* ---- counter values in samples (PERF_SAMPLE_READ) ---- */

/* What the counter grew since the last sample that read it. */
static uint64_t read_growth(struct sampler *sampler, uint64_t id, uint64_t value)
{
	uint64_t hash = hash_u64(id), growth;
	uint32_t pos = hash_index_start(&sampler->read_index, hash), row;

	while ((row = hash_index_next(&sampler->read_index, hash, &pos)) != HASH_NONE) {
		struct read_value *old = &sampler->reads.items[row];

		if (old->id != id)
			continue;
		growth = value - old->value;
		old->value = value;
		return growth;
	}
	hash_index_insert(&sampler->read_index, hash, (uint32_t)sampler->reads.nr);
	array_push(&sampler->reads, (struct read_value){ id, value });
	return value;
}

static void count_row(struct sampler *sampler, const struct profile_row *row)
{
	struct sampler_tables *tables = &sampler->tables;

	while (tables->event_stats.nr <= row->event)
		array_add(&tables->event_stats);
	tables->event_stats.items[row->event].nr_samples++;
	tables->event_stats.items[row->event].period += row->period;
	row_table_add(&tables->rows, row);
}

/* A sample that read counters stands for all of them: one row each, its period what the counter grew. */
static void count_read(struct sampler *sampler, const struct sample_layout *layout, struct span read,
		       struct profile_row *row)
{
	struct cursor cursor = cursor_of(read.data, read.size, false);
	bool is_group = layout->read_format & PERF_FORMAT_GROUP;
	uint64_t nr = is_group ? cursor_u64(&cursor) : 1;
	uint64_t value = is_group ? 0 : cursor_u64(&cursor);

	if (layout->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		cursor_skip(&cursor, 8);
	if (layout->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		cursor_skip(&cursor, 8);
	for (; nr && !cursor.failed; nr--) {
		uint64_t id;

		if (is_group)
			value = cursor_u64(&cursor);
		id = cursor_u64(&cursor);
		if (layout->read_format & EVENT_FORMAT_LOST)
			cursor_skip(&cursor, 8);
		if (cursor.failed)
			break;
		row->event = event_table_find_id(sampler->events, id);
		row->period = read_growth(sampler, id, value);
		if (row->event != HASH_NONE && row->period)
			count_row(sampler, row);
	}
}

/* ---- the sample ---- */

static bool is_wanted(const struct profile_options *options, uint64_t time, uint32_t cpu)
{
	if (options->cpus && !cpuset_has(options->cpus, cpu))
		return false;
	if (!options->time_ranges)
		return true;
	for (size_t i = 0; i < options->nr_time_ranges; i++)
		if (time >= options->time_ranges[i].first && time <= options->time_ranges[i].last)
			return true;
	return false;
}

static void count_bad(struct sampler *sampler, uint64_t offset)
{
	struct profile_stats *stats = &sampler->tables.stats;

	if (!stats->nr_bad_records++)
		stats->first_bad_offset = offset;
}

void sampler_add(struct sampler *sampler, const struct record_header *raw, uint64_t offset)
{
	const struct profile_options *options = sampler->options;
	struct profile_stats *stats = &sampler->tables.stats;
	uint32_t event = event_table_of_sample(sampler->events, raw);
	const struct recorded_event *recorded;
	const struct sample_layout *layout;
	struct profile_row row = { .nr_samples = 1 };
	struct sample sample;
	struct thread_slot *slot;
	const uint8_t *chain = NULL;
	size_t nr_chain = 0;
	uint64_t time = 0, ip = 0;
	int32_t pid = -1, tid = -1;
	uint32_t cpu = UINT32_MAX;
	uint8_t mode = raw->misc & RECORD_CPUMODE_MASK;
	bool has_chain, is_decoded = false;

	if (event == HASH_NONE) {
		stats->nr_unknown_event++;
		return;
	}
	recorded = &sampler->events->events.items[event];
	layout = &recorded->layout;
	if (raw->size < layout->fixed_size) {
		count_bad(sampler, offset);
		return;
	}
	has_chain = layout->sample_type & PERF_SAMPLE_CALLCHAIN;
	if (layout->time)
		time = sample_u64_at(raw, layout->time);
	if (layout->cpu)
		cpu = sample_u32_at(raw, layout->cpu);
	if (!is_wanted(options, time, cpu))
		return;
	if (layout->ip)
		ip = sample_u64_at(raw, layout->ip);
	if (layout->tid) {
		pid = (int32_t)sample_u32_at(raw, layout->tid);
		tid = (int32_t)sample_u32_at(raw, layout->tid + 4u);
	}
	row.event = event;
	row.period = layout->period ? sample_u64_at(raw, layout->period) : recorded->attr.sample_period;
	if (options->extras || layout->read || (has_chain && !layout->callchain) ||
	    (layout->sample_type & PERF_SAMPLE_STACK_USER)) {
		if (sample_decode(layout, raw, offset, &sample) < 0) {
			count_bad(sampler, offset);
			return;
		}
		is_decoded = true;
		if (sample.stack_user.size)
			sampler->tables.nr_raw_dumps++;
	}
	if (has_chain && layout->callchain) {
		uint64_t nr = 0;

		if (raw->size >= layout->callchain + 8u)
			nr = sample_u64_at(raw, layout->callchain);
		if (nr > (raw->size - layout->callchain - 8u) / 8u || raw->size < layout->callchain + 8u) {
			count_bad(sampler, offset);
			return;
		}
		chain = (const uint8_t *)raw + layout->callchain + 8;
		nr_chain = nr;
	} else if (has_chain) {
		chain = sample.callchain;
		nr_chain = sample.nr_callchain;
	}
	if (layout->time) {
		if (time < stats->first_time)
			stats->first_time = time;
		if (time > stats->last_time)
			stats->last_time = time;
	}
	stats->nr_samples++;
	slot = thread_slot(sampler, pid, tid, time);
	row.thread = slot->thread;
	if (nr_chain && options->need_stacks)
		row.stack = stack_of_chain(sampler, slot, chain, nr_chain, mode, time);
	/* The innermost entry nearly always is the sampled address itself. */
	if (row.stack && nr_chain > 1 && word_at(chain, word_at(chain, 0) >= CALLCHAIN_MAX) == ip)
		row.self = sampler->tables.stacks.rows.items[row.stack].frame;
	else
		row.self = frame_at(sampler, slot->space, mode, ip, time);
	/* The sampled address itself is a fact, wherever it lies. */
	if (!sampler->tables.frames.rows.items[row.self].dso && options->need_symbols)
		row.self = frame_table_intern(&sampler->tables.frames,
					      &(struct frame){ .offset = ip, .symbol = SYMBOL_NONE, .mode = mode });
	if (row.stack)
		sampler->tables.nr_stacks++;
	if (options->extras && is_decoded)
		row.extra = extra_of_sample(sampler, &sample);
	if (has_chain && !row.stack && options->need_stacks) {
		while (sampler->tables.event_stats.nr <= event)
			array_add(&sampler->tables.event_stats);
		sampler->tables.event_stats.items[event].nr_no_callchain++;
	}
	if (layout->read)
		count_read(sampler, layout, sample.read, &row);
	else
		count_row(sampler, &row);
}
