/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for PLT stubs.
 *
 * A stub jumps through a slot of the global offset table, and a relocation says which symbol the
 * loader puts into that slot. The usual way to name stubs is to count: the n-th relocation of .rela.plt belongs to
 * the n-th stub. That breaks with IBT (.plt and .plt.sec), with .plt.got, with lld's and mold's
 * layouts and with static programs. So on the machines that people profile the instructions are
 * read: which slot does this stub jump through? Where they are not, the stubs are counted.
 */
#include "elf/plt.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/image.h"

struct slot {
	uint64_t addr; /* of the slot: r_offset */
	const char *target;
	uint64_t resolver;
};

struct slots {
	ARRAY(struct slot) by_addr;
	ARRAY(struct slot) of_plt; /* .rela.plt in its order */
	uint64_t got; /* vaddr of .got.plt, what %ebx holds in i386 code */
};

static bool is_symbolic(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	case EM_386:
		return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT;
	case EM_AARCH64:
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	case EM_RISCV:
		return type == R_RISCV_JUMP_SLOT;
	case EM_S390:
		return type == R_390_JMP_SLOT;
	}
	return false;
}

static bool is_irelative(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_IRELATIVE;
	case EM_386:
		return type == R_386_IRELATIVE;
	case EM_AARCH64:
		return type == R_AARCH64_IRELATIVE;
	}
	return false;
}

/* How many relative relocations the linker has put first: nothing for us there, and there can be a million. */
static size_t count_relative(struct elf_image *image)
{
	const struct elf_section *dynamic = elf_image_find_section_type(image, SHT_DYNAMIC);
	const struct elf_header *header = elf_image_header(image);
	size_t word = header->bits / 8;
	struct span data;

	if (!dynamic || elf_image_section_data(image, dynamic, &data, NULL))
		return 0;
	for (size_t pos = 0; pos + 2 * word <= data.size; pos += 2 * word) {
		const uint8_t *at = data.data + pos;
		uint64_t tag = word == 8 ? elf_u64(at, header->swap) : elf_u32(at, header->swap);
		uint64_t value = word == 8 ? elf_u64(at + 8, header->swap) : elf_u32(at + 4, header->swap);

		if (tag == DT_NULL)
			break;
		if (tag == DT_RELACOUNT || tag == DT_RELCOUNT)
			return value < SIZE_MAX ? (size_t)value : 0;
	}
	return 0;
}

struct symbol_names {
	struct span symbols;
	struct span strings;
	size_t entry;
};

static const char *symbol_name(const struct symbol_names *names, uint64_t index, bool swap)
{
	if (!index || index >= names->symbols.size / names->entry)
		return NULL;
	return elf_image_string(names->strings, elf_u32(names->symbols.data + index * names->entry, swap));
}

static void read_relocations(struct elf_image *image, const struct elf_section *section, size_t skip,
			     bool of_plt, struct slots *slots)
{
	const struct elf_header *header = elf_image_header(image);
	bool rela = section->type == SHT_RELA, wide = header->bits == 64;
	size_t word = wide ? 8 : 4, entry = word * (rela ? 3 : 2), nr;
	struct symbol_names names = { .entry = wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym) };
	const struct elf_section *sections = elf_image_sections(image, &nr);
	struct span data;

	if (elf_image_section_data(image, section, &data, NULL))
		return;
	if (section->link && section->link < nr && sections[section->link].link < nr) {
		const struct elf_section *symbols = &sections[section->link];

		if (elf_image_section_data(image, symbols, &names.symbols, NULL) ||
		    elf_image_section_data(image, &sections[symbols->link], &names.strings, NULL))
			return;
	}
	for (size_t i = skip; i < data.size / entry; i++) {
		const uint8_t *at = data.data + i * entry;
		uint64_t info = wide ? elf_u64(at + 8, header->swap) : elf_u32(at + 4, header->swap);
		uint32_t type = wide ? (uint32_t)info : (uint32_t)info & 0xff;
		struct slot slot = { .addr = wide ? elf_u64(at, header->swap) : elf_u32(at, header->swap) };

		if (is_symbolic(header->machine, type)) {
			slot.target = symbol_name(&names, wide ? info >> 32 : info >> 8, header->swap);
		} else if (is_irelative(header->machine, type)) {
			if (rela) {
				slot.resolver = wide ? elf_u64(at + 16, header->swap)
						     : elf_u32(at + 8, header->swap);
			} else {
				struct span in_place = elf_image_data_at(image, slot.addr);

				if (in_place.size >= word)
					slot.resolver = wide ? elf_u64(in_place.data, header->swap)
							     : elf_u32(in_place.data, header->swap);
			}
		} else if (!of_plt) {
			continue;
		}
		array_push(&slots->by_addr, slot);
		if (of_plt)
			array_push(&slots->of_plt, slot);
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *slot_a = a, *slot_b = b;

	return slot_a->addr < slot_b->addr ? -1 : slot_a->addr > slot_b->addr;
}

