/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One function for each feature that has something to print, in one table by bit. Payloads are read while
 * they are printed; a function that runs out of bytes answers false, and what it had printed is taken back.
 */
#include "record/perfdata_print.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "record/perfdata_payload.h"

struct printing {
	struct perfdata_reader *reader;
	struct perfdata_features *features;
	struct cursor cursor; /* of the feature's payload */
	struct buf *buf;
};

static bool string_line(struct printing *p, const char *label)
{
	const char *text = perfdata_payload_string(&p->cursor);

	if (text)
		buf_printf(p->buf, "# %s : %s\n", label, text);
	return text;
}

static bool print_hostname(struct printing *p)
{
	return string_line(p, "hostname");
}

static bool print_osrelease(struct printing *p)
{
	return string_line(p, "os release");
}

static bool print_version(struct printing *p)
{
	return string_line(p, "perf version");
}

static bool print_arch(struct printing *p)
{
	return string_line(p, "arch");
}

static bool print_cpudesc(struct printing *p)
{
	return string_line(p, "cpudesc");
}

static bool print_cpuid(struct printing *p)
{
	return string_line(p, "cpuid");
}

static bool print_nrcpus(struct printing *p)
{
	uint32_t available = cursor_u32(&p->cursor), online = cursor_u32(&p->cursor);

	buf_printf(p->buf, "# nrcpus online : %u\n# nrcpus avail : %u\n", online, available);
	return !p->cursor.failed;
}

static bool print_total_mem(struct printing *p)
{
	buf_printf(p->buf, "# total memory : %" PRIu64 " kB\n", cursor_u64(&p->cursor));
	return !p->cursor.failed;
}

static bool print_cmdline(struct printing *p)
{
	uint32_t nr = cursor_u32(&p->cursor);

	buf_str(p->buf, "# cmdline : ");
	while (nr-- && !p->cursor.failed) {
		const char *arg = perfdata_payload_string(&p->cursor);

		for (; arg && *arg; arg++) {
			if (*arg == '\'')
				buf_putc(p->buf, '\\');
			buf_putc(p->buf, *arg);
		}
		buf_putc(p->buf, ' ');
	}
	buf_putc(p->buf, '\n');
	return !p->cursor.failed;
}

static int print_event(void *context, uint32_t index, const struct perfdata_event_desc *desc)
{
	struct printing *p = context;

	(void)index;
	buf_printf(p->buf, "# event : name = %s, ", desc->name);
	for (uint32_t i = 0; i < desc->nr_ids; i++)
		buf_printf(p->buf, "%s%" PRIu64, i ? ", " : ", id = { ",
			   perfdata_features_desc_id(p->features, desc, i));
	if (desc->nr_ids)
		buf_str(p->buf, " }");
	buf_str(p->buf, ", ");
	perfdata_print_attr(&desc->attr, " = ", p->features, desc->name, p->buf);
	buf_putc(p->buf, '\n');
	return 0;
}

static bool print_event_desc(struct printing *p)
{
	perfdata_features_event_descs(p->features, print_event, p);
	return true;
}

static bool print_cpu_topology(struct printing *p)
{
	uint32_t nr_cpus, online, nr = cursor_u32(&p->cursor);
	const uint8_t *cores;
	struct cursor core, die;
	bool has_dies;

	while (nr-- && !p->cursor.failed) {
		const char *list = perfdata_payload_string(&p->cursor);

		if (list)
			buf_printf(p->buf, "# sibling sockets : %s\n", list);
	}
	/* Dies stand at the end of the payload but come here: look ahead. */
	core = p->cursor;
	for (nr = cursor_u32(&core); nr && !core.failed; nr--)
		perfdata_payload_string(&core);
	if (core.failed || !perfdata_features_nrcpus(p->features, &online, &nr_cpus) ||
	    nr_cpus > cursor_left(&core) / 8)
		nr_cpus = 0;
	die = core;
	cores = cursor_bytes(&die, (size_t)nr_cpus * 8);
	has_dies = cores && cursor_left(&die);
	if (has_dies) {
		for (nr = cursor_u32(&die); nr && !die.failed; nr--) {
			const char *list = perfdata_payload_string(&die);

			if (list)
				buf_printf(p->buf, "# sibling dies    : %s\n", list);
		}
	}
	for (nr = cursor_u32(&p->cursor); nr && !p->cursor.failed; nr--) {
		const char *list = perfdata_payload_string(&p->cursor);

		if (list)
			buf_printf(p->buf, "# sibling threads : %s\n", list);
	}
	if (!nr_cpus)
		buf_str(p->buf, "# Core ID and Socket ID information is not available\n");
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		uint32_t core_id = cursor_u32(&core), socket_id = cursor_u32(&core);

		buf_printf(p->buf, "# CPU %u: Core ID %u, ", cpu, core_id);
		if (has_dies)
			buf_printf(p->buf, "Die ID %u, ", cursor_u32(&die));
		buf_printf(p->buf, "Socket ID %u\n", socket_id);
	}
	return !p->cursor.failed;
}

