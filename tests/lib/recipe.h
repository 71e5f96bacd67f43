/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings as text: a recipe is compiled into the bytes of a perf.data file, so that tests depend on no CPU,
 * kernel or right. Written from the format's description alone and independent of src/record, in either byte order.
 *
 * One statement a line, words separated by blanks; # begins a comment. Words with '=' are settings, others are
 * arguments in order; "..." keeps blanks, with \n \t \" \\ \xHH inside. Numbers are decimal or 0x hex.
 *
 *	order little|big		byte order of the file (little)
 *	format file|pipe|unfinished	what is written (file); unfinished: data.size 0 and no features
 *	attr-size N			bytes of the attrs: 64, 72 ... 144 and beyond (144)
 *	pad N				so many zero bytes in front of the data (files)
 *
 * Header features, all optional:
 *	hostname|osrelease|version|arch|cpudesc|cpuid TEXT
 *	nrcpus ONLINE AVAILABLE		total-mem KB		cmdline WORD...
 *	sample-time FIRST LAST		clockid RESOLUTION	clock-data CLOCKID WALL CLOCK
 *	event-desc yes|no		EVENT_DESC and GROUP_DESC as the events say (yes)
 *	build-id ID PATH [pid=N] [misc=kernel|user]	a row of BUILD_ID
 *	feature N WORD...		any feature: bytes as below
 *	tracepoint SYSTEM NAME		the lines up to "end" are its format file
 *
 * Events, in front of the records that need them:
 *	event NAME [type=hardware|software|tracepoint|cache|raw|breakpoint|N] [config=N] [config1= config2= config3=]
 *	      [period=N|freq=N] [sample=ip,tid,...] [read=enabled,running,id,group,lost] [ids=N,N...]
 *	      [flags=mmap,comm,...] [branch=N] [regs-user=MASK] [regs-intr=MASK] [stack=N] [clockid=N] [precise=N]
 *	      [members=N] [group=NAME]	leader of a group: so many events from this one on
 *	What is not said: type=software config=0 freq=4000 sample=ip,tid,time,period flags=sample_id_all.
 *
 * Records. Each may have: event=NAME (whose trailer it has; the first), misc=N|user|kernel|..., pid= tid= time= id=
 * cpu= stream= (trailer; tid is pid when not given; id is the event's first).
 *	mmap|mmap2 ADDR LENGTH PATH [pgoff=N] [prot=r-x] [shared] [major= minor= inode= generation=] [build-id=HEX] [data]
 *	comm NAME [exec]	fork|exit ppid=N ptid=N		lost N		lost-samples N
 *	throttle|unthrottle	switch [out] [preempt]		switch-cpu-wide NEXTPID NEXTTID [out] [preempt]
 *	namespaces DEV:INODE...	ksymbol ADDR LENGTH NAME [kind=N] [unregister]
 *	bpf KIND ID TAGHEX	cgroup ID PATH			text-poke ADDR OLDHEX NEWHEX
 *	read VALUE...		aux OFFSET SIZE FLAGS		itrace-start
 *	sample [ip=N] [addr=N] [period=N] [chain=k,N,N,u,N...] [raw=HEX] [read=VALUE,ID,...] [branches=FROM-TO-FLAGS,...]
 *	       [user=ABI,N,N...] [intr=ABI,N,...] [stack=HEX] [stack-used=N] [weight=N] [data-src=N] [transaction=N]
 *	       [phys=N] [cgroup=N] [data-page=N] [code-page=N] [aux=HEX]
 *	       chain: addresses and the markers k u g (kernel, user, guest); read: numbers in the order of read_format
 *	round	init		FINISHED_ROUND, FINISHED_INIT
 *	record TYPE WORD...	any record: a header and the bytes given
 *	bytes WORD...		bytes in the data that are no record
 *	compress|compress2	the records from here to "end" go through zstd, into one record of this type
 *
 * WORDs of bytes: u8:N u16:N u32:N u64:N (in the file's order), string:TEXT ({u32 size, text, NULs to 64}), text:TEXT
 * (with its NUL), zeros:N, or hex digits.
 *
 *	cut N			the last N bytes of the file are cut off
 */
#ifndef TESTS_RECIPE_H
#define TESTS_RECIPE_H

#include "base/buf.h"
#include "base/err.h"

struct recipe_options {
	const char *order; /* "big" or "little": instead of what the recipe says; NULL */
	const char *format; /* likewise */
	unsigned attr_size; /* likewise; 0 */
};

/* Appends the recording to ret. options may be NULL. 0 or -EINVAL with the line that is wrong. */
int recipe_compile(const char *text, const struct recipe_options *options, struct buf *ret, struct err *err);

#endif
