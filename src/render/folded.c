/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks as lines. What is between two ';' is a frame, what is behind the last blank is the count, so
 * names keep their blanks and lose ';' (to ':') and line breaks.
 *
 * The lines come out sorted as `sort` in the C locale would sort them, without a list of lines (which can
 * be a hundred times the tree): the tree is walked in that order. The catch: of siblings "a" and "a b", the
 * order is "a 1" (line of a itself), "a b 1", "a;x 1", because ' ' < ';'. So a child appears twice
 * among its siblings, once as a line's end and once as the beginning of longer lines, at two places
 * that a common ranking of all labels, with and without a ';' behind them, gives.
 */
#include "render/folded.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/xalloc.h"
#include "render/flame_tree.h"

struct ending {
	const char *text;
	uint32_t label;
	bool longer; /* a ';' follows */
};

struct level {
	uint32_t line; /* in by_line: next child as the end of a line */
	uint32_t longer; /* in by_longer: next child as the beginning of longer lines */
	uint32_t end; /* of the children, in both */
	size_t size; /* of the text, with the node's own label and ';' */
};

struct folding {
	struct flame_tree tree;
	uint32_t *line_rank; /* by label */
	uint32_t *longer_rank;
	uint32_t *by_line; /* children, sorted by each */
	uint32_t *by_longer;
	struct buf text; /* the stack at hand */
	ARRAY(struct level) levels;
};

static void print_plain(const struct flame_frame *frame, struct buf *buf)
{
	size_t start = buf->size;

	flame_frame_print(frame, buf);
	for (size_t i = start; i < buf->size; i++) {
		if (buf->data[i] == ';')
			buf->data[i] = ':';
		else if (buf->data[i] == '\n' || buf->data[i] == '\r')
			buf->data[i] = ' ';
	}
}

static void print_annotated(const struct flame_frame *frame, struct buf *buf)
{
	print_plain(frame, buf);
	if (frame->kind == FLAME_KERNEL)
		buf_str(buf, "_[k]");
	else if (frame->kind == FLAME_JIT)
		buf_str(buf, "_[j]");
	else if (frame->kind == FLAME_INLINED)
		buf_str(buf, "_[i]");
}

static int compare_endings(const void *a, const void *b)
{
	const struct ending *x = a;
	const struct ending *y = b;
	const unsigned char *p = (const unsigned char *)x->text;
	const unsigned char *q = (const unsigned char *)y->text;
	int left;
	int right;

	while (*p && *p == *q) {
		p++;
		q++;
	}
	left = *p ? *p : x->longer ? ';' : 0;
	right = *q ? *q : y->longer ? ';' : 0;
	return left - right;
}

static void rank_labels(struct folding *folding)
{
	size_t nr = folding->tree.labels.rows.nr;
	struct ending *endings = xreallocarray(NULL, nr * 2, sizeof(*endings));

	folding->line_rank = xreallocarray(NULL, nr, sizeof(uint32_t));
	folding->longer_rank = xreallocarray(NULL, nr, sizeof(uint32_t));
	for (uint32_t i = 0; i < nr; i++) {
		const char *text = intern_text(&folding->tree.labels, (struct str_id){ i });

		endings[2 * i] = (struct ending){ text, i, false };
		endings[2 * i + 1] = (struct ending){ text, i, true };
	}
	qsort(endings, nr * 2, sizeof(*endings), compare_endings);
	for (uint32_t i = 0; i < nr * 2; i++) {
		if (endings[i].longer)
			folding->longer_rank[endings[i].label] = i;
		else
			folding->line_rank[endings[i].label] = i;
	}
	free(endings);
}

static void push_level(struct folding *folding, uint32_t node)
{
	uint32_t start = folding->tree.child_start[node];

	array_push(&folding->levels,
		   (struct level){ start, start, folding->tree.child_start[node + 1], folding->text.size });
}

static void put_label(struct folding *folding, struct str_id label, struct buf *buf)
{
	buf_put(buf, intern_text(&folding->tree.labels, label), intern_size(&folding->tree.labels, label));
}

/* One step of the walk: a line, or into a child, or back up. */
static void step(struct folding *folding, struct buf *buf)
{
	const struct flame_tree_node *nodes = folding->tree.nodes;
	const uint32_t *child_start = folding->tree.child_start;
	struct level *level = array_last(&folding->levels);
	uint32_t line_rank = UINT32_MAX;
	uint32_t longer_rank = UINT32_MAX;
	uint32_t child;

	while (level->line < level->end && !nodes[folding->by_line[level->line]].self)
		level->line++;
	while (level->longer < level->end && child_start[folding->by_longer[level->longer]] ==
						     child_start[folding->by_longer[level->longer] + 1])
		level->longer++;
	if (level->line < level->end)
		line_rank = folding->line_rank[nodes[folding->by_line[level->line]].label.v];
	if (level->longer < level->end)
		longer_rank = folding->longer_rank[nodes[folding->by_longer[level->longer]].label.v];
	folding->text.size = level->size;
	if (line_rank < longer_rank) {
		child = folding->by_line[level->line++];
		buf_put(buf, folding->text.data, folding->text.size);
		put_label(folding, nodes[child].label, buf);
		buf_putc(buf, ' ');
		buf_u64(buf, nodes[child].self);
		buf_putc(buf, '\n');
	} else if (longer_rank != UINT32_MAX) {
		child = folding->by_longer[level->longer++];
		put_label(folding, nodes[child].label, &folding->text);
		buf_putc(&folding->text, ';');
		push_level(folding, child);
	} else {
		folding->levels.nr--;
	}
}

int folded_render(const struct flame_data *data, const struct folded_options *options, struct buf *buf,
		  struct err *err)
{
	struct folding folding = { .text = BUF_INIT };
	struct flame_tree_options wanted = { .by_label = true, .print = print_plain };
	int ret = flame_data_check(data, err);

	if (ret < 0)
		return ret;
	if (options) {
		wanted.event = options->event;
		wanted.by_samples = options->by_samples;
		wanted.print = options->annotate ? print_annotated : print_plain;
	}
	buf_grow(&folding.text, 1);
	flame_tree_init(&folding.tree, data, &wanted);
	rank_labels(&folding);
	folding.by_line = flame_tree_sort(&folding.tree, folding.line_rank, 2 * folding.tree.labels.rows.nr);
	folding.by_longer = flame_tree_sort(&folding.tree, folding.longer_rank,
					    2 * folding.tree.labels.rows.nr);
	push_level(&folding, 0);
	while (folding.levels.nr)
		step(&folding, buf);
	flame_tree_release(&folding.tree);
	array_release(&folding.levels);
	buf_release(&folding.text);
	free(folding.line_rank);
	free(folding.longer_rank);
	free(folding.by_line);
	free(folding.by_longer);
	return 0;
}
