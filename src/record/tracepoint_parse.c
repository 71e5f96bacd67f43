/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a format file's text to a program (tracepoint_program.h), by libtraceevent's parser.
 *
 * This is the only file that knows libtraceevent. Its parser recurses with the nesting of expressions, and the text
 * may come from anybody's recording, so texts that nest deeper than any kernel's are not given to it.
 */
#include "record/tracepoint_program.h"

#ifdef HAVE_TRACEEVENT

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "base/buf.h"
#include "base/xalloc.h"

/* The largest print fmt of Linux 6.18 has 4,840 characters, two dozen levels of brackets and 130 alternatives. */
#define FMT_SIZE_MAX 65536
#define FMT_DEPTH_MAX 128
#define FMT_CHOICES_MAX 1024
#define FMT_UNARY_MAX 64

#define DEPTH_MAX 400

struct parse {
	const struct tracepoint_format *format;
	struct tep_event *event;
	struct arena *arena;
	unsigned long_size;
	unsigned depth;
	bool failed;
};

static const struct tracepoint_node zero_node = { .type = NODE_CONST };
static const struct tracepoint_text no_text = { .type = TEXT_NONE };

static const struct tracepoint_node *parse_number(struct parse *parse, struct tep_print_arg *arg);

static struct tracepoint_node *new_node(struct parse *parse, enum tracepoint_node_type type)
{
	struct tracepoint_node *node = arena_zalloc(parse->arena, sizeof(*node));

	node->type = type;
	return node;
}

static struct tep_format_field *find_field(struct parse *parse, const char *name)
{
	return name ? tep_find_any_field(parse->event, name) : NULL;
}

static struct tep_format_field *field_of(struct parse *parse, struct tep_print_arg *arg)
{
	return arg->field.field ? arg->field.field : find_field(parse, arg->field.name);
}

/* Bytes and sign of a C type that a cast names; 0: a type that changes nothing of a number (or is not known). */
static unsigned type_size(const char *type, size_t length, unsigned long_size, bool *ret_signed)
{
	static const struct {
		const char *name;
		unsigned size;
		bool is_signed;
	} words[] = {
		{ "u8", 1, false },	  { "s8", 1, true },	{ "u16", 2, false },   { "s16", 2, true },
		{ "u32", 4, false },	  { "s32", 4, true },	{ "u64", 8, false },   { "s64", 8, true },
		{ "__u8", 1, false },	  { "__s8", 1, true },	{ "__u16", 2, false }, { "__s16", 2, true },
		{ "__u32", 4, false },	  { "__s32", 4, true }, { "__u64", 8, false }, { "__s64", 8, true },
		{ "char", 1, true },	  { "short", 2, true }, { "int", 4, true },    { "signed", 4, true },
		{ "unsigned", 4, false },
	};
	unsigned size = 0, longs = 0;
	bool is_unsigned = false, is_signed = true;

	for (size_t pos = 0; pos < length;) {
		size_t start = pos, room;

		while (pos < length && !isspace((unsigned char)type[pos]))
			pos++;
		room = pos - start;
		while (pos < length && isspace((unsigned char)type[pos]))
			pos++;
		if (!room || (room == 5 && !memcmp(type + start, "const", 5)))
			continue;
		if (room == 4 && !memcmp(type + start, "long", 4)) {
			longs++;
			continue;
		}
		for (size_t i = 0;; i++) {
			if (i == sizeof(words) / sizeof(words[0]))
				return 0;
			if (strlen(words[i].name) != room || memcmp(words[i].name, type + start, room))
				continue;
			if (words[i].name[0] == 'u' && words[i].name[1] == 'n')
				is_unsigned = true;
			if (!size || words[i].size < size || words[i].size != 4) {
				size = words[i].size;
				is_signed = words[i].is_signed;
			}
			break;
		}
	}
	*ret_signed = is_signed && !is_unsigned;
	return longs > 1 ? 8 : longs ? long_size : size;
}

