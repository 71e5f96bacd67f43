/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/script_printer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/data_src.h"
#include "base/arena.h"
#include "base/buf_fast.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/pool.h"
#include "elf/insn_length.h"
#include "record/record_text.h"
#include "record/sample_bits.h"
#include "record/sample_read.h"
#include "render/script_text.h"

/* Records a worker takes at a time: their text should stay in the cache of its core. */
#define RUN_RECORDS 128
/* Bytes of kept text after which a worker forgets everything. */
#define KEEP_MAX (24u << 20)

struct text {
	const char *data;
	uint32_t size;
};

/* What is worked out once for each event. */
struct plan {
	const struct recorded_event *event;
	struct script_style style;
	uint64_t fields;
	struct text name; /* "      cycles: " */
	const struct tracepoint_format *format;
	uint32_t frame_style; /* equal for events whose frames look alike */
	bool has_chain; /* callchains are printed */
	bool is_simple; /* only fields with fixed places, a callchain right behind them, and raw data behind that */
	bool has_raw;
	bool has_counts; /* PERF_SAMPLE_READ */
	bool is_addr_symbolic;
	bool needs_place; /* of the sample's ip, for filters */
	bool is_switch_on, is_switch_off;
	struct buf *dump; /* --per-event-dump */
};

/* A kept line of a frame. */
struct frame_slot {
	uint64_t addr;
	uint32_t key; /* space, style and mode */
	uint32_t size; /* 0: free */
	const char *data;
};

/* A kept task. */
struct task_slot {
	int32_t pid, tid;
	uint64_t from, until; /* when the facts hold; until 0: free */
	struct space_id space;
	const char *comm;
	struct text *heads; /* by plan */
	bool is_taken; /* by the task filters */
	/* The task's last callchain, while its text is still in the worker's buffer. */
	uint64_t last_run; /* run number + 1 */
	const uint8_t *last_words;
	uint32_t last_nr;
	uint32_t last_style;
	uint32_t last_end; /* where its text ends in the buffer */
	uint32_t *last_lines; /* for each word: where its line begins in the buffer << 3 | mode */
};

/* Longer callchains are not compared with the one before. */
#define LAST_WORDS_MAX 512

#define NR_TASK_SLOTS 1024

struct worker {
	struct printer *printer;
	struct buf out;
	struct buf scratch;
	struct arena kept;
	struct frame_slot *frames;
	uint32_t frame_mask, nr_frames;
	uint16_t *seen; /* by hash: tags of frames that have come once */
	struct buf once; /* lines of such frames in the current chain */
	struct task_slot *tasks;
	uint64_t run;
	uint64_t last_second; /* of the time stamp written last, and its text */
	char second_text[32];
	uint32_t second_size;
	struct tracepoint_resolver resolver;
	char resolved_name[512];
	struct sorted_record records[RUN_RECORDS];
	struct script_counts counts;
	bool is_stale; /* side-band has come since places were kept */
};

struct printer {
	const struct script_printer_config *config;
	struct plan *plans;
	uint32_t nr_plans;
	bool stop_by_symbol, filters_task, filters_place;
	/* Fetching. */
	pthread_mutex_t fetch_lock;
	uint64_t next_run;
	bool is_over;
	uint64_t last_time;
	/* Writing, in the order of runs. */
	pthread_mutex_t turn_lock;
	pthread_cond_t turn_changed;
	uint64_t turn; /* of the run to be written next */
	bool is_writing;
	struct {
		struct buf out;
		bool is_ready;
	} * waiting; /* finished runs, by their number modulo nr_waiting */
	unsigned nr_waiting;
	int error; /* of writing or fetching */
	struct err *err;
	/* With one worker only. */
	bool has_first_time;
	uint64_t first_time, previous_time;
	uint32_t data_src_width;
	bool is_off; /* between --switch-off and --switch-on */
	struct sample_read_memory reads;
};

/* ---- what is kept ------------------------------------------------------------------------------- */

#define FIRST_FRAMES 16384
#define NR_SEEN 65536

/*
 * Zeroed memory that is written right away: pages of calloc'ed memory that are read first and written later cost a
 * second fault and an interrupt of all other cores.
 */
static void *new_table(size_t nr, size_t size)
{
	void *table = xreallocarray(NULL, nr, size);

	memset(table, 0, nr * size);
	return table;
}

static void worker_forget(struct worker *worker)
{
	arena_release(&worker->kept);
	memset(worker->frames, 0, ((size_t)worker->frame_mask + 1) * sizeof(*worker->frames));
	memset(worker->tasks, 0, NR_TASK_SLOTS * sizeof(*worker->tasks));
	worker->nr_frames = 0;
}

static void worker_init(struct worker *worker, struct printer *printer)
{
	worker->printer = printer;
	worker->out = BUF_INIT;
	worker->scratch = BUF_INIT;
	worker->frame_mask = FIRST_FRAMES - 1;
	worker->frames = new_table(FIRST_FRAMES, sizeof(*worker->frames));
	worker->seen = new_table(NR_SEEN, sizeof(*worker->seen));
	worker->once = BUF_INIT;
	worker->tasks = new_table(NR_TASK_SLOTS, sizeof(*worker->tasks));
	worker->last_second = UINT64_MAX;
}

static void worker_release(struct worker *worker)
{
	buf_release(&worker->out);
	buf_release(&worker->scratch);
	arena_release(&worker->kept);
	buf_release(&worker->once);
	free(worker->frames);
	free(worker->seen);
	free(worker->tasks);
}

static struct text keep(struct worker *worker, const struct buf *buf)
{
	char *copy = arena_alloc(&worker->kept, buf->size + 1);

	if (buf->size)
		memcpy(copy, buf->data, buf->size);
	return (struct text){ copy, (uint32_t)buf->size };
}

static void grow_frames(struct worker *worker)
{
	struct frame_slot *old = worker->frames;
	uint32_t nr = worker->frame_mask + 1;

	worker->frame_mask = nr * 2 - 1;
	worker->frames = new_table((size_t)nr * 2, sizeof(*worker->frames));
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t pos;

		if (!old[i].size)
			continue;
		pos = (uint32_t)hash_pair(old[i].addr, old[i].key) & worker->frame_mask;
		while (worker->frames[pos].size)
			pos = (pos + 1) & worker->frame_mask;
		worker->frames[pos] = old[i];
	}
	free(old);
}

/* ---- tasks -------------------------------------------------------------------------------------- */

