/* SPDX-License-Identifier: Apache-2.0 */
/* Modifiers: the letters behind an event's colon that say when and how exactly it counts. */
#ifndef EVENT_EVENT_MODIFIERS_H
#define EVENT_EVENT_MODIFIERS_H

#include <stdbool.h>

#include "event/event.h"
#include "event/event_place.h"

struct event_modifiers {
	bool user, kernel, hv, idle, guest, host;
	bool precise_max, sample_read, pinned, exclusive, weak;
	int precise;
};

/* What ends modifiers: a comma, a closing brace, a blank, the end. */
bool event_modifiers_at_end(char c);
/* The letters at the place. 0 or -EINVAL with a picture. */
int event_modifiers_parse(struct event_place *place, struct event_modifiers *mods, bool for_group);
/* leads: the event is alone or leads its group (pinned and exclusive belong to groups). */
void event_modifiers_apply(struct event *event, const struct event_modifiers *mods, bool leads);

#endif
