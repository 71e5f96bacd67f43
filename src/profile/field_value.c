/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are texts or plain numbers. */
#include "profile/field_value.h"

#include <string.h>

typedef const struct field_use use_t;
typedef struct field_env env_t;

uint64_t field_value_intern(env_t *env, const char *text)
{
	return intern_string(&env->texts, text).v;
}

const char *field_value_text(const env_t *env, uint64_t value)
{
	return intern_text(&env->texts, (struct str_id){ (uint32_t)value });
}

void field_value_print_text(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)use;
	buf_str(buf, field_value_text(env, value));
}

const char *field_value_text_of_value(const env_t *env, use_t *use, uint64_t value)
{
	(void)use;
	return field_value_text(env, value);
}

int field_value_compare_text(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	(void)use;
	return strcmp(field_value_text(env, a), field_value_text(env, b));
}

void field_value_print_number(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)env, (void)use;
	buf_u64(buf, value);
}
