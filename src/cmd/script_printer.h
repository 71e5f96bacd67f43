/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of `script`: records in time order become lines, on all cores.
 *
 * Workers take turns at fetching a run of sorted records, turn it into text in a buffer of their own, side by side,
 * and write the buffers in the order of the runs. Nearly all of the text repeats: a worker keeps, as bytes that are
 * only copied, the first part of each task's lines and the line of each (address space, address) as a frame, and
 * takes the callers that a sample shares with the task's last one from further up in its buffer, in one copy. (Whole
 * callchains were kept by their hash once: of a compiler's, four in five never come again.) What is kept is
 * bounded: past a limit everything is forgotten and made again.
 *
 * This asks that the machine's whole history is known before (the index pass). A pipe has no second pass, and who
 * wants to see the side-band itself wants to see it happen: there, with one worker, side-band records are applied
 * as they come, and what was kept is forgotten whenever they are.
 */
#ifndef CMD_SCRIPT_PRINTER_H
#define CMD_SCRIPT_PRINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/script_line.h"
#include "base/err.h"
#include "cmd/script_filter.h"
#include "model/machine.h"
#include "record/event_table.h"
#include "record/perfdata_features.h"
#include "record/record_dump.h"
#include "record/sorter.h"
#include "record/tracepoint_format.h"
#include "symbol/symbolizer.h"

/* What belongs to an event of the recording. */
struct script_event {
	struct script_style style;
	const char *dump_name; /* --per-event-dump: the file its lines go to; NULL */
	uint64_t nr_dumped, dump_size; /* out: samples and bytes in it */
};

struct script_printer_config {
	struct machine *machine;
	struct symbolizer *symbolizer;
	const struct event_table *events;
	struct script_event *event_styles; /* one for each event */
	struct tracepoint_format_table *formats; /* NULL: the recording has none */
	const struct perfdata_clock *clock; /* for tod; NULL */
	const struct script_filter *filter;
	enum script_arch arch;
	bool is_64bit; /* the recorded machine */
	uint64_t show; /* bits 1 << record type below 64: records to be shown beside samples */
	bool show_rounds; /* FINISHED_ROUND */
	bool is_relative, is_delta; /* --reltime, --deltatime */
	bool is_streaming; /* side-band is not applied yet: it is, record by record, in its turn */
	bool full_source_path; /* of srcline */
	bool show_kernel_path; /* paths of the kernel and its modules instead of names in brackets */
	const char *vmlinux; /* the kernel's file; NULL: not said */
	bool check_order; /* -d: count records that are out of order */
	uint32_t max_stack; /* frames */
	const char *const *stop_symbols; /* --stop-bt; NULL-ended, NULL: none */
	const char *switch_on, *switch_off; /* names of events; NULL */
	bool show_switches; /* --show-on-off-events */
	unsigned nr_workers;
	int fd;
	struct record_dump *dump; /* -D: each record is dumped in front of its line; NULL */
	struct sorter *sorter;
	bool is_stable; /* the bytes of records stay valid */
};

struct script_counts {
	uint64_t nr_samples; /* shown */
	uint64_t nr_bad; /* records too short for their type */
	uint64_t first_bad_offset;
	uint64_t nr_unknown; /* samples of unknown events */
	uint64_t nr_misordered;
	uint64_t nr_lost, nr_lost_places; /* as records say */
	uint64_t nr_raw_dumps; /* shown samples whose user stack was dumped and is not unwound */
	uint64_t nr_deferred; /* shown samples whose user callchain is a record of its own */
};

/* 0 or -errno with words; -EPIPE when the reader of the output has gone. */
int script_printer_run(const struct script_printer_config *config, struct script_counts *ret_counts,
		       struct err *err);

#endif
