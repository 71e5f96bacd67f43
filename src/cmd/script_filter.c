/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/script_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* Calls take for each word of a comma-separated list. */
static int each_word(struct script_filter *filter, const char *list,
		     int (*take)(struct script_filter *, const char *, struct err *), struct err *err)
{
	char *pos = arena_strdup(&filter->arena, list), *word;

	while ((word = strsep(&pos, ","))) {
		int ret = *word ? take(filter, word, err) : 0;

		if (ret < 0)
			return ret;
	}
	return 0;
}

static int take_comm(struct script_filter *filter, const char *word, struct err *err)
{
	(void)err;
	array_push(&filter->comms, word);
	return 0;
}

static int take_dso(struct script_filter *filter, const char *word, struct err *err)
{
	(void)err;
	array_push(&filter->dsos, word);
	return 0;
}

static int take_symbol(struct script_filter *filter, const char *word, struct err *err)
{
	char *end;
	uint64_t addr = strtoull(word, &end, 16);

	(void)err;
	array_push(&filter->symbols, word);
	if (!*end && end > word)
		array_push(&filter->addrs, addr);
	return 0;
}

static int parse_id(const char *word, const char *what, int32_t *ret_id, struct err *err)
{
	uint64_t value;

	if (number_parse_u64(word, &value) < 0 || value > INT32_MAX)
		return err_set(err, -EINVAL, "%s: '%s' is not a number of a %s", what, word,
			       what[2] == 'p' ? "process" : "thread");
	*ret_id = (int32_t)value;
	return 0;
}

static int take_pid(struct script_filter *filter, const char *word, struct err *err)
{
	int32_t id = 0;
	int ret = parse_id(word, "--pid", &id, err);

	if (!ret)
		array_push(&filter->pids, id);
	return ret;
}

static int take_tid(struct script_filter *filter, const char *word, struct err *err)
{
	int32_t id = 0;
	int ret = parse_id(word, "--tid", &id, err);

	if (!ret)
		array_push(&filter->tids, id);
	return ret;
}

static int take_list(struct script_filter *filter, const char *list, bool *by,
		     int (*take)(struct script_filter *, const char *, struct err *), struct err *err)
{
	*by = list;
	return list ? each_word(filter, list, take, err) : 0;
}

int script_filter_init(struct script_filter *filter, const struct script_filter_options *options,
		       uint64_t first, uint64_t last, struct err *err)
{
	int ret;

	*filter = (struct script_filter){ .addr_range = options->addr_range };
	ret = take_list(filter, options->comms, &filter->by_comm, take_comm, err);
	if (!ret)
		ret = take_list(filter, options->pids, &filter->by_pid, take_pid, err);
	if (!ret)
		ret = take_list(filter, options->tids, &filter->by_tid, take_tid, err);
	if (!ret)
		ret = take_list(filter, options->dsos, &filter->by_dso, take_dso, err);
	if (!ret)
		ret = take_list(filter, options->symbols, &filter->by_symbol, take_symbol, err);
	if (!ret && options->cpus) {
		filter->by_cpu = true;
		ret = cpuset_parse(options->cpus, &filter->cpus, err);
	}
	if (!ret && options->time) {
		filter->by_time = true;
		ret = time_spec_parse(options->time, first, last, &filter->time, err);
	}
	if (ret < 0)
		script_filter_release(filter);
	return ret;
}

void script_filter_release(struct script_filter *filter)
{
	array_release(&filter->comms);
	array_release(&filter->dsos);
	array_release(&filter->symbols);
	array_release(&filter->addrs);
	array_release(&filter->pids);
	array_release(&filter->tids);
	time_spec_release(&filter->time);
	arena_release(&filter->arena);
}

static bool has_word(const char *const *words, size_t nr, const char *text)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(words[i], text))
			return true;
	return false;
}

static bool has_id(const int32_t *ids, size_t nr, int32_t id)
{
	for (size_t i = 0; i < nr; i++)
		if (ids[i] == id)
			return true;
	return false;
}

bool script_filter_takes_task(const struct script_filter *filter, int32_t pid, int32_t tid, const char *comm)
{
	if (filter->by_comm && !has_word(filter->comms.items, filter->comms.nr, comm))
		return false;
	if (filter->by_pid && !has_id(filter->pids.items, filter->pids.nr, pid))
		return false;
	return !filter->by_tid || has_id(filter->tids.items, filter->tids.nr, tid);
}

bool script_filter_takes_place(const struct script_filter *filter, uint64_t addr, const char *dso_path,
			       const char *dso_name, const char *symbol)
{
	if (filter->by_dso && !(dso_path && (has_word(filter->dsos.items, filter->dsos.nr, dso_path) ||
					     has_word(filter->dsos.items, filter->dsos.nr, dso_name))))
		return false;
	if (!filter->by_symbol || (symbol && has_word(filter->symbols.items, filter->symbols.nr, symbol)))
		return true;
	for (size_t i = 0; i < filter->addrs.nr; i++)
		if (addr - filter->addrs.items[i] <= filter->addr_range)
			return true;
	return false;
}
