/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sampling.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"

#ifndef PERF_SAMPLE_WEIGHT_STRUCT
#define PERF_SAMPLE_WEIGHT_STRUCT (1u << 24)
#endif

/* ---- registers: bit numbers of the architecture's uapi asm/perf_regs.h ---- */

#if defined(__x86_64__)
static const char register_names[] =
	"ax bx cx dx si di bp sp ip flags cs ss - - - - r8 r9 r10 r11 r12 r13 r14 r15";
#elif defined(__aarch64__)
static const char register_names[] =
	"x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 x20 "
	"x21 x22 x23 x24 x25 x26 x27 x28 x29 lr sp pc";
#else
static const char register_names[] = "";
#endif

/* The word at *text, which moves behind it; NULL at the end. */
static const char *next_register(const char **text, size_t *ret_size)
{
	const char *word;

	*text += strspn(*text, " ");
	word = *text;
	*ret_size = strcspn(word, " ");
	*text += *ret_size;
	return *ret_size ? word : NULL;
}

uint64_t sampling_all_registers(void)
{
	const char *names = register_names, *word;
	uint64_t mask = 0;
	size_t size;

	for (unsigned bit = 0; (word = next_register(&names, &size)); bit++)
		mask |= *word == '-' ? 0 : 1ull << bit;
	return mask;
}

void sampling_print_registers(struct buf *buf)
{
	const char *names = register_names, *name;
	size_t size, before = buf->size;

	while ((name = next_register(&names, &size)))
		if (*name != '-')
			buf_printf(buf, "%s%.*s", buf->size > before ? " " : "", (int)size, name);
}

int sampling_parse_registers(const char *text, uint64_t *ret_mask, struct err *err)
{
	struct buf buf = BUF_INIT;
	uint64_t mask = 0;

	while (*text) {
		size_t size = strcspn(text, ","), name_size;
		const char *names = register_names, *name;
		unsigned bit = 0;

		while ((name = next_register(&names, &name_size))) {
			if (name_size == size && !strncasecmp(name, text, size) && *name != '-')
				break;
			bit++;
		}
		if (!name) {
			err_set(err, -EINVAL, "there is no register '%.*s' to sample", (int)size, text);
			sampling_print_registers(&buf);
			err_hint(err, "Registers: %s", buf_text(&buf));
			buf_release(&buf);
			return -EINVAL;
		}
		mask |= 1ull << bit;
		text += size;
		text += *text == ',';
	}
	*ret_mask = mask;
	return 0;
}

/* ---- attrs ---- */

uint64_t sampling_max_frequency(void)
{
	uint64_t value;

	return file_read_u64("/proc/sys/kernel/perf_event_max_sample_rate", &value) < 0 ? 0 : value;
}

static bool is_one_by_one(const struct event *event)
{
	/* What happens rarely enough to be recorded each time. */
	return event->attr.type == PERF_TYPE_TRACEPOINT || event->attr.type == PERF_TYPE_BREAKPOINT ||
	       (event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_BPF_OUTPUT);
}

static bool wants_raw(const struct event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT ||
	       (event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_BPF_OUTPUT);
}

static void apply_rate(const struct sampling *sampling, struct event *event)
{
	struct event_attr *attr = &event->attr;

	if (sampling->no_samples) {
		attr->sample_period = 0;
		attr->flags &= ~ATTR_FREQ;
		return;
	}
	if (event->terms & (EVENT_TERM_PERIOD | EVENT_TERM_FREQ))
		return;
	if (is_one_by_one(event) && !sampling->rate_given) {
		attr->sample_period = 1;
	} else if (sampling->period) {
		attr->sample_period = sampling->period;
	} else {
		attr->sample_period = sampling->frequency;
		attr->flags |= ATTR_FREQ;
	}
}

static void apply_callgraph(const struct sampling *sampling, struct event *event)
{
	struct event_attr *attr = &event->attr;
	enum event_callgraph mode = event->terms & EVENT_TERM_CALLGRAPH ? event->callgraph
									: sampling->callgraph;

	/* A limit of frames alone is also a wish for frames. */
	if (mode == EVENT_CALLGRAPH_NONE && event->terms & EVENT_TERM_MAX_STACK &&
	    !(event->terms & EVENT_TERM_CALLGRAPH))
		mode = EVENT_CALLGRAPH_FP;
	if (mode == EVENT_CALLGRAPH_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (mode == EVENT_CALLGRAPH_DWARF) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user |= sampling_all_registers();
		attr->sample_stack_user = event->terms & EVENT_TERM_STACK_SIZE ? event->stack_size
					  : sampling->stack_size	       ? sampling->stack_size
									       : SAMPLING_STACK_SIZE;
		attr->flags |= ATTR_EXCLUDE_CALLCHAIN_USER;
	}
	if (sampling->kernel_callchains)
		attr->flags |= ATTR_EXCLUDE_CALLCHAIN_USER;
	if (sampling->user_callchains)
		attr->flags |= ATTR_EXCLUDE_CALLCHAIN_KERNEL;
}

