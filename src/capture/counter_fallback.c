/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/counter_fallback.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/counter.h"
#include "capture/counter_advice.h"
#include "event/event_hardware.h"

#ifndef PERF_SAMPLE_WEIGHT_STRUCT
#define PERF_SAMPLE_WEIGHT_STRUCT (1u << 24)
#endif

/* What one event carries for all: side-band. */
#define TRACKING_FLAGS \
	(ATTR_MMAP | ATTR_COMM | ATTR_TASK | ATTR_MMAP_DATA | ATTR_MMAP2 | ATTR_COMM_EXEC | \
	 ATTR_CONTEXT_SWITCH | ATTR_NAMESPACES | ATTR_KSYMBOL | ATTR_BPF_EVENT | ATTR_CGROUP | \
	 ATTR_BUILD_ID)

/* Bits of attrs that kernels learnt over the years, newest first. */
struct feature {
	uint64_t flags, sample_type, read_format; /* all of these together */
	uint64_t sample_type_instead;
	const char *note; /* NULL: the recording is complete without it */
};

static const struct feature features[] = {
	{ .read_format = EVENT_FORMAT_LOST }, /* 6.0 */
	{ .flags = ATTR_BUILD_ID }, /* 5.12 */
	{ .sample_type = PERF_SAMPLE_WEIGHT_STRUCT, .sample_type_instead = PERF_SAMPLE_WEIGHT }, /* 5.12 */
	{ .sample_type = PERF_SAMPLE_CODE_PAGE_SIZE,
	  .note = "the page size of code (--code-page-size)" }, /* 5.11 */
	{ .sample_type = PERF_SAMPLE_DATA_PAGE_SIZE,
	  .note = "the page size of data (--data-page-size)" }, /* 5.11 */
	{ .flags = ATTR_CGROUP,
	  .sample_type = PERF_SAMPLE_CGROUP,
	  .note = "cgroups (--all-cgroups)" }, /* 5.7 */
	{ .flags = ATTR_BPF_EVENT }, /* 5.1 */
	{ .flags = ATTR_KSYMBOL }, /* 5.1 */
	{ .sample_type = PERF_SAMPLE_PHYS_ADDR, .note = "physical addresses (--phys-data)" }, /* 4.14 */
	{ .flags = ATTR_NAMESPACES, .note = "namespaces (--namespaces)" }, /* 4.12 */
	{ .flags = ATTR_CONTEXT_SWITCH, .note = "context switches (--switch-events)" }, /* 4.3 */
	{ .flags = ATTR_USE_CLOCKID, .note = "another clock (-k)" }, /* 4.1 */
	{ .flags = ATTR_COMM_EXEC }, /* 3.16 */
	{ .flags = ATTR_MMAP2 }, /* 3.16 */
	{ .sample_type = PERF_SAMPLE_IDENTIFIER }, /* 3.12; ID is in its place then */
};

void counter_fallback_note(struct counter_fallback *fallback, const char *fmt, ...)
{
	va_list ap;
	char *note;

	va_start(ap, fmt);
	note = xvasprintf(fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < fallback->notes.nr; i++) {
		if (!strcmp(fallback->notes.items[i], note)) {
			free(note);
			return;
		}
	}
	array_push(&fallback->notes, note);
}

void counter_fallback_release(struct counter_fallback *fallback)
{
	for (size_t i = 0; i < fallback->notes.nr; i++)
		free(fallback->notes.items[i]);
	array_release(&fallback->notes);
}

