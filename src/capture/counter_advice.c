/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/counter_advice.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/number.h"
#include "event/event_hardware.h"

int counter_advice_paranoid(void)
{
	char text[32];
	int64_t value;

	if (file_read_line("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) < 0 ||
	    number_parse_i64(text, &value) < 0)
		return 2;
	return (int)value;
}

/* A line of /proc/self/status as a number in base 16 or 10; 0: not there. */
static unsigned long long own_status(const char *key, int base)
{
	struct buf buf = BUF_INIT;
	unsigned long long value = 0;
	char *line;

	if (!file_read_path("/proc/self/status", &buf, 1 << 16)) {
		line = strstr(buf_text(&buf), key);
		if (line)
			value = strtoull(line + strlen(key), NULL, base);
	}
	buf_release(&buf);
	return value;
}

static bool has_capability(unsigned bit)
{
	return own_status("\nCapEff:", 16) >> bit & 1;
}

#define CAPABILITY_SYS_ADMIN 21
#define CAPABILITY_PERFMON 38

static int refused_rights(struct err *err, int code, const struct event *event, const struct target *target)
{
	int paranoid = counter_advice_paranoid();
	bool privileged = has_capability(CAPABILITY_PERFMON) || has_capability(CAPABILITY_SYS_ADMIN);

	if (privileged || (geteuid() == 0 && own_status("\nSeccomp:", 10))) {
		err_set(err, code, "no permission to count %s, although this user is privileged",
			event->name);
		if (own_status("\nSeccomp:", 10) == 2)
			err_hint(err,
				 "A seccomp filter (a container's?) seems to forbid perf_event_open: docker run "
				 "--security-opt seccomp=unconfined --cap-add PERFMON");
		else
			err_hint(err,
				 "A security module or lockdown mode forbids it (see the kernel's log).");
		return code;
	}
	if (own_status("\nSeccomp:", 10) == 2 && paranoid < 2) {
		err_set(err, code, "no permission to count %s: a seccomp filter (a container's?) forbids it",
			event->name);
		err_hint(err, "docker run --security-opt seccomp=unconfined --cap-add PERFMON");
		return code;
	}
	if (target->kind == TARGET_TASKS && paranoid <= 2 && event->attr.flags & ATTR_EXCLUDE_KERNEL) {
		err_set(err, code,
			"no permission to look at process %d: it is not this user's, or keeps others out",
			target->threads.nr ? target->threads.items[0].pid : 0);
		err_hint(err, "Run as root, or with CAP_PERFMON and CAP_SYS_PTRACE.");
		return code;
	}
	if (target->kind == TARGET_CPUS)
		err_set(err, code,
			"no permission to count %s on whole CPUs (kernel.perf_event_paranoid is %d)",
			event->name, paranoid);
	else if (event->is_tracepoint)
		err_set(err, code,
			"no permission to record the tracepoint %s (kernel.perf_event_paranoid is %d)",
			event->name, paranoid);
	else
		err_set(err, code, "no permission to count %s (kernel.perf_event_paranoid is %d)",
			event->name, paranoid);
	err_hint(err,
		 "Run as root, or give the program the right: setcap cap_perfmon,cap_sys_ptrace+ep FILE, or for "
		 "all users:");
	if (target->kind == TARGET_CPUS)
		err_hint(err, "    sudo sysctl kernel.perf_event_paranoid=0      (whole CPUs)");
	else if (event->is_tracepoint)
		err_hint(err, "    sudo sysctl kernel.perf_event_paranoid=-1     (tracepoints)");
	else if (!(event->attr.flags & ATTR_EXCLUDE_KERNEL))
		err_hint(
			err,
			"    sudo sysctl kernel.perf_event_paranoid=1      (own programs, with their kernel part)");
	else
		err_hint(err, "    sudo sysctl kernel.perf_event_paranoid=2      (own programs)");
	if (paranoid < 3 && target->kind != TARGET_CPUS && !event->is_tracepoint &&
	    !(event->terms & EVENT_TERM_EXCLUDE) && !(event->attr.flags & ATTR_EXCLUDE_KERNEL))
		err_hint(err, "Without the kernel's part it works now: -e %s:u", event->name);
	return code;
}

static int refused_value(struct err *err, int code, const struct event *event, const struct target *target)
{
	if (event->has_cpus && target->kind != TARGET_CPUS) {
		err_set(err, code, "%s counts on whole CPUs, not for a process", event->name);
		err_hint(err, "Add -a.");
	} else if (event->attr.type > PERF_TYPE_MAX && target->kind != TARGET_CPUS) {
		err_set(err, code, "the kernel refuses %s for a process", event->name);
		err_hint(err, "Many PMUs count on whole CPUs only: try -a.");
	} else if (event->attr.branch_sample_type) {
		err_set(err, code, "%s cannot be sampled with branch stacks", event->name);
	} else if (event->attr.type == PERF_TYPE_BREAKPOINT) {
		err_set(err, code, "the kernel refuses the breakpoint %s", event->name);
		err_hint(err,
			 "The address must be a multiple of the length (1, 2, 4 or 8), and this CPU must know the "
			 "kind of access: w, rw or x.");
	} else if (event->attr.flags & ATTR_PRECISE_MASK) {
		err_set(err, code, "%s cannot be sampled that precisely", event->name);
		err_hint(err, "Drop the p modifiers, or use :P for as precise as can be.");
	} else {
		err_set(err, code,
			"the kernel refuses %s: invalid for this machine or combination of options",
			event->name);
		if (event->leader != EVENT_NO_LEADER)
			err_hint(err,
				 "A group must fit into the hardware's counters together: try it without {}.");
	}
	return code;
}

int counter_advice_open(struct err *err, int code, const struct event *event, const struct target *target)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		return refused_rights(err, code, event, target);
	case -EINVAL:
	case -E2BIG:
		return refused_value(err, code, event, target);
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
		err_set(err, code, "this machine cannot count %s", event->name);
		if (event->attr.type == PERF_TYPE_TRACEPOINT)
			err_hint(err, "The tracepoint has gone: was its module unloaded?");
		return code;
	case -EOPNOTSUPP:
		err_set(err, code, "%s cannot be sampled on this machine", event->name);
		if (event->attr.branch_sample_type)
			err_hint(
				err,
				"Branch stacks (and --call-graph lbr) need a hardware PMU that records branches.");
		else if (event->attr.flags & ATTR_PRECISE_MASK)
			err_hint(err, "Drop the p modifiers, or use :P for as precise as can be.");
		return code;
	case -EMFILE:
	case -ENFILE:
		err_set(err, code, "too many open files: one is needed for each event, thread and CPU");
		err_hint(
			err,
			"Raise the limit (ulimit -n), record fewer events, threads or CPUs, or whole CPUs with -a.");
		return code;
	case -EBUSY:
		err_set(err, code, "%s is in use: another tool holds the counter exclusively", event->name);
		return code;
	case -ENOSPC:
		err_set(err, code, "%s: all breakpoint registers are taken", event->name);
		return code;
	case -ESRCH:
		err_set(err, code, "the process to record is gone");
		return code;
	case -ENOSYS:
		err_set(err, code,
			"this kernel was built without perf events (CONFIG_PERF_EVENTS), or a sandbox hides them");
		return code;
	default:
		return err_errno(err, code, "cannot open %s", event->name);
	}
}

