/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf_make.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"

struct section {
	char *name;
	uint32_t type;
	uint64_t flags, addr, size;
	uint32_t link, info;
	uint64_t entry_size, align;
	uint8_t *data;
	uint64_t offset;
	uint32_t name_offset;
};

struct segment {
	uint32_t type, flags;
	unsigned first, last;
};

struct elf_make {
	bool wide, big;
	uint16_t type, machine;
	ARRAY(struct section) sections;
	ARRAY(struct segment) segments;
	struct buf symbols[2]; /* .symtab, .dynsym */
	struct buf strings[2];
	struct buf out;
	bool done;
};

static void put(const struct elf_make *make, struct buf *buf, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		buf_putc(buf, (char)(value >> 8 * (make->big ? size - 1 - i : i)));
}

static void put_word(const struct elf_make *make, struct buf *buf, uint64_t value)
{
	put(make, buf, value, make->wide ? 8 : 4);
}

void elf_make_u32(const struct elf_make *make, void *to, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		((uint8_t *)to)[i] = (uint8_t)(value >> 8 * (make->big ? 3 - i : i));
}

void elf_make_u64(const struct elf_make *make, void *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		((uint8_t *)to)[i] = (uint8_t)(value >> 8 * (make->big ? 7 - i : i));
}

struct elf_make *elf_make_new(unsigned bits, bool big_endian, uint16_t type, uint16_t machine)
{
	struct elf_make *make = xcalloc(1, sizeof(*make));

	make->wide = bits == 64;
	make->big = big_endian;
	make->type = type;
	make->machine = machine;
	for (unsigned i = 0; i < 2; i++) {
		buf_init(&make->symbols[i], -1);
		buf_init(&make->strings[i], -1);
		buf_fill(&make->symbols[i], 0, make->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
		buf_putc(&make->strings[i], 0);
	}
	buf_init(&make->out, -1);
	elf_make_section(make, "", SHT_NULL, 0, 0, NULL, 0);
	return make;
}

void elf_make_free(struct elf_make *make)
{
	for (size_t i = 0; i < make->sections.nr; i++) {
		free(make->sections.items[i].name);
		free(make->sections.items[i].data);
	}
	array_release(&make->sections);
	array_release(&make->segments);
	for (unsigned i = 0; i < 2; i++) {
		buf_release(&make->symbols[i]);
		buf_release(&make->strings[i]);
	}
	buf_release(&make->out);
	free(make);
}

unsigned elf_make_section(struct elf_make *make, const char *name, uint32_t type, uint64_t flags,
			  uint64_t addr, const void *data, size_t size)
{
	struct section section = {
		.name = xstrdup(name), .type = type, .flags = flags, .addr = addr, .size = size, .align = 1
	};

	if (type != SHT_NOBITS && size)
		section.data = xmemdup(data, size);
	array_push(&make->sections, section);
	return (unsigned)make->sections.nr - 1;
}

void elf_make_link(struct elf_make *make, unsigned section, uint32_t link, uint32_t info, uint64_t entry_size)
{
	make->sections.items[section].link = link;
	make->sections.items[section].info = info;
	make->sections.items[section].entry_size = entry_size;
}

void elf_make_align(struct elf_make *make, unsigned section, uint64_t align)
{
	make->sections.items[section].align = align;
}

void elf_make_segment(struct elf_make *make, uint32_t type, uint32_t flags, unsigned first, unsigned last)
{
	array_push(&make->segments, (struct segment){ type, flags, first, last });
}

void elf_make_symbol(struct elf_make *make, bool dynamic, const char *name, uint8_t binding, uint8_t type,
		     unsigned section, uint64_t value, uint64_t size)
{
	struct buf *symbols = &make->symbols[dynamic], *strings = &make->strings[dynamic];
	uint32_t at = (uint32_t)strings->size;

	buf_put(strings, name, strlen(name) + 1);
	put(make, symbols, *name ? at : 0, 4);
	if (make->wide) {
		put(make, symbols, (uint64_t)(binding << 4 | type), 1);
		put(make, symbols, 0, 1);
		put(make, symbols, section, 2);
		put(make, symbols, value, 8);
		put(make, symbols, size, 8);
	} else {
		put(make, symbols, value, 4);
		put(make, symbols, size, 4);
		put(make, symbols, (uint64_t)(binding << 4 | type), 1);
		put(make, symbols, 0, 1);
		put(make, symbols, section, 2);
	}
}

void elf_make_build_id(struct elf_make *make, const void *id, size_t size)
{
	struct buf note = BUF_INIT;
	unsigned section;

	put(make, &note, 4, 4);
	put(make, &note, size, 4);
	put(make, &note, NT_GNU_BUILD_ID, 4);
	buf_put(&note, "GNU", 4);
	buf_put(&note, id, size);
	section = elf_make_section(make, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x300, note.data,
				   note.size);
	elf_make_align(make, section, 4);
	elf_make_segment(make, PT_NOTE, PF_R, section, section);
	buf_release(&note);
}

static void finish_tables(struct elf_make *make)
{
	size_t empty = make->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	for (unsigned i = 0; i < 2; i++) {
		unsigned symbols, strings;

		if (make->symbols[i].size == empty)
			continue;
		symbols = elf_make_section(make, i ? ".dynsym" : ".symtab", i ? SHT_DYNSYM : SHT_SYMTAB,
					   i ? SHF_ALLOC : 0, 0, make->symbols[i].data,
					   make->symbols[i].size);
		strings = elf_make_section(make, i ? ".dynstr" : ".strtab", SHT_STRTAB, i ? SHF_ALLOC : 0, 0,
					   make->strings[i].data, make->strings[i].size);
		elf_make_link(make, symbols, strings, 1, empty);
	}
}

static void finish_names(struct elf_make *make)
{
	unsigned names = elf_make_section(make, ".shstrtab", SHT_STRTAB, 0, 0, NULL, 0);
	struct buf text = BUF_INIT;

	buf_putc(&text, 0);
	for (size_t i = 0; i < make->sections.nr; i++) {
		struct section *section = &make->sections.items[i];

		section->name_offset = *section->name ? (uint32_t)text.size : 0;
		if (*section->name)
			buf_put(&text, section->name, strlen(section->name) + 1);
	}
	make->sections.items[names].data = xmemdup(text.data, text.size);
	make->sections.items[names].size = text.size;
	buf_release(&text);
}

struct span elf_make_bytes(struct elf_make *make)
{
	unsigned header_size = make->wide ? 64 : 52, segment_size = make->wide ? 56 : 32;
	uint64_t pos = 0x1000;
	struct buf *out = &make->out;

