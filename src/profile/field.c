/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of fields, with their getters and printers.
 *
 * Values that are texts (names of DSOs, source lines, printed tracepoints) are interned, so that a value is always a
 * number and two entries are the same when their numbers are. What several frames share is worked out once for each
 * frame (function) or DSO (dso_name), not once for each sample.
 */
#include "profile/field.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/xalloc.h"
#include "profile/field_trace.h"

#define EXTRA(name) (1u << PROFILE_EXTRA_##name)
#define VALUE_NONE UINT64_MAX

#define SAMPLE_WEIGHT_STRUCT (1ull << 24)

typedef const struct field_use use_t;
typedef struct field_env env_t;

static uint64_t intern_value(env_t *env, const char *text)
{
	return intern_string(&env->texts, text).v;
}

static const char *value_text(const env_t *env, uint64_t value)
{
	return intern_text(&env->texts, (struct str_id){ (uint32_t)value });
}

static void print_text(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)use;
	buf_str(buf, value_text(env, value));
}

static const char *text_of_value(const env_t *env, use_t *use, uint64_t value)
{
	(void)use;
	return value_text(env, value);
}

static int compare_text(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	(void)use;
	return strcmp(value_text(env, a), value_text(env, b));
}

static void print_number(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)env, (void)use;
	buf_u64(buf, value);
}

/* ---- task ---------------------------------------------------------------------------------- */

/* A comm nobody told is known by its thread: the value is then the tid with the high bit set. */
#define COMM_UNKNOWN (1ull << 63)

static uint64_t comm_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	const struct profile_thread *thread = &env->profile->threads.items[row->thread];

	(void)use;
	return thread->comm.v ? thread->comm.v : COMM_UNKNOWN | (uint32_t)thread->tid;
}

static void comm_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)use;
	if (value & COMM_UNKNOWN) {
		buf_putc(buf, ':');
		buf_i64(buf, (int32_t)value);
	} else {
		buf_str(buf, intern_text(&env->profile->strings, (struct str_id){ (uint32_t)value }));
	}
}

static int comm_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	(void)use;
	if ((a | b) & COMM_UNKNOWN)
		return a < b ? 1 : -1; /* ":123" stands before letters */
	return strcmp(intern_text(&env->profile->strings, (struct str_id){ (uint32_t)a }),
		      intern_text(&env->profile->strings, (struct str_id){ (uint32_t)b }));
}

/* "kworker/1:2" is "kworker/<N>:<N>": what the workers of a pool have in common. */
static uint64_t comm_nodigit_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	const struct profile_thread *thread = &env->profile->threads.items[row->thread];
	const char *comm = intern_text(&env->profile->strings, thread->comm);
	bool in_digits = false;

	(void)use;
	env->scratch.size = 0;
	if (!thread->comm.v)
		buf_str(&env->scratch, ":<N>");
	for (; *comm; comm++) {
		bool digit = *comm >= '0' && *comm <= '9';

		if (!digit)
			buf_putc(&env->scratch, *comm);
		else if (!in_digits)
			buf_str(&env->scratch, "<N>");
		in_digits = digit;
	}
	return intern_value(env, buf_text(&env->scratch));
}

static uint64_t tid_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	(void)use;
	return (uint32_t)env->profile->threads.items[row->thread].tid;
}

static uint64_t pid_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	(void)use;
	return (uint32_t)env->profile->threads.items[row->thread].pid;
}

/* The last name that the task had. */
static void task_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	const struct profile *profile = env->profile;
	int32_t tid = (int32_t)value;
	const char *comm = "";

	(void)use;
	if (profile->machine)
		comm = intern_text(machine_strings(profile->machine),
				   machine_comm_at(profile->machine, tid, RECORD_NO_TIME - 1));
	if (!comm[0])
		for (size_t i = 0; i < profile->threads.nr && !comm[0]; i++)
			if (profile->threads.items[i].tid == tid)
				comm = intern_text(&profile->strings, profile->threads.items[i].comm);
	buf_printf(buf, "%7d:", tid);
	if (comm[0])
		buf_str(buf, comm);
	else
		buf_printf(buf, ":%d", tid);
}

/* ---- place --------------------------------------------------------------------------------- */

static uint64_t dso_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	(void)use;
	return env->dso_name[env->profile->frames.items[frame].dso];
}

static uint64_t dso_size_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	const struct dso *dso = profile_frame_dso(env->profile, frame);

	(void)use;
	return dso ? dso->mapped_size : 0;
}

static uint64_t symbol_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	(void)use;
	return env->function[frame];
}

char field_mode_letter(uint8_t mode)
{
	switch (mode) {
	case MACHINE_MODE_KERNEL:
		return 'k';
	case MACHINE_MODE_HYPERVISOR:
		return 'H';
	case MACHINE_MODE_GUEST_KERNEL:
		return 'g';
	case MACHINE_MODE_GUEST_USER:
		return 'u';
	default:
		return '.';
	}
}

