/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_BUILD_ID_H
#define ELF_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"

#define BUILD_ID_SIZE_MAX 20
#define BUILD_ID_TEXT_SIZE (2 * BUILD_ID_SIZE_MAX + 1)

/* The linker's name for the exact bytes of a binary: usually a SHA-1, shorter hashes exist. size 0: unknown. */
struct build_id {
	uint8_t size;
	uint8_t bytes[BUILD_ID_SIZE_MAX];
};

struct elf_image;

/* All of the readers: 0; -ENODATA when there is no build-id; -ENOEXEC when it is no ELF file; -EBADMSG, or what open
 * and read said. *ret_id has size 0 unless 0 is returned. Ids longer than 20 bytes are cut, as the kernel's are. */

/* Of a file, from a few hundred bytes of it: nothing is mapped. */
int build_id_read_path(const char *path, struct build_id *ret_id);
int build_id_read_fd(int fd, struct build_id *ret_id);
int build_id_read_image(struct elf_image *image, struct build_id *ret_id);
/* Of the running kernel and its modules, through sysfs. */
int build_id_read_kernel(struct build_id *ret_id);
int build_id_read_module(const char *name, struct build_id *ret_id);
/* Out of a block of ELF notes; align is that of the segment or section (4, or 8 in some). */
int build_id_from_notes(struct span notes, bool swap, uint64_t align, struct build_id *ret_id);

/* Lower-case hex; the empty string for an unknown id. Returns text. */
char *build_id_print(const struct build_id *id, char text[BUILD_ID_TEXT_SIZE]);
/* The whole string: 2 to 40 hex digits, an even number of them. 0 or -EINVAL. */
int build_id_parse(const char *text, struct build_id *ret_id);

static inline bool build_id_known(const struct build_id *id)
{
	return id->size != 0;
}

/* perf.data pads ids with zeros to 20 bytes when it does not know their size: trailing zeros do not count. */
static inline bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	uint8_t wide_a[BUILD_ID_SIZE_MAX] = { 0 }, wide_b[BUILD_ID_SIZE_MAX] = { 0 };

	memcpy(wide_a, a->bytes, a->size);
	memcpy(wide_b, b->bytes, b->size);
	return !memcmp(wide_a, wide_b, sizeof(wide_a));
}

#endif
