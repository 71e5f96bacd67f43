/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of fields, with their getters and printers.
 *
 * Values that are texts (names of DSOs, source lines, printed tracepoints) are interned, so that a value is always a
 * number and two entries are the same when their numbers are. What several frames share is worked out once for each
 * frame (function) or DSO (dso_name), not once for each sample.
 */
#include "profile/field.h"

#include <string.h>

#include "profile/field_value.h"

#define EXTRA(name) (1u << PROFILE_EXTRA_##name)
#define SYMBOLS FIELD_NEEDS_SYMBOLS
#define ADDRESSES FIELD_NEEDS_ADDRESSES

#define PERCENT_FIELD(field_name, field_title, what) \
	{ \
		.name = field_name, .title = field_title, .kind = FIELD_AMOUNT, .amount = what, .width = 8 \
	}
#define NUMBER_FIELD(field_name, field_title, what) \
	{ \
		.name = field_name, .title = field_title, .kind = FIELD_AMOUNT, .amount = what, \
		.format = FIELD_NUMBER, .width = 12 \
	}
#define WEIGHT_FIELD(field_name, field_title, what) \
	{ \
		.name = field_name, .title = field_title, .kind = FIELD_AMOUNT, .amount = what, \
		.format = FIELD_AVERAGE, .width = 8, .extras = EXTRA(WEIGHT) \
	}
#define LATENCY_FIELD(field_name, field_title, what) \
	{ \
		.name = field_name, .title = field_title, .kind = FIELD_AMOUNT, .amount = what, \
		.format = FIELD_PERCENT_LATENCY, .width = 8, .extras = EXTRA(PARALLELISM) \
	}
#define CONTEXT_FIELD(field_name, field_title, getter, printer) \
	.name = field_name, .title = field_title, .kind = FIELD_CONTEXT, .of_row = getter, .print = printer
#define FRAME_FIELD(field_name, field_title, getter, printer) \
	.name = field_name, .title = field_title, .kind = FIELD_FRAME, .of_frame = getter, .print = printer
#define REFUSED(field_name, why) \
	{ \
		.name = field_name, .title = why, .kind = FIELD_REFUSED, .flags = FIELD_HIDDEN \
	}
#define MEMORY "needs memory addresses (perf mem), which this version does not read"
#define BRANCH "needs branch records, which this version does not read"
#define DATA_TYPE "needs data type profiling, which this version does not do"

const struct field field_of_trace = {
	.name = "<field>",
	.title = "",
	.kind = FIELD_CONTEXT,
	.flags = FIELD_RIGHT | FIELD_TRACE,
	.extras = EXTRA(RAW),
	.of_row = field_value_trace_field_of_row,
	.print = field_value_trace_field_print,
	.compare = field_value_trace_field_compare,
};

