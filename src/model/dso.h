/* SPDX-License-Identifier: Apache-2.0 */
/* A DSO: one body of code that addresses belong to: an executable, a library, the kernel, a module, JIT memory. */
#ifndef MODEL_DSO_H
#define MODEL_DSO_H

#include <stdbool.h>
#include <stdint.h>

struct dso_id {
	uint32_t v;
};

enum dso_kind {
	DSO_UNKNOWN, /* id 0: addresses in no mapping */
	DSO_FILE, /* offset is a file offset */
	DSO_KERNEL, /* offset is the address itself */
	DSO_MODULE, /* offset is the address minus the module's start (plus pgoff) */
	DSO_VDSO, /* offset within the vdso image */
	DSO_JIT, /* anonymous executable memory of one process (perf-PID.map, jitdump); offset is the address */
	DSO_BPF, /* one BPF program; offset is the address */
	DSO_SPECIAL, /* [heap], [stack], [vsyscall] ...: named by the kernel, without symbols */
};

struct dso {
	enum dso_kind kind;
	const char *
		path; /* as recorded: "/usr/bin/gcc", "[kernel.kallsyms]", "[ext4]"; JIT memory: "/tmp/perf-PID.map" */
	const char *name; /* as shown: basename, "[kernel.kallsyms]", "[JIT] tid 123", "[unknown]" */
	int32_t pid; /* DSO_JIT: the process; else -1 */
	uint64_t start; /* DSO_KERNEL, MODULE, BPF: first address; else 0 */
	uint64_t end;
	uint64_t mapped_size; /* bytes of its largest executable mapping; kernel side: end - start */
	uint32_t bpf_id; /* DSO_BPF with a BPF_EVENT; else 0 */
	uint8_t build_id_size; /* 0: none recorded */
	uint8_t build_id[20];
	bool is_64bit;
};

#endif
