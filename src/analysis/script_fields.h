/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a line of `script`: their names, which kinds of events can have them, what -F says, and what a
 * recording's events really hold.
 */
#ifndef ANALYSIS_SCRIPT_FIELDS_H
#define ANALYSIS_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/event_table.h"

/* In the order in which messages list them. */
enum script_field {
	SCRIPT_COMM,
	SCRIPT_TID,
	SCRIPT_PID,
	SCRIPT_TIME,
	SCRIPT_CPU,
	SCRIPT_EVENT,
	SCRIPT_TRACE,
	SCRIPT_IP,
	SCRIPT_SYM,
	SCRIPT_DSO,
	SCRIPT_DSOFF,
	SCRIPT_ADDR,
	SCRIPT_SYMOFF,
	SCRIPT_SRCLINE,
	SCRIPT_PERIOD,
	SCRIPT_IREGS,
	SCRIPT_UREGS,
	SCRIPT_BRSTACK,
	SCRIPT_BRSTACKSYM,
	SCRIPT_BRSTACKOFF,
	SCRIPT_FLAGS,
	SCRIPT_DATA_SRC,
	SCRIPT_WEIGHT,
	SCRIPT_BPF_OUTPUT,
	SCRIPT_CALLINDENT,
	SCRIPT_INSN,
	SCRIPT_INSNLEN,
	SCRIPT_SYNTH,
	SCRIPT_PHYS_ADDR,
	SCRIPT_MISC,
	SCRIPT_IPC,
	SCRIPT_TOD,
	SCRIPT_DATA_PAGE_SIZE,
	SCRIPT_CODE_PAGE_SIZE,
	SCRIPT_INS_LAT,
	SCRIPT_MACHINE_PID,
	SCRIPT_VCPU,
	SCRIPT_CGROUP,
	SCRIPT_RETIRE_LAT,
	NR_SCRIPT_FIELDS,
};

#define SCRIPT_BIT(field) (1ull << SCRIPT_##field)

/* Kinds of events, as -F's prefixes and messages tell them apart: by attr.type. */
enum script_kind {
	SCRIPT_KIND_HARDWARE,
	SCRIPT_KIND_SOFTWARE,
	SCRIPT_KIND_TRACEPOINT,
	SCRIPT_KIND_CACHE,
	SCRIPT_KIND_RAW,
	SCRIPT_KIND_BREAKPOINT,
	SCRIPT_KIND_OTHER, /* PMUs with a type of their own */
	SCRIPT_KIND_SYNTH, /* made by decoding instruction traces */
	NR_SCRIPT_KINDS,
};

struct script_fields {
	uint64_t of_kind[NR_SCRIPT_KINDS]; /* bits SCRIPT_BIT */
	uint64_t wanted; /* named by the user for all kinds: missing ones are errors */
	bool is_set[NR_SCRIPT_KINDS]; /* the user has named the fields of this kind */
	bool is_changed[NR_SCRIPT_KINDS]; /* or added and removed some */
	bool is_needed[NR_SCRIPT_KINDS]; /* by a prefix without fields: such events must exist */
};

/* perf's defaults. */
void script_fields_init(struct script_fields *fields);
/*
 * One -F argument. What perf says about it without stopping (lines) goes to notes; err is filled on -EINVAL.
 */
int script_fields_parse(struct script_fields *fields, const char *text, struct buf *notes, struct err *err);
/*
 * The fields of one event: what was asked for, without what its samples do not hold. show_chains: callchains are
 * printed where they are recorded. 0 or -EINVAL with words when the user has named one that is missing.
 */
int script_fields_of_event(const struct script_fields *fields, const struct recorded_event *event,
			   bool show_chains, uint64_t *ret_fields, struct err *err);
/* Wishes for events of a kind that the recording does not have, and for fields without those they stand on. */
int script_fields_check(const struct script_fields *fields, const struct event_table *events,
			struct err *err);

enum script_kind script_kind_of(const struct event_attr *attr);
const char *script_field_name(enum script_field field);
/* "comm,tid,...": for help and messages. */
void script_fields_list(struct buf *buf);

#endif
