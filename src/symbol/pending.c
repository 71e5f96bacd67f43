/* SPDX-License-Identifier: Apache-2.0 */
/* Weak stand-ins while the sources are being written; goes away with the last of them. */
#include "elf/dwarf_line.h"
#include "symbol/symbol_source.h"

#define PENDING(name)                                                                                             \
	__attribute__((weak)) void name(struct symbol_context *context, const struct dso *dso, struct symbol_set *set) \
	{                                                                                                         \
		(void)context;                                                                                    \
		(void)dso;                                                                                        \
		(void)set;                                                                                        \
	}
PENDING(symbol_source_elf)
PENDING(symbol_source_vdso)
PENDING(symbol_source_kernel)
PENDING(symbol_source_module)
PENDING(symbol_source_perfmap)
PENDING(symbol_source_bpf)

__attribute__((weak)) struct dwarf_line *dwarf_line_new(struct elf_image *image)
{
	(void)image;
	return NULL;
}

__attribute__((weak)) void dwarf_line_free(struct dwarf_line *lines)
{
	(void)lines;
}

__attribute__((weak)) bool dwarf_line_find(struct dwarf_line *lines, uint64_t vaddr, struct buf *buf)
{
	(void)lines;
	(void)vaddr;
	(void)buf;
	return false;
}