/* 16 digits, and the 0x in front of all but zero: as perf's readers know it. */
static void print_address(uint64_t addr, struct buf *buf)
{
	if (addr)
		buf_str(buf, "0x");
	for (int shift = 60; shift >= 0; shift -= 4)
		buf_putc(buf, "0123456789abcdef"[addr >> shift & 15]);
}

static void symbol_print_head(const env_t *env, uint32_t frame, struct buf *buf)
{
	const struct frame *f = &env->profile->frames.items[frame];

	if (env->verbose) {
		size_t from = buf->size;

		buf_str(buf, "0x");
		buf_hex(buf, f->offset);
		buf_fill(buf, ' ', 19 - (buf->size - from));
	}
	buf_putc(buf, '[');
	buf_putc(buf, field_mode_letter(f->mode));
	buf_str(buf, "] ");
}

/* Callers in no mapping have no addresses worth telling: they are one frame. */
static bool is_nowhere(const struct frame *frame)
{
	return !frame->dso && !frame->offset;
}

static void symbol_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	uint32_t frame = (uint32_t)value;
	const char *name = profile_frame_name(env->profile, frame);

	(void)use;
	symbol_print_head(env, frame, buf);
	if (name)
		buf_str(buf, name);
	else if (is_nowhere(&env->profile->frames.items[frame]))
		buf_str(buf, "[unknown]");
	else
		print_address(env->profile->frames.items[frame].offset, buf);
}

static const char *symbol_text(const env_t *env, use_t *use, uint64_t value)
{
	(void)use;
	return profile_frame_name(env->profile, (uint32_t)value);
}

static int symbol_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	const char *name_a = profile_frame_name(env->profile, (uint32_t)a);
	const char *name_b = profile_frame_name(env->profile, (uint32_t)b);
	uint64_t at_a = env->profile->frames.items[a].offset, at_b = env->profile->frames.items[b].offset;

	(void)use;
	if (name_a && name_b)
		return strcmp(name_a, name_b);
	if (name_a || name_b)
		return name_a ? -1 : 1;
	return at_a < at_b ? -1 : at_a > at_b;
}

static struct symbol symbol_at(const env_t *env, uint32_t frame)
{
	const struct frame *f = &env->profile->frames.items[frame];

	if (f->symbol == SYMBOL_NONE || !env->profile->symbolizer)
		return (struct symbol){ .start = f->offset, .end = f->offset };
	return symbolizer_symbol(env->profile->symbolizer, (struct dso_id){ f->dso }, f->symbol);
}

static uint64_t symbol_size_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	struct symbol symbol = symbol_at(env, frame);

	(void)use;
	return symbol.end - symbol.start;
}

/* Frames that name the exact address: the frame itself is the value. */
static uint64_t frame_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	(void)env, (void)use;
	return frame;
}

static uint64_t offset_in_symbol(const env_t *env, uint32_t frame)
{
	const struct frame *f = &env->profile->frames.items[frame];
	uint64_t vaddr = f->offset;

	if (env->profile->symbolizer)
		vaddr = symbolizer_vaddr(env->profile->symbolizer, (struct dso_id){ f->dso }, f->offset);
	return vaddr - symbol_at(env, frame).start;
}

static void symoff_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	symbol_print(env, use, value, buf);
	if (env->profile->frames.items[value].symbol != SYMBOL_NONE) {
		buf_str(buf, "+0x");
		buf_hex(buf, offset_in_symbol(env, (uint32_t)value));
	}
}

static int symoff_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	int diff = symbol_compare(env, use, a, b);
	uint64_t at_a = env->profile->frames.items[a].offset, at_b = env->profile->frames.items[b].offset;

	return diff ? diff : at_a < at_b ? -1 : at_a > at_b;
}

/* "file.c:12" as the DWARF says. */
static bool srcline_find(const env_t *env, uint32_t frame, struct buf *buf)
{
	const struct frame *f = &env->profile->frames.items[frame];
	size_t size = buf->size;
	const char *slash;

	if (!env->profile->symbolizer || !f->dso ||
	    !symbolizer_srcline(env->profile->symbolizer, (struct dso_id){ f->dso }, f->offset, buf)) {
		buf->size = size;
		return false;
	}
	buf_text(buf);
	slash = env->full_source_path ? NULL : strrchr(buf->data + size, '/');
	if (slash) {
		size_t tail = buf->size - (size_t)(slash + 1 - buf->data);

		memmove(buf->data + size, slash + 1, tail);
		buf->size = size + tail;
	}
	return true;
}