static const struct slot *find_slot(const struct slots *slots, uint64_t addr)
{
	struct slot key = { .addr = addr };

	if (!slots->by_addr.nr)
		return NULL;
	return bsearch(&key, slots->by_addr.items, slots->by_addr.nr, sizeof(key), compare_slots);
}

static void add_stub(plt_stubs *stubs, uint64_t start, uint64_t end, const struct slot *slot)
{
	if (slot && ((slot->target && *slot->target) || slot->resolver))
		array_push(stubs, (struct plt_stub){ start, end, slot->target, slot->resolver, false });
}

/* A stub that starts here: [endbr] [bnd] jmp *slot, or, in front of .plt.sec, [endbr] push $n. */
static const struct slot *read_x86(const struct slots *slots, const uint8_t *code, size_t left,
				   uint64_t vaddr, bool wide)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa }, endbr32[] = { 0xf3, 0x0f, 0x1e, 0xfb };
	size_t pos = 0;
	uint32_t value;

	if (left >= 4 && !memcmp(code, wide ? endbr64 : endbr32, 4))
		pos = 4;
	if (pos < left && code[pos] == 0xf2)
		pos++;
	if (left - pos < 6)
		return NULL;
	if (code[pos] == 0x68 && pos) {
		value = elf_u32(code + pos + 1, false);
		/* i386 pushes the offset of the relocation, x86-64 its number. */
		value = wide ? value : value / (uint32_t)sizeof(Elf32_Rel);
		return value < slots->of_plt.nr ? &slots->of_plt.items[value] : NULL;
	}
	if (code[pos] != 0xff)
		return NULL;
	value = elf_u32(code + pos + 2, false);
	if (code[pos + 1] == 0x25)
		return find_slot(slots, wide ? vaddr + pos + 6 + (uint64_t)(int64_t)(int32_t)value : value);
	if (code[pos + 1] == 0xa3 && !wide)
		return find_slot(slots, (uint32_t)(slots->got + value));
	return NULL;
}

static void scan_x86(const struct slots *slots, const struct elf_section *section, struct span code,
		     bool wide, plt_stubs *stubs)
{
	uint64_t entry = section->entry_size == 8 || section->entry_size == 16 ? section->entry_size : 0;
	size_t first = stubs->nr;

	for (size_t pos = 0; pos + 8 <= code.size; pos += 8) {
		const struct slot *slot = read_x86(slots, code.data + pos, code.size - pos,
						   section->addr + pos, wide);

		add_stub(stubs, section->addr + pos, section->addr + pos + (entry ? entry : 16), slot);
	}
	/* Sections that do not say how large a stub is: up to the next one. */
	for (size_t i = first; i + 1 < stubs->nr; i++)
		if (stubs->items[i].end > stubs->items[i + 1].start)
			stubs->items[i].end = stubs->items[i + 1].start;
}

