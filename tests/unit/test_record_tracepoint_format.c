/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/tracepoint_format.h"

#define COMMON \
	"format:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static struct tracepoint_format_table *table_of(const char *text)
{
	struct tracepoint_format_table *table = tracepoint_format_table_new(false, 8);

	assert_true(tracepoint_format_table_add(table, "sys",
						(struct span){ (const uint8_t *)text, strlen(text) }));
	return table;
}

/* The text of a payload of 64-bit words behind the 8 common bytes. */
static void check_words(const char *fields, const char *print, const uint64_t *words, size_t nr,
			const char *want)
{
	char text[4096];
	uint64_t payload[32] = { 300 };
	struct tracepoint_format_table *table;
	struct buf buf = BUF_INIT;

	snprintf(text, sizeof(text), "name: event\nID: 300\n" COMMON "%s\nprint fmt: %s\n", fields, print);
	memcpy(&payload[1], words, nr * sizeof(*words));
	table = table_of(text);
	tracepoint_format_print(tracepoint_format_find(table, 300),
				(struct span){ (uint8_t *)payload, (nr + 1) * 8 }, NULL, &buf);
	assert_string_equal(buf_text(&buf), want);
	buf_release(&buf);
	tracepoint_format_table_free(table);
}

#define A "\tfield:unsigned long a;\toffset:8;\tsize:8;\tsigned:0;\n"
#define B "\tfield:int b;\toffset:16;\tsize:4;\tsigned:1;\n"
#define ARGS "\tfield:unsigned long args[3];\toffset:8;\tsize:24;\tsigned:0;\n"

#ifdef HAVE_TRACEEVENT

static void test_numbers(void **state)
{
	const uint64_t words[] = { 0xffffffffffffffff, 0x00000000fffffffe, 7 };

	(void)state;
	check_words(A B, "\"%lu %lx %ld %d\", REC->a, REC->a, REC->a, REC->b", words, 3,
		    "18446744073709551615 ffffffffffffffff -1 -2");
	check_words(A B, "\"%x %u %08x %#x %5d|%-5d|%05d\", REC->b, REC->b, 10, 10, REC->b, REC->b, REC->b",
		    words, 3, "fffffffe 4294967294 0000000a 0xa    -2|-2   |-0002");
	check_words(A B, "\"%hd %hhu %hu %o %X\", REC->b, REC->b, REC->b, 8, 255", words, 3,
		    "-2 254 65534 10 FF");
	check_words(A B, "\"%c%c\", 'x', REC->b == -2 ? 'y' : 'n'", words, 3, "xn");
	check_words(A B, "\"%*d|%.3d|%+d|% d\", 4, 5, 6, 7, 8", words, 3, "   5|006|+7| 8");
	check_words(ARGS, "\"%lx (%lx, %lx)\", REC->args[0], REC->args[1], REC->args[2]", words, 3,
		    "ffffffffffffffff (fffffffe, 7)");
	check_words(A B, "\"100%% \\\"%d\\\" \\\\ \\t%d\", 1, 2", words, 3, "100% \"1\" \\ \t2");
}

static void test_expressions(void **state)
{
	const uint64_t words[] = { 0x12345678, 3, 0 };

	(void)state;
	check_words(A B, "\"%d %d %d %d\", 1 + 2 * 3, (1 + 2) * 3, 7 / 2, 7 % 4", words, 3, "7 9 3 3");
	check_words(A B, "\"%x %x %x\", (u8)REC->a, (unsigned short)REC->a, (int)(REC->a >> 4)", words, 3,
		    "78 5678 1234567");
	check_words(A B, "\"%d\", (s8)0xff", words, 3, "-1");
	check_words(A B, "\"%s\", REC->b > 2 ? \"big\" : \"small\"", words, 3, "big");
	check_words(A B, "\"%d %d\", !REC->b, ~REC->b & 0xf", words, 3, "0 12");
	/* What would end a careless program. */
	check_words(A B, "\"%d %d %d\", REC->a / 0, REC->a % 0, 1 << 65", words, 3, "0 0 2");
	check_words(A B, "\"%lu\", sizeof(u64) + sizeof(unsigned int)", words, 3, "12");
}

