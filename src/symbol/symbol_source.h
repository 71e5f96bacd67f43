/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the symbols of a DSO come from: one function for each kind of place, all with the same shape.
 */
#ifndef SYMBOL_SYMBOL_SOURCE_H
#define SYMBOL_SYMBOL_SOURCE_H

#include "elf/image.h"
#include "elf/kallsyms.h"
#include "elf/symtab.h"
#include "model/dso.h"
#include "symbol/symbolizer.h"

/*
 * The symbols of one DSO. `table` is asked with vaddr = elf_image_vaddr_of(image, offset) when there is an image
 * (the file that was mapped), else with offset + bias.
 */
struct symbol_set {
	struct symtab *table; /* NULL: none found */
	struct elf_image *image; /* NULL: addresses need no conversion */
	struct elf_image
		*debug_image; /* the file the symbols were read from, when it is another one; for DWARF too */
	uint64_t bias;
	bool is_shared_table; /* the table belongs to the source (one kallsyms for the kernel and all modules) */
	bool is_mangled; /* names may be C++, Rust ...: demangle them */
	char *complaint; /* malloc'ed: why names are missing, with the remedy; NULL: nothing to say */
};

/* State that sources share over DSOs: the parsed kallsyms, search paths. */
struct symbol_context {
	struct symbolizer_options options; /* strings are owned by the symbolizer */
	struct kallsyms *kallsyms; /* made on first use; addresses of the kernel it was read from */
	bool kallsyms_tried;
	char *kallsyms_complaint; /* why it cannot be used: kptr_restrict, another kernel */
	struct kallsyms *live; /* read for what the cached kallsyms lacks */
	bool live_tried;
	struct kernel_preload *preload;
};

/*
 * Starts reading the running kernel's symbols on a thread, if this looks as if they would be needed; whoever needs
 * them then waits for it. _wait: until it is done. Both with the context's lock held.
 */
void symbol_source_kernel_preload(struct symbol_context *context);
void symbol_source_kernel_wait(struct symbol_context *context);
void symbol_source_kernel_release(struct symbol_context *context);

/* All: fill *set (zeroed by the caller) for a DSO. Called with the context's lock held for kallsyms only: calls
 * for different DSOs run side by side. Absence is not an error: table stays NULL and complaint may say why. */
void symbol_source_elf(struct symbol_context *context, const struct dso *dso,
		       struct symbol_set *set); /* DSO_FILE */
void symbol_source_vdso(struct symbol_context *context, const struct dso *dso,
			struct symbol_set *set); /* DSO_VDSO */
/* DSO_KERNEL: vmlinux when it is given or found with the right build-id, else kallsyms when the recorded kernel is the
 * running one (build-id or release). */
void symbol_source_kernel(struct symbol_context *context, const struct dso *dso, struct symbol_set *set);
/* DSO_MODULE: kallsyms (bias = dso->start), else the .ko file. */
void symbol_source_module(struct symbol_context *context, const struct dso *dso, struct symbol_set *set);
/* DSO_JIT: perf-PID.map in the process's mount and pid namespace while it lives, else /tmp/perf-PID.map. */
void symbol_source_perfmap(struct symbol_context *context, const struct dso *dso, struct symbol_set *set);
void symbol_source_bpf(struct symbol_context *context, const struct dso *dso,
		       struct symbol_set *set); /* DSO_BPF */

#endif
