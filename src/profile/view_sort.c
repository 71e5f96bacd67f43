/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a view's entries.
 *
 * Most entries of a large profile have one or two samples, so most comparisons go down to names. Comparing names
 * again and again would be the dearest part of a report. Instead every key's values are ranked once, and an entry becomes
 * a row of numbers (words) that are compared from the left: amounts (turned over, larger ones come first) and
 * ranks. Names are fetched, and demangled, by all workers at once before that. As many of the leftmost words as fit
 * are then packed into 128 bits, each in no more bits than it needs, so that nearly all comparisons are of two numbers.
 */
#include "profile/view_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pool.h"
#include "base/xalloc.h"

/* A distinct value of a key. */
struct value {
	uint64_t prefix; /* the first eight bytes of its text */
	const char *text;
	uint64_t value;
};

struct ranking {
	const struct view *view;
	const struct field_use *use;
	uint32_t slot;
	uint32_t nr; /* contexts or places */
	uint32_t *value_of; /* by context or place: index in values; UINT32_MAX: no entry has it */
	ARRAY(struct value) values;
	uint32_t *rank; /* by index in values */
};

static uint64_t prefix_of(const char *text)
{
	uint64_t prefix = 0;

	for (int i = 0; i < 8; i++) {
		prefix = prefix << 8 | (uint8_t)*text;
		if (*text)
			text++;
	}
	return prefix;
}

static uint32_t part_of_entry(const struct ranking *r, uint32_t entry)
{
	const struct view_entry *e = &r->view->entries.items[entry];

	return r->use->field->kind == FIELD_CONTEXT ? e->context : e->place;
}

static void collect_values(struct ranking *r)
{
	struct hash_index index;

	hash_index_init(&index, 256);
	r->value_of = xmalloc((r->nr + 1) * sizeof(*r->value_of));
	memset(r->value_of, 0xff, (r->nr + 1) * sizeof(*r->value_of));
	for (uint32_t i = 0; i < r->view->entries.nr; i++) {
		uint32_t part = part_of_entry(r, i), pos, id;
		uint64_t value, hash;

		if (r->value_of[part] != UINT32_MAX)
			continue;
		value = view_value(r->view, i, r->use, r->slot);
		hash = hash_u64(value);
		pos = hash_index_start(&index, hash);
		while ((id = hash_index_next(&index, hash, &pos)) != HASH_NONE)
			if (r->values.items[id].value == value)
				break;
		if (id == HASH_NONE) {
			id = (uint32_t)r->values.nr;
			hash_index_insert(&index, hash, id);
			array_push(&r->values, (struct value){ .value = value });
		}
		r->value_of[part] = id;
	}
	hash_index_release(&index);
}

#define PIECE 64
#define FEW_VALUES 512 /* their texts are made sooner than a thread */

static void fetch_texts(void *context, unsigned worker, size_t piece)
{
	struct ranking *r = context;
	size_t end = (piece + 1) * PIECE < r->values.nr ? (piece + 1) * PIECE : r->values.nr;

	(void)worker;
	for (size_t i = piece * PIECE; i < end; i++) {
		struct value *value = &r->values.items[i];

		value->text = r->use->field->text(&r->view->plan->env, r->use, value->value);
		if (value->text)
			value->prefix = prefix_of(value->text);
	}
}

static int compare_values(const void *left, const void *right, void *context)
{
	const struct ranking *r = context;
	const struct value *a = left, *b = right;
	int diff;

	if (a->text && b->text) {
		if (a->prefix != b->prefix)
			return a->prefix < b->prefix ? -1 : 1;
		diff = strcmp(a->text, b->text);
		if (diff)
			return diff;
	}
	if (r->use->field->compare)
		return r->use->field->compare(&r->view->plan->env, r->use, a->value, b->value);
	return a->value < b->value ? -1 : a->value > b->value;
}

