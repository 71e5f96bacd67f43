/* SPDX-License-Identifier: Apache-2.0 */
/* --time: see time_spec.h for what can be said. */
#include "profile/time_spec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/xalloc.h"

bool time_spec_is_share(const char *text)
{
	return strchr(text, '%') != NULL;
}

static int wrong(const char *word, struct err *err)
{
	err_set(err, -EINVAL, "Invalid time string: '%s'", word);
	err_hint(err,
		 "START,STOP in seconds (either may be left out), 10%%/2 for the second tenth, or 0%%-10%%");
	return -EINVAL;
}

static int parse_range(char *word, uint64_t last, struct time_range *ret)
{
	char *comma = strchr(word, ',');

	*ret = (struct time_range){ 0, last > PROFILE_NO_LIMIT - 1 ? last : PROFILE_NO_LIMIT - 1 };
	if (comma)
		*comma = '\0';
	if (*word && number_parse_timestamp(word, &ret->first) < 0)
		return -EINVAL;
	if (comma && comma[1] && number_parse_timestamp(comma + 1, &ret->last) < 0)
		return -EINVAL;
	return ret->first <= ret->last && (*word || comma) ? 0 : -EINVAL;
}

/* "12.5%" at *text, which moves behind the sign. */
static int parse_percent(const char **text, double *ret)
{
	char *end;

	*ret = strtod(*text, &end);
	if (end == *text || *end != '%' || !(*ret >= 0 && *ret <= 100))
		return -EINVAL;
	*text = end + 1;
	return 0;
}

static int parse_share(const char *word, uint64_t first, uint64_t last, struct time_range *ret)
{
	double from, to, whole = (double)(last - first);
	char *end;

	if (parse_percent(&word, &from) < 0)
		return -EINVAL;
	if (*word == '/') {
		unsigned long nth = strtoul(word + 1, &end, 10);

		if (end == word + 1 || *end || !nth || (double)nth * from > 100.0001)
			return -EINVAL;
		to = from * (double)nth;
		from = from * (double)(nth - 1);
	} else if (*word == '-') {
		word++;
		if (parse_percent(&word, &to) < 0 || *word || to < from)
			return -EINVAL;
	} else {
		return -EINVAL;
	}
	ret->first = first + (uint64_t)llround(whole * from / 100);
	ret->last = first + (uint64_t)llround(whole * to / 100);
	if (ret->last > last)
		ret->last = last;
	return 0;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct time_range *a = left, *b = right;

	return a->first < b->first ? -1 : a->first > b->first;
}

/* In order and without overlap, so that a sample is looked for once. */
static void tidy(struct time_spec *spec)
{
	size_t nr = 0;

	qsort(spec->ranges.items, spec->ranges.nr, sizeof(*spec->ranges.items), compare_ranges);
	for (size_t i = 0; i < spec->ranges.nr; i++) {
		struct time_range *range = &spec->ranges.items[i];

		if (nr && range->first <= spec->ranges.items[nr - 1].last) {
			if (range->last > spec->ranges.items[nr - 1].last)
				spec->ranges.items[nr - 1].last = range->last;
		} else {
			spec->ranges.items[nr++] = *range;
		}
	}
	spec->ranges.nr = nr;
}

int time_spec_parse(const char *text, uint64_t first, uint64_t last, struct time_spec *ret_spec,
		    struct err *err)
{
	bool share = time_spec_is_share(text);
	char *copy = xstrdup(text), *rest = copy, *word;
	int result = 0;

	*ret_spec = (struct time_spec){ 0 };
	if (share && first > last) {
		free(copy);
		return err_set(err, -EINVAL, "--time %s: the recording has no time stamps", text);
	}
	while (!result && (word = strsep(&rest, share ? ", " : " "))) {
		struct time_range range;

		if (!*word)
			continue;
		result = share ? parse_share(word, first, last, &range) : parse_range(word, last, &range);
		if (result)
			wrong(text, err);
		else
			array_push(&ret_spec->ranges, range);
	}
	free(copy);
	if (!result && !ret_spec->ranges.nr)
		result = wrong(text, err);
	if (result)
		time_spec_release(ret_spec);
	else
		tidy(ret_spec);
	return result;
}

void time_spec_release(struct time_spec *spec)
{
	array_release(&spec->ranges);
}