/* The same, or "function+34" and "libx.so[1234]" where the DWARF does not say. */
static bool srcline_print(env_t *env, uint32_t frame, struct buf *buf)
{
	const struct frame *f = &env->profile->frames.items[frame];
	const char *name = profile_frame_name(env->profile, frame);

	if (srcline_find(env, frame, buf))
		return true;
	if (name)
		buf_printf(buf, "%s+%llu", name, (unsigned long long)offset_in_symbol(env, frame));
	else
		buf_printf(buf, "%s[%llx]", value_text(env, env->dso_name[f->dso]), (unsigned long long)f->offset);
	return false;
}

void field_print_place(const struct field_env *env, uint32_t frame, bool with_offset, struct buf *buf)
{
	bool has_name = profile_frame_name(env->profile, frame) != NULL;

	field_print_frame(env, frame, buf);
	if (!has_name)
		return;
	buf_putc(buf, ' ');
	if (srcline_find(env, frame, buf))
		return;
	if (with_offset)
		buf_printf(buf, "+%llu", (unsigned long long)offset_in_symbol(env, frame));
	else
		buf_str(buf, "??:0");
}

uint32_t field_env_line(struct field_env *env, uint32_t frame)
{
	env->scratch.size = 0;
	return srcline_find(env, frame, &env->scratch) ? (uint32_t)intern_value(env, buf_text(&env->scratch)) : 0;
}

static uint64_t srcline_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	bool file_only = !strcmp(use->field->name, "srcfile");
	uint32_t **memo = file_only ? &env->srcfile : &env->srcline;
	char *colon;

	if (!*memo)
		*memo = xcalloc(env->profile->frames.nr, sizeof(**memo));
	if (!(*memo)[frame]) {
		env->scratch.size = 0;
		if (!srcline_print(env, frame, &env->scratch) && file_only)
			env->scratch.size = 0;
		buf_text(&env->scratch);
		colon = strrchr(env->scratch.data, ':');
		if (file_only && colon)
			*colon = '\0';
		(*memo)[frame] = 1 + (uint32_t)intern_value(env, env->scratch.data);
	}
	return (*memo)[frame] - 1;
}

static uint64_t parent_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	(void)use;
	return env->stack_parent ? env->stack_parent[row->stack] : 0;
}

static void parent_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	const char *name = value ? profile_frame_name(env->profile, (uint32_t)value - 1) : NULL;

	(void)use;
	buf_str(buf, name ? name : "[other]");
}

/* ---- the sample's circumstances ------------------------------------------------------------ */

static uint64_t extra(const env_t *env, const struct profile_row *row, enum profile_extra column)
{
	return profile_extra_value(env->profile, row->extra, column);
}

#define EXTRA_GETTER(function, column)                                                              \
	static uint64_t function(env_t *env, use_t *use, const struct profile_row *row)             \
	{                                                                                           \
		(void)use;                                                                          \
		return extra(env, row, column);                                                     \
	}
EXTRA_GETTER(cpu_of_row, PROFILE_EXTRA_CPU)
EXTRA_GETTER(time_of_row, PROFILE_EXTRA_TIME)
EXTRA_GETTER(ip_of_row, PROFILE_EXTRA_IP)
EXTRA_GETTER(transaction_of_row, PROFILE_EXTRA_TRANSACTION)
EXTRA_GETTER(code_page_size_of_row, PROFILE_EXTRA_CODE_PAGE_SIZE)
EXTRA_GETTER(data_page_size_of_row, PROFILE_EXTRA_DATA_PAGE_SIZE)
EXTRA_GETTER(phys_addr_of_row, PROFILE_EXTRA_PHYS_ADDR)
EXTRA_GETTER(cgroup_of_row, PROFILE_EXTRA_CGROUP)
EXTRA_GETTER(parallelism_of_row, PROFILE_EXTRA_PARALLELISM)

static void cpu_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)env, (void)use;
	buf_printf(buf, "%.3d", (int32_t)value);
}

static uint64_t socket_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	uint64_t cpu = extra(env, row, PROFILE_EXTRA_CPU);

	(void)use;
	return cpu < env->nr_cpu_sockets && env->cpu_socket ? (uint32_t)env->cpu_socket[cpu] : UINT32_MAX;
}

static void time_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)use;
	if (value == RECORD_NO_TIME)
		buf_str(buf, "N/A");
	else if (env->time_in_ns)
		buf_printf(buf, "%llu.%09llu", (unsigned long long)(value / 1000000000),
			   (unsigned long long)(value % 1000000000));
	else
		buf_printf(buf, "%llu.%06llu", (unsigned long long)(value / 1000000000),
			   (unsigned long long)(value % 1000000000 / 1000));
}

static void addr_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)env, (void)use;
	buf_str(buf, "0x");
	buf_hex(buf, value);
}

/* The kernel's addresses, negative ones, stand first. */
static int addr_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	(void)env, (void)use;
	return (int64_t)a < (int64_t)b ? -1 : (int64_t)a > (int64_t)b;
}

