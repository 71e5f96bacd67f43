/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_FLAMEGRAPH_SVG_H
#define RENDER_FLAMEGRAPH_SVG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "render/flame_data.h"

struct flamegraph_svg_options {
	uint32_t event;
	uint32_t width; /* pixels; 0: 1200 */
	double min_width; /* boxes narrower than this many pixels are left out and counted; 0: 0.1 */
	bool icicle; /* root at the top */
	bool by_samples;
};

/* Writes one event as a still picture: SVG 1.1 with tooltips (<title>), light and dark. options NULL: all zero. 0 or -EINVAL. */
int flamegraph_svg_render(const struct flame_data *data, const struct flamegraph_svg_options *options,
			  struct buf *buf, struct err *err);

#endif
