/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_PERFDATA_TOPOLOGY_H
#define RECORD_PERFDATA_TOPOLOGY_H

#include <stdint.h>

#include "base/array.h"
#include "record/perfdata_features.h"

/* By CPU number; -1 where the recording does not say. */
struct perfdata_sockets {
	ARRAY(int32_t) socket_of;
};

/* Which processor socket each CPU is on, from CPU_TOPOLOGY; empty when the recording does not say. */
void perfdata_features_sockets(const struct perfdata_features *features,
			       struct perfdata_sockets *ret_sockets);

#endif