static const struct tracepoint_node *cast(struct parse *parse, const struct tracepoint_node *item,
					  const char *type, bool is_pointer)
{
	size_t length = type ? strlen(type) : 0;
	struct tracepoint_node *node;
	bool is_signed = false;
	unsigned size;

	while (length && isspace((unsigned char)type[length - 1]))
		length--;
	if (is_pointer) {
		if (!length || type[length - 1] != '*')
			return item;
		length--;
	}
	size = type_size(type, length, parse->long_size, &is_signed);
	if (!size || size == 8)
		return item;
	node = new_node(parse, NODE_CAST);
	node->left = item;
	node->size = size;
	node->is_signed = is_signed;
	return node;
}

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static const struct tracepoint_node *field_node(struct parse *parse, const struct tep_format_field *field)
{
	struct tracepoint_node *node;

	if (!field || field->offset < 0 || !is_number_size((uint32_t)field->size))
		return &zero_node;
	node = new_node(parse, NODE_FIELD);
	node->offset = (uint32_t)field->offset;
	node->size = (uint32_t)field->size;
	return node;
}

static struct tracepoint_node *dynamic_node(struct parse *parse, enum tracepoint_node_type type,
					    const struct tep_format_field *field)
{
	struct tracepoint_node *node = new_node(parse, type);

	node->offset = (uint32_t)field->offset;
	node->is_relative = field->flags & TEP_FIELD_IS_RELATIVE;
	node->size = field->size == 2 ? 2 : 4;
	return node;
}

/* array[index], with casts around the array: those name the type of pointers to it. */
static const struct tracepoint_node *element(struct parse *parse, struct tep_print_arg *arg)
{
	struct tep_print_arg *array = arg->op.left;
	const struct tep_format_field *field;
	struct tracepoint_node *node;
	const char *type = NULL;

	while (array && array->type == TEP_PRINT_TYPE) {
		if (!type)
			type = array->typecast.type;
		array = array->typecast.item;
	}
	if (!array)
		return &zero_node;
	if (array->type == TEP_PRINT_DYNAMIC_ARRAY && array->dynarray.field) {
		field = array->dynarray.field;
		node = dynamic_node(parse, NODE_DYNAMIC_AT, field);
		node->value = field->elementsize ? field->elementsize : parse->long_size;
	} else if (array->type == TEP_PRINT_FIELD && (field = field_of(parse, array)) && field->offset >= 0) {
		node = new_node(parse, NODE_FIELD_AT);
		node->offset = (uint32_t)field->offset;
		node->value = field->elementsize;
	} else {
		return &zero_node;
	}
	if (!is_number_size((uint32_t)node->value))
		return &zero_node;
	node->right = parse_number(parse, arg->op.right);
	if (node->type == NODE_FIELD_AT && node->right->type == NODE_CONST && node->right->value < 65536) {
		/* A fixed element is a field like others. */
		node->type = NODE_FIELD;
		node->offset += (uint32_t)(node->right->value * node->value);
		node->size = (uint32_t)node->value;
		node->right = NULL;
	}
	return type ? cast(parse, node, type, true) : node;
}

static int operator_type(const char *op)
{
	static const struct {
		const char *op;
		enum tracepoint_node_type type;
	} table[] = {
		{ "!", NODE_NOT },	   { "~", NODE_INVERT },
		{ "+", NODE_ADD },	   { "-", NODE_SUBTRACT },
		{ "*", NODE_MULTIPLY },	   { "/", NODE_DIVIDE },
		{ "%", NODE_REMAINDER },   { "&", NODE_AND },
		{ "|", NODE_OR },	   { "^", NODE_XOR },
		{ "&&", NODE_BOTH },	   { "||", NODE_EITHER },
		{ "<<", NODE_SHIFT_LEFT }, { ">>", NODE_SHIFT_RIGHT },
		{ "==", NODE_EQUAL },	   { "!=", NODE_UNEQUAL },
		{ "<", NODE_LESS },	   { "<=", NODE_LESS_EQUAL },
		{ ">", NODE_GREATER },	   { ">=", NODE_GREATER_EQUAL },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].op, op))
			return (int)table[i].type;
	return -1;
}

