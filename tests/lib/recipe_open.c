/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/recipe_open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"

static void stop(const char *what, const char *more)
{
	fprintf(stderr, "%s: %s\n", what, more);
	abort();
}

char *recipe_load(const char *name)
{
	const char *root = getenv("SONDE_TESTS");
	char *path = xasprintf("%s/golden/recipes/%s.recipe", root ? root : "tests", name);
	struct buf text = BUF_INIT;

	if (file_read_path(path, &text, 1 << 20) < 0)
		stop("cannot read the recipe", path);
	free(path);
	return buf_text(&text);
}

void recipe_bytes(const char *text, const struct recipe_options *options, struct buf *ret)
{
	struct err err = { 0 };

	if (recipe_compile(text, options, ret, &err) < 0)
		stop("the recipe does not compile", err.text);
}

int recipe_open_bytes(const void *data, size_t size, unsigned flags, struct perfdata_reader **ret_reader,
		      struct err *err)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC), ret;
	char path[64];

	if (fd < 0 || file_write_all(fd, data, size) < 0)
		stop("cannot write a recording", "memfd");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = perfdata_reader_open(path, flags, ret_reader, err);
	close(fd);
	return ret;
}

struct perfdata_reader *recipe_open(const char *text, const struct recipe_options *options)
{
	struct perfdata_reader *reader;
	struct buf bytes = BUF_INIT;
	struct err err = { 0 };

	recipe_bytes(text, options, &bytes);
	if (recipe_open_bytes(bytes.data, bytes.size, 0, &reader, &err) < 0)
		stop("cannot open the recording", err.text);
	buf_release(&bytes);
	return reader;
}

static void put_bytes(const char *name, const void *data, size_t size, struct buf *buf)
{
	const uint8_t *bytes = data;

	buf_printf(buf, " %s=", name);
	for (size_t i = 0; i < size; i++)
		buf_printf(buf, "%02x", bytes[i]);
}

/* Numbers of 8 bytes in this machine's order: as numbers, so that texts are equal on all machines. */
static void put_numbers(const char *name, const uint8_t *data, uint64_t nr, struct buf *buf)
{
	buf_printf(buf, " %s=", name);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t value;

		memcpy(&value, data + 8 * i, sizeof(value));
		buf_printf(buf, "%s%" PRIx64, i ? "," : "", value);
	}
}

static void put_id(const struct record_id *id, struct buf *buf)
{
	buf_printf(buf, " %d/%d time %" PRId64 " id %" PRIu64 " stream %" PRIu64 " cpu %d", id->pid, id->tid,
		   (int64_t)id->time, id->id, id->stream_id, id->cpu);
}

static void put_sample(const struct event_table *events, const struct record_header *raw, struct buf *buf)
{
	uint32_t event = event_table_of_sample(events, raw);
	struct sample s;

	if (event == HASH_NONE || sample_decode(&events->events.items[event].layout, raw, 0, &s) < 0) {
		buf_str(buf, " damaged");
		return;
	}
	buf_printf(buf, " event %u", event);
	put_id(&s.id, buf);
	buf_printf(buf, " ip %" PRIx64 " addr %" PRIx64 " period %" PRIu64, s.ip, s.addr, s.period);
	put_numbers("read", s.read.data, s.read.size / 8, buf);
	put_numbers("chain", s.callchain, s.nr_callchain, buf);
	put_bytes("raw", s.raw_data.data, s.raw_data.size, buf);
	put_numbers("branches", s.branches, 3 * s.nr_branches, buf);
	put_numbers("counters", s.branch_counters, s.branch_counters ? s.nr_branches : 0, buf);
	put_numbers("user", s.regs_user.values, (uint64_t)__builtin_popcountll(s.regs_user.mask), buf);
	put_numbers("intr", s.regs_intr.values, (uint64_t)__builtin_popcountll(s.regs_intr.mask), buf);
	put_bytes("stack", s.stack_user.data, s.stack_user.size, buf);
	put_bytes("aux", s.aux.data, s.aux.size, buf);
	buf_printf(buf,
		   " weight %" PRIx64 " src %" PRIx64 " trans %" PRIx64 " phys %" PRIx64 " cgroup %" PRIu64
		   " pages %" PRIu64 " %" PRIu64,
		   s.weight, s.data_src, s.transaction, s.phys_addr, s.cgroup, s.data_page_size,
		   s.code_page_size);
}

