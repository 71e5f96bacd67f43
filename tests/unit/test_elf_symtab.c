/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/xalloc.h"
#include "elf/image.h"
#include "elf/symtab.h"
#include "lib/elf_make.h"

static uint64_t random_state = 88172645463325252;

static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* ---- tables from rows -------------------------------------------------------------------------- */

struct given {
	const char *name;
	uint64_t start, end;
	uint8_t binding, type;
};

static struct symtab *build(const struct given *given, size_t nr, enum symtab_overlap overlap)
{
	struct symtab_parts parts = { .nr_rows = nr, .overlap = overlap };
	struct symtab_names names = { 0 };

	parts.rows = xcalloc(nr + 1, sizeof(*parts.rows));
	for (size_t i = 0; i < nr; i++)
		parts.rows[i] = (struct symtab_row){
			.start = given[i].start,
			.end = given[i].end,
			.name = symtab_names_add(&names, given[i].name, strlen(given[i].name)),
			.info = (uint8_t)(given[i].binding << 4 | given[i].type),
		};
	parts.owned = names.text;
	parts.pools[0] = (struct span){ (const uint8_t *)names.text, names.size };
	return symtab_build(&parts);
}

static const char *name_at(const struct symtab *table, uint64_t vaddr)
{
	uint32_t index = symtab_find(table, vaddr);

	return index == SYMTAB_NONE ? "-" : symtab_get(table, index).name;
}

#define BUILD(given, overlap) build(given, NR_ITEMS(given), overlap)
#define FUNC STB_GLOBAL, STT_FUNC

static void test_empty(void **state)
{
	struct symtab *table = build(NULL, 0, SYMTAB_INNER_WINS);
	uint64_t vaddrs[] = { 0, 1, UINT64_MAX };
	uint32_t found[3] = { 0 };

	(void)state;
	assert_int_equal(symtab_nr(table), 0);
	assert_int_equal(symtab_find(table, 0), SYMTAB_NONE);
	assert_int_equal(symtab_find(table, UINT64_MAX), SYMTAB_NONE);
	symtab_find_many(table, vaddrs, 3, found);
	assert_int_equal(found[1], SYMTAB_NONE);
	assert_int_equal(symtab_find_name(table, "x"), SYMTAB_NONE);
	symtab_free(table);
	symtab_free(NULL);
}

static void test_edges(void **state)
{
	static const struct given given[] = {
		{ "high", UINT64_MAX - 16, UINT64_MAX, FUNC },
		{ "b", 0x2000, 0x2010, FUNC },
		{ "zero", 0, 1, FUNC },
		{ "a", 0x1000, 0x1010, FUNC },
	};
	struct symtab *table = BUILD(given, SYMTAB_INNER_WINS);

	(void)state;
	assert_string_equal(name_at(table, 0), "zero");
	assert_string_equal(name_at(table, 1), "-");
	assert_string_equal(name_at(table, 0xfff), "-");
	assert_string_equal(name_at(table, 0x1000), "a");
	assert_string_equal(name_at(table, 0x100f), "a");
	assert_string_equal(name_at(table, 0x1010), "-");
	assert_string_equal(name_at(table, 0x2000), "b");
	assert_string_equal(name_at(table, UINT64_MAX - 1), "high");
	assert_string_equal(name_at(table, UINT64_MAX), "-");
	assert_int_equal(symtab_find_name(table, "b"), 2);
	symtab_free(table);
}

/* Without sizes: up to the next one; the last up to a page border. */
static void test_no_sizes(void **state)
{
	static const struct given given[] = {
		{ "a", 0x1000, 0x1000, FUNC },
		{ "b", 0x1100, 0x1100, FUNC },
	};
	struct symtab *table = BUILD(given, SYMTAB_INNER_WINS);

	(void)state;
	assert_string_equal(name_at(table, 0x10ff), "a");
	assert_string_equal(name_at(table, 0x1100), "b");
	assert_string_equal(name_at(table, 0x2fff), "b");
	assert_string_equal(name_at(table, 0x3000), "-");
	symtab_free(table);
}

