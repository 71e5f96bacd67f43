/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the raw payloads of tracepoint samples mean: the formats that a recording carries as TRACING_DATA (or that
 * tracefs shows of a live kernel), one for each tracepoint id.
 *
 * A format names the payload's fields and says how the kernel itself would print them ("print fmt"). Formats are
 * read on first use and compiled: what stands in the text is looked at once, and a sample costs what its fields
 * cost (see tracepoint_program.h).
 */
#ifndef RECORD_TRACEPOINT_FORMAT_H
#define RECORD_TRACEPOINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct tracepoint_field {
	const char *name;
	const char *type; /* as the format says it: "char", "unsigned long", "__data_loc char[]" */
	uint32_t offset, size; /* in the payload; of __data_loc: the word that says where the data is */
	uint32_t element_size; /* of arrays; else the size */
	bool is_common; /* common_type and so on: every tracepoint has them */
	bool is_signed;
	bool is_array;
	bool is_string; /* an array of char */
	bool is_dynamic; /* __data_loc and __rel_loc */
	bool is_relative; /* __rel_loc */
	bool is_pointer;
	bool is_long;
};

struct tracepoint_program;

struct tracepoint_format {
	uint64_t id;
	const char *system, *name;
	const char *text; /* the format file, NUL-terminated */
	struct tracepoint_field *fields; /* the common ones first */
	unsigned nr_fields;
	bool swap; /* payloads have the other byte order */
	const struct tracepoint_program
		*program; /* NULL: the print fmt cannot be understood; fields are shown */
};

struct tracepoint_format_table;

/*
 * The table of a recording's TRACING_DATA. What is needed of the bytes is copied.
 * 0, or -EBADMSG with words when there is not one format; what a damaged end hides is missing.
 */
int tracepoint_format_table_load(struct span tracing_data, struct tracepoint_format_table **ret_table,
				 struct err *err);
/* An empty table, for tracepoint_format_table_add. */
struct tracepoint_format_table *tracepoint_format_table_new(bool swap, unsigned long_size);
void tracepoint_format_table_free(struct tracepoint_format_table *table);
/* Adds one format file's text; false when it has no ID line or no fields. */
bool tracepoint_format_table_add(struct tracepoint_format_table *table, const char *system, struct span text);
size_t tracepoint_format_table_size(const struct tracepoint_format_table *table);

/* The format with this id (attr.config of a tracepoint event); NULL: none. Safe from several threads at once. */
const struct tracepoint_format *tracepoint_format_find(struct tracepoint_format_table *table, uint64_t id);
/* By names; the first match. */
const struct tracepoint_format *tracepoint_format_find_name(struct tracepoint_format_table *table,
							    const char *system, const char *name);
/* A field by name; NULL: none. */
const struct tracepoint_field *tracepoint_format_field(const struct tracepoint_format *format,
						       const char *name);

/* The field's value: sign-extended where it is signed; 0 when it is no number or lies outside of the payload. */
uint64_t tracepoint_field_u64(const struct tracepoint_format *format, const struct tracepoint_field *field,
			      struct span payload);
/* Bytes of an array or a dynamic field; size 0 when outside. Text is cut at its NUL when the field is a string. */
struct span tracepoint_field_bytes(const struct tracepoint_format *format,
				   const struct tracepoint_field *field, struct span payload);
/* The value of one field as text: numbers by sign and pointerhood, strings as they are, other arrays as bytes. */
void tracepoint_field_print(const struct tracepoint_format *format, const struct tracepoint_field *field,
			    struct span payload, struct buf *buf);

/* Names for kernel addresses in payloads (%pS): false: unknown. The name must live until the print call returns. */
struct tracepoint_resolver {
	bool (*find)(void *context, uint64_t addr, const char **ret_name, uint64_t *ret_start);
	void *context;
};

/* The whole payload as the kernel's print fmt says; resolver may be NULL. Safe from several threads at once. */
void tracepoint_format_print(const struct tracepoint_format *format, struct span payload,
			     const struct tracepoint_resolver *resolver, struct buf *buf);

#endif
