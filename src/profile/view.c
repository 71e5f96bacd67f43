/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From rows to entries.
 *
 * Nothing here is hashed for each sample: rows are sorted into their contexts (by counting), and within one context
 * an entry, or a node of the context's tree, is found by a stamp in an array that is indexed by place or stack. A row
 * costs its stack's new nodes, and nothing when its stack is there already.
 */
#include "profile/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/xalloc.h"
#include "profile/view_sort.h"

/* ---- building ------------------------------------------------------------------------------ */

/* A row as it takes part in the view. */
struct member_row {
	uint32_t row;
	uint32_t member; /* which of the view's events */
	uint32_t context;
	uint32_t entry;
};

struct builder {
	struct view *view;
	struct view_plan *plan;
	const struct profile *profile;
	bool graph;
	ARRAY(struct member_row) rows;
	struct member_row *sorted; /* by context, then member */
	size_t room; /* entries that the amounts have room for */
	uint32_t needed; /* bits 1 << enum amount */
	/* By stack: which node, valid when stamped with the current serial. */
	uint32_t *node_stamp, *node_of;
	uint32_t node_serial;
	/* By place. */
	uint32_t *entry_stamp, *entry_of, *path_node;
	uint32_t entry_serial;
	ARRAY(uint32_t) path;
	ARRAY(uint64_t) node_latency;
};

static uint32_t amounts_of(const struct field_list *list)
{
	uint32_t needed = 0;

	for (size_t i = 0; i < list->uses.nr; i++)
		if (list->uses.items[i].field->kind == FIELD_AMOUNT)
			needed |= 1u << list->uses.items[i].field->amount;
	return needed;
}

static bool by_thread_only(const struct view_plan *plan)
{
	for (size_t i = 0; i < plan->context_keys.uses.nr; i++) {
		const struct field *field = plan->context_keys.uses.items[i].field;

		if (field->extras || field->flags & FIELD_NEEDS_STACKS)
			return false;
	}
	return true;
}

struct context_table {
	struct hash_index index;
	uint64_t *tuple;
	uint32_t *of_thread; /* 1 + id; NULL: rows of a thread differ */
};

static uint32_t context_of_row(struct builder *b, struct context_table *table, const struct profile_row *row)
{
	struct field_list *keys = &b->plan->context_keys;
	size_t nr_keys = keys->uses.nr;
	struct view *view = b->view;
	uint32_t pos, id;
	uint64_t hash;

	if (table->of_thread && table->of_thread[row->thread])
		return table->of_thread[row->thread] - 1;
	for (size_t k = 0; k < nr_keys; k++)
		table->tuple[k] = keys->uses.items[k].field->of_row(&b->plan->env, &keys->uses.items[k], row);
	hash = hash_words(table->tuple, nr_keys, 0);
	pos = hash_index_start(&table->index, hash);
	while ((id = hash_index_next(&table->index, hash, &pos)) != HASH_NONE)
		if (!nr_keys || !memcmp(&view->context_values.items[id * nr_keys], table->tuple,
					nr_keys * sizeof(*table->tuple)))
			break;
	if (id == HASH_NONE) {
		id = view->nr_contexts++;
		hash_index_insert(&table->index, hash, id);
		for (size_t k = 0; k < nr_keys; k++)
			array_push(&view->context_values, table->tuple[k]);
	}
	if (table->of_thread)
		table->of_thread[row->thread] = id + 1;
	return id;
}

static uint64_t latency_of(const struct builder *b, const struct profile_row *row)
{
	uint64_t parallelism;

	if (!(b->profile->extras & 1u << PROFILE_EXTRA_PARALLELISM))
		return row->period;
	parallelism = profile_extra_value(b->profile, row->extra, PROFILE_EXTRA_PARALLELISM);
	return parallelism ? row->period / parallelism : row->period;
}

