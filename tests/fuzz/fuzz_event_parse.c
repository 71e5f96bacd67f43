/* SPDX-License-Identifier: Apache-2.0 */
/* The event grammar: any text is an error or events that print; also the filter explainer over the same text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/event_parse.h"
#include "event/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_parser parser;
	struct event_list list = { 0 };
	struct pmu_format format;
	struct err err;
	char *text;

	if (size > 4096)
		return 0;
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = 0;
	event_parser_init(&parser, NULL, "/nonexistent");
	if (!event_parse(&parser, text, &list, &err))
		for (size_t i = 0; i < list.events.nr; i++)
			if (!list.events.items[i].name)
				abort();
	event_list_release(&list);
	event_parser_release(&parser);
	pmu_format_parse(text, &format);
	filter_explain(text, "a:b", "next_pid comm", &err);
	free(text);
	return 0;
}
