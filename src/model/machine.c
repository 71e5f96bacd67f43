/* SPDX-License-Identifier: Apache-2.0 */
#include "model/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/xalloc.h"
#include "model/addrspace.h"

struct dated {
	uint64_t from;
	uint32_t value;
};

/* What a key (pid or tid) had from when on. */
struct timeline {
	uint64_t key;
	ARRAY(struct dated) entries;
};

struct timelines {
	struct hash_index index;
	ARRAY(struct timeline) rows;
};

struct named_build_id {
	const char *path;
	uint8_t size;
	uint8_t bytes[20];
};

struct machine {
	struct intern strings;
	struct arena arena;
	ARRAY(struct dso) dsos;
	struct hash_index dso_index;
	struct timelines comms; /* by tid: str_id */
	struct timelines spaces_of; /* by pid: space_id */
	struct timelines parents; /* by pid: parent pid */
	struct timelines cgroups; /* by cgroup id: str_id */
	ARRAY(struct addrspace *) spaces; /* 0: none; 1: the kernel */
	ARRAY(struct named_build_id) build_ids;
	struct hash_index build_id_index; /* by path */
	uint32_t kernel_dso;
	pthread_mutex_t lock; /* guards the lazy indexes of spaces */
};

#define KERNEL_SPACE 1
#define KERNEL_IMAGE_MAX (128ull << 20) /* text, data and start-up code of any kernel are less */
/* Upper half of the address space: kernel addresses on every 64-bit machine that perf supports. */
#define KERNEL_HALF (1ull << 63)

static struct timeline *timelines_find(const struct timelines *lines, uint64_t key)
{
	uint64_t hash = hash_u64(key);
	uint32_t pos = hash_index_start(&lines->index, hash), id;

	while ((id = hash_index_next(&lines->index, hash, &pos)) != HASH_NONE)
		if (lines->rows.items[id].key == key)
			return &lines->rows.items[id];
	return NULL;
}

static void timelines_set(struct timelines *lines, uint64_t key, uint64_t from, uint32_t value)
{
	struct timeline *line = timelines_find(lines, key);

	if (!line) {
		hash_index_insert(&lines->index, hash_u64(key), (uint32_t)lines->rows.nr);
		line = array_add(&lines->rows);
		line->key = key;
	}
	if (line->entries.nr && array_last(&line->entries)->value == value)
		return;
	array_push(&line->entries, (struct dated){ from, value });
}

/* The value at a time, narrowing [*from, *until) to its span; what came first counts for all time before it. 0: unknown. */
static uint32_t timelines_span(const struct timelines *lines, uint64_t key, uint64_t time, uint64_t *from,
			       uint64_t *until)
{
	const struct timeline *line = timelines_find(lines, key);
	size_t low = 0, high;

	if (!line)
		return 0;
	high = line->entries.nr;
	if (line->entries.items[high - 1].from <= time)
		low = high - 1;
	while (low + 1 < high) {
		size_t middle = (low + high) / 2;

		if (line->entries.items[middle].from <= time)
			low = middle;
		else
			high = middle;
	}
	if (low && line->entries.items[low].from > *from)
		*from = line->entries.items[low].from;
	if (low + 1 < line->entries.nr && line->entries.items[low + 1].from < *until)
		*until = line->entries.items[low + 1].from;
	return line->entries.items[low].value;
}

static uint32_t timelines_at(const struct timelines *lines, uint64_t key, uint64_t time)
{
	uint64_t from = 0, until = UINT64_MAX;

	return timelines_span(lines, key, time, &from, &until);
}

static void timelines_init(struct timelines *lines)
{
	hash_index_init(&lines->index, 64);
}

static void timelines_release(struct timelines *lines)
{
	for (size_t i = 0; i < lines->rows.nr; i++)
		array_release(&lines->rows.items[i].entries);
	array_release(&lines->rows);
	hash_index_release(&lines->index);
}

struct machine *machine_new(void)
{
	struct machine *machine = xcalloc(1, sizeof(*machine));
	struct dso unknown = { .kind = DSO_UNKNOWN, .path = "[unknown]", .name = "[unknown]", .pid = -1 };

