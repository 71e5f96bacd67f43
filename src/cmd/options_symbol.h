/* SPDX-License-Identifier: Apache-2.0 */
/* Where names for addresses come from: the options that every command has which shows functions. */
#ifndef CMD_OPTIONS_SYMBOL_H
#define CMD_OPTIONS_SYMBOL_H

#include <stdbool.h>

#include "cli/option.h"
#include "cli/progress.h"
#include "symbol/symbolizer.h"

struct options_symbol {
	const char *vmlinux, *kallsyms, *symfs, *buildid_dir;
	bool ignore_vmlinux;
	bool demangle, demangle_kernel;
	bool debuginfod;
	struct progress download; /* of debuginfod */
};

#define OPTIONS_SYMBOL_DEFAULT \
	{ \
		.demangle = true, .demangle_kernel = true \
	}
#define OPTIONS_SYMBOL_NR_ROWS 9

extern const struct option_row options_symbol_rows[OPTIONS_SYMBOL_NR_ROWS];

/* The result refers to options, which must outlive the symbolizer. */
struct symbolizer_options options_symbol_resolve(const struct options_symbol *options);

/* For rows of things that perf has and this version has not: --NAME says why, --no-NAME is fine. .value: the reason. */
int option_refuse(void *field, const struct option_row *row, const char *arg, bool unset, struct err *err);
/* For rows of directories and of files that must be there: a const char *. */
int option_directory(void *field, const struct option_row *row, const char *arg, bool unset, struct err *err);
int option_readable(void *field, const struct option_row *row, const char *arg, bool unset, struct err *err);

#endif
