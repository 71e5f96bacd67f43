/* SPDX-License-Identifier: Apache-2.0 */
/* A BPF program is one symbol: the KSYMBOL record that made it a DSO has said its name and extent. */
#include <elf.h>
#include <string.h>

#include "base/xalloc.h"
#include "symbol/symbol_source.h"

void symbol_source_bpf(struct symbol_context *context, const struct dso *dso, struct symbol_set *set)
{
	struct symtab_parts parts = { .nr_rows = 1 };

	(void)context;
	parts.rows = xcalloc(1, sizeof(*parts.rows));
	parts.rows[0] = (struct symtab_row){ .start = dso->start,
					     .end = dso->end,
					     .info = STB_GLOBAL << 4 | STT_FUNC };
	parts.owned = xstrdup(dso->path);
	parts.pools[0] = (struct span){ (const uint8_t *)parts.owned, strlen(parts.owned) + 1 };
	set->table = symtab_build(&parts);
}
