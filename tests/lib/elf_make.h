/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up ELF files: any class and byte order, sections and segments as told, symbol tables, notes. */
#ifndef TESTS_LIB_ELF_MAKE_H
#define TESTS_LIB_ELF_MAKE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct elf_make;

struct elf_make *elf_make_new(unsigned bits, bool big_endian, uint16_t type, uint16_t machine);
void elf_make_free(struct elf_make *make);

/* Adds a section and gives its index; data is copied. Offsets are assigned in the order of addition, from 0x1000 on; the
 * address is what it is told to be. SHT_NOBITS takes its size and no bytes. */
unsigned elf_make_section(struct elf_make *make, const char *name, uint32_t type, uint64_t flags,
			  uint64_t addr, const void *data, size_t size);
void elf_make_link(struct elf_make *make, unsigned section, uint32_t link, uint32_t info,
		   uint64_t entry_size);
void elf_make_align(struct elf_make *make, unsigned section, uint64_t align);
/* A segment over the bytes of the sections first..last. */
void elf_make_segment(struct elf_make *make, uint32_t type, uint32_t flags, unsigned first, unsigned last);
/* Adds to .symtab, or .dynsym; the tables become sections when the file is made. */
void elf_make_symbol(struct elf_make *make, bool dynamic, const char *name, uint8_t binding, uint8_t type,
		     unsigned section, uint64_t value, uint64_t size);
/* A .note.gnu.build-id with a PT_NOTE. */
void elf_make_build_id(struct elf_make *make, const void *id, size_t size);
/* Numbers in the file's byte order. */
void elf_make_u32(const struct elf_make *make, void *to, uint32_t value);
void elf_make_u64(const struct elf_make *make, void *to, uint64_t value);
/* The file; the bytes belong to make. Nothing can be added afterwards. */
struct span elf_make_bytes(struct elf_make *make);

#endif