static void task_make(struct worker *worker, struct task_slot *task, int32_t pid, int32_t tid, uint64_t time)
{
	struct printer *printer = worker->printer;
	const struct script_printer_config *config = printer->config;
	struct machine_thread thread = machine_thread_at(config->machine, pid, tid, time);

	*task = (struct task_slot){
		.pid = pid, .tid = tid, .from = thread.from, .until = thread.until, .space = thread.space
	};
	if (thread.comm.v) {
		task->comm = intern_text(machine_strings(config->machine), thread.comm);
	} else {
		char text[24];
		int size = snprintf(text, sizeof(text), ":%d", tid);

		task->comm = arena_strndup(&worker->kept, text, (size_t)size);
	}
	task->heads = arena_zalloc(&worker->kept, printer->nr_plans * sizeof(*task->heads));
	task->is_taken = !printer->filters_task ||
			 script_filter_takes_task(config->filter, pid, tid, task->comm);
	if (task->until == task->from)
		task->until++;
}

static struct task_slot *task_at(struct worker *worker, int32_t pid, int32_t tid, uint64_t time)
{
	struct task_slot *task = &worker->tasks[hash_u64((uint32_t)tid) & (NR_TASK_SLOTS - 1)];

	if (task->tid != tid || task->pid != pid || time < task->from || time >= task->until || !task->until)
		task_make(worker, task, pid, tid, time);
	return task;
}

static inline void put_task(struct worker *worker, struct task_slot *task, const struct plan *plan)
{
	struct text *head = &task->heads[plan - worker->printer->plans];

	if (!head->data) {
		worker->scratch.size = 0;
		script_text_task(&worker->scratch, &plan->style, task->comm, task->pid, task->tid);
		*head = keep(worker, &worker->scratch);
	}
	buf_fast_put(&worker->out, head->data, head->size);
}

/* What is shown of a place, but for the address itself. */
#define PLACE_FIELDS \
	(SCRIPT_BIT(SYM) | SCRIPT_BIT(SYMOFF) | SCRIPT_BIT(DSO) | SCRIPT_BIT(DSOFF) | SCRIPT_BIT(SRCLINE))

/* ---- places ------------------------------------------------------------------------------------- */

/* How lines call a DSO: anonymous memory has a name for the code in it, which its data does not share. */
static const char *dso_text(const struct script_printer_config *config, const struct dso *dso, bool is_data)
{
	if (is_data && dso->kind == DSO_JIT && !strncmp(dso->path, "/tmp/perf-", 10))
		return "//anon";
	if (dso->kind == DSO_MODULE && !config->show_kernel_path)
		return dso->name;
	if (dso->kind == DSO_KERNEL && config->show_kernel_path && config->vmlinux)
		return config->vmlinux;
	return dso->path;
}

/* wanted: the fields that will be shown of it; what costs most is a symbol. */
static void place_of(struct worker *worker, struct space_id space, enum machine_mode mode, uint64_t addr,
		     uint64_t time, uint64_t wanted, bool is_data, struct script_place *place,
		     struct location *location)
{
	const struct script_printer_config *config = worker->printer->config;
	uint32_t index;

	*place = (struct script_place){ .addr = addr };
	if (!wanted || !machine_find(config->machine, space, mode, addr, time, location))
		return;
	const struct dso *dso = machine_dso(config->machine, location->dso);

	place->dso = dso_text(config, dso, is_data);
	place->has_dso_offset = dso->kind == DSO_FILE;
	place->dso_offset = location->offset;
	if (!(wanted & SCRIPT_BIT(SYM)))
		return;
	index = symbolizer_find(config->symbolizer, location->dso, location->offset);
	if (index == SYMBOL_NONE)
		return;
	place->name = symbolizer_name(config->symbolizer, location->dso, index);
	place->name_offset = symbolizer_vaddr(config->symbolizer, location->dso, location->offset) -
			     symbolizer_start(config->symbolizer, location->dso, index);
}

static const char *srcline_of(struct worker *worker, const struct script_place *place,
			      const struct location *location, struct buf *buf)
{
	if (!place->dso)
		return NULL;
	buf->size = 0;
	if (!symbolizer_srcline(worker->printer->config->symbolizer, location->dso, location->offset,
				worker->printer->config->full_source_path, buf)) {
		buf->size = 0;
		buf_str(buf, machine_dso(worker->printer->config->machine, location->dso)->name);
		buf_putc(buf, '[');
		buf_hex(buf, place->addr);
		buf_putc(buf, ']');
	}
	return buf_text(buf);
}

/* Makes the line of a frame in scratch; true when it may be kept. */
static bool make_frame(struct worker *worker, const struct plan *plan, struct space_id space,
		       enum machine_mode mode, uint64_t addr, uint64_t time)
{
	struct location location = { .is_stable = true };
	struct script_place place;
	struct buf srcline = BUF_INIT;

	place_of(worker, space, mode, addr, time, plan->fields & PLACE_FIELDS, false, &place, &location);
	worker->scratch.size = 0;
	script_text_frame(&worker->scratch, &plan->style, &place,
			  plan->fields & SCRIPT_BIT(SRCLINE) ? srcline_of(worker, &place, &location, &srcline)
							     : NULL);
	buf_release(&srcline);
	return location.is_stable;
}

static inline uint32_t frame_key(const struct plan *plan, struct space_id space, enum machine_mode mode)
{
	return (mode == MACHINE_MODE_KERNEL ? 0 : space.v) << 8 | plan->frame_style << 3 | mode;
}

/*
 * The line of a frame. It is kept when it comes for the second time: of the addresses in the stacks of code without
 * frame pointers, most come once. A line that is not kept has data NULL and is the next in worker->once.
 */
static struct text frame_line(struct worker *worker, const struct plan *plan, struct space_id space,
			      enum machine_mode mode, uint64_t addr, uint64_t time, bool *ret_stable)
{
	uint32_t key = frame_key(plan, space, mode);
	uint64_t hash = hash_pair(addr, key);
	uint32_t pos = (uint32_t)hash & worker->frame_mask;
	uint16_t *seen = &worker->seen[hash >> 32 & (NR_SEEN - 1)], tag = (uint16_t)(hash >> 48) | 1;
	struct frame_slot *slot;
	struct text text;

	for (; (slot = &worker->frames[pos])->size; pos = (pos + 1) & worker->frame_mask)
		if (slot->addr == addr && slot->key == key)
			return (struct text){ slot->data, slot->size };
	if (!make_frame(worker, plan, space, mode, addr, time)) {
		*ret_stable = false;
	} else if (*seen == tag) {
		text = keep(worker, &worker->scratch);
		*slot = (struct frame_slot){ addr, key, text.size, text.data };
		if (++worker->nr_frames > worker->frame_mask / 2)
			grow_frames(worker);
		return text;
	}
	*seen = tag;
	buf_put(&worker->once, worker->scratch.data, worker->scratch.size);
	return (struct text){ NULL, (uint32_t)worker->scratch.size };
}

/* A single line, without its first and last bytes. */
static void put_line(struct worker *worker, struct text line, uint32_t first, uint32_t last)
{
	buf_put(&worker->out, (line.data ? line.data : worker->once.data) + first, line.size - first - last);
	worker->once.size = 0;
}

