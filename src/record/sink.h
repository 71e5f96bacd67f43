/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_SINK_H
#define RECORD_SINK_H

#include "base/err.h"
#include "base/span.h"

/*
 * Takes whole records. Sinks chain like pipes: ring -> compress -> file. The bytes are the caller's again
 * when push returns. 0 or -errno with words; after a failure push is not called again.
 */
struct record_sink {
	int (*push)(struct record_sink *sink, struct span records, struct err *err);
	int (*flush)(struct record_sink *sink, struct err *err); /* everything taken so far goes on its way */
};

static inline int record_sink_push(struct record_sink *sink, struct span records, struct err *err)
{
	return sink->push(sink, records, err);
}

static inline int record_sink_flush(struct record_sink *sink, struct err *err)
{
	return sink->flush ? sink->flush(sink, err) : 0;
}

#endif
