/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How events are sampled: the options of `record` that become bits of every event's attr.
 *
 * The attrs are those that perf would open for the same options (sample_type, read_format, which event carries
 * the side-band), because scripts read them back with evlist -v.
 */
#ifndef CAPTURE_SAMPLING_H
#define CAPTURE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "capture/target.h"
#include "event/event.h"

#define SAMPLING_FREQUENCY 4000
#define SAMPLING_STACK_SIZE 8192
#define SAMPLING_STACK_SIZE_MAX 65528 /* attr.sample_stack_user: below 64 KiB and a multiple of 8 */

struct sampling {
	uint64_t frequency; /* samples a second; 0: not by frequency */
	uint64_t period; /* one sample each so many; 0: by frequency */
	bool rate_given; /* by the user: then it holds for tracepoints, too */
	enum event_callgraph callgraph;
	uint32_t stack_size; /* with EVENT_CALLGRAPH_DWARF; 0: SAMPLING_STACK_SIZE */
	bool no_samples; /* -n: only side-band */
	bool no_inherit; /* -i */
	bool addresses; /* -d */
	bool data_source; /* --sample-mem-info, and -d */
	bool weight; /* -W */
	bool phys_data;
	bool code_page_size, data_page_size;
	bool cpu; /* --sample-cpu */
	bool timestamps; /* -T: also where the target alone would not ask for them */
	bool no_timestamps; /* --no-timestamp */
	bool always_period; /* -P */
	bool never_period; /* --no-period */
	bool identifier; /* --sample-identifier */
	bool raw; /* -R */
	bool transaction;
	bool all_user, all_kernel;
	bool kernel_callchains, user_callchains; /* only the one half */
	bool namespaces, cgroups, switches;
	bool no_bpf_events;
	bool data_mmaps; /* mappings that are not executable, too */
	bool overwrite;
	bool per_thread_counts; /* -s */
	bool running_time;
	bool no_buffering;
	bool no_build_ids; /* in MMAP2 */
	bool tracking_apart; /* side-band is wanted while the events are off: -D, --control */
	bool has_clockid;
	int32_t clockid;
	uint64_t regs_user, regs_intr; /* masks; 0: none but those a call graph needs */
};

/*
 * Completes the attrs of all events for this target and adds a side-band event where one is needed. 0, or -EINVAL with
 * words when the options contradict each other.
 */
int sampling_apply(const struct sampling *sampling, const struct target *target, struct event_list *list,
		   struct err *err);
/*
 * Whether an event is opened on tasks; otherwise on CPUs. by_cgroup: a launched command is followed by its cgroup, but
 * tracepoints (and the groups that they lead) still by its tasks: see counter.h.
 */
bool sampling_is_on_tasks(const struct target *target, bool by_cgroup, const struct event_list *list,
			  uint32_t index);
/*
 * What depends on how the target is followed, to be called (again) when that is known: inherit, enable_on_exec and
 * disabled.
 */
void sampling_apply_scope(const struct sampling *sampling, const struct target *target, bool by_cgroup,
			  struct event_list *list);
/* The highest frequency the kernel takes now (kernel.perf_event_max_sample_rate); 0: not known. */
uint64_t sampling_max_frequency(void);

/* Registers by perf's names ("ax,bx,ip") into a mask. 0 or -EINVAL with words, which list the names. */
int sampling_parse_registers(const char *text, uint64_t *ret_mask, struct err *err);
/* All registers that user space samples can hold. */
uint64_t sampling_all_registers(void);
/* Their names, separated by blanks. */
void sampling_print_registers(struct buf *buf);

#endif