static bool print_numa_topology(struct printing *p)
{
	for (uint32_t nr = cursor_u32(&p->cursor); nr && !p->cursor.failed; nr--) {
		uint32_t node = cursor_u32(&p->cursor);
		uint64_t total = cursor_u64(&p->cursor), free_size = cursor_u64(&p->cursor);
		const char *list = perfdata_payload_string(&p->cursor);

		if (list)
			buf_printf(p->buf,
				   "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64
				   " kB\n# node%u cpu list : %s\n",
				   node, total, free_size, node, list);
	}
	return !p->cursor.failed;
}

static bool print_branch_stack(struct printing *p)
{
	buf_str(p->buf, "# contains samples with branch stack\n");
	return true;
}

static bool print_pmu_mappings(struct printing *p)
{
	uint32_t nr = cursor_u32(&p->cursor);

	buf_str(p->buf, "# pmu mappings:");
	if (!nr)
		buf_str(p->buf, " not available");
	for (uint32_t i = 0; i < nr && !p->cursor.failed; i++) {
		uint32_t type = cursor_u32(&p->cursor);
		const char *name = perfdata_payload_string(&p->cursor);

		if (name)
			buf_printf(p->buf, "%s %s = %u", i ? "," : "", name, type);
	}
	buf_putc(p->buf, '\n');
	return !p->cursor.failed;
}

static int print_group(void *context, const char *name, uint32_t leader, uint32_t nr_members)
{
	struct printing *p = context;
	const struct event_table *events = perfdata_reader_events(p->reader);

	if (leader >= events->events.nr || nr_members > events->events.nr - leader)
		return 0;
	buf_printf(p->buf, "# group: %s{", name ? name : "");
	for (uint32_t i = 0; i < nr_members; i++)
		buf_printf(p->buf, "%s%s", i ? "," : "", events->events.items[leader + i].name);
	buf_str(p->buf, "}\n");
	return 0;
}

static bool print_group_desc(struct printing *p)
{
	perfdata_features_groups(p->features, print_group, p);
	return true;
}

static bool print_auxtrace(struct printing *p)
{
	buf_str(p->buf, "# contains AUX area data (e.g. instruction trace)\n");
	return true;
}

static bool print_stat(struct printing *p)
{
	buf_str(p->buf, "# contains stat data\n");
	return true;
}

static bool print_cache(struct printing *p)
{
	uint32_t version = cursor_u32(&p->cursor), nr = cursor_u32(&p->cursor);

	if (version != 1)
		return false;
	buf_str(p->buf, "# CPU cache info:\n");
	while (nr-- && !p->cursor.failed) {
		uint32_t level = cursor_u32(&p->cursor);
		const char *type, *size, *list;

		cursor_skip(&p->cursor, 12); /* line size, sets, ways */
		type = perfdata_payload_string(&p->cursor);
		size = perfdata_payload_string(&p->cursor);
		list = perfdata_payload_string(&p->cursor);
		if (list)
			buf_printf(p->buf, "#  L%u %-15s %8s [%s]\n", level, type, size, list);
	}
	return !p->cursor.failed;
}

static bool print_sample_time(struct printing *p)
{
	uint64_t first = cursor_u64(&p->cursor), last = cursor_u64(&p->cursor);

	buf_printf(p->buf, "# time of first sample : %" PRIu64 ".%06" PRIu64 "\n", first / 1000000000,
		   first % 1000000000 / 1000);
	buf_printf(p->buf, "# time of last sample : %" PRIu64 ".%06" PRIu64 "\n", last / 1000000000,
		   last % 1000000000 / 1000);
	buf_printf(p->buf, "# sample duration : %10.3f ms\n", (double)(last - first) / 1000000);
	return !p->cursor.failed;
}

