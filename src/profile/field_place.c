/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that ask where: DSO, function, source line, calling function; and how frames are called in call graphs. */
#include "profile/field_value.h"

#include <string.h>

#include "base/xalloc.h"

typedef const struct field_use use_t;
typedef struct field_env env_t;

uint64_t field_value_dso_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	(void)use;
	return env->dso_name[env->profile->frames.items[frame].dso];
}

uint64_t field_value_dso_size_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	const struct dso *dso = profile_frame_dso(env->profile, frame);

	(void)use;
	return dso ? dso->mapped_size : 0;
}

uint64_t field_value_symbol_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	(void)use;
	return env->function[frame];
}

char field_mode_letter(uint8_t mode)
{
	switch (mode) {
	case MACHINE_MODE_KERNEL:
		return 'k';
	case MACHINE_MODE_HYPERVISOR:
		return 'H';
	case MACHINE_MODE_GUEST_KERNEL:
		return 'g';
	case MACHINE_MODE_GUEST_USER:
		return 'u';
	default:
		return '.';
	}
}

/* 16 digits, and the 0x in front of all but zero: as perf's readers know it. */
static void print_address(uint64_t addr, struct buf *buf)
{
	if (addr)
		buf_str(buf, "0x");
	for (int shift = 60; shift >= 0; shift -= 4)
		buf_putc(buf, "0123456789abcdef"[addr >> shift & 15]);
}

static void symbol_print_head(const env_t *env, uint32_t frame, struct buf *buf)
{
	const struct frame *f = &env->profile->frames.items[frame];

	if (env->verbose) {
		size_t from = buf->size;

		buf_str(buf, "0x");
		buf_hex(buf, f->offset);
		buf_fill(buf, ' ', 19 - (buf->size - from));
	}
	buf_putc(buf, '[');
	buf_putc(buf, field_mode_letter(f->mode));
	buf_str(buf, "] ");
}

/* Callers in no mapping have no addresses worth telling: they are one frame. */
static bool is_nowhere(const struct frame *frame)
{
	return !frame->dso && !frame->offset;
}

void field_value_symbol_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	uint32_t frame = (uint32_t)value;
	const char *name = profile_frame_name(env->profile, frame);

	(void)use;
	symbol_print_head(env, frame, buf);
	if (name)
		buf_str(buf, name);
	else if (is_nowhere(&env->profile->frames.items[frame]))
		buf_str(buf, "[unknown]");
	else
		print_address(env->profile->frames.items[frame].offset, buf);
}

const char *field_value_symbol_text(const env_t *env, use_t *use, uint64_t value)
{
	(void)use;
	return profile_frame_name(env->profile, (uint32_t)value);
}

int field_value_symbol_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	const char *name_a = profile_frame_name(env->profile, (uint32_t)a);
	const char *name_b = profile_frame_name(env->profile, (uint32_t)b);
	uint64_t at_a = env->profile->frames.items[a].offset, at_b = env->profile->frames.items[b].offset;

	(void)use;
	if (name_a && name_b)
		return strcmp(name_a, name_b);
	if (name_a || name_b)
		return name_a ? -1 : 1;
	return at_a < at_b ? -1 : at_a > at_b;
}

struct symbol field_place_symbol(const env_t *env, uint32_t frame)
{
	const struct frame *f = &env->profile->frames.items[frame];

	if (f->symbol == SYMBOL_NONE || !env->profile->symbolizer)
		return (struct symbol){ .start = f->offset, .end = f->offset };
	return symbolizer_symbol(env->profile->symbolizer, (struct dso_id){ f->dso }, f->symbol);
}

uint64_t field_value_symbol_size_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	struct symbol symbol = field_place_symbol(env, frame);

	(void)use;
	return symbol.end - symbol.start;
}

/* Frames that name the exact address: the frame itself is the value. */
uint64_t field_value_frame_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	(void)env, (void)use;
	return frame;
}

static uint64_t offset_in_symbol(const env_t *env, uint32_t frame)
{
	const struct frame *f = &env->profile->frames.items[frame];
	uint64_t vaddr = f->offset;

	if (env->profile->symbolizer)
		vaddr = symbolizer_vaddr(env->profile->symbolizer, (struct dso_id){ f->dso }, f->offset);
	return vaddr - field_place_symbol(env, frame).start;
}

