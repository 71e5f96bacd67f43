/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build-ids. `record` wants them for every file that every process has mapped, at once, while the
 * user waits: so the fast path is one pread of the first page, which in practice holds the ELF
 * header, the program headers and the note segment. Only when the segments do not say (object files,
 * kernel modules, debug files whose segments are hollow) the section table is read.
 */
#include "elf/build_id.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "elf/image.h"

#define NOTES_SIZE_MAX (64u << 10)
#define NR_SEGMENTS_MAX 512
#define NR_SECTIONS_MAX (64u << 10)
#define ENTRY_SIZE_MAX 256

int build_id_from_notes(struct span notes, bool swap, uint64_t align, struct build_id *ret_id)
{
	struct cursor cursor = cursor_of(notes.data, notes.size, swap);
	size_t mask = align == 8 ? 7 : 3;

	*ret_id = (struct build_id){ 0 };
	while (cursor_left(&cursor) >= 12) {
		uint32_t name_size = cursor_u32(&cursor);
		uint32_t desc_size = cursor_u32(&cursor);
		uint32_t type = cursor_u32(&cursor);
		const char *name = cursor_bytes(&cursor, name_size);
		const uint8_t *desc;

		if (!name || !cursor_skip(&cursor, -cursor_offset(&cursor) & mask))
			return -EBADMSG;
		desc = cursor_bytes(&cursor, desc_size);
		if (!desc)
			return -EBADMSG;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) && desc_size) {
			ret_id->size = desc_size < BUILD_ID_SIZE_MAX ? (uint8_t)desc_size : BUILD_ID_SIZE_MAX;
			memcpy(ret_id->bytes, desc, ret_id->size);
			return 0;
		}
		/* The padding behind the last note may be missing. */
		if (!cursor_skip(&cursor, -cursor_offset(&cursor) & mask))
			break;
	}
	return -ENODATA;
}

/* The file, seen through the one page that was read first. */
struct head {
	int fd;
	bool wide;
	bool swap;
	uint8_t page[4096];
	size_t size;
};

/* Bytes of the file: from the page, or read into *scratch (to be freed by the caller, once). */
static const uint8_t *head_bytes(const struct head *head, uint64_t offset, size_t size, void **scratch)
{
	if (offset <= head->size && size <= head->size - offset)
		return head->page + offset;
	if (offset > INT64_MAX - size)
		return NULL;
	free(*scratch);
	*scratch = xmalloc(size);
	return file_pread_all(head->fd, *scratch, size, offset) ? NULL : *scratch;
}

static int notes_at(const struct head *head, uint64_t offset, uint64_t size, uint64_t align,
		    struct build_id *ret_id)
{
	void *scratch = NULL;
	const uint8_t *bytes;
	int ret = -ENODATA;

	if (size < 16)
		return -ENODATA;
	if (size > NOTES_SIZE_MAX)
		size = NOTES_SIZE_MAX;
	bytes = head_bytes(head, offset, (size_t)size, &scratch);
	if (bytes)
		ret = build_id_from_notes((struct span){ bytes, (size_t)size }, head->swap, align, ret_id);
	free(scratch);
	return ret;
}

static uint64_t word(struct cursor *cursor, bool wide)
{
	return wide ? cursor_u64(cursor) : cursor_u32(cursor);
}

/* Walks a header table, of segments or of sections, for notes. */
static int search_table(const struct head *head, uint64_t offset, size_t entry_size, size_t nr, bool sections,
			struct build_id *ret_id)
{
	size_t least = sections ? (head->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr))
				: (head->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	void *scratch = NULL;
	const uint8_t *table;
	int ret = -ENODATA;

	if (!offset || !nr || entry_size < least || entry_size > ENTRY_SIZE_MAX)
		return -ENODATA;
	table = head_bytes(head, offset, entry_size * nr, &scratch);
	for (size_t i = 0; table && i < nr && ret; i++) {
		struct cursor cursor = cursor_of(table + i * entry_size, least, head->swap);
		uint64_t at, size, align;

		if (sections) {
			cursor_u32(&cursor); /* name */
			if (cursor_u32(&cursor) != SHT_NOTE)
				continue;
			word(&cursor, head->wide); /* flags */
			word(&cursor, head->wide); /* address */
			at = word(&cursor, head->wide);
			size = word(&cursor, head->wide);
			cursor_u64(&cursor); /* link, info */
		} else {
			if (cursor_u32(&cursor) != PT_NOTE)
				continue;
			if (head->wide)
				cursor_u32(&cursor); /* flags */
			at = word(&cursor, head->wide);
			word(&cursor, head->wide); /* vaddr */
			word(&cursor, head->wide); /* paddr */
			size = word(&cursor, head->wide);
			word(&cursor, head->wide); /* size in memory */
			if (!head->wide)
				cursor_u32(&cursor); /* flags */
		}
		align = word(&cursor, head->wide);
		ret = notes_at(head, at, size, align, ret_id);
	}
	free(scratch);
	return ret ? -ENODATA : 0;
}