/* One case a name that wins: as perf 7.2 was seen to show them. */
static void test_choice_of_names(void **state)
{
	static const struct given given[] = {
		{ "weak_name_that_is_long", 0x100, 0x110, STB_WEAK, STT_FUNC },
		{ "win_global", 0x100, 0x110, FUNC },
		{ "win_local", 0x200, 0x210, STB_LOCAL, STT_FUNC },
		{ "weak_longer_than_local", 0x200, 0x210, STB_WEAK, STT_FUNC },
		{ "local_longer_than_global", 0x300, 0x310, STB_LOCAL, STT_FUNC },
		{ "win", 0x300, 0x310, FUNC },
		{ "__underscored_name", 0x400, 0x410, FUNC },
		{ "_underscored_less", 0x400, 0x410, FUNC },
		{ "win_plain", 0x400, 0x410, FUNC },
		{ "short", 0x500, 0x510, FUNC },
		{ "win_the_longest", 0x500, 0x510, FUNC },
		{ "longer_one", 0x500, 0x510, FUNC },
		{ "win_a", 0x600, 0x610, FUNC },
		{ "not_b", 0x600, 0x610, FUNC },
		{ "win_b", 0x700, 0x710, FUNC },
		{ "not_a", 0x700, 0x710, FUNC },
		{ "label_with_a_long_name", 0x800, 0x810, STB_GLOBAL, STT_NOTYPE },
		{ "win_f", 0x800, 0x810, STB_LOCAL, STT_FUNC },
		{ "no_size_and_long_name", 0x900, 0x900, FUNC },
		{ "win_size", 0x900, 0x910, STB_LOCAL, STT_FUNC },
		{ "sized", 0xa00, 0xa10, FUNC },
		{ "win_no_size_but_last", 0xa00, 0xa00, FUNC },
		{ "no_size_first", 0xb00, 0xb00, FUNC },
		{ "win_l", 0xb00, 0xb00, FUNC },
	};
	struct symtab *table = BUILD(given, SYMTAB_INNER_WINS);

	(void)state;
	for (uint64_t vaddr = 0x100; vaddr < 0xc00; vaddr += 0x100)
		assert_memory_equal(name_at(table, vaddr), "win", 3);
	assert_int_equal(symtab_nr(table), 11);
	symtab_free(table);
}

/* Mangled names compete as they read. */
static void test_choice_of_mangled_names(void **state)
{
	static const struct given given[] = {
		{ "_ZN1oC2Ev", 0x100, 0x110, FUNC },
		{ "_ZN1oC1Ev", 0x100, 0x110, FUNC },
		{ "_Z1p1A", 0x200, 0x210, FUNC },
		{ "_Z1pSt6vectorIiSaIiEE", 0x200, 0x210, FUNC },
		{ "_ZN10pppppppppp1pEv", 0x200, 0x210, FUNC },
		{ "_Z4__qqv", 0x300, 0x310, FUNC },
		{ "_Z2qqv", 0x300, 0x310, FUNC },
	};
	struct symtab *table = BUILD(given, SYMTAB_INNER_WINS);

	(void)state;
	assert_string_equal(name_at(table, 0x100), "_ZN1oC2Ev");
#ifdef HAVE_IBERTY
	assert_string_equal(name_at(table, 0x200), "_Z1pSt6vectorIiSaIiEE");
	assert_string_equal(name_at(table, 0x300), "_Z2qqv");
#endif
	symtab_free(table);
}

