/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms: what stands between an event's slashes. Some are the same for all events (period=, call-graph= ...), the
 * others are fields of the PMU's config words or names of its ready-made events.
 */
#ifndef EVENT_EVENT_TERM_H
#define EVENT_EVENT_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "event/event_place.h"
#include "event/pmu.h"

struct event_term_text {
	const char *at; /* in the user's text, for complaints */
	char name[EVENT_WORD_MAX];
	char value[EVENT_WORD_MAX];
	bool has_value;
};

/*
 * Applies the terms at the place, up to and with the closing slash, to the events from `first` on. pmu NULL: events
 * of the fixed tables, which take the common terms only. 0 or -errno with a picture.
 */
int event_term_parse(struct event_place *place, size_t first, struct pmu *pmu);
/* The terms of the PMU's ready-made event term->name. -ENOENT: it has none of this name. */
int event_term_apply_alias(struct event_place *place, struct event *event, struct pmu *pmu,
			   const struct event_term_text *term, unsigned depth);

#endif