	intern_init(&machine->strings);
	hash_index_init(&machine->dso_index, 256);
	hash_index_init(&machine->build_id_index, 64);
	timelines_init(&machine->comms);
	timelines_init(&machine->spaces_of);
	timelines_init(&machine->parents);
	timelines_init(&machine->cgroups);
	pthread_mutex_init(&machine->lock, NULL);
	array_push(&machine->dsos, unknown);
	/* The idle tasks: no record ever names them. */
	timelines_set(&machine->comms, 0, 0, intern_string(&machine->strings, "swapper").v);
	array_push(&machine->spaces, NULL);
	array_push(&machine->spaces, addrspace_new(NULL, 0, false));
	return machine;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	for (size_t i = 0; i < machine->spaces.nr; i++)
		addrspace_free(machine->spaces.items[i]);
	array_release(&machine->spaces);
	array_release(&machine->dsos);
	array_release(&machine->build_ids);
	hash_index_release(&machine->dso_index);
	hash_index_release(&machine->build_id_index);
	timelines_release(&machine->comms);
	timelines_release(&machine->spaces_of);
	timelines_release(&machine->parents);
	timelines_release(&machine->cgroups);
	intern_release(&machine->strings);
	arena_release(&machine->arena);
	pthread_mutex_destroy(&machine->lock);
	free(machine);
}

/* ---- DSOs ---- */

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "/lib/modules/6.1/kernel/fs/ext4.ko.xz" -> "[ext4]"; NULL when the path is no module's. */
static const char *module_name(struct machine *machine, const char *path)
{
	const char *base = base_name(path);
	const char *ko = strstr(base, ".ko");
	char *name;

	if (!ko || (ko[3] && ko[3] != '.'))
		return NULL;
	name = arena_printf(&machine->arena, "[%.*s]", (int)(ko - base), base);
	/* The kernel's names have underscores where files may have dashes. */
	for (char *pos = name; *pos; pos++)
		if (*pos == '-')
			*pos = '_';
	return name;
}

static uint64_t dso_hash(const char *path, enum dso_kind kind, int32_t pid)
{
	return hash_pair(hash_string(path), (uint64_t)kind << 32 | (uint32_t)pid);
}

static const struct named_build_id *find_build_id(const struct machine *machine, const char *path)
{
	uint64_t hash = hash_string(path);
	uint32_t pos = hash_index_start(&machine->build_id_index, hash), id;

	while ((id = hash_index_next(&machine->build_id_index, hash, &pos)) != HASH_NONE)
		if (!strcmp(machine->build_ids.items[id].path, path))
			return &machine->build_ids.items[id];
	return NULL;
}

static void set_build_id(struct dso *dso, const struct named_build_id *known)
{
	dso->build_id_size = known->size;
	memcpy(dso->build_id, known->bytes, sizeof(dso->build_id));
}

static struct dso_id dso_intern(struct machine *machine, const struct dso *wanted)
{
	uint64_t hash = dso_hash(wanted->path, wanted->kind, wanted->pid);
	uint32_t pos = hash_index_start(&machine->dso_index, hash), id;
	const struct named_build_id *known;
	struct dso *dso;

	while ((id = hash_index_next(&machine->dso_index, hash, &pos)) != HASH_NONE) {
		dso = &machine->dsos.items[id];
		if (dso->kind != wanted->kind || dso->pid != wanted->pid || strcmp(dso->path, wanted->path))
			continue;
		if ((dso->kind == DSO_BPF || dso->kind == DSO_MODULE) && dso->start != wanted->start)
			continue;
		/* A record without a build-id says nothing against one that had it. */
		if (dso->build_id_size && wanted->build_id_size &&
		    (dso->build_id_size != wanted->build_id_size ||
		     memcmp(dso->build_id, wanted->build_id, dso->build_id_size)))
			continue;
		if (!dso->build_id_size && wanted->build_id_size) {
			dso->build_id_size = wanted->build_id_size;
			memcpy(dso->build_id, wanted->build_id, sizeof(dso->build_id));
		}
		return (struct dso_id){ id };
	}
	id = (uint32_t)machine->dsos.nr;
	array_push(&machine->dsos, *wanted);
	dso = array_last(&machine->dsos);
	dso->path = arena_strdup(&machine->arena, wanted->path);
	dso->name = wanted->name ? arena_strdup(&machine->arena, wanted->name) : base_name(dso->path);
	hash_index_insert(&machine->dso_index, hash, id);
	known = find_build_id(machine, dso->path);
	if (known && !dso->build_id_size)
		set_build_id(dso, known);
	return (struct dso_id){ id };
}