/* Which part of the 64 bits: WEIGHT_STRUCT packs three numbers, plain WEIGHT is one. */
static uint64_t weight_part(const env_t *env, const struct profile_row *row, unsigned part)
{
	uint64_t weight = extra(env, row, PROFILE_EXTRA_WEIGHT);
	const struct event_table *events = env->profile->events;

	if (!events || !(events->events.items[row->event].attr.sample_type & SAMPLE_WEIGHT_STRUCT))
		return part ? 0 : weight;
	return part == 0 ? (uint32_t)weight : part == 1 ? (uint16_t)(weight >> 32) : (uint16_t)(weight >> 48);
}

#define WEIGHT_GETTER(function, part)                                                               \
	static uint64_t function(env_t *env, use_t *use, const struct profile_row *row)             \
	{                                                                                           \
		(void)use;                                                                          \
		return weight_part(env, row, part);                                                 \
	}
WEIGHT_GETTER(weight_of_row, 0)
WEIGHT_GETTER(instruction_latency_of_row, 1)
WEIGHT_GETTER(retire_latency_of_row, 2)

/* Names of the PERF_TXN_* bits of include/uapi/linux/perf_event.h. */
static void transaction_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} names[] = {
		{ PERF_TXN_ELISION, "EL" },
		{ PERF_TXN_TRANSACTION, "TX" },
		{ PERF_TXN_SYNC, "SYNC" },
		{ PERF_TXN_ASYNC, "ASYNC" },
		{ PERF_TXN_RETRY, "RETRY" },
		{ PERF_TXN_CONFLICT, "CON" },
		{ PERF_TXN_CAPACITY_WRITE, "CAP-WRITE" },
		{ PERF_TXN_CAPACITY_READ, "CAP-READ" },
	};
	const char *separator = "";

	(void)env, (void)use;
	for (size_t i = 0; i < NR_ITEMS(names); i++) {
		if (!(value & names[i].bit))
			continue;
		buf_str(buf, separator);
		buf_str(buf, names[i].name);
		separator = " ";
	}
	if (value & PERF_TXN_ABORT_MASK)
		buf_printf(buf, "%s:%llx", separator, (unsigned long long)(value >> PERF_TXN_ABORT_SHIFT));
}

static void page_size_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	static const char units[] = "\0KMGT";
	unsigned unit = 0;

	(void)env, (void)use;
	if (!value) {
		buf_str(buf, "N/A");
		return;
	}
	while (value >= 1024 && value % 1024 == 0 && unit < 4)
		value /= 1024, unit++;
	buf_u64(buf, value);
	if (units[unit])
		buf_putc(buf, units[unit]);
}

static void cgroup_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	const char *path = value && env->profile->machine ? machine_cgroup(env->profile->machine, value) : NULL;

	(void)use;
	if (path)
		buf_str(buf, path);
	else if (value)
		buf_printf(buf, "unknown[%llu]", (unsigned long long)value);
	else
		buf_str(buf, "N/A");
}

/* ---- tracepoints --------------------------------------------------------------------------- */

static struct span raw_of_row(const env_t *env, const struct profile_row *row)
{
	struct str_id id = { (uint32_t)extra(env, row, PROFILE_EXTRA_RAW) };

	return (struct span){ (const uint8_t *)intern_text(&env->profile->strings, id),
			      intern_size(&env->profile->strings, id) };
}

static const struct tracepoint_format *format_of_event(const env_t *env, uint32_t event)
{
	const struct event_table *events = env->profile->events;

	if (!env->formats || !events || events->events.items[event].attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	return tracepoint_format_find(env->formats, events->events.items[event].attr.config);
}

static void print_raw_fields(const struct tracepoint_format *format, struct span payload, struct buf *buf)
{
	for (unsigned i = 0; i < format->nr_fields; i++) {
		const struct tracepoint_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		buf_printf(buf, " %s=", field->name);
		tracepoint_field_print(format, field, payload, buf);
	}
}

static uint64_t trace_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	const struct tracepoint_format *format = format_of_event(env, row->event);

	(void)use;
	if (!format)
		return intern_value(env, "N/A");
	env->scratch.size = 0;
	if (env->raw_trace || !format->program)
		print_raw_fields(format, raw_of_row(env, row), &env->scratch);
	else
		tracepoint_format_print(format, raw_of_row(env, row), NULL, &env->scratch);
	return intern_value(env, buf_text(&env->scratch));
}

static uint64_t trace_field_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	if (row->event != use->trace->event)
		return VALUE_NONE;
	env->scratch.size = 0;
	if (env->raw_trace)
		tracepoint_field_print(use->trace->format, use->trace->field, raw_of_row(env, row), &env->scratch);
	else
		field_trace_print(use->trace, raw_of_row(env, row), &env->scratch);
	return intern_value(env, buf_text(&env->scratch));
}

