/* SPDX-License-Identifier: Apache-2.0 */
#include "record/sample_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "record/sample_bits.h"
#include "record/sample_read.h"

/* Order of the bits: arch/ARCH/include/uapi/asm/perf_regs.h */
static const char *const x86_registers[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",	 "FLAGS", "CS",	 "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",	  "R14", "R15",
};

static const char *const arm64_registers[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",
};

static const char *const riscv_registers[] = {
	"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	"a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const char *const powerpc_registers[] = {
	"r0",	"r1",  "r2",  "r3",    "r4",   "r5",  "r6",    "r7",   "r8",	"r9",  "r10",	  "r11",
	"r12",	"r13", "r14", "r15",   "r16",  "r17", "r18",   "r19",  "r20",	"r21", "r22",	  "r23",
	"r24",	"r25", "r26", "r27",   "r28",  "r29", "r30",   "r31",  "nip",	"msr", "orig_r3", "ctr",
	"link", "xer", "ccr", "softe", "trap", "dar", "dsisr", "sier", "mmcra",
};

static const char *const s390_registers[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};

static const char *const xmm_registers[] = { "XMM0",  "XMM1",  "XMM2",	"XMM3", "XMM4",	 "XMM5",
					     "XMM6",  "XMM7",  "XMM8",	"XMM9", "XMM10", "XMM11",
					     "XMM12", "XMM13", "XMM14", "XMM15" };

const char *sample_text_register(const char *arch, unsigned bit)
{
	static const struct {
		const char *prefix;
		const char *const *names;
		size_t nr;
	} tables[] = {
		{ "aarch64", arm64_registers, NR_ITEMS(arm64_registers) },
		{ "arm64", arm64_registers, NR_ITEMS(arm64_registers) },
		{ "riscv", riscv_registers, NR_ITEMS(riscv_registers) },
		{ "ppc", powerpc_registers, NR_ITEMS(powerpc_registers) },
		{ "s390", s390_registers, NR_ITEMS(s390_registers) },
		{ "x86", x86_registers, NR_ITEMS(x86_registers) },
		{ "i", x86_registers, NR_ITEMS(x86_registers) }, /* i386 to i686 */
	};

	for (size_t i = 0; arch && i < NR_ITEMS(tables); i++) {
		if (strncmp(arch, tables[i].prefix, strlen(tables[i].prefix)))
			continue;
		if (bit < tables[i].nr)
			return tables[i].names[bit];
		if (tables[i].names == x86_registers && bit >= 32 && bit < 64)
			return xmm_registers[(bit - 32) / 2];
		return NULL;
	}
	return NULL;
}

static const char *marker_name(uint64_t address)
{
	switch (address) {
	case CALLCHAIN_HV:
		return "PERF_CONTEXT_HV";
	case CALLCHAIN_KERNEL:
		return "PERF_CONTEXT_KERNEL";
	case CALLCHAIN_USER:
		return "PERF_CONTEXT_USER";
	case CALLCHAIN_USER_DEFERRED:
		return "PERF_CONTEXT_USER_DEFERRED";
	case CALLCHAIN_GUEST:
		return "PERF_CONTEXT_GUEST";
	case CALLCHAIN_GUEST_KERNEL:
		return "PERF_CONTEXT_GUEST_KERNEL";
	case CALLCHAIN_GUEST_USER:
		return "PERF_CONTEXT_GUEST_USER";
	default:
		return NULL;
	}
}

static uint64_t u64_at(const uint8_t *pos)
{
	uint64_t value;

	memcpy(&value, pos, sizeof(value));
	return value;
}

/* Branches that were recorded as a call stack continue the kernel's part of the chain. */
static void print_lbr_chain(const struct sample *sample, struct buf *buf)
{
	uint64_t nr_kernel = 0, i;

	while (nr_kernel < sample->nr_callchain &&
	       u64_at(sample->callchain + 8 * nr_kernel) != CALLCHAIN_USER)
		nr_kernel++;
	if (nr_kernel == sample->nr_callchain || !sample->nr_branches)
		return;
	nr_kernel++; /* the marker */
	buf_printf(buf, "... LBR call chain: nr:%" PRIu64 "\n", nr_kernel + 1 + sample->nr_branches);
	for (i = 0; i < nr_kernel; i++)
		buf_printf(buf, "..... %2" PRIu64 ": %016" PRIx64 "\n", i, u64_at(sample->callchain + 8 * i));
	buf_printf(buf, "..... %2" PRIu64 ": %016" PRIx64 "\n", i++, u64_at(sample->branches + 8));
	for (uint64_t k = 0; k < sample->nr_branches; k++)
		buf_printf(buf, "..... %2" PRIu64 ": %016" PRIx64 "\n", i++,
			   u64_at(sample->branches + k * BRANCH_ENTRY_SIZE));
}

static void print_chain(const struct sample *sample, struct buf *buf)
{
	buf_printf(buf, "... FP chain: nr:%" PRIu64 "\n", sample->nr_callchain);
	for (uint64_t i = 0; i < sample->nr_callchain; i++) {
		uint64_t address = u64_at(sample->callchain + 8 * i);
		const char *name = marker_name(address);

		buf_printf(buf, "..... %2" PRIu64 ": %016" PRIx64, i, address);
		if (name)
			buf_printf(buf, " (%s)", name);
		buf_putc(buf, '\n');
	}
}

/* PERF_BR_* of the flags' type field; empty when the hardware does not say. */
static const char *branch_kind(uint64_t flags)
{
	static const char *const kinds[] = { "",    "COND",    "UNCOND", "IND",	      "CALL",	  "IND_CALL",
					     "RET", "SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET",
					     "IRQ", "SERROR",  "NO_TX",	 "EXTENDED" };

	return kinds[flags >> 20 & 15];
}

static void print_branches(const struct sample_layout *layout, const struct sample *sample, struct buf *buf)
{
	static const char *const specs[] = { "", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
					     "SPEC_CORRECT_PATH" };
	bool is_call_stack = layout->branch_type & BRANCH_CALL_STACK;

	buf_printf(buf, "... branch %s: nr:%" PRIu64 "\n", is_call_stack ? "callstack" : "stack",
		   sample->nr_branches + is_call_stack);
	for (uint64_t i = 0; i < sample->nr_branches; i++) {
		const uint8_t *entry = sample->branches + i * BRANCH_ENTRY_SIZE;
		uint64_t flags = u64_at(entry + 16);

		if (is_call_stack) { /* where the innermost call went, then where each was made from */
			if (!i)
				buf_printf(buf, "..... %2d: %016" PRIx64 "\n", 0, u64_at(entry + 8));
			buf_printf(buf, "..... %2" PRIu64 ": %016" PRIx64 "\n", i + 1, u64_at(entry));
			continue;
		}
		buf_printf(buf,
			   "..... %2" PRIu64 ": %016" PRIx64 " -> %016" PRIx64
			   " %u cycles %s%s%s%s %x %s %s\n",
			   i, u64_at(entry), u64_at(entry + 8), (unsigned)(flags >> 4 & 0xffff),
			   flags & 1 ? "M" : " ", flags & 2 ? "P" : " ", flags & 8 ? "A" : " ",
			   flags & 4 ? "T" : " ", (unsigned)(flags >> 33), branch_kind(flags),
			   specs[flags >> 24 & 3]);
	}
}

static void print_registers(const char *which, const struct sample_regs *regs, const char *arch,
			    struct buf *buf)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	const uint8_t *value = regs->values;

	if (!regs->abi)
		return;
	buf_printf(buf, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", which, regs->mask,
		   regs->abi < NR_ITEMS(abis) ? abis[regs->abi] : "unknown");
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name;

		if (!(regs->mask >> bit & 1))
			continue;
		name = sample_text_register(arch, bit);
		buf_printf(buf, ".... %-5s 0x%016" PRIx64 "\n", name ? name : "unknown", u64_at(value));
		value += 8;
	}
}