static const struct tracepoint_node *operation(struct parse *parse, struct tep_print_arg *arg)
{
	const char *op = arg->op.op ? arg->op.op : "";
	struct tracepoint_node *node;
	int type;

	if (!strcmp(op, "["))
		return element(parse, arg);
	if (!strcmp(op, "?")) {
		struct tep_print_arg *rest = arg->op.right;

		if (!rest || rest->type != TEP_PRINT_OP)
			return &zero_node;
		node = new_node(parse, NODE_CHOOSE);
		node->left = parse_number(parse, arg->op.left);
		node->right = parse_number(parse, rest->op.left);
		node->other = parse_number(parse, rest->op.right);
		return node;
	}
	type = operator_type(op);
	if (type < 0)
		return &zero_node;
	node = new_node(parse, (enum tracepoint_node_type)type);
	node->left = parse_number(parse, arg->op.left);
	node->right = parse_number(parse, arg->op.right);
	return node;
}

/* A number, or one character, which stood in single quotes. */
static uint64_t atom_value(const char *atom)
{
	if (!atom)
		return 0;
	if (atom[0] && !atom[1] && !isdigit((unsigned char)atom[0]))
		return (unsigned char)atom[0];
	return strtoull(atom, NULL, 0);
}

static const struct tracepoint_node *parse_number(struct parse *parse, struct tep_print_arg *arg)
{
	const struct tracepoint_node *result = &zero_node;
	struct tracepoint_node *node;

	if (!arg)
		return &zero_node;
	if (++parse->depth > DEPTH_MAX) {
		parse->failed = true;
		parse->depth--;
		return &zero_node;
	}
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		node = new_node(parse, NODE_CONST);
		node->value = atom_value(arg->atom.atom);
		result = node;
		break;
	case TEP_PRINT_FIELD:
		result = field_node(parse, field_of(parse, arg));
		break;
	case TEP_PRINT_TYPE:
		result = cast(parse, parse_number(parse, arg->typecast.item), arg->typecast.type, false);
		break;
	case TEP_PRINT_OP:
		result = operation(parse, arg);
		break;
	case TEP_PRINT_DYNAMIC_ARRAY:
		if (arg->dynarray.field)
			result = dynamic_node(parse, NODE_DYNAMIC_START, arg->dynarray.field);
		break;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		if (arg->dynarray.field)
			result = dynamic_node(parse, NODE_DYNAMIC_SIZE, arg->dynarray.field);
		break;
	default:
		break;
	}
	parse->depth--;
	return result;
}

/* ---- texts ------------------------------------------------------------------------------------ */

static int64_t name_value(const char *value)
{
	return value && isdigit((unsigned char)value[0]) ? (int64_t)strtoull(value, NULL, 0) : -1;
}

static void set_names(struct parse *parse, struct tracepoint_text *text, struct tep_print_flag_sym *list)
{
	struct tracepoint_name *names;
	uint32_t nr = 0;

	for (struct tep_print_flag_sym *sym = list; sym; sym = sym->next)
		nr++;
	names = arena_zalloc(parse->arena, (nr + 1) * sizeof(*names));
	for (struct tep_print_flag_sym *sym = list; sym; sym = sym->next) {
		struct tracepoint_name *name = &names[text->nr_names++];

		name->value = name_value(sym->value);
		name->text = arena_strdup(parse->arena, sym->str ? sym->str : "");
		name->size = (uint32_t)strlen(name->text);
	}
	text->names = names;
}

#define DENSE_MAX 1024