/* Takes the view's rows out of the profile's, with their contexts; sums up what 100 % is. */
static void collect_rows(struct builder *b)
{
	struct view *view = b->view;
	const struct event_table *events = b->profile->events;
	uint32_t nr_events = events ? (uint32_t)events->events.nr : view->leader + 1;
	uint32_t *member_of = xcalloc(nr_events + 1, sizeof(*member_of));
	struct context_table table = { .tuple = xcalloc(b->plan->context_keys.uses.nr + 1,
							sizeof(uint64_t)) };

	hash_index_init(&table.index, 64);
	if (by_thread_only(b->plan))
		table.of_thread = xcalloc(b->profile->threads.nr + 1, sizeof(*table.of_thread));
	for (uint32_t i = 0; i < view->nr_events; i++)
		if (view->events[i] < nr_events)
			member_of[view->events[i]] = i + 1;
	for (uint32_t i = 0; i < b->profile->rows.nr; i++) {
		const struct profile_row *row = &b->profile->rows.items[i];
		uint32_t member = row->event < nr_events ? member_of[row->event] : 0;
		bool passes;

		if (!member-- || filter_drops(&b->plan->filter, row))
			continue;
		passes = filter_passes(&b->plan->filter, row);
		if (passes || !b->plan->options->relative) {
			view->total[member] += row->period;
			view->total_latency[member] += latency_of(b, row);
			view->nr_samples += row->nr_samples;
			view->period += row->period;
		}
		if (passes) {
			uint32_t context = context_of_row(b, &table, row);

			array_push(&b->rows, (struct member_row){ i, member, context, 0 });
		}
	}
	hash_index_release(&table.index);
	free(table.tuple);
	free(table.of_thread);
	free(member_of);
}

static void sort_rows(struct builder *b)
{
	uint32_t nr_events = b->view->nr_events;
	size_t nr_bins = (size_t)b->view->nr_contexts * nr_events;
	uint32_t *start = xcalloc(nr_bins + 1, sizeof(*start));

	b->sorted = xmalloc((b->rows.nr + 1) * sizeof(*b->sorted));
	for (size_t i = 0; i < b->rows.nr; i++)
		start[(size_t)b->rows.items[i].context * nr_events + b->rows.items[i].member + 1]++;
	for (size_t i = 0; i < nr_bins; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < b->rows.nr; i++)
		b->sorted[start[(size_t)b->rows.items[i].context * nr_events + b->rows.items[i].member]++] =
			b->rows.items[i];
	free(start);
}

static void grow_amounts(struct builder *b)
{
	size_t room = b->room ? b->room * 2 : 1024, each = b->view->nr_events;

	for (unsigned i = 0; i < NR_AMOUNTS; i++) {
		if (!(b->needed >> i & 1))
			continue;
		b->view->amounts[i] = xreallocarray(b->view->amounts[i], room, each * sizeof(uint64_t));
		memset(b->view->amounts[i] + b->room * each, 0, (room - b->room) * each * sizeof(uint64_t));
	}
	b->room = room;
}

static uint32_t entry_at(struct builder *b, uint32_t context, uint32_t frame)
{
	uint32_t place = b->plan->place[frame];

	if (b->entry_stamp[place] != b->entry_serial) {
		b->entry_stamp[place] = b->entry_serial;
		b->entry_of[place] = (uint32_t)b->view->entries.nr;
		if (b->view->entries.nr == b->room)
			grow_amounts(b);
		array_push(&b->view->entries, (struct view_entry){ context, place, frame });
		if (b->graph && b->plan->options->children)
			array_push(&b->view->depths, 0);
	}
	return b->entry_of[place];
}

static inline void add(struct builder *b, enum amount amount, uint32_t entry, uint32_t member, uint64_t value)
{
	if (b->view->amounts[amount])
		b->view->amounts[amount][(uint64_t)entry * b->view->nr_events + member] += value;
}

static enum amount amount_of_mode(uint8_t mode)
{
	switch (mode) {
	case MACHINE_MODE_KERNEL:
		return AMOUNT_KERNEL;
	case MACHINE_MODE_GUEST_KERNEL:
		return AMOUNT_GUEST_KERNEL;
	case MACHINE_MODE_GUEST_USER:
		return AMOUNT_GUEST_USER;
	default:
		return AMOUNT_USER;
	}
}

static void add_weights(struct builder *b, uint32_t entry, uint32_t member, const struct profile_row *row)
{
	uint64_t weight = profile_extra_value(b->profile, row->extra, PROFILE_EXTRA_WEIGHT);

	add(b, AMOUNT_WEIGHT1, entry, member, (uint32_t)weight * (uint64_t)row->nr_samples);
	add(b, AMOUNT_WEIGHT2, entry, member, (weight >> 32 & 0xffff) * row->nr_samples);
	add(b, AMOUNT_WEIGHT3, entry, member, (weight >> 48) * row->nr_samples);
}

/*
 * Callers in no mapping are one frame, but a sample taken there has its address. With children, where it is a row's
 * caller as well, it would be two entries: the frame of the stack stands for both.
 */
static uint32_t self_of_row(const struct builder *b, const struct profile_row *row)
{
	uint32_t self = filter_self(&b->plan->filter, row), leaf;
	uint32_t stack = filter_stack(&b->plan->filter, row);

	if (!b->plan->options->children || !stack || b->profile->frames.items[self].dso)
		return self;
	leaf = b->profile->stacks.items[stack].frame;
	return b->profile->frames.items[leaf].dso ? self : leaf;
}

