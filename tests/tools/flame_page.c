/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_page html|svg|folded PROFILE [NODE_BUDGET] [REPEAT]: writes a made-up profile to stdout; times go to
 * stderr. PROFILE "-" is read from stdin: folded lines, where a frame may be followed by "@@" and its DSO.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "lib/flame_gen.h"
#include "render/flamegraph_html.h"
#include "render/flamegraph_svg.h"
#include "render/folded.h"

static int render(const char *format, const struct flame_data *data, uint32_t budget, struct buf *buf,
		  struct err *err)
{
	struct flamegraph_html_options html = { .node_budget = budget };

	if (!strcmp(format, "html"))
		return flamegraph_html_render(data, &html, buf, err);
	if (!strcmp(format, "svg"))
		return flamegraph_svg_render(data, NULL, buf, err);
	if (!strcmp(format, "folded"))
		return folded_render(data, NULL, buf, err);
	return err_set(err, -1, "no such format: %s", format);
}

static void read_line(struct flame_gen *gen, uint32_t event, char *line)
{
	char *blank = strrchr(line, ' ');
	uint32_t node = FLAME_ROOT;
	uint32_t thread = UINT32_MAX;
	char *save;

	if (!blank)
		return;
	*blank = '\0';
	for (char *name = strtok_r(line, ";", &save); name; name = strtok_r(NULL, ";", &save)) {
		char *dso = strstr(name, "@@");

		if (thread == UINT32_MAX) {
			thread = flame_gen_command(gen, name);
			continue;
		}
		if (dso) {
			*dso = '\0';
			dso += 2;
		}
		node = flame_gen_node(gen, node,
				      flame_gen_frame(gen, name, dso ? dso : "",
						      dso && *dso == '[' ? FLAME_KERNEL : FLAME_USER));
	}
	if (thread != UINT32_MAX)
		flame_gen_sample(gen, event, thread, node, strtoull(blank + 1, NULL, 10));
}

static struct flame_gen *read_folded(void)
{
	struct flame_gen *gen = flame_gen_new_empty();
	uint32_t event = flame_gen_event(gen, "cpu-clock", "ns");
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0)
		read_line(gen, event, line);
	free(line);
	return gen;
}

int main(int argc, char **argv)
{
	uint32_t budget = argc > 3 ? (uint32_t)atoi(argv[3]) : FLAMEGRAPH_HTML_NODES;
	int rounds = argc > 4 ? atoi(argv[4]) : 1;
	struct flame_gen *gen = argc < 3	       ? NULL
				: strcmp(argv[2], "-") ? flame_gen_new(argv[2])
						       : read_folded();
	const struct flame_data *data;
	struct err err = { 0 };
	int ret = 0;

	if (!gen) {
		fprintf(stderr, "usage: flame_page html|svg|folded PROFILE [NODE_BUDGET] [REPEAT]\n");
		return 2;
	}
	data = flame_gen_data(gen);
	fprintf(stderr, "%zu nodes, %zu rows, %zu frames, %zu threads\n", data->nr_nodes, data->nr_rows,
		data->nr_frames, data->nr_threads);
	for (int i = 0; i < rounds && !ret; i++) {
		struct buf buf = BUF_INIT;
		uint64_t begin = clock_now(CLOCK_MONOTONIC);
		uint64_t cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);

		ret = render(argv[1], data, budget, &buf, &err);
		fprintf(stderr, "%.1f ms, %.1f ms of CPU, %zu bytes\n",
			(double)(clock_now(CLOCK_MONOTONIC) - begin) / 1e6,
			(double)(clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e6, buf.size);
		if (i == 0)
			fwrite(buf.data, 1, buf.size, stdout);
		buf_release(&buf);
	}
	if (ret)
		fprintf(stderr, "%s\n", err.text);
	flame_gen_free(gen);
	return ret != 0;
}
