/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEBUGFILE_H
#define ELF_DEBUGFILE_H

#include <stdbool.h>

#include "base/err.h"
#include "elf/build_id.h"
#include "elf/debuginfod.h"

struct elf_image;

/* Where to look. A zeroed struct means the usual places. */
struct debugfile_options {
	const char *symfs; /* put in front of all paths but the build-id cache's; NULL: nothing */
	const char *root; /* asked before symfs: the file system of a container (/proc/PID/root); NULL: none */
	const char *buildid_dir; /* perf's build-id cache; NULL: $HOME/.debug, "" or "/dev/null": none */
	const char *debug_dir; /* NULL: /usr/lib/debug */
	bool debuginfod; /* may ask $DEBUGINFOD_URLS when nothing is found here */
	debuginfod_progress *progress; /* NULL: silent */
	void *progress_context;
};

enum debugfile_part {
	DEBUGFILE_SYMBOLS, /* .symtab */
	DEBUGFILE_LINES, /* DWARF lines */
};

enum debugfile_status {
	DEBUGFILE_COMPLETE, /* `symbols` has what was asked for */
	DEBUGFILE_STRIPPED, /* `symbols` is the file itself, with .dynsym or .gnu_debugdata (then no reason) at most */
	DEBUGFILE_DIFFERS, /* what is there now has another build-id */
	DEBUGFILE_MISSING, /* no file */
	DEBUGFILE_DAMAGED, /* a file that cannot be read as ELF */
};

struct debugfile {
	enum debugfile_status status;
	struct elf_image *runtime; /* what was mapped when the program ran; NULL: not at hand */
	struct elf_image *symbols; /* runtime, or a separate file with the same vaddrs; NULL: nothing at all */
	bool fetched; /* came from a debuginfod server */
	char reason[512]; /* unless complete: one sentence without a full stop; else empty */
};

/*
 * Finds the file that has the symbols (or lines) of a DSO; the first that has them wins: the file itself, perf's
 * build-id cache, DEBUG_DIR/.build-id/xx/yyyy.debug, .gnu_debuglink beside it, in .debug/ and under DEBUG_DIR,
 * DEBUG_DIR/PATH.debug and DEBUG_DIR/PATH, debuginfod. With a known build_id (NULL: not known) a file that has another
 * one is refused everywhere; a debug link's file must have the same build-id or the right checksum.
 * Never fails: see status. ret_file is to be released.
 */
void debugfile_find(const struct debugfile_options *options, const char *path,
		    const struct build_id *build_id, enum debugfile_part part, struct debugfile *ret_file);
void debugfile_release(struct debugfile *file);

/*
 * The kernel. A vmlinux with the build-id (NULL: that of the running kernel): in the build-id cache and where
 * distributions put it for this release (NULL: uname -r). Malloc'ed path, or NULL.
 */
char *debugfile_find_vmlinux(const struct debugfile_options *options, const char *release,
			     const struct build_id *build_id);
/* The text of kallsyms: of the running kernel if that is the one (then "/proc/kallsyms"), or a copy in the build-id cache.
 * Malloc'ed path, or NULL. */
char *debugfile_find_kallsyms(const struct debugfile_options *options, const struct build_id *build_id);
/* /lib/modules/RELEASE's file of a module ("ext4", "[ext4]", "nf-nat"), by modules.dep; it may be compressed. Malloc'ed
 * path, or NULL. */
char *debugfile_find_module(const struct debugfile_options *options, const char *release, const char *name);

#endif