static void apply_sample_type(const struct sampling *sampling, const struct target *target,
			      struct event *event)
{
	struct event_attr *attr = &event->attr;
	bool timeless = event->terms & EVENT_TERM_TIME && !(attr->sample_type & PERF_SAMPLE_TIME);
	bool by_period = !(attr->flags & ATTR_FREQ);

	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (!timeless && !sampling->no_timestamps && (!target->per_thread || sampling->timestamps))
		attr->sample_type |= PERF_SAMPLE_TIME;
	if (sampling->always_period ||
	    (!sampling->never_period && (!by_period || wants_raw(event) || sampling->no_samples)))
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	if (target->kind == TARGET_CPUS || sampling->cpu || sampling->raw || wants_raw(event))
		attr->sample_type |= PERF_SAMPLE_CPU;
	if (sampling->raw || wants_raw(event))
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (sampling->addresses)
		attr->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (sampling->data_source)
		attr->sample_type |= PERF_SAMPLE_DATA_SRC;
	if (sampling->weight)
		attr->sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
	if (sampling->phys_data)
		attr->sample_type |= PERF_SAMPLE_PHYS_ADDR;
	if (sampling->code_page_size)
		attr->sample_type |= PERF_SAMPLE_CODE_PAGE_SIZE;
	if (sampling->data_page_size)
		attr->sample_type |= PERF_SAMPLE_DATA_PAGE_SIZE;
	if (sampling->transaction)
		attr->sample_type |= PERF_SAMPLE_TRANSACTION;
	if (sampling->cgroups)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (sampling->regs_user) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user |= sampling->regs_user;
	}
	if (sampling->regs_intr) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr |= sampling->regs_intr;
	}
}

/* The event that describes the machine along the way: forks, mappings, comms ... */
static void apply_tracking(const struct sampling *sampling, const struct event_list *list,
			   struct event_attr *attr)
{
	attr->flags |= ATTR_MMAP | ATTR_COMM | ATTR_TASK | ATTR_MMAP2 | ATTR_COMM_EXEC | ATTR_KSYMBOL;
	if (!sampling->no_bpf_events)
		attr->flags |= ATTR_BPF_EVENT;
	if (!sampling->no_build_ids)
		attr->flags |= ATTR_BUILD_ID;
	if (sampling->namespaces)
		attr->flags |= ATTR_NAMESPACES;
	if (sampling->cgroups)
		attr->flags |= ATTR_CGROUP;
	if (sampling->switches)
		attr->flags |= ATTR_CONTEXT_SWITCH;
	if (sampling->addresses || sampling->data_mmaps)
		attr->flags |= ATTR_MMAP_DATA;
	for (size_t i = 0; i < list->events.nr; i++)
		if (list->events.items[i].attr.sample_stack_user)
			attr->flags |= ATTR_MMAP_DATA;
}

static void add_tracking_event(const struct sampling *sampling, const struct target *target,
			       struct event_list *list)
{
	struct event *event = array_add(&list->events);

	event->name = xstrdup("dummy:u");
	event->leader = EVENT_NO_LEADER;
	event->is_tracking = true;
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = PERF_COUNT_SW_DUMMY;
	event->attr.sample_period = 1;
	event->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (!sampling->no_timestamps)
		event->attr.sample_type |= PERF_SAMPLE_TIME;
	if (target->kind == TARGET_CPUS || sampling->cpu)
		event->attr.sample_type |= PERF_SAMPLE_CPU;
	event->attr.flags = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_EXCLUDE_GUEST;
	apply_tracking(sampling, list, &event->attr);
}

static void apply_common(const struct sampling *sampling, struct event *event)
{
	struct event_attr *attr = &event->attr;

	attr->read_format |= PERF_FORMAT_ID | EVENT_FORMAT_LOST;
	if (sampling->per_thread_counts || sampling->running_time)
		attr->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (sampling->per_thread_counts)
		attr->flags |= ATTR_INHERIT_STAT;
	attr->flags |= ATTR_SAMPLE_ID_ALL;
	if (sampling->has_clockid) {
		attr->flags |= ATTR_USE_CLOCKID;
		attr->clockid = sampling->clockid;
	}
	if (sampling->no_buffering)
		attr->wakeup_events = 1;
	if (event->is_tracking)
		return;
	if (sampling->overwrite && !(event->terms & EVENT_TERM_OVERWRITE))
		attr->flags |= ATTR_WRITE_BACKWARD;
	if (sampling->all_user) {
		attr->flags |= ATTR_EXCLUDE_KERNEL;
		attr->flags &= ~ATTR_EXCLUDE_USER;
	}
	if (sampling->all_kernel) {
		attr->flags |= ATTR_EXCLUDE_USER;
		attr->flags &= ~ATTR_EXCLUDE_KERNEL;
	}
}

