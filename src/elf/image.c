/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own reader of ELF headers, over the mapped file.
 *
 * libelf could do this, but it allocates per section, copies what is not native and is not safe to
 * share between threads; a profile touches hundreds of files for one number each. Here a file is
 * mapped, the two header tables are turned into native 64-bit rows once, and everything else is a
 * bounds-checked view into the mapping.
 *
 * Nothing in the file is believed: counts are limited by what fits into the file, every view is
 * checked when it is asked for, strings must end inside of their table. (A file that is truncated
 * while it is mapped still kills its reader with SIGBUS, as with every tool that maps; packages are
 * replaced by rename, which is harmless.)
 */
#include "elf/image.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "elf/inflate.h"

struct elf_image {
	struct span bytes;
	struct file_map map; /* what to unmap; zero for memory of others */
	struct inflated whole; /* of a file that was compressed as a whole */
	char *name;
	struct elf_header header;
	struct elf_section *sections;
	size_t nr_sections;
	struct elf_segment *segments;
	size_t nr_segments;
	struct span section_names;

	pthread_mutex_t lock; /* of what follows: filled when asked for */
	struct inflated *inflated; /* by section */
	struct inflated debugdata_bytes;
	struct elf_image *debugdata;
	bool debugdata_asked;
};

#define SECTION_SIZE_64 64
#define SECTION_SIZE_32 40
#define SEGMENT_SIZE_64 56
#define SEGMENT_SIZE_32 32

/* The part of the file at offset; false when it is not all there. */
static bool part_of(struct span bytes, uint64_t offset, uint64_t size, struct span *ret_part)
{
	if (offset > bytes.size || size > bytes.size - offset)
		return false;
	*ret_part = (struct span){ bytes.data + offset, (size_t)size };
	return true;
}

static uint64_t read_word(struct cursor *cursor, bool wide)
{
	return wide ? cursor_u64(cursor) : cursor_u32(cursor);
}

static void read_section(struct cursor *cursor, bool wide, struct elf_section *section)
{
	section->name = cursor_u32(cursor);
	section->type = cursor_u32(cursor);
	section->flags = read_word(cursor, wide);
	section->addr = read_word(cursor, wide);
	section->offset = read_word(cursor, wide);
	section->size = read_word(cursor, wide);
	section->link = cursor_u32(cursor);
	section->info = cursor_u32(cursor);
	section->align = read_word(cursor, wide);
	section->entry_size = read_word(cursor, wide);
}

static void read_segment(struct cursor *cursor, bool wide, struct elf_segment *segment)
{
	segment->type = cursor_u32(cursor);
	if (wide)
		segment->flags = cursor_u32(cursor);
	segment->offset = read_word(cursor, wide);
	segment->vaddr = read_word(cursor, wide);
	read_word(cursor, wide); /* physical address */
	segment->file_size = read_word(cursor, wide);
	segment->mem_size = read_word(cursor, wide);
	if (!wide)
		segment->flags = cursor_u32(cursor);
	segment->align = read_word(cursor, wide);
}

struct table_place {
	uint64_t offset;
	uint64_t entry_size;
	uint64_t nr;
	uint64_t names; /* index of the section name table */
};

