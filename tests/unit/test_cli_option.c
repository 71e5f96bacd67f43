/* SPDX-License-Identifier: Apache-2.0 */
/* The option parser: every type, abbreviation, negation, optional arguments, clusters, and what it says when wrong. */
#include "lib/unit.h"

#include <errno.h>
#include <string.h>

#include "cli/option.h"

struct shared {
	const char *cpus;
	bool all_cpus;
};

struct options {
	struct shared target;
	bool quiet;
	bool no_inherit;
	bool children;
	unsigned verbose;
	int delay;
	uint64_t count;
	bool count_seen;
	double ratio;
	const char *output;
	struct option_strings events;
	uint64_t size;
	uint64_t interval;
	int mode;
	int level;
	const char *graph;
	bool graph_unset;
};

static int parse_graph(void *field, const struct option_row *row, const char *arg, bool unset,
		       struct err *err)
{
	struct options *options = field;

	(void)row;
	options->graph_unset = unset;
	if (arg && !strcmp(arg, "bad"))
		return err_set(err, -EINVAL, "no such graph");
	if (arg && !strcmp(arg, "picture"))
		return err_set(err, -EINVAL, "syntax error: 'x'\n                 \\___ here");
	options->graph = arg;
	return 0;
}

static const struct option_choice modes[] = { { "fp", 1 }, { "dwarf", 2 }, { "lbr", 3 }, { NULL, 0 } };

static const struct option_row rows[] = {
	{ .heading = "First" },
	{ 'q', "quiet", OPTION_FLAG(struct options, quiet), .help = "say nothing" },
	{ 'i', "no-inherit", OPTION_FLAG(struct options, no_inherit), .help = "not to children" },
	{ .name = "children", OPTION_FLAG(struct options, children), .config = "report.children" },
	{ 'v', "verbose", OPTION_COUNTER(struct options, verbose), .config = "x.verbose" },
	{ 'D', "delay", OPTION_INT(struct options, delay), .arg = "ms" },
	{ 'c', "count", OPTION_U64(struct options, count), OPTION_SEEN(struct options, count_seen),
	  .arg = "n" },
	{ .name = "ratio", OPTION_DOUBLE(struct options, ratio), .arg = "n" },
	{ 'o', "output", OPTION_STRING(struct options, output), .arg = "file", .flags = OPTION_NO_NEGATION },
	{ 'e', "event", OPTION_STRINGS(struct options, events), .arg = "event" },
	{ 'm', "mmap-size", OPTION_SIZE(struct options, size), .arg = "size" },
	{ 'I', "interval", OPTION_DURATION(struct options, interval), .arg = "ms" },
	{ .name = "call-graph",
	  OPTION_CHOICE(struct options, mode),
	  .choices = modes,
	  .arg = "mode",
	  .config = "call-graph.record-mode" },
	{ 'z', "compression-level", OPTION_INT(struct options, level), .arg = "n", .absent = "1",
	  .flags = OPTION_OPTIONAL },
	{ 'g', "graph", .type = OPTION_TYPE_CALLBACK, .parse = parse_graph, .arg = "how", .absent = "default",
	  .flags = OPTION_OPTIONAL_WORD },
	{ .name = "hide-me", OPTION_FLAG(struct options, quiet), .flags = OPTION_HIDDEN },
};

static const struct option_row shared_rows[] = {
	{ 'C', "cpu", OPTION_STRING(struct shared, cpus), .arg = "cpu" },
	{ 'a', "all-cpus", OPTION_FLAG(struct shared, all_cpus) },
};

static const struct option_spec spec = {
	.name = "try",
	.usage = { "try [<options>]" },
	.sets = { { rows, NR_ITEMS(rows), 0 },
		  { shared_rows, NR_ITEMS(shared_rows), offsetof(struct options, target) } },
};

static struct option_spec stopping;

static struct options options;
static struct option_outcome outcome;
static char *words[32];
static char line[256];

static int parse_with(const struct option_spec *with, const char *text)
{
	int argc = 0;
	char *rest = line, *word;

	option_strings_release(&options.events);
	memset(&options, 0, sizeof(options));
	strcpy(line, text);
	words[argc++] = line;
	while ((word = strsep(&rest, " ")))
		words[argc++] = word;
	words[argc] = NULL;
	return option_parse(with, &options, argc, words, &outcome);
}

static int parse(const char *text)
{
	return parse_with(&spec, text);
}

