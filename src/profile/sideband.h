/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_SIDEBAND_H
#define PROFILE_SIDEBAND_H

#include "base/array.h"
#include "base/err.h"
#include "model/machine.h"
#include "profile/parallelism.h"
#include "profile/profile.h"
#include "record/event_table.h"
#include "record/source.h"

/*
 * The index pass: one walk over all records that applies the side-band to the machine in time order and
 * counts the rest. Afterwards samples can be resolved in any order.
 */
struct sideband {
	ARRAY(struct record_block) blocks; /* of a stable source, for the pass over the samples */
	struct profile_stats stats; /* all but the samples' */
	ARRAY(struct profile_event_stats) event_stats; /* lost samples by event */
	struct parallelism *parallelism; /* NULL: no context switches in the file */
	uint64_t size; /* bytes of all blocks */
};

/* Reads the source to its end. 0 or -errno; damage is counted. A large recording that may have samples of the kernel makes
 * the symbolizer preload (NULL: no names will be needed). */
int sideband_read(struct record_source *source, const struct event_table *events, struct machine *machine,
		  struct symbolizer *symbolizer, struct sideband *ret_sideband, struct err *err);
void sideband_release(struct sideband *sideband);

#endif
