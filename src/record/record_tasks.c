/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings belong to processes; a fork shares its parent's list until one of them changes it. A new mapping
 * cuts what it covers out of the old ones, as mmap does.
 */
#include "record/record_tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/xalloc.h"

#define LEVEL_MAX 256 /* of indentation */

struct mapping {
	uint64_t start, end, pgoff, inode;
	struct str_id path;
	uint32_t prot;
	bool is_shared;
	uint8_t build_id_size;
	uint8_t build_id[20];
};

struct map_list {
	unsigned users;
	ARRAY(struct mapping) maps; /* by address, not overlapping */
};

struct task {
	int32_t pid, tid, parent; /* parent: tid, -1 unknown */
	struct str_id comm;
	bool has_comm;
	struct map_list *list; /* of the process: of its main task only */
};

struct record_tasks {
	struct intern strings;
	struct hash_index by_tid;
	ARRAY(struct task) tasks;
	struct map_list *kernel;
};

static struct map_list *list_new(void)
{
	struct map_list *list = xcalloc(1, sizeof(*list));

	list->users = 1;
	return list;
}

static void list_put(struct map_list *list)
{
	if (!list || --list->users)
		return;
	array_release(&list->maps);
	free(list);
}

struct record_tasks *record_tasks_new(void)
{
	struct record_tasks *tasks = xcalloc(1, sizeof(*tasks));

	intern_init(&tasks->strings);
	hash_index_init(&tasks->by_tid, 64);
	tasks->kernel = list_new();
	return tasks;
}

void record_tasks_free(struct record_tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->tasks.nr; i++)
		list_put(tasks->tasks.items[i].list);
	array_release(&tasks->tasks);
	list_put(tasks->kernel);
	hash_index_release(&tasks->by_tid);
	intern_release(&tasks->strings);
	free(tasks);
}

static uint32_t task_find(const struct record_tasks *tasks, int32_t tid)
{
	uint64_t hash = hash_u64((uint32_t)tid);
	uint32_t pos = hash_index_start(&tasks->by_tid, hash), row;

	while ((row = hash_index_next(&tasks->by_tid, hash, &pos)) != HASH_NONE)
		if (tasks->tasks.items[row].tid == tid)
			return row;
	return HASH_NONE;
}

static uint32_t task_intern(struct record_tasks *tasks, int32_t pid, int32_t tid)
{
	uint32_t row = task_find(tasks, tid);
	struct task *task;

	if (row != HASH_NONE) {
		task = &tasks->tasks.items[row];
		if (task->pid == -1)
			task->pid = pid;
		return row;
	}
	row = (uint32_t)tasks->tasks.nr;
	array_push(&tasks->tasks, (struct task){ .pid = pid, .tid = tid, .parent = -1 });
	hash_index_insert(&tasks->by_tid, hash_u64((uint32_t)tid), row);
	return row;
}

