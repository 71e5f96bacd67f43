/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_FLAME_PACK_H
#define RENDER_FLAME_PACK_H

#include <stdint.h>

#include "base/buf.h"
#include "render/flame_data.h"

/*
 * Appends the profile as the bytes that the page reads (described in flame_pack.c; read by
 * assets/flame_data.js). data has passed flame_data_check. node_budget 0: every node.
 */
void flame_pack(const struct flame_data *data, uint32_t node_budget, struct buf *buf);

#endif
