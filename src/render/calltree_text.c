/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call graphs as text.
 *
 * A node of the tree that has all its weight in a single child is no branching: it and the
 * child stand below each other in one chain. What follows where a chain ends is indented by eleven columns; a '|'
 * runs down in front of branches as long as more of them come.
 */
#include "render/calltree_text.h"

#include <stdio.h>
#include <string.h>

#define MARGIN 12
#define HEAD 3 /* "---" */
#define STEP 10 /* columns of a level, behind its '|' */

struct writer {
	const struct calltree_text *text;
	const struct field_env *env;
	const struct calltree *tree;
	struct buf *buf;
	unsigned margin;
	ARRAY(bool) more; /* by level: a '|' */
	ARRAY(uint32_t) chain; /* flat and folded: nodes from the root */
};

static const struct calltree_node *node_at(const struct writer *w, uint32_t node)
{
	return &w->tree->nodes.items[node];
}

/* The last node of the chain that begins here. */
static uint32_t chain_end(const struct writer *w, uint32_t node)
{
	const struct calltree_node *n = node_at(w, node);

	while (n->nr == 1 && node_at(w, n->first)->total == n->total) {
		node = n->first;
		n = node_at(w, node);
	}
	return node;
}

/* As printf("%*.2f%%") does, which takes a microsecond; where rounding is a close call printf decides. */
static void put_percent(double percent, unsigned width, struct buf *buf)
{
	double scaled = percent * 100, above;
	char text[40], *pos = text + sizeof(text);
	uint64_t hundredths;

	if (!(scaled >= 0 && scaled < 1e12) ||
	    ((above = scaled - (double)(uint64_t)scaled) > 0.4999 && above < 0.5001)) {
		int size = snprintf(text, sizeof(text), "%*.2f%%", (int)width, percent);

		buf_put(buf, text, (size_t)size);
		return;
	}
	hundredths = (uint64_t)(scaled + 0.5);
	*--pos = '%';
	for (unsigned nr = 0; nr < 3 || hundredths; nr++) {
		if (nr == 2)
			*--pos = '.';
		*--pos = (char)('0' + hundredths % 10);
		hundredths /= 10;
	}
	if ((size_t)(text + sizeof(text) - pos) < width + 1)
		buf_fill(buf, ' ', width + 1 - (size_t)(text + sizeof(text) - pos));
	buf_put(buf, pos, (size_t)(text + sizeof(text) - pos));
}

void calltree_text_percent(bool color, double percent, int width, struct buf *buf)
{
	const char *start = percent >= 5 ? "\033[31m" : percent >= 0.5 ? "\033[32m" : NULL;

	if (color && start)
		buf_str(buf, start);
	put_percent(percent, width > 0 ? (unsigned)width - 1 : 0, buf);
	if (color && start)
		buf_str(buf, "\033[m");
}

static void write_value(const struct writer *w, uint64_t period, uint32_t nr_samples, uint64_t whole)
{
	switch (w->text->value) {
	case CALLTREE_PERIOD:
		buf_u64(w->buf, period);
		break;
	case CALLTREE_COUNT:
		buf_u64(w->buf, nr_samples);
		break;
	case CALLTREE_PERCENT:
		calltree_text_percent(w->text->color, whole ? (double)period * 100.0 / (double)whole : 0, 0,
				      w->buf);
		break;
	}
}

static void write_frame(const struct writer *w, uint32_t frame)
{
	if (w->text->key == CALLTREE_BY_FUNCTION)
		field_print_frame(w->env, frame, w->buf);
	else
		field_print_place(w->env, frame, w->text->key == CALLTREE_BY_ADDRESS, w->buf);
}

/* The '|' of all levels below `levels`. */
static void write_bars(const struct writer *w, size_t levels)
{
	buf_fill(w->buf, ' ', w->margin);
	for (size_t i = 0; i < levels; i++) {
		buf_putc(w->buf, w->more.items[i] ? '|' : ' ');
		buf_fill(w->buf, ' ', STEP);
	}
}

