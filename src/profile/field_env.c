/* SPDX-License-Identifier: Apache-2.0 */
/* What getters share: names of DSOs, and which frames are one function. */
#include "profile/field_value.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/xalloc.h"

typedef const struct field_use use_t;
typedef struct field_env env_t;

/*
 * Frames of one function: the same DSO name and start. With frames per address there are many to a function, and
 * files that are mapped under several paths (a library in three containers) are several DSOs. Those of one name may
 * also be of several builds (a program that was replaced during the recording): then the function's name decides.
 */
static uint64_t function_start(const struct field_env *env, uint32_t frame)
{
	return env->by_address ? field_place_symbol(env, frame).start
			       : env->profile->frames.items[frame].offset;
}

static bool is_same_name(const struct profile *profile, const struct frame *a, const struct frame *b)
{
	struct symbol x, y;

	if (a->dso == b->dso || a->symbol == SYMBOL_NONE || !profile->symbolizer)
		return true;
	x = symbolizer_symbol(profile->symbolizer, (struct dso_id){ a->dso }, a->symbol);
	y = symbolizer_symbol(profile->symbolizer, (struct dso_id){ b->dso }, b->symbol);
	return x.name_size == y.name_size && !memcmp(x.name, y.name, x.name_size);
}

static void find_functions(struct field_env *env)
{
	const struct profile *profile = env->profile;
	struct hash_index index;

	hash_index_init(&index, (uint32_t)profile->frames.nr);
	for (uint32_t i = 0; i < profile->frames.nr; i++) {
		const struct frame *frame = &profile->frames.items[i];
		uint32_t name = env->dso_name[frame->dso], other, pos;
		bool named = frame->symbol != SYMBOL_NONE;
		uint64_t start = function_start(env, i);
		uint64_t hash = hash_pair(start, (uint64_t)name << 1 | named);

		pos = hash_index_start(&index, hash);
		while ((other = hash_index_next(&index, hash, &pos)) != HASH_NONE) {
			const struct frame *seen = &profile->frames.items[other];

			if (env->dso_name[seen->dso] == name && (seen->symbol != SYMBOL_NONE) == named &&
			    function_start(env, other) == start && is_same_name(profile, frame, seen))
				break;
		}
		if (other == HASH_NONE)
			hash_index_insert(&index, hash, i);
		env->function[i] = other == HASH_NONE ? i : other;
	}
	hash_index_release(&index);
}

void field_env_init(struct field_env *env, const struct profile *profile, bool by_address, bool verbose)
{
	uint32_t nr_dsos = 1;

	*env = (struct field_env){
		.profile = profile, .by_address = by_address, .verbose = verbose, .scratch = BUF_INIT
	};
	intern_init(&env->texts);
	if (profile->machine)
		nr_dsos = machine_nr_dsos(profile->machine);
	env->dso_name = xcalloc(nr_dsos + 1, sizeof(*env->dso_name));
	for (uint32_t i = 0; i < nr_dsos; i++) {
		const struct dso *dso = profile->machine ? machine_dso(profile->machine, (struct dso_id){ i })
							 : NULL;

		env->dso_name[i] = intern_string(&env->texts, !dso || !i ? "[unknown]"
							      : verbose	 ? dso->path
									 : dso->name)
					   .v;
	}
	env->function = xcalloc(profile->frames.nr + 1, sizeof(*env->function));
	find_functions(env);
}

void field_env_release(struct field_env *env)
{
	intern_release(&env->texts);
	buf_release(&env->scratch);
	free(env->function);
	free(env->dso_name);
	free(env->srcline);
	free(env->srcfile);
}
