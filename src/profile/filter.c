/* SPDX-License-Identifier: Apache-2.0 */
/* The masks behind filter.h, and the words and regular expressions that make them. */
#include "profile/filter.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/xalloc.h"

#define LIST_FILE "file://"
#define LIST_FILE_LIMIT (64u << 20)

/* A set of words: the first ids of an intern table; those that were only asked for come behind. */
struct word_set {
	struct intern words;
	uint32_t last;
};

static int list_add_file(struct intern *set, const char *path, struct err *err)
{
	struct buf buf = BUF_INIT;
	int result = file_read_path(path, &buf, LIST_FILE_LIMIT);
	char *rest, *line;

	if (result < 0) {
		buf_release(&buf);
		return err_errno(err, result, "%s", path);
	}
	rest = buf_text(&buf);
	while ((line = strsep(&rest, "\n"))) {
		size_t size = strcspn(line, "\r");

		if (size)
			intern_bytes(set, line, size);
	}
	buf_release(&buf);
	return 0;
}

static int list_parse(struct word_set *set, const char *list, struct err *err)
{
	char *copy = xstrdup(list), *rest = copy, *word;
	int result = 0;

	intern_init(&set->words);
	while (!result && (word = strsep(&rest, ","))) {
		if (!strncmp(word, LIST_FILE, strlen(LIST_FILE)))
			result = list_add_file(&set->words, word + strlen(LIST_FILE), err);
		else if (*word)
			intern_string(&set->words, word);
	}
	set->last = (uint32_t)set->words.rows.nr - 1;
	free(copy);
	return result;
}

static bool list_has(struct word_set *set, const char *text)
{
	uint32_t id = intern_string(&set->words, text).v;

	return id && id <= set->last;
}

bool filter_list_is_single(const char *list)
{
	return list && *list && !strchr(list, ',') && strncmp(list, LIST_FILE, strlen(LIST_FILE)) != 0;
}

static int numbers_parse(const char *list, const char *what, int32_t **ret_numbers, size_t *ret_nr,
			 struct err *err)
{
	char *copy = xstrdup(list), *rest = copy, *word;
	ARRAY(int32_t) numbers = { 0 };
	int result = 0;

	while (!result && (word = strsep(&rest, ","))) {
		int64_t value;

		if (number_parse_i64(word, &value) < 0 || value < -1 || value > INT32_MAX)
			result = err_set(err, -EINVAL, "'%s' is not a %s", word, what);
		else
			array_push(&numbers, (int32_t)value);
	}
	free(copy);
	*ret_numbers = numbers.items;
	*ret_nr = numbers.nr;
	return result;
}

static void keep_numbers(struct filter *filter, const int32_t *numbers, size_t nr, bool tids)
{
	for (size_t i = 0; i < filter->profile->threads.nr; i++) {
		const struct profile_thread *thread = &filter->profile->threads.items[i];
		bool found = false;

		for (size_t k = 0; k < nr; k++)
			found |= numbers[k] == (tids ? thread->tid : thread->pid);
		filter->thread[i] &= found;
	}
}

static int filter_numbers(struct filter *filter, const char *list, bool tids, struct err *err)
{
	int32_t *numbers;
	size_t nr;
	int result;

	if (!list)
		return 0;
	result = numbers_parse(list, tids ? "thread id" : "process id", &numbers, &nr, err);
	if (!result)
		keep_numbers(filter, numbers, nr, tids);
	free(numbers);
	return result;
}

static int filter_comms(struct filter *filter, const char *list, struct err *err)
{
	struct word_set set;
	int result;

	if (!list)
		return 0;
	result = list_parse(&set, list, err);
	for (size_t i = 0; !result && i < filter->profile->threads.nr; i++)
		filter->thread[i] &= list_has(&set, intern_text(&filter->profile->strings,
								filter->profile->threads.items[i].comm));
	intern_release(&set.words);
	return result;
}

static int filter_dsos(struct filter *filter, const char *list, struct err *err)
{
	struct word_set set;
	int result;

	if (!list)
		return 0;
	result = list_parse(&set, list, err);
	for (uint32_t i = 0; !result && i < filter->profile->frames.nr; i++) {
		const struct dso *dso = profile_frame_dso(filter->profile, i);

		filter->frame[i] &= dso && filter->profile->frames.items[i].dso
					    ? list_has(&set, dso->name) || list_has(&set, dso->path)
					    : list_has(&set, "[unknown]");
	}
	intern_release(&set.words);
	return result;
}

static int filter_symbols(struct filter *filter, const char *list, struct err *err)
{
	struct word_set set;
	int result;

	if (!list)
		return 0;
	result = list_parse(&set, list, err);
	for (uint32_t i = 0; !result && i < filter->profile->frames.nr; i++) {
		const char *name = profile_frame_name(filter->profile, i);

		filter->frame[i] &= name && list_has(&set, name);
	}
	intern_release(&set.words);
	return result;
}

static void filter_symbol_part(struct filter *filter, const char *part)
{
	for (uint32_t i = 0; part && i < filter->profile->frames.nr; i++) {
		const char *name = profile_frame_name(filter->profile, i);

		filter->frame[i] &= name && strstr(name, part);
	}
}