/* A table by value in front of the list, where the values are small. */
static void index_names(struct parse *parse, struct tracepoint_text *text)
{
	uint32_t nr = 0;

	if (text->nr_names < 5)
		return;
	for (uint32_t i = 0; i < text->nr_names; i++)
		if (text->names[i].value >= nr && text->names[i].value < DENSE_MAX)
			nr = (uint32_t)text->names[i].value + 1;
	text->dense = arena_zalloc(parse->arena, (nr + 1) * sizeof(*text->dense));
	text->nr_dense = nr;
	for (uint32_t i = text->nr_names; i-- > 0;)
		if (text->names[i].value >= 0 && text->names[i].value < nr)
			text->dense[text->names[i].value] = &text->names[i];
}

static void set_literal(struct parse *parse, struct tracepoint_text *text, const char *literal)
{
	text->literal = arena_strdup(parse->arena, literal ? literal : "");
	text->literal_size = (uint32_t)strlen(text->literal);
}

/* The bytes that HEX and INTS show. */
static bool set_bytes(struct parse *parse, struct tracepoint_text *text, struct tep_print_arg *arg)
{
	const struct tep_format_field *field = NULL;

	if (arg && arg->type == TEP_PRINT_DYNAMIC_ARRAY) {
		field = arg->dynarray.field;
		text->is_dynamic = true;
	} else if (arg && arg->type == TEP_PRINT_FIELD) {
		field = field_of(parse, arg);
	}
	if (!field || field->offset < 0)
		return false;
	text->offset = (uint32_t)field->offset;
	text->size = (uint32_t)field->size;
	text->is_relative = field->flags & TEP_FIELD_IS_RELATIVE;
	return true;
}

static bool set_dynamic(struct parse *parse, struct tracepoint_text *text, struct tep_format_field *field,
			const char *name)
{
	if (!field)
		field = find_field(parse, name);
	if (!field || field->offset < 0)
		return false;
	text->offset = (uint32_t)field->offset;
	text->size = (uint32_t)field->size;
	text->is_dynamic = true;
	text->is_relative = field->flags & TEP_FIELD_IS_RELATIVE;
	return true;
}

static const struct tracepoint_text *parse_text(struct parse *parse, struct tep_print_arg *arg)
{
	const struct tep_format_field *field;
	struct tracepoint_text *text;

	if (!arg)
		return &no_text;
	if (++parse->depth > DEPTH_MAX) {
		parse->failed = true;
		parse->depth--;
		return &no_text;
	}
	text = arena_zalloc(parse->arena, sizeof(*text));
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		text->type = TEXT_LITERAL;
		set_literal(parse, text, arg->atom.atom);
		break;
	case TEP_PRINT_FIELD:
		field = field_of(parse, arg);
		if (!field || field->offset < 0)
			break;
		text->offset = (uint32_t)field->offset;
		text->size = (uint32_t)field->size;
		text->type = !(field->flags & TEP_FIELD_IS_ARRAY) && (unsigned)field->size == parse->long_size
				     ? TEXT_POINTER
				     : TEXT_ARRAY;
		break;
	case TEP_PRINT_FLAGS:
		text->type = TEXT_FLAGS;
		set_literal(parse, text, arg->flags.delim);
		text->number = parse_number(parse, arg->flags.field);
		set_names(parse, text, arg->flags.flags);
		break;
	case TEP_PRINT_SYMBOL:
		text->type = TEXT_SYMBOL;
		text->number = parse_number(parse, arg->symbol.field);
		set_names(parse, text, arg->symbol.symbols);
		index_names(parse, text);
		break;
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		if (!set_bytes(parse, text, arg->hex.field))
			break;
		text->type = arg->type == TEP_PRINT_HEX ? TEXT_HEX : TEXT_HEX_DENSE;
		text->count = parse_number(parse, arg->hex.size);
		break;
	case TEP_PRINT_INT_ARRAY:
		if (!set_bytes(parse, text, arg->int_array.field))
			break;
		text->type = TEXT_INTS;
		text->count = parse_number(parse, arg->int_array.count);
		text->element_size = parse_number(parse, arg->int_array.el_size);
		break;
	case TEP_PRINT_STRING:
		if (set_dynamic(parse, text, arg->string.field, arg->string.string))
			text->type = TEXT_DYNAMIC;
		break;
	case TEP_PRINT_BSTRING:
		text->type = TEXT_LITERAL;
		set_literal(parse, text, arg->string.string);
		break;
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		if (set_dynamic(parse, text, arg->bitmask.field, arg->bitmask.bitmask))
			text->type = arg->type == TEP_PRINT_BITMASK ? TEXT_BITMASK : TEXT_CPUMASK;
		break;
	case TEP_PRINT_OP:
		if (!arg->op.op || arg->op.op[0] != '?' || !arg->op.right ||
		    arg->op.right->type != TEP_PRINT_OP)
			break;
		text->type = TEXT_CHOOSE;
		text->number = parse_number(parse, arg->op.left);
		text->yes = parse_text(parse, arg->op.right->op.left);
		text->no = parse_text(parse, arg->op.right->op.right);
		break;
	default:
		break;
	}
	parse->depth--;
	return text;
}

