/* SPDX-License-Identifier: Apache-2.0 */
/* A recording opened for looking at: the file, the machine it describes, and names for its addresses. */
#ifndef CMD_RECORDING_H
#define CMD_RECORDING_H

#include "base/err.h"
#include "profile/profile.h"
#include "record/perfdata_reader.h"
#include "symbol/symbolizer.h"

/* perfdata_reader_open, and what to do about a perf.data that is not there. */
int recording_reader_open(const char *path, unsigned flags, struct perfdata_reader **ret_reader,
			  struct err *err);

struct recording {
	const char *path; /* what was opened: "perf.data", "-" */
	struct perfdata_reader *reader;
	struct machine *machine; /* both are the profile's after recording_ingest */
	struct symbolizer *symbolizer;
	struct profile *profile; /* NULL before recording_ingest */
};

/*
 * Opens path (NULL: standard input when that is a pipe, else perf.data); flags: PERFDATA_*. The
 * symbolizer's os_release is filled in from the file. 0 or -errno with words.
 */
int recording_open(struct recording *recording, const char *path, unsigned flags,
		   const struct symbolizer_options *options, struct err *err);
/* Reads everything into recording->profile. Damage is counted (recording_print_damage), not fatal. 0 or -errno. */
int recording_ingest(struct recording *recording, const struct profile_options *options, struct err *err);
void recording_close(struct recording *recording);

/* What the user must know about the data itself, one note each on stderr: damage, records of unknown events. */
void recording_note_damage(const struct recording *recording);
/* What would make stacks complete, one sentence; NULL when they are, or nothing is known to help. */
const char *recording_quality_advice(const struct profile *profile);
/* "37 % of stacks end in libX, ...: record with --call-graph dwarf": a sentence into buf, or nothing when stacks are good. */
void recording_quality_text(const struct profile *profile, struct buf *buf);

#endif