static void print_read(const struct sample_layout *layout, const struct sample *sample, struct buf *buf)
{
	struct sample_read read;

	if (sample_read_decode(sample->read, layout->read_format, &read) < 0)
		return;
	buf_str(buf, "... sample_read:\n");
	if (layout->read_format & READ_TOTAL_TIME_ENABLED)
		buf_printf(buf, "...... time enabled %016" PRIx64 "\n", read.time_enabled);
	if (layout->read_format & READ_TOTAL_TIME_RUNNING)
		buf_printf(buf, "...... time running %016" PRIx64 "\n", read.time_running);
	if (layout->read_format & READ_GROUP)
		buf_printf(buf, ".... group nr %" PRIu64 "\n", read.nr);
	for (uint64_t i = 0; i < read.nr; i++) {
		struct sample_read_value value = sample_read_value(&read, i);

		buf_printf(buf, "..... id %016" PRIx64 ", value %016" PRIx64, value.id, value.value);
		if (read.has_lost)
			buf_printf(buf, ", lost %" PRIu64, value.lost);
		buf_putc(buf, '\n');
	}
}

static void print_page_size(const char *which, uint64_t size, struct buf *buf)
{
	static const char units[] = "BKMGTPE";
	unsigned unit = 0;

	buf_printf(buf, " .. %s page size: ", which);
	if (!size) {
		buf_str(buf, "N/A\n");
		return;
	}
	while (size >= 1024 && unit < 6) {
		size /= 1024;
		unit++;
	}
	buf_printf(buf, "%" PRIu64 "%c\n", size, units[unit]);
}