/* ---- conversions ------------------------------------------------------------------------------ */

/* What an address conversion (%pI4 and so on) reads, or what it says instead. */
static void set_address(struct parse *parse, struct tracepoint_step *step, struct tep_print_arg *arg,
			unsigned want, bool dynamic_too, const char *wrong_size)
{
	const struct tep_format_field *field = NULL;

	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	if (arg && arg->type == TEP_PRINT_FIELD) {
		field = field_of(parse, arg);
	} else if (arg && arg->type == TEP_PRINT_DYNAMIC_ARRAY && dynamic_too) {
		field = arg->dynarray.field;
		step->is_dynamic = true;
	} else {
		step->complaint = arena_printf(parse->arena,
					       dynamic_too && want
						       ? "ARG NOT FIELD NOR DYNAMIC ARRAY BUT TYPE %d"
						       : "ARG TYPE NOT FIELD BUT %d",
					       arg ? (int)arg->type : 0);
		return;
	}
	if (!field || field->offset < 0) {
		step->complaint = "";
		return;
	}
	step->offset = (uint32_t)field->offset;
	step->size = (uint32_t)field->size;
	step->is_relative = field->flags & TEP_FIELD_IS_RELATIVE;
	if (wrong_size && step->size != want)
		step->complaint = wrong_size;
}

static size_t parse_ip(struct parse *parse, struct tracepoint_step *step, const char *pos,
		       struct tep_print_arg *arg)
{
	size_t used = 2;

	step->conversion = pos[0];
	switch (pos[1]) {
	case '4':
		step->type = STEP_IP4;
		if (pos[2] && strchr("hnlb", pos[2])) {
			step->reverse = pos[2] == 'l' || (pos[2] == 'h' && !parse->format->swap);
			used++;
		}
		set_address(parse, step, arg, 4, false, "INVALIDIPv4");
		return used;
	case '6':
		step->type = STEP_IP6;
		step->compressed = pos[0] == 'I' && pos[2] == 'c';
		set_address(parse, step, arg, 16, false, "INVALIDIPv6");
		return used + (pos[2] == 'c');
	case 'S':
		step->type = STEP_SOCKADDR;
		for (; pos[used] && strchr("pfsc", pos[used]); used++) {
			step->with_port |= pos[used] == 'p';
			step->compressed |= pos[used] == 'c';
		}
		if (pos[used] && strchr("hnlb", pos[used]))
			step->reverse = pos[used] == 'l', used++;
		set_address(parse, step, arg, 1, true, NULL);
		return used;
	default:
		step->type = STEP_POINTER;
		step->number = parse_number(parse, arg);
		return 0;
	}
}

