/* SPDX-License-Identifier: Apache-2.0 */
/* Text with symbols in it: kallsyms, perf maps, and each line of it as a mangled name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "elf/demangle.h"
#include "elf/kallsyms.h"
#include "elf/symtab.h"
#include "symbol/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_all(const struct symtab *table)
{
	for (uint32_t i = 0; i < symtab_nr(table); i++) {
		struct symtab_symbol symbol = symtab_get(table, i);

		if (!*symbol.name)
			abort();
		symtab_find(table, symbol.start);
		symtab_find(table, symbol.end - 1);
	}
}

static void demangle(const char *name)
{
	struct buf buf = BUF_INIT;

	for (int style = 0; style < 2; style++) {
		buf.size = 0;
		if (demangle_name(name, style ? DEMANGLE_SHORT : DEMANGLE_FULL, &buf) != (buf.size != 0))
			abort();
		if (buf.size > 1 << 17)
			abort();
	}
	buf_release(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms *kallsyms;
	struct symtab *table;
	size_t nr_damaged;
	char *text;

	if (size > 1 << 16)
		return 0;
	if (!kallsyms_parse((struct span){ data, size }, "fuzz", &kallsyms, NULL)) {
		const char *name;

		ask_all(kallsyms_kernel(kallsyms));
		for (size_t i = 0; i < kallsyms_nr_modules(kallsyms); i++)
			ask_all(kallsyms_module_at(kallsyms, i, &name));
		kallsyms_free(kallsyms);
	}
	table = perfmap_parse((struct span){ data, size }, &nr_damaged);
	ask_all(table);
	symtab_free(table);
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		demangle(line);
	}
	free(text);
	return 0;
}