void sample_text_print(const struct sample_layout *layout, const struct sample *sample, const char *arch,
		       struct buf *buf)
{
	uint64_t type = layout->sample_type;

	if (type & SAMPLE_CALLCHAIN && type & SAMPLE_BRANCH_STACK && layout->branch_type & BRANCH_CALL_STACK)
		print_lbr_chain(sample, buf);
	if (type & SAMPLE_CALLCHAIN)
		print_chain(sample, buf);
	if (type & SAMPLE_BRANCH_STACK)
		print_branches(layout, sample, buf);
	if (type & SAMPLE_REGS_USER)
		print_registers("user", &sample->regs_user, arch, buf);
	if (type & SAMPLE_REGS_INTR)
		print_registers("intr", &sample->regs_intr, arch, buf);
	if (type & SAMPLE_STACK_USER)
		buf_printf(buf, "... ustack: size %zu, offset 0x%zx\n", sample->stack_user.size,
			   /* of its size, which stands in front */
			   (size_t)(sample->stack_user.data - (const uint8_t *)sample->raw) - 8);
	if (type & SAMPLE_WEIGHT_STRUCT)
		buf_printf(buf, "... weight: %" PRIu32 ",0x%x,0x%x\n", (uint32_t)sample->weight,
			   (unsigned)(sample->weight >> 32 & 0xffff), (unsigned)(sample->weight >> 48));
	else if (type & SAMPLE_WEIGHT)
		buf_printf(buf, "... weight: %" PRIu64 "\n", sample->weight);
	if (type & SAMPLE_DATA_SRC)
		buf_printf(buf, " . data_src: 0x%" PRIx64 "\n", sample->data_src);
	if (type & SAMPLE_PHYS_ADDR)
		buf_printf(buf, " .. phys_addr: 0x%" PRIx64 "\n", sample->phys_addr);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		print_page_size("data", sample->data_page_size, buf);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		print_page_size("code", sample->code_page_size, buf);
	if (type & SAMPLE_TRANSACTION)
		buf_printf(buf, "... transaction: %" PRIx64 "\n", sample->transaction);
	if (type & SAMPLE_READ)
		print_read(layout, sample, buf);
}
