/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "elf/image.h"
#include "lib/elf_make.h"

/* Whatever of these is there; a test program itself always is. */
static const char *const real_files[] = {
	"/proc/self/exe",
	"/bin/ls",
	"/bin/bash",
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib/aarch64-linux-gnu/libc.so.6",
	"/lib64/libc.so.6",
	"/usr/bin/python3",
	"/usr/bin/node",
	"/usr/bin/gcc",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
};

/* libelf reads the same headers out of every file. */
static void test_real_files(void **state)
{
	unsigned nr_files = 0;

	(void)state;
	elf_version(EV_CURRENT);
	for (size_t k = 0; k < NR_ITEMS(real_files); k++) {
		const struct elf_section *sections;
		const struct elf_segment *segments;
		size_t nr, nr_libelf, names;
		struct elf_image *image;
		GElf_Ehdr header;
		int fd = open(real_files[k], O_RDONLY);
		Elf *elf;

		if (fd < 0)
			continue;
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		assert_non_null(gelf_getehdr(elf, &header));
		assert_int_equal(elf_image_open(real_files[k], &image, NULL), 0);
		assert_int_equal(elf_image_header(image)->machine, header.e_machine);
		assert_int_equal(elf_image_header(image)->type, header.e_type);
		assert_int_equal(elf_image_header(image)->entry, header.e_entry);
		sections = elf_image_sections(image, &nr);
		elf_getshdrnum(elf, &nr_libelf);
		elf_getshdrstrndx(elf, &names);
		assert_int_equal(nr, nr_libelf);
		for (size_t i = 0; i < nr; i++) {
			GElf_Shdr section;

			gelf_getshdr(elf_getscn(elf, i), &section);
			assert_int_equal(sections[i].type, section.sh_type);
			assert_int_equal(sections[i].flags, section.sh_flags);
			assert_int_equal(sections[i].addr, section.sh_addr);
			assert_int_equal(sections[i].offset, section.sh_offset);
			assert_int_equal(sections[i].size, section.sh_size);
			assert_int_equal(sections[i].link, section.sh_link);
			assert_int_equal(sections[i].entry_size, section.sh_entsize);
			assert_string_equal(elf_image_section_name(image, &sections[i]),
					    elf_strptr(elf, names, section.sh_name));
		}
		segments = elf_image_segments(image, &nr);
		elf_getphdrnum(elf, &nr_libelf);
		assert_int_equal(nr, nr_libelf);
		for (size_t i = 0; i < nr; i++) {
			uint64_t value;
			GElf_Phdr segment;

			gelf_getphdr(elf, (int)i, &segment);
			assert_int_equal(segments[i].type, segment.p_type);
			assert_int_equal(segments[i].offset, segment.p_offset);
			assert_int_equal(segments[i].vaddr, segment.p_vaddr);
			assert_int_equal(segments[i].file_size, segment.p_filesz);
			assert_int_equal(segments[i].mem_size, segment.p_memsz);
			if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
				continue;
			assert_true(elf_image_vaddr_of(image, segment.p_offset + 5, &value));
			assert_int_equal(value, segment.p_vaddr + 5);
			assert_true(elf_image_offset_of(image, segment.p_vaddr + 7, &value));
			assert_int_equal(value, segment.p_offset + 7);
			assert_int_equal(elf_image_data_at(image, segment.p_vaddr).size, segment.p_filesz);
		}
		elf_image_close(image);
		elf_end(elf);
		close(fd);
		nr_files++;
	}
	assert_true(nr_files >= 1);
}

static void test_self(void **state)
{
	const struct elf_section *section;
	struct elf_image *image;

	(void)state;
	assert_int_equal(elf_image_open("/proc/self/exe", &image, NULL), 0);
	assert_int_equal(elf_image_header(image)->bits, sizeof(void *) * 8);
	assert_false(elf_image_header(image)->swap);
	assert_true(elf_image_has_symtab(image));
	assert_true(elf_image_has_eh_frame(image));
	section = elf_image_section_at(image, elf_image_header(image)->entry);
	assert_non_null(section);
	assert_string_equal(elf_image_section_name(image, section), ".text");
	assert_null(elf_image_find_section(image, ".no_such"));
	elf_image_close(image);
}

