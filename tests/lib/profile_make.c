/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/profile_make.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

#define KERNEL_START 0xffffffff81000000ull
#define FUNCTION_SIZE 0x100

static void write_kallsyms(struct profile_make *make)
{
	FILE *file;
	int fd;

	strcpy(make->kallsyms, "kallsyms.XXXXXX");
	fd = mkstemp(make->kallsyms);
	file = fdopen(fd, "w");
	for (unsigned i = 0; i < PROFILE_MAKE_FUNCTIONS; i++)
		fprintf(file, "%llx T f%u\n", (unsigned long long)(KERNEL_START + i * FUNCTION_SIZE), i);
	fprintf(file, "%llx T after\n",
		(unsigned long long)(KERNEL_START + PROFILE_MAKE_FUNCTIONS * FUNCTION_SIZE));
	fclose(file);
}

static void apply_mmap(struct machine *machine, int32_t pid, uint64_t addr, uint64_t length, const char *path)
{
	bool kernel = pid < 0;
	struct record record = { .type = RECORD_MMAP,
				 .misc = kernel ? RECORD_CPUMODE_KERNEL : RECORD_CPUMODE_USER,
				 .id = { .time = 1 } };

	record.mmap = (struct record_mmap){ .pid = pid,
					    .tid = pid,
					    .addr = addr,
					    .length = length,
					    .pgoff = kernel ? addr : 0,
					    .prot = 5,
					    .path = path };
	machine_apply(machine, &record);
}

static void add_frame(struct profile_make *make, uint64_t addr, enum machine_mode mode)
{
	struct profile *profile = make->profile;
	struct location location;
	struct frame frame = { .symbol = SYMBOL_NONE, .mode = (uint8_t)mode };

	machine_find(profile->machine, machine_space_at(profile->machine, 7, 5), mode, addr, 5, &location);
	frame.dso = location.dso.v;
	frame.offset = location.offset;
	if (mode == MACHINE_MODE_KERNEL)
		frame.symbol = symbolizer_find(profile->symbolizer, location.dso, location.offset);
	array_push(&profile->frames, frame);
}

void profile_make_init(struct profile_make *make, uint32_t nr_events, bool group, uint32_t extras)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));
	struct event_attr attr = { .size = 64,
				   .type = PERF_TYPE_SOFTWARE,
				   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN };
	struct symbolizer_options options = { 0 };

	*make = (struct profile_make){ .profile = profile };
	write_kallsyms(make);
	options.kallsyms = make->kallsyms;
	event_table_init(&make->events);
	for (uint32_t i = 0; i < nr_events; i++) {
		char name[16];

		snprintf(name, sizeof(name), "event%u", i);
		event_table_add(&make->events, &attr, name);
		make->events.events.items[i].leader = group ? 0 : i;
		make->events.events.items[i].nr_members = group && !i ? nr_events : 1;
		*array_add(&profile->event_stats) = (struct profile_event_stats){ 0 };
	}
	profile->machine = machine_new();
	profile->symbolizer = symbolizer_new(profile->machine, &options);
	profile->events = &make->events;
	profile->extras = extras;
	intern_init(&profile->strings);
	apply_mmap(profile->machine, -1, KERNEL_START, 0x100000, "[kernel.kallsyms]_text");
	apply_mmap(profile->machine, 7, 0x10000, 0x10000, "/nowhere/libmade.so");
	array_push(&profile->frames, (struct frame){ .symbol = SYMBOL_NONE });
	for (unsigned i = 0; i < PROFILE_MAKE_FUNCTIONS; i++)
		add_frame(make, KERNEL_START + i * FUNCTION_SIZE, MACHINE_MODE_KERNEL);
	add_frame(make, 0x11234, MACHINE_MODE_USER);
	array_push(&profile->stacks, (struct stack){ 0, 0 });
	for (unsigned i = 0; i < (unsigned)__builtin_popcount(extras); i++)
		array_push(&profile->extra_values, 0);
}

void profile_make_release(struct profile_make *make)
{
	unlink(make->kallsyms);
	profile_free(make->profile);
	event_table_release(&make->events);
}

uint32_t profile_make_thread(struct profile_make *make, int32_t pid, int32_t tid, const char *comm)
{
	struct profile_thread thread = { pid, tid, { 0 } };

	if (comm)
		thread.comm = intern_string(&make->profile->strings, comm);
	array_push(&make->profile->threads, thread);
	return (uint32_t)make->profile->threads.nr - 1;
}

uint32_t profile_make_push(struct profile_make *make, uint32_t parent, uint32_t frame)
{
	struct profile *profile = make->profile;

	for (uint32_t i = 1; i < profile->stacks.nr; i++)
		if (profile->stacks.items[i].parent == parent && profile->stacks.items[i].frame == frame)
			return i;
	array_push(&profile->stacks, (struct stack){ parent, frame });
	return (uint32_t)profile->stacks.nr - 1;
}

uint32_t profile_make_stack(struct profile_make *make, const int *functions)
{
	uint32_t stack = 0;

	for (; *functions >= 0; functions++)
		stack = profile_make_push(make, stack, 1 + (uint32_t)*functions);
	return stack;
}

struct profile_row *profile_make_row(struct profile_make *make, uint32_t event, uint32_t thread,
				     uint32_t stack, uint32_t nr, uint64_t period)
{
	struct profile *profile = make->profile;
	struct profile_row *row = array_add(&profile->rows);

	*row = (struct profile_row){ .event = event,
				     .thread = thread,
				     .stack = stack,
				     .self = profile->stacks.items[stack].frame,
				     .nr_samples = nr,
				     .period = nr * period };
	profile->event_stats.items[event].nr_samples += nr;
	profile->event_stats.items[event].period += row->period;
	profile->stats.nr_samples += nr;
	return row;
}
