/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An attr in perf's words, field by field in perf's order; fields that are 0 are left out, but for type and config.
 * Bits without a name are printed as a number: perf leaves them out, or prints what stood there before.
 */
#include "record/perfdata_print.h"

#include <inttypes.h>

#include "base/array.h"
#include "record/perfdata_payload.h"
#include "record/sample_bits.h"

static const char *const sample_names[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

static const char *const read_names[] = { "TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST" };

static const char *const branch_names[] = {
	"USER",	    "KERNEL",	 "HV",	      "ANY",	  "ANY_CALL",	"ANY_RETURN", "IND_CALL",
	"ABORT_TX", "IN_TX",	 "NO_TX",     "COND",	  "CALL_STACK", "IND_JUMP",   "CALL",
	"NO_FLAGS", "NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE",	"COUNTERS",
};

static const struct {
	uint64_t bit;
	const char *name;
} flags_before[] = {
	{ ATTR_DISABLED, "disabled" },
	{ ATTR_INHERIT, "inherit" },
	{ ATTR_PINNED, "pinned" },
	{ ATTR_EXCLUSIVE, "exclusive" },
	{ ATTR_EXCLUDE_USER, "exclude_user" },
	{ ATTR_EXCLUDE_KERNEL, "exclude_kernel" },
	{ ATTR_EXCLUDE_HV, "exclude_hv" },
	{ ATTR_EXCLUDE_IDLE, "exclude_idle" },
	{ ATTR_MMAP, "mmap" },
	{ ATTR_COMM, "comm" },
	{ ATTR_FREQ, "freq" },
	{ ATTR_INHERIT_STAT, "inherit_stat" },
	{ ATTR_ENABLE_ON_EXEC, "enable_on_exec" },
	{ ATTR_TASK, "task" },
	{ ATTR_WATERMARK, "watermark" },
	{ ATTR_PRECISE_MASK, "precise_ip" },
	{ ATTR_MMAP_DATA, "mmap_data" },
	{ ATTR_SAMPLE_ID_ALL, "sample_id_all" },
	{ ATTR_EXCLUDE_HOST, "exclude_host" },
	{ ATTR_EXCLUDE_GUEST, "exclude_guest" },
	{ ATTR_EXCLUDE_CALLCHAIN_KERNEL, "exclude_callchain_kernel" },
	{ ATTR_EXCLUDE_CALLCHAIN_USER, "exclude_callchain_user" },
	{ ATTR_MMAP2, "mmap2" },
	{ ATTR_COMM_EXEC, "comm_exec" },
	{ ATTR_USE_CLOCKID, "use_clockid" },
	{ ATTR_CONTEXT_SWITCH, "context_switch" },
	{ ATTR_WRITE_BACKWARD, "write_backward" },
	{ ATTR_NAMESPACES, "namespaces" },
	{ ATTR_KSYMBOL, "ksymbol" },
	{ ATTR_BPF_EVENT, "bpf_event" },
	{ ATTR_AUX_OUTPUT, "aux_output" },
	{ ATTR_CGROUP, "cgroup" },
	{ ATTR_TEXT_POKE, "text_poke" },
	{ ATTR_BUILD_ID, "build_id" },
	{ ATTR_INHERIT_THREAD, "inherit_thread" },
	{ ATTR_REMOVE_ON_EXEC, "remove_on_exec" },
	{ ATTR_SIGTRAP, "sigtrap" },
	{ ATTR_DEFER_CALLCHAIN, "defer_callchain" },
	{ ATTR_DEFER_OUTPUT, "defer_output" },
};

struct attr_printer {
	struct buf *buf;
	const char *assign;
	bool any;
};

static void field_start(struct attr_printer *printer, const char *name)
{
	if (printer->any)
		buf_str(printer->buf, ", ");
	printer->any = true;
	buf_str(printer->buf, name);
	buf_str(printer->buf, printer->assign);
}

static void field_number(struct attr_printer *printer, const char *name, uint64_t value)
{
	if (!value)
		return;
	field_start(printer, name);
	buf_u64(printer->buf, value);
}

static void field_signed(struct attr_printer *printer, const char *name, int64_t value)
{
	if (!value)
		return;
	field_start(printer, name);
	buf_i64(printer->buf, value);
}

static void field_hex(struct attr_printer *printer, const char *name, uint64_t value)
{
	if (!value)
		return;
	field_start(printer, name);
	buf_printf(printer->buf, "0x%" PRIx64, value);
}

/* "IP|TID"; bits without a name as one number. */
static void field_bits(struct attr_printer *printer, const char *name, uint64_t value,
		       const char *const *names, unsigned nr)
{
	bool any = false;

	if (!value)
		return;
	field_start(printer, name);
	for (unsigned bit = 0; bit < nr; bit++) {
		if (!(value >> bit & 1))
			continue;
		if (any)
			buf_putc(printer->buf, '|');
		any = true;
		buf_str(printer->buf, names[bit]);
	}
	value &= ~((1ull << nr) - 1);
	if (value)
		buf_printf(printer->buf, "%s0x%" PRIx64, any ? "|" : "", value);
}

static void field_type(struct attr_printer *printer, uint32_t type, const struct perfdata_features *features)
{
	static const char *const types[] = { "PERF_TYPE_HARDWARE",
					     "PERF_TYPE_SOFTWARE",
					     "PERF_TYPE_TRACEPOINT",
					     "PERF_TYPE_HW_CACHE",
					     NULL,
					     "PERF_TYPE_BREAKPOINT" };
	struct cursor cursor;
	uint32_t nr;

	field_start(printer, "type");
	buf_u64(printer->buf, type);
	if (type < NR_ITEMS(types) && types[type]) {
		buf_printf(printer->buf, " (%s)", types[type]);
		return;
	}
	if (features) {
		cursor = perfdata_payload(features, PERFDATA_PMU_MAPPINGS);
		for (nr = cursor_u32(&cursor); nr && !cursor.failed; nr--) {
			uint32_t pmu = cursor_u32(&cursor);
			const char *name = perfdata_payload_string(&cursor);

			if (name && pmu == type) {
				buf_printf(printer->buf, " (%s)", name);
				return;
			}
		}
	}
	if (type == 4)
		buf_str(printer->buf, " (PERF_TYPE_RAW)");
}

static void field_config(struct attr_printer *printer, const struct event_attr *attr, const char *name)
{
	static const char *const hardware[] = {
		"CPU_CYCLES",
		"INSTRUCTIONS",
		"CACHE_REFERENCES",
		"CACHE_MISSES",
		"BRANCH_INSTRUCTIONS",
		"BRANCH_MISSES",
		"BUS_CYCLES",
		"STALLED_CYCLES_FRONTEND",
		"STALLED_CYCLES_BACKEND",
		"REF_CPU_CYCLES",
	};
	static const char *const software[] = {
		"CPU_CLOCK",	    "TASK_CLOCK",      "PAGE_FAULTS",	  "CONTEXT_SWITCHES",
		"CPU_MIGRATIONS",   "PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ", "ALIGNMENT_FAULTS",
		"EMULATION_FAULTS", "DUMMY",	       "BPF_OUTPUT",	  "CGROUP_SWITCHES",
	};
	static const char *const caches[] = { "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE" };
	static const char *const operations[] = { "READ", "WRITE", "PREFETCH" };
	static const char *const results[] = { "ACCESS", "MISS" };
	uint64_t config = attr->config;

	field_start(printer, "config");
	if (config)
		buf_printf(printer->buf, "0x%" PRIx64, config);
	else
		buf_putc(printer->buf, '0');
	if (attr->type == 0 && config < NR_ITEMS(hardware))
		buf_printf(printer->buf, " (PERF_COUNT_HW_%s)", hardware[config]);
	else if (attr->type == 1 && config < NR_ITEMS(software))
		buf_printf(printer->buf, " (PERF_COUNT_SW_%s)", software[config]);
	else if (attr->type == 2 && name)
		buf_printf(printer->buf, " (%s)", name);
	else if (attr->type == 3 && (config & 0xff) < NR_ITEMS(caches) &&
		 (config >> 8 & 0xff) < NR_ITEMS(operations) && (config >> 16) < NR_ITEMS(results))
		buf_printf(
			printer->buf,
			" (PERF_COUNT_HW_CACHE_RESULT_%s | PERF_COUNT_HW_CACHE_OP_%s | PERF_COUNT_HW_CACHE_%s)",
			results[config >> 16], operations[config >> 8 & 0xff], caches[config & 0xff]);
}

void perfdata_print_attr(const struct event_attr *attr, const char *assign,
			 const struct perfdata_features *features, const char *name, struct buf *buf)
{
	struct attr_printer printer = { buf, assign, false };

	field_type(&printer, attr->type, features);
	field_number(&printer, "size", attr->size);
	field_config(&printer, attr, name);
	field_number(&printer, "{ sample_period, sample_freq }", attr->sample_period);
	field_bits(&printer, "sample_type", attr->sample_type, sample_names, NR_ITEMS(sample_names));
	field_bits(&printer, "read_format", attr->read_format, read_names, NR_ITEMS(read_names));
	for (size_t i = 0; i < NR_ITEMS(flags_before); i++) {
		uint64_t bit = flags_before[i].bit;

		field_number(&printer, flags_before[i].name, (attr->flags & bit) >> __builtin_ctzll(bit));
	}
	field_number(&printer, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	field_number(&printer, "bp_type", attr->bp_type);
	field_hex(&printer, "{ bp_addr, config1 }", attr->config1);
	field_hex(&printer, "{ bp_len, config2 }", attr->config2);
	field_bits(&printer, "branch_sample_type", attr->branch_sample_type, branch_names,
		   NR_ITEMS(branch_names));
	field_hex(&printer, "sample_regs_user", attr->sample_regs_user);
	field_number(&printer, "sample_stack_user", attr->sample_stack_user);
	field_signed(&printer, "clockid", attr->clockid);
	field_hex(&printer, "sample_regs_intr", attr->sample_regs_intr);
	field_number(&printer, "aux_watermark", attr->aux_watermark);
	field_number(&printer, "sample_max_stack", attr->sample_max_stack);
	field_number(&printer, "aux_sample_size", attr->aux_sample_size);
	field_number(&printer, "sig_data", attr->sig_data);
	field_number(&printer, "aux_start_paused", attr->aux_action & 1);
	field_number(&printer, "aux_pause", attr->aux_action >> 1 & 1);
	field_number(&printer, "aux_resume", attr->aux_action >> 2 & 1);
	field_hex(&printer, "config3", attr->config3);
	field_hex(&printer, "config4", attr->config4);
}
