/* SPDX-License-Identifier: Apache-2.0 */
/* What `record` says: before, and at the end, where nothing that was missed stays unsaid. */
#ifndef CMD_RECORD_WORDS_H
#define CMD_RECORD_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "capture/drain.h"
#include "cmd/record_options.h"
#include "cmd/record_output.h"
#include "record/event_table.h"

struct record_words {
	const struct record_options *options;
	const struct drain_counts *counts;
	const struct event_table *table;
	const uint64_t *lost; /* of each event */
	size_t ring_size;
	uint64_t wakeups;
	const struct record_output *output;
	int end; /* enum recorder_end */
};

/* What the options mean on this machine, where that is not what they say. */
void record_words_begin(struct record_options *options);
/* That and why the recording ended early, with what there is of it. */
void record_words_failed(const struct record_words *words, const struct err *err);
/* The closing lines: how much was written, what was lost, of how much, and what helps. */
void record_words_print(const struct record_words *words);

#endif
