/* SPDX-License-Identifier: Apache-2.0 */
/* Views as JSON, for programs; the shape is described in the man page of report. */
#ifndef RENDER_GROUP_JSON_H
#define RENDER_GROUP_JSON_H

#include "base/json.h"
#include "profile/calltree.h"
#include "profile/view.h"
#include "render/group_text.h"

#define GROUP_JSON_VERSION 1

/* One member of "tables": the events, and their entries. Limits, call graphs and elided columns are as in text. */
void group_json_table(const struct group_text *text, struct view *view, struct json *json);

#endif
