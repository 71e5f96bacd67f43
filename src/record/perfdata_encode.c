/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One function for each feature, in one table by bit. Everything is read with plain reads of small files;
 * /proc/cpuinfo only as far as its first processor, because the kernel makes the rest while it is read.
 * Caches and CPUs that share are looked at once, so that machines with hundreds of CPUs stay quick.
 */
#include "record/perfdata_encode.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/array.h"
#include "base/cpuset.h"
#include "base/file.h"

#define STRING_ALIGN 64
#define CPU_ROOT "/sys/devices/system/cpu"
#define NODE_ROOT "/sys/devices/system/node"
#define PMU_ROOT "/sys/bus/event_source/devices"

static void put_u32(struct buf *buf, uint32_t value)
{
	buf_put(buf, &value, sizeof(value));
}

static void put_u64(struct buf *buf, uint64_t value)
{
	buf_put(buf, &value, sizeof(value));
}

static void put_string(struct buf *buf, const char *text)
{
	size_t size = strlen(text), room = (size + 1 + STRING_ALIGN - 1) & ~(size_t)(STRING_ALIGN - 1);

	put_u32(buf, (uint32_t)room);
	buf_put(buf, text, size);
	buf_fill(buf, 0, room - size);
}

/* A count that is not known yet: the place to set it later. */
static size_t put_later(struct buf *buf)
{
	put_u32(buf, 0);
	return buf->size - 4;
}

static void set_later(struct buf *buf, size_t place, uint32_t value)
{
	memcpy(buf->data + place, &value, sizeof(value));
}

