/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_FLAMEGRAPH_HTML_H
#define RENDER_FLAMEGRAPH_HTML_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "render/flame_data.h"

#define FLAMEGRAPH_HTML_NODES 1000000 /* a page of 3 MB that opens in a second */

struct flamegraph_html_options {
	uint32_t node_budget; /* beyond it the smallest become "(other)", and the page says so; 0: no limit */
};

/*
 * Writes the profile as one HTML page that needs nothing else. options NULL: FLAMEGRAPH_HTML_NODES.
 * 0, or -errno with words when data is not in order or zlib fails; what cannot be written is remembered in buf.
 */
int flamegraph_html_render(const struct flame_data *data, const struct flamegraph_html_options *options,
			   struct buf *buf, struct err *err);

#endif
