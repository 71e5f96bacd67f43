/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flame graph as a still picture, for documents and bug reports: no script, no font but what
 * the reader has, colours as classes so that dark and light are a few lines of style.
 *
 * Labels are cut by counting characters of a monospaced font, which needs no font metrics.
 */
#include "render/flamegraph_svg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/xalloc.h"
#include "render/flame_tree.h"
#include "render/markup.h"

#define ROW 18
#define MARGIN 10
#define HEAD 62
#define FOOT 40
#define CHARACTER 6.65 /* width in the 11 px font, of any monospaced one rather more than less */
#define NR_SHADES 4
#define KIND_COMMAND NR_FLAME_KINDS

/* By kind, then shade: the page's colours (assets/flame_colour.js), light and dark. */
static const struct {
	const char *name;
	const char *light[NR_SHADES];
	const char *dark[NR_SHADES];
} kinds[NR_FLAME_KINDS + 1] = {
	{ "user",
	  { "#eebf98", "#facba3", "#f0c79a", "#ebca98" },
	  { "#734c29", "#805936", "#76552c", "#72572a" } },
	{ "kernel",
	  { "#a5d0f0", "#b0dcfc", "#afd4f8", "#b4d2f9" },
	  { "#355b75", "#416782", "#405f7d", "#455e7e" } },
	{ "JIT",
	  { "#add7ab", "#b8e3b6", "#addeb6", "#a7dfbb" },
	  { "#3d603b", "#496d47", "#3d6846", "#37684b" } },
	{ "inlined",
	  { "#dcbedf", "#e8c9eb", "#e5c3e1", "#e8c2dd" },
	  { "#654c67", "#725874", "#6e516b", "#705168" } },
	{ "unknown",
	  { "#ccc9c5", "#d7d5d1", "#d1cfcb", "#d1cfcb" },
	  { "#585653", "#64625f", "#5e5c59", "#5e5c59" } },
	{ "command",
	  { "#ced6e0", "#d9e1ec", "#d4dce6", "#d4dce6" },
	  { "#323840", "#3d434b", "#383e46", "#383e46" } },
};

struct picture {
	const struct flame_data *data;
	struct flamegraph_svg_options options;
	struct flame_tree tree;
	uint32_t *children;
	double *x; /* by node, in pixels from the left margin */
	double scale; /* pixels for a weight of one */
	uint32_t nr_levels; /* of what is drawn */
	uint32_t nr_thin; /* boxes left out */
	uint32_t height;
	uint64_t self[NR_FLAME_KINDS];
	struct buf *buf;
};

static double box_width(const struct picture *picture, uint32_t node)
{
	return (double)picture->tree.nodes[node].total * picture->scale;
}

/* Places children side by side in their parents; counts levels, and what is too thin. */
static void place_boxes(struct picture *picture)
{
	const struct flame_tree *tree = &picture->tree;

	picture->x = xcalloc(tree->nr_nodes, sizeof(*picture->x));
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		double x = picture->x[i];

		for (uint32_t k = tree->child_start[i]; k < tree->child_start[i + 1]; k++) {
			picture->x[picture->children[k]] = x;
			x += box_width(picture, picture->children[k]);
		}
		if (tree->nodes[i].frame != FLAME_TREE_NO_FRAME)
			picture->self[picture->data->frames[tree->nodes[i].frame].kind] +=
				tree->nodes[i].self;
		if (box_width(picture, i) < picture->options.min_width)
			picture->nr_thin++;
		else if (tree->nodes[i].depth >= picture->nr_levels)
			picture->nr_levels = tree->nodes[i].depth + 1;
	}
}

static void put_share(struct buf *buf, uint64_t part, uint64_t whole)
{
	double share = whole ? 100.0 * (double)part / (double)whole : 0;

	buf_printf(buf, share < 10 ? "%.2f %%" : "%.1f %%", share);
}

static void put_weight(struct buf *buf, uint64_t weight, const char *unit)
{
	double value = (double)weight;

	if (!strcmp(unit, "ns")) {
		if (value >= 1e9)
			buf_printf(buf, "%.2f s", value / 1e9);
		else if (value >= 1e6)
			buf_printf(buf, "%.2f ms", value / 1e6);
		else
			buf_printf(buf, "%.2f us", value / 1e3);
		return;
	}
	buf_u64(buf, weight);
	if (*unit) {
		buf_putc(buf, ' ');
		markup_text(buf, unit);
	}
}

static const char *unit_of(const struct picture *picture)
{
	const char *unit = picture->data->events[picture->options.event].unit;

	return picture->options.by_samples ? "samples" : unit ? unit : "";
}