static int read_line(char *text, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int read_line(char *text, size_t size, const char *fmt, ...)
{
	char path[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return file_read_line(path, text, size);
}

static uint32_t read_u32(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* 0 when there is no such file. */
static uint32_t read_u32(const char *fmt, ...)
{
	char path[512];
	uint64_t value = 0;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	file_read_u64(path, &value);
	return (uint32_t)value;
}

static bool encode_hostname(const struct perfdata_context *context, struct buf *buf)
{
	struct utsname name;

	(void)context;
	if (uname(&name) < 0)
		return false;
	put_string(buf, name.nodename);
	return true;
}

static bool encode_osrelease(const struct perfdata_context *context, struct buf *buf)
{
	struct utsname name;

	(void)context;
	if (uname(&name) < 0)
		return false;
	put_string(buf, name.release);
	return true;
}

static bool encode_version(const struct perfdata_context *context, struct buf *buf)
{
	if (!context->version)
		return false;
	put_string(buf, context->version);
	return true;
}

static bool encode_arch(const struct perfdata_context *context, struct buf *buf)
{
	struct utsname name;

	(void)context;
	if (uname(&name) < 0)
		return false;
	put_string(buf, name.machine);
	return true;
}

static bool encode_nrcpus(const struct perfdata_context *context, struct buf *buf)
{
	(void)context;
	put_u32(buf, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	put_u32(buf, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	return true;
}

/* The value of a key of the first processor in /proc/cpuinfo. */
static bool cpuinfo_find(const char *key, char *text, size_t size)
{
	char page[4096], *pos, *end;
	size_t filled = 0, key_size = strlen(key);
	int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;

	if (fd < 0)
		return false;
	while (filled < sizeof(page) - 1 && (got = read(fd, page + filled, sizeof(page) - 1 - filled)) > 0) {
		filled += (size_t)got;
		page[filled] = '\0';
		if (strstr(page, "\n\n"))
			break;
	}
	close(fd);
	page[filled] = '\0';
	for (pos = page; *pos; pos = end + !!*end) {
		end = strchrnul(pos, '\n');
		if (strncmp(pos, key, key_size) ||
		    !(isspace((unsigned char)pos[key_size]) || pos[key_size] == ':'))
			continue;
		pos = memchr(pos, ':', (size_t)(end - pos));
		if (!pos)
			continue;
		for (pos++; pos < end && isspace((unsigned char)*pos); pos++)
			;
		while (end > pos && isspace((unsigned char)end[-1]))
			end--;
		snprintf(text, size, "%.*s", (int)(end - pos), pos);
		return true;
	}
	return false;
}

static bool encode_cpudesc(const struct perfdata_context *context, struct buf *buf)
{
	static const char *const keys[] = { "model name", "Processor", "cpu",
					    "uarch",	  "vendor_id", "Model Name" };
	char text[256], *to = text;

	(void)context;
	for (size_t i = 0; i < NR_ITEMS(keys); i++) {
		if (!cpuinfo_find(keys[i], text, sizeof(text)))
			continue;
		/* Names of processors are known for their runs of blanks. */
		for (const char *from = text; *from; from++)
			if (!(isspace((unsigned char)from[0]) && isspace((unsigned char)from[1])))
				*to++ = *from;
		*to = '\0';
		put_string(buf, text);
		return true;
	}
	return false;
}

#if defined(__x86_64__) || defined(__i386__)
static bool cpuid_text(char *text, size_t size)
{
	unsigned eax, ebx, ecx, edx, family, model;
	char vendor[13] = { 0 };

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return false;
	memcpy(vendor, &ebx, 4);
	memcpy(vendor + 4, &edx, 4);
	memcpy(vendor + 8, &ecx, 4);
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return false;
	family = eax >> 8 & 15;
	model = eax >> 4 & 15;
	if (family == 6 || family == 15)
		model += (eax >> 16 & 15) << 4;
	if (family == 15)
		family += eax >> 20 & 255;
	snprintf(text, size, "%s,%u,%u,%u", vendor, family, model, eax & 15);
	return true;
}
#elif defined(__aarch64__)
static bool cpuid_text(char *text, size_t size)
{
	return read_line(text, size, CPU_ROOT "/cpu0/regs/identification/midr_el1") > 0;
}
#elif defined(__riscv)
static bool cpuid_text(char *text, size_t size)
{
	char vendor[64], arch[64], implementation[64];

	if (!cpuinfo_find("mvendorid", vendor, sizeof(vendor)) ||
	    !cpuinfo_find("marchid", arch, sizeof(arch)) ||
	    !cpuinfo_find("mimpid", implementation, sizeof(implementation)))
		return false;
	snprintf(text, size, "%s-%s-%s", vendor, arch, implementation);
	return true;
}
#else
static bool cpuid_text(char *text, size_t size)
{
	(void)text;
	(void)size;
	return false;
}
#endif

static bool encode_cpuid(const struct perfdata_context *context, struct buf *buf)
{
	char text[256];

	(void)context;
	if (!cpuid_text(text, sizeof(text)))
		return false;
	put_string(buf, text);
	return true;
}

/* "MemTotal:  123 kB" at the start of a line, or behind "Node 0 ". */
static uint64_t meminfo_find(const char *text, const char *key)
{
	const char *pos = strstr(text, key);

	return pos ? strtoull(pos + strlen(key), NULL, 10) : 0;
}

static bool encode_total_mem(const struct perfdata_context *context, struct buf *buf)
{
	char line[256];

	(void)context;
	if (file_read_line("/proc/meminfo", line, sizeof(line)) < 0)
		return false;
	put_u64(buf, meminfo_find(line, "MemTotal:"));
	return true;
}

static bool encode_cmdline(const struct perfdata_context *context, struct buf *buf)
{
	if (!context->nr_cmdline)
		return false;
	put_u32(buf, context->nr_cmdline);
	for (uint32_t i = 0; i < context->nr_cmdline; i++)
		put_string(buf, context->cmdline[i]);
	return true;
}

uint32_t perfdata_attrs_size(const struct event_table *events)
{
	uint32_t size = EVENT_ATTR_SIZE_MIN;

	for (size_t i = 0; i < events->events.nr; i++) {
		uint32_t own = event_attr_smallest_size(&events->events.items[i].attr);

		size = own > size ? own : size;
	}
	return size;
}

void perfdata_encode_attr(struct buf *buf, const struct event_attr *attr, uint32_t size)
{
	struct event_attr copy = *attr;

	copy.size = size;
	buf_put(buf, &copy, size);
}

static bool encode_event_desc(const struct perfdata_context *context, struct buf *buf)
{
	const struct event_table *events = context->events;
	uint32_t attr_size = perfdata_attrs_size(events);

	put_u32(buf, (uint32_t)events->events.nr);
	put_u32(buf, attr_size);
	for (size_t i = 0; i < events->events.nr; i++) {
		const struct recorded_event *event = &events->events.items[i];

		perfdata_encode_attr(buf, &event->attr, attr_size);
		put_u32(buf, (uint32_t)event->ids.nr);
		put_string(buf, event->name);
		if (event->ids.nr)
			buf_put(buf, event->ids.items, event->ids.nr * sizeof(uint64_t));
	}
	return true;
}

/* The distinct lists of CPUs that `file` of each CPU's topology names, as {u32 nr, strings}. */
static void put_siblings(struct buf *buf, const struct cpuset *cpus, const char *file, const char *old_file)
{
	struct cpuset seen = { 0 };
	size_t place = put_later(buf);
	uint32_t nr = 0;

	for (int cpu = cpuset_next(cpus, 0); cpu >= 0; cpu = cpuset_next(cpus, cpu + 1)) {
		struct cpuset members = { 0 };
		char list[4096];

		if (cpuset_has(&seen, (uint32_t)cpu))
			continue;
		if (read_line(list, sizeof(list), CPU_ROOT "/cpu%d/topology/%s", cpu, file) < 0 &&
		    (!old_file ||
		     read_line(list, sizeof(list), CPU_ROOT "/cpu%d/topology/%s", cpu, old_file) < 0))
			continue;
		if (cpuset_parse(list, &members, NULL) < 0)
			continue;
		for (size_t i = 0; i < NR_ITEMS(seen.bits); i++)
			seen.bits[i] |= members.bits[i];
		put_string(buf, list);
		nr++;
	}
	set_later(buf, place, nr);
}

static bool encode_cpu_topology(const struct perfdata_context *context, struct buf *buf)
{
	uint32_t nr = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	struct cpuset cpus;
	bool has_dies = access(CPU_ROOT "/cpu0/topology/die_cpus_list", R_OK) == 0;

	(void)context;
	cpuset_online(&cpus);
	put_siblings(buf, &cpus, "package_cpus_list", "core_siblings_list");
	put_siblings(buf, &cpus, "core_cpus_list", "thread_siblings_list");
	for (uint32_t cpu = 0; cpu < nr; cpu++) {
		put_u32(buf, read_u32(CPU_ROOT "/cpu%u/topology/core_id", cpu));
		put_u32(buf, read_u32(CPU_ROOT "/cpu%u/topology/physical_package_id", cpu));
	}
	if (!has_dies)
		return true;
	put_siblings(buf, &cpus, "die_cpus_list", NULL);
	for (uint32_t cpu = 0; cpu < nr; cpu++)
		put_u32(buf, read_u32(CPU_ROOT "/cpu%u/topology/die_id", cpu));
	return true;
}

static bool nodes_online(struct cpuset *nodes)
{
	char list[4096];

	return file_read_line(NODE_ROOT "/online", list, sizeof(list)) > 0 &&
	       cpuset_parse(list, nodes, NULL) == 0;
}

static bool encode_numa_topology(const struct perfdata_context *context, struct buf *buf)
{
	struct cpuset nodes = { 0 };

	(void)context;
	if (!nodes_online(&nodes))
		return false;
	put_u32(buf, cpuset_count(&nodes));
	for (int node = cpuset_next(&nodes, 0); node >= 0; node = cpuset_next(&nodes, node + 1)) {
		struct buf meminfo = BUF_INIT;
		char path[128], list[4096] = "";

		snprintf(path, sizeof(path), NODE_ROOT "/node%d/meminfo", node);
		file_read_path(path, &meminfo, 65536);
		read_line(list, sizeof(list), NODE_ROOT "/node%d/cpulist", node);
		put_u32(buf, (uint32_t)node);
		put_u64(buf, meminfo_find(buf_text(&meminfo), "MemTotal:"));
		put_u64(buf, meminfo_find(buf_text(&meminfo), "MemFree:"));
		put_string(buf, list);
		buf_release(&meminfo);
	}
	return true;
}

static bool encode_branch_stack(const struct perfdata_context *context, struct buf *buf)
{
	(void)buf;
	return context->has_branch_stack;
}

static bool encode_stat(const struct perfdata_context *context, struct buf *buf)
{
	(void)buf;
	return context->has_stat;
}

/* Entries of a directory that do not begin with a dot, sorted; free each and the list. */
static int list_directory(const char *path, struct dirent ***ret_entries)
{
	struct dirent **entries;
	int nr = scandir(path, &entries, NULL, alphasort), kept = 0;

	if (nr < 0)
		return 0;
	for (int i = 0; i < nr; i++) {
		if (entries[i]->d_name[0] == '.')
			free(entries[i]);
		else
			entries[kept++] = entries[i];
	}
	*ret_entries = entries;
	return kept;
}

static void free_entries(struct dirent **entries, int nr)
{
	for (int i = 0; i < nr; i++)
		free(entries[i]);
	free(entries);
}

static bool encode_pmu_mappings(const struct perfdata_context *context, struct buf *buf)
{
	struct dirent **entries = NULL;
	int nr = list_directory(PMU_ROOT, &entries);
	size_t place = put_later(buf);
	uint32_t written = 0;

	(void)context;
	for (int i = 0; i < nr; i++) {
		char type[32];

		if (read_line(type, sizeof(type), PMU_ROOT "/%s/type", entries[i]->d_name) < 0)
			continue;
		put_u32(buf, (uint32_t)strtoul(type, NULL, 10));
		put_string(buf, entries[i]->d_name);
		written++;
	}
	set_later(buf, place, written);
	free_entries(entries, nr);
	return written;
}

static bool encode_group_desc(const struct perfdata_context *context, struct buf *buf)
{
	const struct event_table *events = context->events;
	size_t place = put_later(buf);
	uint32_t nr = 0;

	for (uint32_t i = 0; i < events->events.nr; i++) {
		const struct recorded_event *event = &events->events.items[i];

		if (event->leader != i || event->nr_members < 2)
			continue;
		put_string(buf, event->group_name ? event->group_name : "{anon_group}");
		put_u32(buf, i);
		put_u32(buf, event->nr_members);
		nr++;
	}
	set_later(buf, place, nr);
	return nr;
}

struct cache_row {
	uint32_t level, cpu, index;
};

static int compare_caches(const void *a, const void *b)
{
	const struct cache_row *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void put_cache(struct buf *buf, const struct cache_row *row)
{
	char type[64] = "", size[64] = "", list[4096] = "";

#define CACHE_FILE CPU_ROOT "/cpu%u/cache/index%u/"
	put_u32(buf, row->level);
	put_u32(buf, read_u32(CACHE_FILE "coherency_line_size", row->cpu, row->index));
	put_u32(buf, read_u32(CACHE_FILE "number_of_sets", row->cpu, row->index));
	put_u32(buf, read_u32(CACHE_FILE "ways_of_associativity", row->cpu, row->index));
	read_line(type, sizeof(type), CACHE_FILE "type", row->cpu, row->index);
	read_line(size, sizeof(size), CACHE_FILE "size", row->cpu, row->index);
	read_line(list, sizeof(list), CACHE_FILE "shared_cpu_list", row->cpu, row->index);
	put_string(buf, type);
	put_string(buf, size);
	put_string(buf, list);
}

static bool encode_cache(const struct perfdata_context *context, struct buf *buf)
{
	ARRAY(struct cache_row) rows = { 0 };
	struct cpuset cpus;

	(void)context;
	cpuset_online(&cpus);
	for (uint32_t index = 0; index < 16; index++) {
		struct cpuset seen = { 0 };
		size_t before = rows.nr;

		for (int cpu = cpuset_next(&cpus, 0); cpu >= 0; cpu = cpuset_next(&cpus, cpu + 1)) {
			struct cpuset members = { 0 };
			char list[4096];

			if (cpuset_has(&seen, (uint32_t)cpu) ||
			    read_line(list, sizeof(list), CACHE_FILE "shared_cpu_list", (unsigned)cpu,
				      index) < 0)
				continue;
			cpuset_parse(list, &members, NULL);
			for (size_t i = 0; i < NR_ITEMS(seen.bits); i++)
				seen.bits[i] |= members.bits[i];
			array_push(&rows,
				   (struct cache_row){ read_u32(CACHE_FILE "level", (unsigned)cpu, index),
						       (uint32_t)cpu, index });
		}
		if (rows.nr == before)
			break;
	}
	if (rows.nr)
		qsort(rows.items, rows.nr, sizeof(rows.items[0]), compare_caches);
	put_u32(buf, 1);
	put_u32(buf, (uint32_t)rows.nr);
	for (size_t i = 0; i < rows.nr; i++)
		put_cache(buf, &rows.items[i]);
	array_release(&rows);
	return true;
}

static bool encode_sample_time(const struct perfdata_context *context, struct buf *buf)
{
	if (!context->has_sample_time)
		return false;
	put_u64(buf, context->first_time);
	put_u64(buf, context->last_time);
	return true;
}

/* The memory blocks of a node, as {u64 node, u64 size, u64 bits, words}. */
static void put_memory_node(struct buf *buf, uint64_t node, DIR *dir)
{
	ARRAY(uint64_t) words = { 0 };
	struct dirent *entry;
	uint64_t bits = 0;

	while ((entry = readdir(dir))) {
		uint64_t block;
		char *end;

		if (strncmp(entry->d_name, "memory", 6) || !isdigit((unsigned char)entry->d_name[6]))
			continue;
		block = strtoull(entry->d_name + 6, &end, 10);
		if (*end || block > 1u << 24)
			continue;
		while (words.nr <= block / 64)
			array_push(&words, 0);
		words.items[block / 64] |= 1ull << block % 64;
		if (block >= bits)
			bits = block + 1;
	}
	put_u64(buf, node);
	put_u64(buf, bits);
	put_u64(buf, bits);
	if (words.nr)
		buf_put(buf, words.items, words.nr * 8);
	array_release(&words);
}

static bool encode_mem_topology(const struct perfdata_context *context, struct buf *buf)
{
	struct cpuset nodes = { 0 };
	char text[64];
	size_t place;
	uint64_t nr = 0;

	(void)context;
	if (file_read_line("/sys/devices/system/memory/block_size_bytes", text, sizeof(text)) <= 0 ||
	    !nodes_online(&nodes))
		return false;
	put_u64(buf, 1);
	put_u64(buf, strtoull(text, NULL, 16));
	place = buf->size;
	put_u64(buf, 0);
	for (int node = cpuset_next(&nodes, 0); node >= 0; node = cpuset_next(&nodes, node + 1)) {
		char path[128];
		DIR *dir;

		snprintf(path, sizeof(path), NODE_ROOT "/node%d", node);
		dir = opendir(path);
		if (!dir)
			continue;
		put_memory_node(buf, (uint64_t)node, dir);
		closedir(dir);
		nr++;
	}
	memcpy(buf->data + place, &nr, sizeof(nr));
	return nr;
}

static bool encode_clockid(const struct perfdata_context *context, struct buf *buf)
{
	if (!context->has_clockid)
		return false;
	put_u64(buf, context->clockid_resolution);
	return true;
}

static bool encode_clock_data(const struct perfdata_context *context, struct buf *buf)
{
	if (!context->has_clockid || !context->wall_time)
		return false;
	put_u32(buf, 1);
	put_u32(buf, (uint32_t)context->clockid);
	put_u64(buf, context->wall_time);
	put_u64(buf, context->clock_time);
	return true;
}

static bool encode_dir_format(const struct perfdata_context *context, struct buf *buf)
{
	if (!context->is_directory)
		return false;
	put_u64(buf, 1);
	return true;
}

static bool encode_compressed(const struct perfdata_context *context, struct buf *buf)
{
	if (!context->compression_level)
		return false;
	put_u32(buf, 0); /* version */
	put_u32(buf, 1); /* zstd */
	put_u32(buf, (uint32_t)context->compression_level);
	put_u32(buf, context->compression_ratio);
	put_u32(buf, context->compression_mmap_size);
	return true;
}

/* {u32 nr, pairs of strings} from the files of PMU/caps. */
static uint32_t put_caps(struct buf *buf, const char *pmu)
{
	struct dirent **entries = NULL;
	size_t place = put_later(buf);
	uint32_t nr_written = 0;
	char path[512];
	int nr;

	snprintf(path, sizeof(path), PMU_ROOT "/%s/caps", pmu);
	nr = list_directory(path, &entries);
	for (int i = 0; i < nr; i++) {
		char value[256];

		if (read_line(value, sizeof(value), PMU_ROOT "/%s/caps/%s", pmu, entries[i]->d_name) < 0)
			continue;
		put_string(buf, entries[i]->d_name);
		put_string(buf, value);
		nr_written++;
	}
	set_later(buf, place, nr_written);
	free_entries(entries, nr);
	return nr_written;
}

static bool encode_cpu_pmu_caps(const struct perfdata_context *context, struct buf *buf)
{
	(void)context;
	return put_caps(buf, "cpu");
}

static bool encode_pmu_caps(const struct perfdata_context *context, struct buf *buf)
{
	struct dirent **entries = NULL;
	int nr = list_directory(PMU_ROOT, &entries);
	size_t place = put_later(buf);
	uint32_t nr_written = 0;

	(void)context;
	for (int i = 0; i < nr; i++) {
		size_t before = buf->size;

		if (!strcmp(entries[i]->d_name, "cpu"))
			continue;
		if (!put_caps(buf, entries[i]->d_name)) {
			buf->size = before;
			continue;
		}
		put_string(buf, entries[i]->d_name);
		nr_written++;
	}
	set_later(buf, place, nr_written);
	free_entries(entries, nr);
	return nr_written;
}

/* Machines with several kinds of cores have a PMU for each: cpu_core, cpu_atom. */
static bool encode_hybrid_topology(const struct perfdata_context *context, struct buf *buf)
{
	struct dirent **entries = NULL;
	int nr = list_directory(PMU_ROOT, &entries);
	size_t place = put_later(buf);
	uint32_t nr_written = 0;

	(void)context;
	for (int i = 0; i < nr; i++) {
		char list[4096];

		if (strncmp(entries[i]->d_name, "cpu_", 4) ||
		    read_line(list, sizeof(list), PMU_ROOT "/%s/cpus", entries[i]->d_name) < 0)
			continue;
		put_string(buf, entries[i]->d_name);
		put_string(buf, list);
		nr_written++;
	}
	set_later(buf, place, nr_written);
	free_entries(entries, nr);
	return nr_written > 1;
}

static bool encode_e_machine(const struct perfdata_context *context, struct buf *buf)
{
	(void)context;
#if defined(__x86_64__)
	put_u32(buf, EM_X86_64);
#elif defined(__aarch64__)
	put_u32(buf, EM_AARCH64);
#elif defined(__riscv)
	put_u32(buf, EM_RISCV);
#elif defined(__powerpc64__)
	put_u32(buf, EM_PPC64);
#elif defined(__s390x__)
	put_u32(buf, EM_S390);
#else
	return false;
#endif
	put_u32(buf, 0);
	return true;
}

static bool encode_cln_size(const struct perfdata_context *context, struct buf *buf)
{
	uint32_t size = read_u32(CACHE_FILE "coherency_line_size", 0u, 0u);

	(void)context;
	if (!size)
		return false;
	put_u32(buf, size);
	return true;
}

static bool put_span(struct span span, struct buf *buf)
{
	if (span.size)
		buf_put(buf, span.data, span.size);
	return span.size;
}

static bool encode_tracing_data(const struct perfdata_context *context, struct buf *buf)
{
	return put_span(context->tracing_data, buf);
}

static bool encode_build_id(const struct perfdata_context *context, struct buf *buf)
{
	return put_span(context->build_ids, buf);
}

static bool (*const encoders[PERFDATA_FEATURE_NR])(const struct perfdata_context *context,
						   struct buf *buf) = {
	[PERFDATA_TRACING_DATA] = encode_tracing_data,
	[PERFDATA_BUILD_ID] = encode_build_id,
	[PERFDATA_HOSTNAME] = encode_hostname,
	[PERFDATA_OSRELEASE] = encode_osrelease,
	[PERFDATA_VERSION] = encode_version,
	[PERFDATA_ARCH] = encode_arch,
	[PERFDATA_NRCPUS] = encode_nrcpus,
	[PERFDATA_CPUDESC] = encode_cpudesc,
	[PERFDATA_CPUID] = encode_cpuid,
	[PERFDATA_TOTAL_MEM] = encode_total_mem,
	[PERFDATA_CMDLINE] = encode_cmdline,
	[PERFDATA_EVENT_DESC] = encode_event_desc,
	[PERFDATA_CPU_TOPOLOGY] = encode_cpu_topology,
	[PERFDATA_NUMA_TOPOLOGY] = encode_numa_topology,
	[PERFDATA_BRANCH_STACK] = encode_branch_stack,
	[PERFDATA_PMU_MAPPINGS] = encode_pmu_mappings,
	[PERFDATA_GROUP_DESC] = encode_group_desc,
	[PERFDATA_STAT] = encode_stat,
	[PERFDATA_CACHE] = encode_cache,
	[PERFDATA_SAMPLE_TIME] = encode_sample_time,
	[PERFDATA_MEM_TOPOLOGY] = encode_mem_topology,
	[PERFDATA_CLOCKID] = encode_clockid,
	[PERFDATA_DIR_FORMAT] = encode_dir_format,
	[PERFDATA_COMPRESSED] = encode_compressed,
	[PERFDATA_CPU_PMU_CAPS] = encode_cpu_pmu_caps,
	[PERFDATA_CLOCK_DATA] = encode_clock_data,
	[PERFDATA_HYBRID_TOPOLOGY] = encode_hybrid_topology,
	[PERFDATA_PMU_CAPS] = encode_pmu_caps,
	[PERFDATA_E_MACHINE] = encode_e_machine,
	[PERFDATA_CLN_SIZE] = encode_cln_size,
};

bool perfdata_feature_encode(unsigned bit, const struct perfdata_context *context, struct buf *buf)
{
	size_t before = buf->size;

	if (bit >= NR_ITEMS(encoders) || !encoders[bit])
		return false;
	if (encoders[bit](context, buf))
		return true;
	buf->size = before;
	return false;
}

void perfdata_encode_build_id(struct buf *buf, int32_t pid, uint16_t misc, const uint8_t *build_id,
			      size_t size, const char *path)
{
	size_t path_size = strlen(path) + 1, room = (path_size + 63) & ~(size_t)63;
	struct record_header header = {
		.type = RECORD_HEADER_BUILD_ID,
		.misc = (uint16_t)(misc | 1 << 15), /* the size byte counts */
		.size = (uint16_t)(sizeof(header) + 4 + 24 + room),
	};
	uint8_t padded[24] = { 0 };

	if (size > 20)
		size = 20;
	memcpy(padded, build_id, size);
	padded[20] = (uint8_t)size;
	buf_put(buf, &header, sizeof(header));
	put_u32(buf, (uint32_t)pid);
	buf_put(buf, padded, sizeof(padded));
	buf_put(buf, path, path_size);
	buf_fill(buf, 0, room - path_size);
}
