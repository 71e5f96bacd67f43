/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config: what the configuration files say, and changing it.
 *
 * Reading shows what counts over all files. Writing goes to one file: the user's own, which is ~/.perfconfig when
 * we were started as perf, and ~/.config/sonde/config otherwise (perf never sees the latter).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "cli/config.h"
#include "cli/suggest.h"
#include "cmd/command.h"

struct config_options {
	bool list;
	bool show_origin;
	bool system;
	bool user;
};

static const struct option_row config_rows[] = {
	{ 'l', "list", OPTION_FLAG(struct config_options, list), .help = "show all settings" },
	{ .name = "show-origin",
	  OPTION_FLAG(struct config_options, show_origin),
	  .help = "say with each setting which file and line it comes from" },
	{ .name = "system", OPTION_FLAG(struct config_options, system), .help = "use only the system's file" },
	{ .name = "user", OPTION_FLAG(struct config_options, user), .help = "use only the user's files" },
};

static enum config_scope scope_of(const struct config_options *options)
{
	return options->system ? CONFIG_SYSTEM : options->user ? CONFIG_USER : CONFIG_ALL;
}

static void print_entry(const struct config_options *options, const struct config_entry *entry,
			struct buf *buf)
{
	if (options->show_origin)
		buf_printf(buf, "%s:%u\t", entry->path, entry->line);
	buf_printf(buf, "%s=%s\n", entry->key, entry->value ? entry->value : "true");
}

static void print_all(const struct config_options *options, const struct config *config, struct buf *buf)
{
	const struct config_entry **entries = xcalloc(config->entries.nr + 1,
						      sizeof(const struct config_entry *));
	size_t nr = config_effective(config, entries, config->entries.nr);

	for (size_t i = 0; i < nr; i++)
		print_entry(options, entries[i], buf);
	free(entries);
}

/* ---- which keys mean something ----------------------------------------------------------------- */

struct keys {
	struct suggest suggest;
	bool known;
};

static int offer_key(const struct option_set *set, const struct option_row *row, void *context)
{
	struct keys *keys = context;

	(void)set;
	if (!row->config)
		return 0;
	if (!strcasecmp(row->config, keys->suggest.wanted))
		keys->known = true;
	suggest_offer(&keys->suggest, row->config);
	return 0;
}

/* A setting that nobody reads is most likely a slip. */
static void warn_unknown(const char *key)
{
	static const char *const others[] = { "core.pager", "pager.", "colors.", "alias." };
	struct keys keys = { .suggest.wanted = key };

	for (size_t i = 0; i < NR_ITEMS(others); i++)
		if (!strncasecmp(key, others[i], strlen(others[i])))
			return;
	for (const struct command *const *all = command_all(); *all; all++) {
		option_each(&(*all)->spec, offer_key, &keys);
		for (const struct command *const *part = (*all)->subcommands; part && *part; part++)
			option_each(&(*part)->spec, offer_key, &keys);
	}
	if (keys.known)
		return;
	if (keys.suggest.nr)
		command_note("no command reads '%s'; did you mean '%s'?", key, keys.suggest.names[0]);
	else
		command_note("no command reads '%s'; '%s help --generate config' lists the keys", key,
			     program_name());
}

/* ---- one word of the command line -------------------------------------------------------------- */

static int set_key(const struct config_options *options, struct config *config, const char *key,
		   const char *value)
{
	enum config_scope scope = options->system     ? CONFIG_SYSTEM
				  : program_is_perf() ? CONFIG_PERF
						      : CONFIG_USER;
	const char *path = config_path(config, scope);
	struct err err;

	if (!path)
		return command_failf("there is no home folder ($HOME) to keep settings in");
	if (config_write(path, key, value, &err) < 0)
		return command_fail(&err);
	warn_unknown(key);
	return 0;
}

static int check_key(const char *key)
{
	const char *dot = strchr(key, '.');

	if (!dot || dot == key)
		return command_failf("The config variable does not contain a section name: %s", key);
	if (!strrchr(key, '.')[1])
		return command_failf("The config variable does not contain a variable name: %s", key);
	if (strpbrk(key, "\n[]\"#; \t"))
		return command_failf("The config variable has characters that no key can have: %s", key);
	return 0;
}

static int take_word(const struct config_options *options, struct config *config, const char *word,
		     struct buf *buf)
{
	const char *equals = strchr(word, '=');
	char *key = xstrndup(word, equals ? (size_t)(equals - word) : strlen(word));
	const struct config_entry *entry;
	int status = check_key(key);

	if (!status && equals) {
		if (equals[1])
			status = set_key(options, config, key, equals + 1);
		else
			status = command_failf("The config variable has no value: %s", word);
	} else if (!status) {
		entry = config_find(config, key);
		if (entry)
			print_entry(options, entry, buf);
	}
	free(key);
	return status;
}

static int config_run(int argc, char **argv)
{
	struct config_options options = { 0 };
	struct config config = { 0 };
	struct buf buf = BUF_INIT;
	int status;

	if (!command_parse(&command_config, &options, &argc, &argv, &status))
		return status;
	if (options.system && options.user)
		return command_usage_error(&command_config, "only one config file at a time");
	if (options.list && argc)
		return command_usage_error(&command_config, "takes no arguments");
	config_load(&config, scope_of(&options));
	for (size_t i = 0; i < config.problems.nr; i++)
		command_note("%s", config.problems.items[i]);
	status = 0;
	buf.fd = STDOUT_FILENO;
	if (!argc)
		print_all(&options, &config, &buf);
	for (int i = 0; i < argc && !status; i++)
		status = take_word(&options, &config, argv[i], &buf);
	if (buf_flush(&buf) < 0 && !status)
		status = command_failf("standard output: %s", strerror(-buf.error));
	buf_release(&buf);
	config_release(&config);
	return status;
}

const struct command command_config = {
	.spec = {
		.name = "config",
		.summary = "Get and set what the configuration files say",
		.usage = { "config [<file-option>] [options] [section.name[=value] ...]" },
		.examples = {
			{ "config call-graph.record-mode=dwarf", "Make `record -g` unwind by debug information." },
			{ "config -l --show-origin", "Show every setting and the line it comes from." },
			{ "config report.children", "Show one." },
		},
		.description = "The files are, each overriding those before it: /etc/perfconfig (the system's), "
			       "~/.perfconfig and $XDG_CONFIG_HOME/sonde/config (the user's). With PERF_CONFIG set, "
			       "only the file it names. They have the format of git's:\n\n"
			       "[section] on a line, key = value on the lines below it, # and ; begin comments.\n\n"
			       "Options on the command line override settings. `help --generate config` lists "
			       "every key with its option.",
		.sets = { { config_rows, NR_ITEMS(config_rows), 0 } },
	},
	.purpose = COMMAND_TOOL,
	.run = config_run,
};
