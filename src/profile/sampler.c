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
 *
 * The chain memo is larger than the caches near the CPU. So a sample is taken in two steps: it is read, its chain
 * hashed and its place in the memo fetched; then it waits until some more samples have been read.
 */
#include "profile/sampler.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/xalloc.h"
#include "profile/parallelism.h"

#define NR_ADDRESS_SLOTS (1u << 16)
#define NR_CHAIN_SLOTS (1u << 18)
#define NR_THREAD_SLOTS 32u
#define NR_WAITING 8u /* a power of two */
#define NR_PREVIOUS_MAX 192u
#define NR_SEGMENTS_MAX 8192u /* a record has at most 65535 / 8 chain entries */
/* Zeroing all of the memories takes 0.6 ms, which is more than recordings of this size need for all of their samples. */
#define SMALL_SIZE (512u << 10)
#define NR_SMALL_SLOTS (1u << 13)

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

/* In huge pages. */
struct memories {
	struct chain_slot chains[NR_CHAIN_SLOTS];
	struct address_slot addresses[NR_ADDRESS_SLOTS];
	struct thread_slot threads[NR_THREAD_SLOTS];
};

/* A sample between its two steps. */
struct waiting_sample {
	const struct record_header *raw;
	uint64_t offset;
	uint64_t time, ip;
	const uint8_t *chain; /* NULL: none, or it must be decoded first */
	size_t nr_chain; /* as far as max_stack lets it be seen */
	uint64_t hash; /* of the chain and the address space */
	int32_t pid, tid;
	uint32_t event;
	uint8_t mode;
	bool is_decoded_later;
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
	uint64_t chain_mask, address_mask; /* of the slots in use */
	/* Frames of symbols, by DSO and symbol: id + 1. Instead of hashing, where frames are functions. */
	struct {
		uint32_t *frames;
		uint32_t nr;
	} * by_symbol;
	uint32_t nr_by_symbol;
	struct waiting_sample waiting[NR_WAITING];
	unsigned nr_waiting, next_waiting;
	struct segment segments[NR_SEGMENTS_MAX];
	bool is_unstable; /* the chain at hand has an address whose frame depends on the time */
	uint32_t nr_shared_unknown; /* frames below this id stand for callers in no mapping */
	struct hash_index read_index; /* counter values of the last sample, by id */
	ARRAY(struct read_value) reads;
};

static void new_memories(struct sampler *sampler, uint64_t size)
{
	struct memories *memories;

	sampler->chain_mask = NR_CHAIN_SLOTS - 1;
	sampler->address_mask = NR_ADDRESS_SLOTS - 1;
	if (size > SMALL_SIZE) {
		sampler->memories = xmalloc_huge(sizeof(*memories));
		memset(sampler->memories, 0, sizeof(*memories));
		return;
	}
	/* The rest of them is never touched. */
	sampler->memories = memories = xmalloc(sizeof(*memories));
	sampler->chain_mask = sampler->address_mask = NR_SMALL_SLOTS - 1;
	memset(memories->chains, 0, sizeof(memories->chains[0]) * NR_SMALL_SLOTS);
	memset(memories->addresses, 0, sizeof(memories->addresses[0]) * NR_SMALL_SLOTS);
	memset(memories->threads, 0, sizeof(memories->threads));
}

