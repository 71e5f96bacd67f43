/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files: headers, sections, build-ids, symbol tables, PLT, mini debug symbols; every vaddr of every symbol. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/build_id.h"
#include "elf/image.h"
#include "elf/symtab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_build_id(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct build_id id;
	char text[BUILD_ID_TEXT_SIZE];

	if (fd < 0)
		fd = memfd_create("fuzz", 0);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return;
	build_id_read_fd(fd, &id);
	build_id_print(&id, text);
}

static void read_symbols(struct elf_image *image)
{
	struct symtab *table;
	uint64_t sum = 0;

	if (symtab_from_image(image, image, &table, NULL))
		return;
	for (uint32_t i = 0; i < symtab_nr(table); i++) {
		struct symtab_symbol symbol = symtab_get(table, i);
		uint32_t found = symtab_find(table, symbol.start);

		sum += strlen(symbol.name);
		if (found != SYMTAB_NONE && symtab_get(table, found).start > symbol.start)
			abort();
		symtab_find(table, symbol.end);
		symtab_find(table, symbol.end - 1);
	}
	symtab_find_name(table, "");
	symtab_free(table);
	__asm__ volatile("" : : "r"(sum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct elf_section *sections;
	struct elf_image *image, *inner;
	struct build_id id;
	const char *name;
	uint64_t value;
	uint32_t crc;
	size_t nr;

	if (size > 1 << 18)
		return 0;
	read_build_id(data, size);
	if (elf_image_open_memory((struct span){ data, size }, "fuzz", &image, NULL))
		return 0;
	build_id_read_image(image, &id);
	sections = elf_image_sections(image, &nr);
	for (size_t i = 0; i < nr && i < 256; i++) {
		struct span part;

		elf_image_section_name(image, &sections[i]);
		elf_image_section_data(image, &sections[i], &part, NULL);
		elf_image_vaddr_of(image, sections[i].offset, &value);
		elf_image_offset_of(image, sections[i].addr, &value);
		part = elf_image_data_at(image, sections[i].addr);
		if (part.size && (part.data < data || part.data + part.size > data + size))
			abort();
	}
	elf_image_base(image);
	elf_image_debuglink(image, &name, &crc);
	elf_image_debugdata(image, &inner, NULL);
	elf_image_has_symtab(image);
	elf_image_has_eh_frame_hdr(image);
	read_symbols(image);
	elf_image_close(image);
	return 0;
}