void field_value_symoff_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	field_value_symbol_print(env, use, value, buf);
	if (env->profile->frames.items[value].symbol != SYMBOL_NONE) {
		buf_str(buf, "+0x");
		buf_hex(buf, offset_in_symbol(env, (uint32_t)value));
	}
}

int field_value_symoff_compare(const env_t *env, use_t *use, uint64_t a, uint64_t b)
{
	int diff = field_value_symbol_compare(env, use, a, b);
	uint64_t at_a = env->profile->frames.items[a].offset, at_b = env->profile->frames.items[b].offset;

	return diff ? diff : at_a < at_b ? -1 : at_a > at_b;
}

/* "file.c:12" as the DWARF says. */
bool field_place_find_line(const env_t *env, uint32_t frame, struct buf *buf)
{
	const struct frame *f = &env->profile->frames.items[frame];
	size_t size = buf->size;

	if (env->profile->symbolizer && f->dso &&
	    symbolizer_srcline(env->profile->symbolizer, (struct dso_id){ f->dso }, f->offset,
			       env->full_source_path, buf))
		return true;
	buf->size = size;
	return false;
}

/* The same, or "function+34" and "libx.so[1234]" where the DWARF does not say. */
static bool srcline_print(env_t *env, uint32_t frame, struct buf *buf)
{
	const struct frame *f = &env->profile->frames.items[frame];
	const char *name = profile_frame_name(env->profile, frame);

	if (field_place_find_line(env, frame, buf))
		return true;
	if (name)
		buf_printf(buf, "%s+%llu", name, (unsigned long long)offset_in_symbol(env, frame));
	else
		buf_printf(buf, "%s[%llx]", field_value_text(env, env->dso_name[f->dso]),
			   (unsigned long long)f->offset);
	return false;
}

void field_print_frame(const struct field_env *env, uint32_t frame, struct buf *buf)
{
	const struct frame *f = &env->profile->frames.items[frame];
	const char *name = profile_frame_name(env->profile, frame);

	if (name) {
		buf_str(buf, name);
		return;
	}
	if (f->dso) {
		buf_str(buf, field_value_text(env, env->dso_name[f->dso]));
		buf_putc(buf, '+');
	} else if (is_nowhere(f)) {
		buf_str(buf, "[unknown]");
		return;
	}
	buf_str(buf, "0x");
	buf_hex(buf, f->offset);
}

void field_print_place(const struct field_env *env, uint32_t frame, bool with_offset, struct buf *buf)
{
	bool has_name = profile_frame_name(env->profile, frame) != NULL;

	field_print_frame(env, frame, buf);
	if (!has_name)
		return;
	buf_putc(buf, ' ');
	if (field_place_find_line(env, frame, buf))
		return;
	if (with_offset)
		buf_printf(buf, "+%llu", (unsigned long long)offset_in_symbol(env, frame));
	else
		buf_str(buf, "??:0");
}

uint32_t field_env_line(struct field_env *env, uint32_t frame)
{
	env->scratch.size = 0;
	return field_place_find_line(env, frame, &env->scratch)
		       ? (uint32_t)field_value_intern(env, buf_text(&env->scratch))
		       : 0;
}

uint64_t field_value_srcline_of_frame(env_t *env, use_t *use, uint32_t frame)
{
	bool file_only = !strcmp(use->field->name, "srcfile");
	uint32_t **memo = file_only ? &env->srcfile : &env->srcline;
	char *colon;

	if (!*memo)
		*memo = xcalloc(env->profile->frames.nr, sizeof(**memo));
	if (!(*memo)[frame]) {
		env->scratch.size = 0;
		if (!srcline_print(env, frame, &env->scratch) && file_only)
			env->scratch.size = 0;
		buf_text(&env->scratch);
		colon = strrchr(env->scratch.data, ':');
		if (file_only && colon)
			*colon = '\0';
		(*memo)[frame] = 1 + (uint32_t)field_value_intern(env, env->scratch.data);
	}
	return (*memo)[frame] - 1;
}

uint64_t field_value_parent_of_row(env_t *env, use_t *use, const struct profile_row *row)
{
	(void)use;
	return env->stack_parent ? env->stack_parent[row->stack] : 0;
}

void field_value_parent_print(const env_t *env, use_t *use, uint64_t value, struct buf *buf)
{
	const char *name = value ? profile_frame_name(env->profile, (uint32_t)value - 1) : NULL;

	(void)use;
	buf_str(buf, name ? name : "[other]");
}