struct sampler *sampler_new(const struct event_table *events, struct machine *machine,
			    struct symbolizer *symbolizer, const struct profile_options *options,
			    const struct parallelism *parallelism, uint64_t size)
{
	struct sampler *sampler = xcalloc(1, sizeof(*sampler));
	struct sampler_tables *tables = &sampler->tables;

	sampler->events = events;
	sampler->machine = machine;
	sampler->symbolizer = symbolizer;
	sampler->options = options;
	sampler->parallelism = parallelism;
	new_memories(sampler, size);
	frame_table_init(&tables->frames);
	for (uint8_t mode = MACHINE_MODE_KERNEL; !options->need_addresses && mode <= MACHINE_MODE_GUEST_USER;
	     mode++) {
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
	for (uint32_t i = 0; i < sampler->nr_by_symbol; i++)
		free(sampler->by_symbol[i].frames);
	free(sampler->by_symbol);
	free(sampler);
}

struct sampler_tables *sampler_tables(struct sampler *sampler)
{
	return &sampler->tables;
}

/* ---- threads ---- */

static struct thread_slot *thread_slot(struct sampler *sampler, int32_t pid, int32_t tid, uint64_t time)
{
	struct thread_slot *slot =
		&sampler->memories->threads[(uint32_t)hash_u64((uint32_t)tid) % NR_THREAD_SLOTS];
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

/* Where the frame of a symbol is remembered, or NULL: the array of a DSO is made when it is first hit. */
static uint32_t *frame_of_symbol(struct sampler *sampler, struct dso_id dso, uint32_t symbol)
{
	if (dso.v >= sampler->nr_by_symbol) {
		uint32_t nr = machine_nr_dsos(sampler->machine);

		sampler->by_symbol = xreallocarray(sampler->by_symbol, nr, sizeof(*sampler->by_symbol));
		memset(sampler->by_symbol + sampler->nr_by_symbol, 0,
		       (nr - sampler->nr_by_symbol) * sizeof(*sampler->by_symbol));
		sampler->nr_by_symbol = nr;
	}
	if (!sampler->by_symbol[dso.v].frames) {
		sampler->by_symbol[dso.v].nr = symbolizer_nr_symbols(sampler->symbolizer, dso);
		sampler->by_symbol[dso.v].frames = xcalloc(sampler->by_symbol[dso.v].nr, sizeof(uint32_t));
	}
	return symbol < sampler->by_symbol[dso.v].nr ? &sampler->by_symbol[dso.v].frames[symbol] : NULL;
}

static uint32_t frame_of_location(struct sampler *sampler, const struct location *location, uint8_t mode)
{
	const struct profile_options *options = sampler->options;
	struct frame frame = { .dso = location->dso.v, .symbol = SYMBOL_NONE };
	uint32_t *remembered = NULL, id;

	if (!location->dso.v && mode < sampler->nr_shared_unknown)
		return mode; /* their ids are the modes: see sampler_new */
	if (options->need_symbols && location->dso.v) {
		frame.symbol = symbolizer_find(sampler->symbolizer, location->dso, location->offset);
		if (frame.symbol != SYMBOL_NONE && !options->need_addresses) {
			remembered = frame_of_symbol(sampler, location->dso, frame.symbol);
			if (remembered && *remembered)
				return *remembered - 1;
			frame.offset = symbolizer_start(sampler->symbolizer, location->dso, frame.symbol);
		}
	}
	frame.mode = mode_of_dso(machine_dso(sampler->machine, location->dso), mode);
	/*
	 * Callers in no mapping are what a walk along frame pointers reads from code that has none: another
	 * random number in nearly every sample. They share one frame, unless somebody wants addresses.
	 */
	if (!remembered && (options->need_addresses || (options->need_symbols && location->dso.v)))
		frame.offset = location->offset;
	id = frame_table_intern(&sampler->tables.frames, &frame);
	if (remembered)
		*remembered = id + 1;
	return id;
}

static uint32_t frame_miss(struct sampler *sampler, struct address_slot *slot, struct space_id space,
			   uint8_t mode, uint64_t addr, uint64_t time)
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
	struct address_slot *slot = &sampler->memories->addresses[hash >> 48 & sampler->address_mask];

	_Static_assert(NR_ADDRESS_SLOTS == 1u << (64 - 48), "the shift picks the top bits");
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
		sampler->segments[nr_segments++] = (struct segment){ (uint16_t)(i + 1),
								     mode_of_marker(word) };
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
static uint32_t push_entries(struct sampler *sampler, struct space_id space, uint8_t mode,
			     const uint8_t *chain, size_t first, size_t end, uint64_t time, uint32_t stack)
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
static uint32_t push_outermost(struct sampler *sampler, struct thread_slot *slot, uint8_t mode,
			       const uint8_t *chain, size_t first, size_t nr, uint64_t time)
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

static uint64_t hash_chain(const uint8_t *chain, size_t nr, struct space_id space, uint8_t mode)
{
	return hash_words(chain, nr, (uint64_t)space.v << 8 | mode);
}

static struct chain_slot *chain_slot(struct sampler *sampler, uint64_t hash)
{
	return &sampler->memories->chains[hash & sampler->chain_mask];
}

static uint32_t stack_of_chain(struct sampler *sampler, struct thread_slot *slot,
			       const struct waiting_sample *sample)
{
	struct chain_slot *memo = chain_slot(sampler, sample->hash);
	const uint8_t *chain = sample->chain;
	size_t nr = sample->nr_chain;
	const struct segment *segments = sampler->segments;
	unsigned last;
	uint32_t stack;

	if (memo->hash == sample->hash && memo->is_used)
		return memo->stack;
	sampler->is_unstable = false;
	last = find_segments(sampler, chain, nr, sample->mode) - 1;
	stack = push_outermost(sampler, slot, segments[last].mode, chain,
			       segments[last].first < nr ? segments[last].first : nr, nr, sample->time);
	while (last--)
		stack = push_entries(sampler, slot->space, segments[last].mode, chain, segments[last].first,
				     segments[last + 1].first - 1u, sample->time, stack);
	if (!sampler->is_unstable)
		*memo = (struct chain_slot){ sample->hash, stack, 1 };
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
		return options->time_quantum ? sample->id.time - sample->id.time % options->time_quantum
					     : sample->id.time;
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
		return intern_bytes(&sampler->tables.raw, (const char *)sample->raw_data.data,
				    sample->raw_data.size)
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

static struct profile_event_stats *stats_of_event(struct sampler *sampler, uint32_t event)
{
	while (sampler->tables.event_stats.nr <= event)
		array_add(&sampler->tables.event_stats);
	return &sampler->tables.event_stats.items[event];
}

static void count_row(struct sampler *sampler, const struct profile_row *row)
{
	struct profile_event_stats *stats = stats_of_event(sampler, row->event);

	stats->nr_samples++;
	stats->period += row->period;
	row_table_add(&sampler->tables.rows, row);
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

/* The chain's entries as far as they will be seen, and their place in the memo. */
static void set_chain(struct sampler *sampler, struct waiting_sample *sample, const uint8_t *chain, size_t nr,
		      struct space_id space)
{
	const struct profile_options *options = sampler->options;

	if (!nr || !options->need_stacks)
		return;
	sample->chain = chain;
	sample->nr_chain = options->max_stack ? limit_chain(chain, nr, options->max_stack) : nr;
	sample->hash = hash_chain(chain, sample->nr_chain, space, sample->mode);
}

/* The second step. */
static void take(struct sampler *sampler, struct waiting_sample *sample)
{
	const struct profile_options *options = sampler->options;
	struct sampler_tables *tables = &sampler->tables;
	const struct recorded_event *recorded = &sampler->events->events.items[sample->event];
	const struct sample_layout *layout = &recorded->layout;
	struct thread_slot *slot = thread_slot(sampler, sample->pid, sample->tid, sample->time);
	struct profile_row row = { .event = sample->event, .thread = slot->thread, .nr_samples = 1 };
	struct sample decoded;

	if (sample->is_decoded_later) {
		if (sample_decode(layout, sample->raw, sample->offset, &decoded) < 0) {
			count_bad(sampler, sample->offset);
			return;
		}
		if (decoded.stack_user.size)
			tables->nr_raw_dumps++;
		if (!sample->chain)
			set_chain(sampler, sample, decoded.callchain, decoded.nr_callchain, slot->space);
	}
	row.period = layout->period ? sample_u64_at(sample->raw, layout->period)
				    : recorded->attr.sample_period;
	if (layout->time) {
		if (sample->time < tables->stats.first_time)
			tables->stats.first_time = sample->time;
		if (sample->time > tables->stats.last_time)
			tables->stats.last_time = sample->time;
	}
	tables->stats.nr_samples++;
	if (sample->chain)
		row.stack = stack_of_chain(sampler, slot, sample);
	/* The innermost entry nearly always is the sampled address itself. */
	if (row.stack && sample->nr_chain > 1 &&
	    word_at(sample->chain, word_at(sample->chain, 0) >= CALLCHAIN_MAX) == sample->ip)
		row.self = tables->stacks.rows.items[row.stack].frame;
	else
		row.self = frame_at(sampler, slot->space, sample->mode, sample->ip, sample->time);
	/* The sampled address itself is a fact, wherever it lies. */
	if (!tables->frames.rows.items[row.self].dso && options->need_symbols)
		row.self = frame_table_intern(&tables->frames, &(struct frame){ .offset = sample->ip,
										.symbol = SYMBOL_NONE,
										.mode = sample->mode });
	if (row.stack)
		tables->nr_stacks++;
	if (options->extras)
		row.extra = extra_of_sample(sampler, &decoded);
	if (layout->sample_type & PERF_SAMPLE_CALLCHAIN && !row.stack && options->need_stacks)
		stats_of_event(sampler, sample->event)->nr_no_callchain++;
	if (layout->read)
		count_read(sampler, layout, decoded.read, &row);
	else
		count_row(sampler, &row);
}

void sampler_settle(struct sampler *sampler)
{
	unsigned first = sampler->next_waiting - sampler->nr_waiting;

	for (unsigned i = 0; i < sampler->nr_waiting; i++)
		take(sampler, &sampler->waiting[(first + i) % NR_WAITING]);
	sampler->nr_waiting = 0;
}

/* Reads a sample as far as its fixed fields go. false: it is not to be counted. */
static bool read_sample(struct sampler *sampler, const struct record_header *raw, uint64_t offset,
			struct waiting_sample *ret)
{
	const struct profile_options *options = sampler->options;
	uint32_t event = event_table_of_sample(sampler->events, raw);
	const struct sample_layout *layout;
	bool has_chain;

	if (event == HASH_NONE) {
		sampler->tables.stats.nr_unknown_event++;
		return false;
	}
	layout = &sampler->events->events.items[event].layout;
	if (raw->size < layout->fixed_size) {
		count_bad(sampler, offset);
		return false;
	}
	*ret = (struct waiting_sample){ .raw = raw, .offset = offset, .pid = -1, .tid = -1, .event = event };
	ret->mode = raw->misc & RECORD_CPUMODE_MASK;
	if (layout->time)
		ret->time = sample_u64_at(raw, layout->time);
	if (!is_wanted(options, ret->time, layout->cpu ? sample_u32_at(raw, layout->cpu) : UINT32_MAX))
		return false;
	if (layout->ip)
		ret->ip = sample_u64_at(raw, layout->ip);
	if (layout->tid) {
		ret->pid = (int32_t)sample_u32_at(raw, layout->tid);
		ret->tid = (int32_t)sample_u32_at(raw, layout->tid + 4u);
	}
	has_chain = layout->sample_type & PERF_SAMPLE_CALLCHAIN;
	ret->is_decoded_later = options->extras || layout->read || (has_chain && !layout->callchain) ||
				layout->sample_type & PERF_SAMPLE_STACK_USER;
	if (has_chain && layout->callchain) {
		uint64_t nr = raw->size >= layout->callchain + 8u ? sample_u64_at(raw, layout->callchain)
								  : UINT64_MAX;

		if (nr > (raw->size - layout->callchain - 8u) / 8u) {
			count_bad(sampler, offset);
			return false;
		}
		set_chain(sampler, ret, (const uint8_t *)raw + layout->callchain + 8, nr,
			  thread_slot(sampler, ret->pid, ret->tid, ret->time)->space);
		if (ret->chain)
			__builtin_prefetch(chain_slot(sampler, ret->hash));
	}
	return true;
}

void sampler_add(struct sampler *sampler, const struct record_header *raw, uint64_t offset)
{
	unsigned at = sampler->next_waiting % NR_WAITING;

	if (sampler->nr_waiting == NR_WAITING) {
		take(sampler, &sampler->waiting[at]);
		sampler->nr_waiting--;
	}
	if (!read_sample(sampler, raw, offset, &sampler->waiting[at]))
		return;
	sampler->next_waiting++;
	sampler->nr_waiting++;
}
