/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REPORT_NOTES_H
#define CMD_REPORT_NOTES_H

#include "base/buf.h"
#include "cmd/recording.h"

/* As lines that begin with '#'; the recording is ingested. */
void report_notes_print(struct recording *recording, struct buf *buf);

#endif
