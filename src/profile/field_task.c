/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that ask who ran: comm, pid, tgid. */
#include "profile/field_value.h"

#include <string.h>

typedef const struct field_use use_t;
typedef struct field_env env_t;

/* A comm nobody told is known by its thread: the value is then the tid with the high bit set. */
#define COMM_UNKNOWN (1ull << 63)

uint64_t field_value_comm_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	const struct profile_thread *thread = &env->profile->threads.items[row->thread];

	(void)use;
	return thread->comm.v ? thread->comm.v : COMM_UNKNOWN | (uint32_t)thread->tid;
}

void field_value_comm_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	(void)use;
	if (value & COMM_UNKNOWN) {
		buf_putc(buf, ':');
		buf_i64(buf, (int32_t)value);
	} else {
		buf_str(buf, intern_text(&env->profile->strings, (struct str_id){ (uint32_t)value }));
	}
}

int field_value_comm_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	(void)use;
	if ((a | b) & COMM_UNKNOWN)
		return a < b ? 1 : -1; /* ":123" stands before letters */
	return strcmp(intern_text(&env->profile->strings, (struct str_id){ (uint32_t)a }),
		      intern_text(&env->profile->strings, (struct str_id){ (uint32_t)b }));
}

/* "kworker/1:2" is "kworker/<N>:<N>": what the workers of a pool have in common. */
uint64_t field_value_comm_nodigit_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	const struct profile_thread *thread = &env->profile->threads.items[row->thread];
	const char *comm = intern_text(&env->profile->strings, thread->comm);
	bool in_digits = false;

	(void)use;
	env->scratch.size = 0;
	if (!thread->comm.v)
		buf_str(&env->scratch, ":<N>");
	for (; *comm; comm++) {
		bool digit = *comm >= '0' && *comm <= '9';

		if (!digit)
			buf_putc(&env->scratch, *comm);
		else if (!in_digits)
			buf_str(&env->scratch, "<N>");
		in_digits = digit;
	}
	return field_value_intern(env, buf_text(&env->scratch));
}

uint64_t field_value_tid_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	(void)use;
	return (uint32_t)env->profile->threads.items[row->thread].tid;
}

uint64_t field_value_pid_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	(void)use;
	return (uint32_t)env->profile->threads.items[row->thread].pid;
}

/* The last name that the task had. */
void field_value_task_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	const struct profile *profile = env->profile;
	int32_t tid = (int32_t)value;
	const char *comm = "";

	(void)use;
	if (profile->machine)
		comm = intern_text(machine_strings(profile->machine),
				   machine_comm_at(profile->machine, tid, RECORD_NO_TIME - 1));
	if (!comm[0])
		for (size_t i = 0; i < profile->threads.nr && !comm[0]; i++)
			if (profile->threads.items[i].tid == tid)
				comm = intern_text(&profile->strings, profile->threads.items[i].comm);
	buf_printf(buf, "%7d:", tid);
	if (comm[0])
		buf_str(buf, comm);
	else
		buf_printf(buf, ":%d", tid);
}
