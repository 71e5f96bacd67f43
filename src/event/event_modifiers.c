/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event_modifiers.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

static int complain_twice(struct event_place *place, const char *what)
{
	char words[80];

	snprintf(words, sizeof(words), "modifier %s is there twice", what);
	return event_place_complain(place, place->at, -EINVAL, words);
}

static int set_once(struct event_place *place, bool *flag, const char *what)
{
	if (*flag)
		return complain_twice(place, what);
	*flag = true;
	return 0;
}

static int parse_modifier(struct event_place *place, struct event_modifiers *mods, bool for_group)
{
	switch (*place->at) {
	case 'u':
		return set_once(place, &mods->user, "u (user)");
	case 'k':
		return set_once(place, &mods->kernel, "k (kernel)");
	case 'h':
		return set_once(place, &mods->hv, "h (hypervisor)");
	case 'I':
		return set_once(place, &mods->idle, "I (not when idle)");
	case 'G':
		return set_once(place, &mods->guest, "G (guest)");
	case 'H':
		return set_once(place, &mods->host, "H (host)");
	case 'P':
		return set_once(place, &mods->precise_max, "P (as precise as can be)");
	case 'S':
		return set_once(place, &mods->sample_read, "S (read the group with each sample)");
	case 'D':
		return set_once(place, &mods->pinned, "D (pinned)");
	case 'e':
		return set_once(place, &mods->exclusive, "e (exclusive)");
	case 'W':
		if (!for_group)
			return event_place_complain(place, place->at, -EINVAL,
						    "modifier W (weak) is for groups: {a,b}:W");
		return set_once(place, &mods->weak, "W (weak group)");
	case 'X':
		return 0; /* "do not regroup": groups are always taken as they are written */
	case 'p':
		if (mods->precise == 3)
			return event_place_complain(place, place->at, -EINVAL,
						    "three p are the most precise there is");
		mods->precise++;
		return 0;
	case 'b':
		return event_place_complain(place, place->at, -EINVAL,
					    "modifier b (counting by BPF) is not built");
	case 'R':
		return event_place_complain(place, place->at, -EINVAL,
					    "modifier R (retire latency) is not built");
	default:
		return event_place_complain(place, place->at, -EINVAL,
					    "unknown modifier; u k h I G H p P S D W e are known");
	}
}

bool event_modifiers_at_end(char c)
{
	return !c || c == ',' || c == '}' || isspace((unsigned char)c);
}

int event_modifiers_parse(struct event_place *place, struct event_modifiers *mods, bool for_group)
{
	const char *start = place->at;

	for (; !event_modifiers_at_end(*place->at); place->at++) {
		int code = parse_modifier(place, mods, for_group);

		if (code < 0)
			return code;
	}
	if (place->at == start)
		return event_place_complain(place, place->at, -EINVAL,
					    "modifiers are missing after the colon");
	return 0;
}

/* What is to be counted is all that any of the letters names; a group's letters add to those of its members. */
static void apply_exclusions(struct event *event, const struct event_modifiers *mods)
{
	const uint64_t all = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;

	if (mods->user || mods->kernel || mods->hv) {
		if (!(event->terms & EVENT_TERM_EXCLUDE))
			event->attr.flags |= all;
		if (mods->user)
			event->attr.flags &= ~ATTR_EXCLUDE_USER;
		if (mods->kernel)
			event->attr.flags &= ~ATTR_EXCLUDE_KERNEL;
		if (mods->hv)
			event->attr.flags &= ~ATTR_EXCLUDE_HV;
		event->terms |= EVENT_TERM_EXCLUDE;
	}
	if (mods->guest != mods->host) {
		event->attr.flags &= ~(ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_GUEST);
		event->attr.flags |= mods->guest ? ATTR_EXCLUDE_HOST : ATTR_EXCLUDE_GUEST;
	}
}

void event_modifiers_apply(struct event *event, const struct event_modifiers *mods, bool leads)
{
	apply_exclusions(event, mods);
	if (mods->idle)
		event->attr.flags |= ATTR_EXCLUDE_IDLE;
	if (mods->precise) {
		event->attr.flags &= ~ATTR_PRECISE_MASK;
		event->attr.flags |= (uint64_t)mods->precise << ATTR_PRECISE_SHIFT;
		event->terms |= EVENT_TERM_PRECISE;
	}
	if (mods->precise_max) {
		event->attr.flags |= ATTR_PRECISE_MASK;
		event->terms |= EVENT_TERM_PRECISE_MAX;
	}
	if (mods->sample_read)
		event->terms |= EVENT_TERM_SAMPLE_READ;
	if (mods->weak)
		event->terms |= EVENT_TERM_WEAK;
	if (leads && mods->pinned)
		event->attr.flags |= ATTR_PINNED;
	if (leads && mods->exclusive)
		event->attr.flags |= ATTR_EXCLUSIVE;
}
