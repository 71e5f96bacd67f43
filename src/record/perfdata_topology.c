/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU_TOPOLOGY: a list of strings of core siblings, one of thread siblings, then {core, socket} of each CPU (perf.data
 * format; what follows in newer files is not needed here). How many CPUs there are says NRCPUS.
 */
#include "record/perfdata_topology.h"

#include "base/cpuset.h"
#include "base/cursor.h"

static void skip_strings(struct cursor *cursor)
{
	uint32_t nr = cursor_u32(cursor);

	for (uint32_t i = 0; i < nr && !cursor->failed; i++)
		cursor_skip(cursor, cursor_u32(cursor));
}

void perfdata_features_sockets(const struct perfdata_features *features, struct perfdata_sockets *ret_sockets)
{
	struct span payload = features->payloads[PERFDATA_CPU_TOPOLOGY];
	struct cursor cursor = cursor_of(payload.data, payload.size, features->swap);
	uint32_t online = 0, available = 0;

	*ret_sockets = (struct perfdata_sockets){ 0 };
	if (!perfdata_features_has(features, PERFDATA_CPU_TOPOLOGY) ||
	    !perfdata_features_nrcpus(features, &online, &available))
		return;
	skip_strings(&cursor);
	skip_strings(&cursor);
	for (uint32_t i = 0; i < available && i < CPUSET_MAX && cursor_left(&cursor) >= 8; i++) {
		cursor_u32(&cursor);
		array_push(&ret_sockets->socket_of, (int32_t)cursor_u32(&cursor));
	}
}