/* Anonymous memory, by the names the kernel gives it in MMAP records. */
static bool is_anonymous(const char *path)
{
	return starts_with(path, "//anon") || starts_with(path, "/anon_hugepage") ||
	       starts_with(path, "[anon") || !strcmp(path, "/dev/zero") || starts_with(path, "/dev/zero ") ||
	       !*path;
}

static struct dso_id dso_of_user_mapping(struct machine *machine, const struct record_mmap *mmap)
{
	struct dso dso = { .kind = DSO_FILE, .path = mmap->path, .pid = -1, .is_64bit = true };
	char name[64], path[64];

	if (!strcmp(mmap->path, "[vdso]")) {
		dso.kind = DSO_VDSO;
	} else if (is_anonymous(mmap->path)) {
		dso.kind = DSO_JIT;
		dso.pid = mmap->pid;
		snprintf(name, sizeof(name), "[JIT] tid %" PRId32, mmap->pid);
		snprintf(path, sizeof(path), "/tmp/perf-%" PRId32 ".map", mmap->pid);
		dso.name = name;
		dso.path = path;
	} else if (starts_with(mmap->path, "/memfd:doublemapper")) {
		/* .NET maps its JIT's memory twice, through a file in memory; perf maps name it by address. */
		dso.kind = DSO_JIT;
		dso.pid = mmap->pid;
	} else if (mmap->path[0] == '[' || starts_with(mmap->path, "/SYSV")) {
		dso.kind = DSO_SPECIAL;
	} else {
		dso.build_id_size = mmap->build_id_size;
		memcpy(dso.build_id, mmap->build_id, sizeof(dso.build_id));
	}
	return dso_intern(machine, &dso);
}

/* ---- applying records ---- */

static struct space_id space_add(struct machine *machine, struct addrspace *parent, uint64_t time,
				 bool is_image)
{
	array_push(&machine->spaces, addrspace_new(parent, time, is_image));
	return (struct space_id){ (uint32_t)machine->spaces.nr - 1 };
}

static struct addrspace *space_of_pid(struct machine *machine, int32_t pid, uint64_t time)
{
	uint32_t space = timelines_at(&machine->spaces_of, (uint32_t)pid, time);

	if (!space) {
		space = space_add(machine, NULL, time, false).v;
		timelines_set(&machine->spaces_of, (uint32_t)pid, time, space);
	}
	return machine->spaces.items[space];
}

static void apply_kernel_mmap(struct machine *machine, const struct record_mmap *mmap, uint64_t time)
{
	struct dso dso = { .pid = -1, .is_64bit = true, .start = mmap->addr };
	struct mapping mapping = { .start = mmap->addr, .end = mmap->addr + mmap->length, .from = time };
	bool is_kernel = starts_with(mmap->path, "[kernel.kallsyms]") ||
			 starts_with(mmap->path, "[kernel.vmlinux]");

	if (mapping.end < mapping.start)
		mapping.end = UINT64_MAX;
	dso.end = mapping.end;
	dso.mapped_size = dso.end - dso.start;
	dso.build_id_size = mmap->build_id_size;
	memcpy(dso.build_id, mmap->build_id, sizeof(dso.build_id));
	if (is_kernel) {
		dso.kind = DSO_KERNEL;
		dso.path = dso.name = "[kernel.kallsyms]";
		mapping.delta = 0;
		mapping.dso = dso_intern(machine, &dso).v;
		machine->kernel_dso = mapping.dso;
	} else if (starts_with(mmap->path, "[guest.")) {
		return;
	} else {
		dso.kind = DSO_MODULE;
		dso.path = mmap->path;
		dso.name = mmap->path[0] == '[' ? mmap->path : module_name(machine, mmap->path);
		mapping.delta = mmap->addr - mmap->pgoff;
		mapping.dso = dso_intern(machine, &dso).v;
	}
	addrspace_add(machine->spaces.items[KERNEL_SPACE], &mapping);
}

