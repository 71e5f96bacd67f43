/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that can be read about options, made from the same rows that parse them: the help on the terminal, the
 * man page (roff), the bash completion, and the list of configuration keys.
 *
 * The command lines that make them (cmd/help.c), each writing to stdout:
 *
 *	sonde help --generate man             sonde(1), the page of the program itself
 *	sonde help --generate man COMMAND     sonde-COMMAND(1)
 *	sonde help --generate bash            the completion script (share/bash-completion/completions/sonde)
 *	sonde help --generate config          the configuration keys with their options
 *	sonde --list-cmds                     the commands that have a page, in one line
 */
#ifndef CLI_OPTION_DOC_H
#define CLI_OPTION_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "cli/option.h"

/* " Usage: sonde record [<options>] [<command>]" and its further forms. */
void option_doc_usage(const struct option_spec *spec, const char *program, struct buf *buf);
/*
 * All visible options under their headings. With words (NULL-ended; may be NULL): only the options that have one of
 * them in their name, argument or help. Returns how many options were shown.
 */
size_t option_doc_list(const struct option_spec *spec, const char *const *words, struct buf *buf);
/* One option, as it stands in the list. */
void option_doc_row(const struct option_row *row, struct buf *buf);
/* Its names and argument alone: "-F, --freq <n>". */
void option_doc_label(const struct option_row *row, struct buf *buf);

/* The headings of a spec that have visible rows; "" is last and stands for rows without one. */
struct option_headings {
	const char *names[64];
	size_t nr;
};

void option_doc_headings(const struct option_spec *spec, struct option_headings *ret);
void option_doc_each_under(const struct option_spec *spec, const char *wanted,
			   void (*visit)(const struct option_row *row, void *context), void *context);
/* The long names, "--event --filter ", for completion scripts written for perf. */
void option_doc_names(const struct option_spec *spec, struct buf *buf);

/* What a page says: a command's, or the program's own with the list of its commands. */
struct option_page {
	const struct option_spec *spec; /* of the program: name NULL */
	const char *program; /* "sonde" */
	const char *version;
	/* Subcommands with options of their own, or all commands; NULL-ended. */
	const struct option_spec *const *parts;
};

/* The page in roff, for man(1). */
void option_doc_man(const struct option_page *page, struct buf *buf);
/* The same page as plain text, lines of at most `width` columns; bold where headings are, if wanted. */
void option_doc_text(const struct option_page *page, unsigned width, bool bold, struct buf *buf);

/* A line "key<tab>command --option<tab>help" for each row that has a configuration key. */
void option_doc_config(const struct option_spec *spec, struct buf *buf);
/*
 * The words the completion script offers behind a command: "--event=event --freq=n -F=n --quiet ..."; behind '=' is
 * the name of the argument, or the choices as "a|b|c".
 */
void option_doc_complete(const struct option_spec *spec, struct buf *buf);

#endif
