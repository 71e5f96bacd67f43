/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that ask for the circumstances of a sample: CPU, time, weights, pages, payloads of tracepoints. */
#include "profile/field_value.h"

#include <linux/perf_event.h>

#include "profile/field_trace.h"

#define VALUE_NONE UINT64_MAX
#define SAMPLE_WEIGHT_STRUCT (1ull << 24) /* PERF_SAMPLE_WEIGHT_STRUCT, newer than some headers */

typedef const struct field_use use_t;
typedef struct field_env env_t;

static uint64_t extra(const env_t *env, const struct profile_row *row, enum profile_extra column)
{
	return profile_extra_value(env->profile, row->extra, column);
}

#define EXTRA_GETTER(function, column) \
	uint64_t function(env_t *env, use_t *use, const struct profile_row *row) \
	{ \
		(void)use; \
		return extra(env, row, column); \
	}
EXTRA_GETTER(field_value_cpu_of_row, PROFILE_EXTRA_CPU)
EXTRA_GETTER(field_value_time_of_row, PROFILE_EXTRA_TIME)
EXTRA_GETTER(field_value_ip_of_row, PROFILE_EXTRA_IP)
EXTRA_GETTER(field_value_transaction_of_row, PROFILE_EXTRA_TRANSACTION)
EXTRA_GETTER(field_value_code_page_size_of_row, PROFILE_EXTRA_CODE_PAGE_SIZE)
EXTRA_GETTER(field_value_data_page_size_of_row, PROFILE_EXTRA_DATA_PAGE_SIZE)
EXTRA_GETTER(field_value_phys_addr_of_row, PROFILE_EXTRA_PHYS_ADDR)
EXTRA_GETTER(field_value_cgroup_of_row, PROFILE_EXTRA_CGROUP)
EXTRA_GETTER(field_value_parallelism_of_row, PROFILE_EXTRA_PARALLELISM)

void field_value_cpu_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)env, (void)use;
	buf_printf(buf, "%.3d", (int32_t)value);
}

uint64_t field_value_socket_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	uint64_t cpu = extra(env, row, PROFILE_EXTRA_CPU);

	(void)use;
	return cpu < env->nr_cpu_sockets && env->cpu_socket ? (uint32_t)env->cpu_socket[cpu] : UINT32_MAX;
}

void field_value_time_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
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

void field_value_addr_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)env, (void)use;
	buf_str(buf, "0x");
	buf_hex(buf, value);
}

/* The kernel's addresses, negative ones, stand first. */
int field_value_addr_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
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

#define WEIGHT_GETTER(function, part) \
	uint64_t function(env_t *env, use_t *use, const struct profile_row *row) \
	{ \
		(void)use; \
		return weight_part(env, row, part); \
	}
WEIGHT_GETTER(field_value_weight_of_row, 0)
WEIGHT_GETTER(field_value_instruction_latency_of_row, 1)
WEIGHT_GETTER(field_value_retire_latency_of_row, 2)

/* Names of the PERF_TXN_* bits of include/uapi/linux/perf_event.h. */
void field_value_transaction_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
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

void field_value_page_size_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
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

void field_value_cgroup_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	const char *path = value && env->profile->machine ? machine_cgroup(env->profile->machine, value)
							  : NULL;

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

uint64_t field_value_trace_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	const struct tracepoint_format *format = format_of_event(env, row->event);

	(void)use;
	if (!format)
		return field_value_intern(env, "N/A");
	env->scratch.size = 0;
	if (env->raw_trace || !format->program)
		print_raw_fields(format, raw_of_row(env, row), &env->scratch);
	else
		tracepoint_format_print(format, raw_of_row(env, row), NULL, &env->scratch);
	return field_value_intern(env, buf_text(&env->scratch));
}

uint64_t field_value_trace_field_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	if (row->event != use->trace->event)
		return VALUE_NONE;
	env->scratch.size = 0;
	if (env->raw_trace)
		tracepoint_field_print(use->trace->format, use->trace->field, raw_of_row(env, row),
				       &env->scratch);
	else
		field_trace_print(use->trace, raw_of_row(env, row), &env->scratch);
	return field_value_intern(env, buf_text(&env->scratch));
}

void field_value_trace_field_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)use;
	if (value != VALUE_NONE)
		buf_str(buf, field_value_text(env, value));
}

int field_value_trace_field_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	if (a == VALUE_NONE || b == VALUE_NONE)
		return a == b ? 0 : a == VALUE_NONE ? 1 : -1;
	return field_trace_compare(use->trace, field_value_text(env, a), field_value_text(env, b));
}