/* [bti c] adrp x16, page; ldr x17, [x16, #offset] */
static void scan_arm64(const struct slots *slots, const struct elf_section *section, struct span code,
		       bool swap, plt_stubs *stubs)
{
	size_t first = stubs->nr;

	for (size_t pos = 0; pos + 8 <= code.size; pos += 4) {
		uint32_t adrp = elf_u32(code.data + pos, swap), ldr = elf_u32(code.data + pos + 4, swap);
		uint64_t start = section->addr + pos;
		int64_t pages;

		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		pages = (int64_t)((uint64_t)(adrp >> 5 & 0x7ffff) << 45) >> 43;
		pages |= adrp >> 29 & 3;
		if (pos >= 4 && elf_u32(code.data + pos - 4, swap) == 0xd503245f)
			start -= 4;
		add_stub(stubs, start, start + 16,
			 find_slot(slots,
				   (((section->addr + pos) & ~(uint64_t)4095) + ((uint64_t)pages << 12)) +
					   (ldr >> 10 & 0xfff) * 8));
	}
	for (size_t i = first; i < stubs->nr; i++) {
		/* 24 bytes with branch protection; the last one ends with the section. */
		uint64_t next = i + 1 < stubs->nr ? stubs->items[i + 1].start : section->addr + code.size;

		if (next - stubs->items[i].start <= 24)
			stubs->items[i].end = next;
	}
}

static void count_stubs(const struct slots *slots, const struct elf_section *section, uint64_t head,
			uint64_t entry, plt_stubs *stubs)
{
	for (size_t i = 0; i < slots->of_plt.nr && head + (i + 1) * entry <= section->size; i++)
		add_stub(stubs, section->addr + head + i * entry, section->addr + head + (i + 1) * entry,
			 &slots->of_plt.items[i]);
}

static void scan_section(struct elf_image *image, const struct slots *slots,
			 const struct elf_section *section, plt_stubs *stubs)
{
	const struct elf_header *header = elf_image_header(image);
	size_t first = stubs->nr;
	struct span code;

	if (!(section->flags & SHF_EXECINSTR) || elf_image_section_data(image, section, &code, NULL))
		return;
	switch (header->machine) {
	case EM_X86_64:
	case EM_386:
		scan_x86(slots, section, code, header->machine == EM_X86_64, stubs);
		break;
	case EM_AARCH64:
		scan_arm64(slots, section, code, false, stubs);
		break;
	case EM_RISCV:
		count_stubs(slots, section, 32, 16, stubs);
		break;
	case EM_S390:
		count_stubs(slots, section, 32, 32, stubs);
		break;
	}
	if (stubs->nr > first && stubs->items[first].start > section->addr)
		array_push(stubs, (struct plt_stub){ .start = section->addr,
						     .end = stubs->items[first].start,
						     .target = elf_image_section_name(image, section),
						     .is_head = true });
}

void plt_collect(struct elf_image *image, plt_stubs *stubs)
{
	static const char *const code_names[] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };
	const struct elf_section *found[NR_ITEMS(code_names)];
	const struct elf_section *section;
	struct slots slots = { 0 };
	bool any = false;

	for (size_t i = 0; i < NR_ITEMS(code_names); i++) {
		found[i] = elf_image_find_section(image, code_names[i]);
		any |= found[i] != NULL;
	}
	if (!any)
		return;
	section = elf_image_find_section(image, ".got.plt");
	if (!section)
		section = elf_image_find_section(image, ".got");
	slots.got = section ? section->addr : 0;
	section = elf_image_find_section(image, ".rela.plt");
	if (!section)
		section = elf_image_find_section(image, ".rel.plt");
	if (section && (section->type == SHT_RELA || section->type == SHT_REL))
		read_relocations(image, section, 0, true, &slots);
	/* Without .plt.got all slots are those of .rela.plt. */
	section = elf_image_find_section(image, ".rela.dyn");
	if (!section)
		section = elf_image_find_section(image, ".rel.dyn");
	if (section && (section->type == SHT_RELA || section->type == SHT_REL) &&
	    (found[2] || found[4] || !slots.of_plt.nr))
		read_relocations(image, section, count_relative(image), false, &slots);
	if (slots.by_addr.nr)
		qsort(slots.by_addr.items, slots.by_addr.nr, sizeof(*slots.by_addr.items), compare_slots);
	for (size_t i = 0; i < NR_ITEMS(code_names); i++)
		if (found[i])
			scan_section(image, &slots, found[i], stubs);
	array_release(&slots.by_addr);
	array_release(&slots.of_plt);
}
