/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_IMAGE_H
#define ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

/*
 * One ELF file (or the bytes of one): either class, either byte order, any machine. Opened images are
 * immutable to the outside and may be read by many threads.
 *
 * Three kinds of address, never mixed: `addr` is where a process has it, `vaddr` is as linked,
 * `offset` is in the file.
 */
struct elf_image;

struct elf_header {
	uint8_t bits; /* 32 or 64 */
	bool swap; /* numbers have the other byte order than this machine */
	uint8_t os_abi;
	uint16_t type; /* ET_* */
	uint16_t machine; /* EM_* */
	uint32_t flags;
	uint64_t entry; /* vaddr */
};

/* The 64-bit section header, in this machine's byte order. In an ET_REL file (a kernel module, an object
 * file) `addr` is assigned here: see elf_image_open. */
struct elf_section {
	uint32_t name; /* offset in the section name table */
	uint32_t type; /* SHT_* */
	uint64_t flags; /* SHF_* */
	uint64_t addr; /* vaddr; 0 for what is not loaded */
	uint64_t offset;
	uint64_t size; /* as in the file: compressed size for compressed sections */
	uint32_t link;
	uint32_t info;
	uint64_t align;
	uint64_t entry_size;
};

struct elf_segment {
	uint32_t type; /* PT_* */
	uint32_t flags; /* PF_* */
	uint64_t offset;
	uint64_t vaddr;
	uint64_t file_size;
	uint64_t mem_size;
	uint64_t align;
};

/*
 * Opens and checks the headers; contents are touched when asked for. 0; -ENOENT and the like; -ENOEXEC
 * when it is no ELF file; -EBADMSG when its headers are damaged or point outside of the file.
 *
 * The sections of an ET_REL file get the vaddrs that the kernel's module loader gives them: executable
 * ones first, in file order, from 0, then the rest, then .init*; so for a module, vaddr = addr - start of
 * its text.
 */
int elf_image_open(const char *path, struct elf_image **ret_image, struct err *err);
/* As elf_image_open, for a file that may be compressed as a whole (xz, zstd, gzip): kernel modules. */
int elf_image_open_module(const char *path, struct elf_image **ret_image, struct err *err);
/* The fd is not kept. `name` is for messages. */
int elf_image_open_fd(int fd, const char *name, struct elf_image **ret_image, struct err *err);
/* The bytes stay the caller's and must outlive the image. A section table outside of the bytes is taken as
 * absent: memory of a running process ends with the last segment. */
int elf_image_open_memory(struct span bytes, const char *name, struct elf_image **ret_image, struct err *err);
void elf_image_close(struct elf_image *image);

const char *elf_image_name(const struct elf_image *image); /* the path, or what open was told */
struct span elf_image_bytes(const struct elf_image *image);
/* The same bytes for a library that wants to write into them (libelf rewrites headers as it decompresses): what is written
 * is seen by this process only and does not change what the functions here answer. NULL for memory of others. */
void *elf_image_private_bytes(struct elf_image *image);
const struct elf_header *elf_image_header(const struct elf_image *image);

const struct elf_section *elf_image_sections(const struct elf_image *image, size_t *ret_nr);
const char *elf_image_section_name(const struct elf_image *image, const struct elf_section *section);
/* By name; ".debug_x" also finds ".zdebug_x". NULL: none. */
const struct elf_section *elf_image_find_section(const struct elf_image *image, const char *name);
/* The first of this SHT_*; NULL: none. */
const struct elf_section *elf_image_find_section_type(const struct elf_image *image, uint32_t type);
/* The section's bytes: in place, or decompressed once and kept with the image. SHT_NOBITS gives an empty span.
 * -EBADMSG when it does not lie in the file or does not decompress. */
int elf_image_section_data(struct elf_image *image, const struct elf_section *section, struct span *ret_data,
			   struct err *err);
/* The section that a vaddr lies in (loaded sections only); NULL: none. */
const struct elf_section *elf_image_section_at(const struct elf_image *image, uint64_t vaddr);
/* A string of a string table: "" when the offset is outside or the string does not end. */
const char *elf_image_string(struct span strings, uint64_t offset);

const struct elf_segment *elf_image_segments(const struct elf_image *image, size_t *ret_nr);
/* What is mapped from this file offset; executable segments are asked first, because pages at the border of two
 * segments are mapped twice. Files without segments answer by section. */
bool elf_image_vaddr_of(const struct elf_image *image, uint64_t offset, uint64_t *ret_vaddr);
bool elf_image_offset_of(const struct elf_image *image, uint64_t vaddr, uint64_t *ret_offset);
/* The file's bytes at a vaddr up to the end of its segment; empty when there are none (.bss, nothing loaded). */
struct span elf_image_data_at(const struct elf_image *image, uint64_t vaddr);
/* Lowest vaddr of a PT_LOAD, rounded down to its page: what a load bias is counted from. */
uint64_t elf_image_base(const struct elf_image *image);

bool elf_image_has_symtab(const struct elf_image *image); /* .symtab with symbols in it: not stripped */
bool elf_image_has_dynsym(const struct elf_image *image);
bool elf_image_has_debug_info(const struct elf_image *image); /* .debug_info */
bool elf_image_has_debug_line(const struct elf_image *image);
bool elf_image_has_eh_frame(const struct elf_image *image);
bool elf_image_has_eh_frame_hdr(const struct elf_image *image);

/* The ELF file packed in .gnu_debugdata (function symbols that a distribution's strip left); it belongs to the
 * image. 0 with NULL when there is none. */
int elf_image_debugdata(struct elf_image *image, struct elf_image **ret_inner, struct err *err);

/* Name and checksum of .gnu_debuglink; false: none. */
bool elf_image_debuglink(struct elf_image *image, const char **ret_name, uint32_t *ret_crc);

/* Numbers of the file in this machine's order, from bytes that the caller has checked to be there. */
static inline uint16_t elf_u16(const void *pos, bool swap)
{
	uint16_t value;

	__builtin_memcpy(&value, pos, sizeof(value));
	return swap ? __builtin_bswap16(value) : value;
}

static inline uint32_t elf_u32(const void *pos, bool swap)
{
	uint32_t value;

	__builtin_memcpy(&value, pos, sizeof(value));
	return swap ? __builtin_bswap32(value) : value;
}

static inline uint64_t elf_u64(const void *pos, bool swap)
{
	uint64_t value;

	__builtin_memcpy(&value, pos, sizeof(value));
	return swap ? __builtin_bswap64(value) : value;
}

#endif
