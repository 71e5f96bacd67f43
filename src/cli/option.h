/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Option tables: everything that is known about an option stands in one row.
 *
 * The parser, the help text, the man page, the bash completion and the configuration file all read
 * the same rows, so a new option is one row and nothing else. A row says where its value goes as an
 * offset into the options struct of the command; a command lists several tables, each with the
 * offset of the struct that the table's offsets are relative to, so that a table (the target of a
 * measurement, say) is shared by embedding its struct. Descriptions are therefore constants: the
 * generators need no running command.
 *
 *	struct record_options {
 *		struct options_target target;
 *		uint64_t frequency;
 *		bool frequency_seen;
 *		bool quiet;
 *	};
 *
 *	static const struct option_row rows[] = {
 *		{ .heading = "How to sample" },
 *		{ 'F', "freq", OPTION_U64(struct record_options, frequency),
 *		  OPTION_SEEN(struct record_options, frequency_seen), .arg = "n", .help = "samples a second" },
 *		{ 'q', "quiet", OPTION_FLAG(struct record_options, quiet), .help = "say nothing" },
 *	};
 *
 *	.sets = { { rows, NR_ITEMS(rows), 0 },
 *		  { options_target_rows, NR_ITEMS(...), offsetof(struct record_options, target) } },
 *
 * Semantics are those people know from perf and git: long options may be abbreviated while that is
 * unambiguous; flags (and every row not marked OPTION_NO_NEGATION) have a --no-X form, and --X undoes
 * a row that is itself called no-X; --opt=value or --opt value, -ovalue or -o value; an optional
 * argument only in the form --opt=value, -ovalue or -o=value; short flags cluster; -- ends the options.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"

enum option_type {
	OPTION_TYPE_NONE, /* a row that is only a heading */
	OPTION_TYPE_FLAG, /* bool */
	OPTION_TYPE_COUNTER, /* unsigned: one more each time, --no-X: 0 */
	OPTION_TYPE_INT, /* int */
	OPTION_TYPE_UINT, /* unsigned */
	OPTION_TYPE_U64, /* uint64_t; decimal or 0x hex */
	OPTION_TYPE_DOUBLE, /* double */
	OPTION_TYPE_STRING, /* const char *, into argv or the configuration: never freed */
	OPTION_TYPE_STRINGS, /* struct option_strings: each use adds one, --no-X empties */
	OPTION_TYPE_SIZE, /* uint64_t bytes: 4096, 64K, 1M, 2G */
	OPTION_TYPE_DURATION, /* uint64_t nanoseconds: a number (of .unit_ns) or with ns us ms s m h */
	OPTION_TYPE_CHOICE, /* int, by name from .choices */
	OPTION_TYPE_CALLBACK, /* anything, by .parse */
};

struct option_strings {
	const char **items;
	size_t nr;
	size_t room;
};

struct option_row;

struct option_choice {
	const char *name; /* NULL ends the list */
	int value;
};

/*
 * Parses arg into *field. unset: the --no-X form (arg is NULL). arg is NULL also for an optional argument that was
 * not given and has no .absent. 0 or -errno with words; a text of several lines (a picture with a caret) is printed
 * as it stands, one of a single line after "Error: option `x': ".
 */
typedef int option_parse_fn(void *field, const struct option_row *row, const char *arg, bool unset,
			    struct err *err);

enum {
	OPTION_HIDDEN = 1 << 0, /* works, but is not in the help, man page and completion */
	OPTION_REPEATS = 1 << 1, /* worth saying that it may be given several times */
	OPTION_NO_NEGATION = 1 << 2, /* has no --no-X form */
	OPTION_OPTIONAL = 1 << 3, /* the argument may be left out; then it is .absent */
	/* As OPTION_OPTIONAL, and the next word is the argument unless it begins with '-' or there is none. */
	OPTION_OPTIONAL_WORD = 1 << 4,
};

struct option_row {
	char short_name; /* 0: none */
	const char *name; /* long name without dashes; NULL: none. An alias is a further row, marked hidden */
	enum option_type type;
	unsigned flags;
	size_t offset; /* of the value in the options struct */
	size_t seen; /* 1 + offset of a bool set when the user (or the configuration) gave the option; 0: none */
	/* The argument's name: "n", "file", "event"; NULL with flags, counters and callbacks that take none. */
	const char *arg;
	const char *absent; /* value of an optional argument that was left out; NULL: callback sees NULL */
	const char *help; /* one sentence, broken where the terminal ends; '\n' begins a further line */
	const char *config; /* configuration key, "record.call-graph"; a row may have only this and no names */
	/* In a row of its own or in the first row of a group: the rows that follow stand under it. */
	const char *heading;
	const struct option_choice *choices;
	uint64_t unit_ns; /* durations: what a bare number counts (0: milliseconds) */
	option_parse_fn *parse;
	intptr_t value; /* for the callback's own use (which bit, which mode) */
};