static void trace_field_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)use;
	if (value != VALUE_NONE)
		buf_str(buf, value_text(env, value));
}

static int trace_field_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	if (a == VALUE_NONE || b == VALUE_NONE)
		return a == b ? 0 : a == VALUE_NONE ? 1 : -1;
	return field_trace_compare(use->trace, value_text(env, a), value_text(env, b));
}

/* ---- the table ----------------------------------------------------------------------------- */

#define SYMBOLS FIELD_NEEDS_SYMBOLS
#define ADDRESSES FIELD_NEEDS_ADDRESSES

#define PERCENT_FIELD(field_name, field_title, what) \
	{ .name = field_name, .title = field_title, .kind = FIELD_AMOUNT, .amount = what, .width = 8 }
#define NUMBER_FIELD(field_name, field_title, what)                                         \
	{ .name = field_name, .title = field_title, .kind = FIELD_AMOUNT, .amount = what,   \
	  .format = FIELD_NUMBER, .width = 12 }
#define WEIGHT_FIELD(field_name, field_title, what)                                                   \
	{ .name = field_name, .title = field_title, .kind = FIELD_AMOUNT, .amount = what,             \
	  .format = FIELD_AVERAGE, .width = 8, .extras = EXTRA(WEIGHT) }
#define LATENCY_FIELD(field_name, field_title, what)                                      \
	{ .name = field_name, .title = field_title, .kind = FIELD_AMOUNT, .amount = what, \
	  .format = FIELD_PERCENT_LATENCY, .width = 8, .extras = EXTRA(PARALLELISM) }
#define CONTEXT_FIELD(field_name, field_title, getter, printer) \
	.name = field_name, .title = field_title, .kind = FIELD_CONTEXT, .of_row = getter, .print = printer
#define FRAME_FIELD(field_name, field_title, getter, printer) \
	.name = field_name, .title = field_title, .kind = FIELD_FRAME, .of_frame = getter, .print = printer
#define REFUSED(field_name, why) { .name = field_name, .title = why, .kind = FIELD_REFUSED, .flags = FIELD_HIDDEN }
#define MEMORY "needs memory addresses (perf mem), which this version does not read"
#define BRANCH "needs branch records, which this version does not read"
#define DATA_TYPE "needs data type profiling, which this version does not do"

static const struct field trace_field = {
	.name = "<field>", .title = "", .kind = FIELD_CONTEXT, .flags = FIELD_RIGHT | FIELD_TRACE,
	.extras = EXTRA(RAW), .of_row = trace_field_of_row, .print = trace_field_print, .compare = trace_field_compare,
};

