/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of features. A script asks because it wants to use something, so "on" means that this program can do
 * it; what perf can do with a library that is not ours, or what has not been built, is off.
 */
#include "cmd/feature.h"

#include <string.h>
#include <strings.h>

#include "cli/color.h"

/* Source lines; what else is made of libdw has rows of its own. */
#ifdef HAVE_DW
#define WITH_DW true
#else
#define WITH_DW false
#endif
#ifdef HAVE_IBERTY
#define WITH_IBERTY true
#else
#define WITH_IBERTY false
#endif
#ifdef HAVE_ZSTD
#define WITH_ZSTD true
#else
#define WITH_ZSTD false
#endif
#ifdef HAVE_LZMA
#define WITH_LZMA true
#else
#define WITH_LZMA false
#endif
#ifdef HAVE_TRACEEVENT
#define WITH_TRACEEVENT true
#else
#define WITH_TRACEEVENT false
#endif
#ifdef HAVE_DEBUGINFOD
#define WITH_DEBUGINFOD true
#else
#define WITH_DEBUGINFOD false
#endif

const struct feature features[] = {
	{ "aio", "HAVE_AIO_SUPPORT", false },
	{ "auxtrace", "HAVE_AUXTRACE_SUPPORT", false },
	{ "bpf", "HAVE_LIBBPF_SUPPORT", false },
	{ "bpf_skeletons", "HAVE_BPF_SKEL", false },
	{ "debuginfod", "HAVE_DEBUGINFOD_SUPPORT", WITH_DEBUGINFOD },
	{ "demangle", "HAVE_LIBIBERTY_SUPPORT", WITH_IBERTY },
	{ "dwarf", "HAVE_LIBDW_SUPPORT", WITH_DW },
	{ "dwarf_getlocations", "HAVE_LIBDW_SUPPORT", false },
	{ "dwarf-unwind", "HAVE_DWARF_UNWIND_SUPPORT", false },
	{ "libbfd", "HAVE_LIBBFD_SUPPORT", false },
	{ "babeltrace2-ctf-writer", "HAVE_BABELTRACE2_CTF_WRITER_SUPPORT", false },
	{ "libbpf-strings", "HAVE_LIBBPF_STRINGS_SUPPORT", false },
	{ "libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", false },
	{ "libdw-dwarf-unwind", "HAVE_LIBDW_SUPPORT", false },
	{ "libelf", "HAVE_LIBELF_SUPPORT", true },
	{ "libLLVM", "HAVE_LIBLLVM_SUPPORT", false },
	{ "libnuma", "HAVE_LIBNUMA_SUPPORT", false },
	{ "libopencsd", "HAVE_CSTRACE_SUPPORT", false },
	{ "libperl", "HAVE_LIBPERL_SUPPORT", false },
	{ "libpfm4", "HAVE_LIBPFM", false },
	{ "libpython", "HAVE_LIBPYTHON_SUPPORT", false },
	{ "libslang", "HAVE_SLANG_SUPPORT", false },
	{ "libtraceevent", "HAVE_LIBTRACEEVENT", WITH_TRACEEVENT },
	{ "libunwind", "HAVE_LIBUNWIND_SUPPORT", false },
	{ "lzma", "HAVE_LZMA_SUPPORT", WITH_LZMA },
	{ "numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", false },
	{ "syscall_table", "HAVE_SYSCALL_TABLE_SUPPORT", false },
	{ "zlib", "HAVE_ZLIB_SUPPORT", true },
	{ "zstd", "HAVE_ZSTD_SUPPORT", WITH_ZSTD },
	{ NULL, NULL, false },
};

const struct feature *feature_find(const char *name)
{
	for (const struct feature *feature = features; feature->name; feature++)
		if (!strcasecmp(feature->name, name) || !strcasecmp(feature->macro, name))
			return feature;
	return NULL;
}

void feature_print(const struct feature *feature, bool color, struct buf *buf)
{
	buf_str_right(buf, feature->name, 22);
	buf_str(buf, ": [ ");
	if (color)
		buf_str(buf, color_start(feature->on ? COLOR_GREEN : COLOR_RED));
	buf_str(buf, feature->on ? "on " : "OFF");
	if (color)
		buf_str(buf, color_end());
	buf_printf(buf, " ]  # %s\n", feature->macro);
}
