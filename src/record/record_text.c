/* SPDX-License-Identifier: Apache-2.0 */
#include "record/record_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"

#define PROT_READ_BIT 1
#define PROT_WRITE_BIT 2
#define PROT_EXEC_BIT 4
#define MAP_SHARED_BIT 1

/* As printf's %#llx: without 0x when it is 0. */
static void put_hash_hex(struct buf *buf, uint64_t value)
{
	if (value)
		buf_put(buf, "0x", 2);
	buf_hex(buf, value);
}

static void print_mmap(const struct record *record, struct buf *buf)
{
	const struct record_mmap *mmap = &record->mmap;

	buf_printf(buf, " %" PRId32 "/%" PRId32 ": [", mmap->pid, mmap->tid);
	put_hash_hex(buf, mmap->addr);
	buf_putc(buf, '(');
	put_hash_hex(buf, mmap->length);
	buf_str(buf, ") @ ");
	put_hash_hex(buf, mmap->pgoff);
	if (record->type == RECORD_MMAP) {
		buf_printf(buf, "]: %c %s", record->misc & RECORD_MISC_MMAP_DATA ? 'r' : 'x', mmap->path);
		return;
	}
	if (mmap->build_id_size) {
		buf_str(buf, " <");
		for (unsigned i = 0; i < mmap->build_id_size; i++)
			buf_printf(buf, "%02x", mmap->build_id[i]);
		buf_putc(buf, '>');
	} else {
		buf_printf(buf, " %02x:%02x %" PRIu64 " %" PRIu64, mmap->major, mmap->minor, mmap->inode,
			   mmap->inode_generation);
	}
	buf_printf(buf, "]: %c%c%c%c %s", mmap->prot & PROT_READ_BIT ? 'r' : '-',
		   mmap->prot & PROT_WRITE_BIT ? 'w' : '-', mmap->prot & PROT_EXEC_BIT ? 'x' : '-',
		   mmap->flags & MAP_SHARED_BIT ? 's' : 'p', mmap->path);
}

static void print_task(const struct record *record, struct buf *buf)
{
	buf_printf(buf, "(%" PRId32 ":%" PRId32 "):(%" PRId32 ":%" PRId32 ")", record->task.pid,
		   record->task.tid, record->task.parent_pid, record->task.parent_tid);
}

static void print_namespaces(const struct record *record, struct buf *buf)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	const struct record_namespaces *namespaces = &record->namespaces;

	buf_printf(buf, " %" PRId32 "/%" PRId32 " - nr_namespaces: %" PRIu64 "\n\t\t[", namespaces->pid,
		   namespaces->tid, namespaces->nr);
	for (uint64_t i = 0; i < namespaces->nr; i++) {
		uint64_t link[2];

		memcpy(link, namespaces->links + i * sizeof(link), sizeof(link));
		if (i && !(i % 4))
			buf_str(buf, "\n\t\t ");
		buf_printf(buf, "%" PRIu64 "/%s: %" PRIu64 "/%#" PRIx64 "%s", i,
			   i < NR_ITEMS(names) ? names[i] : "unknown", link[0], link[1],
			   i + 1 == namespaces->nr ? "]" : ", ");
	}
	if (!namespaces->nr)
		buf_putc(buf, ']');
}

static void print_switch(const struct record *record, struct buf *buf)
{
	const struct record_switch *sw = &record->sw;
	const char *how = !sw->is_out ? "IN         " : sw->is_preempt ? "OUT preempt" : "OUT        ";

	buf_printf(buf, " %s", how);
	if (record->type == RECORD_SWITCH_CPU_WIDE)
		buf_printf(buf, "  %s pid/tid: %5" PRId32 "/%-5" PRId32, sw->is_out ? "next" : "prev",
			   sw->next_prev_pid, sw->next_prev_tid);
}

static void print_text_poke(const struct record *record, struct buf *buf)
{
	const struct record_text_poke *poke = &record->text_poke;

	buf_printf(buf, " %" PRIx64 "  old len %" PRIu16 " new len %" PRIu16, poke->addr, poke->old_length,
		   poke->new_length);
	for (unsigned part = 0; part < 2; part++) {
		buf_str(buf, part ? "\n            New bytes:" : "\n            Old bytes:");
		for (unsigned i = 0; i < (part ? poke->new_length : poke->old_length); i++)
			buf_printf(buf, " %02x", poke->bytes[i + (part ? poke->old_length : 0)]);
	}
}

static void print_body(const struct record *record, struct buf *buf)
{
	switch (record->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		print_mmap(record, buf);
		return;
	case RECORD_COMM:
		buf_printf(buf, "%s: %s:%" PRId32 "/%" PRId32, record->comm.is_exec ? " exec" : "",
			   record->comm.comm, record->comm.pid, record->comm.tid);
		return;
	case RECORD_FORK:
	case RECORD_EXIT:
		print_task(record, buf);
		return;
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
		buf_printf(buf, " lost %" PRIu64, record->lost.lost);
		return;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		print_switch(record, buf);
		return;
	case RECORD_NAMESPACES:
		print_namespaces(record, buf);
		return;
	case RECORD_CGROUP:
		buf_printf(buf, " cgroup: %" PRIu64 " %s", record->cgroup.id, record->cgroup.path);
		return;
	case RECORD_KSYMBOL:
		buf_printf(buf, " addr %" PRIx64 " len %" PRIu32 " type %" PRIu16 " flags 0x%x name %s",
			   record->ksymbol.addr, record->ksymbol.length, record->ksymbol.kind,
			   record->ksymbol.is_unregister, record->ksymbol.name);
		return;
	case RECORD_BPF_EVENT:
		buf_printf(buf, " type %" PRIu16 ", flags %" PRIu16 ", id %" PRIu32, record->bpf.kind,
			   record->bpf.flags, record->bpf.id);
		return;
	case RECORD_TEXT_POKE:
		print_text_poke(record, buf);
		return;
	default:
		return;
	}
}

void record_text_print(const struct record *record, struct buf *buf)
{
	const char *name = record_type_name(record->type);

	buf_str(buf, "PERF_RECORD_");
	if (name)
		buf_str(buf, name);
	else
		buf_printf(buf, "%" PRIu32, record->type);
	print_body(record, buf);
}

char record_text_mode(uint16_t misc)
{
	static const char letters[8] = { 0, 'K', 'U', 'H', 'G', 'g' };

	return letters[misc & RECORD_CPUMODE_MASK];
}

void record_text_misc(uint32_t type, uint16_t misc, char letters[8])
{
	char mode = record_text_mode(misc);
	unsigned nr = 0;

	if (mode)
		letters[nr++] = mode;
	switch (type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		if (misc & RECORD_MISC_MMAP_DATA)
			letters[nr++] = 'M';
		break;
	case RECORD_COMM:
		if (misc & RECORD_MISC_COMM_EXEC)
			letters[nr++] = 'E';
		break;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		if (misc & RECORD_MISC_SWITCH_OUT) {
			letters[nr++] = 'S';
			if (misc & RECORD_MISC_SWITCH_OUT_PREEMPT)
				letters[nr++] = 'p';
		}
		break;
	default:
		break;
	}
	letters[nr] = 0;
}
