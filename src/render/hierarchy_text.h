/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_HIERARCHY_TEXT_H
#define RENDER_HIERARCHY_TEXT_H

#include "base/buf.h"
#include "render/group_table.h"

/* -H: a level for each key, indented below the one before, with call graphs below the last. */
void hierarchy_text_render(const struct group_table *table, struct buf *buf);

#endif
