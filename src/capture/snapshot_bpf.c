/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BPF programs that are loaded: KSYMBOL and BPF_EVENT records like those that the kernel writes when one comes.
 *
 * Asked from the kernel with bpf(2) itself; layouts are those of include/uapi/linux/bpf.h and, for the names of
 * subprograms, of BTF (Documentation/bpf/btf.rst).
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cursor.h"
#include "capture/snapshot.h"
#include "record/record.h"

#define KSYMBOL_BPF 1
#define BPF_EVENT_LOAD 1
#define SUBPROGRAMS_MAX 1024
#define BTF_SIZE_MAX (16u << 20)

static int bpf(int command, union bpf_attr *attr, unsigned size)
{
	long code = syscall(SYS_bpf, command, attr, size);

	return code < 0 ? -errno : (int)code;
}

static int next_id(uint32_t *id)
{
	union bpf_attr attr = { .start_id = *id };
	int code = bpf(BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr));

	*id = attr.next_id;
	return code;
}

static int open_program(uint32_t id)
{
	union bpf_attr attr = { .prog_id = id };

	return bpf(BPF_PROG_GET_FD_BY_ID, &attr, sizeof(attr));
}

static int read_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr = { 0 };

	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = size;
	attr.info.info = (uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
}

/* ---- names of subprograms ---- */

struct btf {
	uint8_t *data;
	uint32_t size;
};

static struct btf read_btf(uint32_t id)
{
	union bpf_attr attr = { .btf_id = id };
	struct bpf_btf_info info = { 0 };
	struct btf btf = { NULL, 0 };
	int fd = id ? bpf(BPF_BTF_GET_FD_BY_ID, &attr, sizeof(attr)) : -1;

	if (fd < 0)
		return btf;
	if (read_info(fd, &info, sizeof(info)) >= 0 && info.btf_size && info.btf_size <= BTF_SIZE_MAX) {
		btf.size = info.btf_size;
		btf.data = xmalloc(btf.size);
		info = (struct bpf_btf_info){ .btf = (uintptr_t)btf.data, .btf_size = btf.size };
		if (read_info(fd, &info, sizeof(info)) < 0) {
			free(btf.data);
			btf.data = NULL;
		}
	}
	close(fd);
	return btf;
}

/* Bytes behind a type's common 12, by its kind (struct btf_type's info). */
static size_t btf_tail(uint32_t info)
{
	uint32_t kind = info >> 24 & 0x1f, nr = info & 0xffff;

	switch (kind) {
	case 1: /* INT */
	case 14: /* VAR */
	case 17: /* DECL_TAG */
		return 4;
	case 3: /* ARRAY */
		return 12;
	case 4: /* STRUCT */
	case 5: /* UNION */
	case 15: /* DATASEC */
	case 19: /* ENUM64 */
		return (size_t)nr * 12;
	case 6: /* ENUM */
	case 13: /* FUNC_PROTO */
		return (size_t)nr * 8;
	default:
		return 0;
	}
}

/* The name of type `wanted`; NULL: none. */
static const char *btf_name(const struct btf *btf, uint32_t wanted)
{
	struct cursor head = cursor_of(btf->data, btf->size, false), types, strings;
	uint32_t head_size, type_offset, type_size, string_offset, string_size;

	cursor_skip(&head, 4); /* magic, version, flags */
	head_size = cursor_u32(&head);
	type_offset = cursor_u32(&head);
	type_size = cursor_u32(&head);
	string_offset = cursor_u32(&head);
	string_size = cursor_u32(&head);
	if (head.failed || (uint64_t)head_size + type_offset + type_size > btf->size ||
	    (uint64_t)head_size + string_offset + string_size > btf->size)
		return NULL;
	types = cursor_of(btf->data + head_size + type_offset, type_size, false);
	for (uint32_t id = 1; cursor_left(&types) >= 12; id++) {
		uint32_t name = cursor_u32(&types), info = cursor_u32(&types);

		cursor_skip(&types, 4 + btf_tail(info));
		if (types.failed)
			return NULL;
		if (id < wanted)
			continue;
		strings = cursor_of(btf->data + head_size + string_offset, string_size, false);
		cursor_skip(&strings, name);
		return cursor_string(&strings);
	}
	return NULL;
}