static inline void frame_prefetch(const struct worker *worker, uint32_t key, uint64_t addr)
{
	__builtin_prefetch(&worker->frames[(uint32_t)hash_pair(addr, key) & worker->frame_mask]);
}

/* ---- callchains --------------------------------------------------------------------------------- */

static uint64_t chain_word(const uint8_t *words, uint64_t i)
{
	uint64_t word;

	memcpy(&word, words + i * 8, sizeof(word));
	return word;
}

/* The mode of the frames behind a context marker; -1: one that nobody knows, nothing behind it can be read. */
static int mode_of_marker(uint64_t marker)
{
	switch (marker) {
	case CALLCHAIN_HV:
		return MACHINE_MODE_HYPERVISOR;
	case CALLCHAIN_KERNEL:
		return MACHINE_MODE_KERNEL;
	case CALLCHAIN_USER:
		return MACHINE_MODE_USER;
	case CALLCHAIN_GUEST:
	case CALLCHAIN_GUEST_KERNEL:
		return MACHINE_MODE_GUEST_KERNEL;
	case CALLCHAIN_GUEST_USER:
		return MACHINE_MODE_GUEST_USER;
	default:
		return -1;
	}
}

static bool is_stop_symbol(const struct worker *worker, struct space_id space, enum machine_mode mode,
			   uint64_t addr, uint64_t time)
{
	const struct script_printer_config *config = worker->printer->config;
	struct location location;
	const char *name;
	uint32_t index;

	if (!machine_find(config->machine, space, mode, addr, time, &location))
		return false;
	index = symbolizer_find(config->symbolizer, location.dso, location.offset);
	if (index == SYMBOL_NONE)
		return false;
	name = symbolizer_name(config->symbolizer, location.dso, index);
	for (const char *const *stop = config->stop_symbols; *stop; stop++)
		if (!strcmp(*stop, name))
			return true;
	return false;
}

/*
 * How many words at the end of the chain are those of the task's last chain. Neighbouring samples of a task share
 * most of their callers, so all but the innermost lines are one copy from a little further up in the same buffer.
 */
static uint32_t shared_words(const struct worker *worker, const struct plan *plan,
			     const struct sample *sample, const struct task_slot *task)
{
	const uint8_t *new_end, *old_end;
	uint32_t nr = 0, most;

	if (task->last_run != worker->run + 1 || task->last_style != plan->frame_style)
		return 0;
	most = sample->nr_callchain < task->last_nr ? (uint32_t)sample->nr_callchain : task->last_nr;
	new_end = sample->callchain + sample->nr_callchain * 8;
	old_end = task->last_words + (size_t)task->last_nr * 8;
	while (nr < most && !memcmp(new_end - (size_t)(nr + 1) * 8, old_end - (size_t)(nr + 1) * 8, 8))
		nr++;
	return nr;
}

/* Copies the lines of the last chain's words from its word `from` on; their places go to lines. */
static void copy_callers(struct worker *worker, const struct task_slot *task, uint32_t from, uint32_t *lines)
{
	struct buf *out = &worker->out;
	uint32_t start = task->last_lines[from] >> 3, size = task->last_end - start;
	uint32_t moved = (uint32_t)out->size - start;

	if (size > out->room - out->size)
		buf_grow(out, size);
	memcpy(out->data + out->size, out->data + start, size);
	out->size += size;
	for (; from < task->last_nr; from++)
		*lines++ = task->last_lines[from] + (moved << 3);
}

/*
 * All frames of a chain, in three steps, so that the memory of many frames is fetched at once: where the lines are
 * kept is asked for, then they are looked up, then copied.
 */
static void put_chain(struct worker *worker, const struct plan *plan, const struct sample *sample,
		      struct task_slot *task)
{
	struct buf *out = &worker->out;
	uint32_t nr = (uint32_t)sample->nr_callchain;
	uint32_t first_shared = nr - shared_words(worker, plan, sample, task), old_shift = task->last_nr - nr;
	int mode = sample->misc & RECORD_CPUMODE_MASK;
	uint32_t lines[LAST_WORDS_MAX];
	struct text texts[LAST_WORDS_MAX];
	bool is_stable = true;
	uint32_t i, nr_own, once = 0;

	for (i = 0, nr_own = 0; i < first_shared; i++) {
		uint64_t addr = chain_word(sample->callchain, i);

		if (addr < CALLCHAIN_MAX)
			frame_prefetch(worker, frame_key(plan, task->space, (enum machine_mode)mode), addr);
		else if (mode_of_marker(addr) >= 0)
			mode = mode_of_marker(addr);
	}
	mode = sample->misc & RECORD_CPUMODE_MASK;
	for (i = 0; i < nr; i++, nr_own++) {
		uint64_t addr = chain_word(sample->callchain, i);

		if (i >= first_shared && (task->last_lines[i + old_shift] & 7) == (uint32_t)mode)
			break;
		lines[i] = (uint32_t)mode;
		texts[i] = (struct text){ NULL, 0 };
		if (addr >= CALLCHAIN_MAX) {
			mode = mode_of_marker(addr);
			if (mode >= 0)
				continue;
			worker->counts.nr_deferred += addr == CALLCHAIN_USER_DEFERRED;
			is_stable = false;
			nr = i;
			break;
		}
		texts[i] = frame_line(worker, plan, task->space, (enum machine_mode)mode, addr,
				      sample->id.time, &is_stable);
		if (texts[i].data)
			__builtin_prefetch(texts[i].data);
	}
	for (i = 0; i < nr_own; i++) {
		lines[i] |= (uint32_t)out->size << 3;
		if (texts[i].data) {
			buf_put(out, texts[i].data, texts[i].size);
		} else if (texts[i].size) {
			buf_put(out, worker->once.data + once, texts[i].size);
			once += texts[i].size;
		}
	}
	worker->once.size = 0;
	if (nr_own < nr)
		copy_callers(worker, task, nr_own + old_shift, &lines[nr_own]);
	task->last_run = 0;
	if (!is_stable || out->size >= UINT32_MAX >> 3)
		return;
	if (!task->last_lines)
		task->last_lines = arena_alloc(&worker->kept, LAST_WORDS_MAX * sizeof(*task->last_lines));
	memcpy(task->last_lines, lines, nr * sizeof(*lines));
	task->last_run = worker->run + 1;
	task->last_words = sample->callchain;
	task->last_nr = nr;
	task->last_style = plan->frame_style;
	task->last_end = (uint32_t)out->size;
}

/* The same with a limit on the number of frames, or functions to stop at, or more words than are usual. */
static void put_some_frames(struct worker *worker, const struct plan *plan, const struct sample *sample,
			    struct space_id space)
{
	int mode = sample->misc & RECORD_CPUMODE_MASK;
	uint32_t left = worker->printer->config->max_stack;
	bool is_stable;