/* The set bits of a bitmap of 64-bit words as a list: "0-23,32". Returns how many there are. */
static uint64_t bitmap_list(const uint64_t *words, uint64_t nr_bits, struct buf *buf)
{
	uint64_t count = 0;

	for (uint64_t bit = 0; bit < nr_bits; bit++) {
		uint64_t last = bit;

		if (!(words[bit / 64] >> bit % 64 & 1))
			continue;
		while (last + 1 < nr_bits && words[(last + 1) / 64] >> (last + 1) % 64 & 1)
			last++;
		buf_printf(buf, "%s%" PRIu64, count ? "," : "", bit);
		if (last > bit)
			buf_printf(buf, "-%" PRIu64, last);
		count += last - bit + 1;
		bit = last;
	}
	return count;
}

static void memory_size(uint64_t size, struct buf *buf)
{
	unsigned unit = 0;

	while (size >= 1024 && unit < 3) {
		size /= 1024;
		unit++;
	}
	buf_printf(buf, "%" PRIu64 "%c", size, "BKMG"[unit]);
}

static bool print_mem_topology(struct printing *p)
{
	uint64_t version = cursor_u64(&p->cursor), block_size = cursor_u64(&p->cursor),
		 nr = cursor_u64(&p->cursor);

	if (version != 1)
		return false;
	buf_printf(p->buf, "# memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):\n", nr, block_size);
	while (nr-- && !p->cursor.failed) {
		uint64_t node = cursor_u64(&p->cursor), nr_bits, count;
		ARRAY(uint64_t) words = { 0 };
		struct buf list = BUF_INIT;

		cursor_skip(&p->cursor, 8);
		nr_bits = cursor_u64(&p->cursor);
		if (nr_bits > cursor_left(&p->cursor) * 8)
			return false;
		for (uint64_t i = 0; i < (nr_bits + 63) / 64; i++)
			array_push(&words, cursor_u64(&p->cursor));
		count = bitmap_list(words.items, nr_bits, &list);
		buf_printf(p->buf, "# %4" PRIu64 " [", node);
		memory_size(count * block_size, p->buf);
		buf_printf(p->buf, "]: %s\n", buf_text(&list));
		buf_release(&list);
		array_release(&words);
	}
	return !p->cursor.failed;
}

static bool print_clockid(struct printing *p)
{
	/* The number is a resolution in nanoseconds; perf prints it as a frequency, and scripts read that. */
	buf_printf(p->buf, "# clockid frequency: %" PRIu64 " MHz\n", cursor_u64(&p->cursor) * 1000);
	return !p->cursor.failed;
}

static bool print_clock_data(struct printing *p)
{
	static const char *const clocks[] = { "realtime",
					      "monotonic",
					      "process_cputime_id",
					      "thread_cputime_id",
					      "monotonic_raw",
					      "realtime_coarse",
					      "monotonic_coarse",
					      "boottime",
					      NULL,
					      NULL,
					      NULL,
					      "tai" };
	struct perfdata_clock clock;
	const char *name = "unknown";
	char text[64];
	struct tm tm;
	time_t seconds;

	if (!perfdata_features_clock(p->features, &clock))
		return false;
	if (clock.clockid < NR_ITEMS(clocks) && clocks[clock.clockid])
		name = clocks[clock.clockid];
	seconds = (time_t)(clock.wall_time / 1000000000);
	if (!localtime_r(&seconds, &tm))
		return false;
	strftime(text, sizeof(text), "%F %T", &tm);
	buf_printf(p->buf, "# clockid: %s (%u)\n", name, clock.clockid);
	buf_printf(p->buf,
		   "# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64
		   ".%09" PRIu64 " (%s)\n",
		   text, clock.wall_time % 1000000000 / 1000, clock.wall_time / 1000000000,
		   clock.wall_time % 1000000000 / 1000, clock.clock_time / 1000000000,
		   clock.clock_time % 1000000000, name);
	return true;
}

static bool print_dir_format(struct printing *p)
{
	buf_printf(p->buf, "# directory data version : %" PRIu64 "\n", cursor_u64(&p->cursor));
	return !p->cursor.failed;
}