/* Reads nr section headers; an index of 0 in e_shnum, e_shstrndx or PN_XNUM in e_phnum sends us to section 0. */
static int read_sections(struct elf_image *image, struct table_place *place, uint64_t *nr_segments,
			 bool lenient, struct err *err)
{
	bool wide = image->header.bits == 64;
	size_t least = wide ? SECTION_SIZE_64 : SECTION_SIZE_32;
	struct elf_section first = { 0 };
	struct span part;
	struct cursor cursor;

	if (place->offset == 0 || place->entry_size < least)
		return 0;
	if (part_of(image->bytes, place->offset, least, &part)) {
		cursor = cursor_of(part.data, part.size, image->header.swap);
		read_section(&cursor, wide, &first);
		if (place->nr == 0)
			place->nr = first.size;
		if (place->names == SHN_XINDEX)
			place->names = first.link;
		if (*nr_segments == PN_XNUM)
			*nr_segments = first.info;
	}
	if (place->nr == 0)
		return 0;
	if (place->nr > image->bytes.size / place->entry_size ||
	    !part_of(image->bytes, place->offset, place->nr * place->entry_size, &part)) {
		if (lenient)
			return 0;
		return err_set(
			err, -EBADMSG,
			"%s: its section headers (%llu at offset %#llx) lie beyond the end of the file (%zu bytes)",
			image->name, (unsigned long long)place->nr, (unsigned long long)place->offset,
			image->bytes.size);
	}
	image->sections = xcalloc((size_t)place->nr, sizeof(*image->sections));
	image->nr_sections = (size_t)place->nr;
	for (size_t i = 0; i < image->nr_sections; i++) {
		cursor = cursor_of(part.data + i * place->entry_size, least, image->header.swap);
		read_section(&cursor, wide, &image->sections[i]);
	}
	if (place->names < image->nr_sections) {
		struct elf_section *names = &image->sections[place->names];

		if (names->type != SHT_NOBITS)
			part_of(image->bytes, names->offset, names->size, &image->section_names);
	}
	return 0;
}

static int read_segments(struct elf_image *image, const struct table_place *place, struct err *err)
{
	bool wide = image->header.bits == 64;
	size_t least = wide ? SEGMENT_SIZE_64 : SEGMENT_SIZE_32;
	struct span part;

	if (place->offset == 0 || place->nr == 0 || place->entry_size < least)
		return 0;
	if (place->nr > image->bytes.size / place->entry_size ||
	    !part_of(image->bytes, place->offset, place->nr * place->entry_size, &part))
		return err_set(
			err, -EBADMSG,
			"%s: its program headers (%llu at offset %#llx) lie beyond the end of the file (%zu bytes)",
			image->name, (unsigned long long)place->nr, (unsigned long long)place->offset,
			image->bytes.size);
	image->segments = xcalloc((size_t)place->nr, sizeof(*image->segments));
	image->nr_segments = (size_t)place->nr;
	for (size_t i = 0; i < image->nr_segments; i++) {
		struct cursor cursor = cursor_of(part.data + i * place->entry_size, least,
						 image->header.swap);

		read_segment(&cursor, wide, &image->segments[i]);
	}
	return 0;
}

static bool is_init_section(const struct elf_image *image, const struct elf_section *section)
{
	return !strncmp(elf_image_section_name(image, section), ".init", 5);
}

/* The module loader's layout: see the header. */
static void place_sections(struct elf_image *image)
{
	uint64_t end = 0;

	for (int pass = 0; pass < 3; pass++) {
		for (size_t i = 0; i < image->nr_sections; i++) {
			struct elf_section *section = &image->sections[i];
			uint64_t align = section->align;
			int group;

			if (!(section->flags & SHF_ALLOC))
				continue;
			group = is_init_section(image, section) ? 2 : section->flags & SHF_EXECINSTR ? 0 : 1;
			if (group != pass)
				continue;
			if (align == 0 || align & (align - 1) || align > 1 << 24)
				align = 1;
			end = (end + align - 1) & ~(align - 1);
			section->addr = end;
			end += section->size > (uint64_t)1 << 40 ? 0 : section->size;
		}
		end = (end + 4095) & ~(uint64_t)4095;
	}
}