/* ---- graph and fractal --------------------------------------------------------------------- */

static void write_branches(struct writer *w, uint32_t node, uint64_t worth);

/* The frames behind the first of a chain, then its branches. */
static void write_chain(struct writer *w, uint32_t node)
{
	uint32_t end = chain_end(w, node);

	while (node != end) {
		node = node_at(w, node)->first;
		write_bars(w, w->more.nr);
		write_frame(w, node_at(w, node)->frame);
		buf_putc(w->buf, '\n');
	}
	write_branches(w, end, 0);
}

static void write_branch_head(struct writer *w, bool is_last)
{
	size_t level = w->more.nr;

	array_push(&w->more, true);
	write_bars(w, w->more.nr);
	buf_putc(w->buf, '\n');
	write_bars(w, level);
	buf_str(w->buf, is_last ? " --" : "|--");
	array_last(&w->more)[0] = !is_last;
}

/*
 * worth: of the entry, at the first branching; 0 further down. Shares of the node above (fractal) are shares of
 * the entry there, and of all the branches below.
 */
static void write_branches(struct writer *w, uint32_t node, uint64_t worth)
{
	const struct calltree_node *n = node_at(w, node);
	bool fractal = w->text->mode == CALLTREE_FRACTAL;
	uint64_t whole = !fractal ? w->text->whole : worth ? worth : n->total - n->self, shown = 0;
	bool rest;

	for (uint32_t i = 0; i < n->nr; i++)
		shown += node_at(w, n->first + i)->total;
	rest = fractal && n->nr && shown < whole;
	for (uint32_t i = 0; i < n->nr; i++) {
		const struct calltree_node *child = node_at(w, n->first + i);

		if (w->text->limit && i == w->text->limit)
			return;
		write_branch_head(w, i + 1 == n->nr && !rest);
		write_value(w, child->total, child->nr_samples, whole);
		buf_str(w->buf, "--");
		write_frame(w, child->frame);
		buf_putc(w->buf, '\n');
		write_chain(w, n->first + i);
		w->more.nr--;
	}
	if (!rest)
		return;
	write_bars(w, w->more.nr);
	buf_str(w->buf, " --");
	write_value(w, whole - shown, 0, whole);
	buf_str(w->buf, "--[...]\n");
}

/* One chain that is all there is needs no percentage: its frames stand behind "---". */
static void write_single(struct writer *w, uint32_t node, uint64_t worth)
{
	uint32_t end = chain_end(w, node);
	bool first = true;
	unsigned nr = 0;

	for (bool skip = w->text->skip_first;; skip = false) {
		if (!skip) {
			buf_fill(w->buf, ' ', MARGIN);
			buf_str(w->buf, first ? "|\n" : "   ");
			if (first) {
				buf_fill(w->buf, ' ', MARGIN);
				buf_str(w->buf, "---");
			}
			write_frame(w, node_at(w, node)->frame);
			buf_putc(w->buf, '\n');
			first = false;
		}
		if (node == end || ++nr == w->text->limit)
			break;
		node = node_at(w, node)->first;
	}
	if (!first)
		w->margin += HEAD;
	write_branches(w, end, worth);
}

static void write_graph(struct writer *w, uint64_t worth)
{
	const struct calltree_node *root = node_at(w, 0);

	if (root->nr == 1 && node_at(w, root->first)->total == worth)
		write_single(w, root->first, worth);
	else
		write_branches(w, 0, worth);
	buf_putc(w->buf, '\n');
}

/* ---- flat and folded ----------------------------------------------------------------------- */

/* Chains that end somewhere, heaviest first: the nodes with weight of their own. */
struct chain {
	uint32_t node;
	uint32_t place; /* in the tree, children before parents and higher addresses first: equal chains stand so */
	uint64_t self;
};

