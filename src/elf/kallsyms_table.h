/* SPDX-License-Identifier: Apache-2.0 */
/* What a read kallsyms is made of: for kallsyms.c, which reads the text, and kallsyms_cache.c, which saves doing so. */
#ifndef ELF_KALLSYMS_TABLE_H
#define ELF_KALLSYMS_TABLE_H

#include "base/array.h"
#include "base/file.h"
#include "elf/kallsyms.h"
#include "elf/symtab.h"

struct kallsyms_module {
	char *name; /* empty: the kernel itself */
	struct symtab_row *rows;
	size_t nr_rows;
	size_t room;
	struct symtab *table;
};

struct kallsyms {
	struct symtab_names names;
	ARRAY(struct kallsyms_module) modules; /* [0] is the kernel */
	struct kallsyms_marks marks;
	size_t nr_damaged;
	bool any_address;
	struct file_map file; /* that the tables lie in, when they come from the cache */
};

#endif