	for (uint64_t i = 0; i < sample->nr_callchain && left; i++) {
		uint64_t addr = chain_word(sample->callchain, i);

		if (addr >= CALLCHAIN_MAX) {
			mode = mode_of_marker(addr);
			if (mode < 0)
				break;
			continue;
		}
		put_line(worker,
			 frame_line(worker, plan, space, (enum machine_mode)mode, addr, sample->id.time,
				    &is_stable),
			 0, 0);
		left--;
		if (worker->printer->stop_by_symbol &&
		    is_stop_symbol(worker, space, (enum machine_mode)mode, addr, sample->id.time))
			break;
	}
}

/* ---- samples ------------------------------------------------------------------------------------ */

static void put_time(struct worker *worker, const struct plan *plan, uint64_t time)
{
	struct printer *printer = worker->printer;
	struct buf *out = &worker->out;
	uint64_t second, rest;

	if (printer->config->is_relative || printer->config->is_delta) {
		uint64_t now = time;

		if (!printer->has_first_time) {
			printer->first_time = printer->previous_time = time;
			printer->has_first_time = true;
		}
		time = now - (printer->config->is_delta ? printer->previous_time : printer->first_time);
		printer->previous_time = now;
	}
	second = time / 1000000000;
	rest = time % 1000000000;
	if (second != worker->last_second) {
		worker->scratch.size = 0;
		buf_u64_right(&worker->scratch, second, 5);
		buf_putc(&worker->scratch, '.');
		memcpy(worker->second_text, worker->scratch.data, worker->scratch.size);
		worker->second_size = (uint32_t)worker->scratch.size;
		worker->last_second = second;
	}
	buf_fast_put(out, worker->second_text, worker->second_size);
	if (plan->style.is_ns)
		buf_fast_zero(out, rest, 9);
	else
		buf_fast_zero(out, rest / 1000, 6);
	buf_put(out, ": ", 2);
}

/* Who, where and when: what samples and other records have in common. */
static void put_head(struct worker *worker, const struct plan *plan, struct task_slot *task,
		     const struct record_id *id, uint32_t type, uint16_t misc)
{
	uint64_t fields = plan->fields;
	char letters[8];

	put_task(worker, task, plan);
	if (fields & SCRIPT_BIT(CPU)) {
		if ((uint32_t)id->cpu < 1000 && !plan->style.is_latency) {
			buf_putc(&worker->out, '[');
			buf_fast_zero(&worker->out, (uint32_t)id->cpu, 3);
			buf_put(&worker->out, "] ", 2);
		} else {
			script_text_cpu(&worker->out, &plan->style, id->cpu);
		}
	}
	if (fields & SCRIPT_BIT(MISC)) {
		record_text_misc(type, misc, letters);
		script_text_misc(&worker->out, letters);
	}
	if (fields & SCRIPT_BIT(TOD) && worker->printer->config->clock) {
		const struct perfdata_clock *clock = worker->printer->config->clock;

		script_text_tod(&worker->out, &plan->style,
				clock->wall_time + (id->time - clock->clock_time));
	}
	if (fields & SCRIPT_BIT(TIME))
		put_time(worker, plan, id->time);
}

static void put_data_src(struct worker *worker, uint64_t data_src)
{
	struct printer *printer = worker->printer;
	size_t start;
	uint32_t size;

	buf_hex_right(&worker->out, data_src, 16);
	buf_putc(&worker->out, ' ');
	start = worker->out.size;
	data_src_print(data_src, &worker->out);
	size = (uint32_t)(worker->out.size - start);
	if (size > printer->data_src_width)
		printer->data_src_width = size;
	buf_fill(&worker->out, ' ', printer->data_src_width - size);
}

static void put_memory(struct worker *worker, const struct plan *plan, const struct sample *sample,
		       const struct task_slot *task)
{
	uint64_t fields = plan->fields;
	bool is_struct = plan->event->attr.sample_type & SAMPLE_WEIGHT_STRUCT;
	struct script_place place = { .addr = sample->addr };
	struct location location;

	if (fields & SCRIPT_BIT(ADDR)) {
		if (plan->is_addr_symbolic)
			place_of(worker, task->space,
				 sample->addr >> 63 ? MACHINE_MODE_KERNEL : MACHINE_MODE_USER, sample->addr,
				 sample->id.time, fields & PLACE_FIELDS, true, &place, &location);
		script_text_addr(&worker->out, &plan->style, &place, plan->is_addr_symbolic);
	}
	if (fields & SCRIPT_BIT(DATA_SRC))
		put_data_src(worker, sample->data_src);
	/* PERF_SAMPLE_WEIGHT_STRUCT: 32 bits of weight, 16 of the instruction's latency, 16 of its retiring. */
	if (fields & SCRIPT_BIT(WEIGHT))
		buf_u64_right(&worker->out, is_struct ? (uint32_t)sample->weight : sample->weight, 16);
	if (fields & SCRIPT_BIT(INS_LAT))
		buf_u64_right(&worker->out, is_struct ? sample->weight >> 32 & 0xffff : 0, 16);
	if (fields & SCRIPT_BIT(RETIRE_LAT))
		buf_u64_right(&worker->out, is_struct ? sample->weight >> 48 : 0, 16);
}

static void put_cgroup(struct worker *worker, uint64_t id)
{
	const char *path = machine_cgroup(worker->printer->config->machine, id);

	buf_putc(&worker->out, ' ');
	buf_str(&worker->out, path ? path : "unknown");
}

static void put_place(struct worker *worker, const struct plan *plan, const struct sample *sample,
		      struct task_slot *task)
{
	bool is_stable = true;
	struct text line;

	if (plan->has_chain) {
		buf_putc(&worker->out, '\n');
		if (worker->printer->config->max_stack == UINT32_MAX && !worker->printer->stop_by_symbol &&
		    sample->nr_callchain <= LAST_WORDS_MAX)
			put_chain(worker, plan, sample, task);
		else
			put_some_frames(worker, plan, sample, task->space);
		return;
	}
	/* The same text as a frame's, but for the tab in front and the newline behind. */
	line = frame_line(worker, plan, task->space, (enum machine_mode)(sample->misc & RECORD_CPUMODE_MASK),
			  sample->ip, sample->id.time, &is_stable);
	buf_putc(&worker->out, ' ');
	put_line(worker, line, 1, 1);
}

