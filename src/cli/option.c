/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of command lines over option rows. See the header for what it accepts.
 *
 * A row is looked for over all tables of the spec; nothing is built beforehand, for a command line has few words and a
 * start must be quick. How an option was spelt ("option `freq'", "switch `F'") goes into the words of every error,
 * since that is what the user can find on his line.
 */
#include "cli/option.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "cli/suggest.h"

/* An option as it was found: its row and table, and whether this spelling takes it back. */
struct found {
	const struct option_set *set;
	const struct option_row *row;
	bool unset;
};

struct parser {
	const struct option_spec *spec;
	char *options;
	char **argv; /* words still to be read */
	char **end;
	struct option_outcome *outcome;
	char spelt[128]; /* "option `freq'" */
};

bool option_has_arg(const struct option_row *row)
{
	switch (row->type) {
	case OPTION_TYPE_NONE:
	case OPTION_TYPE_FLAG:
	case OPTION_TYPE_COUNTER:
		return false;
	case OPTION_TYPE_CALLBACK:
		return row->arg != NULL;
	default:
		return true;
	}
}

static bool arg_is_optional(const struct option_row *row)
{
	return row->flags & (OPTION_OPTIONAL | OPTION_OPTIONAL_WORD);
}

void option_strings_release(struct option_strings *strings)
{
	array_release(strings);
}