static int read_headers(struct elf_image *image, bool lenient, struct err *err)
{
	static const uint16_t native = 1;
	bool little = *(const uint8_t *)&native == 1;
	struct table_place sections = { 0 }, segments = { 0 };
	const uint8_t *ident;
	struct cursor cursor = cursor_of(image->bytes.data, image->bytes.size, false);
	bool wide;
	int ret;

	ident = cursor_bytes(&cursor, EI_NIDENT);
	if (!ident || memcmp(ident, ELFMAG, SELFMAG))
		return err_set(err, -ENOEXEC, "%s: not an ELF file", image->name);
	if ((ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64) ||
	    (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB))
		return err_set(err, -EBADMSG, "%s: ELF header of unknown class or byte order", image->name);
	wide = ident[EI_CLASS] == ELFCLASS64;
	image->header.bits = wide ? 64 : 32;
	image->header.swap = (ident[EI_DATA] == ELFDATA2LSB) != little;
	image->header.os_abi = ident[EI_OSABI];
	cursor.swap = image->header.swap;
	image->header.type = cursor_u16(&cursor);
	image->header.machine = cursor_u16(&cursor);
	cursor_u32(&cursor); /* version */
	image->header.entry = read_word(&cursor, wide);
	segments.offset = read_word(&cursor, wide);
	sections.offset = read_word(&cursor, wide);
	image->header.flags = cursor_u32(&cursor);
	cursor_u16(&cursor); /* header size */
	segments.entry_size = cursor_u16(&cursor);
	segments.nr = cursor_u16(&cursor);
	sections.entry_size = cursor_u16(&cursor);
	sections.nr = cursor_u16(&cursor);
	sections.names = cursor_u16(&cursor);
	if (cursor.failed)
		return err_set(err, -EBADMSG, "%s: the ELF header is cut off after %zu bytes", image->name,
			       image->bytes.size);
	ret = read_sections(image, &sections, &segments.nr, lenient, err);
	if (!ret)
		ret = read_segments(image, &segments, err);
	if (!ret && image->header.type == ET_REL)
		place_sections(image);
	return ret;
}

/* Takes the map, also when it fails. */
static int image_new(struct span bytes, struct file_map map, const char *name, bool lenient,
		     struct elf_image **ret_image, struct err *err)
{
	struct elf_image *image = xcalloc(1, sizeof(*image));
	int ret;

	*ret_image = NULL;
	image->bytes = bytes;
	image->map = map;
	image->name = xstrdup(name);
	pthread_mutex_init(&image->lock, NULL);
	ret = read_headers(image, lenient, err);
	if (ret) {
		elf_image_close(image);
		return ret;
	}
	*ret_image = image;
	return 0;
}

int elf_image_open_fd(int fd, const char *name, struct elf_image **ret_image, struct err *err)
{
	struct file_map map;
	int ret;

	*ret_image = NULL;
	ret = file_map_fd(fd, name, &map, err);
	if (ret)
		return ret;
	return image_new((struct span){ map.data, map.size }, map, name, false, ret_image, err);
}

int elf_image_open(const char *path, struct elf_image **ret_image, struct err *err)
{
	int fd, ret;

	*ret_image = NULL;
	/* O_NONBLOCK: a path from a recording may name a fifo by now. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_errno(err, -errno, "%s", path);
	ret = elf_image_open_fd(fd, path, ret_image, err);
	close(fd);
	return ret;
}

int elf_image_open_module(const char *path, struct elf_image **ret_image, struct err *err)
{
	struct file_map map;
	struct inflated whole;
	int ret;

	ret = elf_image_open(path, ret_image, err);
	if (ret != -ENOEXEC)
		return ret;
	ret = file_map_path(path, &map, err);
	if (ret)
		return ret;
	ret = inflate_file((struct span){ map.data, map.size }, &whole, err);
	file_unmap(&map);
	if (ret) {
		err_prefix(err, "%s", path);
		return ret;
	}
	ret = image_new((struct span){ whole.data, whole.size }, (struct file_map){ 0 }, path, false,
			ret_image, err);
	if (ret)
		inflated_release(&whole);
	else
		(*ret_image)->whole = whole;
	return ret;
}

int elf_image_open_memory(struct span bytes, const char *name, struct elf_image **ret_image, struct err *err)
{
	return image_new(bytes, (struct file_map){ 0 }, name, true, ret_image, err);
}

void elf_image_close(struct elf_image *image)
{
	if (!image)
		return;
	elf_image_close(image->debugdata);
	inflated_release(&image->debugdata_bytes);
	if (image->inflated)
		for (size_t i = 0; i < image->nr_sections; i++)
			inflated_release(&image->inflated[i]);
	free(image->inflated);
	free(image->sections);
	free(image->segments);
	free(image->name);
	pthread_mutex_destroy(&image->lock);
	file_unmap(&image->map);
	inflated_release(&image->whole);
	free(image);
}

const char *elf_image_name(const struct elf_image *image)
{
	return image->name;
}

struct span elf_image_bytes(const struct elf_image *image)
{
	return image->bytes;
}

void *elf_image_private_bytes(struct elf_image *image)
{
	if (image->whole.mapped)
		return image->whole.data;
	/* The mapping is private: a page that is written becomes our own. */
	if (!image->map.data || mprotect((void *)image->map.data, image->map.size, PROT_READ | PROT_WRITE))
		return NULL;
	return (void *)image->map.data;
}

