/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads of tracepoints: a recording can bring any bytes for a format. The format is one that has every kind of
 * field and conversion; texts of formats themselves go to libtraceevent, which is not ours to fuzz.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/tracepoint_format.h"
#include "record/tracing_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] =
	"name: all\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] list;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:int len;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:__u8 addr[28];\toffset:40;\tsize:28;\tsigned:0;\n"
	"\tfield:u8 byte;\toffset:68;\tsize:1;\tsigned:0;\n"
	"\tfield:u16 half;\toffset:70;\tsize:2;\tsigned:0;\n"
	"\tfield:u64 wide;\toffset:72;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[6];\toffset:80;\tsize:48;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t mask;\toffset:128;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 ip[16];\toffset:132;\tsize:16;\tsigned:0;\n"
	"\tfield:__u8 mac[6];\toffset:148;\tsize:6;\tsigned:0;\n\n"
	"print fmt: \"%s %s %s %.*s %*d %x %hhu %hd %llx %lu %lu %s %s %s %s %pI6c %pM %pISpc %s %d %p %pS %-20s|%08lx\", "
	"__get_str(name), __get_str(rel), REC->comm, REC->len, REC->comm, REC->len, REC->len, REC->len, REC->byte, REC->half, "
	"REC->wide, REC->args[0], REC->args[REC->byte], "
	"__print_symbolic(REC->byte, { 0, \"zero\" }, { 1, \"one\" }, { 200, \"many\" }), "
	"__print_flags(REC->wide, \"|\", { 1, \"A\" }, { 0x100000000, \"B\" }), "
	"__print_hex(REC->addr, REC->len), __print_array(__get_dynamic_array(list), REC->len, 4), REC->ip, REC->mac, REC->addr, "
	"__get_bitmask(mask), REC->wide / REC->half, REC->wide, REC->wide, REC->len > 3 ? REC->comm : \"none\", "
	"REC->args[0]\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tracepoint_format_table *table;
	const struct tracepoint_format *format;
	struct tracepoint_format_table *loaded;
	struct buf buf = BUF_INIT;
	uint8_t *payload = malloc(size + 1);
	struct span span = { payload, size };

	if (!table) {
		table = tracepoint_format_table_new(false, 8);
		if (!tracepoint_format_table_add(table, "fuzz",
						 (struct span){ (const uint8_t *)text, sizeof(text) - 1 }))
			abort();
	}
	memcpy(payload, data, size);
	format = tracepoint_format_find(table, 1);
	tracepoint_format_print(format, span, NULL, &buf);
	for (unsigned i = 0; i < format->nr_fields; i++) {
		tracepoint_field_print(format, &format->fields[i], span, &buf);
		tracepoint_field_u64(format, &format->fields[i], span);
	}
	/* The container, without reading the formats in it. */
	if (!tracepoint_format_table_load(span, &loaded, NULL))
		tracepoint_format_table_free(loaded);
	buf_release(&buf);
	free(payload);
	return 0;
}
