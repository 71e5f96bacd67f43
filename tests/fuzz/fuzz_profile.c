/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole recording, from the file to the profile: reader, side-band, machine, samples, all extra columns.
 * Symbols are looked up below a directory that does not exist, so nothing of this machine is read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "profile/profile.h"
#include "record/perfdata_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct profile *profile)
{
	for (size_t i = 1; i < profile->stacks.nr; i++)
		if (profile->stacks.items[i].parent >= i ||
		    profile->stacks.items[i].frame >= profile->frames.nr)
			abort();
	for (size_t i = 0; i < profile->rows.nr; i++) {
		const struct profile_row *row = &profile->rows.items[i];

		if (row->stack >= profile->stacks.nr || row->self >= profile->frames.nr ||
		    row->thread >= profile->threads.nr || row->event >= profile->events->events.nr)
			abort();
		for (unsigned column = 0; column < NR_PROFILE_EXTRA; column++)
			profile_extra_value(profile, row->extra, column);
	}
	for (uint32_t i = 0; i < profile->frames.nr; i++)
		profile_frame_name(profile, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct symbolizer_options symbols = { .symfs = "/nonexistent",
						    .kallsyms = "/nonexistent/kallsyms",
						    .buildid_dir = "/nonexistent" };
	struct profile_options options = { .need_symbols = true,
					   .need_stacks = true,
					   .nr_workers = 2,
					   .extras = (1u << NR_PROFILE_EXTRA) - 1,
					   .time_quantum = 1000 };
	struct perfdata_reader *reader;
	struct profile *profile = NULL;
	struct machine *machine;
	char path[64];
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	if (fd < 0 || file_write_all(fd, data, size) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (size)
		options.max_stack = data[size - 1] & 15;
	if (perfdata_reader_open(path, PERFDATA_ANY_OWNER, &reader, NULL) == 0) {
		machine = machine_new();
		profile_ingest(perfdata_reader_source(reader), perfdata_reader_events(reader), machine,
			       symbolizer_new(machine, &symbols), &options, &profile, NULL);
		check(profile);
		profile_free(profile);
		perfdata_reader_close(reader);
	}
	close(fd);
	return 0;
}