/* What compares equal has the same rank, so that the next field decides. */
static void rank_values(struct ranking *r)
{
	struct value *sorted;
	uint32_t *place_of, rank = 0;
	struct hash_index index;

	if (r->use->field->text)
		pool_run((r->values.nr + PIECE - 1) / PIECE, r->values.nr > FEW_VALUES ? pool_workers() : 1,
			 fetch_texts, r);
	r->rank = xcalloc(r->values.nr + 1, sizeof(*r->rank));
	if (!r->values.nr)
		return;
	sorted = xmemdup(r->values.items, r->values.nr * sizeof(*sorted));
	place_of = r->rank;
	qsort_r(sorted, r->values.nr, sizeof(*sorted), compare_values, r);
	hash_index_init(&index, (uint32_t)r->values.nr);
	for (uint32_t i = 0; i < r->values.nr; i++)
		hash_index_insert(&index, hash_u64(r->values.items[i].value), i);
	for (uint32_t i = 0; i < r->values.nr; i++) {
		uint64_t hash = hash_u64(sorted[i].value);
		uint32_t pos = hash_index_start(&index, hash), id;

		if (i && compare_values(&sorted[i - 1], &sorted[i], r))
			rank++;
		while ((id = hash_index_next(&index, hash, &pos)) != HASH_NONE)
			if (r->values.items[id].value == sorted[i].value)
				break;
		place_of[id] = rank;
	}
	hash_index_release(&index);
	free(sorted);
}

static void ranking_init(struct ranking *r, const struct view *view, const struct field_use *use,
			 uint32_t slot)
{
	*r = (struct ranking){ .view = view, .use = use, .slot = slot };
	r->nr = use->field->kind == FIELD_CONTEXT ? view->nr_contexts : view->plan->nr_places;
	collect_values(r);
	rank_values(r);
}

static void ranking_release(struct ranking *r)
{
	array_release(&r->values);
	free(r->value_of);
	free(r->rank);
}

/* ---- words --------------------------------------------------------------------------------- */

struct table {
	const struct view *view;
	size_t nr_words;
	uint64_t *words; /* one column of all entries after the other */
	size_t next; /* which word is filled in next */
};

static void add_amounts(struct table *t, enum amount amount)
{
	const struct view *view = t->view;
	uint32_t first = view->plan->options->group_sort_index;
	size_t nr = view->entries.nr;

	if (first >= view->nr_events)
		first = 0;
	for (uint32_t k = 0; k < view->nr_events; k++) {
		uint32_t event = k == 0 ? first : k <= first ? k - 1 : k;

		for (uint32_t i = 0; i < nr; i++)
			t->words[t->next * nr + i] = ~view_amount(view, i, event, amount);
		t->next++;
	}
}

static void add_key(struct table *t, const struct field_use *use, uint32_t slot)
{
	size_t nr = t->view->entries.nr;
	struct ranking r;

	ranking_init(&r, t->view, use, slot);
	for (uint32_t i = 0; i < nr; i++)
		t->words[t->next * nr + i] = r.rank[r.value_of[part_of_entry(&r, i)]];
	t->next++;
	ranking_release(&r);
}

/*
 * Among equal totals of one context the caller stands above what it calls. Between contexts their keys decide first:
 * depths mean something only within one, and an order must not have circles.
 */
static void add_depths(struct table *t)
{
	const struct view_plan *plan = t->view->plan;
	bool deepest_first = plan->options->filter.caller_first;
	size_t nr = t->view->entries.nr;

	for (uint32_t i = 0; i < plan->context_keys.uses.nr; i++)
		add_key(t, &plan->context_keys.uses.items[i], i);
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t depth = t->view->depths.items[i];

		t->words[t->next * nr + i] = deepest_first ? ~depth : depth;
	}
	t->next++;
}

static bool has_depths(const struct view *view, const struct field_use *use)
{
	return use->field->kind == FIELD_AMOUNT && use->field->amount == AMOUNT_TOTAL && view->depths.nr;
}

static size_t count_words(const struct view *view)
{
	const struct field_list *sorts = &view->plan->options->sorts;
	size_t nr = 0;

	for (size_t i = 0; i < sorts->uses.nr; i++) {
		const struct field_use *use = &sorts->uses.items[i];

		nr += use->field->kind == FIELD_AMOUNT ? view->nr_events : 1;
		if (has_depths(view, use))
			nr += view->plan->context_keys.uses.nr + 1;
	}
	return nr;
}

/* ---- sorting ------------------------------------------------------------------------------- */

struct key {
	uint64_t high, low;
	uint32_t entry;
};

/* Behind the packed words, which were equal. */
static bool comes_later(const struct table *t, size_t from, uint32_t a, uint32_t b)
{
	size_t nr = t->view->entries.nr;

	for (size_t i = from; i < t->nr_words; i++)
		if (t->words[i * nr + a] != t->words[i * nr + b])
			return t->words[i * nr + a] > t->words[i * nr + b];
	return a > b;
}

