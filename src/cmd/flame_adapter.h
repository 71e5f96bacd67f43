/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_FLAME_ADAPTER_H
#define CMD_FLAME_ADAPTER_H

#include "cmd/recording.h"
#include "render/flame_data.h"

/*
 * What the flame graph renderers draw, made from an ingested recording. Texts belong to the recording, the
 * rest to the adapter; both must outlive the renderer.
 */
struct flame_adapter;

struct flame_adapter *flame_adapter_new(struct recording *recording, const char *title);
void flame_adapter_free(struct flame_adapter *adapter);
const struct flame_data *flame_adapter_data(const struct flame_adapter *adapter);

#endif