/* The first mapping that ends behind addr. */
static size_t map_find(const struct map_list *list, uint64_t addr)
{
	size_t low = 0, high = list->maps.nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list->maps.items[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void maps_insert(struct map_list *list, size_t at, const struct mapping *mapping)
{
	array_reserve(&list->maps, list->maps.nr + 1);
	memmove(&list->maps.items[at + 1], &list->maps.items[at], (list->maps.nr - at) * sizeof(*mapping));
	list->maps.items[at] = *mapping;
	list->maps.nr++;
}

static void maps_add(struct map_list *list, const struct mapping *mapping)
{
	size_t at = map_find(list, mapping->start), last;

	if (at < list->maps.nr && list->maps.items[at].start < mapping->start) {
		struct mapping *before = &list->maps.items[at], after = *before;

		before->end = mapping->start;
		at++;
		if (after.end > mapping->end) {
			after.pgoff += mapping->end - after.start;
			after.start = mapping->end;
			maps_insert(list, at, &after);
		}
	}
	for (last = at; last < list->maps.nr && list->maps.items[last].end <= mapping->end; last++)
		;
	if (last < list->maps.nr && list->maps.items[last].start < mapping->end) {
		struct mapping *after = &list->maps.items[last];

		after->pgoff += mapping->end - after->start;
		after->start = mapping->end;
	}
	if (last > at) {
		list->maps.items[at] = *mapping;
		memmove(&list->maps.items[at + 1], &list->maps.items[last],
			(list->maps.nr - last) * sizeof(*mapping));
		list->maps.nr -= last - at - 1;
	} else {
		maps_insert(list, at, mapping);
	}
}

/* The list of a process, for changing: its own copy when it was shared. */
static struct map_list *list_get(struct record_tasks *tasks, int32_t pid)
{
	uint32_t row = task_intern(tasks, pid, pid); /* may move the tasks */
	struct task *task = &tasks->tasks.items[row];
	struct map_list *copy;

	if (!task->list)
		task->list = list_new();
	if (task->list->users == 1)
		return task->list;
	copy = list_new();
	array_reserve(&copy->maps, task->list->maps.nr + 1);
	memcpy(copy->maps.items, task->list->maps.items, task->list->maps.nr * sizeof(copy->maps.items[0]));
	copy->maps.nr = task->list->maps.nr;
	list_put(task->list);
	task->list = copy;
	return copy;
}

static bool is_kernel_mode(uint16_t misc)
{
	return (misc & RECORD_CPUMODE_MASK) == RECORD_CPUMODE_KERNEL;
}

static bool is_anonymous(const char *path)
{
	return !strcmp(path, "//anon") || !strncmp(path, "/dev/zero", 9) ||
	       !strncmp(path, "/anon_hugepage", 14);
}

static void mmap_apply(struct record_tasks *tasks, const struct record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	struct mapping mapping = {
		.start = mmap->addr,
		.end = mmap->addr + mmap->length,
		.pgoff = mmap->pgoff,
		.inode = mmap->inode,
		.prot = mmap->prot,
		.is_shared = mmap->flags & 1,
		.build_id_size = mmap->build_id_size,
	};
	const char *path = mmap->path;
	size_t size = strlen(path);
	char map_file[64];

	memcpy(mapping.build_id, mmap->build_id, sizeof(mapping.build_id));
	if (mapping.end <= mapping.start)
		return;
	if (is_kernel_mode(record->misc)) {
		/* "[kernel.kallsyms]_text": the name behind it is the symbol that the address belongs to. */
		const char *bracket = path[0] == '[' ? strchr(path, ']') : NULL;

		if (bracket)
			size = (size_t)(bracket - path) + 1;
		mapping.path = intern_bytes(&tasks->strings, path, size);
		maps_add(tasks->kernel, &mapping);
		return;
	}
	/* Code that a JIT compiler made is named by its map file. */
	if (mapping.prot & 4 && is_anonymous(path)) {
		snprintf(map_file, sizeof(map_file), "/tmp/perf-%" PRId32 ".map", mmap->pid);
		path = map_file;
		size = strlen(path);
	}
	mapping.path = intern_bytes(&tasks->strings, path, size);
	task_intern(tasks, mmap->pid, mmap->tid);
	maps_add(list_get(tasks, mmap->pid), &mapping);
}

static void fork_apply(struct record_tasks *tasks, const struct record_task *fork, bool was_there)
{
	uint32_t parent = task_intern(tasks, fork->parent_pid, fork->parent_tid);
	uint32_t child = task_find(tasks, fork->tid), process;
	struct task *task;

	if (child != HASH_NONE && fork->tid != fork->parent_tid) { /* the number is used again */
		task = &tasks->tasks.items[child];
		task->pid = fork->pid;
		task->has_comm = false;
	} else {
		child = task_intern(tasks, fork->pid, fork->tid);
	}
	task = &tasks->tasks.items[child];
	task->parent = fork->parent_tid;
	if (tasks->tasks.items[parent].has_comm) {
		task->comm = tasks->tasks.items[parent].comm;
		task->has_comm = true;
	}
	/* A task that was there when recording began has its mappings told one by one: it inherits nothing. */
	if (was_there || fork->pid == fork->parent_pid || fork->pid != fork->tid)
		return;
	process = task_find(tasks, fork->parent_pid);
	if (process == HASH_NONE || !tasks->tasks.items[process].list)
		return;
	list_put(task->list);
	task->list = tasks->tasks.items[process].list;
	task->list->users++;
}

void record_tasks_apply(struct record_tasks *tasks, const struct record *record)
{
	struct task *task;
	uint32_t row;

	switch (record->type) {
	case RECORD_COMM:
		row = task_intern(tasks, record->comm.pid, record->comm.tid);
		task = &tasks->tasks.items[row];
		task->comm = intern_string(&tasks->strings, record->comm.comm);
		task->has_comm = true;
		break;
	case RECORD_FORK:
		fork_apply(tasks, &record->task, record->misc & RECORD_MISC_FORK_EXEC);
		break;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		mmap_apply(tasks, record);
		break;
	default:
		break;
	}
}

void record_tasks_add(struct record_tasks *tasks, int32_t pid, int32_t tid)
{
	task_intern(tasks, pid, tid);
}

const char *record_tasks_comm(const struct record_tasks *tasks, int32_t tid)
{
	uint32_t row = task_find(tasks, tid);

	if (!tid)
		return "swapper";
	if (row == HASH_NONE || !tasks->tasks.items[row].has_comm)
		return NULL;
	return intern_text(&tasks->strings, tasks->tasks.items[row].comm);
}

bool record_tasks_place(const struct record_tasks *tasks, int32_t pid, uint64_t addr, bool is_kernel,
			struct record_place *ret_place)
{
	const struct map_list *list = tasks->kernel;
	const struct mapping *map;
	size_t at;

	if (!is_kernel) {
		uint32_t row = task_find(tasks, pid);

		list = row == HASH_NONE ? NULL : tasks->tasks.items[row].list;
	}
	if (!list)
		return false;
	at = map_find(list, addr);
	if (at == list->maps.nr || list->maps.items[at].start > addr)
		return false;
	map = &list->maps.items[at];
	*ret_place = (struct record_place){ intern_text(&tasks->strings, map->path), map->build_id_size,
					    map->build_id };
	return true;
}

/* ---- the tree ---- */

struct tree_row {
	int32_t parent, tid;
	uint32_t task;
};

static int compare_rows(const void *a, const void *b)
{
	const struct tree_row *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void print_maps(const struct map_list *list, unsigned indent, const struct intern *strings,
		       struct buf *buf)
{
	for (size_t i = 0; i < list->maps.nr; i++) {
		const struct mapping *map = &list->maps.items[i];

		buf_fill(buf, ' ', indent);
		buf_printf(buf, "%" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " ", map->start, map->end,
			   map->prot & 1 ? 'r' : '-', map->prot & 2 ? 'w' : '-', map->prot & 4 ? 'x' : '-',
			   map->is_shared ? 's' : 'p', map->pgoff);
		if (map->build_id_size)
			for (unsigned k = 0; k < map->build_id_size; k++)
				buf_printf(buf, "%02x", map->build_id[k]);
		else
			buf_u64(buf, map->inode);
		buf_printf(buf, " %s\n", intern_text(strings, map->path));
	}
}

static void print_task(const struct record_tasks *tasks, uint32_t index, unsigned level, bool with_maps,
		       struct buf *buf)
{
	const struct task *task = &tasks->tasks.items[index];
	uint32_t process = task_find(tasks, task->pid);

	buf_printf(buf, "%10" PRId32 " %8" PRId32 " %8" PRId32 " |", task->pid, task->tid, task->parent);
	level = level < LEVEL_MAX ? level : LEVEL_MAX;
	buf_fill(buf, ' ', level);
	if (!task->tid)
		buf_str(buf, "swapper\n");
	else if (task->has_comm)
		buf_printf(buf, "%s\n", intern_text(&tasks->strings, task->comm));
	else
		buf_printf(buf, ":%" PRId32 "\n", task->tid);
	if (with_maps && process != HASH_NONE && tasks->tasks.items[process].list)
		print_maps(tasks->tasks.items[process].list, 32 + level, &tasks->strings, buf);
}

static size_t first_child(const struct tree_row *rows, size_t nr, int32_t parent)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rows[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct position {
	size_t row;
	int32_t parent;
};

void record_tasks_print(const struct record_tasks *tasks, bool with_maps, struct buf *buf)
{
	struct tree_row *rows = xcalloc(tasks->tasks.nr + 1, sizeof(*rows));
	bool *is_printed = xcalloc(tasks->tasks.nr + 1, sizeof(*is_printed));
	ARRAY(struct position) path = { 0 };
	size_t nr = 0;

	for (uint32_t i = 0; i < tasks->tasks.nr; i++) {
		const struct task *task = &tasks->tasks.items[i];
		bool is_root = task->parent < 0 || task->parent == task->tid ||
			       task_find(tasks, task->parent) == HASH_NONE;

		if (task->tid && task->tid != -1) /* the idle tasks are the root, printed first */
			rows[nr++] = (struct tree_row){ is_root ? 0 : task->parent, task->tid, i };
	}
	qsort(rows, nr, sizeof(*rows), compare_rows);
	buf_printf(buf, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	buf_printf(buf, "%10d %8d %8d |swapper\n", 0, 0, -1);
	array_push(&path, (struct position){ first_child(rows, nr, 0), 0 });
	while (path.nr) {
		struct position *top = array_last(&path);
		const struct tree_row *row = &rows[top->row];

		if (top->row >= nr || row->parent != top->parent) {
			path.nr--;
			continue;
		}
		top->row++;
		if (is_printed[row->task])
			continue;
		is_printed[row->task] = true;
		print_task(tasks, row->task, (unsigned)path.nr, with_maps, buf);
		array_push(&path, (struct position){ first_child(rows, nr, row->tid), row->tid });
	}
	/* Damaged recordings have circles of parents: their members come last. */
	for (size_t i = 0; i < nr; i++)
		if (!is_printed[rows[i].task])
			print_task(tasks, rows[i].task, 1, with_maps, buf);
	array_release(&path);
	free(is_printed);
	free(rows);
}
