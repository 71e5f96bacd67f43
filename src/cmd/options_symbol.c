/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options_symbol.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/program.h"

#define S struct options_symbol

int option_refuse(void *field, const struct option_row *row, const char *arg, bool unset, struct err *err)
{
	(void)field, (void)arg;
	if (unset)
		return 0;
	return err_set(err, -EOPNOTSUPP, "--%s %s", row->name, (const char *)row->value);
}

int option_readable(void *field, const struct option_row *row, const char *arg, bool unset, struct err *err)
{
	(void)row;
	if (!unset && access(arg, R_OK))
		return err_errno(err, -errno, "cannot read %s", arg);
	*(const char **)field = arg;
	return 0;
}

int option_directory(void *field, const struct option_row *row, const char *arg, bool unset, struct err *err)
{
	struct stat st;

	(void)row;
	if (!unset && stat(arg, &st))
		return err_errno(err, -errno, "cannot look into '%s'", arg);
	if (!unset && !S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "'%s' is no directory", arg);
	if (!unset && access(arg, X_OK))
		return err_errno(err, -errno, "cannot look into '%s'", arg);
	*(const char **)field = arg;
	return 0;
}

const struct option_row options_symbol_rows[OPTIONS_SYMBOL_NR_ROWS] = {
	{ 'k', "vmlinux", OPTION_CALLBACK(S, vmlinux, option_readable), .arg = "file",
	  .help = "the kernel's symbols are in this vmlinux", .heading = "Names of functions" },
	{ .name = "ignore-vmlinux",
	  OPTION_FLAG(S, ignore_vmlinux),
	  .help = "do not look for a vmlinux: the kernel's symbols come from kallsyms" },
	{ .name = "kallsyms",
	  OPTION_CALLBACK(S, kallsyms, option_readable),
	  .arg = "file",
	  .help = "the kernel's symbols are in this copy of /proc/kallsyms" },
	{ .name = "symfs",
	  OPTION_CALLBACK(S, symfs, option_directory),
	  .arg = "directory",
	  .help = "look for all object files below this directory" },
	{ .name = "demangle",
	  OPTION_FLAG(S, demangle),
	  .help = "C++, Rust and D names as they are written (the default)" },
	{ .name = "demangle-kernel",
	  OPTION_FLAG(S, demangle_kernel),
	  .flags = OPTION_HIDDEN,
	  .help = "the same for the kernel's names" },
	{ .name = "debuginfod",
	  OPTION_FLAG(S, debuginfod),
	  .help = "ask the servers of $DEBUGINFOD_URLS for symbols" },
	{ .name = "inline",
	  .type = OPTION_TYPE_CALLBACK,
	  .parse = option_refuse,
	  .flags = OPTION_HIDDEN,
	  .value =
		  (intptr_t) "(showing inlined functions) is not in this version yet: inlined code counts for the "
			     "function that it was inlined into, as with --no-inline" },
	{ .name = "buildid-dir",
	  OPTION_STRING(S, buildid_dir),
	  .arg = "directory",
	  .config = "buildid.dir",
	  .flags = OPTION_HIDDEN,
	  .help = "where files are kept by their build-id (~/.debug)" },
};

static bool show_download(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct progress *progress = context;

	if (!what) {
		progress_stop(progress);
		progress->what = NULL;
	} else if (!progress->what || progress->total != total) {
		progress_start(progress, what, total);
	}
	if (what)
		progress_set(progress, done);
	return false;
}

struct symbolizer_options options_symbol_resolve(const struct options_symbol *options)
{
	return (struct symbolizer_options){ .symfs = options->symfs,
					    .vmlinux = options->vmlinux,
					    .kallsyms = options->kallsyms,
					    .ignore_vmlinux = options->ignore_vmlinux,
					    .buildid_dir = program_buildid_dir(options->buildid_dir),
					    .no_demangle = !options->demangle,
					    .debuginfod = options->debuginfod,
					    .progress = show_download,
					    .progress_context = (struct progress *)&options->download };
}