const struct elf_header *elf_image_header(const struct elf_image *image)
{
	return &image->header;
}

const struct elf_section *elf_image_sections(const struct elf_image *image, size_t *ret_nr)
{
	*ret_nr = image->nr_sections;
	return image->sections;
}

const struct elf_segment *elf_image_segments(const struct elf_image *image, size_t *ret_nr)
{
	*ret_nr = image->nr_segments;
	return image->segments;
}

const char *elf_image_string(struct span strings, uint64_t offset)
{
	const char *text;

	if (offset >= strings.size)
		return "";
	text = (const char *)strings.data + offset;
	/* A table that ends in NUL, as all honest ones do, needs no search. */
	if (strings.data[strings.size - 1] != '\0' && !memchr(text, 0, strings.size - (size_t)offset))
		return "";
	return text;
}

const char *elf_image_section_name(const struct elf_image *image, const struct elf_section *section)
{
	return elf_image_string(image->section_names, section->name);
}

static const struct elf_section *find_exactly(const struct elf_image *image, const char *name)
{
	for (size_t i = 1; i < image->nr_sections; i++)
		if (!strcmp(elf_image_section_name(image, &image->sections[i]), name))
			return &image->sections[i];
	return NULL;
}

const struct elf_section *elf_image_find_section(const struct elf_image *image, const char *name)
{
	const struct elf_section *section = find_exactly(image, name);
	char old_name[64];

	if (section || strncmp(name, ".debug_", 7) || strlen(name) >= sizeof(old_name) - 1)
		return section;
	old_name[0] = '.';
	old_name[1] = 'z';
	strcpy(old_name + 2, name + 1);
	return find_exactly(image, old_name);
}

const struct elf_section *elf_image_find_section_type(const struct elf_image *image, uint32_t type)
{
	for (size_t i = 1; i < image->nr_sections; i++)
		if (image->sections[i].type == type)
			return &image->sections[i];
	return NULL;
}

/* Old style: "ZLIB", the size as a big-endian 64-bit number, a zlib stream. */
static int inflate_old(struct span data, struct inflated *out, struct err *err)
{
	uint64_t size;

	if (data.size < 12 || memcmp(data.data, "ZLIB", 4))
		return err_set(err, -EBADMSG, "no ZLIB header");
	size = __builtin_bswap64(elf_u64(data.data + 4, false));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	size = elf_u64(data.data + 4, false);
#endif
	return inflate_zlib((struct span){ data.data + 12, data.size - 12 }, size, out, err);
}

/* Elf32_Chdr or Elf64_Chdr, then the stream. */
static int inflate_new(const struct elf_image *image, struct span data, struct inflated *out, struct err *err)
{
	bool wide = image->header.bits == 64;
	struct cursor cursor = cursor_of(data.data, data.size, image->header.swap);
	uint32_t type = cursor_u32(&cursor);
	uint64_t size;

	if (wide)
		cursor_u32(&cursor); /* reserved */
	size = read_word(&cursor, wide);
	read_word(&cursor, wide); /* alignment */
	if (cursor.failed)
		return err_set(err, -EBADMSG, "no compression header");
	data = (struct span){ cursor.pos, cursor_left(&cursor) };
	if (type == ELFCOMPRESS_ZLIB)
		return inflate_zlib(data, size, out, err);
	if (type == 2) /* ELFCOMPRESS_ZSTD, too new for some elf.h */
		return inflate_zstd(data, size, out, err);
	return err_set(err, -EOPNOTSUPP, "compression type %u is not known", type);
}