static void test_nested(void **state)
{
	static const struct given given[] = {
		{ "outer", 0x100, 0x200, FUNC },
		{ "inner", 0x120, 0x140, FUNC },
		{ "innermost", 0x128, 0x130, FUNC },
		{ "tail", 0x1f0, 0x220, FUNC },
		{ "loop", 0x180, 0x180, STB_LOCAL, STT_NOTYPE },
		{ "entry", 0x190, 0x190, STB_GLOBAL, STT_NOTYPE },
	};
	struct symtab *table = BUILD(given, SYMTAB_INNER_WINS);
	uint32_t index = symtab_find(table, 0x150);

	(void)state;
	assert_string_equal(name_at(table, 0x100), "outer");
	assert_string_equal(name_at(table, 0x120), "inner");
	assert_string_equal(name_at(table, 0x128), "innermost");
	assert_string_equal(name_at(table, 0x130), "inner");
	assert_string_equal(name_at(table, 0x140), "outer");
	assert_string_equal(name_at(table, 0x180), "outer");
	assert_string_equal(name_at(table, 0x190), "entry");
	assert_string_equal(name_at(table, 0x1f0), "tail");
	assert_string_equal(name_at(table, 0x21f), "tail");
	assert_string_equal(name_at(table, 0x220), "-");
	/* One symbol, though it is in pieces. */
	assert_int_equal(index, symtab_find(table, 0x100));
	assert_int_equal(symtab_get(table, index).start, 0x100);
	assert_int_equal(symtab_get(table, index).end, 0x200);
	symtab_free(table);
}

/* Against the definition, address by address. */
static void check_random(enum symtab_overlap overlap, size_t nr, uint64_t range, uint64_t longest)
{
	struct given *given = xcalloc(nr, sizeof(*given));
	char(*names)[16] = xcalloc(nr, sizeof(*names));
	uint64_t *vaddrs = xcalloc(range, sizeof(*vaddrs));
	uint32_t *many = xcalloc(range, sizeof(*many));
	struct symtab *table;

	for (size_t i = 0; i < nr; i++) {
		snprintf(names[i], sizeof(names[i]), "n%zu", i);
		given[i] = (struct given){ .name = names[i], .binding = STB_GLOBAL, .type = STT_FUNC };
		given[i].start = random_number() % range;
		given[i].end = given[i].start + 1 + random_number() % longest;
		/* Equal starts are for the choice of names, which has its own test. */
		for (size_t j = 0; j < i && overlap == SYMTAB_INNER_WINS; j++)
			if (given[j].start == given[i].start)
				given[i].start = range * 2 + i * 2 * longest,
				given[i].end = given[i].start + 1, j = i;
	}
	table = build(given, nr, overlap);
	for (uint64_t vaddr = 0; vaddr < range; vaddr++)
		vaddrs[vaddr] = vaddr;
	symtab_find_many(table, vaddrs, range, many);
	for (uint64_t vaddr = 0; vaddr < range; vaddr++) {
		const struct given *best = NULL;

		for (size_t i = 0; i < nr; i++) {
			if (vaddr < given[i].start || vaddr >= given[i].end)
				continue;
			if (overlap == SYMTAB_NEWER_WINS || !best || given[i].start > best->start)
				best = &given[i];
		}
		assert_string_equal(name_at(table, vaddr), best ? best->name : "-");
		assert_int_equal(many[vaddr], symtab_find(table, vaddr));
	}
	symtab_free(table);
	free(given);
	free(names);
	free(vaddrs);
	free(many);
}

static void test_random_tables(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		check_random(SYMTAB_INNER_WINS, 1 + random_number() % 60, 500, 1 + random_number() % 60);
		check_random(SYMTAB_NEWER_WINS, 1 + random_number() % 60, 500, 1 + random_number() % 60);
	}
}