static void put_branches(struct worker *worker, const struct plan *plan, const struct sample *sample,
			 const struct task_slot *task)
{
	enum script_field field = plan->fields & SCRIPT_BIT(BRSTACK)	  ? SCRIPT_BRSTACK
				  : plan->fields & SCRIPT_BIT(BRSTACKSYM) ? SCRIPT_BRSTACKSYM
									  : SCRIPT_BRSTACKOFF;
	bool needs_places = field != SCRIPT_BRSTACK || plan->fields & SCRIPT_BIT(DSO);

	for (uint64_t i = 0; i < sample->nr_branches; i++) {
		struct script_branch branch = { 0 };
		uint64_t entry[3];

		memcpy(entry, sample->branches + i * sizeof(entry), sizeof(entry));
		branch.from.addr = entry[0];
		branch.to.addr = entry[1];
		branch.flags = entry[2];
		for (unsigned end = 0; needs_places && end < 2; end++) {
			struct script_place *place = end ? &branch.to : &branch.from;
			bool is_kernel = place->addr >> 63;
			struct location location;

			place_of(worker, task->space, is_kernel ? MACHINE_MODE_KERNEL : MACHINE_MODE_USER,
				 place->addr, sample->id.time, PLACE_FIELDS, false, place, &location);
		}
		script_text_branch(&worker->out, &plan->style, field, &branch);
	}
}

static bool resolve_name(void *context, uint64_t addr, const char **ret_name, uint64_t *ret_start)
{
	struct worker *worker = context;
	struct script_place place;
	struct location location;

	place_of(worker, (struct space_id){ 0 }, MACHINE_MODE_KERNEL, addr, UINT64_MAX - 1, PLACE_FIELDS,
		 false, &place, &location);
	if (!place.name)
		return false;
	*ret_name = place.name;
	*ret_start = addr - place.name_offset;
	return true;
}

/* The instruction that the sample was taken at, from the file. */
static void put_insn(struct worker *worker, const struct plan *plan, const struct sample *sample,
		     const struct task_slot *task)
{
	const struct script_printer_config *config = worker->printer->config;
	struct span code = { 0 };
	struct location location;

	if (machine_find(config->machine, task->space,
			 (enum machine_mode)(sample->misc & RECORD_CPUMODE_MASK), sample->ip, sample->id.time,
			 &location))
		code = symbolizer_code(config->symbolizer, location.dso, location.offset);
	if (config->arch == SCRIPT_ARCH_X86)
		code.size = insn_length_x86(code, config->is_64bit);
	else if (config->arch == SCRIPT_ARCH_ARM64 && code.size >= 4)
		code.size = 4;
	else
		code.size = 0;
	if (plan->fields & SCRIPT_BIT(INSNLEN)) {
		buf_str(&worker->out, " ilen: ");
		buf_u64(&worker->out, code.size);
	}
	if (plan->fields & SCRIPT_BIT(INSN) && code.size)
		script_text_insn(&worker->out, code);
}

static void put_rest(struct worker *worker, const struct plan *plan, const struct sample *sample,
		     const struct task_slot *task)
{
	struct buf *out = &worker->out;
	uint64_t fields = plan->fields;
	enum script_arch arch = worker->printer->config->arch;

	if (fields & SCRIPT_BIT(IREGS))
		script_text_regs(out, &(struct script_regs){ sample->regs_intr.abi, sample->regs_intr.mask,
							     sample->regs_intr.values, arch });
	if (fields & SCRIPT_BIT(UREGS))
		script_text_regs(out, &(struct script_regs){ sample->regs_user.abi, sample->regs_user.mask,
							     sample->regs_user.values, arch });
	if (fields & (SCRIPT_BIT(BRSTACK) | SCRIPT_BIT(BRSTACKSYM) | SCRIPT_BIT(BRSTACKOFF)))
		put_branches(worker, plan, sample, task);
	if (fields & SCRIPT_BIT(BPF_OUTPUT))
		script_text_bpf_output(out, sample->raw_data);
	if (fields & (SCRIPT_BIT(INSN) | SCRIPT_BIT(INSNLEN)))
		put_insn(worker, plan, sample, task);
	if (fields & SCRIPT_BIT(PHYS_ADDR))
		buf_hex_right(out, sample->phys_addr, 16);
	if (fields & SCRIPT_BIT(DATA_PAGE_SIZE))
		script_text_page_size(out, sample->data_page_size);
	if (fields & SCRIPT_BIT(CODE_PAGE_SIZE))
		script_text_page_size(out, sample->code_page_size);
}

#define MEMORY_FIELDS \
	(SCRIPT_BIT(ADDR) | SCRIPT_BIT(DATA_SRC) | SCRIPT_BIT(WEIGHT) | SCRIPT_BIT(INS_LAT) | \
	 SCRIPT_BIT(RETIRE_LAT))
#define REST_FIELDS \
	(SCRIPT_BIT(IREGS) | SCRIPT_BIT(UREGS) | SCRIPT_BIT(BRSTACK) | SCRIPT_BIT(BRSTACKSYM) | \
	 SCRIPT_BIT(BRSTACKOFF) | SCRIPT_BIT(BPF_OUTPUT) | SCRIPT_BIT(INSN) | SCRIPT_BIT(INSNLEN) | \
	 SCRIPT_BIT(PHYS_ADDR) | SCRIPT_BIT(DATA_PAGE_SIZE) | SCRIPT_BIT(CODE_PAGE_SIZE))

static void put_sample(struct worker *worker, const struct plan *plan, const struct sample *sample,
		       struct task_slot *task)
{
	struct buf *out = &worker->out;
	uint64_t fields = plan->fields;

	put_head(worker, plan, task, &sample->id, RECORD_SAMPLE, sample->misc);
	if (fields & SCRIPT_BIT(PERIOD)) {
		buf_fast_u64_right(out, sample->period, 10);
		buf_putc(out, ' ');
	}
	if (fields & SCRIPT_BIT(EVENT))
		buf_fast_put(out, plan->name.data, plan->name.size);
	if (fields & SCRIPT_BIT(FLAGS))
		buf_fill(out, ' ', 24); /* only decoded instruction traces have flags */
	if (fields & SCRIPT_BIT(TRACE) && plan->format && sample->raw_data.size)
		tracepoint_format_print(plan->format, sample->raw_data, &worker->resolver, out);
	if (fields & MEMORY_FIELDS)
		put_memory(worker, plan, sample, task);
	if (fields & SCRIPT_BIT(CGROUP))
		put_cgroup(worker, sample->cgroup);
	if (fields & SCRIPT_BIT(IP))
		put_place(worker, plan, sample, task);
	if (fields & REST_FIELDS)
		put_rest(worker, plan, sample, task);
	buf_putc(out, '\n');
}

static void decode_raw(const struct sample_layout *layout, const struct record_header *raw,
		       struct sample *sample)
{
	size_t start = layout->callchain ? layout->callchain + 8u + sample->nr_callchain * 8
					 : layout->fixed_size,
	       size;

	sample->raw_data = (struct span){ (const uint8_t *)raw, 0 };
	if (start + 4 > raw->size)
		return;
	size = sample_u32_at(raw, (unsigned)start);
	if (size > raw->size - start - 4)
		size = raw->size - start - 4;
	sample->raw_data = (struct span){ (const uint8_t *)raw + start + 4, size };
}