static void apply_mmap(struct machine *machine, const struct record *record, uint64_t time)
{
	const struct record_mmap *mmap = &record->mmap;
	unsigned mode = record->misc & RECORD_CPUMODE_MASK;
	struct mapping mapping;
	struct dso *dso;

	if (mode == RECORD_CPUMODE_KERNEL || mmap->pid == -1) {
		apply_kernel_mmap(machine, mmap, time);
		return;
	}
	if (mode == RECORD_CPUMODE_GUEST_KERNEL || mode == RECORD_CPUMODE_GUEST_USER)
		return;
	mapping = (struct mapping){ .start = mmap->addr, .end = mmap->addr + mmap->length, .from = time };
	if (mapping.end < mapping.start)
		mapping.end = UINT64_MAX;
	mapping.dso = dso_of_user_mapping(machine, mmap).v;
	dso = &machine->dsos.items[mapping.dso];
	if (dso->mapped_size < mmap->length && mmap->prot & PROT_EXEC)
		dso->mapped_size = mmap->length;
	mapping.delta = dso->kind == DSO_JIT || dso->kind == DSO_SPECIAL ? 0 : mmap->addr - mmap->pgoff;
	addrspace_add(space_of_pid(machine, mmap->pid, time), &mapping);
}

static void apply_comm(struct machine *machine, const struct record_comm *comm, uint64_t time)
{
	uint32_t old;

	timelines_set(&machine->comms, (uint32_t)comm->tid, time,
		      intern_string(&machine->strings, comm->comm).v);
	if (!comm->is_exec)
		return;
	/* The new image covers the old one: until the task is back in user mode, its registers still point there. */
	old = timelines_at(&machine->spaces_of, (uint32_t)comm->pid, time);
	timelines_set(&machine->spaces_of, (uint32_t)comm->pid, time,
		      space_add(machine, old ? machine->spaces.items[old] : NULL, time, true).v);
}

static void apply_fork(struct machine *machine, const struct record *record, uint64_t time)
{
	const struct record_task *task = &record->task;
	uint32_t comm = timelines_at(&machine->comms, (uint32_t)task->parent_tid, time);
	uint32_t parent;

	if (comm)
		timelines_set(&machine->comms, (uint32_t)task->tid, time, comm);
	if (task->pid == task->parent_pid)
		return; /* a thread */
	timelines_set(&machine->parents, (uint32_t)task->pid, time, (uint32_t)task->parent_pid);
	/* Forks that the recorder describes from /proc say nothing about mappings: those follow as records. */
	if (record->misc & RECORD_MISC_FORK_EXEC)
		return;
	parent = timelines_at(&machine->spaces_of, (uint32_t)task->parent_pid, time);
	timelines_set(&machine->spaces_of, (uint32_t)task->pid, time,
		      space_add(machine, parent ? machine->spaces.items[parent] : NULL, time, false).v);
}

static void apply_ksymbol(struct machine *machine, const struct record_ksymbol *symbol, uint64_t time)
{
	struct mapping mapping = { .start = symbol->addr,
				   .end = symbol->addr + symbol->length,
				   .from = time };

	if (mapping.end < mapping.start)
		return;
	if (!symbol->is_unregister) {
		struct dso dso = { .kind = DSO_BPF,
				   .path = symbol->name,
				   .name = symbol->name,
				   .pid = -1,
				   .start = symbol->addr,
				   .end = mapping.end,
				   .is_64bit = true };

		mapping.dso = dso_intern(machine, &dso).v;
	}
	addrspace_add(machine->spaces.items[KERNEL_SPACE], &mapping);
}

void machine_apply(struct machine *machine, const struct record *record)
{
	uint64_t time = record->id.time == RECORD_NO_TIME ? 0 : record->id.time;

	switch (record->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		apply_mmap(machine, record, time);
		break;
	case RECORD_COMM:
		apply_comm(machine, &record->comm, time);
		break;
	case RECORD_FORK:
		apply_fork(machine, record, time);
		break;
	case RECORD_KSYMBOL:
		apply_ksymbol(machine, &record->ksymbol, time);
		break;
	case RECORD_CGROUP:
		timelines_set(&machine->cgroups, record->cgroup.id, time,
			      intern_string(&machine->strings, record->cgroup.path).v);
		break;
	case RECORD_HEADER_BUILD_ID:
		machine_set_build_id(machine, record->build_id.path, record->build_id.build_id,
				     record->build_id.build_id_size);
		break;
	}
}