/* Many in one place, few far away: the index must not degenerate. */
static void test_skewed(void **state)
{
	enum { NR = 20000 };
	struct given *given = xcalloc(NR + 1, sizeof(*given));
	struct symtab *table;

	(void)state;
	for (size_t i = 0; i < NR; i++)
		given[i] = (struct given){ "x", 0x1000 + 16 * i, 0x1000 + 16 * i + 8, FUNC };
	given[NR] = (struct given){ "far", 0xffffffff00000000, 0xffffffff00000010, FUNC };
	table = build(given, NR + 1, SYMTAB_INNER_WINS);
	for (size_t i = 0; i < NR; i++) {
		assert_int_equal(symtab_find(table, 0x1000 + 16 * i + 7), i);
		assert_int_equal(symtab_find(table, 0x1000 + 16 * i + 8), SYMTAB_NONE);
	}
	assert_string_equal(name_at(table, 0xffffffff0000000f), "far");
	symtab_free(table);
	free(given);
}

/* ---- tables from files ------------------------------------------------------------------------- */

static struct symtab *table_of(struct elf_make *make, struct elf_image **ret_image)
{
	struct symtab *table;

	assert_int_equal(elf_image_open_memory(elf_make_bytes(make), "made", ret_image, NULL), 0);
	assert_int_equal(symtab_from_image(*ret_image, *ret_image, &table, NULL), 0);
	return table;
}

