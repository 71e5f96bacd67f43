/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view: the rows of a profile grouped by keys, with overheads, in order. What every report is printed from.
 *
 *	plan    what a profile is to be shown as: the fields, filters and what they mean for this profile
 *	view    one event (or a group of events side by side) under a plan
 *	entry   one line: a distinct (context, place) pair; see field.h
 *
 * With children an entry stands also for every sample that passes through its place. For that each
 * context's rows are laid out as a tree of nodes (view_node): the stacks of that context's samples, parents before
 * children, so that one backward pass sums up what lies below each node. A node is topmost when no node above it
 * belongs to the same entry; the entry's total is the sum over its topmost nodes, so that recursion counts once.
 */
#ifndef PROFILE_VIEW_H
#define PROFILE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "profile/field.h"
#include "profile/filter.h"
#include "profile/profile.h"

struct view_options {
	struct field_list fields; /* owns what the fields of the other two lists point to */
	struct field_list
		sorts; /* what entries are sorted by, most important first; its keys make the entries */
	struct field_list columns; /* what is shown, from the left */
	bool children; /* count what functions call as theirs, too */
	bool relative; /* percentages of what passes the filters, not of everything */
	uint32_t group_sort_index; /* which event of a group decides the order */
	bool by_address; /* the profile was made with need_addresses */
	bool verbose, time_in_ns, full_source_path, raw_trace;
	struct tracepoint_format_table *formats; /* NULL: none */
	const int32_t *cpu_socket;
	size_t nr_cpu_sockets;
	struct filter_options filter;
};

/* What a profile must hold for these options (need_*, extras). graph: call graphs will be shown. */
void view_options_need(const struct view_options *options, bool graph, struct profile_options *ret);
void view_options_release(struct view_options *options);

struct view_plan {
	const struct view_options *options;
	const struct profile *profile;
	struct field_env env;
	struct filter filter;
	/* The keys, split by what they ask. */
	struct field_list context_keys, frame_keys; /* (uses belong to the options) */
	/* Where a field's value stands among them, by its place in the options' lists; amounts: 0. */
	uint32_t *sort_slots, *column_slots;
	uint32_t *place; /* by frame: id of its tuple of frame values */
	uint32_t nr_places;
	ARRAY(uint64_t) place_values; /* nr frame_keys for each place */
	ARRAY(uint32_t) place_frame; /* a frame of each place */
};

/* options and profile must live longer. 0 or -errno with words. */
int view_plan_new(const struct profile *profile, const struct view_options *options,
		  struct view_plan **ret_plan, struct err *err);
void view_plan_free(struct view_plan *plan);

#define VIEW_NO_NODE UINT32_MAX

struct view_node {
	uint32_t parent; /* VIEW_NO_NODE: first frame of a stack */
	uint32_t stack;
	uint32_t child, sibling; /* VIEW_NO_NODE ends */
	uint32_t entry; /* of its context and the frame's place */
	uint32_t outer; /* the next node above of the same entry; VIEW_NO_NODE: this is a topmost one */
	uint32_t nr_samples; /* with everything below */
	uint32_t height : 31; /* nodes on the longest way down, with this one */
	uint32_t has_self : 1; /* stacks end here */
	uint64_t total;
};

struct view_entry {
	uint32_t context;
	uint32_t place;
	uint32_t frame; /* one that it stands for */
};

struct view {
	const struct view_plan *plan;
	uint32_t leader; /* index of the first event */
	uint32_t nr_events; /* more than one: a group */
	uint32_t *events; /* their indexes */
	/* What 100 % is, for each event. */
	uint64_t *total, *total_latency;
	uint64_t nr_samples; /* of all events */
	uint64_t period;
	uint32_t nr_contexts;
	ARRAY(uint64_t) context_values; /* nr context_keys for each context */
	ARRAY(struct view_entry) entries;
	uint64_t *amounts[NR_AMOUNTS]; /* [entry * nr_events + event]; NULL: nobody needs it */
	uint32_t *order; /* entries as they are shown */
	ARRAY(uint32_t)
	depths; /* by entry: frames of its longest chain; empty without children or call graphs */
	/* Only the leader's, for call graphs: */
	ARRAY(struct view_node) nodes; /* with children */
	uint32_t *row_list; /* row numbers, those of entry e at [row_start[e], row_start[e + 1]) */
	uint32_t *row_start;
	uint32_t *node_list, *node_start; /* nodes by entry, with children */
};

/* events: a single event, or the members of a group (the leader first). graph: keep what call graphs need. */
struct view *view_new(const struct view_plan *plan, const uint32_t *events, uint32_t nr_events, bool graph);
void view_free(struct view *view);

static inline uint64_t view_amount(const struct view *view, uint32_t entry, uint32_t event,
				   enum amount amount)
{
	const uint64_t *amounts = view->amounts[amount];

	return amounts ? amounts[(uint64_t)entry * view->nr_events + event] : 0;
}

/* The identity that an entry has under a key, by the key's slot. */
uint64_t view_value(const struct view *view, uint32_t entry, const struct field_use *use, uint32_t slot);
/* What the entry is worth: its total with children, else its own periods; of the first event. */
uint64_t view_worth(const struct view *view, uint32_t entry);
/* A percentage as the column shows it; NAN when there is nothing to divide by. */
double view_percent(const struct view *view, uint32_t entry, uint32_t event, const struct field *field);

#endif
