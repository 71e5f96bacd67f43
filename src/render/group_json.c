/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views as JSON.
 *
 * Every entry has its keys as strings under the names that -s knows them by, and its numbers: percentages
 * as columns show them, periods and samples as they are. In groups of events each number is an array, one
 * value for each event. Call graphs nest: a node has the frame's name and DSO, what passes through, and children.
 */
#include "render/group_json.h"

#include <math.h>
#include <string.h>

#include "base/xalloc.h"
#include "profile/field_trace.h"

struct writer {
	const struct group_text *text;
	struct view *view;
	const struct field_env *env;
	struct json *json;
	struct calltree_plan plan;
	struct calltree_builder *builder; /* NULL: no call graphs */
	struct buf scratch;
};

static void put_events(struct writer *w)
{
	const struct event_table *events = w->view->plan->profile->events;
	const struct profile *profile = w->view->plan->profile;

	json_key(w->json, "events");
	json_open_array(w->json);
	for (uint32_t i = 0; i < w->view->nr_events; i++) {
		uint32_t event = w->view->events[i];

		json_open_object(w->json);
		json_key(w->json, "name");
		json_string(w->json,
			    events && event < events->events.nr ? events->events.items[event].name : "");
		if (event < profile->event_stats.nr) {
			json_key(w->json, "samples");
			json_u64(w->json, profile->event_stats.items[event].nr_samples);
			json_key(w->json, "lost_samples");
			json_u64(w->json, profile->event_stats.items[event].nr_lost_samples);
		}
		json_key(w->json, "period");
		json_u64(w->json, w->view->total[i]);
		json_close_object(w->json);
	}
	json_close_array(w->json);
}

/* A number of the entry, or an array of them for a group. */
static void put_numbers(struct writer *w, uint32_t entry, enum amount amount, const struct field *percent_of)
{
	const struct view *view = w->view;

	if (view->nr_events > 1)
		json_open_array(w->json);
	for (uint32_t i = 0; i < view->nr_events; i++) {
		double percent = percent_of ? view_percent(view, entry, i, percent_of) : 0;

		if (percent_of && isnan(percent))
			json_null(w->json);
		else if (percent_of)
			json_double(w->json, percent, 4);
		else
			json_u64(w->json, view_amount(view, entry, i, amount));
	}
	if (view->nr_events > 1)
		json_close_array(w->json);
}

static void put_frame(struct writer *w, uint32_t frame)
{
	const struct dso *dso = profile_frame_dso(w->view->plan->profile, frame);

	w->scratch.size = 0;
	field_print_frame(w->env, frame, &w->scratch);
	json_key(w->json, "symbol");
	json_bytes(w->json, w->scratch.data, w->scratch.size);
	json_key(w->json, "dso");
	if (dso && w->view->plan->profile->frames.items[frame].dso)
		json_string(w->json, dso->name);
	else
		json_null(w->json);
}

/* Children of a node, and theirs; the depth is kept in a list, stacks can be deep. */
static void put_children(struct writer *w, const struct calltree *tree)
{
	ARRAY(uint32_t) next = { 0 }, end = { 0 };

	json_key(w->json, "callgraph");
	json_open_array(w->json);
	array_push(&next, tree->nodes.items[0].first);
	array_push(&end, tree->nodes.items[0].first + tree->nodes.items[0].nr);
	while (next.nr) {
		const struct calltree_node *node;

		if (*array_last(&next) == *array_last(&end)) {
			next.nr--, end.nr--;
			json_close_array(w->json);
			if (next.nr)
				json_close_object(w->json);
			continue;
		}
		node = &tree->nodes.items[(*array_last(&next))++];
		json_open_object(w->json);
		put_frame(w, node->frame);
		json_key(w->json, "period");
		json_u64(w->json, node->total);
		json_key(w->json, "samples");
		json_u64(w->json, node->nr_samples);
		json_key(w->json, "children");
		json_open_array(w->json);
		array_push(&next, node->first);
		array_push(&end, node->first + node->nr);
	}
	array_release(&next);
	array_release(&end);
}

static const char *mode_word(char letter)
{
	switch (letter) {
	case 'k':
		return "kernel";
	case 'g':
		return "guest kernel";
	case 'u':
		return "guest user";
	case 'H':
		return "hypervisor";
	default:
		return "user";
	}
}

/* A key's value; what the text table says as "[k] name" are two members here. */
static void put_key(struct writer *w, const struct field_use *use, uint64_t value)
{
	const char *text;

	w->scratch.size = 0;
	use->field->print(w->env, use, value, &w->scratch);
	text = buf_text(&w->scratch);
	if (use->field->kind == FIELD_FRAME && text[0] == '[' && text[1] && !strncmp(text + 2, "] ", 2)) {
		json_string(w->json, text + 4);
		json_key(w->json, "mode");
		json_string(w->json, mode_word(text[1]));
	} else {
		json_string(w->json, text);
	}
}

static void put_columns(struct writer *w, uint32_t entry)
{
	const struct field_list *columns = &w->view->plan->options->columns;

	for (size_t i = 0; i < columns->uses.nr; i++) {
		const struct field_use *use = &columns->uses.items[i];

		if (use->trace && !group_text_is_of_view(w->view, use))
			continue;
		json_key(w->json, use->trace ? use->trace->name : use->field->name);
		if (use->field->kind == FIELD_AMOUNT) {
			bool percent = use->field->format == FIELD_PERCENT ||
				       use->field->format == FIELD_PERCENT_LATENCY;

			put_numbers(w, entry, use->field->amount, percent ? use->field : NULL);
			continue;
		}
		put_key(w, use, view_value(w->view, entry, use, w->view->plan->column_slots[i]));
	}
}

static void put_amount(struct writer *w, const char *name, uint32_t entry, enum amount amount)
{
	if (!w->view->amounts[amount])
		return;
	json_key(w->json, name);
	put_numbers(w, entry, amount, NULL);
}

static void put_entry(struct writer *w, uint32_t entry)
{
	json_open_object(w->json);
	put_columns(w, entry);
	put_amount(w, "self_period", entry, AMOUNT_SELF);
	put_amount(w, "self_samples", entry, AMOUNT_SAMPLES);
	put_amount(w, "children_period", entry, AMOUNT_TOTAL);
	if (w->builder) {
		const struct calltree *tree = calltree_build(w->builder, entry);

		if (tree->nodes.items[0].nr)
			put_children(w, tree);
	}
	json_close_object(w->json);
}

void group_json_table(const struct group_text *text, struct view *view, struct json *json)
{
	struct writer w = {
		.text = text, .view = view, .env = &view->plan->env, .json = json, .scratch = BUF_INIT
	};

	if (text->graph.mode != CALLTREE_NONE) {
		calltree_plan_init(&w.plan, view, &text->tree);
		w.builder = calltree_builder_new(&w.plan);
	}
	json_open_object(json);
	put_events(&w);
	json_key(json, "samples");
	json_u64(json, view->nr_samples);
	json_key(json, "period");
	json_u64(json, view->period);
	json_key(json, "entries");
	json_open_array(json);
	for (size_t i = 0; i < view->entries.nr; i++) {
		uint32_t entry = view->order[i];

		if (group_text_is_shown(text, view_worth(view, entry), view->total[0]))
			put_entry(&w, entry);
	}
	json_close_array(json);
	json_close_object(json);
	if (w.builder) {
		calltree_builder_free(w.builder);
		calltree_plan_release(&w.plan);
	}
	buf_release(&w.scratch);
}
