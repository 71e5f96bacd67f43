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
/* The long names, "--event --filter ", for completion scripts written for perf. */
void option_doc_names(const struct option_spec *spec, struct buf *buf);

/* The man page of a command, in roff. */
void option_doc_man(const struct option_spec *spec, const char *version, struct buf *buf);
/* The words of roff: text with what it would take for commands escaped; a '.' at a line's start too. */
void option_doc_roff_text(const char *text, struct buf *buf);
/* A line "key  option" for each row that has a configuration key. */
void option_doc_config(const struct option_spec *spec, struct buf *buf);
/* A line for the completion script's table of a command: "--event=event --freq=n -F=n ...", as shell words. */
void option_doc_complete(const struct option_spec *spec, struct buf *buf);

#endif