bool counter_fallback_raise_files(void)
{
	struct rlimit limit;
	rlim_t before;
	uint64_t most;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return false;
	before = limit.rlim_cur;
	if (!file_read_u64("/proc/sys/fs/nr_open", &most) && most > limit.rlim_max) {
		struct rlimit more = { most, most };

		if (!setrlimit(RLIMIT_NOFILE, &more))
			return true;
	}
	limit.rlim_cur = limit.rlim_max;
	return limit.rlim_cur > before && !setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- features that this kernel does not know ---- */

static bool has_feature(const struct event_attr *attr, const struct feature *feature)
{
	return (feature->flags && (attr->flags & feature->flags) == feature->flags) ||
	       (feature->sample_type && (attr->sample_type & feature->sample_type) == feature->sample_type) ||
	       (feature->read_format && (attr->read_format & feature->read_format) == feature->read_format);
}

/* Asked with an event that exists everywhere, on ourselves: what it is refused for can only be the feature. */
static bool kernel_takes(const struct feature *feature, const struct event_attr *user)
{
	struct event_attr attr = { .type = PERF_TYPE_SOFTWARE,
				   .config = PERF_COUNT_SW_DUMMY,
				   .sample_period = 1 };
	int fd;

	attr.flags = ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | feature->flags;
	attr.sample_type = feature->sample_type;
	attr.read_format = feature->read_format;
	if (feature->flags & ATTR_USE_CLOCKID)
		attr.clockid = user->clockid;
	if (feature->flags & ATTR_BUILD_ID)
		attr.flags |= ATTR_MMAP | ATTR_MMAP2;
	fd = counter_open_fd(&attr, 0, -1, -1, 0);
	if (fd < 0)
		return fd != -EINVAL && fd != -E2BIG;
	close(fd);
	return true;
}

static void give_up(struct event_attr *attr, const struct feature *feature)
{
	if (attr->sample_type & feature->sample_type && feature->sample_type == PERF_SAMPLE_IDENTIFIER)
		attr->sample_type |= PERF_SAMPLE_ID;
	if (attr->sample_type & feature->sample_type)
		attr->sample_type |= feature->sample_type_instead;
	attr->flags &= ~feature->flags;
	attr->sample_type &= ~feature->sample_type;
	attr->read_format &= ~feature->read_format;
	if (feature->flags & ATTR_USE_CLOCKID)
		attr->clockid = 0;
}

/* Whether anything was given up. */
static bool give_up_unknown(struct counter_fallback *fallback, struct event_list *list)
{
	bool changed = false;

	if (fallback->probed)
		return false;
	fallback->probed = true;
	for (size_t i = 0; i < NR_ITEMS(features); i++) {
		const struct feature *feature = &features[i];
		bool asked = false;

		for (size_t j = 0; j < list->events.nr; j++) {
			struct event_attr *attr = &list->events.items[j].attr;

			if (!has_feature(attr, feature) || (!asked && kernel_takes(feature, attr)))
				continue;
			if (!asked && feature->note)
				counter_fallback_note(fallback, "this kernel cannot record %s: left out",
						      feature->note);
			asked = true;
			give_up(attr, feature);
			changed = true;
		}
	}
	return changed;
}

/* Before 6.12 counts that samples carry could not be inherited. */
static bool give_up_inherited_read(struct counter_fallback *fallback, struct event_list *list)
{
	bool changed = false;

	for (size_t i = 0; i < list->events.nr; i++) {
		struct event *event = &list->events.items[i];

		if (!(event->attr.flags & ATTR_INHERIT) || !(event->attr.sample_type & PERF_SAMPLE_READ))
			continue;
		event->terms |= EVENT_TERM_INHERIT;
		event->no_inherit = true;
		changed = true;
	}
	if (changed)
		counter_fallback_note(
			fallback, "this kernel cannot read groups (:S) of child processes: only the first "
				  "process is recorded");
	return changed;
}

static bool give_up_weak_group(struct counter_fallback *fallback, struct event_list *list, uint32_t index)
{
	uint32_t leader = list->events.items[index].leader;

	if (leader == EVENT_NO_LEADER || !(list->events.items[index].terms & EVENT_TERM_WEAK))
		return false;
	for (size_t i = 0; i < list->events.nr; i++)
		if (list->events.items[i].leader == leader)
			list->events.items[i].leader = EVENT_NO_LEADER;
	counter_fallback_note(fallback, "the weak group of %s does not fit: its events are opened one by one",
			      list->events.items[leader].name);
	return true;
}

/* ---- hardware that is not there ---- */

/* "name" with the letters that its attr stands for. */
static char *name_with_modifiers(const char *name, const struct event *event)
{
	uint64_t flags = event->attr.flags;
	unsigned precise = (unsigned)((flags & ATTR_PRECISE_MASK) >> ATTR_PRECISE_SHIFT);
	char letters[12];
	size_t nr = 0;

	if (event->terms & EVENT_TERM_EXCLUDE) {
		if (!(flags & ATTR_EXCLUDE_KERNEL))
			letters[nr++] = 'k';
		if (!(flags & ATTR_EXCLUDE_USER))
			letters[nr++] = 'u';
		if (!(flags & ATTR_EXCLUDE_HV))
			letters[nr++] = 'h';
	}
	while (precise--)
		letters[nr++] = 'p';
	letters[nr] = 0;
	return xasprintf("%s%s%s", name, nr ? ":" : "", letters);
}

static void remove_event(struct event_list *list, uint32_t index)
{
	struct event *events = list->events.items;
	struct event removed = events[index];
	uint32_t heir = EVENT_NO_LEADER;

	list->events.nr--;
	memmove(&events[index], &events[index + 1], (list->events.nr - index) * sizeof(*events));
	for (uint32_t i = 0; i < list->events.nr; i++) {
		if (events[i].leader == EVENT_NO_LEADER)
			continue;
		if (removed.leader == index && events[i].leader == index) {
			if (heir == EVENT_NO_LEADER) {
				heir = i;
				events[i].attr.sample_period = removed.attr.sample_period;
				events[i].attr.flags |= removed.attr.flags & ATTR_FREQ;
			}
			events[i].leader = heir;
		} else if (events[i].leader > index) {
			events[i].leader--;
		}
	}
	events[0].attr.flags |= removed.attr.flags & TRACKING_FLAGS;
	event_release(&removed);
}

static unsigned nr_others(const struct event_list *list)
{
	unsigned nr = 0;

	for (size_t i = 0; i < list->events.nr; i++)
		nr += !list->events.items[i].is_tracking;
	return nr - 1;
}

/*
 * Cycles stand for "where is the time": the CPU's clock answers that, too. Other events are left out when there is
 * something else to sample, and also answered by the clock when there is not.
 */
static enum counter_fallback_action replace_hardware(struct counter_fallback *fallback,
						     struct event_list *list, uint32_t index,
						     const struct target *target)
{
	struct event *event = &list->events.items[index];
	bool cycles = event->attr.type == PERF_TYPE_HARDWARE &&
		      (event->attr.config & UINT32_MAX) == PERF_COUNT_HW_CPU_CYCLES;
	const char *clock = target->kind == TARGET_CPUS ? "cpu-clock" : "task-clock";
	size_t used = strlen(fallback->missing);

	snprintf(fallback->missing + used, sizeof(fallback->missing) - used, "%s%s", used ? ", " : "",
		 event->name);
	if (fallback->clock[0] || (!cycles && nr_others(list))) {
		remove_event(list, index);
		return COUNTER_FALLBACK_RESTART;
	}
	snprintf(fallback->clock, sizeof(fallback->clock), "%s", clock);
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = target->kind == TARGET_CPUS ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_TASK_CLOCK;
	event->attr.config1 = event->attr.config2 = event->attr.config3 = 0;
	/* So many misses are no span of time. (So many cycles are, roughly: nanoseconds.) */
	if (!cycles && event->attr.sample_period && !(event->attr.flags & ATTR_FREQ)) {
		event->attr.sample_period = SAMPLING_FREQUENCY;
		event->attr.flags |= ATTR_FREQ;
		event->attr.sample_type |= PERF_SAMPLE_PERIOD;
	}
	free(event->name);
	event->name = name_with_modifiers(clock, event);
	free(event->pmu);
	event->pmu = NULL;
	return COUNTER_FALLBACK_RETRY;
}

void counter_fallback_conclude(struct counter_fallback *fallback)
{
	if (!fallback->missing[0])
		return;
	if (fallback->clock[0])
		counter_fallback_note(
			fallback, "no hardware counter for %s on this machine: sampling the CPU clock (%s)",
			fallback->missing, fallback->clock);
	else
		counter_fallback_note(fallback, "no hardware counter for %s on this machine: left out",
				      fallback->missing);
}

/* ---- rights ---- */

static bool leave_kernel_out(struct counter_fallback *fallback, struct event_list *list, uint32_t index)
{
	const struct event *refused = &list->events.items[index];

	if (refused->attr.flags & ATTR_EXCLUDE_KERNEL || refused->terms & EVENT_TERM_EXCLUDE ||
	    refused->is_tracepoint || counter_advice_paranoid() < 2)
		return false;
	for (size_t i = 0; i < list->events.nr; i++) {
		struct event *event = &list->events.items[i];
		const char *separator;
		char *name;

		if (event->is_tracepoint || event->is_tracking || event->terms & EVENT_TERM_EXCLUDE ||
		    event->attr.flags & ATTR_EXCLUDE_KERNEL)
			continue;
		event->attr.flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
		event->terms |= EVENT_TERM_EXCLUDE;
		separator = strchr(event->name, '/') || strchr(event->name, ':') ? "" : ":";
		name = xasprintf("%s%su", event->name, separator);
		free(event->name);
		event->name = name;
	}
	fallback->excludes_kernel = true;
	counter_fallback_note(fallback,
			      "kernel.perf_event_paranoid is %d: the kernel's part is not recorded, only "
			      "programs' own (sudo, or sysctl kernel.perf_event_paranoid=1)",
			      counter_advice_paranoid());
	return true;
}

static bool lower_precision(struct event *event)
{
	uint64_t precise = event->attr.flags & ATTR_PRECISE_MASK;

	if (!precise || !(event->terms & EVENT_TERM_PRECISE_MAX))
		return false;
	event->attr.flags -= 1ull << ATTR_PRECISE_SHIFT;
	return true;
}

enum counter_fallback_action counter_fallback(struct counter_fallback *fallback, struct event_list *list,
					      uint32_t index, int code, const struct target *target,
					      bool by_cgroup)
{
	struct event *event = &list->events.items[index];
	bool core = event_type_is_hardware(event->attr.type) ||
		    (event->pmu && !strncmp(event->pmu, "cpu", 3));

	switch (code) {
	case -EACCES:
	case -EPERM:
		if (leave_kernel_out(fallback, list, index))
			return COUNTER_FALLBACK_RESTART;
		return by_cgroup ? COUNTER_FALLBACK_TASKS : COUNTER_FALLBACK_NONE;
	case -EINVAL:
	case -E2BIG:
		if (give_up_unknown(fallback, list))
			return COUNTER_FALLBACK_RESTART;
		if (lower_precision(event))
			return COUNTER_FALLBACK_RETRY;
		if (give_up_inherited_read(fallback, list) || give_up_weak_group(fallback, list, index))
			return COUNTER_FALLBACK_RESTART;
		return by_cgroup ? COUNTER_FALLBACK_TASKS : COUNTER_FALLBACK_NONE;
	case -EBADF: /* the cgroup is of a hierarchy without perf_event */
		return by_cgroup ? COUNTER_FALLBACK_TASKS : COUNTER_FALLBACK_NONE;
	case -EMFILE:
		if (fallback->files_raised || !counter_fallback_raise_files())
			return COUNTER_FALLBACK_NONE;
		fallback->files_raised = true;
		return COUNTER_FALLBACK_RETRY;
	case -EOPNOTSUPP:
		if (lower_precision(event))
			return COUNTER_FALLBACK_RETRY;
		/* fall through */
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
		return core ? replace_hardware(fallback, list, index, target) : COUNTER_FALLBACK_NONE;
	default:
		return COUNTER_FALLBACK_NONE;
	}
}
