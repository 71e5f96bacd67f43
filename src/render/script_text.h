/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of `script`, in perf's layout, which flame graph tools and many others parse.
 *
 * A line is put together from parts, each of which writes what the style's fields ask for, in the order in which
 * they stand below. Whoever prints many lines keeps the parts that repeat (tasks, frames) as ready text.
 */
#ifndef RENDER_SCRIPT_TEXT_H
#define RENDER_SCRIPT_TEXT_H

#include "analysis/script_line.h"
#include "base/buf.h"

#define SCRIPT_TEXT_NO_TOD UINT64_MAX

/* comm, pid and tid. */
void script_text_task(struct buf *buf, const struct script_style *style, const char *comm, int32_t pid,
		      int32_t tid);
void script_text_cpu(struct buf *buf, const struct script_style *style, int32_t cpu);
/* misc: the letters for a record's kind and mode, at most five. */
void script_text_misc(struct buf *buf, const char *letters);
/* Wall time: nanoseconds since 1970, in the local time zone. */
void script_text_tod(struct buf *buf, const struct script_style *style, uint64_t tod);
void script_text_time(struct buf *buf, const struct script_style *style, uint64_t time);
/* The event's name, right-aligned to the longest name of the recording, ready to be put into lines. */
void script_text_event(struct buf *buf, const char *name, unsigned width);

/* addr with what is there (is_symbolic: only for events whose address is one of code or data). */
void script_text_addr(struct buf *buf, const struct script_style *style, const struct script_place *place,
		      bool is_symbolic);
/* ip, sym, symoff, dso, dsoff: "    55a91b6df264 leaf+0x34 (/home/user/w)". */
void script_text_place(struct buf *buf, const struct script_style *style, const struct script_place *place);
/* The same as a line of a callchain. srcline: NULL or "w.c:7". */
void script_text_frame(struct buf *buf, const struct script_style *style, const struct script_place *place,
		       const char *srcline);
void script_text_regs(struct buf *buf, const struct script_regs *regs);
/* One entry of brstack (field SCRIPT_BRSTACK), brstacksym or brstackoff. */
void script_text_branch(struct buf *buf, const struct script_style *style, enum script_field field,
			const struct script_branch *branch);
/* What a BPF program has put into a bpf-output sample: lines of their own. */
void script_text_bpf_output(struct buf *buf, struct span data);
/* " 4K", " 2M", " N/A". */
void script_text_page_size(struct buf *buf, uint64_t size);
/* The bytes of an instruction: " insn: 89 c2". */
void script_text_insn(struct buf *buf, struct span bytes);

#endif
