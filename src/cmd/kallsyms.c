/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kallsyms: where a symbol of the running kernel or of one of its modules lies.
 *
 * The kernel's list has a line "ADDRESS TYPE NAME[<tab>[MODULE]]" for each symbol and says nothing of sizes: a
 * symbol goes up to the next higher address of any symbol of the same module. The list is in no useful order (modules
 * come as they were loaded), so it is read twice: once for the names, once for what comes behind them. The text is
 * a matter of megabytes and both passes together of milliseconds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "cmd/command.h"

#define KALLSYMS_MAX (256ul << 20)
/* What is assumed of a symbol with nothing behind it: the page it starts in. */
#define PAGE_SIZE 4096ull

struct kallsyms_options {
	const char *kallsyms;
	unsigned verbose;
};

static const struct option_row kallsyms_rows[] = {
	{ .name = "kallsyms",
	  OPTION_STRING(struct kallsyms_options, kallsyms),
	  .arg = "file",
	  .help = "read this copy of a kernel's list" },
	{ 'v', "verbose", OPTION_COUNTER(struct kallsyms_options, verbose), .help = "say more" },
};

struct line {
	uint64_t address;
	struct span name;
	struct span module; /* empty: the kernel itself */
};

struct wanted {
	const char *name;
	size_t size;
	struct line found; /* name.data NULL: not found */
	uint64_t end; /* UINT64_MAX: nothing behind */
};

/* The next line of the text at *pos; false at the end. Lines that are no symbols are passed over. */
static bool next_line(const char **pos, const char *end, struct line *ret)
{
	while (*pos < end) {
		const char *newline = memchr(*pos, '\n', (size_t)(end - *pos));
		const char *stop = newline ? newline : end, *c = *pos, *name, *name_end, *tab;

		*pos = newline ? newline + 1 : end;
		ret->address = 0;
		for (; c < stop && *c != ' '; c++) {
			int digit = *c <= '9' ? *c - '0' : (*c | 32) - 'a' + 10;

			if (digit < 0 || digit > 15)
				break;
			ret->address = ret->address << 4 | (unsigned)digit;
		}
		if (stop - c < 4 || c[0] != ' ' || c[2] != ' ')
			continue;
		name = c + 3;
		tab = memchr(name, '\t', (size_t)(stop - name));
		name_end = tab ? tab : stop;
		ret->name = (struct span){ (const uint8_t *)name, (size_t)(name_end - name) };
		ret->module = (struct span){ (const uint8_t *)"", 0 };
		if (tab && stop - tab > 3 && tab[1] == '[' && stop[-1] == ']')
			ret->module = (struct span){ (const uint8_t *)tab + 2,
						     (size_t)(stop - 1 - (tab + 2)) };
		return true;
	}
	return false;
}

static bool same_span(struct span a, struct span b)
{
	return a.size == b.size && !memcmp(a.data, b.data, a.size);
}

static void find_names(const struct buf *text, struct wanted *wanted, size_t nr)
{
	const char *pos = text->data, *end = text->data + text->size;
	struct line line;

	while (next_line(&pos, end, &line))
		for (size_t i = 0; i < nr; i++)
			if (!wanted[i].found.name.data && line.name.size == wanted[i].size &&
			    !memcmp(line.name.data, wanted[i].name, line.name.size))
				wanted[i].found = line;
}

static void find_ends(const struct buf *text, struct wanted *wanted, size_t nr)
{
	const char *pos = text->data, *end = text->data + text->size;
	struct line line;

	while (next_line(&pos, end, &line))
		for (size_t i = 0; i < nr; i++)
			if (wanted[i].found.name.data && line.address > wanted[i].found.address &&
			    line.address < wanted[i].end && same_span(line.module, wanted[i].found.module))
				wanted[i].end = line.address;
}

static void print_wanted(const struct wanted *wanted, struct buf *buf)
{
	const struct line *found = &wanted->found;
	unsigned long long start = found->address, end = wanted->end;

	if (!found->name.data) {
		buf_printf(buf, "%s: not found\n", wanted->name);
		return;
	}
	if (end == UINT64_MAX)
		end = (start | (PAGE_SIZE - 1)) + 1;
	if (found->module.size)
		buf_printf(buf, "%s: [%.*s] [%.*s]", wanted->name, (int)found->module.size,
			   found->module.data, (int)found->module.size, found->module.data);
	else
		buf_printf(buf, "%s: [kernel] [kernel.kallsyms]", wanted->name);
	buf_printf(buf, " %#llx-%#llx (%#llx-%#llx)\n", start, end, start, end);
}

static int kallsyms_run(int argc, char **argv)
{
	struct kallsyms_options options = { .kallsyms = "/proc/kallsyms" };
	struct buf text = BUF_INIT, out = BUF_INIT;
	struct wanted *wanted;
	struct line first;
	const char *pos;
	int status, ret;

	if (!command_parse(&command_kallsyms, &options, &argc, &argv, &status))
		return status;
	if (!argc)
		return command_usage(&command_kallsyms);
	log_level += (int)options.verbose;
	ret = file_read_path(options.kallsyms, &text, KALLSYMS_MAX);
	if (ret < 0) {
		buf_release(&text);
		return command_failf("%s: %s", options.kallsyms, strerror(-ret));
	}
	wanted = xcalloc((size_t)argc, sizeof(*wanted));
	for (int i = 0; i < argc; i++)
		wanted[i] = (struct wanted){ .name = argv[i], .size = strlen(argv[i]), .end = UINT64_MAX };
	find_names(&text, wanted, (size_t)argc);
	find_ends(&text, wanted, (size_t)argc);
	pos = text.data;
	status = 0;
	for (int i = 0; i < argc; i++)
		print_wanted(&wanted[i], &out);
	/* A kernel that hides its addresses says 0 for all of them. */
	if (text.size && next_line(&pos, text.data + text.size, &first) && !first.address &&
	    !wanted[0].found.address && wanted[0].found.name.data) {
		struct err err;

		out.size = 0;
		err_set(&err, -EPERM, "the kernel hides its addresses from this user");
		err_hint(&err, "Run as root, or: sudo sysctl kernel.kptr_restrict=0");
		status = command_fail(&err);
	}
	out.fd = STDOUT_FILENO;
	ret = buf_flush(&out);
	free(wanted);
	buf_release(&text);
	buf_release(&out);
	return ret < 0 ? command_failf("standard output: %s", strerror(-ret)) : status;
}

const struct command command_kallsyms = {
	.spec = {
		.name = "kallsyms",
		.summary = "Find symbols of the running kernel",
		.usage = { "kallsyms [<options>] symbol_name..." },
		.examples = {
			{ "kallsyms do_exit vfs_read", "Print the module, the start and the end of two functions." },
		},
		.description = "Each line says NAME: [MODULE] [DSO] START-END, and in parentheses the same range as the "
			       "file has it. A name that does not exist is \"not found\", which is no failure.",
		.sets = { { kallsyms_rows, NR_ITEMS(kallsyms_rows), 0 } },
		.see_also = "probe",
	},
	.purpose = COMMAND_EVENTS,
	.run = kallsyms_run,
};
