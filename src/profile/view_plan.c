/* SPDX-License-Identifier: Apache-2.0 */
/* What a view's options ask of a profile, and what they mean for one that is there. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/xalloc.h"
#include "profile/view.h"

/* ---- options ------------------------------------------------------------------------------- */

static void need_fields(const struct field_list *list, struct profile_options *ret)
{
	for (size_t i = 0; i < list->uses.nr; i++) {
		const struct field *field = list->uses.items[i].field;

		ret->need_symbols |= (field->flags & FIELD_NEEDS_SYMBOLS) != 0;
		ret->need_addresses |= (field->flags & FIELD_NEEDS_ADDRESSES) != 0;
		ret->need_stacks |= (field->flags & FIELD_NEEDS_STACKS) != 0;
		ret->extras |= field->extras;
	}
}

void view_options_need(const struct view_options *options, bool graph, struct profile_options *ret)
{
	const struct filter_options *filter = &options->filter;

	need_fields(&options->sorts, ret);
	need_fields(&options->columns, ret);
	ret->need_stacks |= graph || options->children || filter->exclude_other || filter->ignore_callees;
	ret->need_symbols |= graph || filter->symbols || filter->symbol_part || filter->hide_unresolved ||
			     filter->exclude_other || filter->ignore_callees;
	ret->need_addresses |= options->by_address;
	if (filter->socket >= 0)
		ret->extras |= 1u << PROFILE_EXTRA_CPU;
	if (filter->parallelism)
		ret->extras |= 1u << PROFILE_EXTRA_PARALLELISM;
}

void view_options_release(struct view_options *options)
{
	array_release(&options->sorts.uses);
	array_release(&options->columns.uses);
	field_list_release(&options->fields);
}

/* ---- plan ---------------------------------------------------------------------------------- */

static uint32_t slot_of(struct field_list *keys, const struct field_use *use)
{
	for (uint32_t i = 0; i < keys->uses.nr; i++)
		if (field_use_equal(&keys->uses.items[i], use))
			return i;
	array_push(&keys->uses, *use);
	return (uint32_t)keys->uses.nr - 1;
}

static uint32_t *find_slots(struct view_plan *plan, const struct field_list *list)
{
	uint32_t *slots = xcalloc(list->uses.nr + 1, sizeof(*slots));

	for (size_t i = 0; i < list->uses.nr; i++) {
		const struct field_use *use = &list->uses.items[i];

		if (use->field->kind == FIELD_CONTEXT)
			slots[i] = slot_of(&plan->context_keys, use);
		else if (use->field->kind == FIELD_FRAME)
			slots[i] = slot_of(&plan->frame_keys, use);
	}
	return slots;
}

/* Interns the tuple of frame values of every frame. */
static void find_places(struct view_plan *plan)
{
	const struct profile *profile = plan->profile;
	size_t nr_keys = plan->frame_keys.uses.nr;
	struct hash_index index;
	uint64_t *tuple = xcalloc(nr_keys + 1, sizeof(*tuple));

	plan->place = xcalloc(profile->frames.nr + 1, sizeof(*plan->place));
	hash_index_init(&index, (uint32_t)profile->frames.nr);
	for (uint32_t i = 0; i < profile->frames.nr; i++) {
		uint64_t hash;
		uint32_t pos, id;

		for (size_t k = 0; k < nr_keys; k++) {
			const struct field_use *use = &plan->frame_keys.uses.items[k];

			tuple[k] = use->field->of_frame(&plan->env, use, i);
		}
		hash = hash_words(tuple, nr_keys, 0);
		pos = hash_index_start(&index, hash);
		while ((id = hash_index_next(&index, hash, &pos)) != HASH_NONE)
			if (!nr_keys ||
			    !memcmp(&plan->place_values.items[id * nr_keys], tuple, nr_keys * sizeof(*tuple)))
				break;
		if (id == HASH_NONE) {
			id = plan->nr_places++;
			hash_index_insert(&index, hash, id);
			for (size_t k = 0; k < nr_keys; k++)
				array_push(&plan->place_values, tuple[k]);
			array_push(&plan->place_frame, i);
		}
		plan->place[i] = id;
	}
	hash_index_release(&index);
	free(tuple);
}

int view_plan_new(const struct profile *profile, const struct view_options *options,
		  struct view_plan **ret_plan, struct err *err)
{
	struct view_plan *plan = xcalloc(1, sizeof(*plan));
	struct filter_options filter = options->filter;
	int result;

	plan->options = options;
	plan->profile = profile;
	field_env_init(&plan->env, profile, options->by_address, options->verbose);
	plan->env.formats = options->formats;
	plan->env.cpu_socket = options->cpu_socket;
	plan->env.nr_cpu_sockets = options->nr_cpu_sockets;
	plan->env.time_in_ns = options->time_in_ns;
	plan->env.full_source_path = options->full_source_path;
	plan->env.raw_trace = options->raw_trace;
	filter.need_parent |= field_list_has_name(&options->sorts, "parent") ||
			      field_list_has_name(&options->columns, "parent");
	result = filter_init(&plan->filter, &plan->env, &filter, err);
	if (result < 0) {
		view_plan_free(plan);
		return result;
	}
	plan->sort_slots = find_slots(plan, &options->sorts);
	plan->column_slots = find_slots(plan, &options->columns);
	find_places(plan);
	*ret_plan = plan;
	return 0;
}

void view_plan_free(struct view_plan *plan)
{
	if (!plan)
		return;
	filter_release(&plan->filter);
	field_env_release(&plan->env);
	array_release(&plan->context_keys.uses);
	array_release(&plan->frame_keys.uses);
	free(plan->sort_slots);
	free(plan->column_slots);
	free(plan->place);
	array_release(&plan->place_values);
	array_release(&plan->place_frame);
	free(plan);
}