int option_each(const struct option_spec *spec,
		int (*visit)(const struct option_set *set, const struct option_row *row, void *context),
		void *context)
{
	for (size_t s = 0; s < NR_ITEMS(spec->sets) && spec->sets[s].rows; s++) {
		const struct option_set *set = &spec->sets[s];

		for (size_t i = 0; i < set->nr; i++) {
			int ret;

			if (set->rows[i].type == OPTION_TYPE_NONE)
				continue;
			ret = visit(set, &set->rows[i], context);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int parse_flag_text(const char *text, bool *ret)
{
	static const struct option_choice words[] = {
		{ "true", 1 }, { "yes", 1 }, { "on", 1 }, { "1", 1 }, { "false", 0 },
		{ "no", 0 },   { "off", 0 }, { "0", 0 },  { "", 0 },
	};

	for (size_t i = 0; i < NR_ITEMS(words); i++)
		if (!strcasecmp(text, words[i].name)) {
			*ret = words[i].value;
			return 0;
		}
	return -EINVAL;
}

static int parse_choice(int *field, const struct option_row *row, const char *arg, struct err *err)
{
	struct suggest suggest = { .wanted = arg };
	char names[512] = "";

	for (const struct option_choice *choice = row->choices; choice->name; choice++) {
		size_t used = strlen(names);

		if (!strcmp(arg, choice->name)) {
			*field = choice->value;
			return 0;
		}
		suggest_offer(&suggest, choice->name);
		snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", choice->name);
	}
	err_set(err, -EINVAL, "'%s' is none of: %s", arg, names);
	if (suggest.nr)
		err_hint(err, "Did you mean '%s'?", suggest.names[0]);
	return -EINVAL;
}

static int parse_number(void *field, const struct option_row *row, const char *arg, struct err *err)
{
	uint64_t unsigned_value = 0;
	int64_t signed_value;
	int ret;

	switch (row->type) {
	case OPTION_TYPE_INT:
		ret = number_parse_i64(arg, &signed_value);
		if (!ret && (signed_value < INT_MIN || signed_value > INT_MAX))
			ret = -ERANGE;
		if (!ret)
			*(int *)field = (int)signed_value;
		break;
	case OPTION_TYPE_UINT:
		ret = number_parse_u64(arg, &unsigned_value);
		if (!ret && unsigned_value > UINT_MAX)
			ret = -ERANGE;
		if (!ret)
			*(unsigned *)field = (unsigned)unsigned_value;
		break;
	case OPTION_TYPE_U64:
		ret = number_parse_u64(arg, field);
		break;
	case OPTION_TYPE_DOUBLE:
		ret = number_parse_double(arg, field);
		break;
	default:
		abort();
	}
	if (ret == -ERANGE)
		return err_set(err, ret, "the number '%s' is out of range", arg);
	if (ret)
		return err_set(err, ret, "expects a numerical value, not '%s'", arg);
	return 0;
}

static int set_value(void *field, const struct option_row *row, const char *arg, struct err *err)
{
	struct option_strings *strings = field;

	switch (row->type) {
	case OPTION_TYPE_FLAG:
		*(bool *)field = true;
		return 0;
	case OPTION_TYPE_COUNTER:
		++*(unsigned *)field;
		return 0;
	case OPTION_TYPE_STRING:
		*(const char **)field = arg;
		return 0;
	case OPTION_TYPE_STRINGS:
		array_push(strings, arg);
		return 0;
	case OPTION_TYPE_SIZE:
		if (number_parse_size(arg, field))
			return err_set(err, -EINVAL, "expects a size like 4096, 512K or 1M, not '%s'", arg);
		return 0;
	case OPTION_TYPE_DURATION:
		if (number_parse_duration(arg, row->unit_ns ? row->unit_ns : 1000000, field))
			return err_set(err, -EINVAL, "expects a time like 100, 100ms or 1.5s, not '%s'", arg);
		return 0;
	case OPTION_TYPE_CHOICE:
		return parse_choice(field, row, arg, err);
	default:
		return parse_number(field, row, arg, err);
	}
}

/* What --no-X leaves behind: nothing of the value. */
static void unset_value(void *field, const struct option_row *row)
{
	switch (row->type) {
	case OPTION_TYPE_FLAG:
		*(bool *)field = false;
		break;
	case OPTION_TYPE_COUNTER:
	case OPTION_TYPE_UINT:
		*(unsigned *)field = 0;
		break;
	case OPTION_TYPE_INT:
	case OPTION_TYPE_CHOICE:
		*(int *)field = 0;
		break;
	case OPTION_TYPE_DOUBLE:
		*(double *)field = 0;
		break;
	case OPTION_TYPE_STRING:
		*(const char **)field = NULL;
		break;
	case OPTION_TYPE_STRINGS:
		array_clear((struct option_strings *)field);
		break;
	case OPTION_TYPE_U64:
	case OPTION_TYPE_SIZE:
	case OPTION_TYPE_DURATION:
		*(uint64_t *)field = 0;
		break;
	case OPTION_TYPE_NONE:
	case OPTION_TYPE_CALLBACK:
		break;
	}
}

static int apply(const struct option_set *set, const struct option_row *row, char *options, const char *arg,
		 bool unset, struct err *err)
{
	char *base = options + set->at;
	void *field = base + row->offset;
	int ret = 0;

	if (!arg && !unset && arg_is_optional(row))
		arg = row->absent;
	if (row->type == OPTION_TYPE_CALLBACK)
		ret = row->parse(field, row, arg, unset, err);
	else if (unset)
		unset_value(field, row);
	else if (arg || !option_has_arg(row))
		ret = set_value(field, row, arg, err);
	if (ret >= 0 && row->seen)
		*(bool *)(base + row->seen - 1) = true;
	return ret < 0 ? ret : 0;
}

int option_apply(const struct option_set *set, const struct option_row *row, void *options, const char *text,
		 struct err *err)
{
	bool on = true;
	uint64_t level;

	if (row->type == OPTION_TYPE_COUNTER && text && !number_parse_u64(text, &level) &&
	    level <= UINT_MAX) {
		*(unsigned *)((char *)options + set->at + row->offset) = (unsigned)level;
		return 0;
	}
	if (!option_has_arg(row)) {
		if (text && parse_flag_text(text, &on))
			return err_set(err, -EINVAL, "expects true or false, not '%s'", text);
		return apply(set, row, options, NULL, !on, err);
	}
	if (!text)
		return err_set(err, -EINVAL, "requires a value");
	return apply(set, row, options, text, false, err);
}

static int fail(struct parser *parser, const struct option_row *row, const char *what)
{
	parser->outcome->result = OPTION_RESULT_ERROR;
	parser->outcome->row = row;
	return err_set(&parser->outcome->err, -EINVAL, "%s %s", parser->spelt, what);
}

static void put_in_front(struct err *err, const char *words)
{
	char text[sizeof(err->text)];

	memcpy(text, err->text, sizeof(text));
	snprintf(err->text, sizeof(err->text), "%s %.*s", words, (int)(sizeof(text) - 256), text);
}

/* Gives the found option its value, arg, and puts how it was spelt in front of any complaint. */
static int accept(struct parser *parser, const struct found *found, const char *arg)
{
	struct err *err = &parser->outcome->err;
	int ret = apply(found->set, found->row, parser->options, arg, found->unset, err);

	if (ret < 0) {
		parser->outcome->result = OPTION_RESULT_ERROR;
		parser->outcome->row = found->row;
		/* Our own words go on from the option's name; those of others stand by themselves. */
		if (found->row->type != OPTION_TYPE_CALLBACK)
			put_in_front(err, parser->spelt);
		else if (!strchr(err->text, '\n'))
			err_prefix(err, "%s", parser->spelt);
	}
	return ret;
}

/* The argument of a found option: `attached` ("=value" or "value" behind it), or the next word. */
static int accept_with_arg(struct parser *parser, const struct found *found, const char *attached)
{
	const struct option_row *row = found->row;

	if (found->unset || !option_has_arg(row))
		return attached ? fail(parser, row, "takes no value") : accept(parser, found, NULL);
	if (attached || row->flags & OPTION_OPTIONAL)
		return accept(parser, found, attached);
	if (row->flags & OPTION_OPTIONAL_WORD && (parser->argv == parser->end || parser->argv[0][0] == '-'))
		return accept(parser, found, NULL);
	if (parser->argv == parser->end)
		return fail(parser, row, "requires a value");
	return accept(parser, found, *parser->argv++);
}

/* How well a row answers to a long name. */
enum match { MATCH_NONE, MATCH_PREFIX, MATCH_EXACT };

static enum match match_name(const char *full, const char *text, size_t size)
{
	if (strncmp(full, text, size))
		return MATCH_NONE;
	return full[size] ? MATCH_PREFIX : MATCH_EXACT;
}

/* Also as --no-X of a row X, and as --X of a row no-X. */
static enum match match_row(const struct option_row *row, const char *text, size_t size, bool *ret_unset)
{
	enum match match;

	*ret_unset = false;
	if (!row->name)
		return MATCH_NONE;
	match = match_name(row->name, text, size);
	if (match != MATCH_NONE || row->flags & OPTION_NO_NEGATION)
		return match;
	*ret_unset = true;
	if (!strncmp(row->name, "no-", 3))
		return match_name(row->name + 3, text, size);
	if (size > 3 && !strncmp(text, "no-", 3))
		return match_name(row->name, text + 3, size - 3);
	return MATCH_NONE;
}

static bool same_option(const struct found *a, const struct found *b)
{
	return a->set->at + a->row->offset == b->set->at + b->row->offset && a->row->type == b->row->type &&
	       a->row->parse == b->row->parse && a->row->value == b->row->value && a->unset == b->unset;
}

/* Finds the row a long name (of size bytes) means. 0, -ENOENT, or -EINVAL when it could be several (said). */
static int find_long(struct parser *parser, const char *text, size_t size, struct found *ret)
{
	const struct option_spec *spec = parser->spec;
	struct found other = { 0 };

	*ret = (struct found){ 0 };
	if (!size)
		return -ENOENT;
	for (size_t s = 0; s < NR_ITEMS(spec->sets) && spec->sets[s].rows; s++) {
		const struct option_set *set = &spec->sets[s];

		for (size_t i = 0; i < set->nr; i++) {
			struct found now = { set, &set->rows[i], false };
			enum match match = match_row(now.row, text, size, &now.unset);

			if (match == MATCH_EXACT) {
				*ret = now;
				return 0;
			}
			/* Nobody abbreviates a name he has not been told of. */
			if (match == MATCH_NONE || now.row->flags & OPTION_HIDDEN)
				continue;
			if (!ret->row)
				*ret = now;
			else if (!other.row && !same_option(ret, &now))
				other = now;
		}
	}
	if (!ret->row)
		return -ENOENT;
	if (other.row) {
		parser->outcome->result = OPTION_RESULT_ERROR;
		parser->outcome->row = ret->row;
		return err_set(&parser->outcome->err, -EINVAL,
			       "Ambiguous option: %.*s (could be --%s%s or --%s%s)", (int)size, text,
			       ret->unset ? "no-" : "", ret->row->name, other.unset ? "no-" : "",
			       other.row->name);
	}
	return 0;
}

static bool find_short(struct parser *parser, char name, struct found *ret)
{
	const struct option_spec *spec = parser->spec;

	for (size_t s = 0; s < NR_ITEMS(spec->sets) && spec->sets[s].rows; s++)
		for (size_t i = 0; i < spec->sets[s].nr; i++)
			if (spec->sets[s].rows[i].short_name == name && name) {
				*ret = (struct found){ &spec->sets[s], &spec->sets[s].rows[i], false };
				return true;
			}
	return false;
}

struct offer {
	struct suggest suggest;
	const struct option_row *row; /* of the first name kept */
};

static int offer_row(const struct option_set *set, const struct option_row *row, void *context)
{
	struct offer *offer = context;
	const char *first = offer->suggest.nr ? offer->suggest.names[0] : NULL;

	(void)set;
	if (!row->name || row->flags & OPTION_HIDDEN)
		return 0;
	suggest_offer(&offer->suggest, row->name);
	if (offer->suggest.nr && offer->suggest.names[0] != first)
		offer->row = row;
	return 0;
}

static int fail_unknown(struct parser *parser, const char *name, size_t size)
{
	struct option_outcome *outcome = parser->outcome;
	char wanted[64];
	struct offer offer = { .suggest.wanted = wanted };

	outcome->result = OPTION_RESULT_ERROR;
	outcome->unknown = true;
	err_set(&outcome->err, -EINVAL, "unknown option `%.*s'", (int)size, name);
	if (size >= sizeof(wanted))
		return -EINVAL;
	memcpy(wanted, name, size);
	wanted[size] = '\0';
	option_each(parser->spec, offer_row, &offer);
	if (!offer.suggest.nr && !strncmp(wanted, "no-", 3)) {
		offer.suggest.wanted = wanted + 3;
		option_each(parser->spec, offer_row, &offer);
	}
	for (size_t i = 0; i < offer.suggest.nr; i++)
		err_hint(&outcome->err, "%s--%s%s%s", i ? "             or " : "Did you mean ",
			 offer.suggest.wanted == wanted ? "" : "no-", offer.suggest.names[i],
			 i + 1 == offer.suggest.nr ? "?" : "");
	outcome->row = offer.row;
	return -EINVAL;
}

static int parse_long(struct parser *parser, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t size = equals ? (size_t)(equals - word) : strlen(word);
	struct found found;
	int ret;

	ret = find_long(parser, word, size, &found);
	if (ret == -ENOENT) {
		if (!strcmp(word, "help"))
			parser->outcome->result = OPTION_RESULT_MANUAL;
		else if (!strcmp(word, "list-opts"))
			parser->outcome->result = OPTION_RESULT_LIST;
		else
			return fail_unknown(parser, word, size);
		return -EINVAL;
	}
	if (ret < 0)
		return ret;
	snprintf(parser->spelt, sizeof(parser->spelt), "option `%s%s'",
		 found.unset && strncmp(found.row->name, "no-", 3) ? "no-" : "",
		 found.row->name + (found.unset && !strncmp(found.row->name, "no-", 3) ? 3 : 0));
	return accept_with_arg(parser, &found, equals ? equals + 1 : NULL);
}

/* The letters behind one '-': flags, of which the last may take the rest of the word as its argument. */
static int parse_cluster(struct parser *parser, const char *word)
{
	while (*word) {
		struct found found;
		const char *attached;
		int ret;

		if (!find_short(parser, *word, &found)) {
			if (*word == 'h') {
				parser->outcome->result = OPTION_RESULT_HELP;
				return -EINVAL;
			}
			parser->outcome->result = OPTION_RESULT_ERROR;
			parser->outcome->unknown = true;
			return err_set(&parser->outcome->err, -EINVAL, "unknown switch `%c'", *word);
		}
		snprintf(parser->spelt, sizeof(parser->spelt), "switch `%c'", *word);
		word++;
		if (!option_has_arg(found.row)) {
			ret = accept(parser, &found, NULL);
			if (ret < 0)
				return ret;
			continue;
		}
		attached = *word ? word : NULL;
		if (attached && *attached == '=' && arg_is_optional(found.row))
			attached++;
		return accept_with_arg(parser, &found, attached);
	}
	return 0;
}

int option_parse(const struct option_spec *spec, void *options, int argc, char **argv,
		 struct option_outcome *ret)
{
	struct parser parser = { spec, options, argv + 1, argv + argc, ret, "" };
	int nr = 0, status = 0;

	*ret = (struct option_outcome){ .result = OPTION_RESULT_OK };
	while (parser.argv < parser.end) {
		char *word = *parser.argv;

		if (word[0] != '-' || !word[1]) {
			if (spec->flags & OPTION_STOP_AT_WORD)
				break;
			argv[nr++] = *parser.argv++;
			continue;
		}
		parser.argv++;
		if (!strcmp(word, "--"))
			break;
		status = word[1] == '-' ? parse_long(&parser, word + 2) : parse_cluster(&parser, word + 1);
		if (status < 0)
			break;
	}
	/* Of a line in error only the words behind -h are of interest. */
	if (status < 0)
		nr = 0;
	while (parser.argv < parser.end)
		argv[nr++] = *parser.argv++;
	argv[nr] = NULL;
	return status < 0 ? -EINVAL : nr;
}