/* Everything that has a fixed place, without the cost of the rest. */
static void decode_simple(const struct plan *plan, const struct record_header *raw, uint64_t offset,
			  struct sample *sample)
{
	const struct sample_layout *layout = &plan->event->layout;

	sample->raw = raw;
	sample->offset = offset;
	sample->misc = raw->misc;
	sample->ip = layout->ip ? sample_u64_at(raw, layout->ip) : 0;
	sample->id.pid = layout->tid ? (int32_t)sample_u32_at(raw, layout->tid) : -1;
	sample->id.tid = layout->tid ? (int32_t)sample_u32_at(raw, layout->tid + 4u) : -1;
	sample->id.time = layout->time ? sample_u64_at(raw, layout->time) : RECORD_NO_TIME;
	sample->id.cpu = layout->cpu ? (int32_t)sample_u32_at(raw, layout->cpu) : -1;
	sample->period = layout->period ? sample_u64_at(raw, layout->period)
					: plan->event->attr.sample_period;
	sample->nr_callchain = 0;
	if (layout->callchain) {
		uint64_t room = (raw->size - layout->callchain - 8u) / 8;

		sample->nr_callchain = sample_u64_at(raw, layout->callchain);
		if (sample->nr_callchain > room)
			sample->nr_callchain = room;
		sample->callchain = (const uint8_t *)raw + layout->callchain + 8;
	}
	if (plan->has_raw)
		decode_raw(layout, raw, sample);
}

static void count_bad(struct worker *worker, uint64_t offset)
{
	if (!worker->counts.nr_bad++ || offset < worker->counts.first_bad_offset)
		worker->counts.first_bad_offset = offset;
}

static bool decode_sample(struct worker *worker, const struct plan *plan, const struct sorted_record *record,
			  struct sample *sample)
{
	const struct sample_layout *layout = &plan->event->layout;

	if (plan->is_simple && record->raw->size >= layout->fixed_size + (layout->callchain ? 8u : 0u)) {
		decode_simple(plan, record->raw, record->offset, sample);
		return true;
	}
	if (sample_decode(layout, record->raw, record->offset, sample) < 0) {
		count_bad(worker, record->offset);
		return false;
	}
	if (!layout->period)
		sample->period = plan->event->attr.sample_period;
	return true;
}

static bool takes_place(struct worker *worker, const struct sample *sample, const struct task_slot *task)
{
	const struct script_printer_config *config = worker->printer->config;
	struct location location = { 0 };
	struct script_place place;
	const struct dso *dso;

	place_of(worker, task->space, (enum machine_mode)(sample->misc & RECORD_CPUMODE_MASK), sample->ip,
		 sample->id.time, PLACE_FIELDS, false, &place, &location);
	dso = machine_dso(config->machine, location.dso);
	return script_filter_takes_place(config->filter, sample->ip, place.dso, dso->name, place.name);
}

/* --switch-on and --switch-off; true when the sample is to be shown. */
static bool takes_switch(struct printer *printer, const struct plan *plan)
{
	if (plan->is_switch_off && !printer->is_off) {
		printer->is_off = true;
		return printer->config->show_switches;
	}
	if (plan->is_switch_on && printer->is_off) {
		printer->is_off = false;
		return printer->config->show_switches;
	}
	return !printer->is_off;
}

/* A sample as one of its events sees it. */
static void deliver_sample(struct worker *worker, uint32_t event, const struct sample *sample)
{
	struct printer *printer = worker->printer;
	const struct script_printer_config *config = printer->config;
	const struct plan *plan = &printer->plans[event];
	struct task_slot *task;

	if (!plan->fields)
		return;
	if ((config->switch_on || config->switch_off) && !takes_switch(printer, plan))
		return;
	if (!script_filter_takes_time(config->filter, sample->id.time) ||
	    !script_filter_takes_cpu(config->filter, sample->id.cpu))
		return;
	task = task_at(worker, sample->id.pid, sample->id.tid, sample->id.time);
	if (!task->is_taken || (printer->filters_place && !takes_place(worker, sample, task)))
		return;
	worker->counts.nr_samples++;
	if (plan->event->attr.sample_type & SAMPLE_STACK_USER)
		worker->counts.nr_raw_dumps++;
	put_sample(worker, plan, sample, task);
	if (plan->dump) {
		struct script_event *dumped = &config->event_styles[event];

		dumped->nr_dumped++;
		dumped->dump_size += worker->out.size;
		buf_put(plan->dump, worker->out.data, worker->out.size);
		worker->out.size = 0;
		task->last_run = 0;
	}
}

/* A sample that carries counts stands for those of its group that have grown, each by as much as it has. */
static void deliver_counts(struct worker *worker, const struct plan *plan, struct sample *sample)
{
	const struct script_printer_config *config = worker->printer->config;
	int32_t tid = plan->event->attr.flags & ATTR_INHERIT ? sample->id.tid : 0;
	struct sample_read read;

	if (sample_read_decode(sample->read, plan->event->layout.read_format, &read) < 0) {
		count_bad(worker, sample->offset);
		return;
	}
	for (uint64_t i = 0; i < read.nr; i++) {
		struct sample_read_value value = sample_read_value(&read, i);
		uint32_t event = (uint32_t)(plan - worker->printer->plans);

		if (read.has_id)
			event = event_table_find_id(config->events, value.id);
		if (event == HASH_NONE)
			continue;
		sample->period = sample_read_memory_delta(&worker->printer->reads, value.id, tid,
							  value.value);
		if (sample->period)
			deliver_sample(worker, event, sample);
	}
}

static void print_sample(struct worker *worker, const struct sorted_record *record)
{
	const struct plan *plan;
	struct sample sample;

	if (record->event == HASH_NONE) {
		worker->counts.nr_unknown++;
		return;
	}
	plan = &worker->printer->plans[record->event];
	if ((!plan->fields && !plan->has_counts) || !decode_sample(worker, plan, record, &sample))
		return;
	if (worker->is_stale) {
		worker_forget(worker);
		worker->is_stale = false;
	}
	if (plan->has_counts)
		deliver_counts(worker, plan, &sample);
	else
		deliver_sample(worker, record->event, &sample);
}

/* ---- other records ------------------------------------------------------------------------------ */

/* Whose comm a record's line shows: the task it speaks of. */
static int32_t subject_of(const struct record *record, int32_t *ret_pid)
{
	*ret_pid = record->id.pid;
	switch (record->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		*ret_pid = record->mmap.pid;
		return record->mmap.tid;
	case RECORD_COMM:
		*ret_pid = record->comm.pid;
		return record->comm.tid;
	case RECORD_FORK:
	case RECORD_EXIT:
		*ret_pid = record->task.pid;
		return record->task.tid;
	case RECORD_NAMESPACES:
		*ret_pid = record->namespaces.pid;
		return record->namespaces.tid;
	default:
		return record->id.tid;
	}
}