const struct field field_table[] = {
	PERCENT_FIELD("overhead", "Overhead", AMOUNT_SELF),
	PERCENT_FIELD("overhead_children", "Children", AMOUNT_TOTAL),
	PERCENT_FIELD("overhead_sys", "sys", AMOUNT_KERNEL),
	PERCENT_FIELD("overhead_us", "usr", AMOUNT_USER),
	PERCENT_FIELD("overhead_guest_sys", "guest sys", AMOUNT_GUEST_KERNEL),
	PERCENT_FIELD("overhead_guest_us", "guest usr", AMOUNT_GUEST_USER),
	LATENCY_FIELD("latency", "Latency", AMOUNT_LATENCY),
	{ .name = "latency_children",
	  .title = "Latency",
	  .kind = FIELD_AMOUNT,
	  .amount = AMOUNT_LATENCY_TOTAL,
	  .format = FIELD_PERCENT_LATENCY,
	  .width = 7,
	  .extras = EXTRA(PARALLELISM) },
	NUMBER_FIELD("sample", "Samples", AMOUNT_SAMPLES),
	NUMBER_FIELD("period", "Period", AMOUNT_SELF),
	WEIGHT_FIELD("weight1", "Weight1", AMOUNT_WEIGHT1),
	WEIGHT_FIELD("weight2", "Weight2", AMOUNT_WEIGHT2),
	WEIGHT_FIELD("weight3", "Weight3", AMOUNT_WEIGHT3),

	{ CONTEXT_FIELD("comm", "Command", field_value_comm_of_row, field_value_comm_print),
	  .compare = field_value_comm_compare },
	{ CONTEXT_FIELD("comm_nodigit", "CommandNoDigit", field_value_comm_nodigit_of_row,
			field_value_print_text),
	  .compare = field_value_compare_text, .text = field_value_text_of_value },
	{ CONTEXT_FIELD("pid", "    Pid:Command", field_value_tid_of_row, field_value_task_print) },
	{ CONTEXT_FIELD("tgid", "   Tgid:Command", field_value_pid_of_row, field_value_task_print) },
	{ FRAME_FIELD("dso", "Shared Object", field_value_dso_of_frame, field_value_print_text),
	  .compare = field_value_compare_text, .text = field_value_text_of_value },
	{ FRAME_FIELD("dso_size", "DSO size", field_value_dso_size_of_frame, field_value_print_number),
	  .flags = FIELD_RIGHT },
	{ FRAME_FIELD("symbol", "Symbol", field_value_symbol_of_frame, field_value_symbol_print),
	  .compare = field_value_symbol_compare, .text = field_value_symbol_text,
	  .flags = SYMBOLS | FIELD_RAGGED },
	{ FRAME_FIELD("sym", "Symbol", field_value_symbol_of_frame, field_value_symbol_print),
	  .compare = field_value_symbol_compare, .text = field_value_symbol_text,
	  .flags = SYMBOLS | FIELD_RAGGED | FIELD_HIDDEN },
	{ FRAME_FIELD("symbol_size", "Symbol size", field_value_symbol_size_of_frame,
		      field_value_print_number),
	  .flags = SYMBOLS | FIELD_RIGHT },
	{ FRAME_FIELD("symoff", "Symbol Offset", field_value_frame_of_frame, field_value_symoff_print),
	  .compare = field_value_symoff_compare, .flags = SYMBOLS | ADDRESSES | FIELD_RAGGED },
	{ FRAME_FIELD("srcline", "Source:Line", field_value_srcline_of_frame, field_value_print_text),
	  .compare = field_value_compare_text, .text = field_value_text_of_value,
	  .flags = SYMBOLS | ADDRESSES | FIELD_RAGGED },
	{ FRAME_FIELD("srcfile", "Source File", field_value_srcline_of_frame, field_value_print_text),
	  .compare = field_value_compare_text, .text = field_value_text_of_value,
	  .flags = SYMBOLS | ADDRESSES | FIELD_RAGGED },
	{ CONTEXT_FIELD("parent", "Parent symbol", field_value_parent_of_row, field_value_parent_print),
	  .flags = SYMBOLS | FIELD_NEEDS_STACKS },
	{ CONTEXT_FIELD("cpu", "CPU", field_value_cpu_of_row, field_value_cpu_print), .flags = FIELD_RIGHT,
	  .extras = EXTRA(CPU) },
	{ CONTEXT_FIELD("socket", "Socket", field_value_socket_of_row, field_value_cpu_print),
	  .flags = FIELD_RIGHT, .extras = EXTRA(CPU) },
	{ CONTEXT_FIELD("time", "Time", field_value_time_of_row, field_value_time_print),
	  .flags = FIELD_RAGGED, .extras = EXTRA(TIME), .width = 12 },
	{ CONTEXT_FIELD("addr", "Address", field_value_ip_of_row, field_value_addr_print),
	  .compare = field_value_addr_compare, .extras = EXTRA(IP) },
	{ CONTEXT_FIELD("cgroup", "Cgroup", field_value_cgroup_of_row, field_value_cgroup_print),
	  .flags = FIELD_RAGGED, .extras = EXTRA(CGROUP) },
	{ CONTEXT_FIELD("parallelism", "Parallelism", field_value_parallelism_of_row,
			field_value_print_number),
	  .flags = FIELD_RIGHT, .extras = EXTRA(PARALLELISM) },
	{ CONTEXT_FIELD("weight", "Weight", field_value_weight_of_row, field_value_print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("local_weight", "Local Weight", field_value_weight_of_row, field_value_print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("ins_lat", "INSTR Latency", field_value_instruction_latency_of_row,
			field_value_print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("local_ins_lat", "Local INSTR Latency", field_value_instruction_latency_of_row,
			field_value_print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("p_stage_cyc", "Pipeline Stage Cycle", field_value_retire_latency_of_row,
			field_value_print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("local_p_stage_cyc", "Local Pipeline Stage Cycle", field_value_retire_latency_of_row,
			field_value_print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("retire_lat", "Retire Latency", field_value_retire_latency_of_row,
			field_value_print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("local_retire_lat", "Local Retire Latency", field_value_retire_latency_of_row,
			field_value_print_number),
	  .extras = EXTRA(WEIGHT) },
	{ CONTEXT_FIELD("transaction", "Transaction", field_value_transaction_of_row,
			field_value_transaction_print),
	  .extras = EXTRA(TRANSACTION) },
	{ CONTEXT_FIELD("code_page_size", "Code Page Size", field_value_code_page_size_of_row,
			field_value_page_size_print),
	  .extras = EXTRA(CODE_PAGE_SIZE) },
	{ CONTEXT_FIELD("data_page_size", "Data Page Size", field_value_data_page_size_of_row,
			field_value_page_size_print),
	  .extras = EXTRA(DATA_PAGE_SIZE) },
	{ CONTEXT_FIELD("phys_daddr", "Data Physical Address", field_value_phys_addr_of_row,
			field_value_addr_print),
	  .extras = EXTRA(PHYS_ADDR) },
	{ CONTEXT_FIELD("trace", "Trace output", field_value_trace_of_row, field_value_print_text),
	  .compare = field_value_compare_text, .text = field_value_text_of_value,
	  .flags = FIELD_RAGGED | FIELD_TRACE, .extras = EXTRA(RAW) },

	REFUSED("cgroup_id",
		"needs the namespaces of each task at each time, which this version does not keep"),
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
