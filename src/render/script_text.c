/* SPDX-License-Identifier: Apache-2.0 */
#include "render/script_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/array.h"

#define NSEC 1000000000ull
#define HAS(style, field) ((style)->fields & SCRIPT_BIT(field))

static void put_i32_right(struct buf *buf, int32_t value, unsigned width)
{
	if (value >= 0)
		buf_u64_right(buf, (uint64_t)value, width);
	else
		buf_printf(buf, "%*" PRId32, (int)width, value);
}

void script_text_task(struct buf *buf, const struct script_style *style, const char *comm, int32_t pid,
		      int32_t tid)
{
	size_t start;

	if (HAS(style, COMM)) {
		if (style->is_latency) {
			buf_printf(buf, "%8.8s ", comm);
		} else if (style->has_chains && HAS(style, IP)) {
			buf_str(buf, comm);
			buf_putc(buf, ' ');
		} else {
			buf_str_right(buf, comm, 16);
			buf_putc(buf, ' ');
		}
	}
	if (HAS(style, PID) && HAS(style, TID)) {
		put_i32_right(buf, pid, 7);
		buf_putc(buf, '/');
		start = buf->size;
		buf_i64(buf, tid);
		if (buf->size - start < 7)
			buf_fill(buf, ' ', 7 - (buf->size - start));
		buf_putc(buf, ' ');
	} else if (HAS(style, PID) || HAS(style, TID)) {
		put_i32_right(buf, HAS(style, PID) ? pid : tid, 7);
		buf_putc(buf, ' ');
	}
}

void script_text_cpu(struct buf *buf, const struct script_style *style, int32_t cpu)
{
	if (style->is_latency) {
		put_i32_right(buf, cpu, 3);
		buf_putc(buf, ' ');
		return;
	}
	buf_putc(buf, '[');
	if (cpu >= 0)
		buf_u64_zero(buf, (uint64_t)cpu, 3);
	else
		buf_printf(buf, "%03" PRId32, cpu);
	buf_put(buf, "] ", 2);
}

void script_text_misc(struct buf *buf, const char *letters)
{
	buf_str_left(buf, letters, 5);
	buf_putc(buf, ' ');
}

void script_text_tod(struct buf *buf, const struct script_style *style, uint64_t tod)
{
	time_t seconds = (time_t)(tod / NSEC);
	struct tm tm;
	char text[40];

	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	buf_str(buf, text);
	buf_putc(buf, '.');
	if (style->is_ns)
		buf_u64_zero(buf, tod % NSEC, 9);
	else
		buf_u64_zero(buf, tod % NSEC / 1000, 6);
	buf_putc(buf, ' ');
}

void script_text_time(struct buf *buf, const struct script_style *style, uint64_t time)
{
	uint64_t seconds = time / NSEC, rest = time % NSEC;

	buf_u64_right(buf, seconds, 5);
	buf_putc(buf, '.');
	if (style->is_ns)
		buf_u64_zero(buf, rest, 9);
	else
		buf_u64_zero(buf, rest / 1000, 6);
	buf_put(buf, ": ", 2);
}

void script_text_event(struct buf *buf, const char *name, unsigned width)
{
	buf_str_right(buf, name, width);
	buf_put(buf, ": ", 2);
}

static void put_name(struct buf *buf, const struct script_style *style, const struct script_place *place)
{
	buf_putc(buf, ' ');
	if (!place->name) {
		buf_str(buf, "[unknown]");
		return;
	}
	buf_str(buf, place->name);
	if (HAS(style, SYMOFF)) {
		buf_put(buf, "+0x", 3);
		buf_hex(buf, place->name_offset);
	}
}

static void put_dso(struct buf *buf, const struct script_style *style, const struct script_place *place)
{
	buf_put(buf, " (", 2);
	buf_str(buf, place->dso ? place->dso : "[unknown]");
	if (HAS(style, DSOFF) && place->has_dso_offset) {
		buf_put(buf, "+0x", 3);
		buf_hex(buf, place->dso_offset);
	}
	buf_putc(buf, ')');
}

void script_text_addr(struct buf *buf, const struct script_style *style, const struct script_place *place,
		      bool is_symbolic)
{
	buf_hex_right(buf, place->addr, 16);
	if (!is_symbolic)
		return;
	if (HAS(style, SYM))
		put_name(buf, style, place);
	if (HAS(style, DSO) || HAS(style, DSOFF))
		put_dso(buf, style, place);
}

void script_text_place(struct buf *buf, const struct script_style *style, const struct script_place *place)
{
	buf_hex_right(buf, place->addr, 16);
	if (HAS(style, SYM))
		put_name(buf, style, place);
	if (HAS(style, DSO) || HAS(style, DSOFF))
		put_dso(buf, style, place);
}

void script_text_frame(struct buf *buf, const struct script_style *style, const struct script_place *place,
		       const char *srcline)
{
	buf_putc(buf, '\t');
	script_text_place(buf, style, place);
	if (srcline) {
		buf_put(buf, "\n  ", 3);
		buf_str(buf, srcline);
	}
	buf_putc(buf, '\n');
}

/* Bit numbers: arch/ARCH/include/uapi/asm/perf_regs.h. */
static const char *const x86_regs[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",	 "FLAGS", "CS",	 "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",	  "R14", "R15",
};