static struct elf_make *make_small(unsigned bits, bool big)
{
	struct elf_make *make = elf_make_new(bits, big, ET_DYN, bits == 64 ? EM_X86_64 : EM_PPC);
	unsigned text;

	text = elf_make_section(make, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x401000,
				"0123456789abcdef", 16);
	elf_make_section(make, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x402000, NULL, 4096);
	elf_make_segment(make, PT_LOAD, PF_R | PF_X, text, text);
	elf_make_symbol(make, false, "f", STB_GLOBAL, STT_FUNC, text, 0x401004, 4);
	return make;
}

static void test_classes_and_orders(void **state)
{
	(void)state;
	for (unsigned variant = 0; variant < 4; variant++) {
		struct elf_make *make = make_small(variant & 1 ? 32 : 64, variant & 2);
		struct elf_image *image;
		struct span data;
		uint64_t value;

		assert_int_equal(elf_image_open_memory(elf_make_bytes(make), "made", &image, NULL), 0);
		assert_int_equal(elf_image_header(image)->bits, variant & 1 ? 32 : 64);
		assert_int_equal(elf_image_header(image)->entry, 0x1234);
		assert_true(elf_image_has_symtab(image));
		assert_false(elf_image_has_dynsym(image));
		assert_int_equal(elf_image_section_data(image, elf_image_find_section(image, ".text"), &data,
							NULL),
				 0);
		assert_int_equal(data.size, 16);
		assert_memory_equal(data.data, "0123456789abcdef", 16);
		assert_int_equal(
			elf_image_section_data(image, elf_image_find_section(image, ".bss"), &data, NULL), 0);
		assert_int_equal(data.size, 0);
		assert_true(elf_image_offset_of(image, 0x401003, &value));
		assert_true(elf_image_vaddr_of(image, value, &value));
		assert_int_equal(value, 0x401003);
		assert_false(elf_image_offset_of(image, 0x402000, &value));
		assert_int_equal(elf_image_data_at(image, 0x401003).data[0], '3');
		assert_int_equal(elf_image_data_at(image, 0x401003).size, 13);
		assert_int_equal(elf_image_base(image), 0x401000);
		elf_image_close(image);
		elf_make_free(make);
	}
}

/* Cut off anywhere, as a file an error or a smaller truth, never a wrong byte. */
static void test_cut_off(void **state)
{
	struct elf_make *make = make_small(64, false);
	struct span bytes = elf_make_bytes(make);

	(void)state;
	for (size_t size = 0; size < bytes.size; size += size < 128 ? 1 : 37) {
		uint8_t *copy = malloc(size + 1);
		struct err err = { 0 };
		struct elf_image *image;
		int ret;

		memcpy(copy, bytes.data, size);
		ret = elf_image_open_memory((struct span){ copy, size }, "cut", &image, &err);
		if (ret) {
			assert_true(ret == -ENOEXEC || ret == -EBADMSG);
			assert_true(err.text[0]);
			assert_null(image);
		} else {
			size_t nr;

			elf_image_sections(image, &nr);
			assert_int_equal(nr, 0);
			elf_image_close(image);
		}
		free(copy);
	}
	elf_make_free(make);
}

static void test_not_elf(void **state)
{
	struct elf_image *image;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(elf_image_open("/etc/passwd", &image, &err), -ENOEXEC);
	assert_string_equal(err.text, "/etc/passwd: not an ELF file");
	assert_int_equal(elf_image_open("/no/such/file", &image, &err), -ENOENT);
	assert_int_equal(elf_image_open("/dev", &image, &err), -EINVAL);
}