/* struct bpf_prog_info (include/uapi/linux/bpf.h): where the fields that are printed stand. */
#define BPF_INFO_ID 4
#define BPF_INFO_TAG 8
#define BPF_INFO_NAME 64
#define BPF_INFO_NR_KSYMS 104
#define BPF_INFO_KSYMS 112 /* offsets in the data behind the struct */
#define BPF_INFO_LENGTHS 120
#define BPF_INFO_MIN 128

static struct cursor bpf_at(const struct printing *p, struct span bytes, uint64_t offset)
{
	if (offset > bytes.size)
		offset = bytes.size;
	return cursor_of(bytes.data + offset, bytes.size - (size_t)offset, p->cursor.swap);
}

static void print_bpf_function(struct printing *p, struct span info, struct span data, uint32_t i)
{
	struct cursor cursor = bpf_at(p, info, BPF_INFO_KSYMS);
	uint64_t addrs = cursor_u64(&cursor), lengths = cursor_u64(&cursor), addr;

	cursor = bpf_at(p, data, addrs + 8ull * i);
	addr = cursor_u64(&cursor);
	cursor = bpf_at(p, data, lengths + 4ull * i);
	buf_str(p->buf, "bpf_prog_");
	for (unsigned k = 0; k < 8; k++)
		buf_printf(p->buf, "%02x", info.data[BPF_INFO_TAG + k]);
	if (i)
		buf_str(p->buf, "_F");
	else
		buf_printf(p->buf, "_%.16s", (const char *)info.data + BPF_INFO_NAME);
	buf_printf(p->buf, " addr 0x%" PRIx64 " size %u\n", addr, cursor_u32(&cursor));
}

static bool print_bpf_prog_info(struct printing *p)
{
	uint32_t nr = cursor_u32(&p->cursor);

	if (!nr)
		buf_str(p->buf, "# bpf_prog_info empty\n");
	while (nr-- && !p->cursor.failed) {
		uint32_t info_size = cursor_u32(&p->cursor), data_size = cursor_u32(&p->cursor), id,
			 nr_functions;
		struct span info = { .size = info_size }, data = { .size = data_size };
		struct cursor cursor;

		cursor_skip(&p->cursor, 8); /* which arrays there are */
		info.data = cursor_bytes(&p->cursor, info_size);
		data.data = cursor_bytes(&p->cursor, data_size);
		if (p->cursor.failed || info_size < BPF_INFO_MIN)
			return false;
		cursor = bpf_at(p, info, BPF_INFO_ID);
		id = cursor_u32(&cursor);
		cursor = bpf_at(p, info, BPF_INFO_NR_KSYMS);
		nr_functions = cursor_u32(&cursor);
		if (nr_functions > data_size / 8)
			nr_functions = data_size / 8;
		buf_printf(p->buf, "# bpf_prog_info %u:", id);
		if (nr_functions == 1) {
			buf_putc(p->buf, ' ');
			print_bpf_function(p, info, data, 0);
			continue;
		}
		buf_putc(p->buf, '\n');
		for (uint32_t i = 0; i < nr_functions; i++) {
			buf_printf(p->buf, "# \tsub_prog %u: ", i);
			print_bpf_function(p, info, data, i);
		}
	}
	return !p->cursor.failed;
}

static bool print_bpf_btf(struct printing *p)
{
	uint32_t nr = cursor_u32(&p->cursor);

	if (!nr)
		buf_str(p->buf, "# btf info empty\n");
	while (nr-- && !p->cursor.failed) {
		uint32_t id = cursor_u32(&p->cursor), size = cursor_u32(&p->cursor);

		if (cursor_bytes(&p->cursor, size))
			buf_printf(p->buf, "# btf info of id %u\n", id);
	}
	return !p->cursor.failed;
}

static bool print_compressed(struct printing *p)
{
	struct perfdata_compression compression;

	if (!perfdata_features_compression(p->features, &compression))
		return false;
	buf_printf(p->buf, "# compressed : %s, level = %u, ratio = %u\n",
		   compression.type == 1 ? "Zstd" : "Unknown", compression.level, compression.ratio);
	return true;
}