static void test_names(void **state)
{
	const uint64_t words[] = { 5, 0x12, 0 }, none[] = { 0, 0, 0 };
	const char *symbols = "\"%s %s\", __print_symbolic(REC->a, { 1, \"one\" }, { 5, \"five\" }), "
			      "__print_symbolic(REC->b, { 1, \"one\" })";
	const char *flags = "\"<%s>\", __print_flags(REC->b, \"|\", { 0x2, \"W\" }, { 0x4, \"X\" })";

	(void)state;
	check_words(A B, symbols, words, 3, "five 0x12");
	check_words(A B, flags, words, 3, "<W|0x10>");
	check_words(A B, flags, none, 3, "<>");
}

static void test_texts(void **state)
{
	/* comm[8] at 8; __data_loc at 16 pointing to 24, 6 bytes; then "hello" */
	uint64_t words[] = { 0, 24 | 6ull << 16, 0 };
	const char *fields = "\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
			     "\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n";

	(void)state;
	memcpy(&words[0], "longcomm", 8);
	memcpy(&words[2], "hello\0", 6);
	check_words(fields,
		    "\"%s,%s,%.2s,%8s\", REC->comm, __get_str(name), __get_str(name), __get_str(name)", words,
		    3, "longcomm,hello,he,   hello");
	/* Offsets and sizes that lie outside of the payload. */
	words[1] = 4000 | 6ull << 16;
	check_words(fields, "\"%s,%s\", REC->comm, __get_str(name)", words, 3, "longcomm,");
	words[1] = 24 | 60000ull << 16;
	check_words(fields, "\"%s,%s\", REC->comm, __get_str(name)", words, 3, "longcomm,");
	check_words(fields, "\"%s\", __print_hex(REC->comm, 3)", words, 3, "6c 6f 6e");
	check_words(fields, "\"%s\", __print_hex(REC->comm, 100)", words, 2,
		    "6c 6f 6e 67 63 6f 6d 6d 18 00 60 ea 00 00 00 00");
}

static void test_addresses(void **state)
{
	static const char *const fields = "\tfield:__u8 ip4[4];\toffset:8;\tsize:4;\tsigned:0;\n"
					  "\tfield:__u8 mac[6];\toffset:8;\tsize:6;\tsigned:0;\n"
					  "\tfield:__u8 ip6[16];\toffset:16;\tsize:16;\tsigned:0;\n";
	uint64_t words[] = { 0x0605040302a8c0, 0, 0 };
	uint8_t ip6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };

	(void)state;
	memcpy(&words[1], ip6, 16);
	check_words(fields, "\"%pI4 %pM %pI6c %pI6\", REC->ip4, REC->mac, REC->ip6, REC->ip6", words, 3,
		    "192.168.2.3 c0:a8:02:03:04:05 2001:db8::1 2001:0db8:0000:0000:0000:0000:0000:0001");
	check_words(A, "\"%p %p %pS\", REC->a, 0, REC->a", (const uint64_t[]){ 0x1000 }, 1,
		    "0x1000 (nil) 0x1000");
}

static bool find_name(void *context, uint64_t addr, const char **ret_name, uint64_t *ret_start)
{
	(void)context;
	*ret_name = "function";
	*ret_start = 0x1000;
	return addr >= 0x1000;
}

static void test_functions(void **state)
{
	const char *text = "name: event\nID: 5\n" COMMON A
			   "\nprint fmt: \"%pS %ps %pf\", REC->a, REC->a, 16\n";
	struct tracepoint_format_table *table = table_of(text);
	const struct tracepoint_resolver resolver = { find_name, NULL };
	uint64_t payload[2] = { 5, 0x1010 };
	struct buf buf = BUF_INIT;

	(void)state;
	tracepoint_format_print(tracepoint_format_find_name(table, "sys", "event"),
				(struct span){ (uint8_t *)payload, 16 }, &resolver, &buf);
	assert_string_equal(buf_text(&buf), "function+0x10 function 0x10");
	buf_release(&buf);
	tracepoint_format_table_free(table);
}