static void test_what_counts(void **state)
{
	(void)state;
	for (unsigned variant = 0; variant < 4; variant++) {
		struct elf_make *make = elf_make_new(variant & 1 ? 32 : 64, variant & 2, ET_DYN, EM_ARM);
		unsigned text, debug;
		struct elf_image *image;
		struct symtab *table;

		text = elf_make_section(make, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL,
					0x1000);
		debug = elf_make_section(make, ".debug", SHT_PROGBITS, 0, 0, "x", 1);
		elf_make_symbol(make, false, "$a", STB_LOCAL, STT_NOTYPE, text, 0x1000, 0);
		elf_make_symbol(make, false, "$d.12", STB_LOCAL, STT_NOTYPE, text, 0x1004, 0);
		elf_make_symbol(make, false, "", STB_LOCAL, STT_SECTION, text, 0x1000, 0);
		elf_make_symbol(make, false, "file.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
		elf_make_symbol(make, false, "absolute", STB_GLOBAL, STT_NOTYPE, SHN_ABS, 0x1010, 0);
		elf_make_symbol(make, false, "undefined", STB_GLOBAL, STT_FUNC, SHN_UNDEF, 0x1020, 8);
		elf_make_symbol(make, false, "thread_local", STB_GLOBAL, STT_TLS, text, 0x1030, 8);
		elf_make_symbol(make, false, "of_debug", STB_GLOBAL, STT_OBJECT, debug, 0x1040, 8);
		elf_make_symbol(make, false, "wild_section", STB_GLOBAL, STT_FUNC, 0x7000, 0x1050, 8);
		elf_make_symbol(make, false, "thumb", STB_GLOBAL, STT_FUNC, text, 0x1101, 8);
		elf_make_symbol(make, false, "label", STB_GLOBAL, STT_NOTYPE, text, 0x1ff0, 0);
		table = table_of(make, &image);
		assert_int_equal(symtab_nr(table), 2);
		assert_string_equal(name_at(table, 0x1100), "thumb");
		assert_string_equal(name_at(table, 0x1107), "thumb");
		assert_string_equal(name_at(table, 0x1108), "-");
		/* Up to the end of its section. */
		assert_string_equal(name_at(table, 0x1fff), "label");
		assert_string_equal(name_at(table, 0x2000), "-");
		symtab_free(table);
		elf_image_close(image);
		elf_make_free(make);
	}
}

static void test_dynamic_symbols(void **state)
{
	struct elf_make *make = elf_make_new(64, false, ET_DYN, EM_X86_64);
	unsigned text = elf_make_section(make, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL,
					 0x1000);
	struct elf_image *image;
	struct symtab *table;

	(void)state;
	elf_make_symbol(make, true, "exported", STB_GLOBAL, STT_FUNC, text, 0x1010, 0x10);
	elf_make_symbol(make, true, "resolver", STB_GLOBAL, STT_GNU_IFUNC, text, 0x1020, 0x10);
	table = table_of(make, &image);
	assert_string_equal(name_at(table, 0x1018), "exported");
	assert_string_equal(name_at(table, 0x1020), "resolver");
	symtab_free(table);
	elf_image_close(image);
	elf_make_free(make);
}

static void test_damaged_table(void **state)
{
	struct elf_make *make = elf_make_new(64, false, ET_DYN, EM_X86_64);
	unsigned text = elf_make_section(make, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL,
					 0x1000);
	unsigned symbols, strings;
	Elf64_Sym raw[3] = { { 0 } };
	struct elf_image *image;
	struct symtab *table;

	(void)state;
	/* Names outside of their table, a table that does not end, a symbol that wraps around. */
	raw[1] = (Elf64_Sym){ .st_name = 1000,
			      .st_info = STB_GLOBAL << 4 | STT_FUNC,
			      .st_shndx = (uint16_t)text,
			      .st_value = 0x1000,
			      .st_size = 16 };
	raw[2] = (Elf64_Sym){ .st_name = 1,
			      .st_info = STB_GLOBAL << 4 | STT_FUNC,
			      .st_shndx = (uint16_t)text,
			      .st_value = 0x1100,
			      .st_size = UINT64_MAX };
	symbols = elf_make_section(make, ".symtab", SHT_SYMTAB, 0, 0, raw, sizeof(raw));
	strings = elf_make_section(make, ".strtab", SHT_STRTAB, 0, 0, "\0good\0bad", 9);
	elf_make_link(make, symbols, strings, 1, sizeof(*raw));
	table = table_of(make, &image);
	assert_int_equal(symtab_nr(table), 1);
	assert_string_equal(name_at(table, 0x1100), "good");
	symtab_free(table);
	elf_image_close(image);
	elf_make_free(make);
}

/* jmp *slot(%rip), with a relocation for the slot. */
static void test_plt(void **state)
{
	static uint8_t code[64] = {
		0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, /* the head */
	};
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2 };
	struct elf_make *make = elf_make_new(64, false, ET_DYN, EM_X86_64);
	Elf64_Rela relocations[3] = { { 0 } };
	struct elf_image *image;
	struct symtab *table;
	unsigned plt, text, rela;

	(void)state;
	/* Stub 1 uses slot 0x5010, stub 2 0x5008 behind endbr64 bnd, stub 3 an ifunc's 0x5018. */
	code[16] = 0xff, code[17] = 0x25;
	elf_make_u32(make, code + 18, 0x5010 - 0x2016);
	memcpy(code + 32, endbr, sizeof(endbr));
	code[37] = 0xff, code[38] = 0x25;
	elf_make_u32(make, code + 39, 0x5008 - 0x202b);
	code[48] = 0xff, code[49] = 0x25;
	elf_make_u32(make, code + 50, 0x5018 - 0x2036);
	plt = elf_make_section(make, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x2000, code,
			       sizeof(code));
	elf_make_link(make, plt, 0, 0, 16);
	text = elf_make_section(make, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x3000, NULL, 0x1000);
	relocations[0] = (Elf64_Rela){ 0x5008, ELF64_R_INFO(1, R_X86_64_JUMP_SLOT), 0 };
	relocations[1] = (Elf64_Rela){ 0x5010, ELF64_R_INFO(2, R_X86_64_JUMP_SLOT), 0 };
	relocations[2] = (Elf64_Rela){ 0x5018, ELF64_R_INFO(0, R_X86_64_IRELATIVE), 0x3100 };
	rela = elf_make_section(make, ".rela.plt", SHT_RELA, SHF_ALLOC, 0x600, relocations,
				sizeof(relocations));
	elf_make_link(make, rela, 4, plt, sizeof(*relocations)); /* .dynsym comes next */
	elf_make_symbol(make, true, "first", STB_GLOBAL, STT_FUNC, SHN_UNDEF, 0, 0);
	elf_make_symbol(make, true, "second", STB_GLOBAL, STT_FUNC, SHN_UNDEF, 0, 0);
	elf_make_symbol(make, true, "chosen", STB_GLOBAL, STT_GNU_IFUNC, text, 0x3100, 16);
	table = table_of(make, &image);
	assert_string_equal(name_at(table, 0x2000), ".plt");
	assert_string_equal(name_at(table, 0x2010), "second@plt");
	assert_string_equal(name_at(table, 0x201f), "second@plt");
	assert_string_equal(name_at(table, 0x2020), "first@plt");
	assert_string_equal(name_at(table, 0x203f), "chosen@plt");
	assert_string_equal(name_at(table, 0x2040), "-");
	assert_true(symtab_get(table, symtab_find(table, 0x2010)).is_plt);
	assert_false(symtab_get(table, symtab_find(table, 0x3100)).is_plt);
	symtab_free(table);
	elf_image_close(image);
	elf_make_free(make);
}

