/* SPDX-License-Identifier: Apache-2.0 */
/* What a file tells besides what the kernel wrote: at its beginning what there is already, at its end what was missed. */
#ifndef CMD_RECORD_SNAPSHOT_H
#define CMD_RECORD_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "capture/counter.h"
#include "capture/keeper.h"
#include "capture/target.h"
#include "cmd/record_command.h"
#include "cmd/record_options.h"
#include "record/event_table.h"
#include "record/sink.h"

struct record_snapshot {
	const struct record_options *options;
	const struct target *target;
	const struct record_command *command;
	const struct counter_set *counters;
	const struct event_table *table;
	struct record_sink *sink;
	struct keeper *keeper; /* NULL: files are not kept */
};

/* at_start: of the first file. 0 or -errno with words. */
int record_snapshot_put(const struct record_snapshot *what, bool at_start, struct err *err);
/* The last records of a file. lost: of each event; NULL: not of this file. */
int record_snapshot_put_tail(const struct record_snapshot *what, const uint64_t *lost, struct err *err);
/* For whoever reads build-ids on the capture floor. */
int record_snapshot_read_build_id(const char *path, uint8_t ret_build_id[SNAPSHOT_BUILD_ID_MAX]);

#endif