#define REFUSED(given, said) \
	do { \
		assert_int_equal(parse(given), -EINVAL); \
		assert_string_equal(outcome.err.text, said); \
	} while (0)

static void test_types(void **state)
{
	(void)state;
	assert_int_equal(
		parse("-q -v -vv -D -5 -c 0x10 --ratio 1.5 -o out -e a -e b -m 64K -I 100 --call-graph lbr"),
		0);
	assert_true(options.quiet);
	assert_int_equal(options.verbose, 3);
	assert_int_equal(options.delay, -5);
	assert_int_equal(options.count, 16);
	assert_true(options.count_seen);
	assert_true(options.ratio == 1.5);
	assert_string_equal(options.output, "out");
	assert_int_equal(options.events.nr, 2);
	assert_string_equal(options.events.items[1], "b");
	assert_int_equal(options.size, 65536);
	assert_int_equal(options.interval, 100000000);
	assert_int_equal(options.mode, 3);
	assert_int_equal(parse("-I 1.5s --event=x --no-event --count=1 --no-count"), 0);
	assert_int_equal(options.interval, 1500000000);
	assert_int_equal(options.events.nr, 0);
	assert_int_equal(options.count, 0);
	assert_true(options.count_seen);
	assert_int_equal(parse("-q"), 0);
	assert_false(options.count_seen);
}

static void test_clusters_and_tables(void **state)
{
	(void)state;
	assert_int_equal(parse("-aqvC0-3 x"), 1);
	assert_true(options.target.all_cpus && options.quiet && options.verbose == 1);
	assert_string_equal(options.target.cpus, "0-3");
	assert_string_equal(words[0], "x");
	assert_null(words[1]);
	assert_int_equal(parse("-ac 7"), 0);
	assert_int_equal(options.count, 7);
}

static void test_abbreviations(void **state)
{
	(void)state;
	assert_int_equal(parse("--qui --eve=a --all"), 0);
	assert_true(options.quiet && options.target.all_cpus);
	assert_int_equal(options.events.nr, 1);
	REFUSED("--co 1", "Ambiguous option: co (could be --count or --compression-level)");
	/* An exact name is never ambiguous, a hidden one not found by its beginning. */
	assert_int_equal(parse("--count 1"), 0);
	assert_int_equal(parse("--hide"), -EINVAL);
	assert_int_equal(parse("--hide-me"), 0);
}

static void test_negation(void **state)
{
	(void)state;
	assert_int_equal(parse("--children --no-children"), 0);
	assert_false(options.children);
	assert_int_equal(parse("--no-inherit"), 0);
	assert_true(options.no_inherit);
	assert_int_equal(parse("--no-inherit --inherit"), 0);
	assert_false(options.no_inherit);
	assert_int_equal(parse("--no-inh"), 0);
	assert_true(options.no_inherit);
	assert_int_equal(parse("--no-chil"), 0);
	assert_int_equal(parse("-vvv --no-verbose"), 0);
	assert_int_equal(options.verbose, 0);
	assert_int_equal(parse("--no-graph"), 0);
	assert_true(options.graph_unset);
	REFUSED("--no-output", "unknown option `no-output'");
	REFUSED("--no-children=3", "option `no-children' takes no value");
}

static void test_optional(void **state)
{
	(void)state;
	assert_int_equal(parse("-z 3"), 1);
	assert_int_equal(options.level, 1);
	assert_int_equal(parse("-z3"), 0);
	assert_int_equal(options.level, 3);
	assert_int_equal(parse("-z=4"), 0);
	assert_int_equal(options.level, 4);
	assert_int_equal(parse("--compression-level=5 x"), 1);
	assert_int_equal(options.level, 5);
	assert_int_equal(parse("-g"), 0);
	assert_string_equal(options.graph, "default");
	assert_int_equal(parse("-g caller"), 0);
	assert_string_equal(options.graph, "caller");
	assert_int_equal(parse("-g -q"), 0);
	assert_string_equal(options.graph, "default");
	assert_int_equal(parse("-gflat --graph=folded"), 0);
	assert_string_equal(options.graph, "folded");
}

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(parse("one -q two - -- -v three"), 5);
	assert_true(options.quiet);
	assert_int_equal(options.verbose, 0);
	assert_string_equal(words[2], "-");
	assert_string_equal(words[3], "-v");
	stopping = spec;
	stopping.flags = OPTION_STOP_AT_WORD;
	assert_int_equal(parse_with(&stopping, "-q ls -v -- x"), 4);
	assert_int_equal(options.verbose, 0);
	assert_string_equal(words[0], "ls");
	assert_string_equal(words[2], "--");
	assert_int_equal(parse_with(&stopping, "-q -- ls -v"), 2);
	assert_string_equal(words[0], "ls");
}