/* ---- style ----------------------------------------------------------------------------------- */

static void put_colours(struct buf *buf, bool dark)
{
	for (int kind = 0; kind <= KIND_COMMAND; kind++)
		for (int shade = 0; shade < NR_SHADES; shade++)
			buf_printf(buf, ".%c%d{fill:%s}", 'a' + kind, shade,
				   dark ? kinds[kind].dark[shade] : kinds[kind].light[shade]);
	buf_str(buf, "\n");
}

static void put_head(struct picture *picture)
{
	struct buf *buf = picture->buf;
	uint32_t width = picture->options.width;

	buf_printf(buf,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" height=\"%u\" "
		   "viewBox=\"0 0 %u %u\" role=\"img\">\n<title>Flame graph: ",
		   width, picture->height, width, picture->height);
	markup_text(buf, picture->data->title);
	buf_str(buf,
		"</title>\n<style>\n"
		"text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;fill:#1d2025}"
		".title{font:600 15px system-ui,\"DejaVu Sans\",sans-serif}"
		".soft{font:12px system-ui,\"DejaVu Sans\",sans-serif;fill:#666b75}"
		".paper{fill:#fbfaf8}g:hover>rect{stroke:#1d2025;stroke-width:1}\n");
	put_colours(buf, false);
	buf_str(buf,
		"@media(prefers-color-scheme:dark){text{fill:#eceae5}.soft{fill:#9a9fa8}.paper{fill:#16181b}"
		"g:hover>rect{stroke:#fff}\n");
	put_colours(buf, true);
	buf_str(buf, "}\n</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
}

static void put_caption(struct picture *picture)
{
	const struct flame_data *data = picture->data;
	struct buf *buf = picture->buf;

	buf_printf(buf, "<text class=\"title\" x=\"%d\" y=\"28\">", MARGIN);
	markup_text(buf, data->title);
	buf_printf(buf, "</text>\n<text class=\"soft\" x=\"%d\" y=\"48\">", MARGIN);
	if (data->nr_events) {
		markup_text(buf, data->events[picture->options.event].name);
		buf_str(buf, ", ");
		put_weight(buf, picture->tree.nodes[0].total, unit_of(picture));
	}
	for (size_t i = 0; i < data->nr_meta; i++) {
		if (strcmp(data->meta[i].key, "duration") && strcmp(data->meta[i].key, "host"))
			continue;
		buf_str(buf, ", ");
		markup_text(buf, data->meta[i].value);
	}
	if (data->lost.samples) {
		buf_str(buf, ", ");
		buf_u64(buf, data->lost.samples);
		buf_str(buf, " samples lost");
	}
	buf_str(buf, "</text>\n");
}

static void put_legend(struct picture *picture)
{
	struct buf *buf = picture->buf;
	uint32_t y = picture->height - 16;
	uint32_t x = MARGIN;

	for (int kind = 0; kind < NR_FLAME_KINDS; kind++) {
		if (!picture->self[kind])
			continue;
		buf_printf(buf, "<rect class=\"%c1\" x=\"%u\" y=\"%u\" width=\"11\" height=\"11\" rx=\"2\"/>",
			   'a' + kind, x, y - 10);
		buf_printf(buf, "<text class=\"soft\" x=\"%u\" y=\"%u\">%s ", x + 16, y, kinds[kind].name);
		put_share(buf, picture->self[kind], picture->tree.nodes[0].total);
		buf_str(buf, "</text>\n");
		x += 130;
	}
	if (picture->nr_thin) {
		buf_printf(buf, "<text class=\"soft\" x=\"%u\" y=\"%u\" text-anchor=\"end\">",
			   picture->options.width - MARGIN, y);
		buf_u64(buf, picture->nr_thin);
		buf_printf(buf, " call paths narrower than %g px are not drawn</text>\n",
			   picture->options.min_width);
	}
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Bytes of text that make at most `room` characters. */
static size_t cut_text(const char *text, size_t size, size_t room)
{
	size_t pos = 0;

	while (pos < size && room) {
		pos++;
		while (pos < size && ((uint8_t)text[pos] & 0xc0) == 0x80)
			pos++;
		room--;
	}
	return pos;
}

static void put_tooltip(struct picture *picture, uint32_t node, const char *label, size_t size)
{
	const struct flame_tree_node *box = &picture->tree.nodes[node];
	struct buf *buf = picture->buf;
	const char *dso;

	buf_str(buf, "<g><title>");
	markup_bytes(buf, label, size);
	dso = box->frame == FLAME_TREE_NO_FRAME ? NULL : picture->data->frames[box->frame].dso;
	if (dso && *dso) {
		buf_str(buf, " in ");
		markup_text(buf, flame_dso_short(dso));
	}
	buf_str(buf, ": ");
	put_weight(buf, box->total, unit_of(picture));
	buf_str(buf, ", ");
	put_share(buf, box->total, picture->tree.nodes[0].total);
	if (box->self && box->self != box->total) {
		buf_str(buf, "; self ");
		put_share(buf, box->self, picture->tree.nodes[0].total);
	}
	buf_str(buf, "</title>");
}

static void put_box(struct picture *picture, uint32_t node)
{
	const struct flame_tree_node *box = &picture->tree.nodes[node];
	const char *label = node ? intern_text(&picture->tree.labels, box->label) : "all";
	size_t size = node ? intern_size(&picture->tree.labels, box->label) : 3;
	int kind = box->frame == FLAME_TREE_NO_FRAME ? KIND_COMMAND
						     : (int)picture->data->frames[box->frame].kind;
	double width = box_width(picture, node);
	double x = picture->x[node] + MARGIN;
	uint32_t y = HEAD +
		     ROW * (picture->options.icicle ? box->depth : picture->nr_levels - 1 - box->depth);
	size_t room = width > 6 ? (size_t)((width - 6) / CHARACTER) : 0;
	size_t cut;

	put_tooltip(picture, node, label, size);
	buf_printf(picture->buf, "<rect class=\"%c%u\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/>",
		   'a' + kind, (unsigned)(hash_bytes(label, size, 0) % NR_SHADES), x, y,
		   width > 2 ? width - 0.6 : width, ROW - 1);
	cut = cut_text(label, size, room);
	if (cut < size)
		cut = room > 2 ? cut_text(label, size, room - 1) : 0;
	if (cut) {
		buf_printf(picture->buf, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + 13);
		markup_bytes(picture->buf, label, cut);
		if (cut < size)
			buf_str(picture->buf, "\xe2\x80\xa6");
		buf_str(picture->buf, "</text>");
	}
	buf_str(picture->buf, "</g>\n");
}

static void render(struct picture *picture)
{
	const struct flame_tree *tree = &picture->tree;

	picture->height = HEAD + FOOT + ROW * (picture->nr_levels ? picture->nr_levels : 1);
	put_head(picture);
	put_caption(picture);
	if (!tree->nodes[0].total)
		buf_printf(
			picture->buf,
			"<text class=\"soft\" x=\"%u\" y=\"%d\" text-anchor=\"middle\">No samples.</text>\n",
			picture->options.width / 2, HEAD + 14);
	else
		for (uint32_t i = 0; i < tree->nr_nodes; i++)
			if (box_width(picture, i) >= picture->options.min_width)
				put_box(picture, i);
	put_legend(picture);
	buf_str(picture->buf, "</svg>\n");
}

int flamegraph_svg_render(const struct flame_data *data, const struct flamegraph_svg_options *options,
			  struct buf *buf, struct err *err)
{
	struct picture picture = { .data = data, .buf = buf };
	struct flame_tree_options wanted = { 0 };
	uint32_t *rank;
	int ret = flame_data_check(data, err);

	if (ret < 0)
		return ret;
	if (options)
		picture.options = *options;
	if (!picture.options.width)
		picture.options.width = 1200;
	if (picture.options.width < 200 || picture.options.width > 100000)
		return err_set(err, -EINVAL, "a flame graph of %u pixels: 200 to 100000 can be drawn",
			       picture.options.width);
	if (!(picture.options.min_width > 0))
		picture.options.min_width = 0.1;
	if (data->nr_events && picture.options.event >= data->nr_events)
		return err_set(err, -EINVAL, "there is no event %u", picture.options.event);
	wanted.event = picture.options.event;
	wanted.by_samples = picture.options.by_samples;
	flame_tree_init(&picture.tree, data, &wanted);
	rank = flame_tree_rank(&picture.tree);
	picture.children = flame_tree_sort(&picture.tree, rank, picture.tree.labels.rows.nr);
	if (picture.tree.nodes[0].total) {
		picture.scale = (picture.options.width - 2.0 * MARGIN) / (double)picture.tree.nodes[0].total;
		place_boxes(&picture);
	}
	render(&picture);
	flame_tree_release(&picture.tree);
	free(rank);
	free(picture.children);
	free(picture.x);
	return 0;
}
