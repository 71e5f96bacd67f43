/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/record_words.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/counter_advice.h"
#include "cmd/command.h"
#include "cmd/program.h"

#define ULL(value) ((unsigned long long)(value))

void record_words_begin(struct record_options *options)
{
	struct sampling *sampling = &options->sampling;
	uint64_t most = sampling_max_frequency();

	if (most && sampling->frequency > most) {
		if (!options->quiet)
			command_note("-F %llu is more than the kernel takes: %llu samples a second "
				     "(kernel.perf_event_max_sample_rate)",
				     ULL(sampling->frequency), ULL(most));
		sampling->frequency = most;
	} else if (options->frequency_max && !options->quiet) {
		command_note("sampling %llu times a second, the most that the kernel takes", ULL(most));
	}
	if (sampling->callgraph == EVENT_CALLGRAPH_DWARF && !options->quiet && options->verbose)
		command_note("stacks are recorded as dumps: this version's report does not unwind them yet");
}

void record_words_failed(const struct record_words *words, const struct err *err)
{
	command_fail(err);
	if (words->output->last_path[0] && !words->output->in_place)
		command_note("%s is complete up to there", words->output->last_path);
}

#define EVENTS_TOLD 3

/* The event that lost most and has not been told of yet; its loss is taken out of `left`. */
static size_t take_worst(uint64_t *left, size_t nr)
{
	size_t worst = 0;

	for (size_t i = 1; i < nr; i++)
		if (left[i] > left[worst])
			worst = i;
	left[worst] = 0;
	return worst;
}

/* By event, as PERF_FORMAT_LOST has it. Returns how many in all. */
static uint64_t print_lost_of_events(const struct record_words *words)
{
	const struct event_table *table = words->table;
	size_t nr = table->events.nr, nr_lossy = 0;
	uint64_t *left = xmemdup(words->lost, nr * sizeof(*left)), total = 0, all;
	char advice[256];

	for (size_t i = 0; i < nr; i++) {
		nr_lossy += left[i] != 0;
		total += left[i];
	}
	all = words->counts->samples + total;
	for (size_t i = 0; i < nr_lossy && i < EVENTS_TOLD; i++) {
		size_t worst = take_worst(left, nr);
		const struct recorded_event *event = &table->events.items[worst];

		if (!i)
			counter_advice_lost(advice, sizeof(advice), words->ring_size,
					    event->attr.flags & ATTR_FREQ ? event->attr.sample_period : 0);
		command_note("lost %llu records of %s, %.1f %% of all %llu samples%s%s",
			     ULL(words->lost[worst]), event->name,
			     100.0 * (double)words->lost[worst] / (double)all, ULL(all), i ? "" : ": ",
			     i ? "" : advice);
	}
	if (nr_lossy > EVENTS_TOLD)
		command_note("lost records of %zu more events: %llu in all", nr_lossy - EVENTS_TOLD,
			     ULL(total));
	free(left);
	return total;
}

static void print_losses(const struct record_words *words)
{
	const struct drain_counts *counts = words->counts;
	uint64_t told = print_lost_of_events(words);
	char advice[256];

	/* Kernels before 6.0 do not say of which event. */
	if (counts->lost > told) {
		counter_advice_lost(advice, sizeof(advice), words->ring_size,
				    words->options->sampling.frequency);
		command_note("lost %llu records, %.1f %%, because rings were full: %s",
			     ULL(counts->lost - told),
			     100.0 * (double)counts->lost / (double)(counts->samples + counts->lost), advice);
	}
	if (counts->lost_samples)
		command_note("the hardware lost %llu samples", ULL(counts->lost_samples));
	if (counts->throttles)
		command_note(
			"the kernel stopped sampling %llu times for a tick, because interrupts came too fast: lower -F, "
			"or see kernel.perf_cpu_time_max_percent",
			ULL(counts->throttles));
}

void record_words_print(const struct record_words *words)
{
	const struct record_output *output = words->output;
	const char *program = program_name();
	double megabytes = (double)output->finished_size / 1048576.0;

	if (words->end == RECORDER_FULL)
		fprintf(stderr, "[ %s record: size limit of %llu KB reached: ended ]\n", program,
			ULL(words->options->max_size / 1024));
	fprintf(stderr, "[ %s record: Woken up %llu times to write data ]\n", program, ULL(words->wakeups));
	fprintf(stderr, "[ %s record: Captured and wrote %.3f MB %s", program, megabytes, output->last_path);
	if (words->counts->samples)
		fprintf(stderr, " (%llu samples)", ULL(words->counts->samples));
	if (words->options->compression_level && output->out_size)
		fprintf(stderr, ", compressed (original %.3f MB, ratio is %.3f)",
			(double)output->in_size / 1048576.0,
			(double)output->in_size / (double)output->out_size);
	fprintf(stderr, " ]\n");
	print_losses(words);
}