/* What the row itself weighs goes to the entry of its self frame. */
static void add_self(struct builder *b, struct member_row *r, const struct profile_row *row)
{
	uint32_t self = self_of_row(b, row);
	uint32_t entry = entry_at(b, r->context, self);

	r->entry = entry;
	add(b, AMOUNT_SELF, entry, r->member, row->period);
	add(b, AMOUNT_SAMPLES, entry, r->member, row->nr_samples);
	add(b, amount_of_mode(b->profile->frames.items[self].mode), entry, r->member, row->period);
	if (b->needed & 1u << AMOUNT_LATENCY)
		add(b, AMOUNT_LATENCY, entry, r->member, latency_of(b, row));
	if (b->needed & (1u << AMOUNT_WEIGHT1 | 1u << AMOUNT_WEIGHT2 | 1u << AMOUNT_WEIGHT3))
		add_weights(b, entry, r->member, row);
}

/* The node of a stack in the current tree; what is not there yet is made, from the root on. */
static uint32_t node_at(struct builder *b, uint32_t stack)
{
	const struct stack *stacks = b->profile->stacks.items;
	struct view *view = b->view;
	uint32_t parent = VIEW_NO_NODE;

	array_clear(&b->path);
	while (stack && b->node_stamp[stack] != b->node_serial) {
		array_push(&b->path, stack);
		stack = stacks[stack].parent;
	}
	if (stack)
		parent = b->node_of[stack];
	for (size_t i = b->path.nr; i-- > 0;) {
		uint32_t id = (uint32_t)view->nodes.nr;

		stack = b->path.items[i];
		b->node_stamp[stack] = b->node_serial;
		b->node_of[stack] = id;
		array_push(&view->nodes, (struct view_node){ .parent = parent,
							     .stack = stack,
							     .child = VIEW_NO_NODE,
							     .sibling = VIEW_NO_NODE,
							     .outer = VIEW_NO_NODE });
		if (b->needed & 1u << AMOUNT_LATENCY_TOTAL)
			array_push(&b->node_latency, 0);
		parent = id;
	}
	return parent;
}

/* Self to total, and the lists of children, in one pass from the youngest node to the oldest. Returns the first root. */
static uint32_t sum_up(struct builder *b, uint32_t base)
{
	struct view_node *nodes = b->view->nodes.items;
	uint32_t roots = VIEW_NO_NODE;

	for (uint32_t i = (uint32_t)b->view->nodes.nr; i-- > base;) {
		struct view_node *node = &nodes[i];

		node->height++;
		if (node->parent == VIEW_NO_NODE) {
			node->sibling = roots;
			roots = i;
			continue;
		}
		nodes[node->parent].total += node->total;
		nodes[node->parent].nr_samples += node->nr_samples;
		if (nodes[node->parent].height < node->height)
			nodes[node->parent].height = node->height;
		if (b->node_latency.nr)
			b->node_latency.items[node->parent] += b->node_latency.items[i];
		node->sibling = nodes[node->parent].child;
		nodes[node->parent].child = i;
	}
	return roots;
}

/*
 * How long the entry's chains are: callers have longer ones than what they call, so that among equal totals the
 * caller stands above.
 */
static void note_depth(struct builder *b, const struct view_node *node, uint32_t depth)
{
	uint32_t *longest = &b->view->depths.items[node->entry], length = 0;

	if (!b->plan->options->filter.caller_first)
		length = depth;
	else if (node->has_self)
		length = depth > node->height ? depth : node->height;
	else if (node->outer == VIEW_NO_NODE)
		length = node->height;
	if (*longest < length)
		*longest = length;
}

static void enter(struct builder *b, uint32_t i, uint32_t context, uint32_t member, uint32_t depth)
{
	uint32_t frame = b->profile->stacks.items[b->view->nodes.items[i].stack].frame;
	uint32_t place = b->plan->place[frame];
	struct view_node *node;
	uint32_t entry;

	if (b->plan->filter.hide_unresolved && b->profile->frames.items[frame].symbol == SYMBOL_NONE) {
		b->view->nodes.items[i].entry = VIEW_NO_NODE;
		return;
	}
	entry = entry_at(b, context, frame);
	node = &b->view->nodes.items[i];
	node->entry = entry;
	node->outer = b->path_node[place];
	b->path_node[place] = i;
	if (b->graph)
		note_depth(b, node, depth);
	if (node->outer == VIEW_NO_NODE) {
		add(b, AMOUNT_TOTAL, entry, member, node->total);
		if (b->node_latency.nr)
			add(b, AMOUNT_LATENCY_TOTAL, entry, member, b->node_latency.items[i]);
	}
}