/* What stands behind %p; returns how many characters belong to it. */
static size_t parse_pointer(struct parse *parse, struct tracepoint_step *step, const char *pos,
			    struct tep_print_arg *arg)
{
	switch (pos[0]) {
	case 'F':
	case 'S':
		step->type = STEP_FUNCTION_OFFSET;
		step->number = parse_number(parse, arg);
		return 1;
	case 'f':
	case 's':
		step->type = STEP_FUNCTION;
		step->number = parse_number(parse, arg);
		return 1;
	case 'M':
	case 'm':
		step->type = STEP_MAC;
		step->delimiter = pos[0] == 'm' ? 0 : pos[1] == 'F' ? '-' : ':';
		step->reverse = pos[1] == 'R';
		set_address(parse, step, arg, 6, false, "INVALIDMAC");
		return 1 + (pos[1] == 'R' || pos[1] == 'F');
	case 'I':
	case 'i':
		return parse_ip(parse, step, pos, arg);
	case 'U':
		step->type = STEP_UUID;
		step->upper = pos[1] == 'L' || pos[1] == 'B';
		step->swapped_groups = pos[1] == 'L' || pos[1] == 'l';
		set_address(parse, step, arg, 16, false, "INVALIDUUID");
		return 1 + (pos[1] && strchr("LlBb", pos[1]));
	case 'h':
		step->type = STEP_BYTES;
		step->delimiter = pos[1] == 'C' ? ':' : pos[1] == 'D' ? '-' : pos[1] == 'N' ? 0 : ' ';
		if (arg && arg->type == TEP_PRINT_DYNAMIC_ARRAY)
			set_address(parse, step, arg, 0, true, NULL);
		else
			step->complaint = arena_printf(parse->arena, "ARG TYPE NOT FIELD BUT %d",
						       arg ? (int)arg->type : 0);
		return 1 + (pos[1] && strchr("CDN", pos[1]));
	default:
		step->type = STEP_POINTER;
		step->number = parse_number(parse, arg);
		return pos[0] == 'x' || pos[0] == 'K' ? 1 : 0;
	}
}

struct fmt {
	const char *pos;
	struct tep_print_arg *arg; /* the next one */
};

static struct tep_print_arg *next_arg(struct parse *parse, struct fmt *fmt)
{
	struct tep_print_arg *arg = fmt->arg;

	if (!arg)
		parse->failed = true;
	else
		fmt->arg = arg->next;
	return arg;
}

static void parse_width(struct tracepoint_step *step, struct fmt *fmt)
{
	unsigned number = 0;
	bool in_precision = fmt->pos[0] == '.';

	if (in_precision)
		fmt->pos++;
	while (isdigit((unsigned char)*fmt->pos)) {
		number = number < 4096 ? number * 10 + (unsigned)(*fmt->pos - '0') : number;
		fmt->pos++;
	}
	if (number > 4096)
		number = 4096;
	if (in_precision)
		step->precision = (int16_t)number;
	else
		step->width = (uint16_t)number;
}

