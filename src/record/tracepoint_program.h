/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tracepoint's "print fmt", compiled: a list of steps, each of which writes some literal text and then one argument.
 *
 * libtraceevent reads the text of a format (tracepoint_parse.c); what it made of it is turned into this form and
 * thrown away. Running it needs no locks, allocates nothing but output, and checks every access to the payload,
 * which libtraceevent's own printing does not. Numbers mean what they mean there: fields are zero-extended, casts and
 * the conversion ("%d", "%hu", "%lx") decide what is seen of them.
 */
#ifndef RECORD_TRACEPOINT_PROGRAM_H
#define RECORD_TRACEPOINT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "record/tracepoint_format.h"

/* An expression that gives a number. Operands are nodes too. */
enum tracepoint_node_type {
	NODE_CONST,
	NODE_FIELD, /* size bytes at offset */
	NODE_CAST, /* left, cut to size bytes, sign-extended with is_signed */
	NODE_FIELD_AT, /* element `right` of the array at offset, elements of size bytes */
	NODE_DYNAMIC_AT, /* size bytes at byte `right` of a dynamic array */
	NODE_DYNAMIC_SIZE,
	NODE_DYNAMIC_START, /* where a dynamic array begins in the payload */
	NODE_CHOOSE, /* left ? right : other */
	NODE_NOT,
	NODE_INVERT,
	NODE_ADD,
	NODE_SUBTRACT,
	NODE_MULTIPLY,
	NODE_DIVIDE,
	NODE_REMAINDER,
	NODE_AND,
	NODE_OR,
	NODE_XOR,
	NODE_BOTH,
	NODE_EITHER,
	NODE_SHIFT_LEFT,
	NODE_SHIFT_RIGHT,
	NODE_EQUAL,
	NODE_UNEQUAL,
	NODE_LESS,
	NODE_LESS_EQUAL,
	NODE_GREATER,
	NODE_GREATER_EQUAL,
};

struct tracepoint_node {
	enum tracepoint_node_type type;
	uint32_t offset, size;
	bool is_signed;
	bool is_relative; /* dynamic arrays: __rel_loc */
	uint64_t value;
	const struct tracepoint_node *left, *right, *other;
};

/* One name of a value or bit. */
struct tracepoint_name {
	int64_t value;
	const char *text;
	uint32_t size;
};

/* What gives a text, for %s. */
enum tracepoint_text_type {
	TEXT_NONE,
	TEXT_LITERAL,
	TEXT_ARRAY, /* a char array: size bytes at offset (0: the rest of the payload) */
	TEXT_POINTER, /* a kernel pointer to text that is in the printk table, or nowhere */
	TEXT_DYNAMIC, /* a dynamic string */
	TEXT_FLAGS,
	TEXT_SYMBOL,
	TEXT_HEX, /* bytes with blanks between */
	TEXT_HEX_DENSE,
	TEXT_INTS, /* {0x1,0x2} */
	TEXT_BITMASK,
	TEXT_CPUMASK,
	TEXT_CHOOSE, /* condition ? yes : no */
};

struct tracepoint_text {
	enum tracepoint_text_type type;
	uint32_t offset, size;
	bool is_dynamic; /* HEX, INTS: the bytes are a dynamic array */
	bool is_relative;
	const char *literal; /* also: the delimiter of flags */
	uint32_t literal_size;
	const struct tracepoint_node *number; /* the value of FLAGS and SYMBOL, the condition of CHOOSE */
	const struct tracepoint_node *count, *element_size;
	const struct tracepoint_name *names;
	uint32_t nr_names;
	const struct tracepoint_name **dense; /* SYMBOL: names by value below nr_dense; NULL rows: no name */
	uint32_t nr_dense;
	const struct tracepoint_text *yes, *no;
};

enum tracepoint_step_type {
	STEP_END,
	STEP_NUMBER,
	STEP_TEXT,
	STEP_POINTER, /* %p */
	STEP_FUNCTION, /* %ps %pf: the name */
	STEP_FUNCTION_OFFSET, /* %pS %pF: name+0xoffset */
	STEP_MAC,
	STEP_IP4,
	STEP_IP6,
	STEP_SOCKADDR,
	STEP_UUID,
	STEP_BYTES, /* %*ph */
};

struct tracepoint_step {
	const char *before; /* literal text in front */
	uint32_t before_size;
	enum tracepoint_step_type type;
	/* The conversion: flags, width, precision (-1: none), which character. */
	char conversion; /* d u x X o c s; letter variants of pointers */
	int8_t length; /* hh -2, h -1, none 0, l 1, ll 2 */
	bool left, zero, alternate, plus, blank;
	bool is_plain; /* no flag, width or precision at all */
	bool is_zero_hex; /* %08lx and its like */
	uint16_t width;
	int16_t precision;
	bool star_is_precision;
	const struct tracepoint_node *star; /* the number for a '*'; NULL: none */
	const struct tracepoint_node *number;
	const struct tracepoint_text *text;
	/* Addresses: the bytes, or what is said instead. */
	uint32_t offset, size;
	bool is_dynamic, is_relative;
	const char *complaint;
	bool reverse, upper, compressed, with_port, swapped_groups;
	char delimiter; /* of bytes and MACs; 0: none */
};

struct tracepoint_printk {
	uint64_t addr;
	const char *text;
};

struct tracepoint_program {
	struct tracepoint_step *steps; /* ended by STEP_END (whose `before` counts) */
	bool swap;
	uint8_t long_size;
	/* Sorted by address: texts that payloads point to. Belongs to the table. */
	const struct tracepoint_printk *printks;
	size_t nr_printks;
};

/*
 * Compiles a format's print fmt; NULL when it cannot be understood (or libtraceevent is not built in).
 * All memory comes from the arena.
 */
struct tracepoint_program *tracepoint_parse(const struct tracepoint_format *format, unsigned long_size,
					    struct arena *arena);
void tracepoint_program_run(const struct tracepoint_program *program, struct span payload,
			    const struct tracepoint_resolver *resolver, struct buf *buf);

#endif