int build_id_read_fd(int fd, struct build_id *ret_id)
{
	static const uint16_t native = 1;
	bool little = *(const uint8_t *)&native == 1;
	struct head head = { .fd = fd };
	uint64_t segments, sections;
	size_t segment_size, nr_segments, section_size, nr_sections;
	struct cursor cursor;
	ssize_t got;
	int ret;

	*ret_id = (struct build_id){ 0 };
	do {
		got = pread(fd, head.page, sizeof(head.page), 0);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	head.size = (size_t)got;
	if (head.size < sizeof(Elf32_Ehdr) || memcmp(head.page, ELFMAG, SELFMAG))
		return -ENOEXEC;
	head.wide = head.page[EI_CLASS] == ELFCLASS64;
	head.swap = (head.page[EI_DATA] == ELFDATA2LSB) != little;
	cursor = cursor_of(head.page, head.size, head.swap);
	cursor_skip(&cursor, EI_NIDENT + 8);
	word(&cursor, head.wide); /* entry */
	segments = word(&cursor, head.wide);
	sections = word(&cursor, head.wide);
	cursor_u32(&cursor); /* flags */
	cursor_u16(&cursor); /* header size */
	segment_size = cursor_u16(&cursor);
	nr_segments = cursor_u16(&cursor);
	section_size = cursor_u16(&cursor);
	nr_sections = cursor_u16(&cursor);
	if (cursor.failed)
		return -EBADMSG;
	if (nr_segments > NR_SEGMENTS_MAX)
		nr_segments = NR_SEGMENTS_MAX;
	ret = search_table(&head, segments, segment_size, nr_segments, false, ret_id);
	if (ret == -ENODATA && nr_sections <= NR_SECTIONS_MAX)
		ret = search_table(&head, sections, section_size, nr_sections, true, ret_id);
	return ret;
}

int build_id_read_path(const char *path, struct build_id *ret_id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int ret;

	*ret_id = (struct build_id){ 0 };
	if (fd < 0)
		return -errno;
	ret = build_id_read_fd(fd, ret_id);
	close(fd);
	return ret;
}

int build_id_read_image(struct elf_image *image, struct build_id *ret_id)
{
	struct span bytes = elf_image_bytes(image);
	bool swap = elf_image_header(image)->swap;
	const struct elf_segment *segments;
	const struct elf_section *sections;
	size_t nr;

	segments = elf_image_segments(image, &nr);
	for (size_t i = 0; i < nr; i++) {
		const struct elf_segment *segment = &segments[i];

		if (segment->type != PT_NOTE || segment->offset > bytes.size ||
		    segment->file_size > bytes.size - segment->offset)
			continue;
		if (!build_id_from_notes((struct span){ bytes.data + segment->offset,
							(size_t)segment->file_size },
					 swap, segment->align, ret_id))
			return 0;
	}
	sections = elf_image_sections(image, &nr);
	for (size_t i = 0; i < nr; i++) {
		struct span data;

		if (sections[i].type == SHT_NOTE &&
		    !elf_image_section_data(image, &sections[i], &data, NULL) &&
		    !build_id_from_notes(data, swap, sections[i].align, ret_id))
			return 0;
	}
	*ret_id = (struct build_id){ 0 };
	return -ENODATA;
}

static int read_notes_file(const char *path, struct build_id *ret_id)
{
	struct buf buf = BUF_INIT;
	int ret = file_read_path(path, &buf, NOTES_SIZE_MAX);

	*ret_id = (struct build_id){ 0 };
	if (!ret)
		ret = build_id_from_notes((struct span){ (const uint8_t *)buf.data, buf.size }, false, 4,
					  ret_id);
	buf_release(&buf);
	return ret;
}

int build_id_read_kernel(struct build_id *ret_id)
{
	return read_notes_file("/sys/kernel/notes", ret_id);
}

int build_id_read_module(const char *name, struct build_id *ret_id)
{
	char path[256];

	*ret_id = (struct build_id){ 0 };
	if (!*name || strchr(name, '/') ||
	    snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name) >=
		    (int)sizeof(path))
		return -EINVAL;
	return read_notes_file(path, ret_id);
}

char *build_id_print(const struct build_id *id, char text[BUILD_ID_TEXT_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	char *pos = text;

	for (unsigned i = 0; i < id->size; i++) {
		*pos++ = digits[id->bytes[i] >> 4];
		*pos++ = digits[id->bytes[i] & 15];
	}
	*pos = '\0';
	return text;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int build_id_parse(const char *text, struct build_id *ret_id)
{
	size_t size = strlen(text);

	*ret_id = (struct build_id){ 0 };
	if (size < 2 || size % 2 || size > 2 * BUILD_ID_SIZE_MAX)
		return -EINVAL;
	for (size_t i = 0; i < size; i += 2) {
		int high = digit_value(text[i]), low = digit_value(text[i + 1]);

		if (high < 0 || low < 0) {
			*ret_id = (struct build_id){ 0 };
			return -EINVAL;
		}
		ret_id->bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	ret_id->size = (uint8_t)(size / 2);
	return 0;
}