/* Which frames' names match; NULL with an error. */
static uint8_t *match_frames(const struct profile *profile, const char *pattern, struct err *err)
{
	uint8_t *matches;
	regex_t regex;
	int result = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (result) {
		char text[200];

		regerror(result, &regex, text, sizeof(text));
		err_set(err, -EINVAL, "Invalid regex: %s: %s", pattern, text);
		return NULL;
	}
	matches = xcalloc(profile->frames.nr + 1, 1);
	for (uint32_t i = 0; i < profile->frames.nr; i++) {
		const char *name = profile_frame_name(profile, i);

		matches[i] = name && !regexec(&regex, name, 0, NULL, 0);
	}
	regfree(&regex);
	return matches;
}

static int find_parents(struct filter *filter, const struct filter_options *options, struct err *err)
{
	const struct profile *profile = filter->profile;
	const char *pattern = options->parent ? options->parent : "^sys_|^do_page_fault";
	uint8_t *matches = match_frames(profile, pattern, err);

	if (!matches)
		return -EINVAL;
	filter->stack_parent = xcalloc(profile->stacks.nr + 1, sizeof(*filter->stack_parent));
	for (uint32_t i = 1; i < profile->stacks.nr; i++) {
		const struct stack *stack = &profile->stacks.items[i];
		uint32_t above = filter->stack_parent[stack->parent];

		if (matches[stack->frame] && !(options->caller_first && above))
			filter->stack_parent[i] = 1 + filter->env->function[stack->frame];
		else
			filter->stack_parent[i] = above;
	}
	free(matches);
	return 0;
}

/* The outermost function that matches is where a stack ends. */
static int cut_callees(struct filter *filter, const char *pattern, struct err *err)
{
	const struct profile *profile = filter->profile;
	uint8_t *matches = match_frames(profile, pattern, err), *ended;

	if (!matches)
		return -EINVAL;
	filter->stack_cut = xcalloc(profile->stacks.nr + 1, sizeof(*filter->stack_cut));
	ended = xcalloc(profile->stacks.nr + 1, 1);
	for (uint32_t i = 1; i < profile->stacks.nr; i++) {
		const struct stack *stack = &profile->stacks.items[i];

		ended[i] = ended[stack->parent] || matches[stack->frame];
		filter->stack_cut[i] = ended[stack->parent] ? filter->stack_cut[stack->parent] : i;
	}
	free(ended);
	free(matches);
	return 0;
}

static uint8_t *all_pass(size_t nr)
{
	uint8_t *mask = xmalloc(nr + 1);

	memset(mask, 1, nr + 1);
	return mask;
}

int filter_init(struct filter *filter, struct field_env *env, const struct filter_options *options,
		struct err *err)
{
	const struct profile *profile = env->profile;
	int result = 0;

	*filter = (struct filter){ .profile = profile,
				   .env = env,
				   .exclude_other = options->exclude_other,
				   .hide_unresolved = options->hide_unresolved,
				   .socket = options->socket,
				   .parallelism = options->parallelism };
	if (options->comms || options->pids || options->tids) {
		filter->thread = all_pass(profile->threads.nr);
		result = filter_comms(filter, options->comms, err);
		if (!result)
			result = filter_numbers(filter, options->pids, false, err);
		if (!result)
			result = filter_numbers(filter, options->tids, true, err);
	}
	if (!result && (options->dsos || options->symbols || options->symbol_part)) {
		filter->frame = all_pass(profile->frames.nr);
		result = filter_dsos(filter, options->dsos, err);
		if (!result)
			result = filter_symbols(filter, options->symbols, err);
		filter_symbol_part(filter, options->symbol_part);
	}
	if (!result && (options->need_parent || options->exclude_other))
		result = find_parents(filter, options, err);
	if (!result && options->ignore_callees)
		result = cut_callees(filter, options->ignore_callees, err);
	env->stack_parent = filter->stack_parent;
	return result;
}

void filter_release(struct filter *filter)
{
	free(filter->thread);
	free(filter->frame);
	free(filter->stack_parent);
	free(filter->stack_cut);
}

bool filter_drops(const struct filter *filter, const struct profile_row *row)
{
	return filter->hide_unresolved &&
	       filter->profile->frames.items[filter_self(filter, row)].symbol == SYMBOL_NONE;
}

bool filter_passes(const struct filter *filter, const struct profile_row *row)
{
	if (filter->thread && !filter->thread[row->thread])
		return false;
	if (filter->frame && !filter->frame[filter_self(filter, row)])
		return false;
	if (filter->exclude_other && !filter->stack_parent[row->stack])
		return false;
	if (filter->socket >= 0) {
		uint64_t cpu = profile_extra_value(filter->profile, row->extra, PROFILE_EXTRA_CPU);

		if (!filter->env->cpu_socket || cpu >= filter->env->nr_cpu_sockets ||
		    filter->env->cpu_socket[cpu] != filter->socket)
			return false;
	}
	if (filter->parallelism &&
	    !cpuset_has(filter->parallelism, (uint32_t)profile_extra_value(filter->profile, row->extra,
									   PROFILE_EXTRA_PARALLELISM)))
		return false;
	return true;
}