static void print_record(struct worker *worker, const struct record *record)
{
	struct printer *printer = worker->printer;
	const struct script_printer_config *config = printer->config;
	uint32_t event = record->id.id ? event_table_find_id(config->events, record->id.id) : 0;
	struct record_id id = record->id;
	struct task_slot task = { 0 };
	struct text *heads;
	int32_t pid, tid;

	if (event == HASH_NONE || event >= printer->nr_plans)
		event = 0;
	if (id.time == RECORD_NO_TIME)
		id.time = 0;
	if (!script_filter_takes_cpu(config->filter, id.cpu))
		return;
	tid = subject_of(record, &pid);
	task_make(worker, &task, pid, tid, id.time);
	/* The line shows the subject's comm, but the pid and tid of the task that was running. */
	heads = task.heads;
	memset(heads, 0, printer->nr_plans * sizeof(*heads));
	task.pid = id.pid;
	task.tid = id.tid;
	put_head(worker, &printer->plans[event], &task, &id, record->type, record->misc);
	record_text_print(record, &worker->out);
	buf_putc(&worker->out, '\n');
}

static void take_record(struct worker *worker, const struct sorted_record *item)
{
	const struct script_printer_config *config = worker->printer->config;
	uint32_t type = item->raw->type;
	bool is_shown = type < 64 && config->show >> type & 1;
	struct record record;

	if (type == RECORD_FINISHED_ROUND && config->show_rounds)
		buf_str(&worker->out, "PERF_RECORD_FINISHED_ROUND\n");
	if (!is_shown && type != RECORD_LOST && type != RECORD_LOST_SAMPLES &&
	    !(config->is_streaming && record_type_is_sideband(type)))
		return;
	if (record_decode(item->raw, config->events->trailer_type, item->offset, &record) < 0) {
		count_bad(worker, item->offset);
		return;
	}
	if (config->is_streaming && record_type_is_sideband(type)) {
		machine_apply(config->machine, &record);
		worker->is_stale = true;
	}
	if (type == RECORD_LOST || type == RECORD_LOST_SAMPLES) {
		worker->counts.nr_lost += record.lost.lost;
		worker->counts.nr_lost_places++;
	}
	if (is_shown)
		print_record(worker, &record);
}

/* ---- workers ------------------------------------------------------------------------------------ */

static int fetch(struct worker *worker, uint64_t *ret_run)
{
	struct printer *printer = worker->printer;
	int nr = 0;

	pthread_mutex_lock(&printer->fetch_lock);
	if (!printer->is_over) {
		if (!printer->config->is_stable)
			sorter_release(printer->config->sorter);
		nr = sorter_next(printer->config->sorter, worker->records, RUN_RECORDS, printer->err);
		*ret_run = printer->next_run++;
		if (nr <= 0)
			printer->is_over = true;
		if (nr < 0)
			printer->error = nr;
		for (int i = 0; printer->config->check_order && i < nr; i++) {
			if (worker->records[i].time == RECORD_NO_TIME)
				continue;
			if (worker->records[i].time < printer->last_time)
				worker->counts.nr_misordered++;
			printer->last_time = worker->records[i].time;
		}
	}
	pthread_mutex_unlock(&printer->fetch_lock);
	return nr;
}

/* Writes what is due, and what became due meanwhile. The lock is held, but for the writing itself. */
static void write_due(struct printer *printer)
{
	printer->is_writing = true;
	while (printer->waiting[printer->turn % printer->nr_waiting].is_ready) {
		struct buf *out = &printer->waiting[printer->turn % printer->nr_waiting].out;
		int ret = 0;

		if (!printer->error && out->size) {
			pthread_mutex_unlock(&printer->turn_lock);
			ret = file_write_all(printer->config->fd, out->data, out->size);
			pthread_mutex_lock(&printer->turn_lock);
		}
		if (ret < 0 && !printer->error)
			printer->error = err_errno(printer->err, ret, "writing the output");
		out->size = 0;
		printer->waiting[printer->turn % printer->nr_waiting].is_ready = false;
		printer->turn++;
		pthread_cond_broadcast(&printer->turn_changed);
	}
	printer->is_writing = false;
}

/* Hands the worker's text over to be written in its turn; the worker goes on with an empty buffer. */
static bool write_turn(struct worker *worker, uint64_t run)
{
	struct printer *printer = worker->printer;
	struct buf empty;
	bool go_on;

	pthread_mutex_lock(&printer->turn_lock);
	while (run - printer->turn >= printer->nr_waiting)
		pthread_cond_wait(&printer->turn_changed, &printer->turn_lock);
	empty = printer->waiting[run % printer->nr_waiting].out;
	printer->waiting[run % printer->nr_waiting].out = worker->out;
	printer->waiting[run % printer->nr_waiting].is_ready = true;
	worker->out = empty;
	if (!printer->is_writing)
		write_due(printer);
	go_on = !printer->error;
	pthread_mutex_unlock(&printer->turn_lock);
	return go_on;
}

static void stop_fetching(struct printer *printer)
{
	pthread_mutex_lock(&printer->fetch_lock);
	printer->is_over = true;
	pthread_mutex_unlock(&printer->fetch_lock);
}

static void work(void *context, unsigned number, size_t i)
{
	struct worker *worker = &((struct worker *)context)[i];
	uint64_t run;
	int nr;

	(void)number;
	while ((nr = fetch(worker, &run)) > 0) {
		worker->run = run;
		for (int at = 0; at < nr; at++) {
			if (worker->printer->config->dump)
				record_dump_record(worker->printer->config->dump, &worker->records[at],
						   &worker->out);
			if (worker->records[at].raw->type == RECORD_SAMPLE)
				print_sample(worker, &worker->records[at]);
			else
				take_record(worker, &worker->records[at]);
		}
		if (!write_turn(worker, run))
			stop_fetching(worker->printer);
		if (worker->kept.size > KEEP_MAX)
			worker_forget(worker);
	}
}

/* ---- plans -------------------------------------------------------------------------------------- */

static bool is_data_event(const struct event_attr *attr)
{
	/* Software page faults (2 PAGE_FAULTS, 5 MIN, 6 MAJ): their address is one of the program. */
	return attr->type == SCRIPT_KIND_SOFTWARE &&
	       (attr->config == 2 || attr->config == 5 || attr->config == 6);
}

static int open_dump(struct plan *plan, const char *name, struct err *err)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		return err_errno(err, -errno, "%s", name);
	plan->dump = xmalloc(sizeof(*plan->dump));
	buf_init(plan->dump, fd);
	return 0;
}

