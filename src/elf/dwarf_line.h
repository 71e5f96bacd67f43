/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DWARF_LINE_H
#define ELF_DWARF_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "elf/image.h"

/* vaddr -> source line of one DSO, from .debug_line; units are indexed once, lines are read per unit on first use. */
struct dwarf_line;

/* NULL when the image has no line information, or without libdw. The image must outlive it. */
struct dwarf_line *dwarf_line_new(struct elf_image *image);
void dwarf_line_free(struct dwarf_line *lines);
/* Appends "file.c:123", or with_folders "/src/file.c:123"; false when no line covers vaddr. Thread-safe. */
bool dwarf_line_find(struct dwarf_line *lines, uint64_t vaddr, bool with_folders, struct buf *buf);
/* The same in parts: the path as the compiler wrote it (valid as long as lines), and the line. Thread-safe. */
bool dwarf_line_get(struct dwarf_line *lines, uint64_t vaddr, const char **ret_path, uint32_t *ret_line);

#endif
