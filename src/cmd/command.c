/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all subcommands share: the table of them, reading the command line the one way, saying errors the one way.
 */
#include "cmd/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/config.h"
#include "cli/option_doc.h"
#include "cli/pager.h"
#include "cmd/help.h"

/* Weak: the address of a command whose file is not there is NULL. */
#define COMMAND_WEAK(name) extern const struct command command_##name __attribute__((weak));
COMMANDS(COMMAND_WEAK)

#define COMMAND_ROW(name) &command_##name,
static const struct command *const listed[] = { COMMANDS(COMMAND_ROW) };

const struct command *const *command_all(void)
{
	static const struct command *present[NR_ITEMS(listed) + 1];
	size_t nr = 0;

	for (size_t i = 0; i < NR_ITEMS(listed); i++)
		if (listed[i])
			present[nr++] = listed[i];
	return present;
}

const struct command *command_find(const char *name)
{
	for (const struct command *const *all = command_all(); *all; all++)
		if (!strcmp((*all)->spec.name, name))
			return *all;
	return NULL;
}

size_t command_specs(const struct command *const *commands, const struct option_spec **ret, size_t room)
{
	size_t nr = 0;

	for (; commands && *commands && nr + 1 < room; commands++)
		if (!(*commands)->hidden)
			ret[nr++] = &(*commands)->spec;
	ret[nr] = NULL;
	return nr;
}

static void say(struct buf *buf)
{
	fflush(stdout);
	buf->fd = STDERR_FILENO;
	buf_flush(buf);
	buf_release(buf);
}

static void add_hint(struct buf *buf, const struct err *err)
{
	if (err->hint[0])
		buf_printf(buf, "%s\n", err->hint);
}

int command_fail(const struct err *err)
{
	struct buf buf = BUF_INIT;

	buf_printf(&buf, "%s: %s\n", program_name(), err->text);
	add_hint(&buf, err);
	say(&buf);
	return EXIT_FAILED;
}

static void say_text(const char *fmt, va_list ap)
{
	struct buf buf = BUF_INIT;

	buf_printf(&buf, "%s: ", program_name());
	buf_vprintf(&buf, fmt, ap);
	buf_putc(&buf, '\n');
	say(&buf);
}

int command_failf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_text(fmt, ap);
	va_end(ap);
	return EXIT_FAILED;
}

void command_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_text(fmt, ap);
	va_end(ap);
}

int command_print(struct buf *buf)
{
	int ret;

	buf->fd = STDOUT_FILENO;
	ret = buf_flush(buf);
	buf_release(buf);
	if (ret == -EPIPE)
		return EXIT_FAILED;
	return ret < 0 ? command_failf("standard output: %s", strerror(-ret)) : 0;
}

int command_usage(const struct command *command)
{
	struct buf buf = BUF_INIT;

	buf_putc(&buf, '\n');
	option_doc_usage(&command->spec, program_name(), &buf);
	buf_putc(&buf, '\n');
	option_doc_list(&command->spec, NULL, &buf);
	buf_putc(&buf, '\n');
	say(&buf);
	return EXIT_USAGE;
}

int command_usage_error(const struct command *command, const char *fmt, ...)
{
	struct buf buf = BUF_INIT;
	va_list ap;

	buf_str(&buf, " Error: ");
	va_start(ap, fmt);
	buf_vprintf(&buf, fmt, ap);
	va_end(ap);
	buf_str(&buf, "\n\n");
	option_doc_usage(&command->spec, program_name(), &buf);
	buf_printf(&buf, "\nAll options: %s %s -h\n", program_name(), command->spec.name);
	say(&buf);
	return EXIT_USAGE;
}