int counter_advice_map(struct err *err, int code, size_t size)
{
	if (code == -EPERM || code == -ENOMEM) {
		err_set(err, code, "no permission for rings of %zu KiB a CPU", size / 1024);
		err_hint(err,
			 "Ask for less with -m, or raise the limit: ulimit -l, or "
			 "sudo sysctl kernel.perf_event_mlock_kb=%zu",
			 size / 1024 + 4);
		return code;
	}
	return err_errno(err, code, "cannot map a ring of %zu KiB", size / 1024);
}

const char *counter_advice_kernel_symbols(void)
{
	char text[32];

	if (file_read_line("/proc/sys/kernel/kptr_restrict", text, sizeof(text)) < 0)
		return NULL;
	if (text[0] == '2' || (text[0] == '1' && geteuid()))
		return "kernel addresses are hidden (kernel.kptr_restrict): kernel functions will have no names; "
		       "sudo sysctl kernel.kptr_restrict=0 shows them";
	if (geteuid() && counter_advice_paranoid() > 1)
		return "kernel addresses are hidden from this user (kernel.perf_event_paranoid above 1): kernel functions "
		       "will have no names";
	return NULL;
}

void counter_advice_lost(char *text, size_t size, size_t ring_size, unsigned long long frequency)
{
	size_t larger = ring_size < 65536 ? 256
					  : ring_size * 4 / 1024; /* KiB; a stack dump alone may have 64 */
	char ring[24];

	if (larger >= 1024)
		snprintf(ring, sizeof(ring), "%zuM", larger / 1024);
	else
		snprintf(ring, sizeof(ring), "%zuK", larger);
	if (frequency > 999)
		snprintf(text, size, "larger rings (-m %s) or fewer samples (-F %llu) help", ring,
			 frequency / 4);
	else
		snprintf(text, size, "larger rings (-m %s) or a --filter help", ring);
}