/* Wild numbers in the headers: errors with the file's name, nothing large is allocated. */
static void test_wild_headers(void **state)
{
	static const struct {
		size_t offset;
		unsigned size;
		uint64_t value;
	} cases[] = {
		{ 0x28, 8, UINT64_MAX }, /* section headers */
		{ 0x28, 8, 0x7fffffffffffffff },
		{ 0x20, 8, UINT64_MAX - 8 }, /* program headers */
		{ 0x3c, 2, 0xfffe }, /* number of sections */
		{ 0x38, 2, 0xfffe }, /* of segments */
		{ 0x3a, 2, 1 }, /* size of a section header */
		{ 0x36, 2, 0 }, /* of a program header */
		{ 0x3e, 2, 0xfff0 }, /* section name table */
	};
	char path[] = "/tmp/sonde-elf-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(cases); i++) {
		struct elf_make *make = make_small(64, false);
		struct span bytes = elf_make_bytes(make);
		struct err err = { 0 };
		struct elf_image *image;
		int ret;

		memcpy((uint8_t *)bytes.data + cases[i].offset, &cases[i].value, cases[i].size);
		assert_int_equal(pwrite(fd, bytes.data, bytes.size, 0), bytes.size);
		ret = elf_image_open(path, &image, &err);
		if (ret) {
			assert_int_equal(ret, -EBADMSG);
			assert_non_null(strstr(err.text, path));
		}
		elf_image_close(image);
		elf_make_free(make);
	}
	close(fd);
	unlink(path);
}

static struct elf_image *image_with_section(struct elf_make *make, const char *name, uint64_t flags,
					    const void *data, size_t size)
{
	struct elf_image *image;

	elf_make_section(make, name, SHT_PROGBITS, flags, 0, data, size);
	assert_int_equal(elf_image_open_memory(elf_make_bytes(make), "made", &image, NULL), 0);
	return image;
}

static void test_compressed_sections(void **state)
{
	static uint8_t text[100000], packed[100000];
	uLongf packed_size = sizeof(packed) - 64;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i % 251 * (i / 1000));
	assert_int_equal(compress(packed + 64, &packed_size, text, sizeof(text)), Z_OK);
	for (unsigned variant = 0; variant < 8; variant++) {
		struct elf_make *make = elf_make_new(variant & 1 ? 32 : 64, variant & 2, ET_DYN, EM_X86_64);
		uint64_t claim = variant & 4 ? UINT64_C(0x7fffffff) : sizeof(text);
		size_t head = variant & 1 ? 12 : 24;
		uint8_t *data = packed + 64 - head;
		struct elf_image *image;
		struct span out;
		int ret;

		memset(data, 0, head);
		elf_make_u32(make, data, ELFCOMPRESS_ZLIB);
		if (variant & 1)
			elf_make_u32(make, data + 4, (uint32_t)claim);
		else
			elf_make_u64(make, data + 8, claim);
		image = image_with_section(make, ".debug_str", SHF_COMPRESSED, data, head + packed_size);
		ret = elf_image_section_data(image, elf_image_find_section(image, ".debug_str"), &out, NULL);
		if (variant & 4) {
			assert_int_equal(ret, -EBADMSG);
		} else {
			struct span again;

			assert_int_equal(ret, 0);
			assert_int_equal(out.size, sizeof(text));
			assert_memory_equal(out.data, text, sizeof(text));
			elf_image_section_data(image, elf_image_find_section(image, ".debug_str"), &again,
					       NULL);
			assert_ptr_equal(again.data, out.data);
		}
		elf_image_close(image);
		elf_make_free(make);
	}
}

static void test_old_compression(void **state)
{
	static const char text[] = "the old way: ZLIB, the size in eight bytes, then the stream";
	uint8_t packed[200] = "ZLIB";
	uLongf packed_size = sizeof(packed) - 12;
	struct elf_make *make = elf_make_new(64, false, ET_DYN, EM_X86_64);
	struct elf_image *image;
	struct span out;

	(void)state;
	packed[11] = sizeof(text);
	assert_int_equal(compress(packed + 12, &packed_size, (const uint8_t *)text, sizeof(text)), Z_OK);
	image = image_with_section(make, ".zdebug_line", 0, packed, 12 + packed_size);
	assert_non_null(elf_image_find_section(image, ".debug_line"));
	assert_int_equal(
		elf_image_section_data(image, elf_image_find_section(image, ".debug_line"), &out, NULL), 0);
	assert_int_equal(out.size, sizeof(text));
	assert_string_equal((const char *)out.data, text);
	assert_true(elf_image_has_debug_line(image));
	elf_image_close(image);
	elf_make_free(make);
}