/* One conversion; fmt->pos is behind the '%'. */
static void parse_conversion(struct parse *parse, struct tracepoint_step *step, struct fmt *fmt)
{
	step->precision = -1;
	for (;; fmt->pos++) {
		char c = *fmt->pos;

		switch (c) {
		case '#':
			step->alternate = true;
			continue;
		case '-':
			step->left = true;
			continue;
		case '+':
			step->plus = true;
			continue;
		case ' ':
			step->blank = true;
			continue;
		case '0':
			step->zero = true;
			continue;
		case '1' ... '9':
		case '.':
			step->star_is_precision = c == '.' && fmt->pos[1] == '*';
			parse_width(step, fmt);
			fmt->pos--;
			continue;
		case '*':
			if (step->star)
				parse->failed = true;
			else
				step->star = parse_number(parse, next_arg(parse, fmt));
			continue;
		case 'h':
			step->length--;
			continue;
		case 'l':
			step->length++;
			continue;
		case 'L':
			step->length = 2;
			continue;
		case 'z':
		case 'Z':
		case 't':
		case 'j':
			step->length = 1;
			continue;
		case 'p': {
			struct tep_print_arg *arg = next_arg(parse, fmt);

			fmt->pos++;
			fmt->pos += parse_pointer(parse, step, fmt->pos, arg);
			return;
		}
		case 'c':
		case 'd':
		case 'u':
		case 'i':
		case 'x':
		case 'X':
		case 'o':
			step->type = STEP_NUMBER;
			step->conversion = c == 'i' ? 'd' : c;
			if (step->length < -2 || step->length > 2)
				parse->failed = true;
			if (step->length == 1 && parse->long_size == 8)
				step->length = 2;
			step->is_plain = !step->left && !step->zero && !step->alternate && !step->plus &&
					 !step->blank && !step->width && step->precision < 0 && !step->star;
			step->is_zero_hex = c == 'x' && step->zero && !step->left && !step->alternate &&
					    step->precision < 0 && !step->star;
			step->number = parse_number(parse, next_arg(parse, fmt));
			fmt->pos++;
			return;
		case 's':
			step->type = STEP_TEXT;
			step->conversion = c;
			step->is_plain = !step->width && step->precision < 0 && !step->star;
			step->text = parse_text(parse, next_arg(parse, fmt));
			fmt->pos++;
			return;
		default:
			/* Not a conversion that anybody knows: shown as >c<, as libtraceevent does. */
			step->type = STEP_TEXT;
			step->is_plain = true;
			step->text = &no_text;
			if (c) {
				struct tracepoint_text *text = arena_zalloc(parse->arena, sizeof(*text));

				text->type = TEXT_LITERAL;
				set_literal(parse, text, (const char[]){ '>', c, '<', 0 });
				step->text = text;
				fmt->pos++;
			}
			return;
		}
	}
}

/* Literal text up to the next conversion. */
static void parse_literal(struct parse *parse, struct tracepoint_step *step, struct fmt *fmt)
{
	char *text = arena_alloc(parse->arena, strlen(fmt->pos) + 1);
	uint32_t size = 0;

	while (*fmt->pos) {
		char c = *fmt->pos++;

		if (c == '\\' && *fmt->pos) {
			c = *fmt->pos++;
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
		} else if (c == '%') {
			if (*fmt->pos != '%') {
				fmt->pos--;
				break;
			}
			fmt->pos++;
		}
		text[size++] = c;
	}
	text[size] = 0;
	step->before = text;
	step->before_size = size;
}

static struct tracepoint_program *parse_event(struct parse *parse)
{
	struct fmt fmt = { parse->event->print_fmt.format, parse->event->print_fmt.args };
	struct tracepoint_program *program;
	struct tracepoint_step *step;
	size_t room = 1;

	if (!fmt.pos)
		return NULL;
	for (const char *pos = fmt.pos; *pos; pos++)
		room += *pos == '%';
	program = arena_zalloc(parse->arena, sizeof(*program));
	program->steps = step = arena_zalloc(parse->arena, (room + 1) * sizeof(*step));
	program->swap = parse->format->swap;
	program->long_size = (uint8_t)parse->long_size;
	for (;; step++) {
		parse_literal(parse, step, &fmt);
		if (!*fmt.pos)
			break;
		fmt.pos++;
		parse_conversion(parse, step, &fmt);
	}
	step->type = STEP_END;
	return parse->failed ? NULL : program;
}

