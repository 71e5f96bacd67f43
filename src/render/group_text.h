/* SPDX-License-Identifier: Apache-2.0 */
/* A view as the table that people know from perf report --stdio: columns, rows, call graphs below the rows. */
#ifndef RENDER_GROUP_TEXT_H
#define RENDER_GROUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "profile/calltree.h"
#include "profile/view.h"
#include "render/calltree_text.h"

struct group_text {
	struct calltree_text graph; /* `whole` and `least` are filled in for each view */
	struct calltree_options tree;
	double percent_limit; /* rows below are not shown */
	const char *separator; /* NULL: columns stand below each other */
	const unsigned *widths; /* forced; 0 is by content */
	size_t nr_widths;
	bool color;
	bool hierarchy; /* rows indented below each other, a level for each key */
	bool no_heads; /* only rows */
	bool is_group; /* said so in the head, also when only one of the group's events has samples */
	const char *time_note; /* "10%/2": which part of the recording; NULL: all of it */
	const char *const
		*elided; /* names of columns that are left out (their value stands in the head); NULL ends */
};

/* "# Samples: 3K of event 'cycles'" and the event count. */
void group_text_head(const struct group_text *text, const struct view *view, struct buf *buf);
/* The names of the columns, the rows, and an empty line or two behind them. */
void group_text_table(const struct group_text *text, struct view *view, struct buf *buf);

/* Whether a row of this worth is shown. */
bool group_text_is_shown(const struct group_text *text, uint64_t worth, uint64_t whole);
/* What call graphs of a view are made with; without them (mode NONE) both are empty. */
void group_text_graph(const struct group_text *text, struct view *view, struct calltree_plan *plan,
		      struct calltree_text *graph);
/* Whether a field belongs into tables of this view: those of tracepoints only where their event is. */
bool group_text_is_of_view(const struct view *view, const struct field_use *use);
/* "3K": thousands and millions cut short, as perf says how many samples there are. */
void group_text_scaled(uint64_t value, struct buf *buf);

#endif