#endif

static void test_fields(void **state)
{
	const char *text =
		"name: event\nID: 7\n" COMMON A B ARGS
		"\tfield:__rel_loc char[] rel;\toffset:20;\tsize:4;\tsigned:0;\n"
		"\tfield:const char * pointer;\toffset:24;\tsize:8;\tsigned:0;\n\nprint fmt: \"x\"\n";
	struct tracepoint_format_table *table = table_of(text);
	const struct tracepoint_format *format = tracepoint_format_find(table, 7);
	const struct tracepoint_field *field;
	uint64_t payload[4] = { 7, 3, 0xffffffff, 99 };
	struct span span = { (uint8_t *)payload, sizeof(payload) };

	(void)state;
	assert_non_null(format);
	assert_string_equal(format->name, "event");
	assert_string_equal(format->system, "sys");
	assert_null(tracepoint_format_find(table, 8));
	assert_null(tracepoint_format_find_name(table, "other", "event"));
	assert_int_equal(format->nr_fields, 9);
	assert_true(tracepoint_format_field(format, "common_pid")->is_common);
	field = tracepoint_format_field(format, "b");
	assert_string_equal(field->type, "int");
	assert_true(field->is_signed && !field->is_array && !field->is_common);
	assert_true(tracepoint_field_u64(format, field, span) == (uint64_t)-1);
	field = tracepoint_format_field(format, "args");
	assert_true(field->is_array && !field->is_string && field->element_size == 8);
	field = tracepoint_format_field(format, "rel");
	assert_true(field->is_dynamic && field->is_relative && field->is_string);
	field = tracepoint_format_field(format, "pointer");
	assert_true(field->is_pointer && !field->is_array);
	assert_int_equal(tracepoint_field_u64(format, field, span), 99);
	/* A payload that is too short has no such field. */
	span.size = 24;
	assert_int_equal(tracepoint_field_u64(format, field, span), 0);
	tracepoint_format_table_free(table);
}

static void test_unreadable(void **state)
{
	const char *text = "name: event\nID: 9\n" COMMON A B
			   "\tfield:char c[4];\toffset:20;\tsize:4;\tsigned:0;\n\n"
			   "print fmt: \"%d\", ({ what is this(REC->a) })\n";
	struct tracepoint_format_table *table = table_of(text);
	uint64_t payload[3] = { 9, 0x1000, 0x64636261fffffffe };
	struct buf buf = BUF_INIT;

	(void)state;
	tracepoint_format_print(tracepoint_format_find(table, 9), (struct span){ (uint8_t *)payload, 24 },
				NULL, &buf);
	assert_string_equal(buf_text(&buf), "[FAILED TO PARSE] a=0x1000 b=-2 c=abcd");
	buf_release(&buf);
	assert_false(tracepoint_format_table_add(table, "sys", (struct span){ (const uint8_t *)"junk", 4 }));
	tracepoint_format_table_free(table);
}

/* Print fmts that nest without end are not given to a parser that recurses. */
static void test_nesting(void **state)
{
	struct buf text = BUF_INIT;
	struct tracepoint_format_table *table;

	(void)state;
	buf_str(&text, "name: event\nID: 9\n" COMMON A "\nprint fmt: \"%d\", ");
	buf_fill(&text, '(', 50000);
	buf_str(&text, "1");
	buf_fill(&text, ')', 50000);
	table = table_of(buf_text(&text));
	assert_null(tracepoint_format_find(table, 9)->program);
	tracepoint_format_table_free(table);
	buf_release(&text);
}

static void test_tracing_data(void **state)
{
	struct tracepoint_format_table *table;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tracepoint_format_table_load((struct span){ (const uint8_t *)"nothing", 7 }, &table,
						      &err),
			 -EBADMSG);
	assert_non_null(strstr(err.text, "TRACING_DATA"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_TRACEEVENT
		cmocka_unit_test(test_numbers),	  cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_texts),
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_functions),
#endif
		cmocka_unit_test(test_fields),	  cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_nesting),	  cmocka_unit_test(test_tracing_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
