/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side of the snapshot: its text, its modules, its BPF programs.
 *
 * /proc/kallsyms has some 200,000 lines that the kernel formats one by one, 10 to 50 ms for all of them. Only
 * one address is wanted, and _text stands near the beginning; the size of the text is in /proc/iomem.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/snapshot_records.h"
#include "record/record.h"

/* ---- text ---- */

struct kernel_text {
	uint64_t start, end;
	const char *name; /* the symbol that start is the address of */
};

/* One line "address type name"; true when all that is wanted has been found. */
static bool look_at_symbol(struct kernel_text *text, const char *line, bool want_end)
{
	const char *name = strchr(line, ' ');
	uint64_t address = strtoull(line, NULL, 16);

	if (!name || !name[1] || name[2] != ' ')
		return false;
	name += 3;
	if (!strcmp(name, "_text") || (!text->name && !strcmp(name, "_stext"))) {
		text->start = address;
		text->name = !strcmp(name, "_text") ? "_text" : "_stext";
	} else if (!strcmp(name, "_etext")) {
		text->end = address;
	}
	return text->name && !strcmp(text->name, "_text") && (!want_end || text->end);
}

/* Reads kallsyms only as far as needed. */
static int read_kallsyms(struct kernel_text *text, bool want_end)
{
	char block[16384 + 1];
	size_t held = 0;
	bool done = false;
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (!done) {
		ssize_t got = read(fd, block + held, sizeof(block) - 1 - held);
		char *line = block, *newline;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		held += (size_t)got;
		block[held] = '\0';
		while (!done && (newline = strchr(line, '\n'))) {
			*newline = '\0';
			done = look_at_symbol(text, line, want_end);
			line = newline + 1;
		}
		held -= (size_t)(line - block);
		memmove(block, line, held);
		if (held == sizeof(block) - 1)
			held = 0; /* no line is that long */
	}
	close(fd);
	return 0;
}

/* The size of "Kernel code" in /proc/iomem: what lies between _text and _etext. 0: not shown to this user. */
static uint64_t text_size(void)
{
	struct buf buf = BUF_INIT;
	const char *pos;
	uint64_t size = 0, first, last;

	if (file_read_path("/proc/iomem", &buf, 1u << 20) == 0) {
		pos = strstr(buf_text(&buf), " : Kernel code");
		while (pos && pos > buf.data && pos[-1] != '\n')
			pos--;
		if (pos && sscanf(pos, " %" SCNx64 "-%" SCNx64, &first, &last) == 2 && last > first)
			size = last - first + 1;
	}
	buf_release(&buf);
	return size;
}

static int put_text(struct snapshot *snapshot, const struct kernel_text *text, struct err *err)
{
	struct {
		int32_t pid, tid;
		uint64_t addr, length, pgoff;
		uint8_t build_id_size, zero[3];
		uint8_t build_id[20];
		uint32_t prot, flags;
	} fixed = { .pid = -1, .addr = text->start, .length = text->end - text->start, .pgoff = text->start };
	char name[64];

	_Static_assert(sizeof(fixed) == 64, "MMAP2 without header and path");
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", text->name);
	if (!snapshot->options.kernel_mmap2)
		return snapshot_put(snapshot, RECORD_MMAP, RECORD_CPUMODE_KERNEL, &fixed, 32, name, err);
	if (snapshot->options.read_build_id)
		fixed.build_id_size = snapshot->options.read_build_id(snapshot->options.context, "/sys/kernel/notes",
								      fixed.build_id);
	return snapshot_put(snapshot, RECORD_MMAP2,
			    RECORD_CPUMODE_KERNEL | (fixed.build_id_size ? RECORD_MISC_MMAP_BUILD_ID : 0), &fixed,
			    sizeof(fixed), name, err);
}

/* ---- modules ---- */

/* "ext4" -> "/lib/modules/RELEASE/kernel/fs/ext4/ext4.ko", out of modules.dep; "[ext4]" when it is not there. */
static void module_path(const char *dep, const char *release, const char *module, char *path, size_t size)
{
	size_t length = strlen(module);

	snprintf(path, size, "[%s]", module);
	for (const char *line = dep; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		size_t end = strcspn(line, ":\n");
		const char *base = line + end;
		size_t i;

		while (base > line && base[-1] != '/')
			base--;
		/* File names may have dashes where the kernel has underscores. */
		for (i = 0; i < length && (base[i] == '-' ? '_' : base[i]) == module[i]; i++)
			;
		if (i < length || strncmp(base + length, ".ko", 3))
			continue;
		snprintf(path, size, "/lib/modules/%s/%.*s", release, (int)end, line);
		return;
	}
}

