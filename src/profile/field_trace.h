/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_FIELD_TRACE_H
#define PROFILE_FIELD_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "record/tracepoint_format.h"

struct tracepoint_program;

/* A field of a tracepoint's payload, as a key of its own. */
struct field_trace {
	const char *name; /* "next_pid" */
	uint32_t event; /* index in the event table */
	const struct tracepoint_format *format;
	const struct tracepoint_field *field;
	bool is_raw; /* NAME/raw: the bare number */
	unsigned width; /* of its column, at least; dynamic ones are one wider than their longest value */
	struct tracepoint_program
		*pretty; /* what the print fmt makes of just this field; NULL: nothing special */
};

struct field_trace *field_trace_new(uint32_t event, const struct tracepoint_format *format,
				    const struct tracepoint_field *field, bool is_raw);
void field_trace_free(struct field_trace *trace);
void field_trace_print(const struct field_trace *trace, struct span payload, struct buf *buf);
/* Order of two printed values: numbers as numbers. */
int field_trace_compare(const struct field_trace *trace, const char *a, const char *b);

#endif
