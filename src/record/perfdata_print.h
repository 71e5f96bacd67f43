/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a recording in perf's words: `report --header`, `evlist -v`. */
#ifndef RECORD_PERFDATA_PRINT_H
#define RECORD_PERFDATA_PRINT_H

#include <stdbool.h>

#include "base/buf.h"
#include "event/event_attr.h"
#include "record/perfdata_features.h"
#include "record/perfdata_reader.h"

/*
 * Everything from the first "# ========" to the last "#" line, as `perf report --header-only` prints it; full: with
 * what -I adds. A feature whose payload is damaged gets a line that says so.
 */
void perfdata_print_header(struct perfdata_reader *reader, bool full, struct buf *buf);
/* The line or lines of one feature of those given; reader knows the events. full: also what is long. */
void perfdata_print_feature(struct perfdata_reader *reader, struct perfdata_features *features, unsigned bit,
			    bool full, struct buf *buf);
/*
 * An attr: "type: 1 (PERF_TYPE_SOFTWARE), size: 144, ..." with `assign` (": " or " = ") behind each field's name.
 * features (may be NULL) knows the names of PMUs, name that of a tracepoint (NULL: unknown).
 */
void perfdata_print_attr(const struct event_attr *attr, const char *assign,
			 const struct perfdata_features *features, const char *name, struct buf *buf);

#endif
