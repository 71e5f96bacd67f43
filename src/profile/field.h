/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE table of fields: everything that samples can be grouped by, sorted by, or shown as.
 *
 * A key gives an identity, a number: equal numbers are one group. Context keys ask the row (its thread, its
 * extra values), frame keys ask a frame of its stack. The distinct tuples of context values are contexts, those of
 * frame values are places; an entry of a report is a pair of the two. Amounts are numbers summed over an entry.
 * A new key is one row of the table in field.c with a getter and a printer.
 */
#ifndef PROFILE_FIELD_H
#define PROFILE_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/intern.h"
#include "profile/profile.h"
#include "record/tracepoint_format.h"

enum field_kind {
	FIELD_AMOUNT,
	FIELD_CONTEXT,
	FIELD_FRAME,
	FIELD_REFUSED, /* a key of perf that is not built: `title` says why */
};

/* What is summed over an entry. */
enum amount {
	AMOUNT_SELF, /* periods */
	AMOUNT_TOTAL, /* periods of all samples that pass through */
	AMOUNT_SAMPLES,
	AMOUNT_LATENCY, /* periods divided by the parallelism at the time */
	AMOUNT_LATENCY_TOTAL,
	AMOUNT_KERNEL, /* AMOUNT_SELF by the mode of the sample */
	AMOUNT_USER,
	AMOUNT_GUEST_KERNEL,
	AMOUNT_GUEST_USER,
	AMOUNT_WEIGHT1, /* sums; shown as averages */
	AMOUNT_WEIGHT2,
	AMOUNT_WEIGHT3,
	NR_AMOUNTS,
};

enum field_format {
	FIELD_PERCENT, /* of all periods */
	FIELD_PERCENT_LATENCY, /* of all latency */
	FIELD_NUMBER,
	FIELD_AVERAGE, /* divided by the samples */
};

enum {
	FIELD_NEEDS_SYMBOLS = 1 << 0,
	FIELD_NEEDS_ADDRESSES = 1 << 1,
	FIELD_NEEDS_STACKS = 1 << 2,
	FIELD_RIGHT = 1 << 3, /* numbers stand right */
	FIELD_RAGGED = 1 << 4, /* as the last column it is not padded */
	FIELD_HIDDEN = 1 << 5, /* an alias: not in lists of keys */
	FIELD_TRACE = 1 << 6, /* only for tracepoints */
};

struct field_env;
struct field_use;

struct field {
	const char *name; /* as perf's; NULL ends the table */
	const char *title;
	enum field_kind kind;
	unsigned flags;
	uint32_t extras; /* which per-sample values it needs: 1 << enum profile_extra */
	/* Amounts. */
	enum amount amount;
	enum field_format format;
	unsigned width; /* at least */
	/* Keys. */
	uint64_t (*of_row)(struct field_env *env, const struct field_use *use, const struct profile_row *row);
	uint64_t (*of_frame)(struct field_env *env, const struct field_use *use, uint32_t frame);
	/* The text of a value, without padding. */
	void (*print)(const struct field_env *env, const struct field_use *use, uint64_t value,
		      struct buf *buf);
	/* Order among equals: <0 when a stands above b. NULL: smaller values first. */
	int (*compare)(const struct field_env *env, const struct field_use *use, uint64_t a, uint64_t b);
	/* The text that `compare` goes by first; may be NULL for values that have none. NULL: it goes by something else. */
	const char *(*text)(const struct field_env *env, const struct field_use *use, uint64_t value);
};

struct field_trace;

/* A field in use: a key that the user named. */
struct field_use {
	const struct field *field;
	struct field_trace *trace; /* NULL, but for fields of tracepoints */
};

struct field_list {
	ARRAY(struct field_use) uses;
};

/* Everything that getters and printers look at. Getters fill the memos; printing changes nothing. */
struct field_env {
	const struct profile *profile;
	struct tracepoint_format_table *formats; /* NULL: the recording has none */
	const int32_t *cpu_socket; /* by CPU; NULL: not known */
	size_t nr_cpu_sockets;
	bool by_address; /* frames are addresses, not functions */
	bool verbose;
	bool time_in_ns;
	bool full_source_path;
	bool raw_trace;
	const uint32_t *stack_parent; /* by stack: 1 + the frame that the parent regex found; NULL: none */
	struct intern texts; /* of values that are texts */
	/* By frame; filled by field_env_init: */
	uint32_t *function; /* the first frame of the same function (or itself): what call graphs group by */
	uint32_t *dso_name; /* by dso: id in texts */
	uint32_t *srcline, *srcfile; /* by frame: 1 + id in texts; 0 until asked for; NULL: nobody asked */
	struct buf scratch;
};

extern const struct field field_table[];
/* What fields of tracepoints have in common; a use of it has a field_trace. */
extern const struct field field_of_trace;

/* by_address: the profile was made with need_addresses. */
void field_env_init(struct field_env *env, const struct profile *profile, bool by_address, bool verbose);
void field_env_release(struct field_env *env);

/* The frame's source line as the DWARF says: an id in texts; 0: it says nothing. */
uint32_t field_env_line(struct field_env *env, uint32_t frame);

/* The field of this name; NULL: there is none. */
const struct field *field_find(const char *name);
/*
 * Adds the fields of a comma-separated list. Names that are no field are looked for in the tracepoints of `events`
 * (NULL: none are known). what is "--sort" or "--fields", for the words of errors. 0 or -EINVAL with words.
 */
int field_list_parse(struct field_list *list, const char *text, const char *what,
		     const struct event_table *events, struct tracepoint_format_table *formats,
		     struct err *err);
bool field_list_has(const struct field_list *list, const struct field_use *use);
bool field_list_has_name(const struct field_list *list, const char *name);
void field_list_add(struct field_list *list, const char *name);
void field_list_release(struct field_list *list);
/* All names that can be used, for help. amounts or keys. */
void field_print_names(struct buf *buf);

bool field_use_equal(const struct field_use *a, const struct field_use *b);
const char *field_use_title(const struct field_use *use);

/* The text that says where a frame is: "main", or "0x1234" and "libx.so+0x1234" where there is no symbol. */
void field_print_frame(const struct field_env *env, uint32_t frame, struct buf *buf);
/* The same with the line behind it, "main prog.c:12"; where that is not known, "main +34" or "main ??:0". */
void field_print_place(const struct field_env *env, uint32_t frame, bool with_offset, struct buf *buf);
/* '.' user, 'k' kernel, 'g' guest kernel, 'u' guest user, 'H' hypervisor. */
char field_mode_letter(uint8_t mode);

#endif