static const char *const real_files[] = {
	"/proc/self/exe",
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib/aarch64-linux-gnu/libc.so.6",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/bin/python3",
	"/usr/bin/node",
};

/* Every function that libelf sees is found at its start, and up to its end unless another one begins. */
static void test_real_files(void **state)
{
	(void)state;
	elf_version(EV_CURRENT);
	for (size_t k = 0; k < NR_ITEMS(real_files); k++) {
		int fd = open(real_files[k], O_RDONLY);
		struct elf_image *image;
		struct symtab *table;
		Elf_Data *data;
		Elf_Scn *section = NULL, *wanted = NULL;
		GElf_Shdr header;
		Elf *elf;

		if (fd < 0)
			continue;
		assert_int_equal(elf_image_open_fd(fd, real_files[k], &image, NULL), 0);
		assert_int_equal(symtab_from_image(image, image, &table, NULL), 0);
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		while ((section = elf_nextscn(elf, section))) {
			gelf_getshdr(section, &header);
			if (header.sh_type == SHT_SYMTAB || (header.sh_type == SHT_DYNSYM && !wanted))
				wanted = section;
		}
		assert_non_null(wanted);
		gelf_getshdr(wanted, &header);
		data = elf_getdata(wanted, NULL);
		for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
			struct symtab_symbol found;
			GElf_Sym symbol;

			gelf_getsym(data, (int)i, &symbol);
			if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
			    !symbol.st_size)
				continue;
			assert_int_not_equal(symtab_find(table, symbol.st_value), SYMTAB_NONE);
			found = symtab_get(table, symtab_find(table, symbol.st_value));
			assert_int_equal(found.start, symbol.st_value);
			assert_true(*found.name);
			found = symtab_get(table, symtab_find(table, symbol.st_value + symbol.st_size / 2));
			assert_true(found.start >= symbol.st_value);
		}
		elf_end(elf);
		symtab_free(table);
		elf_image_close(image);
		close(fd);
	}
}

/* This program calls through its own PLT and knows its own functions. */
static void test_self(void **state)
{
	struct elf_image *image;
	struct symtab *table;
	uint32_t index;

	(void)state;
	assert_int_equal(elf_image_open("/proc/self/exe", &image, NULL), 0);
	assert_int_equal(symtab_from_image(image, image, &table, NULL), 0);
	index = symtab_find_name(table, "test_self");
	assert_int_not_equal(index, SYMTAB_NONE);
	assert_int_equal(symtab_get(table, index).type, STT_FUNC);
	assert_int_equal(symtab_get(table, index).binding, STB_LOCAL);
	symtab_free(table);
	elf_image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_no_sizes),
		cmocka_unit_test(test_choice_of_names),
		cmocka_unit_test(test_choice_of_mangled_names),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_random_tables),
		cmocka_unit_test(test_skewed),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_dynamic_symbols),
		cmocka_unit_test(test_damaged_table),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_real_files),
		cmocka_unit_test(test_self),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
