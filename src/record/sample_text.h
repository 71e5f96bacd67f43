/* SPDX-License-Identifier: Apache-2.0 */
/* What a sample holds besides its fixed fields, in the lines of `report -D`. */
#ifndef RECORD_SAMPLE_TEXT_H
#define RECORD_SAMPLE_TEXT_H

#include "base/buf.h"
#include "record/sample.h"

/* Call chain, branches, registers, stack, weight ...: whatever the event samples. arch: of the recording; may be NULL. */
void sample_text_print(const struct sample_layout *layout, const struct sample *sample, const char *arch,
		       struct buf *buf);
/* The name of a register by its bit in the mask ("AX", "x0"); NULL: unknown. */
const char *sample_text_register(const char *arch, unsigned bit);

#endif