/* " a=1, b=2" or " not available". */
static void print_caps(struct printing *p)
{
	uint32_t nr = cursor_u32(&p->cursor);

	if (!nr)
		buf_str(p->buf, " not available");
	for (uint32_t i = 0; i < nr && !p->cursor.failed; i++) {
		const char *name = perfdata_payload_string(&p->cursor),
			   *value = perfdata_payload_string(&p->cursor);

		if (value)
			buf_printf(p->buf, "%s %s=%s", i ? "," : "", name, value);
	}
	buf_putc(p->buf, '\n');
}

static bool print_cpu_pmu_caps(struct printing *p)
{
	buf_str(p->buf, "# cpu pmu capabilities:");
	print_caps(p);
	return !p->cursor.failed;
}

static bool print_pmu_caps(struct printing *p)
{
	for (uint32_t nr = cursor_u32(&p->cursor); nr && !p->cursor.failed; nr--) {
		struct printing ahead = *p;
		struct buf caps = BUF_INIT;
		const char *name;

		/* The PMU's name stands behind its capabilities. */
		ahead.buf = &caps;
		print_caps(&ahead);
		p->cursor = ahead.cursor;
		name = perfdata_payload_string(&p->cursor);
		if (name)
			buf_printf(p->buf, "# %s pmu capabilities:%s", name, buf_text(&caps));
		buf_release(&caps);
	}
	return !p->cursor.failed;
}

static bool print_hybrid_topology(struct printing *p)
{
	uint32_t nr = cursor_u32(&p->cursor);

	buf_str(p->buf, "# hybrid cpu system:\n");
	while (nr-- && !p->cursor.failed) {
		const char *name = perfdata_payload_string(&p->cursor),
			   *list = perfdata_payload_string(&p->cursor);

		if (list)
			buf_printf(p->buf, "# %s cpu list : %s\n", name, list);
	}
	return !p->cursor.failed;
}

static bool print_cpu_domain_info(struct printing *p)
{
	uint32_t version = cursor_u32(&p->cursor), nr_max = cursor_u32(&p->cursor);

	buf_printf(p->buf, "# schedstat version\t: %u\n# Maximum sched domains\t: %u\n", version, nr_max);
	while (cursor_left(&p->cursor) && !p->cursor.failed) {
		uint32_t cpu = cursor_u32(&p->cursor), nr = cursor_u32(&p->cursor);

		buf_printf(p->buf, "# cpu\t\t: %u\n# nr_domains\t: %u\n", cpu, nr);
		while (nr-- && !p->cursor.failed) {
			uint32_t domain = cursor_u32(&p->cursor);
			const char *name = perfdata_payload_string(&p->cursor);
			const char *map = perfdata_payload_string(&p->cursor);
			const char *list = perfdata_payload_string(&p->cursor);

			if (list)
				buf_printf(
					p->buf,
					"# Domain\t\t: %u\n# Domain name      : %s\n# Domain cpu map   : %s\n"
					"# Domain cpu list  : %s\n",
					domain, name, map, list);
		}
	}
	return !p->cursor.failed;
}

static bool print_e_machine(struct printing *p)
{
	uint32_t machine = cursor_u32(&p->cursor), flags = cursor_u32(&p->cursor);

	buf_printf(p->buf, "# e_machine : %u\n#   e_flags : %u\n", machine, flags);
	return !p->cursor.failed;
}

static bool print_cln_size(struct printing *p)
{
	buf_printf(p->buf, "# cacheline size: %u\n", cursor_u32(&p->cursor));
	return !p->cursor.failed;
}

