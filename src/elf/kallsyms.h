/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_KALLSYMS_H
#define ELF_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

struct symtab;

/*
 * The symbols of a running kernel and its modules, all out of one reading of kallsyms. Addresses are those of
 * the running kernel. Immutable; the tables belong to it.
 */
struct kallsyms;

/* 0; -ENOENT and the like; -EPERM when the kernel shows no addresses (kptr_restrict); -EBADMSG when no line reads. */
int kallsyms_open(const char *path, struct kallsyms **ret_kallsyms, struct err *err);
/* The text is not kept. Lines that do not read are counted. */
int kallsyms_parse(struct span text, const char *name, struct kallsyms **ret_kallsyms, struct err *err);
void kallsyms_free(struct kallsyms *kallsyms);

const struct symtab *kallsyms_kernel(const struct kallsyms *kallsyms);
/* By name without brackets: "ext4", "bpf", "__builtin__ftrace"; '-' and '_' are equal. NULL: no such module. */
const struct symtab *kallsyms_module(const struct kallsyms *kallsyms, const char *name);
size_t kallsyms_nr_modules(const struct kallsyms *kallsyms);
const struct symtab *kallsyms_module_at(const struct kallsyms *kallsyms, size_t i, const char **ret_name);
/* Where the kernel's text starts, by its two names; 0: no such symbol. Tables may know the place by a third one. */
struct kallsyms_marks {
	uint64_t text; /* _text */
	uint64_t stext; /* _stext */
};
struct kallsyms_marks kallsyms_marks(const struct kallsyms *kallsyms);
size_t kallsyms_nr_damaged(const struct kallsyms *kallsyms); /* lines that were skipped */

#endif