/* :S and {...}:S: the leader's samples carry the counts of all. */
static void apply_sample_read(struct event_list *list, uint32_t index)
{
	struct event *event = &list->events.items[index];
	bool grouped = event->leader != EVENT_NO_LEADER;
	uint32_t nr_members = 0;

	if (!(event->terms & EVENT_TERM_SAMPLE_READ))
		return;
	for (size_t i = 0; grouped && i < list->events.nr; i++)
		nr_members += list->events.items[i].leader == event->leader;
	event->attr.sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_ID;
	if (nr_members < 2)
		return;
	event->attr.read_format |= PERF_FORMAT_GROUP;
	if (event->leader != index) {
		struct event_attr *leader = &list->events.items[event->leader].attr;

		event->attr.sample_period = 0;
		event->attr.flags &= ~ATTR_FREQ;
		event->attr.sample_type = leader->sample_type;
	}
}

/* How a record says which event it belongs to: not at all, by ID at its place, by IDENTIFIER at the record's ends. */
static void apply_identification(const struct sampling *sampling, struct event_list *list)
{
	uint64_t first = list->events.items[0].attr.sample_type, bit = 0;

	if (list->events.nr > 1)
		bit = PERF_SAMPLE_ID;
	for (size_t i = 1; i < list->events.nr; i++)
		if ((list->events.items[i].attr.sample_type | PERF_SAMPLE_ID) != (first | PERF_SAMPLE_ID))
			bit = PERF_SAMPLE_IDENTIFIER;
	if (sampling->identifier)
		bit = PERF_SAMPLE_IDENTIFIER;
	for (size_t i = 0; bit && i < list->events.nr; i++) {
		uint64_t *type = &list->events.items[i].attr.sample_type;

		if (bit == PERF_SAMPLE_IDENTIFIER)
			*type &= ~(uint64_t)PERF_SAMPLE_ID;
		*type |= bit;
	}
}

static int check(const struct sampling *sampling, struct err *err)
{
	if (sampling->frequency && sampling->period)
		return err_set(err, -EINVAL,
			       "samples are taken by frequency (-F) or by period (-c), not by both");
	if (!sampling->frequency && !sampling->period)
		return err_set(err, -EINVAL, "a frequency or period of 0 gives no samples");
	if (sampling->all_user && sampling->all_kernel)
		return err_set(err, -EINVAL, "--all-user and --all-kernel leave nothing to record");
	if (sampling->kernel_callchains && sampling->user_callchains)
		return err_set(err, -EINVAL,
			       "--kernel-callchains and --user-callchains leave nothing of a call chain");
	return 0;
}

int sampling_apply(const struct sampling *sampling, const struct target *target, struct event_list *list,
		   struct err *err)
{
	bool apart = target->kind == TARGET_CPUS || sampling->tracking_apart || sampling->overwrite;
	int code = check(sampling, err);

	if (code < 0)
		return code;
	for (size_t i = 0; i < list->events.nr; i++) {
		struct event *event = &list->events.items[i];

		apply_rate(sampling, event);
		apply_callgraph(sampling, event);
		apply_sample_type(sampling, target, event);
	}
	if (apart)
		add_tracking_event(sampling, target, list);
	else
		apply_tracking(sampling, list, &list->events.items[0].attr);
	for (size_t i = 0; i < list->events.nr; i++)
		apply_common(sampling, &list->events.items[i]);
	for (size_t i = 0; i < list->events.nr; i++)
		apply_sample_read(list, (uint32_t)i);
	apply_identification(sampling, list);
	return 0;
}

bool sampling_is_on_tasks(const struct target *target, bool by_cgroup, const struct event_list *list,
			  uint32_t index)
{
	const struct event *event = &list->events.items[index];

	if (target->kind == TARGET_CPUS)
		return false;
	if (event->leader != EVENT_NO_LEADER)
		event = &list->events.items[event->leader];
	return !by_cgroup || event->is_tracepoint;
}

void sampling_apply_scope(const struct sampling *sampling, const struct target *target, bool by_cgroup,
			  struct event_list *list)
{
	for (uint32_t i = 0; i < list->events.nr; i++) {
		struct event *event = &list->events.items[i];
		bool leads = event->leader == EVENT_NO_LEADER || event->leader == i;
		bool on_tasks = sampling_is_on_tasks(target, by_cgroup, list, i);
		bool no_inherit = event->terms & EVENT_TERM_INHERIT ? event->no_inherit
								    : sampling->no_inherit;
		uint64_t *flags = &event->attr.flags;

		*flags &= ~(ATTR_INHERIT | ATTR_ENABLE_ON_EXEC | ATTR_DISABLED);
		if (on_tasks && !no_inherit && !target->per_thread)
			*flags |= ATTR_INHERIT;
		if (event->is_tracking && target->kind != TARGET_COMMAND)
			continue; /* counts from the moment it is opened */
		if (leads)
			*flags |= ATTR_DISABLED;
		if (leads && on_tasks && target->kind == TARGET_COMMAND &&
		    (event->is_tracking || !sampling->tracking_apart))
			*flags |= ATTR_ENABLE_ON_EXEC;
	}
}
