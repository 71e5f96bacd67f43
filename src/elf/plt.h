/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_PLT_H
#define ELF_PLT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct elf_image;

/* One stub of the procedure linkage table: the few instructions through which a call leaves its DSO. */
struct plt_stub {
	uint64_t start; /* vaddr */
	uint64_t end;
	const char *target; /* name of the called symbol, in the image; NULL: known by its resolver only */
	uint64_t resolver; /* vaddr of the ifunc resolver when target is NULL */
	bool is_head; /* the code in front of the stubs, which calls the lazy linker: target is the section's name */
};

typedef ARRAY(struct plt_stub) plt_stubs;

/* Adds the stubs of .plt, .plt.sec, .plt.got and .iplt whose target is known (x86-64, i386, arm64, riscv, s390x);
 * on other machines, and in damaged files, none. */
void plt_collect(struct elf_image *image, plt_stubs *stubs);

#endif