/* ---- programs ---- */

static void put_symbol(struct snapshot *snapshot, uint64_t addr, uint32_t length, const char *name)
{
	snapshot_record_begin(snapshot, RECORD_KSYMBOL, 0);
	snapshot_put_u64(snapshot, addr);
	snapshot_put_u32(snapshot, length);
	snapshot_put_u16(snapshot, KSYMBOL_BPF);
	snapshot_put_u16(snapshot, 0);
	snapshot_put_string(snapshot, name);
	snapshot_record_end(snapshot);
}

static void put_event(struct snapshot *snapshot, const struct bpf_prog_info *info)
{
	snapshot_record_begin(snapshot, RECORD_BPF_EVENT, 0);
	snapshot_put_u16(snapshot, BPF_EVENT_LOAD);
	snapshot_put_u16(snapshot, 0);
	snapshot_put_u32(snapshot, info->id);
	buf_put(&snapshot->buf, info->tag, sizeof(info->tag));
	snapshot_record_end(snapshot);
}

struct program {
	struct bpf_prog_info info;
	uint32_t nr;
	uint64_t addrs[SUBPROGRAMS_MAX];
	uint32_t lengths[SUBPROGRAMS_MAX];
	struct bpf_func_info functions[SUBPROGRAMS_MAX];
	uint8_t tags[SUBPROGRAMS_MAX][BPF_TAG_SIZE];
};

/* The kernel tells counts first; the second call fills the arrays. */
static bool read_program(int fd, struct program *program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t nr;

	if (read_info(fd, &info, sizeof(info)) < 0 || !info.nr_jited_ksyms)
		return false; /* interpreted, or not to be seen */
	nr = info.nr_jited_ksyms;
	if (nr > SUBPROGRAMS_MAX || info.nr_jited_func_lens != nr)
		return false;
	program->info = (struct bpf_prog_info){ .nr_jited_ksyms = nr,
						.nr_jited_func_lens = nr,
						.jited_ksyms = (uintptr_t)program->addrs,
						.jited_func_lens = (uintptr_t)program->lengths };
	if (info.nr_func_info == nr && info.func_info_rec_size <= sizeof(program->functions[0])) {
		program->info.nr_func_info = nr;
		program->info.func_info_rec_size = sizeof(program->functions[0]);
		program->info.func_info = (uintptr_t)program->functions;
	}
	if (info.nr_prog_tags == nr) {
		program->info.nr_prog_tags = nr;
		program->info.prog_tags = (uintptr_t)program->tags;
	}
	program->nr = nr;
	return read_info(fd, &program->info, sizeof(program->info)) >= 0;
}

static void put_program(struct snapshot *snapshot, const struct program *program)
{
	struct btf btf = program->nr > 1 && program->info.nr_func_info ? read_btf(program->info.btf_id)
								       : (struct btf){ NULL, 0 };

	for (uint32_t i = 0; i < program->nr; i++) {
		const uint8_t *tag = program->info.nr_prog_tags ? program->tags[i] : program->info.tag;
		const char *own = btf.data ? btf_name(&btf, program->functions[i].type_id) : NULL;
		char name[512];
		int at;

		if (!program->addrs[i])
			continue; /* hidden by kptr_restrict */
		at = snprintf(name, sizeof(name), "bpf_prog_");
		for (unsigned j = 0; j < BPF_TAG_SIZE; j++)
			at += snprintf(name + at, sizeof(name) - (size_t)at, "%02x", tag[j]);
		if (!own)
			own = i ? "F" : program->info.name;
		if (*own)
			snprintf(name + at, sizeof(name) - (size_t)at, "_%s", own);
		put_symbol(snapshot, program->addrs[i], program->lengths[i], name);
	}
	free(btf.data);
	put_event(snapshot, &program->info);
}

void snapshot_bpf(struct snapshot *snapshot)
{
	struct program *program = NULL;
	uint32_t id = 0;

	if (!snapshot->bpf)
		return;
	while (!next_id(&id) && !snapshot->error) {
		int fd = open_program(id);

		if (fd < 0)
			continue;
		if (!program)
			program = xmalloc(sizeof(*program));
		if (read_program(fd, program))
			put_program(snapshot, program);
		close(fd);
	}
	free(program);
}
