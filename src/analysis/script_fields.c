/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/script_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/sample_bits.h"

#define KINDS_ALL ((1u << NR_SCRIPT_KINDS) - 1)
#define ONLY(kind) (1u << SCRIPT_KIND_##kind)

/* What a field needs of an event's samples, and how messages call that. */
struct field_row {
	const char *name;
	uint64_t needs; /* any of these bits of sample_type; 0: nothing */
	const char *needs_name; /* NULL: a wish for it is never an error */
	unsigned kinds; /* where it makes sense; 0: everywhere */
	const char *hint;
};

static const struct field_row rows[NR_SCRIPT_FIELDS] = {
	[SCRIPT_COMM] = { "comm" },
	[SCRIPT_TID] = { "tid", SAMPLE_TID, "TID" },
	[SCRIPT_PID] = { "pid", SAMPLE_TID, "TID" },
	[SCRIPT_TIME] = { "time", SAMPLE_TIME, "TIME" },
	[SCRIPT_CPU] = { "cpu", SAMPLE_CPU, "CPU" },
	[SCRIPT_EVENT] = { "event" },
	[SCRIPT_TRACE] = { "trace", 0, NULL, ONLY(TRACEPOINT) },
	[SCRIPT_IP] = { "ip", SAMPLE_IP, "IP" },
	[SCRIPT_SYM] = { "sym" },
	[SCRIPT_DSO] = { "dso" },
	[SCRIPT_DSOFF] = { "dsoff" },
	[SCRIPT_ADDR] = { "addr", SAMPLE_ADDR, "ADDR" },
	[SCRIPT_SYMOFF] = { "symoff" },
	[SCRIPT_SRCLINE] = { "srcline" },
	[SCRIPT_PERIOD] = { "period" },
	[SCRIPT_IREGS] = { "iregs", SAMPLE_REGS_INTR, "IREGS" },
	[SCRIPT_UREGS] = { "uregs", SAMPLE_REGS_USER, "UREGS" },
	[SCRIPT_BRSTACK] = { "brstack" },
	[SCRIPT_BRSTACKSYM] = { "brstacksym" },
	[SCRIPT_BRSTACKOFF] = { "brstackoff" },
	[SCRIPT_FLAGS] = { "flags" },
	[SCRIPT_DATA_SRC] = { "data_src", SAMPLE_DATA_SRC, "DATA_SRC" },
	[SCRIPT_WEIGHT] = { "weight", SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, "WEIGHT" },
	[SCRIPT_BPF_OUTPUT] = { "bpf-output", 0, NULL, ONLY(SOFTWARE) | ONLY(TRACEPOINT) },
	[SCRIPT_CALLINDENT] = { "callindent" },
	[SCRIPT_INSN] = { "insn" },
	[SCRIPT_INSNLEN] = { "insnlen" },
	[SCRIPT_SYNTH] = { "synth", 0, NULL, ONLY(SYNTH) },
	[SCRIPT_PHYS_ADDR] = { "phys_addr", SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	[SCRIPT_MISC] = { "misc" },
	[SCRIPT_IPC] = { "ipc" },
	[SCRIPT_TOD] = { "tod" },
	[SCRIPT_DATA_PAGE_SIZE] = { "data_page_size", SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	[SCRIPT_CODE_PAGE_SIZE] = { "code_page_size", SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	[SCRIPT_INS_LAT] = { "ins_lat", SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	[SCRIPT_MACHINE_PID] = { "machine_pid" },
	[SCRIPT_VCPU] = { "vcpu" },
	[SCRIPT_CGROUP] = { "cgroup", SAMPLE_CGROUP, "CGROUP", 0, "run 'perf record --all-cgroups ...'" },
	[SCRIPT_RETIRE_LAT] = { "retire_lat", SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
};

static const struct {
	const char *prefix; /* in -F; NULL: cannot be named */
	const char *name; /* in messages */
} kinds[NR_SCRIPT_KINDS] = {
	[SCRIPT_KIND_HARDWARE] = { "hw", "hardware" },
	[SCRIPT_KIND_SOFTWARE] = { "sw", "software" },
	[SCRIPT_KIND_TRACEPOINT] = { "trace", "tracepoint" },
	[SCRIPT_KIND_CACHE] = { NULL, "hardware-cache" },
	[SCRIPT_KIND_RAW] = { "raw", "raw" },
	[SCRIPT_KIND_BREAKPOINT] = { NULL, "breakpoint" },
	[SCRIPT_KIND_OTHER] = { NULL, "unknown" },
	[SCRIPT_KIND_SYNTH] = { "synth", "unknown" },
};

enum script_kind script_kind_of(const struct event_attr *attr)
{
	return attr->type < SCRIPT_KIND_OTHER ? (enum script_kind)attr->type : SCRIPT_KIND_OTHER;
}

_Static_assert(SCRIPT_KIND_BREAKPOINT == 5, "kinds begin with the values of PERF_TYPE_*");

const char *script_field_name(enum script_field field)
{
	return rows[field].name;
}

void script_fields_list(struct buf *buf)
{
	for (unsigned i = 0; i < NR_SCRIPT_FIELDS; i++) {
		if (i)
			buf_putc(buf, ',');
		buf_str(buf, rows[i].name);
	}
}

#define WHO (SCRIPT_BIT(COMM) | SCRIPT_BIT(TID) | SCRIPT_BIT(CPU) | SCRIPT_BIT(TIME) | SCRIPT_BIT(EVENT))
#define WHERE (SCRIPT_BIT(IP) | SCRIPT_BIT(SYM) | SCRIPT_BIT(SYMOFF) | SCRIPT_BIT(DSO))
#define MEMORY \
	(SCRIPT_BIT(ADDR) | SCRIPT_BIT(DATA_SRC) | SCRIPT_BIT(WEIGHT) | SCRIPT_BIT(PHYS_ADDR) | \
	 SCRIPT_BIT(DATA_PAGE_SIZE) | SCRIPT_BIT(CODE_PAGE_SIZE) | SCRIPT_BIT(INS_LAT) | \
	 SCRIPT_BIT(RETIRE_LAT))

void script_fields_init(struct script_fields *fields)
{
	*fields = (struct script_fields){ 0 };
	for (unsigned i = 0; i < NR_SCRIPT_KINDS; i++)
		fields->of_kind[i] = WHO | WHERE | SCRIPT_BIT(PERIOD);
	fields->of_kind[SCRIPT_KIND_SOFTWARE] |= SCRIPT_BIT(BPF_OUTPUT);
	fields->of_kind[SCRIPT_KIND_TRACEPOINT] = WHO | SCRIPT_BIT(TRACE);
	fields->of_kind[SCRIPT_KIND_RAW] |= MEMORY;
	fields->of_kind[SCRIPT_KIND_SYNTH] |= SCRIPT_BIT(SYNTH);
}

static int find_field(const char *name, size_t size)
{
	for (int i = 0; i < NR_SCRIPT_FIELDS; i++)
		if (strlen(rows[i].name) == size && !memcmp(rows[i].name, name, size))
			return i;
	return -1;
}

static int find_kind(const char *name, size_t size)
{
	for (int i = 0; i < NR_SCRIPT_KINDS; i++)
		if (kinds[i].prefix && strlen(kinds[i].prefix) == size &&
		    !memcmp(kinds[i].prefix, name, size))
			return i;
	return -1;
}

/* Names that perf knows and this program does not answer, with the reason. */
static int refuse_field(const char *name, size_t size, struct err *err)
{
	static const struct {
		const char *name, *why;
	} refused[] = {
		{ "srccode", "the text of sources is not printed; srcline names file and line" },
		{ "metric", "metrics of sampled groups are not computed" },
		{ "brcntr", "counters of branches are not read" },
		{ "disasm", "disassembling code is not built in" },
		{ "brstackinsn", "decoding the code between branches is not built in" },
		{ "brstackinsnlen", "decoding the code between branches is not built in" },
		{ "brstackdisasm", "disassembling code is not built in" },
	};

	for (size_t i = 0; i < NR_ITEMS(refused); i++)
		if (strlen(refused[i].name) == size && !memcmp(refused[i].name, name, size))
			return err_set(err, -EOPNOTSUPP, "field '%s': %s", refused[i].name, refused[i].why);
	return err_set(err, -EINVAL, "Invalid field requested.");
}

enum how { SET, ADD, REMOVE };

static int apply_field(struct script_fields *fields, int only_kind, enum how how, enum script_field field,
		       struct buf *notes, struct err *err)
{
	unsigned allowed = rows[field].kinds ? rows[field].kinds : KINDS_ALL;
	uint64_t bit = 1ull << field;

	for (int kind = 0; kind < NR_SCRIPT_KINDS; kind++) {
		if (only_kind >= 0 && kind != only_kind)
			continue;
		if (!(allowed >> kind & 1)) {
			if (only_kind >= 0)
				return err_set(err, -EINVAL, "'%s' not valid for %s events.",
					       rows[field].name, kinds[kind].name);
			/* Traces of instructions are not decoded: nobody misses their fields. */
			if (field != SCRIPT_SYNTH)
				buf_printf(notes, "'%s' not valid for %s events. Ignoring.\n",
					   rows[field].name, kinds[kind].name);
			continue;
		}
		if (how == REMOVE)
			fields->of_kind[kind] &= ~bit;
		else
			fields->of_kind[kind] |= bit;
		fields->is_changed[kind] = true;
	}
	if (how == REMOVE)
		fields->wanted &= ~bit;
	else if (only_kind < 0)
		fields->wanted |= bit;
	return 0;
}

/* The words of a list; *pos moves on. size 0: an empty word. */
static bool next_word(const char **pos, const char **ret_word, size_t *ret_size)
{
	if (!*pos)
		return false;
	*ret_word = *pos;
	*ret_size = strcspn(*pos, ",");
	*pos = (*pos)[*ret_size] ? *pos + *ret_size + 1 : NULL;
	return true;
}

static int check_signs(const char *text, bool *ret_changes, struct err *err)
{
	const char *pos = text, *word;
	unsigned nr_signed = 0, nr_plain = 0;
	size_t size;

	while (next_word(&pos, &word, &size)) {
		if (size && (word[0] == '+' || word[0] == '-'))
			nr_signed++;
		else if (size)
			nr_plain++;
	}
	if (nr_signed && nr_plain)
		return err_set(err, -EINVAL, "Cannot mix +-field with overridden fields");
	*ret_changes = nr_signed;
	return 0;
}

static void start_over(struct script_fields *fields, int only_kind, struct buf *notes)
{
	bool said = false;

	for (int kind = 0; kind < NR_SCRIPT_KINDS; kind++) {
		if (only_kind >= 0 && kind != only_kind)
			continue;
		if (fields->is_set[kind] && !said)
			buf_printf(notes, "Overriding previous field request for %s events.\n",
				   only_kind < 0 ? "all" : kinds[kind].name);
		said |= fields->is_set[kind];
		fields->of_kind[kind] = 0;
		fields->is_set[kind] = true;
	}
	if (only_kind < 0)
		fields->wanted = 0;
}

int script_fields_parse(struct script_fields *fields, const char *text, struct buf *notes, struct err *err)
{
	const char *colon = strchr(text, ':'), *pos = text, *word;
	int kind = -1, ret;
	bool changes = false;
	size_t size;

	if (colon) {
		kind = find_kind(text, (size_t)(colon - text));
		if (kind < 0)
			return err_set(err, -EINVAL, "Invalid event type in field string.");
		pos = colon + 1;
	}
	if (!*pos && kind < 0)
		return err_set(err, -EINVAL, "Cannot set fields to 'none' for all event types.");
	ret = check_signs(pos, &changes, err);
	if (ret < 0)
		return ret;
	if (!changes)
		start_over(fields, kind, notes);
	if (!*pos)
		fields->is_needed[kind] = true;
	while (next_word(&pos, &word, &size)) {
		enum how how = SET;
		int field;

		if (!size)
			continue;
		if (word[0] == '+' || word[0] == '-') {
			how = word[0] == '+' ? ADD : REMOVE;
			word++;
			size--;
		}
		field = find_field(word, size);
		if (field < 0)
			return refuse_field(word, size, err);
		ret = apply_field(fields, kind, how, (enum script_field)field, notes, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int check_missing(const struct script_fields *fields, const struct recorded_event *event,
			 uint64_t *set, struct err *err)
{
	for (unsigned i = 0; i < NR_SCRIPT_FIELDS; i++) {
		uint64_t bit = 1ull << i;

		if (!(*set & bit) || !rows[i].needs || event->attr.sample_type & rows[i].needs)
			continue;
		if (fields->wanted & bit) {
			err_set(err, -EINVAL,
				"Samples for '%s' event do not have %s attribute set. Cannot print '%s' field.",
				event->name, rows[i].needs_name, rows[i].name);
			if (rows[i].hint)
				err_hint(err, "Hint: %s", rows[i].hint);
			return -EINVAL;
		}
		*set &= ~bit;
	}
	return 0;
}

int script_fields_of_event(const struct script_fields *fields, const struct recorded_event *event,
			   bool show_chains, uint64_t *ret_fields, struct err *err)
{
	enum script_kind kind = script_kind_of(&event->attr);
	uint64_t set = fields->of_kind[kind];
	int ret;

	/* A tracepoint recorded with callchains shows them. */
	if (kind == SCRIPT_KIND_TRACEPOINT && show_chains && !fields->is_set[kind] &&
	    !fields->is_changed[kind] && event->attr.sample_type & SAMPLE_CALLCHAIN &&
	    !(set & SCRIPT_BIT(IP))) {
		set |= SCRIPT_BIT(IP);
		if (!(set & (SCRIPT_BIT(SYM) | SCRIPT_BIT(DSO))))
			set |= WHERE;
	}
	ret = check_missing(fields, event, &set, err);
	if (ret < 0)
		return ret;
	if (set & SCRIPT_BIT(SYMOFF) && !(set & SCRIPT_BIT(SYM))) {
		if (fields->wanted & SCRIPT_BIT(SYMOFF) || fields->is_set[kind])
			return err_set(err, -EINVAL,
				       "Display of offsets requested but symbol is notselected.");
		set &= ~SCRIPT_BIT(SYMOFF);
	}
	if (set & SCRIPT_BIT(SRCLINE) && !(set & SCRIPT_BIT(IP)))
		return err_set(err, -EINVAL,
			       "Display of source line number requested but sample IP is not\n"
			       "selected. Hence, no address to lookup the source line number.");
	/* Only the software event made for it (10) has such data. */
	if (kind != SCRIPT_KIND_SOFTWARE || event->attr.config != 10)
		set &= ~SCRIPT_BIT(BPF_OUTPUT);
	*ret_fields = set;
	return 0;
}

int script_fields_check(const struct script_fields *fields, const struct event_table *events, struct err *err)
{
	for (int kind = 0; kind < NR_SCRIPT_KINDS; kind++) {
		bool is_there = false;

		for (size_t i = 0; i < events->events.nr; i++)
			is_there |= (int)script_kind_of(&events->events.items[i].attr) == kind;
		if (fields->is_needed[kind] && !is_there)
			return err_set(err, -EINVAL,
				       "%s events do not exist. Remove corresponding -F option to proceed.",
				       kinds[kind].name);
	}
	return 0;
}