static int compare_chains(const void *left, const void *right)
{
	const struct chain *a = left, *b = right;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int compare_addresses(const void *left, const void *right, void *context)
{
	const struct writer *w = context;
	const struct frame *frames = w->env->profile->frames.items;
	const struct frame *a = &frames[node_at(w, *(const uint32_t *)left)->frame];
	const struct frame *b = &frames[node_at(w, *(const uint32_t *)right)->frame];

	if (a->dso != b->dso)
		return a->dso > b->dso ? -1 : 1;
	return a->offset > b->offset ? -1 : a->offset < b->offset;
}

/* The place of every node. by_address: the numbers of all nodes; siblings are brought into order there. */
static uint32_t *find_places(struct writer *w)
{
	size_t nr = w->tree->nodes.nr;
	uint32_t *places = xcalloc(nr, sizeof(*places)), *by_address = xcalloc(nr, sizeof(*by_address));
	ARRAY(uint32_t) way = { 0 }, next = { 0 };
	uint32_t place = 0;

	for (uint32_t i = 0; i < nr; i++)
		by_address[i] = i;
	array_push(&way, 0);
	array_push(&next, 0);
	while (way.nr) {
		const struct calltree_node *node = node_at(w, *array_last(&way));
		uint32_t *child = array_last(&next);

		if (!*child && node->nr > 1)
			qsort_r(&by_address[node->first], node->nr, sizeof(*by_address), compare_addresses,
				w);
		if (*child < node->nr) {
			array_push(&way, by_address[node->first + (*child)++]);
			array_push(&next, 0);
			continue;
		}
		places[*array_last(&way)] = place++;
		way.nr--;
		next.nr--;
	}
	array_release(&way);
	array_release(&next);
	free(by_address);
	return places;
}

static void write_chain_of(struct writer *w, const struct chain *chain, const uint32_t *parents)
{
	bool folded = w->text->mode == CALLTREE_FOLDED;

	array_clear(&w->chain);
	for (uint32_t node = chain->node; node; node = parents[node])
		array_push(&w->chain, node);
	if (!folded)
		buf_fill(w->buf, ' ', MARGIN - 1);
	write_value(w, chain->self, node_at(w, chain->node)->self_samples, w->text->whole);
	buf_putc(w->buf, folded ? ' ' : '\n');
	for (size_t i = w->chain.nr; i-- > 0;) {
		if (!folded)
			buf_fill(w->buf, ' ', MARGIN + 4);
		write_frame(w, node_at(w, w->chain.items[i])->frame);
		if (!folded)
			buf_putc(w->buf, '\n');
		else if (i)
			buf_putc(w->buf, ';');
	}
	buf_putc(w->buf, '\n');
}

static void write_chains(struct writer *w, uint64_t least)
{
	ARRAY(struct chain) chains = { 0 };
	uint32_t *parents = xcalloc(w->tree->nodes.nr, sizeof(*parents)), *places = find_places(w);

	for (uint32_t i = 0; i < w->tree->nodes.nr; i++) {
		const struct calltree_node *node = node_at(w, i);

		for (uint32_t k = 0; k < node->nr; k++)
			parents[node->first + k] = i;
		if (i && node->self && node->self >= least)
			array_push(&chains, (struct chain){ i, places[i], node->self });
	}
	if (chains.nr)
		qsort(chains.items, chains.nr, sizeof(*chains.items), compare_chains);
	for (size_t i = 0; i < chains.nr && (!w->text->limit || i < w->text->limit); i++)
		write_chain_of(w, &chains.items[i], parents);
	array_release(&chains);
	free(places);
	free(parents);
}

void calltree_text_render(const struct calltree_text *text, const struct field_env *env,
			  const struct calltree *tree, uint64_t worth, struct buf *buf)
{
	struct writer w = { .text = text, .env = env, .tree = tree, .buf = buf, .margin = MARGIN };

	if (text->mode == CALLTREE_NONE || !tree->nodes.items[0].nr)
		return;
	if (text->mode == CALLTREE_GRAPH || text->mode == CALLTREE_FRACTAL)
		write_graph(&w, worth);
	else
		write_chains(&w, text->least);
	array_release(&w.more);
	array_release(&w.chain);
}