int elf_image_section_data(struct elf_image *image, const struct elf_section *section, struct span *ret_data,
			   struct err *err)
{
	bool old = !strncmp(elf_image_section_name(image, section), ".zdebug_", 8);
	size_t i = (size_t)(section - image->sections);
	struct span data;
	int ret = 0;

	*ret_data = (struct span){ 0 };
	if (section->type == SHT_NOBITS || section->type == SHT_NULL)
		return 0;
	if (!part_of(image->bytes, section->offset, section->size, &data))
		return err_set(err, -EBADMSG,
			       "%s: section %s (%llu bytes at offset %#llx) lies beyond the end of the file",
			       image->name, elf_image_section_name(image, section),
			       (unsigned long long)section->size, (unsigned long long)section->offset);
	if (!old && !(section->flags & SHF_COMPRESSED)) {
		*ret_data = data;
		return 0;
	}
	pthread_mutex_lock(&image->lock);
	if (!image->inflated)
		image->inflated = xcalloc(image->nr_sections, sizeof(*image->inflated));
	if (!image->inflated[i].mapped)
		ret = old ? inflate_old(data, &image->inflated[i], err)
			  : inflate_new(image, data, &image->inflated[i], err);
	*ret_data = (struct span){ image->inflated[i].data, image->inflated[i].size };
	pthread_mutex_unlock(&image->lock);
	if (ret)
		err_prefix(err, "%s: section %s", image->name, elf_image_section_name(image, section));
	return ret;
}

const struct elf_section *elf_image_section_at(const struct elf_image *image, uint64_t vaddr)
{
	for (size_t i = 1; i < image->nr_sections; i++) {
		const struct elf_section *section = &image->sections[i];

		/* .tbss takes no room at its address. */
		if (section->flags & SHF_ALLOC && vaddr >= section->addr &&
		    vaddr - section->addr < section->size &&
		    !(section->flags & SHF_TLS && section->type == SHT_NOBITS))
			return section;
	}
	return NULL;
}

/* Executable segments first, then any; then with the slack that rounding to pages gives a mapping. */
static const struct elf_segment *segment_of_offset(const struct elf_image *image, uint64_t offset)
{
	for (int pass = 0; pass < 4; pass++) {
		for (size_t i = 0; i < image->nr_segments; i++) {
			const struct elf_segment *segment = &image->segments[i];
			uint64_t start = segment->offset, size = segment->file_size;

			if (segment->type != PT_LOAD || (!(pass & 1) && !(segment->flags & PF_X)) ||
			    size == 0)
				continue;
			if (pass >= 2) {
				uint64_t slack = start & 4095;

				start -= slack;
				size = (size + slack + 4095) & ~(uint64_t)4095;
			}
			if (offset >= start && offset - start < size)
				return segment;
		}
	}
	return NULL;
}

bool elf_image_vaddr_of(const struct elf_image *image, uint64_t offset, uint64_t *ret_vaddr)
{
	const struct elf_segment *segment = segment_of_offset(image, offset);

	if (segment) {
		*ret_vaddr = offset - segment->offset + segment->vaddr;
		return true;
	}
	if (image->nr_segments)
		return false;
	for (size_t i = 1; i < image->nr_sections; i++) {
		const struct elf_section *section = &image->sections[i];

		if (!(section->flags & SHF_ALLOC) || section->type == SHT_NOBITS ||
		    offset < section->offset || offset - section->offset >= section->size)
			continue;
		*ret_vaddr = offset - section->offset + section->addr;
		return true;
	}
	return false;
}

bool elf_image_offset_of(const struct elf_image *image, uint64_t vaddr, uint64_t *ret_offset)
{
	const struct elf_section *section;

	for (size_t i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (segment->type != PT_LOAD || vaddr < segment->vaddr ||
		    vaddr - segment->vaddr >= segment->file_size)
			continue;
		*ret_offset = vaddr - segment->vaddr + segment->offset;
		return true;
	}
	if (image->nr_segments)
		return false;
	section = elf_image_section_at(image, vaddr);
	if (!section || section->type == SHT_NOBITS)
		return false;
	*ret_offset = vaddr - section->addr + section->offset;
	return true;
}

struct span elf_image_data_at(const struct elf_image *image, uint64_t vaddr)
{
	uint64_t offset, size = 0;
	struct span part = { 0 };

