/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event.h"

#include <stdlib.h>

void event_release(struct event *event)
{
	free(event->name);
	free(event->group_name);
	free(event->filter);
	free(event->pmu);
	free(event->cpus);
}

void event_list_release(struct event_list *list)
{
	for (size_t i = 0; i < list->events.nr; i++)
		event_release(&list->events.items[i]);
	array_release(&list->events);
}
