/* SPDX-License-Identifier: Apache-2.0 */
/* What one line of `script` is made of, resolved: plain values, for the renderer. */
#ifndef ANALYSIS_SCRIPT_LINE_H
#define ANALYSIS_SCRIPT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/script_fields.h"
#include "base/span.h"

/* How lines of one event look. */
struct script_style {
	uint64_t fields; /* SCRIPT_BIT */
	bool has_chains; /* its samples have callchains and they are shown: comms are not padded */
	bool is_latency; /* -L: short comms, bare CPU numbers */
	bool is_ns; /* --ns */
};

/* What is at an address. */
struct script_place {
	uint64_t addr;
	const char *name; /* NULL: no symbol */
	uint64_t name_offset; /* of addr, from the symbol's start */
	const char *dso; /* NULL: no mapping */
	uint64_t dso_offset; /* of addr in the file; */
	bool has_dso_offset; /* not for kernels and made-up DSOs */
};

enum script_arch {
	SCRIPT_ARCH_X86,
	SCRIPT_ARCH_ARM64,
	SCRIPT_ARCH_OTHER, /* registers by number */
};

struct script_regs {
	uint64_t abi; /* 0: none */
	uint64_t mask;
	const uint8_t *values;
	enum script_arch arch;
};

struct script_branch {
	struct script_place from, to;
	uint64_t flags; /* as in struct perf_branch_entry */
};

#endif
