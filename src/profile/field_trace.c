/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single fields of tracepoints.
 *
 * The kernel's print fmt knows that a task state of 2 is "D" and that a number is a set of GFP flags, but only says so
 * for the whole line. The steps of its program that look at one field and no other are that field's own way of being
 * printed; fields without such steps are printed as numbers and strings are.
 */
#include "profile/field_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/xalloc.h"
#include "record/tracepoint_program.h"

/* Whether everything that is looked at lies in the field; *seen: something does. */
struct looking {
	const struct tracepoint_field *field;
	bool seen, elsewhere;
};

static void look_at(struct looking *looking, uint32_t offset)
{
	if (offset >= looking->field->offset && offset < looking->field->offset + looking->field->size)
		looking->seen = true;
	else
		looking->elsewhere = true;
}

static void look_at_node(struct looking *looking, const struct tracepoint_node *node)
{
	if (!node)
		return;
	switch (node->type) {
	case NODE_CONST:
		return;
	case NODE_FIELD:
	case NODE_FIELD_AT:
	case NODE_DYNAMIC_AT:
	case NODE_DYNAMIC_SIZE:
	case NODE_DYNAMIC_START:
		look_at(looking, node->offset);
		break;
	default:
		break;
	}
	look_at_node(looking, node->left);
	look_at_node(looking, node->right);
	look_at_node(looking, node->other);
}

static void look_at_text(struct looking *looking, const struct tracepoint_text *text)
{
	if (!text)
		return;
	switch (text->type) {
	case TEXT_NONE:
	case TEXT_LITERAL:
		return;
	case TEXT_FLAGS:
	case TEXT_SYMBOL:
		look_at_node(looking, text->number);
		return;
	case TEXT_CHOOSE:
		look_at_node(looking, text->number);
		look_at_text(looking, text->yes);
		look_at_text(looking, text->no);
		return;
	default:
		look_at(looking, text->offset);
		look_at_node(looking, text->count);
		look_at_node(looking, text->element_size);
	}
}

static bool is_about(const struct tracepoint_step *step, const struct tracepoint_field *field)
{
	struct looking looking = { field, false, false };

	switch (step->type) {
	case STEP_TEXT:
		look_at_text(&looking, step->text);
		break;
	case STEP_FUNCTION:
	case STEP_FUNCTION_OFFSET:
		look_at_node(&looking, step->number);
		break;
	case STEP_MAC:
	case STEP_IP4:
	case STEP_IP6:
	case STEP_SOCKADDR:
	case STEP_UUID:
	case STEP_BYTES:
		look_at(&looking, step->offset);
		break;
	default:
		return false;
	}
	look_at_node(&looking, step->star);
	return looking.seen && !looking.elsewhere;
}

static struct tracepoint_program *find_pretty(const struct tracepoint_format *format,
					      const struct tracepoint_field *field)
{
	ARRAY(struct tracepoint_step) steps = { 0 };
	struct tracepoint_program *program;

	if (!format->program || field->is_string)
		return NULL;
	for (const struct tracepoint_step *step = format->program->steps; step->type != STEP_END; step++) {
		struct tracepoint_step alone = *step;

		if (!is_about(step, field))
			continue;
		alone.before = "";
		alone.before_size = 0;
		array_push(&steps, alone);
	}
	if (!steps.nr)
		return NULL;
	array_push(&steps, (struct tracepoint_step){ .before = "", .type = STEP_END });
	program = xmemdup(format->program, sizeof(*program));
	program->steps = steps.items;
	return program;
}

/* As wide as values of the kind may be; longer ones make the column wider. */
static unsigned width_of(const struct tracepoint_field *field)
{
	if (field->is_dynamic)
		return 1;
	if (field->is_string || field->is_array)
		return field->size;
	return field->is_long ? 18 : field->size * 2 + 2;
}

struct field_trace *field_trace_new(uint32_t event, const struct tracepoint_format *format,
				    const struct tracepoint_field *field, bool is_raw)
{
	struct field_trace *trace = xcalloc(1, sizeof(*trace));

	*trace = (struct field_trace){ .name = field->name,
				       .event = event,
				       .format = format,
				       .field = field,
				       .is_raw = is_raw,
				       .width = width_of(field),
				       .pretty = is_raw ? NULL : find_pretty(format, field) };
	return trace;
}

void field_trace_free(struct field_trace *trace)
{
	if (trace && trace->pretty) {
		free(trace->pretty->steps);
		free(trace->pretty);
	}
	free(trace);
}

void field_trace_print(const struct field_trace *trace, struct span payload, struct buf *buf)
{
	if (trace->pretty)
		tracepoint_program_run(trace->pretty, payload, NULL, buf);
	else
		tracepoint_field_print(trace->format, trace->field, payload, buf);
}

int field_trace_compare(const struct field_trace *trace, const char *a, const char *b)
{
	bool is_number = !trace->pretty && !trace->field->is_string && !trace->field->is_array;

	if (is_number) {
		long long number_a = strtoll(a, NULL, 0), number_b = strtoll(b, NULL, 0);

		if (number_a != number_b)
			return number_a < number_b ? -1 : 1;
	}
	return strcmp(a, b);
}
