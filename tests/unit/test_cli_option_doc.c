/* SPDX-License-Identifier: Apache-2.0 */
/* What is made from option rows: help, page (roff and text), completion words, configuration keys. */
#include "lib/unit.h"

#include <string.h>

#include "cli/option_doc.h"

struct options {
	bool all;
	uint64_t freq;
	int mode;
	const char *events;
};

static const struct option_choice modes[] = { { "fp", 1 }, { "dwarf", 2 }, { NULL, 0 } };

static const struct option_row rows[] = {
	{ .heading = "How to sample" },
	{ 'F', "freq", OPTION_U64(struct options, freq), .arg = "freq or 'max'",
	  .help = "profile at this frequency" },
	{ .name = "call-graph",
	  OPTION_CHOICE(struct options, mode),
	  .choices = modes,
	  .arg = "mode",
	  .help = "record call chains:\n  fp     by frame pointers\n  dwarf  by debug information",
	  .config = "call-graph.record-mode" },
	{ .heading = "What to sample",
	  .short_name = 'a',
	  .name = "all-cpus",
	  OPTION_FLAG(struct options, all),
	  .help = "the whole machine, which is a long explanation that goes on and on until it has to be broken at the "
		  "right edge of the page" },
	{ 'g', NULL, OPTION_FLAG(struct options, all), .help = "call graphs" },
	{ .name = "hidden", OPTION_FLAG(struct options, all), .flags = OPTION_HIDDEN, .help = "secret" },
	{ OPTION_FLAG(struct options, all), .config = "x.bare", .help = "only in the file" },
};

static const struct option_row more_rows[] = {
	{ 'e', "event", OPTION_STRING(struct options, events), .arg = "event", .help = "select events",
	  .heading = "How to sample", .flags = OPTION_REPEATS },
	{ 'z', "level", OPTION_U64(struct options, freq), .arg = "n", .flags = OPTION_OPTIONAL, .absent = "1",
	  .help = "compress" },
};

static const struct option_row plain_rows[] = {
	{ 'q', "quiet", OPTION_FLAG(struct options, all), .help = "say nothing" },
};

static const struct option_spec spec = {
	.name = "try",
	.summary = "Try things",
	.usage = { "try [<options>]", "try -- x" },
	.description = "One.\nStill one.\n\n.Two 'dots' \\ and \"quotes\".",
	.examples = { { "try -a", "Try all." } },
	.sets = { { rows, NR_ITEMS(rows), 0 }, { more_rows, NR_ITEMS(more_rows), 0 }, { plain_rows, 1, 0 } },
	.see_also = "report, script",
};

static const struct option_page page = { .spec = &spec, .program = "sonde", .version = "1.2" };

static void test_list(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	option_doc_usage(&spec, "perf", &buf);
	assert_string_equal(buf_text(&buf), " Usage: perf try [<options>]\n    or: perf try -- x\n");
	buf.size = 0;
	assert_int_equal(option_doc_list(&spec, NULL, &buf), 7);
	assert_string_equal(
		buf_text(&buf),
		"How to sample\n"
		"    -F, --freq <freq or 'max'>\n"
		"                          profile at this frequency\n"
		"        --call-graph <mode>\n"
		"                          record call chains:\n"
		"                            fp     by frame pointers\n"
		"                            dwarf  by debug information\n"
		"    -e, --event <event>   select events\n"
		"    -z, --level[=<n>]     compress\n"
		"\nWhat to sample\n"
		"    -a, --all-cpus        the whole machine, which is a long explanation that goes on and on "
		"until it has to\n"
		"                          be broken at the right edge of the page\n"
		"    -g                    call graphs\n"
		"\nOther options\n"
		"    -q, --quiet           say nothing\n");
	buf_release(&buf);
}

static void test_words(void **state)
{
	static const char *const chain[] = { "CHAIN", NULL }, *const letter[] = { "-g", NULL };
	static const char *const none[] = { "nosuch", NULL }, *const dashes[] = { "--", "", NULL };
	struct buf buf = BUF_INIT;

	(void)state;
	assert_int_equal(option_doc_list(&spec, chain, &buf), 1);
	buf.size = 0;
	assert_int_equal(option_doc_list(&spec, letter, &buf), 1);
	assert_string_equal(buf_text(&buf), "What to sample\n    -g                    call graphs\n");
	assert_int_equal(option_doc_list(&spec, none, &buf), 0);
	assert_int_equal(option_doc_list(&spec, dashes, &buf), 0);
	buf_release(&buf);
}

static void test_roff(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	option_doc_man(&page, &buf);
	buf_text(&buf);
	assert_non_null(strstr(buf.data, ".TH \"SONDE-TRY\" 1 \"\" \"sonde 1.2\" \"sonde manual\"\n"));
	assert_non_null(strstr(buf.data, ".SH NAME\n.PP\nsonde\\-try \\- Try things\n"));
	assert_non_null(strstr(buf.data, "\\&.Two \\(aqdots\\(aq \\e and \\(dqquotes\\(dq.\n"));
	assert_non_null(strstr(buf.data,
			       ".TP\n\\fB\\-z, \\-\\-level[=<n>]\\fR\ncompress\n.br\nWithout a value: 1.\n"));
	assert_non_null(
		strstr(buf.data, "One of: fp, dwarf.\n.br\nConfiguration: call\\-graph.record\\-mode.\n"));
	assert_non_null(
		strstr(buf.data, ".SH SEE ALSO\n.PP\nsonde\\-report(1), sonde\\-script(1), sonde(1)\n"));
	assert_null(strstr(buf.data, "secret"));
	/* The examples come before the explanations. */
	assert_true(strstr(buf.data, ".SH EXAMPLES") < strstr(buf.data, ".SH DESCRIPTION"));
	buf_release(&buf);
}

static void test_text(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	option_doc_text(&page, 50, false, &buf);
	assert_int_equal(strncmp(buf_text(&buf), "NAME\n       sonde-try - Try things\n\nSYNOPSIS\n", 44), 0);
	assert_non_null(
		strstr(buf.data,
		       "\nDESCRIPTION\n       One. Still one.\n\n       .Two 'dots' \\ and \"quotes\".\n"));
	assert_null(strstr(buf.data, "\n\n\n"));
	assert_null(strstr(buf.data, "\033"));
	for (const char *line = buf.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 50);
	buf_release(&buf);
}

static void test_generated(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	option_doc_config(&spec, &buf);
	assert_string_equal(buf_text(&buf), "call-graph.record-mode\ttry --call-graph\trecord call chains:\n"
					    "x.bare\ttry\tonly in the file\n");
	buf.size = 0;
	option_doc_complete(&spec, &buf);
	assert_string_equal(buf_text(&buf),
			    " --freq=freq-or--max- -F=freq-or--max- --call-graph=fp|dwarf --all-cpus -a -g "
			    "--event=event -e=event --level=n -z=n --quiet -q");
	buf.size = 0;
	option_doc_names(&spec, &buf);
	assert_string_equal(buf_text(&buf), "--freq --call-graph --all-cpus --event --level --quiet ");
	buf_release(&buf);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list), cmocka_unit_test(test_words),     cmocka_unit_test(test_roff),
		cmocka_unit_test(test_text), cmocka_unit_test(test_generated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
