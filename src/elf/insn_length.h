/* SPDX-License-Identifier: Apache-2.0 */
/* Where instructions end: enough of a decoder to step over code and to show the bytes of one instruction. */
#ifndef ELF_INSN_LENGTH_H
#define ELF_INSN_LENGTH_H

#include <stdbool.h>

#include "base/span.h"

/*
 * Bytes of the x86 instruction at the start of code; 0 when they are not one that is known, or code ends
 * within it. Intel SDM volume 2, chapter 2 and appendix A; AMD APM volume 3 for XOP and 3DNow!.
 */
unsigned insn_length_x86(struct span code, bool is_64bit);

#endif