static int put_modules(struct snapshot *snapshot, struct err *err)
{
	struct buf modules = BUF_INIT, dep = BUF_INIT;
	struct utsname name;
	char dep_path[sizeof(name.release) + 64], *line, *rest = NULL;
	int ret = 0;

	if (file_read_path("/proc/modules", &modules, 16u << 20) < 0) {
		buf_release(&modules);
		return 0; /* a kernel without modules */
	}
	uname(&name);
	snprintf(dep_path, sizeof(dep_path), "/lib/modules/%s/modules.dep", name.release);
	file_read_path(dep_path, &dep, 64u << 20);
	/* name size references users state address */
	for (line = strtok_r(buf_text(&modules), "\n", &rest); line && ret == 0; line = strtok_r(NULL, "\n", &rest)) {
		struct {
			int32_t pid, tid;
			uint64_t addr, length, pgoff;
		} fixed = { .pid = -1 };
		char module[256], path[1024];

		if (sscanf(line, "%255s %" SCNu64 " %*s %*s %*s %" SCNx64, module, &fixed.length, &fixed.addr) != 3 ||
		    !fixed.addr)
			continue;
		module_path(buf_text(&dep), name.release, module, path, sizeof(path));
		ret = snapshot_put(snapshot, RECORD_MMAP, RECORD_CPUMODE_KERNEL, &fixed, sizeof(fixed), path, err);
	}
	buf_release(&modules);
	buf_release(&dep);
	return ret;
}

int snapshot_kernel(struct snapshot *snapshot, struct err *err)
{
	struct kernel_text text = { 0 };
	uint64_t size = text_size();
	int ret = read_kallsyms(&text, !size);

	if (ret < 0)
		return err_errno(err, ret, "/proc/kallsyms");
	if (!text.start) {
		err_set(err, -EPERM, "kernel addresses are hidden (kernel.kptr_restrict): kernel functions will have no names");
		err_hint(err, "sudo sysctl kernel.kptr_restrict=0");
		return -EPERM;
	}
	if (size)
		text.end = text.start + size;
	if (text.end <= text.start)
		text.end = text.start + (32u << 20); /* no end was told: a generous text */
	ret = put_text(snapshot, &text, err);
	return ret < 0 ? ret : put_modules(snapshot, err);
}

/* ---- BPF programs ---- */

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int bpf_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr = { 0 };

	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = size;
	attr.info.info = (uint64_t)(uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

struct btf {
	uint8_t *data;
	uint32_t size;
};

static struct btf read_btf(uint32_t id)
{
	struct btf_info {
		uint64_t btf;
		uint32_t btf_size, id;
	} info = { 0 };
	union bpf_attr attr = { .btf_id = id };
	struct btf btf = { 0 };
	int fd = id ? bpf(BPF_BTF_GET_FD_BY_ID, &attr) : -1;

	if (fd < 0)
		return btf;
	if (!bpf_info(fd, &info, sizeof(info)) && info.btf_size && info.btf_size < 64u << 20) {
		btf.size = info.btf_size;
		btf.data = xmalloc(btf.size);
		info = (struct btf_info){ .btf = (uint64_t)(uintptr_t)btf.data, .btf_size = btf.size };
		if (bpf_info(fd, &info, sizeof(info))) {
			free(btf.data);
			btf = (struct btf){ 0 };
		}
	}
	close(fd);
	return btf;
}

/* Bytes that follow the common part of a type (include/uapi/linux/btf.h). */
static uint32_t btf_type_extra(const struct btf_type *type)
{
	uint32_t nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case 17: /* BTF_KIND_DECL_TAG */
		return 4;
	case BTF_KIND_ARRAY:
		return 12;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case 19: /* BTF_KIND_ENUM64 */
		return nr * 12;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return nr * 8;
	default:
		return 0;
	}
}

/* The name of type `id`; NULL when the BTF is not in order. */
static const char *btf_type_name(const struct btf *btf, uint32_t id)
{
	struct btf_header header;
	uint64_t at, types_end, strings, strings_end;
	struct btf_type type = { 0 };

	if (btf->size < sizeof(header))
		return NULL;
	memcpy(&header, btf->data, sizeof(header));
	at = (uint64_t)header.hdr_len + header.type_off;
	types_end = at + header.type_len;
	strings = (uint64_t)header.hdr_len + header.str_off;
	strings_end = strings + header.str_len;
	if (types_end > btf->size || strings_end > btf->size || !header.str_len || btf->data[strings_end - 1])
		return NULL;
	for (uint32_t i = 1; i <= id; i++) {
		if (at + sizeof(type) > types_end)
			return NULL;
		memcpy(&type, btf->data + at, sizeof(type));
		at += sizeof(type) + btf_type_extra(&type);
	}
	return type.name_off < header.str_len ? (const char *)btf->data + strings + type.name_off : NULL;
}