static void test_refusals(void **state)
{
	(void)state;
	REFUSED("--foo", "unknown option `foo'");
	assert_true(outcome.unknown);
	assert_null(outcome.row);
	REFUSED("-Q", "unknown switch `Q'");
	REFUSED("--quiett", "unknown option `quiett'");
	assert_string_equal(outcome.err.hint, "Did you mean --quiet?");
	assert_string_equal(outcome.row->name, "quiet");
	REFUSED("--no-childern", "unknown option `no-childern'");
	assert_string_equal(outcome.err.hint, "Did you mean --no-children?");
	REFUSED("-e", "switch `e' requires a value");
	assert_string_equal(outcome.row->name, "event");
	REFUSED("--count", "option `count' requires a value");
	REFUSED("-c x", "switch `c' expects a numerical value, not 'x'");
	REFUSED("-c -1", "switch `c' expects a numerical value, not '-1'");
	REFUSED("-D 99999999999", "switch `D' the number '99999999999' is out of range");
	REFUSED("-c 99999999999999999999", "switch `c' the number '99999999999999999999' is out of range");
	REFUSED("-m x", "switch `m' expects a size like 4096, 512K or 1M, not 'x'");
	REFUSED("-I x", "switch `I' expects a time like 100, 100ms or 1.5s, not 'x'");
	REFUSED("--quiet=1", "option `quiet' takes no value");
	REFUSED("--call-graph lbx", "option `call-graph' 'lbx' is none of: fp, dwarf, lbr");
	assert_string_equal(outcome.err.hint, "Did you mean 'lbr'?");
	REFUSED("--graph=bad", "option `graph': no such graph");
	REFUSED("--graph=picture", "syntax error: 'x'\n                 \\___ here");
	REFUSED("--=x", "unknown option `'");
}

static void test_questions(void **state)
{
	(void)state;
	assert_int_equal(parse("-q -h sort key"), -EINVAL);
	assert_int_equal(outcome.result, OPTION_RESULT_HELP);
	assert_string_equal(words[0], "sort");
	assert_string_equal(words[1], "key");
	assert_null(words[2]);
	parse("--help");
	assert_int_equal(outcome.result, OPTION_RESULT_MANUAL);
	parse("--list-opts");
	assert_int_equal(outcome.result, OPTION_RESULT_LIST);
}

static const char *config_key;
static const char *config_value;
static struct err config_err;

static int apply_key(const struct option_set *set, const struct option_row *row, void *context)
{
	(void)context;
	if (!row->config || strcmp(row->config, config_key))
		return 0;
	return option_apply(set, row, &options, config_value, &config_err) ?: 1;
}

static int apply(const char *key, const char *value)
{
	config_key = key;
	config_value = value;
	return option_each(&spec, apply_key, NULL);
}

static void test_config(void **state)
{
	(void)state;
	parse("-q");
	assert_int_equal(apply("report.children", "yes"), 1);
	assert_true(options.children);
	assert_int_equal(apply("report.children", "off"), 1);
	assert_false(options.children);
	assert_int_equal(apply("report.children", NULL), 1);
	assert_true(options.children);
	assert_int_equal(apply("report.children", "banana"), -EINVAL);
	assert_string_equal(config_err.text, "expects true or false, not 'banana'");
	assert_int_equal(apply("call-graph.record-mode", "dwarf"), 1);
	assert_int_equal(options.mode, 2);
	assert_int_equal(apply("call-graph.record-mode", NULL), -EINVAL);
	assert_int_equal(apply("x.verbose", "2"), 1);
	assert_int_equal(options.verbose, 2);
	assert_int_equal(apply("no.such", "2"), 0);
}

static int release(void **state)
{
	(void)state;
	option_strings_release(&options.events);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),	      cmocka_unit_test(test_clusters_and_tables),
		cmocka_unit_test(test_abbreviations), cmocka_unit_test(test_negation),
		cmocka_unit_test(test_optional),      cmocka_unit_test(test_words),
		cmocka_unit_test(test_refusals),      cmocka_unit_test(test_questions),
		cmocka_unit_test(test_config),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