static int make_plan(struct printer *printer, uint32_t i, unsigned width, struct arena *arena)
{
	const struct script_printer_config *config = printer->config;
	const struct recorded_event *event = &config->events->events.items[i];
	const struct event_attr *attr = &event->attr;
	struct plan *plan = &printer->plans[i];
	struct buf name = BUF_INIT;

	plan->event = event;
	plan->style = config->event_styles[i].style;
	plan->fields = plan->style.fields;
	script_text_event(&name, event->name, width);
	plan->name = (struct text){ arena_memdup(arena, name.data, name.size), (uint32_t)name.size };
	buf_release(&name);
	if (plan->fields & SCRIPT_BIT(TRACE) && config->formats && attr->type == SCRIPT_KIND_TRACEPOINT)
		plan->format = tracepoint_format_find(config->formats, attr->config);
	plan->has_chain = plan->style.has_chains && plan->fields & SCRIPT_BIT(IP);
	plan->is_addr_symbolic = is_data_event(attr);
	plan->is_simple = !(plan->fields & (MEMORY_FIELDS | REST_FIELDS | SCRIPT_BIT(CGROUP))) &&
			  (!plan->has_chain || event->layout.callchain) &&
			  (!(plan->fields & SCRIPT_BIT(TRACE)) || !(attr->sample_type & SAMPLE_READ));
	plan->has_counts = attr->sample_type & SAMPLE_READ;
	plan->is_simple &= !plan->has_counts;
	plan->has_raw = plan->fields & SCRIPT_BIT(TRACE) && attr->sample_type & SAMPLE_RAW;
	plan->is_switch_on = config->switch_on && !strcmp(config->switch_on, event->name);
	plan->is_switch_off = config->switch_off && !strcmp(config->switch_off, event->name);
	plan->frame_style = i;
	for (uint32_t other = 0; other < i; other++) {
		if ((printer->plans[other].fields & PLACE_FIELDS) == (plan->fields & PLACE_FIELDS)) {
			plan->frame_style = printer->plans[other].frame_style;
			break;
		}
	}
	if (plan->frame_style > 31)
		plan->frame_style = 31; /* cannot be: there are 32 sets of these fields */
	return config->event_styles[i].dump_name
		       ? open_dump(plan, config->event_styles[i].dump_name, printer->err)
		       : 0;
}

static int make_plans(struct printer *printer, struct arena *arena)
{
	const struct script_printer_config *config = printer->config;
	unsigned width = 0;
	int ret = 0;

	printer->nr_plans = (uint32_t)config->events->events.nr;
	printer->plans = xcalloc(printer->nr_plans + 1u, sizeof(*printer->plans));
	for (uint32_t i = 0; i < printer->nr_plans; i++) {
		unsigned size = (unsigned)strlen(config->events->events.items[i].name);

		width = size > width ? size : width;
	}
	for (uint32_t i = 0; i < printer->nr_plans && !ret; i++)
		ret = make_plan(printer, i, width, arena);
	return ret;
}

static int close_dumps(struct printer *printer, int ret)
{
	for (uint32_t i = 0; i < printer->nr_plans; i++) {
		struct buf *dump = printer->plans[i].dump;
		int failed;

		if (!dump)
			continue;
		failed = buf_flush(dump);
		if (failed && !ret)
			ret = err_errno(printer->err, failed, "%s",
					printer->config->event_styles[i].dump_name);
		close(dump->fd);
		buf_release(dump);
		free(dump);
	}
	return ret;
}

static void add_counts(struct script_counts *counts, const struct script_counts *more)
{
	if (more->nr_bad && (!counts->nr_bad || more->first_bad_offset < counts->first_bad_offset))
		counts->first_bad_offset = more->first_bad_offset;
	counts->nr_samples += more->nr_samples;
	counts->nr_bad += more->nr_bad;
	counts->nr_unknown += more->nr_unknown;
	counts->nr_misordered += more->nr_misordered;
	counts->nr_raw_dumps += more->nr_raw_dumps;
	counts->nr_deferred += more->nr_deferred;
	counts->nr_lost += more->nr_lost;
	counts->nr_lost_places += more->nr_lost_places;
}

/* What needs the lines one after the other. */
static bool needs_one_worker(const struct printer *printer)
{
	const struct script_printer_config *config = printer->config;

	if (!config->is_stable || config->dump || config->is_streaming || config->is_relative ||
	    config->is_delta || config->switch_on || config->switch_off)
		return true;
	for (uint32_t i = 0; i < printer->nr_plans; i++)
		if (printer->plans[i].fields & SCRIPT_BIT(DATA_SRC) || printer->plans[i].dump ||
		    printer->plans[i].has_counts)
			return true;
	return false;
}

int script_printer_run(const struct script_printer_config *config, struct script_counts *ret_counts,
		       struct err *err)
{
	struct printer printer = { .config = config, .err = err, .is_off = config->switch_on != NULL };
	struct arena arena = { 0 };
	struct worker *workers;
	unsigned nr_workers;
	int ret;

	*ret_counts = (struct script_counts){ 0 };
	printer.stop_by_symbol = config->stop_symbols && config->stop_symbols[0];
	printer.filters_task = config->filter->by_comm || config->filter->by_pid || config->filter->by_tid;
	printer.filters_place = config->filter->by_dso || config->filter->by_symbol;
	pthread_mutex_init(&printer.fetch_lock, NULL);
	pthread_mutex_init(&printer.turn_lock, NULL);
	pthread_cond_init(&printer.turn_changed, NULL);
	sample_read_memory_init(&printer.reads);
	ret = make_plans(&printer, &arena);
	if (!ret) {
		nr_workers = needs_one_worker(&printer) ? 1 : config->nr_workers;
		workers = xcalloc(nr_workers, sizeof(*workers));
		printer.nr_waiting = nr_workers * 4;
		printer.waiting = xcalloc(printer.nr_waiting, sizeof(*printer.waiting));
		for (unsigned i = 0; i < printer.nr_waiting; i++)
			printer.waiting[i].out = BUF_INIT;
		for (unsigned i = 0; i < nr_workers; i++) {
			worker_init(&workers[i], &printer);
			workers[i].resolver = (struct tracepoint_resolver){ resolve_name, &workers[i] };
		}
		pool_run(nr_workers, nr_workers, work, workers);
		for (unsigned i = 0; i < nr_workers; i++) {
			add_counts(ret_counts, &workers[i].counts);
			worker_release(&workers[i]);
		}
		for (unsigned i = 0; i < printer.nr_waiting; i++)
			buf_release(&printer.waiting[i].out);
		free(printer.waiting);
		free(workers);
		ret = printer.error;
	}
	ret = close_dumps(&printer, ret);
	sample_read_memory_release(&printer.reads);
	free(printer.plans);
	arena_release(&arena);
	pthread_cond_destroy(&printer.turn_changed);
	pthread_mutex_destroy(&printer.turn_lock);
	pthread_mutex_destroy(&printer.fetch_lock);
	return ret;
}