	if (!elf_image_offset_of(image, vaddr, &offset) || offset >= image->bytes.size)
		return part;
	for (size_t i = 0; i < image->nr_segments && !size; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (segment->type == PT_LOAD && vaddr >= segment->vaddr &&
		    vaddr - segment->vaddr < segment->file_size)
			size = segment->file_size - (vaddr - segment->vaddr);
	}
	if (!image->nr_segments) {
		const struct elf_section *section = elf_image_section_at(image, vaddr);

		size = section ? section->size - (vaddr - section->addr) : 0;
	}
	if (size > image->bytes.size - offset)
		size = image->bytes.size - offset;
	part_of(image->bytes, offset, size, &part);
	return part;
}

uint64_t elf_image_base(const struct elf_image *image)
{
	uint64_t base = UINT64_MAX;

	for (size_t i = 0; i < image->nr_segments; i++)
		if (image->segments[i].type == PT_LOAD && image->segments[i].vaddr < base)
			base = image->segments[i].vaddr;
	return base == UINT64_MAX ? 0 : base & ~(uint64_t)4095;
}

/* A separate debug file keeps headers of sections whose bytes it does not have. */
static bool has_content(const struct elf_section *section)
{
	return section && section->type != SHT_NOBITS && section->size;
}

bool elf_image_has_symtab(const struct elf_image *image)
{
	const struct elf_section *section = elf_image_find_section_type(image, SHT_SYMTAB);

	return section && section->size > (image->header.bits == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
}

bool elf_image_has_dynsym(const struct elf_image *image)
{
	return has_content(elf_image_find_section_type(image, SHT_DYNSYM));
}

bool elf_image_has_debug_info(const struct elf_image *image)
{
	return has_content(elf_image_find_section(image, ".debug_info"));
}

bool elf_image_has_debug_line(const struct elf_image *image)
{
	return has_content(elf_image_find_section(image, ".debug_line"));
}

bool elf_image_has_eh_frame(const struct elf_image *image)
{
	return has_content(elf_image_find_section(image, ".eh_frame"));
}

bool elf_image_has_eh_frame_hdr(const struct elf_image *image)
{
	for (size_t i = 0; i < image->nr_segments; i++)
		if (image->segments[i].type == PT_GNU_EH_FRAME && image->segments[i].file_size)
			return true;
	return has_content(elf_image_find_section(image, ".eh_frame_hdr"));
}

int elf_image_debugdata(struct elf_image *image, struct elf_image **ret_inner, struct err *err)
{
	const struct elf_section *section = elf_image_find_section(image, ".gnu_debugdata");
	struct span data;
	int ret;

	*ret_inner = NULL;
	if (!has_content(section))
		return 0;
	ret = elf_image_section_data(image, section, &data, err);
	if (ret)
		return ret;
	pthread_mutex_lock(&image->lock);
	if (!image->debugdata_asked) {
		image->debugdata_asked = true;
		ret = inflate_xz(data, &image->debugdata_bytes, err);
		if (!ret)
			ret = elf_image_open_memory((struct span){ image->debugdata_bytes.data,
								   image->debugdata_bytes.size },
						    ".gnu_debugdata", &image->debugdata, err);
	}
	*ret_inner = image->debugdata;
	pthread_mutex_unlock(&image->lock);
	if (ret)
		err_prefix(err, "%s", image->name);
	return ret;
}

bool elf_image_debuglink(struct elf_image *image, const char **ret_name, uint32_t *ret_crc)
{
	const struct elf_section *section = elf_image_find_section(image, ".gnu_debuglink");
	struct cursor cursor;
	struct span data;
	const char *name;

	if (!section || elf_image_section_data(image, section, &data, NULL))
		return false;
	cursor = cursor_of(data.data, data.size, image->header.swap);
	name = cursor_string(&cursor);
	cursor_skip(&cursor, -cursor_offset(&cursor) & 3);
	*ret_crc = cursor_u32(&cursor);
	if (cursor.failed || !*name || strchr(name, '/'))
		return false;
	*ret_name = name;
	return true;
}
