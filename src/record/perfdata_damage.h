/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_PERFDATA_DAMAGE_H
#define RECORD_PERFDATA_DAMAGE_H

#include <stdint.h>

/* What could not be read of a recording. nr 0: nothing was wrong. */
struct perfdata_damage {
	uint64_t nr; /* damaged places */
	uint64_t lost_size; /* bytes passed over */
	uint64_t first_offset; /* in the file, of the first damaged place */
	char text[160]; /* what was wrong there, a sentence without its full stop */
};

void perfdata_damage_add(struct perfdata_damage *damage, uint64_t offset, uint64_t lost_size, const char *fmt,
			 ...) __attribute__((format(printf, 4, 5)));

#endif