/* The module loader's order: text, the rest, init. */
static void test_module_layout(void **state)
{
	struct elf_make *make = elf_make_new(64, false, ET_REL, EM_X86_64);
	static const uint8_t code[256];
	struct elf_image *image;

	(void)state;
	elf_make_section(make, ".init.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, code, 64);
	elf_make_section(make, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, code, 64);
	elf_make_section(make, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, code, 100);
	elf_make_align(make,
		       elf_make_section(make, ".text.unlikely", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0,
					code, 8),
		       16);
	elf_make_section(make, ".comment", SHT_PROGBITS, 0, 0, code, 8);
	assert_int_equal(elf_image_open_memory(elf_make_bytes(make), "module", &image, NULL), 0);
	assert_int_equal(elf_image_find_section(image, ".text")->addr, 0);
	assert_int_equal(elf_image_find_section(image, ".text.unlikely")->addr, 112);
	assert_int_equal(elf_image_find_section(image, ".data")->addr, 4096);
	assert_int_equal(elf_image_find_section(image, ".init.text")->addr, 8192);
	assert_int_equal(elf_image_find_section(image, ".comment")->addr, 0);
	assert_ptr_equal(elf_image_section_at(image, 115), elf_image_find_section(image, ".text.unlikely"));
	elf_image_close(image);
	elf_make_free(make);
}

static void test_debuglink(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool good;
	} cases[] = {
		{ "ls.debug\0\0\0\0\x01\x02\x03\x04", 16, true },
		{ "abc\0\x01\x02\x03\x04", 8, true },
		{ "abc\0\x01\x02\x03", 7, false },
		{ "../x\0\0\0\0\x01\x02\x03\x04", 12, false },
		{ "abcdefgh", 8, false },
		{ "\0\0\0\0\x01\x02\x03\x04", 8, false },
	};

	(void)state;
	for (size_t i = 0; i < NR_ITEMS(cases); i++) {
		struct elf_make *make = elf_make_new(64, false, ET_DYN, EM_X86_64);
		struct elf_image *image = image_with_section(make, ".gnu_debuglink", 0, cases[i].bytes,
							     cases[i].size);
		const char *name;
		uint32_t crc;

		assert_int_equal(elf_image_debuglink(image, &name, &crc), cases[i].good);
		if (cases[i].good) {
			assert_string_equal(name, cases[i].bytes);
			assert_int_equal(crc, 0x04030201);
		}
		elf_image_close(image);
		elf_make_free(make);
	}
}

static void test_strings(void **state)
{
	struct span good = { (const uint8_t *)"\0abc\0de", 8 },
		    open_end = { (const uint8_t *)"\0abc\0de", 7 };

	(void)state;
	assert_string_equal(elf_image_string(good, 1), "abc");
	assert_string_equal(elf_image_string(good, 2), "bc");
	assert_string_equal(elf_image_string(good, 5), "de");
	assert_string_equal(elf_image_string(good, 8), "");
	assert_string_equal(elf_image_string(good, UINT64_MAX), "");
	assert_string_equal(elf_image_string(open_end, 1), "abc");
	assert_string_equal(elf_image_string(open_end, 5), "");
	assert_string_equal(elf_image_string((struct span){ 0 }, 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_files),
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_classes_and_orders),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_not_elf),
		cmocka_unit_test(test_wild_headers),
		cmocka_unit_test(test_compressed_sections),
		cmocka_unit_test(test_old_compression),
		cmocka_unit_test(test_module_layout),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
