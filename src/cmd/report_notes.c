/* SPDX-License-Identifier: Apache-2.0 */
/* The last words of a report: how complete the stacks are, which files have no symbols, and a tip. */
#include "cmd/report_notes.h"

#include <stdlib.h>

#include "base/xalloc.h"

static const char *const tips[] = {
	"See the same as a picture: sonde flame perf.data",
	"Count only what functions do themselves: sonde report --no-children",
	"One line for each program: sonde report --sort comm",
	"Who calls the hot function: sonde report --no-children -S FUNCTION",
	"Where the kernel's time goes: sonde report -d '[kernel.kallsyms]'",
	"How it changes over time: sonde report --sort time,comm",
	"Only the second half: sonde report --time 50%-100%",
	"For scripts: sonde report --json, or -g folded for stacks in one line",
	"Only what matters: sonde report --percent-limit 1",
	"Every option that speaks of call graphs: sonde report -h graph",
};

struct complaint {
	const char *text;
	uint64_t nr_samples; /* taken in the file */
};

static int compare_complaints(const void *left, const void *right)
{
	const struct complaint *a = left, *b = right;

	return a->nr_samples > b->nr_samples ? -1 : a->nr_samples < b->nr_samples;
}

/* Files without symbols, the most often sampled first; those that hardly matter are not mentioned. */
static void print_complaints(const struct profile *profile, struct buf *buf)
{
	const struct symbolizer_complaint *list;
	size_t nr = symbolizer_complaints(profile->symbolizer, &list), shown;
	struct complaint *complaints = xcalloc(nr + 1, sizeof(*complaints));
	uint64_t *nr_samples = xcalloc(machine_nr_dsos(profile->machine) + 1, sizeof(*nr_samples)), least;

	for (size_t i = 0; i < profile->rows.nr; i++)
		nr_samples[profile->frames.items[profile->rows.items[i].self].dso] +=
			profile->rows.items[i].nr_samples;
	for (size_t i = 0; i < nr; i++)
		complaints[i] = (struct complaint){ list[i].text, nr_samples[list[i].dso.v] };
	qsort(complaints, nr, sizeof(*complaints), compare_complaints);
	least = profile->stats.nr_samples / 200 + 1;
	for (shown = 0; shown < nr && shown < 5 && complaints[shown].nr_samples >= least; shown++)
		buf_printf(buf, "# %s\n", complaints[shown].text);
	if (shown)
		buf_str(buf, "#\n");
	free(complaints);
	free(nr_samples);
}

void report_notes_print(struct recording *recording, struct buf *buf)
{
	size_t size;

	buf_str(buf, "#\n");
	buf_str(buf, "# ");
	size = buf->size;
	recording_quality_text(recording->profile, buf);
	if (buf->size != size)
		buf_str(buf, "\n#\n");
	else
		buf->size -= 2;
	print_complaints(recording->profile, buf);
	buf_printf(buf, "# (Tip: %s)\n#\n", tips[recording->profile->stats.nr_samples % NR_ITEMS(tips)]);
}