struct program {
	struct bpf_prog_info info;
	uint64_t *addresses;
	uint32_t *lengths;
	uint8_t (*tags)[BPF_TAG_SIZE];
	struct bpf_func_info *functions;
};

static void program_release(struct program *program)
{
	free(program->addresses);
	free(program->lengths);
	free(program->tags);
	free(program->functions);
}

/* Asks twice: how much there is, then for all of it. */
static bool program_read(int fd, struct program *program)
{
	struct bpf_prog_info *info = &program->info;
	uint32_t nr, nr_functions, record_size;

	*program = (struct program){ 0 };
	if (bpf_info(fd, info, sizeof(*info)))
		return false;
	nr = info->nr_jited_ksyms;
	nr_functions = info->nr_func_info;
	record_size = info->func_info_rec_size;
	if (!nr || nr > 100000 || nr != info->nr_jited_func_lens)
		return false; /* interpreted, or hidden from this user */
	if (nr_functions > nr || record_size != sizeof(*program->functions))
		nr_functions = 0;
	program->addresses = xcalloc(nr, sizeof(*program->addresses));
	program->lengths = xcalloc(nr, sizeof(*program->lengths));
	program->tags = xcalloc(nr, sizeof(*program->tags));
	program->functions = xcalloc(nr_functions + 1, sizeof(*program->functions));
	*info = (struct bpf_prog_info){ 0 };
	info->nr_jited_ksyms = info->nr_jited_func_lens = info->nr_prog_tags = nr;
	info->jited_ksyms = (uint64_t)(uintptr_t)program->addresses;
	info->jited_func_lens = (uint64_t)(uintptr_t)program->lengths;
	info->prog_tags = (uint64_t)(uintptr_t)program->tags;
	if (nr_functions) {
		info->nr_func_info = nr_functions;
		info->func_info_rec_size = record_size;
		info->func_info = (uint64_t)(uintptr_t)program->functions;
	}
	if (bpf_info(fd, info, sizeof(*info)) || info->nr_jited_ksyms != nr || info->nr_jited_func_lens != nr ||
	    !program->addresses[0])
		return false;
	info->nr_func_info = nr_functions;
	return true;
}

/* The name that the kernel gives a program's function in kallsyms: bpf_prog_TAG_NAME. */
static void function_name(const struct program *program, const struct btf *btf, uint32_t i, char *name, size_t size)
{
	const uint8_t *tag = i < program->info.nr_prog_tags ? program->tags[i] : program->info.tag;
	const char *own = NULL;
	int used = snprintf(name, size, "bpf_prog_");

	for (unsigned k = 0; k < BPF_TAG_SIZE; k++)
		used += snprintf(name + used, size - (size_t)used, "%02x", tag[k]);
	if (i < program->info.nr_func_info)
		own = btf_type_name(btf, program->functions[i].type_id);
	else if (!i)
		own = program->info.name;
	if (own && *own)
		snprintf(name + used, size - (size_t)used, "_%s", own);
}

static int put_program(struct snapshot *snapshot, const struct program *program, struct err *err)
{
	struct btf btf = read_btf(program->info.btf_id);
	struct {
		uint16_t type, flags;
		uint32_t id;
		uint8_t tag[BPF_TAG_SIZE];
	} event = { .type = 1 /* PERF_BPF_EVENT_PROG_LOAD */, .id = program->info.id };
	int ret = 0;

	for (uint32_t i = 0; i < program->info.nr_jited_ksyms && ret == 0; i++) {
		struct {
			uint64_t addr;
			uint32_t length;
			uint16_t kind, flags;
		} fixed = { program->addresses[i], program->lengths[i], 1 /* PERF_RECORD_KSYMBOL_TYPE_BPF */, 0 };
		char name[512];

		function_name(program, &btf, i, name, sizeof(name));
		ret = snapshot_put(snapshot, RECORD_KSYMBOL, 0, &fixed, sizeof(fixed), name, err);
	}
	memcpy(event.tag, program->info.tag, sizeof(event.tag));
	if (ret == 0)
		ret = snapshot_put(snapshot, RECORD_BPF_EVENT, 0, &event, sizeof(event), NULL, err);
	free(btf.data);
	return ret;
}

int snapshot_bpf(struct snapshot *snapshot, struct err *err)
{
	uint32_t id = 0;
	int ret = 0;

	while (ret == 0) {
		union bpf_attr attr = { .start_id = id };
		struct program program;
		int fd;

		if (bpf(BPF_PROG_GET_NEXT_ID, &attr))
			return 0; /* the last one, or not for this user */
		id = attr.next_id;
		attr = (union bpf_attr){ .prog_id = id };
		fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue; /* unloaded meanwhile */
		if (program_read(fd, &program))
			ret = put_program(snapshot, &program, err);
		program_release(&program);
		close(fd);
	}
	return ret;
}
