/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in words, as perf shows them: "PERF_RECORD_COMM exec: w:25331/25331". For --show-*-events of script
 * and for raw dumps.
 */
#ifndef RECORD_RECORD_TEXT_H
#define RECORD_RECORD_TEXT_H

#include "base/buf.h"
#include "record/record.h"

/* The text without a newline at its end (NAMESPACES has some within); types without words of their own: the name. */
void record_text_print(const struct record *record, struct buf *buf);
/* What script's field `misc` says: at most five letters, NUL-terminated. */
void record_text_misc(uint32_t type, uint16_t misc, char letters[8]);
/* Of a mode: 'K', 'U', 'H', 'G' (guest kernel), 'g' (guest user); 0: unknown. */
char record_text_mode(uint16_t misc);

#endif
