/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rows of the table in field.c point to: getters, printers and comparisons of keys.
 * field_task.c, field_place.c and field_sample.c have them.
 */
#ifndef PROFILE_FIELD_VALUE_H
#define PROFILE_FIELD_VALUE_H

#include "profile/field.h"

/* A key's value in one row; a key's value in one frame; the text of a value; the order of two values. */
#define FIELD_OF_ROW(name) \
	uint64_t name(struct field_env *env, const struct field_use *use, const struct profile_row *row)
#define FIELD_OF_FRAME(name) uint64_t name(struct field_env *env, const struct field_use *use, uint32_t frame)
#define FIELD_PRINT(name) \
	void name(const struct field_env *env, const struct field_use *use, uint64_t value, struct buf *buf)
#define FIELD_COMPARE(name) \
	int name(const struct field_env *env, const struct field_use *use, uint64_t a, uint64_t b)
#define FIELD_TEXT(name) \
	const char *name(const struct field_env *env, const struct field_use *use, uint64_t value)

FIELD_OF_ROW(field_value_comm_of_row);
FIELD_OF_ROW(field_value_comm_nodigit_of_row);
FIELD_OF_ROW(field_value_tid_of_row);
FIELD_OF_ROW(field_value_pid_of_row);
FIELD_OF_ROW(field_value_parent_of_row);
FIELD_OF_ROW(field_value_cpu_of_row);
FIELD_OF_ROW(field_value_time_of_row);
FIELD_OF_ROW(field_value_ip_of_row);
FIELD_OF_ROW(field_value_transaction_of_row);
FIELD_OF_ROW(field_value_code_page_size_of_row);
FIELD_OF_ROW(field_value_data_page_size_of_row);
FIELD_OF_ROW(field_value_phys_addr_of_row);
FIELD_OF_ROW(field_value_cgroup_of_row);
FIELD_OF_ROW(field_value_parallelism_of_row);
FIELD_OF_ROW(field_value_socket_of_row);
FIELD_OF_ROW(field_value_weight_of_row);
FIELD_OF_ROW(field_value_instruction_latency_of_row);
FIELD_OF_ROW(field_value_retire_latency_of_row);
FIELD_OF_ROW(field_value_trace_of_row);
FIELD_OF_ROW(field_value_trace_field_of_row);

FIELD_OF_FRAME(field_value_dso_of_frame);
FIELD_OF_FRAME(field_value_dso_size_of_frame);
FIELD_OF_FRAME(field_value_symbol_of_frame);
FIELD_OF_FRAME(field_value_symbol_size_of_frame);
FIELD_OF_FRAME(field_value_frame_of_frame);
FIELD_OF_FRAME(field_value_srcline_of_frame);

FIELD_PRINT(field_value_comm_print);
FIELD_PRINT(field_value_task_print);
FIELD_PRINT(field_value_symbol_print);
FIELD_PRINT(field_value_symoff_print);
FIELD_PRINT(field_value_parent_print);
FIELD_PRINT(field_value_cpu_print);
FIELD_PRINT(field_value_time_print);
FIELD_PRINT(field_value_addr_print);
FIELD_PRINT(field_value_transaction_print);
FIELD_PRINT(field_value_page_size_print);
FIELD_PRINT(field_value_cgroup_print);
FIELD_PRINT(field_value_trace_field_print);
FIELD_PRINT(field_value_print_text);
FIELD_PRINT(field_value_print_number);

FIELD_COMPARE(field_value_comm_compare);
FIELD_COMPARE(field_value_symbol_compare);
FIELD_COMPARE(field_value_symoff_compare);
FIELD_COMPARE(field_value_addr_compare);
FIELD_COMPARE(field_value_trace_field_compare);
FIELD_COMPARE(field_value_compare_text);

FIELD_TEXT(field_value_symbol_text);
FIELD_TEXT(field_value_text_of_value);

/* Values that are texts: interned, so that equal texts are equal values. */
uint64_t field_value_intern(struct field_env *env, const char *text);
const char *field_value_text(const struct field_env *env, uint64_t value);

/* The function that a frame is in; without a symbol one of no bytes at its address. */
struct symbol field_place_symbol(const struct field_env *env, uint32_t frame);
/* "file.c:12" as the DWARF says; false: it says nothing. */
bool field_place_find_line(const struct field_env *env, uint32_t frame, struct buf *buf);

#endif