	if (make->done)
		return (struct span){ (uint8_t *)out->data, out->size };
	make->done = true;
	finish_tables(make);
	finish_names(make);
	for (size_t i = 1; i < make->sections.nr; i++) {
		struct section *section = &make->sections.items[i];

		pos = (pos + 15) & ~(uint64_t)15;
		section->offset = pos;
		if (section->type != SHT_NOBITS)
			pos += section->size;
	}
	pos = (pos + 15) & ~(uint64_t)15;
	buf_put(out, ELFMAG, SELFMAG);
	buf_putc(out, make->wide ? ELFCLASS64 : ELFCLASS32);
	buf_putc(out, make->big ? ELFDATA2MSB : ELFDATA2LSB);
	buf_putc(out, EV_CURRENT);
	buf_fill(out, 0, 9);
	put(make, out, make->type, 2);
	put(make, out, make->machine, 2);
	put(make, out, EV_CURRENT, 4);
	put_word(make, out, 0x1234); /* entry */
	put_word(make, out, make->segments.nr ? header_size : 0);
	put_word(make, out, pos);
	put(make, out, 0, 4);
	put(make, out, header_size, 2);
	put(make, out, segment_size, 2);
	put(make, out, make->segments.nr, 2);
	put(make, out, make->wide ? 64 : 40, 2);
	put(make, out, make->sections.nr, 2);
	put(make, out, make->sections.nr - 1, 2);
	for (size_t i = 0; i < make->segments.nr; i++) {
		const struct segment *segment = &make->segments.items[i];
		const struct section *first = &make->sections.items[segment->first];
		const struct section *last = &make->sections.items[segment->last];
		uint64_t size = last->offset + (last->type == SHT_NOBITS ? 0 : last->size) - first->offset;

		put(make, out, segment->type, 4);
		if (make->wide)
			put(make, out, segment->flags, 4);
		put_word(make, out, first->offset);
		put_word(make, out, first->addr);
		put_word(make, out, first->addr);
		put_word(make, out, size);
		put_word(make, out, last->addr + last->size - first->addr);
		if (!make->wide)
			put(make, out, segment->flags, 4);
		put_word(make, out, 0x1000);
	}
	for (size_t i = 1; i < make->sections.nr; i++) {
		const struct section *section = &make->sections.items[i];

		if (section->type == SHT_NOBITS)
			continue;
		buf_fill(out, 0, section->offset - out->size);
		if (section->size)
			buf_put(out, section->data, section->size);
	}
	buf_fill(out, 0, pos - out->size);
	for (size_t i = 0; i < make->sections.nr; i++) {
		const struct section *section = &make->sections.items[i];

		put(make, out, section->name_offset, 4);
		put(make, out, section->type, 4);
		put_word(make, out, section->flags);
		put_word(make, out, section->addr);
		put_word(make, out, section->offset);
		put_word(make, out, section->size);
		put(make, out, section->link, 4);
		put(make, out, section->info, 4);
		put_word(make, out, section->align);
		put_word(make, out, section->entry_size);
	}
	return (struct span){ (uint8_t *)out->data, out->size };
}
