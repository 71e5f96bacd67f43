/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/quality.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Outermost functions of complete stacks; '*' at the end stands for anything. */
static const char *const entry_points[] = {
	/* processes */
	"_start",
	"_dl_start*",
	"__libc_start_main*",
	"__libc_start_call_main",
	"_start_main",
	/* threads */
	"clone",
	"clone3",
	"__clone",
	"__clone3",
	"__clone_internal*",
	"start_thread",
	"thread_start",
	"thread_native_entry*",
	"runtime.goexit*",
	"runtime.mstart*",
	"runtime.rt0_go*",
	"runtime.morestack*",
	/* the kernel's own: threads, and idle CPUs */
	"ret_from_fork*",
	"kthread",
	"secondary_startup*",
	"start_secondary",
	"cpu_startup_entry",
	"x86_64_start_kernel",
	"start_kernel",
	"rest_init",
	"common_startup*",
	"pvh_start_xen",
};

bool quality_is_entry_point(const char *name)
{
	for (size_t i = 0; i < NR_ITEMS(entry_points); i++) {
		size_t size = strlen(entry_points[i]);

		if (entry_points[i][size - 1] == '*' ? !strncmp(name, entry_points[i], size - 1)
						     : !strcmp(name, entry_points[i]))
			return true;
	}
	return false;
}

static bool is_entry_frame(const struct profile *profile, uint32_t frame)
{
	const char *name = profile_frame_name(profile, frame);

	return name && quality_is_entry_point(name);
}

void quality_measure(struct profile *profile)
{
	struct stack_quality *quality = &profile->quality;
	size_t nr = profile->stacks.nr;
	uint64_t *totals = xcalloc(nr, sizeof(*totals));
	uint64_t *broken = xcalloc(machine_nr_dsos(profile->machine), sizeof(*broken));

	for (size_t i = 0; i < profile->rows.nr; i++)
		totals[profile->rows.items[i].stack] += profile->rows.items[i].nr_samples;
	/* Children have larger ids than their parents. What stays at the outermost frames is the whole stacks' sum. */
	for (size_t i = nr; i-- > 1;) {
		const struct stack *stack = &profile->stacks.items[i];

		if (stack->parent)
			totals[stack->parent] += totals[i];
		else if (is_entry_frame(profile, stack->frame))
			quality->nr_complete += totals[i];
		else
			broken[profile->frames.items[stack->frame].dso] += totals[i];
	}
	for (unsigned place = 0; place < NR_ITEMS(quality->worst); place++) {
		uint32_t worst = 0;

		for (uint32_t dso = 0; dso < machine_nr_dsos(profile->machine); dso++)
			if (broken[dso] > broken[worst])
				worst = dso;
		if (!broken[worst])
			break;
		quality->worst[quality->nr_worst].dso = worst;
		quality->worst[quality->nr_worst++].nr = broken[worst];
		broken[worst] = 0;
	}
	free(totals);
	free(broken);
}