/* No deeper than any real format: the parser recurses. */
static bool is_sane(const char *text)
{
	const char *fmt = strstr(text, "print fmt:");
	unsigned depth = 0, unary = 0, choices = 0;

	if (!fmt)
		return true;
	if (strlen(fmt) > FMT_SIZE_MAX)
		return false;
	for (; *fmt; fmt++) {
		if (*fmt == '(' || *fmt == '[' || *fmt == '{') {
			if (++depth > FMT_DEPTH_MAX)
				return false;
		} else if ((*fmt == ')' || *fmt == ']' || *fmt == '}') && depth) {
			depth--;
		}
		if (*fmt == '?' && ++choices > FMT_CHOICES_MAX)
			return false;
		if (*fmt && strchr("!~-+*&|<>=", *fmt)) {
			if (++unary > FMT_UNARY_MAX)
				return false;
		} else if (!isspace((unsigned char)*fmt) && *fmt != '(') {
			unary = 0;
		}
	}
	return true;
}

/* "sizeof(TYPE)" at pos: its value, and where it ends; NULL: something else, or a type that is not known. */
static const char *skip_sizeof(const char *pos, unsigned long_size, unsigned *ret_size)
{
	const char *end;
	bool is_signed;

	if (strncmp(pos, "sizeof(", 7) || !(end = strchr(pos, ')')))
		return NULL;
	*ret_size = type_size(pos + 7, (size_t)(end - pos - 7), long_size, &is_signed);
	return *ret_size ? end + 1 : NULL;
}

/*
 * The text with its print fmt written as all versions of the library understand it: older ones know neither sizeof,
 * nor tabs in strings, nor strings in two parts within an argument.
 */
static char *plain_text(const struct tracepoint_format *format, unsigned long_size)
{
	const char *pos = strstr(format->text, "print fmt:");
	struct buf out = BUF_INIT;
	bool in_string = false;

	if (!pos)
		return xstrdup(format->text);
	buf_put(&out, format->text, (size_t)(pos - format->text));
	while (*pos) {
		const char *next;
		unsigned size;

		if (in_string && *pos == '\\' && pos[1]) {
			buf_put(&out, pos, 2);
			pos += 2;
		} else if (*pos == '"') {
			next = pos + 1;
			while (in_string && isspace((unsigned char)*next))
				next++;
			if (in_string && *next == '"') {
				pos = next + 1;
				continue;
			}
			in_string = !in_string;
			buf_putc(&out, *pos++);
		} else if (in_string && *pos == '\t') {
			buf_put(&out, "\\t", 2);
			pos++;
		} else if (!in_string && (next = skip_sizeof(pos, long_size, &size))) {
			buf_u64(&out, size);
			pos = next;
		} else {
			buf_putc(&out, *pos++);
		}
	}
	return buf_text(&out);
}

struct tracepoint_program *tracepoint_parse(const struct tracepoint_format *format, unsigned long_size,
					    struct arena *arena)
{
	struct parse parse = { .format = format, .arena = arena, .long_size = long_size };
	struct tracepoint_program *program = NULL;
	struct tep_handle *tep;
	char *text;

	if (!is_sane(format->text))
		return NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	tep = tep_alloc();
	if (!tep)
		return NULL;
	tep_set_long_size(tep, (int)long_size);
	tep_set_local_bigendian(tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_file_bigendian(tep, (tep_is_bigendian() != 0) != format->swap ? TEP_BIG_ENDIAN
									      : TEP_LITTLE_ENDIAN);
	text = plain_text(format, long_size);
	if (!tep_parse_event(tep, text, strlen(text), format->system))
		parse.event = tep_get_first_event(tep);
	if (parse.event && !(parse.event->flags & (int)TEP_EVENT_FL_FAILED) &&
	    !(parse.event->flags & TEP_EVENT_FL_ISBPRINT))
		program = parse_event(&parse);
	tep_free(tep);
	free(text);
	return program;
}

#else

struct tracepoint_program *tracepoint_parse(const struct tracepoint_format *format, unsigned long_size,
					    struct arena *arena)
{
	(void)format;
	(void)long_size;
	(void)arena;
	return NULL;
}

#endif
