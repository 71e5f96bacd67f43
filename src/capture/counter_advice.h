/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All texts that say what to do when the kernel refuses something: one place, so that they stay true together.
 */
#ifndef CAPTURE_COUNTER_ADVICE_H
#define CAPTURE_COUNTER_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "capture/target.h"
#include "event/event.h"

/* Why perf_event_open refused an event with code (-errno), and what helps. Returns code. */
int counter_advice_open(struct err *err, int code, const struct event *event, const struct target *target);
/* Why the rings could not be mapped. Returns code. */
int counter_advice_map(struct err *err, int code, size_t size);
/* Kernel addresses that are hidden: NULL, or one line on why kernel symbols will be missing. */
const char *counter_advice_kernel_symbols(void);
/*
 * What to change so that less is lost, one line. ring_size: bytes of each ring; frequency: samples a second of the event
 * that lost most; 0 when it is not sampled by frequency.
 */
void counter_advice_lost(char *text, size_t size, size_t ring_size, unsigned long long frequency);
/* Value of kernel.perf_event_paranoid; 2 when it cannot be read. */
int counter_advice_paranoid(void);

#endif