/* Fills in the keys; returns how many words are in them. */
static size_t pack(const struct table *t, struct key *keys)
{
	size_t nr = t->view->entries.nr, word;
	unsigned used = 0;

	for (uint32_t i = 0; i < nr; i++)
		keys[i] = (struct key){ .entry = i };
	for (word = 0; word < t->nr_words; word++) {
		uint64_t least = UINT64_MAX, most = 0;
		unsigned bits;

		for (size_t i = 0; i < nr; i++) {
			uint64_t value = t->words[word * nr + i];

			least = value < least ? value : least;
			most = value > most ? value : most;
		}
		bits = most > least ? 64 - (unsigned)__builtin_clzll(most - least) : 0;
		if (used + bits > 128)
			break;
		for (size_t i = 0; bits && i < nr; i++) {
			unsigned __int128 key = (unsigned __int128)keys[i].high << 64 | keys[i].low;

			key |= (unsigned __int128)(t->words[word * nr + i] - least) << (128 - used - bits);
			keys[i].high = (uint64_t)(key >> 64);
			keys[i].low = (uint64_t)key;
		}
		used += bits;
	}
	return word;
}

static inline bool key_comes_later(const struct table *t, size_t packed, const struct key *a,
				   const struct key *b)
{
	if (a->high != b->high)
		return a->high > b->high;
	if (a->low != b->low)
		return a->low > b->low;
	return comes_later(t, packed, a->entry, b->entry);
}

/* Merges [0, middle) and [middle, end) of from into to. */
static void merge(const struct table *t, size_t packed, const struct key *from, struct key *to, size_t middle,
		  size_t end)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < end; i++) {
		if (right == end || (left < middle && !key_comes_later(t, packed, &from[left], &from[right])))
			to[i] = from[left++];
		else
			to[i] = from[right++];
	}
}

static void sort_runs(const struct table *t, size_t packed, struct key *keys, size_t nr, size_t run)
{
	for (size_t first = 0; first < nr; first += run) {
		size_t end = first + run < nr ? first + run : nr;

		for (size_t i = first + 1; i < end; i++) {
			struct key key = keys[i];
			size_t at = i;

			for (; at > first && key_comes_later(t, packed, &keys[at - 1], &key); at--)
				keys[at] = keys[at - 1];
			keys[at] = key;
		}
	}
}

/* Returns which of the two arrays holds the result. */
static struct key *sort_keys(const struct table *t, size_t packed, struct key *keys, struct key *scratch,
			     size_t nr)
{
	size_t run = 16;

	sort_runs(t, packed, keys, nr, run);
	for (; run < nr; run *= 2) {
		struct key *swap = keys;

		for (size_t first = 0; first < nr; first += 2 * run) {
			size_t left = nr - first;

			merge(t, packed, keys + first, scratch + first, run < left ? run : left,
			      2 * run < left ? 2 * run : left);
		}
		keys = scratch;
		scratch = swap;
	}
	return keys;
}

static void sort_table(const struct table *t, uint32_t *order)
{
	size_t nr = t->view->entries.nr, packed;
	struct key *keys = xmalloc((nr + 1) * sizeof(*keys)), *scratch = xmalloc((nr + 1) * sizeof(*keys)),
		   *sorted;

	packed = pack(t, keys);
	sorted = sort_keys(t, packed, keys, scratch, nr);
	for (size_t i = 0; i < nr; i++)
		order[i] = sorted[i].entry;
	free(keys);
	free(scratch);
}

void view_sort(struct view *view)
{
	const struct field_list *sorts = &view->plan->options->sorts;
	struct table t = { .view = view, .nr_words = count_words(view) };

	t.words = xmalloc((view->entries.nr * t.nr_words + 1) * sizeof(*t.words));
	for (size_t i = 0; i < sorts->uses.nr; i++) {
		const struct field_use *use = &sorts->uses.items[i];

		if (use->field->kind == FIELD_AMOUNT)
			add_amounts(&t, use->field->amount);
		else
			add_key(&t, use, view->plan->sort_slots[i]);
		if (has_depths(view, use))
			add_depths(&t);
	}
	view->order = xmalloc((view->entries.nr + 1) * sizeof(*view->order));
	sort_table(&t, view->order);
	free(t.words);
}
