/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/record_snapshot.h"

#include <string.h>

#include "capture/snapshot.h"
#include "elf/build_id.h"
#include "record/record.h"

int record_snapshot_read_build_id(const char *path, uint8_t ret_build_id[SNAPSHOT_BUILD_ID_MAX])
{
	struct build_id id;
	int code = build_id_read_path(path, &id);

	if (code < 0)
		return code;
	memcpy(ret_build_id, id.bytes, id.size);
	return id.size;
}

static void mapped(void *context, const struct record_header *raw)
{
	keeper_tell(context, raw);
}

static void prepare(const struct record_snapshot *what, struct snapshot *snapshot)
{
	const struct record_options *options = what->options;
	const struct event_attr *first = &options->events.list.events.items[0].attr;

	*snapshot = (struct snapshot){
		.sink = what->sink,
		.trailer_size = record_trailer_size(first->sample_type),
		.build_ids = !options->no_build_ids,
		.namespaces = options->sampling.namespaces,
		.cgroups = options->sampling.cgroups,
		.bpf = !options->sampling.no_bpf_events,
		.process_timeout = options->process_timeout,
		.read_build_id = record_snapshot_read_build_id,
		.mapped = what->keeper ? mapped : NULL,
		.mapped_context = what->keeper,
	};
	for (size_t i = 0; i < options->events.list.events.nr; i++)
		snapshot->data_mmaps |= options->events.list.events.items[i].attr.flags & ATTR_MMAP_DATA;
}

/* The processes of a launched command that run now: at the start of a later file. */
static void put_running_command(const struct record_snapshot *what, struct snapshot *snapshot)
{
	struct target running = { .kind = TARGET_TASKS };

	if (what->command->cgroup.path[0])
		target_add_cgroup(&running, what->command->cgroup.path);
	else
		target_add_family(&running, what->command->workload.pid);
	snapshot_processes(snapshot, &running);
	target_release(&running);
}

static void put_tasks(const struct record_snapshot *what, struct snapshot *snapshot, bool at_start)
{
	const struct target *target = what->target;
	unsigned synth = what->options->synth;

	if (!(synth & RECORD_SYNTH_TASK))
		return;
	snapshot->tasks_only = !(synth & RECORD_SYNTH_MMAP);
	if (target->kind == TARGET_CPUS)
		snapshot_all_processes(snapshot);
	else if (target->kind == TARGET_TASKS)
		snapshot_processes(snapshot, target);
	else if (!at_start)
		put_running_command(what, snapshot);
	if (what->command->workload.pid && at_start && target->kind != TARGET_CPUS)
		snapshot_command(snapshot, what->command->workload.pid, record_command_comm());
}

int record_snapshot_put(const struct record_snapshot *what, bool at_start, struct err *err)
{
	struct snapshot snapshot;

	prepare(what, &snapshot);
	snapshot_begin(&snapshot, err);
	snapshot_ids(&snapshot, what->counters);
	snapshot_kernel(&snapshot);
	snapshot_bpf(&snapshot);
	snapshot_target(&snapshot, what->target);
	if (what->options->synth & RECORD_SYNTH_CGROUP)
		snapshot_cgroups(&snapshot);
	if (!what->options->tail_synth)
		put_tasks(what, &snapshot, at_start);
	snapshot_finished(&snapshot);
	return snapshot_end(&snapshot);
}

int record_snapshot_put_tail(const struct record_snapshot *what, const uint64_t *lost, struct err *err)
{
	const struct event_list *list = &what->options->events.list;
	struct snapshot snapshot;

	prepare(what, &snapshot);
	snapshot_begin(&snapshot, err);
	if (what->options->tail_synth)
		put_tasks(what, &snapshot, false);
	for (size_t i = 0; lost && i < list->events.nr; i++) {
		const struct recorded_event *event = &what->table->events.items[i];

		if (lost[i] && event->ids.nr)
			snapshot_lost(&snapshot, &event->attr, event->ids.items[0], lost[i]);
	}
	return snapshot_end(&snapshot);
}
