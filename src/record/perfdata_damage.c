/* SPDX-License-Identifier: Apache-2.0 */
#include "record/perfdata_damage.h"

#include <stdarg.h>
#include <stdio.h>

void perfdata_damage_add(struct perfdata_damage *damage, uint64_t offset, uint64_t lost_size, const char *fmt,
			 ...)
{
	va_list ap;

	if (!damage->nr++) {
		damage->first_offset = offset;
		va_start(ap, fmt);
		vsnprintf(damage->text, sizeof(damage->text), fmt, ap);
		va_end(ap);
	}
	damage->lost_size += lost_size;
}
