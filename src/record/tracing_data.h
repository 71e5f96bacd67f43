/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracepoint formats of a recording: the blob that TRACING_DATA holds, taken apart. Its layout is that of the
 * head of trace.dat, version 0.6 (trace-cmd.dat(5)): what tracefs says about pages, events and names.
 */
#ifndef RECORD_TRACING_DATA_H
#define RECORD_TRACING_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct tracing_format {
	const char *system; /* "sched"; "ftrace" for the formats of the tracer itself */
	const char *name; /* "sched_switch" */
	uint64_t id; /* attr.config of its events */
	struct span text; /* the format file */
};

struct tracing_data {
	bool is_damaged; /* it ends too soon; what came before is here */
	bool is_big_endian; /* of the machine that was recorded */
	uint8_t long_size;
	uint32_t page_size;
	struct span header_page, header_event; /* files of these names in tracefs */
	ARRAY(struct tracing_format) formats;
	struct span kallsyms, printk_formats, saved_cmdlines; /* size 0: not recorded */
	char **strings; /* names of the formats */
	size_t nr_strings;
};

/* Takes the blob apart; the spans point into it, so it must outlive the result. Never NULL. */
struct tracing_data *tracing_data_parse(struct span blob);
void tracing_data_free(struct tracing_data *data);
/* The format of the tracepoint with this id; NULL. */
const struct tracing_format *tracing_data_find(const struct tracing_data *data, uint64_t id);
/* The names of a format's own fields (not the common_ ones), in order: calls visit for each. */
void tracing_format_fields(const struct tracing_format *format,
			   void (*visit)(void *context, const char *name, size_t size), void *context);

/*
 * Makes the blob for tracepoints given as "system/name": root is where tracefs is. What tracefs does not let read is
 * left out. 0, or -errno with words when a format cannot be read.
 */
int tracing_data_build(const char *root, const char *const *tracepoints, size_t nr, struct buf *buf,
		       struct err *err);

#endif