#define OPTION_SAME_TYPE_(options, member, ctype) \
	__builtin_types_compatible_p(__typeof__(((options *)0)->member), ctype)
#define OPTION_AT_(option_type, ctype, options, member) \
	.type = (option_type), .offset = offsetof(options, member) + \
					 0 * sizeof(char[2 * OPTION_SAME_TYPE_(options, member, ctype) - 1])
#define OPTION_FLAG(options, member) OPTION_AT_(OPTION_TYPE_FLAG, bool, options, member)
#define OPTION_COUNTER(options, member) OPTION_AT_(OPTION_TYPE_COUNTER, unsigned, options, member)
#define OPTION_INT(options, member) OPTION_AT_(OPTION_TYPE_INT, int, options, member)
#define OPTION_UINT(options, member) OPTION_AT_(OPTION_TYPE_UINT, unsigned, options, member)
#define OPTION_U64(options, member) OPTION_AT_(OPTION_TYPE_U64, uint64_t, options, member)
#define OPTION_DOUBLE(options, member) OPTION_AT_(OPTION_TYPE_DOUBLE, double, options, member)
#define OPTION_STRING(options, member) OPTION_AT_(OPTION_TYPE_STRING, const char *, options, member)
#define OPTION_STRINGS(options, member) \
	OPTION_AT_(OPTION_TYPE_STRINGS, struct option_strings, options, member)
#define OPTION_SIZE(options, member) OPTION_AT_(OPTION_TYPE_SIZE, uint64_t, options, member)
#define OPTION_DURATION(options, member) OPTION_AT_(OPTION_TYPE_DURATION, uint64_t, options, member)
#define OPTION_CHOICE(options, member) OPTION_AT_(OPTION_TYPE_CHOICE, int, options, member)
/* The callback gets the member's address; for the whole struct use .type, .parse and .offset 0. */
#define OPTION_CALLBACK(options, member, function) \
	.type = OPTION_TYPE_CALLBACK, .offset = offsetof(options, member), .parse = (function)
#define OPTION_SEEN(options, member) .seen = 1 + offsetof(options, member)

/* One table as a command uses it: `at` is where the struct that the rows' offsets speak of lies in the command's. */
struct option_set {
	const struct option_row *rows;
	size_t nr;
	size_t at;
};

struct option_example {
	const char *line; /* without the program's name: "record -g -- make" */
	const char *what; /* what that does, one sentence */
};

enum {
	/* The first word that is no option ends the options: what follows belongs to a program to be run. */
	OPTION_STOP_AT_WORD = 1 << 0,
};

#define OPTION_SPEC_SETS 12
#define OPTION_SPEC_USAGES 8
#define OPTION_SPEC_EXAMPLES 16

/* What a command is and takes; a constant. */
struct option_spec {
	const char *name; /* "record", "sched latency" */
	const char *summary; /* one line, no full stop: "Sample a program, a process or the machine" */
	const char *usage[OPTION_SPEC_USAGES]; /* "record [<options>] [<command>]", NULL-ended */
	const char *description; /* for the man page; paragraphs separated by an empty line */
	struct option_example examples[OPTION_SPEC_EXAMPLES]; /* ended by a NULL line */
	struct option_set sets[OPTION_SPEC_SETS]; /* ended by NULL rows */
	const char *see_also; /* "report, script" */
	unsigned flags;
};

enum option_result {
	OPTION_RESULT_OK,
	OPTION_RESULT_ERROR, /* outcome.err says why, outcome.row is the option concerned */
	OPTION_RESULT_HELP, /* -h [WORD...]: the words are the argv that remains */
	OPTION_RESULT_MANUAL, /* --help */
	OPTION_RESULT_LIST, /* --list-opts */
};

struct option_outcome {
	enum option_result result;
	const struct option_row *row; /* the option in error, or the nearest to an unknown one; may be NULL */
	bool unknown; /* the error is an option that does not exist */
	struct err err;
};

/*
 * Parses argv[1..argc) into options. What is no option is moved to the front of argv and NULL-ended; its number is
 * returned, or -EINVAL when outcome->result is not OK (words in outcome->err).
 */
int option_parse(const struct option_spec *spec, void *options, int argc, char **argv,
		 struct option_outcome *ret);
/*
 * Gives one row a value as text, from the configuration (NULL: key without a value, true for flags).
 * 0 or -errno with words.
 */
int option_apply(const struct option_set *set, const struct option_row *row, void *options, const char *text,
		 struct err *err);
/* Calls visit for each row of each set that is no mere heading; a nonzero answer ends the walk and is returned. */
int option_each(const struct option_spec *spec,
		int (*visit)(const struct option_set *set, const struct option_row *row, void *context),
		void *context);
bool option_has_arg(const struct option_row *row);
void option_strings_release(struct option_strings *strings);

#endif
