/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event_attr.h"

uint32_t event_attr_smallest_size(const struct event_attr *attr)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144 };
	const uint8_t *bytes = (const uint8_t *)attr;
	uint32_t used = EVENT_ATTR_SIZE_MAX;
	unsigned i = 0;

	while (used > EVENT_ATTR_SIZE_MIN && !bytes[used - 1])
		used--;
	while (sizes[i] < used)
		i++;
	return sizes[i];
}
