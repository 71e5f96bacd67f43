/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ingest against a naive reading of the same records: every sample resolved entry by entry, without
 * memories, workers or interning; the sums must be the same whatever path the engine took.
 */
#include "lib/unit.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/profile.h"

#define SAMPLE_TYPE \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_CALLCHAIN)
#define NR_SAMPLES 6000
#define NR_DEPTH_MAX 40

/* ---- records into memory ---- */

struct tape {
	ARRAY(uint64_t) words;
	ARRAY(size_t) cuts; /* blocks end here, in words */
};

static uint64_t pair(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static void put(struct tape *tape, uint64_t word)
{
	array_push(&tape->words, word);
}

static size_t begin(struct tape *tape, uint32_t type, uint16_t misc)
{
	put(tape, pair(type, misc));
	return tape->words.nr - 1;
}

static void end(struct tape *tape, size_t start)
{
	tape->words.items[start] |= (uint64_t)((tape->words.nr - start) * 8) << 48;
	if (tape->words.nr > (tape->cuts.nr ? *array_last(&tape->cuts) : 0) + 2000)
		array_push(&tape->cuts, tape->words.nr);
}

static void put_text(struct tape *tape, const char *text)
{
	char padded[64] = { 0 };

	strncpy(padded, text, sizeof(padded) - 1);
	for (size_t i = 0; i <= strlen(text) / 8; i++) {
		uint64_t word;

		memcpy(&word, padded + i * 8, 8);
		put(tape, word);
	}
}

static void put_trailer(struct tape *tape, uint32_t pid, uint32_t tid, uint64_t time)
{
	put(tape, pair(pid, tid));
	put(tape, time);
	put(tape, pair(0, 0)); /* cpu */
}

static void put_mmap(struct tape *tape, uint32_t pid, uint64_t time, uint64_t addr, uint64_t length,
		     const char *path)
{
	size_t start = begin(tape, RECORD_MMAP, RECORD_CPUMODE_USER);

	put(tape, pair(pid, pid));
	put(tape, addr);
	put(tape, length);
	put(tape, 0);
	put_text(tape, path);
	put_trailer(tape, pid, pid, time);
	end(tape, start);
}

static void put_comm(struct tape *tape, uint32_t pid, uint32_t tid, uint64_t time, const char *text)
{
	size_t start = begin(tape, RECORD_COMM, 0);

	put(tape, pair(pid, tid));
	put_text(tape, text);
	put_trailer(tape, pid, tid, time);
	end(tape, start);
}

struct plain_sample {
	uint32_t pid, tid;
	uint64_t time, ip, period;
	uint32_t nr;
	uint64_t chain[NR_DEPTH_MAX + 2];
};

static void put_sample(struct tape *tape, const struct plain_sample *sample)
{
	size_t start = begin(tape, RECORD_SAMPLE, RECORD_CPUMODE_USER);

	put(tape, sample->ip);
	put(tape, pair(sample->pid, sample->tid));
	put(tape, sample->time);
	put(tape, pair(0, 0));
	put(tape, sample->period);
	put(tape, sample->nr);
	for (uint32_t i = 0; i < sample->nr; i++)
		put(tape, sample->chain[i]);
	end(tape, start);
}

struct tape_source {
	struct record_source source;
	struct tape *tape;
	size_t cut;
	unsigned nr_out;
};

static int tape_next(struct record_source *source, struct record_block *ret_block, struct err *err)
{
	struct tape_source *self = (struct tape_source *)source;
	struct tape *tape = self->tape;
	size_t first = self->cut ? tape->cuts.items[self->cut - 1] : 0, last;

	(void)err;
	if (self->cut == tape->cuts.nr)
		return 0;
	last = tape->cuts.items[self->cut++];
	*ret_block = (struct record_block){ .offset = first * 8 };
	ret_block->bytes.size = (last - first) * 8;
	/* Blocks that do not last are copies that die with done. */
	ret_block->owner = self->source.stable ? NULL
					       : xmemdup(&tape->words.items[first], ret_block->bytes.size);
	ret_block->bytes.data = ret_block->owner ? ret_block->owner : (uint8_t *)&tape->words.items[first];
	__atomic_add_fetch(&self->nr_out, 1, __ATOMIC_RELAXED);
	return 1;
}

static void tape_done(struct record_source *source, struct record_block *block)
{
	struct tape_source *self = (struct tape_source *)source;

	free(block->owner);
	__atomic_sub_fetch(&self->nr_out, 1, __ATOMIC_RELAXED);
}

static int tape_rewind(struct record_source *source, struct err *err)
{
	(void)err;
	((struct tape_source *)source)->cut = 0;
	return 0;
}

/* ---- a made-up recording ---- */

static uint32_t seed;

static uint32_t rnd(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Deep chains that share their outer part with the one before, as real programs have them. */
static void make_chain(struct plain_sample *sample, const struct plain_sample *before)
{
	uint32_t depth = 1 + rnd(NR_DEPTH_MAX - 1), shared = 0;
	uint64_t outermost_first[NR_DEPTH_MAX];

	if (before->nr > 1) {
		shared = rnd(before->nr);
		for (uint32_t i = 0; i < shared && i < depth; i++)
			outermost_first[i] = before->chain[before->nr - 1 - i] & 0x3fff;
	}
	for (uint32_t i = shared; i < depth; i++)
		outermost_first[i] = 0x1000 + 8 * rnd(0x600);
	sample->nr = 0;
	if (rnd(4) == 0) {
		sample->chain[sample->nr++] = CALLCHAIN_KERNEL;
		for (uint32_t i = depth / 2; i < depth; i++)
			outermost_first[i] |= 0xffffffff80000000;
		for (uint32_t i = depth; i-- > depth / 2;)
			sample->chain[sample->nr++] = outermost_first[i];
		depth /= 2;
	}
	sample->chain[sample->nr++] = CALLCHAIN_USER;
	for (uint32_t i = depth; i-- > 0;)
		sample->chain[sample->nr++] = outermost_first[i] & 0xffff;
	sample->ip = sample->nr > 1 ? sample->chain[1] : 0x1000;
	if (rnd(50) == 0)
		sample->ip = 0x1008; /* a precise ip that is not the chain's first entry */
}

static void make_recording(struct tape *tape, struct plain_sample *samples)
{
	struct plain_sample before[4] = { { 0 } };
	uint64_t time = 100;

	for (uint32_t pid = 1; pid <= 4; pid++) {
		put_comm(tape, pid, pid, 1, "proc");
		put_mmap(tape, pid, 1, 0x1000, 0x1000, "/bin/prog");
		put_mmap(tape, pid, 1, 0x2000, 0x1000, "/lib/libx.so");
	}
	put_mmap(tape, (uint32_t)-1, 1, 0xffffffff80000000, 0x10000, "[kernel.kallsyms]_text");
	for (unsigned i = 0; i < NR_SAMPLES; i++) {
		struct plain_sample *sample = &samples[i];
		uint32_t p = rnd(4);

		time += 10;
		if (i % 500 == 250) /* the process maps over what it had */
			put_mmap(tape, p + 1, time, 0x1800, 0x400,
				 i % 1000 < 500 ? "/lib/new.so" : "/lib/newer.so");
		if (i == NR_SAMPLES / 2)
			put_comm(tape, 2, 2, time, "renamed");
		*sample = (struct plain_sample){
			.pid = p + 1, .tid = p + 1 + 100 * rnd(2), .time = time, .period = 1 + rnd(1000)
		};
		make_chain(sample, &before[p]);
		before[p] = *sample;
		put_sample(tape, sample);
	}
	array_push(&tape->cuts, tape->words.nr);
}

/* ---- both ways to the same text ---- */

struct line {
	char text[96 + NR_DEPTH_MAX * 20];
	uint64_t period;
	uint32_t nr;
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

static size_t merge_lines(struct line *lines, size_t nr)
{
	size_t kept = 0;

	qsort(lines, nr, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < nr; i++) {
		if (kept && !strcmp(lines[kept - 1].text, lines[i].text)) {
			lines[kept - 1].period += lines[i].period;
			lines[kept - 1].nr += lines[i].nr;
		} else {
			lines[kept++] = lines[i];
		}
	}
	return kept;
}

static void add_place(char *text, uint32_t dso, uint64_t offset)
{
	sprintf(text + strlen(text), " %x:%llx", dso, (unsigned long long)offset);
}

static size_t naive(struct machine *machine, const struct plain_sample *samples, struct line *lines)
{
	for (unsigned i = 0; i < NR_SAMPLES; i++) {
		const struct plain_sample *sample = &samples[i];
		struct space_id space = machine_space_at(machine, (int32_t)sample->pid, sample->time);
		enum machine_mode mode = MACHINE_MODE_USER;
		struct location location;
		struct line *line = &lines[i];

		machine_find(machine, space, MACHINE_MODE_USER, sample->ip, sample->time, &location);
		sprintf(line->text, "%u %u %s %x:%llx", sample->pid, sample->tid,
			intern_text(machine_strings(machine),
				    machine_comm_at(machine, (int32_t)sample->tid, sample->time)),
			location.dso.v, (unsigned long long)location.offset);
		for (uint32_t j = 0; j < sample->nr; j++) {
			if (sample->chain[j] >= CALLCHAIN_MAX) {
				mode = sample->chain[j] == CALLCHAIN_KERNEL ? MACHINE_MODE_KERNEL
									    : MACHINE_MODE_USER;
				continue;
			}
			machine_find(machine, space, mode, sample->chain[j], sample->time, &location);
			add_place(line->text, location.dso.v, location.offset);
		}
		line->period = sample->period;
		line->nr = 1;
	}
	return merge_lines(lines, NR_SAMPLES);
}

static size_t engine(const struct profile *profile, struct line *lines)
{
	for (size_t i = 0; i < profile->rows.nr; i++) {
		const struct profile_row *row = &profile->rows.items[i];
		const struct profile_thread *thread = &profile->threads.items[row->thread];
		const struct frame *self = &profile->frames.items[row->self];
		struct line *line = &lines[i];

		sprintf(line->text, "%d %d %s %x:%llx", thread->pid, thread->tid,
			intern_text(&profile->strings, thread->comm), self->dso,
			(unsigned long long)self->offset);
		for (uint32_t stack = row->stack; stack; stack = profile->stacks.items[stack].parent) {
			const struct frame *frame =
				&profile->frames.items[profile->stacks.items[stack].frame];

			assert_true(profile->stacks.items[stack].parent < stack);
			add_place(line->text, frame->dso, frame->offset);
		}
		line->period = row->period;
		line->nr = row->nr_samples;
	}
	return merge_lines(lines, profile->rows.nr);
}

static void check(bool stable, unsigned nr_workers, uint32_t extras)
{
	struct tape tape = { 0 };
	struct plain_sample *samples = xcalloc(NR_SAMPLES, sizeof(*samples));
	struct line *expected = xcalloc(NR_SAMPLES, sizeof(*expected));
	struct line *got = xcalloc(NR_SAMPLES, sizeof(*got));
	struct event_attr attr = { .sample_type = SAMPLE_TYPE, .flags = ATTR_SAMPLE_ID_ALL, .size = 64 };
	struct tape_source source = { { tape_next, tape_done, tape_rewind, stable }, &tape, 0, 0 };
	struct profile_options options = {
		.need_addresses = true, .need_stacks = true, .nr_workers = nr_workers, .extras = extras
	};
	struct machine *machine = machine_new();
	struct event_table events;
	struct profile *profile;
	size_t nr_expected, nr_got;

	make_recording(&tape, samples);
	event_table_init(&events);
	event_table_add(&events, &attr, "cycles");
	assert_int_equal(profile_ingest(&source.source, &events, machine, symbolizer_new(machine, NULL),
					&options, &profile, NULL),
			 0);
	assert_int_equal(source.nr_out, 0);
	assert_int_equal(profile->stats.nr_samples, NR_SAMPLES);
	assert_int_equal(profile->event_stats.items[0].nr_samples, NR_SAMPLES);
	assert_int_equal(profile->stats.nr_bad_records, 0);
	nr_expected = naive(machine, samples, expected);
	nr_got = engine(profile, got);
	assert_int_equal(nr_got, nr_expected);
	for (size_t i = 0; i < nr_got; i++) {
		assert_string_equal(got[i].text, expected[i].text);
		assert_int_equal(got[i].period, expected[i].period);
		assert_int_equal(got[i].nr, expected[i].nr);
	}
	profile_free(profile);
	event_table_release(&events);
	array_release(&tape.words);
	array_release(&tape.cuts);
	free(samples);
	free(expected);
	free(got);
}

static void test_one_worker(void **state)
{
	(void)state;
	for (seed = 1; seed < 4; seed++)
		check(true, 1, 0);
}

static void test_workers_merge(void **state)
{
	(void)state;
	seed = 7;
	check(true, 4, 0);
	check(true, 3, 1u << PROFILE_EXTRA_CPU);
}

static void test_blocks_that_do_not_last(void **state)
{
	(void)state;
	seed = 9;
	check(false, 1, 0);
	check(false, 4, 0);
}

/* Records cut short and chains that claim too much are counted, and nothing else happens. */
static void test_damage(void **state)
{
	struct tape tape = { 0 };
	struct event_attr attr = { .sample_type = SAMPLE_TYPE, .flags = ATTR_SAMPLE_ID_ALL, .size = 64 };
	struct tape_source source = { { tape_next, tape_done, tape_rewind, true }, &tape, 0, 0 };
	struct profile_options options = { .need_addresses = true, .need_stacks = true };
	struct plain_sample sample = { .pid = 1, .tid = 1, .time = 5, .ip = 0x1000, .period = 3 };
	struct machine *machine = machine_new();
	struct event_table events;
	struct profile *profile;
	size_t start;

	(void)state;
	put_sample(&tape, &sample);
	start = begin(&tape, RECORD_SAMPLE, RECORD_CPUMODE_USER);
	put(&tape, 0x1000);
	end(&tape, start);
	sample.nr = 2;
	put_sample(&tape, &sample);
	tape.words.items[tape.words.nr - 3] = UINT64_MAX / 8; /* the length of the chain */
	put_sample(&tape, &sample);
	start = begin(&tape, RECORD_COMM, 0);
	end(&tape, start);
	array_push(&tape.cuts, tape.words.nr);
	event_table_init(&events);
	event_table_add(&events, &attr, "cycles");
	assert_int_equal(profile_ingest(&source.source, &events, machine, symbolizer_new(machine, NULL),
					&options, &profile, NULL),
			 0);
	assert_int_equal(profile->stats.nr_samples, 2);
	assert_int_equal(profile->stats.nr_bad_records, 3);
	assert_int_equal(profile->event_stats.items[0].period, 6);
	profile_free(profile);
	event_table_release(&events);
	array_release(&tape.words);
	array_release(&tape.cuts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_worker),
		cmocka_unit_test(test_workers_merge),
		cmocka_unit_test(test_blocks_that_do_not_last),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
