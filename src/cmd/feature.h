/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_FEATURE_H
#define CMD_FEATURE_H

#include <stdbool.h>

#include "base/buf.h"

/* What this build can do, under the names (and macros) by which scripts ask perf for it. */
struct feature {
	const char *name; /* NULL ends the table */
	const char *macro;
	bool on;
};

extern const struct feature features[];

/* By name or macro, letter case ignored; NULL: nobody has heard of it. */
const struct feature *feature_find(const char *name);
/* "                  zstd: [ on  ]  # HAVE_ZSTD_SUPPORT". */
void feature_print(const struct feature *feature, bool color, struct buf *buf);

#endif