static void leave(struct builder *b, uint32_t i)
{
	struct view_node *node = &b->view->nodes.items[i];

	if (node->entry != VIEW_NO_NODE)
		b->path_node[b->view->entries.items[node->entry].place] = node->outer;
}

/* Walks the tree depth first, so that what is above a node on its way from the root is known. */
static void add_totals(struct builder *b, uint32_t i, uint32_t context, uint32_t member)
{
	uint32_t depth = 1;

	while (i != VIEW_NO_NODE) {
		const struct view_node *node;

		enter(b, i, context, member, depth);
		node = &b->view->nodes.items[i];
		if (node->child != VIEW_NO_NODE) {
			i = node->child;
			depth++;
			continue;
		}
		leave(b, i);
		while (i != VIEW_NO_NODE && b->view->nodes.items[i].sibling == VIEW_NO_NODE) {
			i = b->view->nodes.items[i].parent;
			depth--;
			if (i != VIEW_NO_NODE)
				leave(b, i);
		}
		if (i != VIEW_NO_NODE)
			i = b->view->nodes.items[i].sibling;
	}
}

/* A sample counts for its own entry even when its stack does not begin there (or is empty). */
static void add_strays(struct builder *b, const struct member_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct profile_row *row = &b->profile->rows.items[rows[i].row];
		uint32_t stack = filter_stack(&b->plan->filter, row);
		uint32_t node = stack ? b->node_of[stack] : VIEW_NO_NODE;

		while (node != VIEW_NO_NODE && b->view->nodes.items[node].entry != rows[i].entry)
			node = b->view->nodes.items[node].parent;
		if (node != VIEW_NO_NODE)
			continue;
		add(b, AMOUNT_TOTAL, rows[i].entry, rows[i].member, row->period);
		if (b->needed & 1u << AMOUNT_LATENCY_TOTAL)
			add(b, AMOUNT_LATENCY_TOTAL, rows[i].entry, rows[i].member, latency_of(b, row));
	}
}

/* The rows of one event in one context. */
static void build_tree(struct builder *b, struct member_row *rows, size_t nr)
{
	struct view *view = b->view;
	uint32_t base = (uint32_t)view->nodes.nr, roots;

	b->node_serial++;
	for (size_t i = 0; i < nr; i++) {
		const struct profile_row *row = &b->profile->rows.items[rows[i].row];
		uint32_t node = node_at(b, filter_stack(&b->plan->filter, row));

		if (node == VIEW_NO_NODE)
			continue;
		view->nodes.items[node].total += row->period;
		view->nodes.items[node].nr_samples += row->nr_samples;
		view->nodes.items[node].has_self = 1;
		if (b->node_latency.nr)
			b->node_latency.items[node] += latency_of(b, row);
	}
	roots = sum_up(b, base);
	add_totals(b, roots, rows[0].context, rows[0].member);
	add_strays(b, rows, nr);
	if (b->graph && rows[0].member == 0)
		return;
	view->nodes.nr = base;
	if (b->node_latency.nr)
		b->node_latency.nr = base;
}

static void build_entries(struct builder *b)
{
	for (size_t first = 0, end; first < b->rows.nr; first = end) {
		uint32_t context = b->sorted[first].context, member = b->sorted[first].member;

		if (!first || b->sorted[first - 1].context != context)
			b->entry_serial++;
		for (end = first; end < b->rows.nr; end++) {
			struct member_row *r = &b->sorted[end];

			if (r->context != context || r->member != member)
				break;
			add_self(b, r, &b->profile->rows.items[r->row]);
		}
		if (b->plan->options->children)
			build_tree(b, &b->sorted[first], end - first);
	}
}

/* Which rows and nodes belong to an entry: what call graphs begin with. */
static void list_rows(struct builder *b)
{
	struct view *view = b->view;
	size_t nr_entries = view->entries.nr;
	uint32_t *start = xcalloc(nr_entries + 2, sizeof(*start));

	view->row_list = xmalloc((b->rows.nr + 1) * sizeof(*view->row_list));
	for (size_t i = 0; i < b->rows.nr; i++)
		if (!b->sorted[i].member)
			start[b->sorted[i].entry + 2]++;
	for (size_t i = 2; i < nr_entries + 2; i++)
		start[i] += start[i - 1];
	for (size_t i = 0; i < b->rows.nr; i++)
		if (!b->sorted[i].member)
			view->row_list[start[b->sorted[i].entry + 1]++] = b->sorted[i].row;
	view->row_start = start;
	if (!b->plan->options->children)
		return;
	start = xcalloc(nr_entries + 2, sizeof(*start));
	view->node_list = xmalloc((view->nodes.nr + 1) * sizeof(*view->node_list));
	for (size_t i = 0; i < view->nodes.nr; i++)
		if (view->nodes.items[i].entry != VIEW_NO_NODE)
			start[view->nodes.items[i].entry + 2]++;
	for (size_t i = 2; i < nr_entries + 2; i++)
		start[i] += start[i - 1];
	for (uint32_t i = 0; i < view->nodes.nr; i++)
		if (view->nodes.items[i].entry != VIEW_NO_NODE)
			view->node_list[start[view->nodes.items[i].entry + 1]++] = i;
	view->node_start = start;
}