void machine_set_build_id(struct machine *machine, const char *path, const uint8_t *build_id, uint8_t size)
{
	static const enum dso_kind kinds[] = { DSO_FILE, DSO_KERNEL, DSO_MODULE, DSO_VDSO };
	struct named_build_id known = { .size = size > sizeof(known.bytes) ? sizeof(known.bytes) : size };

	if (find_build_id(machine, path))
		return;
	known.path = arena_strdup(&machine->arena, path);
	memcpy(known.bytes, build_id, known.size);
	hash_index_insert(&machine->build_id_index, hash_string(path), (uint32_t)machine->build_ids.nr);
	array_push(&machine->build_ids, known);
	for (size_t i = 0; i < NR_ITEMS(kinds); i++) {
		uint64_t hash = dso_hash(path, kinds[i], -1);
		uint32_t pos = hash_index_start(&machine->dso_index, hash), id;

		while ((id = hash_index_next(&machine->dso_index, hash, &pos)) != HASH_NONE)
			if (!machine->dsos.items[id].build_id_size &&
			    !strcmp(machine->dsos.items[id].path, path))
				set_build_id(&machine->dsos.items[id], &known);
	}
}

/* ---- asking ---- */

struct str_id machine_comm_at(const struct machine *machine, int32_t tid, uint64_t time)
{
	return (struct str_id){ timelines_at(&machine->comms, (uint32_t)tid, time) };
}

struct space_id machine_space_at(const struct machine *machine, int32_t pid, uint64_t time)
{
	return (struct space_id){ timelines_at(&machine->spaces_of, (uint32_t)pid, time) };
}

struct machine_thread machine_thread_at(const struct machine *machine, int32_t pid, int32_t tid,
					uint64_t time)
{
	struct machine_thread thread = { .until = UINT64_MAX };

	thread.comm.v = timelines_span(&machine->comms, (uint32_t)tid, time, &thread.from, &thread.until);
	thread.space.v = timelines_span(&machine->spaces_of, (uint32_t)pid, time, &thread.from,
					&thread.until);
	return thread;
}

bool machine_find(struct machine *machine, struct space_id space, enum machine_mode mode, uint64_t addr,
		  uint64_t time, struct location *ret_location)
{
	const struct mapping *mapping = NULL;

	*ret_location = (struct location){ .offset = addr, .is_stable = true };
	if (mode == MACHINE_MODE_GUEST_KERNEL || mode == MACHINE_MODE_GUEST_USER ||
	    mode == MACHINE_MODE_HYPERVISOR)
		return false;
	/* Kernel addresses in user stacks (signal and syscall return paths of some kernels) mean the kernel. */
	if (mode == MACHINE_MODE_KERNEL || addr >= KERNEL_HALF)
		mapping = addrspace_find(machine->spaces.items[KERNEL_SPACE], &machine->lock, addr, time,
					 &ret_location->is_stable);
	else if (space.v < machine->spaces.nr && machine->spaces.items[space.v])
		mapping = addrspace_find(machine->spaces.items[space.v], &machine->lock, addr, time,
					 &ret_location->is_stable);
	if (!mapping && machine->kernel_dso &&
	    addr - machine->dsos.items[machine->kernel_dso].start < KERNEL_IMAGE_MAX) {
		/* The kernel's mapping ends with its text: code of its start-up lies behind. */
		ret_location->dso = (struct dso_id){ machine->kernel_dso };
		return true;
	}
	if (!mapping)
		return false;
	ret_location->dso = (struct dso_id){ mapping->dso };
	ret_location->offset = addr - mapping->delta;
	ret_location->map_start = mapping->start;
	return true;
}

const char *machine_cgroup(const struct machine *machine, uint64_t id)
{
	uint32_t path = timelines_at(&machine->cgroups, id, UINT64_MAX);

	return path ? intern_text(&machine->strings, (struct str_id){ path }) : NULL;
}

int32_t machine_parent_pid(const struct machine *machine, int32_t pid)
{
	uint32_t parent = timelines_at(&machine->parents, (uint32_t)pid, UINT64_MAX);

	return parent ? (int32_t)parent : -1;
}

uint32_t machine_nr_dsos(const struct machine *machine)
{
	return (uint32_t)machine->dsos.nr;
}

const struct dso *machine_dso(const struct machine *machine, struct dso_id id)
{
	return &machine->dsos.items[id.v];
}

const struct intern *machine_strings(const struct machine *machine)
{
	return &machine->strings;
}