static void reg_name(enum script_arch arch, unsigned bit, char name[16])
{
	static const char *const arm64_last[] = { "x29", "lr", "sp", "pc" };

	if (arch == SCRIPT_ARCH_X86 && bit < NR_ITEMS(x86_regs))
		snprintf(name, 16, "%s", x86_regs[bit]);
	else if (arch == SCRIPT_ARCH_X86 && bit >= 32)
		snprintf(name, 16, "XMM%u", (bit - 32) / 2);
	else if (arch == SCRIPT_ARCH_ARM64 && bit >= 29 && bit < 33)
		snprintf(name, 16, "%s", arm64_last[bit - 29]);
	else if (arch == SCRIPT_ARCH_ARM64)
		snprintf(name, 16, "x%u", bit);
	else
		snprintf(name, 16, "r%u", bit);
}

void script_text_regs(struct buf *buf, const struct script_regs *regs)
{
	const uint8_t *pos = regs->values;

	if (!regs->mask)
		return;
	buf_printf(buf, " ABI:%" PRIu64 " ", regs->abi);
	if (!pos)
		return;
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t value;
		char name[16];

		if (!(regs->mask >> bit & 1))
			continue;
		memcpy(&value, pos, sizeof(value));
		pos += sizeof(value);
		reg_name(regs->arch, bit, name);
		buf_str_right(buf, name, 5);
		buf_put(buf, ":0x", 3);
		buf_hex(buf, value);
		buf_putc(buf, ' ');
	}
}

/* struct perf_branch_entry.flags: mispred, predicted, in_tx, abort, cycles:16, type:4, spec:2, new_type:4 ... */
static void put_branch_flags(struct buf *buf, uint64_t flags)
{
	static const char *const types[] = {
		"",	  "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",	"SYSCALL",
		"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "",
	};
	static const char *const specs[] = { "-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
					     "SPEC_CORRECT_PATH" };
	unsigned type = (unsigned)(flags >> 20 & 15);

	buf_putc(buf, '/');
	if (!(flags & 3))
		buf_putc(buf, '-');
	if (flags & 1)
		buf_putc(buf, 'M');
	if (flags & 2)
		buf_putc(buf, 'P');
	buf_putc(buf, '/');
	buf_putc(buf, flags & 4 ? 'X' : '-');
	buf_putc(buf, '/');
	buf_putc(buf, flags & 8 ? 'A' : '-');
	buf_putc(buf, '/');
	buf_u64(buf, flags >> 4 & 0xffff);
	buf_putc(buf, '/');
	buf_str(buf, types[type]);
	buf_putc(buf, '/');
	buf_str(buf, specs[flags >> 24 & 3]);
}

static void put_branch_end(struct buf *buf, const struct script_style *style, enum script_field field,
			   const struct script_place *place)
{
	if (field == SCRIPT_BRSTACKSYM) {
		if (place->name) {
			buf_str(buf, place->name);
			buf_put(buf, "+0x", 3);
			buf_hex(buf, place->name_offset);
		} else {
			buf_str(buf, "[unknown]");
		}
	} else {
		buf_put(buf, "0x", 2);
		buf_hex(buf, field == SCRIPT_BRSTACKOFF && place->has_dso_offset ? place->dso_offset
										 : place->addr);
	}
	if (HAS(style, DSO))
		put_dso(buf, style, place);
}

void script_text_branch(struct buf *buf, const struct script_style *style, enum script_field field,
			const struct script_branch *branch)
{
	if (field != SCRIPT_BRSTACKSYM)
		buf_putc(buf, ' ');
	put_branch_end(buf, style, field, &branch->from);
	buf_putc(buf, '/');
	put_branch_end(buf, style, field, &branch->to);
	put_branch_flags(buf, branch->flags);
	buf_putc(buf, ' ');
}

/* As ISO 8859-1 sees it, which is how perf does. */
static bool is_shown(uint8_t byte)
{
	return (byte >= 0x20 && byte < 0x7f) || byte >= 0xa0;
}

static bool is_text(struct span data)
{
	if (!data.size || data.data[data.size - 1])
		return false;
	for (size_t i = 0; i < data.size && data.data[i]; i++)
		if (!is_shown(data.data[i]) && !(data.data[i] >= '\t' && data.data[i] <= '\r'))
			return false;
	return true;
}

void script_text_bpf_output(struct buf *buf, struct span data)
{
	buf_putc(buf, '\n');
	for (size_t line = 0; line < data.size; line += 8) {
		buf_str_right(buf, line ? "" : "BPF output:", 17);
		buf_printf(buf, " %04zx:", line);
		for (size_t i = line; i < line + 8; i++) {
			if (i < data.size)
				buf_printf(buf, " %02x", data.data[i]);
			else
				buf_fill(buf, ' ', 3);
		}
		buf_put(buf, "  ", 2);
		for (size_t i = line; i < line + 8; i++)
			buf_putc(buf, i >= data.size	       ? ' '
				      : is_shown(data.data[i]) ? (char)data.data[i]
							       : '.');
		buf_putc(buf, '\n');
	}
	if (is_text(data)) {
		buf_str_right(buf, "BPF string:", 17);
		buf_printf(buf, " \"%s\"\n", (const char *)data.data);
	}
}

void script_text_page_size(struct buf *buf, uint64_t size)
{
	static const char units[] = "BKMGTPE";
	unsigned unit = 0;

	if (!size) {
		buf_str(buf, " N/A");
		return;
	}
	while (size >= 1024 && !(size & 1023) && unit + 1 < sizeof(units) - 1) {
		size >>= 10;
		unit++;
	}
	buf_putc(buf, ' ');
	buf_u64(buf, size);
	buf_putc(buf, units[unit]);
}

void script_text_insn(struct buf *buf, struct span bytes)
{
	buf_str(buf, " insn:");
	for (size_t i = 0; i < bytes.size; i++)
		buf_printf(buf, " %02x", bytes.data[i]);
}