static void put_other(const struct event_table *events, const struct record_header *raw, struct buf *buf)
{
	struct record r;
	int ret = record_decode(raw, event_table_trailer_type(events, raw), 0, &r);

	if (ret < 0) {
		buf_str(buf, " damaged");
		return;
	}
	put_id(&r.id, buf);
	switch (r.type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		buf_printf(buf,
			   " %d/%d %" PRIx64 "+%" PRIx64 "@%" PRIx64 " prot %u flags %u %u:%u %" PRIu64
			   " %" PRIu64 " %s",
			   r.mmap.pid, r.mmap.tid, r.mmap.addr, r.mmap.length, r.mmap.pgoff, r.mmap.prot,
			   r.mmap.flags, r.mmap.major, r.mmap.minor, r.mmap.inode, r.mmap.inode_generation,
			   r.mmap.path);
		put_bytes("build-id", r.mmap.build_id, r.mmap.build_id_size, buf);
		break;
	case RECORD_COMM:
		buf_printf(buf, " %d/%d %s exec %d", r.comm.pid, r.comm.tid, r.comm.comm, r.comm.is_exec);
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		buf_printf(buf, " %d/%d from %d/%d at %" PRIu64, r.task.pid, r.task.tid, r.task.parent_pid,
			   r.task.parent_tid, r.task.time);
		break;
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
		buf_printf(buf, " lost %" PRIu64 " of %" PRIu64, r.lost.lost, r.lost.id);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		buf_printf(buf, " at %" PRIu64 " id %" PRIu64 " stream %" PRIu64, r.throttle.time,
			   r.throttle.id, r.throttle.stream_id);
		break;
	case RECORD_READ:
		buf_printf(buf, " %d/%d", r.read.pid, r.read.tid);
		put_numbers("values", r.read.values.data, r.read.values.size / 8, buf);
		break;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		buf_printf(buf, " out %d preempt %d other %d/%d", r.sw.is_out, r.sw.is_preempt,
			   r.sw.next_prev_pid, r.sw.next_prev_tid);
		break;
	case RECORD_NAMESPACES:
		buf_printf(buf, " %d/%d", r.namespaces.pid, r.namespaces.tid);
		put_numbers("links", r.namespaces.links, 2 * r.namespaces.nr, buf);
		break;
	case RECORD_KSYMBOL:
		buf_printf(buf, " %" PRIx64 "+%u kind %u gone %d %s", r.ksymbol.addr, r.ksymbol.length,
			   r.ksymbol.kind, r.ksymbol.is_unregister, r.ksymbol.name);
		break;
	case RECORD_BPF_EVENT:
		buf_printf(buf, " kind %u flags %u id %u", r.bpf.kind, r.bpf.flags, r.bpf.id);
		put_bytes("tag", r.bpf.tag, sizeof(r.bpf.tag), buf);
		break;
	case RECORD_CGROUP:
		buf_printf(buf, " %" PRIu64 " %s", r.cgroup.id, r.cgroup.path);
		break;
	case RECORD_TEXT_POKE:
		buf_printf(buf, " %" PRIx64 " old %u new %u", r.text_poke.addr, r.text_poke.old_length,
			   r.text_poke.new_length);
		put_bytes("bytes", r.text_poke.bytes, (size_t)r.text_poke.old_length + r.text_poke.new_length,
			  buf);
		break;
	case RECORD_AUX:
		buf_printf(buf, " %" PRIx64 " %" PRIx64 " %" PRIx64, r.aux.offset, r.aux.size, r.aux.flags);
		break;
	case RECORD_HEADER_BUILD_ID:
		buf_printf(buf, " %d %s", r.build_id.pid, r.build_id.path);
		put_bytes("id", r.build_id.build_id, r.build_id.build_id_size, buf);
		break;
	default:
		buf_printf(buf, " %zu bytes", r.body.size);
		break;
	}
}

void recipe_records(struct perfdata_reader *reader, struct buf *ret)
{
	const struct event_table *events = perfdata_reader_events(reader);
	struct record_source *source = perfdata_reader_source(reader);
	struct record_block block;

	while (record_source_next(source, &block, NULL) > 0) {
		for (const struct record_header *raw = record_first(&block); raw;
		     raw = record_next(&block, raw)) {
			if (raw->type == RECORD_HEADER_ATTR || raw->type == RECORD_HEADER_FEATURE ||
			    raw->type == RECORD_HEADER_TRACING_DATA)
				continue; /* pipes have them, files do not */
			buf_printf(ret, "%u misc %x size %u", raw->type, raw->misc, raw->size);
			if (raw->type == RECORD_SAMPLE)
				put_sample(events, raw, ret);
			else
				put_other(events, raw, ret);
			buf_putc(ret, '\n');
		}
		record_source_done(source, &block);
	}
}
