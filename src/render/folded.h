/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_FOLDED_H
#define RENDER_FOLDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "render/flame_data.h"

struct folded_options {
	uint32_t event;
	bool by_samples; /* counts samples; else sums their periods */
	bool annotate; /* "_[k]" behind kernel frames, "_[j]" behind JIT, "_[i]" behind inlined ones */
};

/*
 * One line for each distinct stack, "command;main;work 42", sorted by bytes: what stackcollapse-perf.pl makes of
 * the script output, and flamegraph.pl, speedscope and others read. options NULL: all zero.
 * 0, or -EINVAL with words.
 */
int folded_render(const struct flame_data *data, const struct folded_options *options, struct buf *buf,
		  struct err *err);

#endif
