/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a table that is being written, and single cells of it: what flat and hierarchical tables share. */
#ifndef RENDER_GROUP_TABLE_H
#define RENDER_GROUP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "profile/view.h"
#include "render/group_text.h"

struct group_column {
	struct field_use use;
	uint32_t slot; /* of the value, for view_value */
	const char *title;
	unsigned width;
	bool right;
	bool ragged; /* not padded as the last one */
	bool clipped; /* the width is the user's: what is longer is cut off */
};

struct group_table {
	const struct group_text *text;
	struct view *view;
	const struct field_env *env;
	ARRAY(struct group_column) columns;
};

void group_table_init(struct group_table *table, const struct group_text *text, struct view *view);
void group_table_release(struct group_table *table);

/* One number for each event; amounts are [event] of what the column shows, nr_samples for averages. */
void group_table_put_amounts(const struct group_table *table, const struct group_column *column,
			     const uint64_t *amounts, const uint64_t *nr_samples, struct buf *buf);
/* The same of an entry. */
void group_table_put_entry(const struct group_table *table, const struct group_column *column, uint32_t entry,
			   struct buf *buf);
/* A key's value, padded to the column's width (not when it is ragged and the last one). */
void group_table_put_value(const struct group_table *table, const struct group_column *column, uint64_t value,
			   bool is_last, struct buf *buf);

#endif