/* ---- the view ------------------------------------------------------------------------------ */

struct view *view_new(const struct view_plan *plan, const uint32_t *events, uint32_t nr_events, bool graph)
{
	struct view *view = xcalloc(1, sizeof(*view));
	/* Getters intern texts: the plan is the caller's to share, not to read in parallel meanwhile. */
	struct builder b = {
		.view = view, .plan = (struct view_plan *)plan, .profile = plan->profile, .graph = graph
	};
	size_t nr_stacks = plan->profile->stacks.nr + 1, nr_places = plan->nr_places + 1;

	view->plan = plan;
	view->leader = events[0];
	view->nr_events = nr_events;
	view->events = xmemdup(events, nr_events * sizeof(*events));
	view->total = xcalloc(nr_events, sizeof(*view->total));
	view->total_latency = xcalloc(nr_events, sizeof(*view->total_latency));
	b.needed = amounts_of(&plan->options->sorts) | amounts_of(&plan->options->columns) |
		   1u << AMOUNT_SELF | 1u << AMOUNT_SAMPLES |
		   (plan->options->children ? 1u << AMOUNT_TOTAL : 0);
	if (!plan->options->children)
		b.needed &= ~(1u << AMOUNT_TOTAL | 1u << AMOUNT_LATENCY_TOTAL);
	if (plan->options->children) {
		b.node_stamp = xcalloc(nr_stacks, sizeof(*b.node_stamp));
		b.node_of = xcalloc(nr_stacks, sizeof(*b.node_of));
		b.path_node = xmalloc(nr_places * sizeof(*b.path_node));
		memset(b.path_node, 0xff, nr_places * sizeof(*b.path_node));
	}
	b.entry_stamp = xcalloc(nr_places, sizeof(*b.entry_stamp));
	b.entry_of = xcalloc(nr_places, sizeof(*b.entry_of));
	collect_rows(&b);
	sort_rows(&b);
	grow_amounts(&b);
	build_entries(&b);
	if (graph)
		list_rows(&b);
	view_sort(view);
	array_release(&b.rows);
	array_release(&b.path);
	array_release(&b.node_latency);
	free(b.sorted);
	free(b.node_stamp);
	free(b.node_of);
	free(b.entry_stamp);
	free(b.entry_of);
	free(b.path_node);
	return view;
}

void view_free(struct view *view)
{
	if (!view)
		return;
	free(view->events);
	free(view->total);
	free(view->total_latency);
	array_release(&view->context_values);
	array_release(&view->entries);
	array_release(&view->nodes);
	array_release(&view->depths);
	for (unsigned i = 0; i < NR_AMOUNTS; i++)
		free(view->amounts[i]);
	free(view->order);
	free(view->row_list);
	free(view->row_start);
	free(view->node_list);
	free(view->node_start);
	free(view);
}

uint64_t view_value(const struct view *view, uint32_t entry, const struct field_use *use, uint32_t slot)
{
	const struct view_entry *e = &view->entries.items[entry];

	if (use->field->kind == FIELD_CONTEXT)
		return view->context_values.items[e->context * view->plan->context_keys.uses.nr + slot];
	return view->plan->place_values.items[e->place * view->plan->frame_keys.uses.nr + slot];
}

uint64_t view_worth(const struct view *view, uint32_t entry)
{
	return view_amount(view, entry, 0, view->amounts[AMOUNT_TOTAL] ? AMOUNT_TOTAL : AMOUNT_SELF);
}

double view_percent(const struct view *view, uint32_t entry, uint32_t event, const struct field *field)
{
	uint64_t all = field->format == FIELD_PERCENT_LATENCY ? view->total_latency[event]
							      : view->total[event];

	if (!view->amounts[field->amount])
		return NAN;
	return all ? (double)view_amount(view, entry, event, field->amount) * 100.0 / (double)all : 0;
}