const struct field field_table[] = {
	PERCENT_FIELD("overhead", "Overhead", AMOUNT_SELF),
	PERCENT_FIELD("overhead_children", "Children", AMOUNT_TOTAL),
	PERCENT_FIELD("overhead_sys", "sys", AMOUNT_KERNEL),
	PERCENT_FIELD("overhead_us", "usr", AMOUNT_USER),
	PERCENT_FIELD("overhead_guest_sys", "guest sys", AMOUNT_GUEST_KERNEL),
	PERCENT_FIELD("overhead_guest_us", "guest usr", AMOUNT_GUEST_USER),
	LATENCY_FIELD("latency", "Latency", AMOUNT_LATENCY),
	{ .name = "latency_children", .title = "Latency", .kind = FIELD_AMOUNT, .amount = AMOUNT_LATENCY_TOTAL,
	  .format = FIELD_PERCENT_LATENCY, .width = 7, .extras = EXTRA(PARALLELISM) },
	NUMBER_FIELD("sample", "Samples", AMOUNT_SAMPLES),
	NUMBER_FIELD("period", "Period", AMOUNT_SELF),
	WEIGHT_FIELD("weight1", "Weight1", AMOUNT_WEIGHT1),
	WEIGHT_FIELD("weight2", "Weight2", AMOUNT_WEIGHT2),
	WEIGHT_FIELD("weight3", "Weight3", AMOUNT_WEIGHT3),

	{ CONTEXT_FIELD("comm", "Command", comm_of_row, comm_print), .compare = comm_compare },
	{ CONTEXT_FIELD("comm_nodigit", "CommandNoDigit", comm_nodigit_of_row, print_text), .compare = compare_text, .text = text_of_value },
	{ CONTEXT_FIELD("pid", "    Pid:Command", tid_of_row, task_print) },
	{ CONTEXT_FIELD("tgid", "   Tgid:Command", pid_of_row, task_print) },
	{ FRAME_FIELD("dso", "Shared Object", dso_of_frame, print_text), .compare = compare_text, .text = text_of_value },
	{ FRAME_FIELD("dso_size", "DSO size", dso_size_of_frame, print_number), .flags = FIELD_RIGHT },
	{ FRAME_FIELD("symbol", "Symbol", symbol_of_frame, symbol_print), .compare = symbol_compare,
	  .text = symbol_text, .flags = SYMBOLS | FIELD_RAGGED },
	{ FRAME_FIELD("sym", "Symbol", symbol_of_frame, symbol_print), .compare = symbol_compare,
	  .text = symbol_text, .flags = SYMBOLS | FIELD_RAGGED | FIELD_HIDDEN },
	{ FRAME_FIELD("symbol_size", "Symbol size", symbol_size_of_frame, print_number),
	  .flags = SYMBOLS | FIELD_RIGHT },
	{ FRAME_FIELD("symoff", "Symbol Offset", frame_of_frame, symoff_print), .compare = symoff_compare,
	  .flags = SYMBOLS | ADDRESSES | FIELD_RAGGED },
	{ FRAME_FIELD("srcline", "Source:Line", srcline_of_frame, print_text), .compare = compare_text,
	  .text = text_of_value, .flags = SYMBOLS | ADDRESSES | FIELD_RAGGED },
	{ FRAME_FIELD("srcfile", "Source File", srcline_of_frame, print_text), .compare = compare_text,
	  .text = text_of_value, .flags = SYMBOLS | ADDRESSES | FIELD_RAGGED },
	{ CONTEXT_FIELD("parent", "Parent symbol", parent_of_row, parent_print),
	  .flags = SYMBOLS | FIELD_NEEDS_STACKS },
	{ CONTEXT_FIELD("cpu", "CPU", cpu_of_row, cpu_print), .flags = FIELD_RIGHT, .extras = EXTRA(CPU) },
	{ CONTEXT_FIELD("socket", "Socket", socket_of_row, cpu_print), .flags = FIELD_RIGHT, .extras = EXTRA(CPU) },
	{ CONTEXT_FIELD("time", "Time", time_of_row, time_print), .flags = FIELD_RAGGED, .extras = EXTRA(TIME),
	  .width = 12 },
	{ CONTEXT_FIELD("addr", "Address", ip_of_row, addr_print), .compare = addr_compare, .extras = EXTRA(IP) },
	{ CONTEXT_FIELD("cgroup", "Cgroup", cgroup_of_row, cgroup_print), .flags = FIELD_RAGGED,
	  .extras = EXTRA(CGROUP) },
	{ CONTEXT_FIELD("parallelism", "Parallelism", parallelism_of_row, print_number), .flags = FIELD_RIGHT,
	  .extras = EXTRA(PARALLELISM) },
	{ CONTEXT_FIELD("weight", "Weight", weight_of_row, print_number), .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("local_weight", "Local Weight", weight_of_row, print_number), .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("ins_lat", "INSTR Latency", instruction_latency_of_row, print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("local_ins_lat", "Local INSTR Latency", instruction_latency_of_row, print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("p_stage_cyc", "Pipeline Stage Cycle", retire_latency_of_row, print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("local_p_stage_cyc", "Local Pipeline Stage Cycle", retire_latency_of_row, print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("retire_lat", "Retire Latency", retire_latency_of_row, print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("local_retire_lat", "Local Retire Latency", retire_latency_of_row, print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("transaction", "Transaction", transaction_of_row, transaction_print),
	  .extras = EXTRA(TRANSACTION) },
	{ CONTEXT_FIELD("code_page_size", "Code Page Size", code_page_size_of_row, page_size_print),
	  .extras = EXTRA(CODE_PAGE_SIZE) },
	{ CONTEXT_FIELD("data_page_size", "Data Page Size", data_page_size_of_row, page_size_print),
	  .extras = EXTRA(DATA_PAGE_SIZE) },
	{ CONTEXT_FIELD("phys_daddr", "Data Physical Address", phys_addr_of_row, addr_print),
	  .extras = EXTRA(PHYS_ADDR) },
	{ CONTEXT_FIELD("trace", "Trace output", trace_of_row, print_text), .compare = compare_text,
	  .text = text_of_value, .flags = FIELD_RAGGED | FIELD_TRACE, .extras = EXTRA(RAW) },

	REFUSED("cgroup_id", "needs the namespaces of each task at each time, which this version does not keep"),
	REFUSED("simd", "needs Arm SPE records, which this version does not read"),
	REFUSED("ipc_null", "is an internal column of perf, without content"),
	REFUSED("ipc_lbr", BRANCH),
	REFUSED("type", DATA_TYPE),
	REFUSED("typeoff", DATA_TYPE),
	REFUSED("typecln", DATA_TYPE),
	REFUSED("dso_from", BRANCH),
	REFUSED("dso_to", BRANCH),
	REFUSED("symbol_from", BRANCH),
	REFUSED("symbol_to", BRANCH),
	REFUSED("srcline_from", BRANCH),
	REFUSED("srcline_to", BRANCH),
	REFUSED("addr_from", BRANCH),
	REFUSED("addr_to", BRANCH),
	REFUSED("mispredict", BRANCH),
	REFUSED("abort", BRANCH),
	REFUSED("in_tx", BRANCH),
	REFUSED("cycles", BRANCH),
	REFUSED("callchain_branch_predicted", BRANCH),
	REFUSED("callchain_branch_abort", BRANCH),
	REFUSED("callchain_branch_cycles", BRANCH),
	REFUSED("symbol_daddr", MEMORY),
	REFUSED("symbol_iaddr", MEMORY),
	REFUSED("dso_daddr", MEMORY),
	REFUSED("locked", MEMORY),
	REFUSED("tlb", MEMORY),
	REFUSED("mem", MEMORY),
	REFUSED("snoop", MEMORY),
	REFUSED("dcacheline", MEMORY),
	REFUSED("blocked", MEMORY),
	REFUSED("op", MEMORY),
	REFUSED("cache", MEMORY),
	REFUSED("memory", MEMORY),
	REFUSED("dtlb", MEMORY),
	{ .name = NULL },
};

const struct field *field_find(const char *name)
{
	for (const struct field *field = field_table; field->name; field++)
		if (!strcmp(field->name, name))
			return field;
	return NULL;
}

void field_print_names(struct buf *buf)
{
	const char *separator = "";

	for (const struct field *field = field_table; field->name; field++) {
		if (field->flags & FIELD_HIDDEN)
			continue;
		buf_str(buf, separator);
		buf_str(buf, field->name);
		separator = " ";
	}
}

/* ---- lists of fields ----------------------------------------------------------------------- */

bool field_use_equal(const struct field_use *a, const struct field_use *b)
{
	if (a->trace || b->trace)
		return a->trace && b->trace && a->trace->event == b->trace->event &&
		       a->trace->field == b->trace->field && a->trace->is_raw == b->trace->is_raw;
	return a->field == b->field || (a->field->of_frame == symbol_of_frame && b->field->of_frame == symbol_of_frame);
}

const char *field_use_title(const struct field_use *use)
{
	return use->trace ? use->trace->name : use->field->title;
}

bool field_list_has(const struct field_list *list, const struct field_use *use)
{
	for (size_t i = 0; i < list->uses.nr; i++)
		if (field_use_equal(&list->uses.items[i], use))
			return true;
	return false;
}

bool field_list_has_name(const struct field_list *list, const char *name)
{
	struct field_use use = { field_find(name), NULL };

	return field_list_has(list, &use);
}

static void list_push(struct field_list *list, struct field_use use)
{
	array_push(&list->uses, use);
}

void field_list_add(struct field_list *list, const char *name)
{
	struct field_use use = { field_find(name), NULL };

	if (!field_list_has(list, &use))
		list_push(list, use);
}

void field_list_release(struct field_list *list)
{
	for (size_t i = 0; i < list->uses.nr; i++)
		field_trace_free(list->uses.items[i].trace);
	array_release(&list->uses);
}

static void add_trace_field(struct field_list *list, uint32_t event, const struct tracepoint_format *format,
			    const struct tracepoint_field *field, bool is_raw)
{
	struct field_use use = { &trace_field, field_trace_new(event, format, field, is_raw) };

	if (field_list_has(list, &use))
		field_trace_free(use.trace);
	else
		list_push(list, use);
}

static unsigned add_trace_fields_of(struct field_list *list, uint32_t event, const struct tracepoint_format *format,
				    const char *name, bool is_raw)
{
	bool all = !strcmp(name, "*");
	unsigned nr = 0;

	for (unsigned i = 0; i < format->nr_fields; i++) {
		const struct tracepoint_field *field = &format->fields[i];

		if (all ? field->is_common : strcmp(field->name, name) != 0)
			continue;
		add_trace_field(list, event, format, field, is_raw);
		nr++;
	}
	return nr;
}

/* "next_pid", "switch.next_pid", "%2.next_pid", "sched:sched_switch.*", each with "/raw" behind it or not. */
static bool add_trace_fields(struct field_list *list, const char *word, const struct event_table *events,
			     struct tracepoint_format_table *formats)
{
	char *copy = xstrdup(word), *name = strchr(copy, '.'), *event_name = NULL, *slash;
	bool all = !strcmp(word, "trace_fields"), is_raw = false;
	unsigned long index = 0;
	unsigned nr = 0;

	if (name) {
		event_name = copy;
		*name++ = '\0';
		if (*event_name == '%')
			index = strtoul(event_name + 1, NULL, 10);
	} else {
		name = copy;
	}
	slash = strchr(name, '/');
	if (slash && !strcmp(slash, "/raw")) {
		*slash = '\0';
		is_raw = true;
	}
	for (uint32_t i = 0; i < events->events.nr; i++) {
		const struct recorded_event *event = &events->events.items[i];
		const struct tracepoint_format *format;

		if (event->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		if (event_name && (index ? index != i + 1 : !strstr(event->name, event_name)))
			continue;
		format = tracepoint_format_find(formats, event->attr.config);
		if (format)
			nr += add_trace_fields_of(list, i, format, all ? "*" : name, is_raw);
	}
	free(copy);
	return nr || all;
}

static int parse_word(struct field_list *list, const char *word, const char *what, const struct event_table *events,
		      struct tracepoint_format_table *formats, struct err *err)
{
	const struct field *field = field_find(word);

	if (field && field->kind == FIELD_REFUSED)
		return err_set(err, -EOPNOTSUPP, "%s key `%s' %s", what, word, field->title);
	if (field) {
		struct field_use use = { field, NULL };

		if (!field_list_has(list, &use))
			list_push(list, use);
		return 0;
	}
	if (formats && events && add_trace_fields(list, word, events, formats))
		return 0;
	if (!strcmp(word, "trace_fields"))
		return 0;
	return err_set(err, -EINVAL, "Unknown %s key: `%s'", what, word);
}

int field_list_parse(struct field_list *list, const char *text, const char *what, const struct event_table *events,
		     struct tracepoint_format_table *formats, struct err *err)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	int result = 0;

	while (!result && (word = strsep(&rest, ", ")))
		if (*word)
			result = parse_word(list, word, what, events, formats, err);
	free(copy);
	return result;
}

/* ---- what getters share -------------------------------------------------------------------- */

/*
 * Frames of one function: the same DSO name and start. With frames per address there are many to a function, and
 * files that are mapped under several paths (a library in three containers) are several DSOs.
 */
static uint64_t function_start(const struct field_env *env, uint32_t frame)
{
	return env->by_address ? symbol_at(env, frame).start : env->profile->frames.items[frame].offset;
}

static void find_functions(struct field_env *env)
{
	const struct profile *profile = env->profile;
	struct hash_index index;

	hash_index_init(&index, (uint32_t)profile->frames.nr);
	for (uint32_t i = 0; i < profile->frames.nr; i++) {
		const struct frame *frame = &profile->frames.items[i];
		uint32_t name = env->dso_name[frame->dso], other, pos;
		bool named = frame->symbol != SYMBOL_NONE;
		uint64_t start = function_start(env, i);
		uint64_t hash = hash_pair(start, (uint64_t)name << 1 | named);

		pos = hash_index_start(&index, hash);
		while ((other = hash_index_next(&index, hash, &pos)) != HASH_NONE) {
			const struct frame *seen = &profile->frames.items[other];

			if (env->dso_name[seen->dso] == name && (seen->symbol != SYMBOL_NONE) == named &&
			    function_start(env, other) == start)
				break;
		}
		if (other == HASH_NONE)
			hash_index_insert(&index, hash, i);
		env->function[i] = other == HASH_NONE ? i : other;
	}
	hash_index_release(&index);
}

void field_env_init(struct field_env *env, const struct profile *profile, bool by_address, bool verbose)
{
	uint32_t nr_dsos = 1;

	*env = (struct field_env){ .profile = profile, .by_address = by_address, .verbose = verbose,
				   .scratch = BUF_INIT };
	intern_init(&env->texts);
	if (profile->machine)
		nr_dsos = machine_nr_dsos(profile->machine);
	env->dso_name = xcalloc(nr_dsos + 1, sizeof(*env->dso_name));
	for (uint32_t i = 0; i < nr_dsos; i++) {
		const struct dso *dso = profile->machine ? machine_dso(profile->machine, (struct dso_id){ i }) : NULL;

		env->dso_name[i] = intern_string(&env->texts, !dso || !i ? "[unknown]" : verbose ? dso->path : dso->name).v;
	}
	env->function = xcalloc(profile->frames.nr + 1, sizeof(*env->function));
	find_functions(env);
}

void field_env_release(struct field_env *env)
{
	intern_release(&env->texts);
	buf_release(&env->scratch);
	free(env->function);
	free(env->dso_name);
	free(env->srcline);
	free(env->srcfile);
}

void field_print_frame(const struct field_env *env, uint32_t frame, struct buf *buf)
{
	const struct frame *f = &env->profile->frames.items[frame];
	const char *name = profile_frame_name(env->profile, frame);

	if (name) {
		buf_str(buf, name);
		return;
	}
	if (f->dso) {
		buf_str(buf, value_text(env, env->dso_name[f->dso]));
		buf_putc(buf, '+');
	} else if (is_nowhere(f)) {
		buf_str(buf, "[unknown]");
		return;
	}
	buf_str(buf, "0x");
	buf_hex(buf, f->offset);
}
