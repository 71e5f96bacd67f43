/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REPORT_THREADS_H
#define CMD_REPORT_THREADS_H

#include "base/buf.h"
#include "cmd/recording.h"

/* report -T: the counts that each thread had when it ended, from READ records. Nothing when there are none. */
void report_threads_print(struct recording *recording, struct buf *buf);

#endif
