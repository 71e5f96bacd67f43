/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_data.h"

#include <errno.h>
#include <string.h>

static int check_rows(const struct flame_data *data, struct err *err)
{
	for (size_t i = 0; i < data->nr_rows; i++) {
		const struct flame_row *row = &data->rows[i];

		if (row->event >= data->nr_events || row->thread >= data->nr_threads)
			return err_set(err, -EINVAL, "flame graph row %zu names event %u, thread %u", i,
				       row->event, row->thread);
		if (row->node != FLAME_ROOT && row->node >= data->nr_nodes)
			return err_set(err, -EINVAL, "flame graph row %zu names node %u", i, row->node);
	}
	return 0;
}

int flame_data_check(const struct flame_data *data, struct err *err)
{
	if (data->nr_nodes >= UINT32_MAX / 4 || data->nr_rows >= UINT32_MAX / 4 ||
	    data->nr_frames >= UINT32_MAX / 4 || data->nr_threads >= UINT32_MAX / 4)
		return err_set(err, -E2BIG, "too much for a flame graph: %zu nodes, %zu rows", data->nr_nodes,
			       data->nr_rows);
	for (size_t i = 0; i < data->nr_nodes; i++) {
		if (data->node_parent[i] != FLAME_ROOT && data->node_parent[i] >= i)
			return err_set(err, -EINVAL, "flame graph node %zu stands before its parent %u", i,
				       data->node_parent[i]);
		if (data->node_frame[i] >= data->nr_frames)
			return err_set(err, -EINVAL, "flame graph node %zu names frame %u", i,
				       data->node_frame[i]);
	}
	for (size_t i = 0; i < data->nr_frames; i++)
		if (data->frames[i].kind >= NR_FLAME_KINDS)
			return err_set(err, -EINVAL, "flame graph frame %zu is of no known kind", i);
	return check_rows(data, err);
}

bool flame_frame_unknown(const struct flame_frame *frame)
{
	return !frame->name || !*frame->name || !strcmp(frame->name, "[unknown]");
}

const char *flame_dso_short(const char *dso)
{
	const char *slash;

	if (!dso || *dso == '[')
		return dso;
	slash = strrchr(dso, '/');
	return slash && slash[1] ? slash + 1 : dso;
}

void flame_frame_print(const struct flame_frame *frame, struct buf *buf)
{
	const char *dso;

	if (!flame_frame_unknown(frame)) {
		buf_str(buf, frame->name);
		return;
	}
	dso = flame_dso_short(frame->dso);
	if (!dso || !*dso || !strcmp(dso, "[unknown]")) {
		buf_str(buf, "[unknown]");
	} else if (*dso == '[') {
		buf_str(buf, dso);
	} else {
		buf_putc(buf, '[');
		buf_str(buf, dso);
		buf_putc(buf, ']');
	}
}
