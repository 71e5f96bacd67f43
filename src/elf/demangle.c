/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readable names, by libiberty (C++, Rust legacy and v0, D) and ten lines of our own (OCaml).
 *
 * Symbol names are untrusted. C++ substitutions and Rust and D back references let a name of a
 * hundred bytes describe gigabytes of text, so the demanglers that deliver by callback are left by
 * longjmp when the text passes a limit: they keep everything on the stack, nothing is lost. (Only a
 * Rust identifier in punycode that is being decoded at that moment leaks, less than the name is
 * long.) The D demangler builds its text itself; for it the worst case is computed beforehand.
 *
 * libiberty refuses C++ names longer than 1,024 bytes unless told not to count; templates reach
 * that easily. Parsing recurses at most once for each byte, so up to 4,096 bytes are allowed here;
 * printing keeps its own limit.
 *
 * Names are in the shape perf shows: parameters and the return types of templates, "[clone .x]".
 */
#include "elf/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_IBERTY
#include <libiberty/demangle.h>
#endif

#define NAME_SIZE_MAX 4096
#define TEXT_SIZE_MAX ((size_t)64 << 10)

static bool is_ocaml(const char *name)
{
	return !strncmp(name, "caml", 4) && isupper((unsigned char)name[4]) && strstr(name + 5, "__");
}

bool demangle_is_mangled(const char *name)
{
	if (name[0] == '_')
		return (name[1] == 'Z' && name[2]) || (name[1] == 'R' && name[2]) ||
		       (name[1] == 'D' && (isdigit((unsigned char)name[2]) || !strcmp(name + 2, "main")));
	return name[0] == 'c' && is_ocaml(name);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* camlStdlib__List__iter_123 is Stdlib.List.iter_123; $xx is a character in hex. */
static void demangle_ocaml(const char *name, struct buf *buf)
{
	for (const char *pos = name + 4; *pos;) {
		if (pos[0] == '_' && pos[1] == '_') {
			buf_putc(buf, '.');
			pos += 2;
		} else if (pos[0] == '$' && hex_digit(pos[1]) >= 0 && hex_digit(pos[2]) >= 0) {
			char c = (char)(hex_digit(pos[1]) << 4 | hex_digit(pos[2]));

			buf_putc(buf, c >= ' ' && c <= '~' ? c : '?');
			pos += 3;
		} else {
			buf_putc(buf, *pos++);
		}
	}
}

#ifdef HAVE_IBERTY
struct output {
	struct buf *buf;
	size_t start;
	jmp_buf too_long;
};

static void take_text(const char *text, size_t size, void *opaque)
{
	struct output *output = opaque;

	if (output->buf->size - output->start + size > TEXT_SIZE_MAX)
		longjmp(output->too_long, 1);
	buf_put(output->buf, text, size);
}

static bool demangle_by_callback(const char *name, int options, bool rust, struct buf *buf)
{
	struct output output = { .buf = buf, .start = buf->size };
	volatile bool done = false;

	if (!setjmp(output.too_long))
		done = rust ? rust_demangle_callback(name, options, take_text, &output)
			    : cplus_demangle_v3_callback(name, options, take_text, &output);
	if (!done || buf->size == output.start) {
		buf->size = output.start;
		return false;
	}
	return true;
}

/* Legacy Rust names are C++ names that end in a hash: 17h, 16 hex digits, E. */
static bool ends_in_rust_hash(const char *name)
{
	const char *hash = NULL;

	for (const char *pos = strstr(name, "17h"); pos; pos = strstr(pos + 1, "17h"))
		hash = pos;
	if (!hash)
		return false;
	for (int i = 3; i < 19; i++)
		if (hex_digit(hash[i]) < 0)
			return false;
	return hash[19] == 'E';
}

/*
 * No more text than the name can describe at worst: a back reference (Q and base 26: capitals, then one small
 * letter) stands for at most everything from its target up to itself; one to an identifier (a digit) for that.
 */
static bool d_name_is_harmless(const char *name)
{
	size_t size = strlen(name);
	size_t *sums = malloc((size + 1) * sizeof(*sums));
	bool harmless = sums != NULL;

	if (!sums)
		return false;
	sums[0] = 0;
	for (size_t i = 0; i < size && harmless; i++) {
		size_t weight = 4;

		if (name[i] == 'Q') {
			size_t back = 0, pos = i + 1;

			while (pos < size && isupper((unsigned char)name[pos]) && back < size)
				back = back * 26 + (size_t)(name[pos++] - 'A');
			if (pos < size && islower((unsigned char)name[pos]))
				back = back * 26 + (size_t)(name[pos] - 'a');
			if (back && back <= i)
				weight += isdigit((unsigned char)name[i - back]) ? size
										 : sums[i] - sums[i - back];
		}
		sums[i + 1] = sums[i] + weight;
		harmless = sums[i + 1] <= TEXT_SIZE_MAX * 16;
	}
	free(sums);
	return harmless;
}

static bool demangle_d(const char *name, struct buf *buf)
{
	char *text;
	bool done;

	if (!d_name_is_harmless(name))
		return false;
	text = dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
	done = text && *text && strlen(text) <= TEXT_SIZE_MAX;
	if (done)
		buf_str(buf, text);
	free(text);
	return done;
}

static bool demangle_plain(const char *name, enum demangle_style style, struct buf *buf)
{
	int options = style == DEMANGLE_FULL ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;

	if (name[1] == 'R')
		return demangle_by_callback(name, options, true, buf);
	if (name[1] == 'D')
		return demangle_d(name, buf);
	if (ends_in_rust_hash(name) && demangle_by_callback(name, options, true, buf))
		return true;
	return demangle_by_callback(name, options | DMGL_NO_RECURSE_LIMIT, false, buf);
}
#else
static bool demangle_plain(const char *name, enum demangle_style style, struct buf *buf)
{
	(void)name;
	(void)style;
	(void)buf;
	return false;
}
#endif

bool demangle_name(const char *name, enum demangle_style style, struct buf *buf)
{
	char plain[NAME_SIZE_MAX + 1];
	size_t size, plain_size;
	const char *at;

	if (!demangle_is_mangled(name))
		return false;
	size = strlen(name);
	if (size > NAME_SIZE_MAX)
		return false;
	if (name[0] == 'c') {
		demangle_ocaml(name, buf);
		return true;
	}
	/* "@plt", "@@GLIBCXX_3.4" */
	at = strchr(name, '@');
	plain_size = at ? (size_t)(at - name) : size;
	memcpy(plain, name, plain_size);
	plain[plain_size] = '\0';
	if (!demangle_plain(plain, style, buf))
		return false;
	if (at)
		buf_put(buf, at, size - plain_size);
	return true;
}