static const struct {
	bool (*print)(struct printing *p);
	bool full_only; /* long: printed with -I */
} printers[PERFDATA_FEATURE_NR] = {
	[PERFDATA_HOSTNAME] = { print_hostname, false },
	[PERFDATA_OSRELEASE] = { print_osrelease, false },
	[PERFDATA_VERSION] = { print_version, false },
	[PERFDATA_ARCH] = { print_arch, false },
	[PERFDATA_NRCPUS] = { print_nrcpus, false },
	[PERFDATA_CPUDESC] = { print_cpudesc, false },
	[PERFDATA_CPUID] = { print_cpuid, false },
	[PERFDATA_TOTAL_MEM] = { print_total_mem, false },
	[PERFDATA_CMDLINE] = { print_cmdline, false },
	[PERFDATA_EVENT_DESC] = { print_event_desc, false },
	[PERFDATA_CPU_TOPOLOGY] = { print_cpu_topology, true },
	[PERFDATA_NUMA_TOPOLOGY] = { print_numa_topology, true },
	[PERFDATA_BRANCH_STACK] = { print_branch_stack, false },
	[PERFDATA_PMU_MAPPINGS] = { print_pmu_mappings, false },
	[PERFDATA_GROUP_DESC] = { print_group_desc, false },
	[PERFDATA_AUXTRACE] = { print_auxtrace, false },
	[PERFDATA_STAT] = { print_stat, false },
	[PERFDATA_CACHE] = { print_cache, true },
	[PERFDATA_SAMPLE_TIME] = { print_sample_time, false },
	[PERFDATA_MEM_TOPOLOGY] = { print_mem_topology, true },
	[PERFDATA_CLOCKID] = { print_clockid, false },
	[PERFDATA_DIR_FORMAT] = { print_dir_format, false },
	[PERFDATA_BPF_PROG_INFO] = { print_bpf_prog_info, false },
	[PERFDATA_BPF_BTF] = { print_bpf_btf, false },
	[PERFDATA_COMPRESSED] = { print_compressed, false },
	[PERFDATA_CPU_PMU_CAPS] = { print_cpu_pmu_caps, false },
	[PERFDATA_CLOCK_DATA] = { print_clock_data, false },
	[PERFDATA_HYBRID_TOPOLOGY] = { print_hybrid_topology, true },
	[PERFDATA_PMU_CAPS] = { print_pmu_caps, false },
	[PERFDATA_CPU_DOMAIN_INFO] = { print_cpu_domain_info, true },
	[PERFDATA_E_MACHINE] = { print_e_machine, false },
	[PERFDATA_CLN_SIZE] = { print_cln_size, false },
};

void perfdata_print_feature(struct perfdata_reader *reader, struct perfdata_features *features, unsigned bit,
			    bool full, struct buf *buf)
{
	struct printing printing = { reader, features, perfdata_payload(features, bit), buf };
	size_t before = buf->size;

	if (bit >= PERFDATA_FEATURE_MAX)
		return;
	if (bit >= PERFDATA_FEATURE_NR) {
		buf_printf(buf, "# feature %u is unknown here (%zu bytes)\n", bit,
			   features->payloads[bit].size);
		return;
	}
	if (!printers[bit].print)
		return;
	if (printers[bit].full_only && !full) {
		buf_printf(buf, "# %s info available, use -I to display\n", perfdata_feature_name(bit));
		return;
	}
	if (!printers[bit].print(&printing)) {
		buf->size = before;
		buf_printf(buf, "# %s: its data in this file are damaged\n", perfdata_feature_name(bit));
	}
}

static void print_features(struct perfdata_reader *reader, bool full, struct buf *buf)
{
	struct perfdata_features *features = perfdata_reader_features(reader);

	for (unsigned bit = 0; bit < PERFDATA_FEATURE_MAX; bit++)
		if (perfdata_features_has(features, bit))
			perfdata_print_feature(reader, features, bit, full, buf);
}

void perfdata_print_header(struct perfdata_reader *reader, bool full, struct buf *buf)
{
	const struct perfdata_header *header = perfdata_reader_header(reader);
	const struct perfdata_features *features = perfdata_reader_features(reader);
	time_t seconds = (time_t)header->captured_time;
	bool is_pipe = header->is_pipe;
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%a %b %e %T %Y", &tm);
	buf_printf(buf,
		   "# ========\n# captured on    : %s\n# header version : 1\n# data offset    : %" PRIu64
		   "\n# data size      : %" PRIu64 "\n# feat offset    : %" PRIu64 "\n",
		   text, is_pipe ? 0 : header->data_offset, is_pipe ? 0 : header->data_size,
		   is_pipe ? 0 : header->data_offset + header->data_size);
	if (is_pipe) { /* they came as records, behind the header */
		buf_str(buf, "# ========\n#\n");
		print_features(reader, full, buf);
		return;
	}
	print_features(reader, full, buf);
	buf_str(buf, "# missing features: ");
	for (unsigned bit = 1; bit < PERFDATA_FEATURE_NR; bit++)
		if (!perfdata_features_has(features, bit))
			buf_printf(buf, "%s ", perfdata_feature_name(bit));
	buf_str(buf, "\n# ========\n#\n");
}