/* A wrong command line: what is wrong, what was perhaps meant, the usage, and the option concerned or all of them. */
static int say_wrong(const struct command *command, const struct option_outcome *outcome)
{
	struct buf buf = BUF_INIT;

	if (strchr(outcome->err.text, '\n'))
		buf_printf(&buf, "%s\n", outcome->err.text);
	else
		buf_printf(&buf, " Error: %s\n", outcome->err.text);
	add_hint(&buf, &outcome->err);
	buf_putc(&buf, '\n');
	option_doc_usage(&command->spec, program_name(), &buf);
	buf_putc(&buf, '\n');
	if (outcome->row)
		option_doc_row(outcome->row, &buf);
	else
		option_doc_list(&command->spec, NULL, &buf);
	say(&buf);
	return EXIT_USAGE;
}

/* -h [WORD...]: the options, on stdout since they were asked for; perf's exit status. */
static int say_help(const struct command *command, char **words)
{
	struct buf buf;

	command_paginate(command);
	buf_init(&buf, STDOUT_FILENO);
	buf_putc(&buf, '\n');
	option_doc_usage(&command->spec, program_name(), &buf);
	buf_putc(&buf, '\n');
	if (!option_doc_list(&command->spec, (const char *const *)words, &buf) && words[0])
		buf_printf(&buf, "No option speaks of '%s'.\n", words[0]);
	command_print(&buf);
	return EXIT_USAGE;
}

static int say_names(const struct command *command)
{
	struct buf buf;

	buf_init(&buf, STDOUT_FILENO);
	option_doc_names(&command->spec, &buf);
	buf_putc(&buf, '\n');
	return command_print(&buf);
}

/* ---- the configuration files as a first command line ------------------------------------------- */

struct setting {
	const struct config_entry *entry;
	void *options;
};

static int apply_setting(const struct option_set *set, const struct option_row *row, void *context)
{
	struct setting *setting = context;
	const struct config_entry *entry = setting->entry;
	struct err err;

	if (!row->config || strcasecmp(row->config, entry->key))
		return 0;
	if (option_apply(set, row, setting->options, entry->value, &err) < 0)
		command_note("%s:%u: bad value for '%s', which is ignored: %s", entry->path, entry->line,
			     entry->key, err.text);
	return 0;
}

static int has_key(const struct option_set *set, const struct option_row *row, void *context)
{
	(void)set;
	(void)context;
	return row->config != NULL;
}

static void apply_config(const struct command *command, void *options)
{
	const struct config *config;

	if (!option_each(&command->spec, has_key, NULL))
		return;
	config = program_config();
	for (size_t i = 0; i < config->entries.nr; i++) {
		struct setting setting = { &config->entries.items[i], options };

		option_each(&command->spec, apply_setting, &setting);
	}
}

void command_paginate(const struct command *command)
{
	const struct config_entry *entry;
	const char *configured = NULL;
	char key[64];

	if (program_pager() == PROGRAM_PAGER_NEVER || !isatty(STDOUT_FILENO))
		return;
	entry = config_find(program_config(), "core.pager");
	if (entry)
		configured = entry->value;
	/* pager.report = false, or = a program for this command */
	snprintf(key, sizeof(key), "pager.%s", command->spec.name);
	entry = config_find(program_config(), key);
	if (entry && entry->value && (!strcmp(entry->value, "false") || !strcmp(entry->value, "no"))) {
		if (program_pager() != PROGRAM_PAGER_ALWAYS)
			return;
	} else if (entry && entry->value && strcmp(entry->value, "true") && strcmp(entry->value, "yes")) {
		configured = entry->value;
	}
	pager_start(configured);
}

bool command_parse(const struct command *command, void *options, int *argc, char ***argv, int *ret_status)
{
	struct option_outcome outcome;
	int nr;

	apply_config(command, options);
	nr = option_parse(&command->spec, options, *argc, *argv, &outcome);
	switch (outcome.result) {
	case OPTION_RESULT_OK:
		*argc = nr;
		return true;
	case OPTION_RESULT_ERROR:
		*ret_status = say_wrong(command, &outcome);
		break;
	case OPTION_RESULT_HELP:
		*ret_status = say_help(command, *argv);
		break;
	case OPTION_RESULT_MANUAL:
		*ret_status = help_show(command);
		break;
	case OPTION_RESULT_LIST:
		*ret_status = say_names(command);
		break;
	}
	return false;
}
