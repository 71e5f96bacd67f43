/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the feature decoders: a payload as a cursor. */
#ifndef RECORD_PERFDATA_PAYLOAD_H
#define RECORD_PERFDATA_PAYLOAD_H

#include "base/cursor.h"
#include "record/perfdata_features.h"

struct cursor perfdata_payload(const struct perfdata_features *features, unsigned bit);
/* {u32 size, text with its NUL}; NULL and failed when it is not that. */
const char *perfdata_payload_string(struct cursor *cursor);

#endif
