/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/recipe.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/array.h"
#include "base/number.h"

#define MAX_WORDS 512
#define NR_FEATURES 256

struct names {
	const char *name;
	uint64_t value;
};

static const struct names sample_names[] = {
	{ "ip", 1 << 0 },
	{ "tid", 1 << 1 },
	{ "time", 1 << 2 },
	{ "addr", 1 << 3 },
	{ "read", 1 << 4 },
	{ "callchain", 1 << 5 },
	{ "id", 1 << 6 },
	{ "cpu", 1 << 7 },
	{ "period", 1 << 8 },
	{ "stream", 1 << 9 },
	{ "raw", 1 << 10 },
	{ "branches", 1 << 11 },
	{ "regs_user", 1 << 12 },
	{ "stack_user", 1 << 13 },
	{ "weight", 1 << 14 },
	{ "data_src", 1 << 15 },
	{ "identifier", 1 << 16 },
	{ "transaction", 1 << 17 },
	{ "regs_intr", 1 << 18 },
	{ "phys", 1 << 19 },
	{ "aux", 1 << 20 },
	{ "cgroup", 1 << 21 },
	{ "data_page", 1 << 22 },
	{ "code_page", 1 << 23 },
	{ "weight_struct", 1 << 24 },
	{ NULL, 0 },
};

static const struct names read_names[] = {
	{ "enabled", 1 }, { "running", 2 }, { "id", 4 }, { "group", 8 }, { "lost", 16 }, { NULL, 0 },
};

static const struct names type_names[] = {
	{ "hardware", 0 }, { "software", 1 },	{ "tracepoint", 2 }, { "cache", 3 },
	{ "raw", 4 },	   { "breakpoint", 5 }, { NULL, 0 },
};

/* Bits of the attr's flags, counted from the first bit-field. */
static const struct names flag_names[] = {
	{ "disabled", 1ull << 0 },
	{ "inherit", 1ull << 1 },
	{ "exclude_user", 1ull << 4 },
	{ "exclude_kernel", 1ull << 5 },
	{ "mmap", 1ull << 8 },
	{ "comm", 1ull << 9 },
	{ "freq", 1ull << 10 },
	{ "enable_on_exec", 1ull << 12 },
	{ "task", 1ull << 13 },
	{ "mmap_data", 1ull << 17 },
	{ "sample_id_all", 1ull << 18 },
	{ "exclude_guest", 1ull << 20 },
	{ "mmap2", 1ull << 23 },
	{ "comm_exec", 1ull << 24 },
	{ "use_clockid", 1ull << 25 },
	{ "context_switch", 1ull << 26 },
	{ "namespaces", 1ull << 28 },
	{ "ksymbol", 1ull << 29 },
	{ "bpf_event", 1ull << 30 },
	{ "cgroup", 1ull << 32 },
	{ "text_poke", 1ull << 33 },
	{ "build_id", 1ull << 34 },
	{ NULL, 0 },
};

static const struct names mode_names[] = {
	{ "unknown", 0 },      { "kernel", 1 },	    { "user", 2 }, { "hypervisor", 3 },
	{ "guest_kernel", 4 }, { "guest_user", 5 }, { NULL, 0 },
};

#define S_IP (1 << 0)
#define S_TID (1 << 1)
#define S_TIME (1 << 2)
#define S_ADDR (1 << 3)
#define S_READ (1 << 4)
#define S_CALLCHAIN (1 << 5)
#define S_ID (1 << 6)
#define S_CPU (1 << 7)
#define S_PERIOD (1 << 8)
#define S_STREAM (1 << 9)
#define S_RAW (1 << 10)
#define S_BRANCHES (1 << 11)
#define S_REGS_USER (1 << 12)
#define S_STACK_USER (1 << 13)
#define S_WEIGHT (1 << 14 | 1 << 24)
#define S_DATA_SRC (1 << 15)
#define S_IDENTIFIER (1 << 16)
#define S_TRANSACTION (1 << 17)
#define S_REGS_INTR (1 << 18)
#define S_PHYS (1 << 19)
#define S_AUX (1 << 20)
#define S_CGROUP (1 << 21)
#define S_DATA_PAGE (1 << 22)
#define S_CODE_PAGE (1 << 23)
#define FLAG_SAMPLE_ID_ALL (1ull << 18)
#define FLAG_FREQ (1ull << 10)
#define PRECISE_SHIFT 15

struct recipe_event {
	char *name, *group;
	uint32_t type;
	uint64_t config, config1, config2, config3, period, sample_type, read_format, flags, branch,
		regs_user, regs_intr;
	uint32_t stack;
	int32_t clockid;
	unsigned precise, members;
	ARRAY(uint64_t) ids;
};

struct tracepoint {
	char *system, *text;
};

struct recipe {
	bool big, pipe, unfinished, no_event_desc;
	uint32_t attr_size;
	uint64_t pad, cut;
	ARRAY(struct recipe_event) events;
	ARRAY(struct tracepoint) tracepoints;
	struct buf features[NR_FEATURES];
	bool has_feature[NR_FEATURES];
	struct buf data; /* records */
	struct buf packed; /* records between compress and end */
	uint32_t packing; /* type of the record they go into; 0: none */
	void *zstd;
	/* The line at hand. */
	unsigned line;
	char *words[MAX_WORDS];
	unsigned nr_words, next_word;
	struct err *err;
	bool failed;
};

static void fail(struct recipe *recipe, const char *what, const char *word)
{
	if (!recipe->failed)
		err_set(recipe->err, -EINVAL, "line %u: %s%s%s", recipe->line, what, word ? ": " : "",
			word ? word : "");
	recipe->failed = true;
}

/* ---- words ---- */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Takes a line apart in place. */
static void split(struct recipe *recipe, char *pos)
{
	recipe->nr_words = recipe->next_word = 0;
	for (;;) {
		char *to, *start;

		while (*pos == ' ' || *pos == '\t')
			pos++;
		if (!*pos || *pos == '#')
			return;
		if (recipe->nr_words == MAX_WORDS) {
			fail(recipe, "too many words", NULL);
			return;
		}
		start = to = pos;
		for (bool quoted = false; *pos && (quoted || (*pos != ' ' && *pos != '\t')); pos++) {
			if (*pos == '"') {
				quoted = !quoted;
			} else if (quoted && *pos == '\\' && pos[1]) {
				pos++;
				if (*pos == 'x' && hex_digit(pos[1]) >= 0 && hex_digit(pos[2]) >= 0) {
					*to++ = (char)(hex_digit(pos[1]) << 4 | hex_digit(pos[2]));
					pos += 2;
				} else {
					*to++ = *pos == 'n' ? '\n' : *pos == 't' ? '\t' : *pos;
				}
			} else {
				*to++ = *pos;
			}
		}
		if (*pos)
			pos++;
		*to = '\0';
		recipe->words[recipe->nr_words++] = start;
	}
}

static bool is_setting(const char *word)
{
	const char *equals = strchr(word, '=');

	if (!equals || equals == word)
		return false;
	for (const char *c = word; c < equals; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-' || *c == '_'))
			return false;
	return true;
}

/* The next argument; NULL at the end. Flags (out, exec ...) are arguments, too: has_word finds those. */
static char *argument(struct recipe *recipe)
{
	while (recipe->next_word < recipe->nr_words) {
		char *word = recipe->words[recipe->next_word++];

		if (!is_setting(word))
			return word;
	}
	return NULL;
}

static const char *text_argument(struct recipe *recipe)
{
	const char *word = argument(recipe);

	if (!word)
		fail(recipe, "an argument is missing behind", recipe->words[0]);
	return word ? word : "";
}

static uint64_t number(struct recipe *recipe, const char *word)
{
	uint64_t value = 0;
	int64_t negative;

	if (word[0] == '-' && number_parse_i64(word, &negative) == 0)
		return (uint64_t)negative;
	if (number_parse_u64(word, &value) < 0)
		fail(recipe, "this is no number", word);
	return value;
}

static uint64_t number_argument(struct recipe *recipe)
{
	return number(recipe, text_argument(recipe));
}

static const char *setting(const struct recipe *recipe, const char *name)
{
	size_t size = strlen(name);

	for (unsigned i = 1; i < recipe->nr_words; i++)
		if (!strncmp(recipe->words[i], name, size) && recipe->words[i][size] == '=')
			return recipe->words[i] + size + 1;
	return NULL;
}

static uint64_t number_setting(struct recipe *recipe, const char *name, uint64_t absent)
{
	const char *text = setting(recipe, name);

	return text ? number(recipe, text) : absent;
}

static bool has_word(const struct recipe *recipe, const char *name)
{
	for (unsigned i = 1; i < recipe->nr_words; i++)
		if (!strcmp(recipe->words[i], name))
			return true;
	return false;
}

static const struct names *find_name(const struct names *names, const char *text, size_t size)
{
	for (; names->name; names++)
		if (strlen(names->name) == size && !memcmp(names->name, text, size))
			return names;
	return NULL;
}

static uint64_t named_setting(struct recipe *recipe, const char *name, const struct names *names,
			      uint64_t absent)
{
	const char *text = setting(recipe, name);
	const struct names *row;

	if (!text)
		return absent;
	row = find_name(names, text, strlen(text));
	return row ? row->value : number(recipe, text);
}

/* "ip,tid,0x1000000": names and numbers, or-ed. */
static uint64_t bits_setting(struct recipe *recipe, const char *name, const struct names *names,
			     uint64_t absent)
{
	const char *text = setting(recipe, name);
	uint64_t value = 0;

	if (!text)
		return absent;
	while (*text) {
		size_t size = strcspn(text, ",");
		const struct names *row = find_name(names, text, size);

		if (row) {
			value |= row->value;
		} else {
			char part[64];

			snprintf(part, sizeof(part), "%.*s", (int)size, text);
			value |= number(recipe, part);
		}
		text += size + (text[size] == ',');
	}
	return value;
}

/* ---- bytes in the file's order ---- */

static void put(const struct recipe *recipe, struct buf *buf, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		buf_putc(buf, (char)(value >> 8 * (recipe->big ? size - 1 - i : i)));
}

static void put_padded(struct buf *buf, const char *text, size_t align)
{
	size_t size = strlen(text) + 1;

	buf_put(buf, text, size);
	buf_fill(buf, 0, -size & (align - 1));
}

static void put_string(const struct recipe *recipe, struct buf *buf, const char *text)
{
	size_t room = (strlen(text) + 64) & ~(size_t)63;

	put(recipe, buf, room, 4);
	put_padded(buf, text, 64);
}

static void put_hex(struct recipe *recipe, struct buf *buf, const char *text)
{
	for (; *text; text += 2) {
		int high = hex_digit(text[0]), low = high < 0 ? -1 : hex_digit(text[1]);

		if (low < 0) {
			fail(recipe, "these are no hex digits", text);
			return;
		}
		buf_putc(buf, (char)(high << 4 | low));
	}
}

static void put_word(struct recipe *recipe, struct buf *buf, const char *word)
{
	if (!strncmp(word, "u8:", 3))
		put(recipe, buf, number(recipe, word + 3), 1);
	else if (!strncmp(word, "u16:", 4))
		put(recipe, buf, number(recipe, word + 4), 2);
	else if (!strncmp(word, "u32:", 4))
		put(recipe, buf, number(recipe, word + 4), 4);
	else if (!strncmp(word, "u64:", 4))
		put(recipe, buf, number(recipe, word + 4), 8);
	else if (!strncmp(word, "string:", 7))
		put_string(recipe, buf, word + 7);
	else if (!strncmp(word, "text:", 5))
		buf_put(buf, word + 5, strlen(word + 5) + 1);
	else if (!strncmp(word, "zeros:", 6))
		buf_fill(buf, 0, number(recipe, word + 6) & 0xffffff);
	else
		put_hex(recipe, buf, word);
}

static void put_words(struct recipe *recipe, struct buf *buf)
{
	while (recipe->next_word < recipe->nr_words)
		put_word(recipe, buf, recipe->words[recipe->next_word++]);
}

/* ---- events ---- */

static uint64_t flags_in_order(const struct recipe *recipe, uint64_t flags, unsigned precise)
{
	uint64_t turned = 0;

	if (!recipe->big)
		return flags | (uint64_t)precise << PRECISE_SHIFT;
	for (unsigned bit = 0; bit < 64; bit++)
		turned |= (flags >> bit & 1) << (63 - bit);
	return turned | (uint64_t)precise << (62 - PRECISE_SHIFT);
}

static void put_attr(const struct recipe *recipe, struct buf *buf, const struct recipe_event *event,
		     uint32_t size)
{
	size_t start = buf->size;

	put(recipe, buf, event->type, 4);
	put(recipe, buf, size, 4);
	put(recipe, buf, event->config, 8);
	put(recipe, buf, event->period, 8);
	put(recipe, buf, event->sample_type, 8);
	put(recipe, buf, event->read_format, 8);
	put(recipe, buf, flags_in_order(recipe, event->flags, event->precise), 8);
	put(recipe, buf, 0, 8); /* wakeup, bp_type */
	put(recipe, buf, event->config1, 8);
	put(recipe, buf, event->config2, 8);
	put(recipe, buf, event->branch, 8);
	put(recipe, buf, event->regs_user, 8);
	put(recipe, buf, event->stack, 4);
	put(recipe, buf, (uint32_t)event->clockid, 4);
	put(recipe, buf, event->regs_intr, 8);
	put(recipe, buf, 0, 8); /* aux_watermark, sample_max_stack */
	put(recipe, buf, 0, 8); /* aux_sample_size */
	put(recipe, buf, 0, 8); /* sig_data */
	put(recipe, buf, event->config3, 8);
	put(recipe, buf, 0, 8); /* config4 */
	if (buf->size - start > size)
		buf->size = start + size;
	buf_fill(buf, 0, size - (buf->size - start));
}

static void event_add(struct recipe *recipe)
{
	struct recipe_event *event = array_add(&recipe->events);
	const char *ids = setting(recipe, "ids"), *group = setting(recipe, "group");

	event->name = xstrdup(text_argument(recipe));
	event->type = (uint32_t)named_setting(recipe, "type", type_names, 1);
	event->config = number_setting(recipe, "config", 0);
	event->config1 = number_setting(recipe, "config1", 0);
	event->config2 = number_setting(recipe, "config2", 0);
	event->config3 = number_setting(recipe, "config3", 0);
	event->sample_type = bits_setting(recipe, "sample", sample_names, S_IP | S_TID | S_TIME | S_PERIOD);
	event->read_format = bits_setting(recipe, "read", read_names, 0);
	event->flags = bits_setting(recipe, "flags", flag_names, FLAG_SAMPLE_ID_ALL);
	event->period = number_setting(recipe, "period", 0);
	if (!event->period) {
		event->period = number_setting(recipe, "freq", 4000);
		event->flags |= FLAG_FREQ;
	}
	event->branch = number_setting(recipe, "branch", 0);
	event->regs_user = number_setting(recipe, "regs-user", 0);
	event->regs_intr = number_setting(recipe, "regs-intr", 0);
	event->stack = (uint32_t)number_setting(recipe, "stack", 0);
	event->clockid = (int32_t)number_setting(recipe, "clockid", 0);
	event->precise = number_setting(recipe, "precise", 0) & 3;
	event->members = (unsigned)number_setting(recipe, "members", 1);
	event->group = group ? xstrdup(group) : NULL;
	while (ids && *ids) {
		char part[32];
		size_t size = strcspn(ids, ",");

		snprintf(part, sizeof(part), "%.*s", (int)size, ids);
		array_push(&event->ids, number(recipe, part));
		ids += size + (ids[size] == ',');
	}
	if (recipe->pipe) {
		uint32_t size = recipe->attr_size;

		put(recipe, &recipe->data, 64, 4);
		put(recipe, &recipe->data, 0, 2);
		put(recipe, &recipe->data, 8 + size + 8 * event->ids.nr, 2);
		put_attr(recipe, &recipe->data, event, size);
		for (size_t i = 0; i < event->ids.nr; i++)
			put(recipe, &recipe->data, event->ids.items[i], 8);
	}
}

static const struct recipe_event *event_of(struct recipe *recipe)
{
	const char *name = setting(recipe, "event");

	for (size_t i = 0; name && i < recipe->events.nr; i++)
		if (!strcmp(recipe->events.items[i].name, name))
			return &recipe->events.items[i];
	if (name || !recipe->events.nr) {
		static const struct recipe_event none;

		fail(recipe, "no such event", name ? name : "(there is none)");
		return &none;
	}
	return &recipe->events.items[0];
}

/* ---- records ---- */

static struct buf *output(struct recipe *recipe)
{
	return recipe->packing ? &recipe->packed : &recipe->data;
}

static size_t record_begin(struct recipe *recipe, uint32_t type, uint16_t misc)
{
	struct buf *buf = output(recipe);
	size_t start = buf->size;

	put(recipe, buf, type, 4);
	put(recipe, buf, misc, 2);
	put(recipe, buf, 0, 2);
	return start;
}

static void record_end(struct recipe *recipe, size_t start)
{
	struct buf *buf = output(recipe);
	size_t size = buf->size - start;
	struct buf number_bytes = BUF_INIT;

	if (size > UINT16_MAX)
		fail(recipe, "the record is too long", NULL);
	put(recipe, &number_bytes, size, 2);
	memcpy(buf->data + start + 6, number_bytes.data, 2);
	buf_release(&number_bytes);
}

static uint32_t pid_of(struct recipe *recipe)
{
	return (uint32_t)number_setting(recipe, "pid", 0);
}

static uint32_t tid_of(struct recipe *recipe)
{
	return (uint32_t)number_setting(recipe, "tid", pid_of(recipe));
}

static uint64_t id_of(struct recipe *recipe, const struct recipe_event *event)
{
	return number_setting(recipe, "id", event->ids.nr ? event->ids.items[0] : 0);
}

static void put_trailer(struct recipe *recipe)
{
	const struct recipe_event *event = event_of(recipe);
	struct buf *buf = output(recipe);
	uint64_t type = event->sample_type;

	if (!(event->flags & FLAG_SAMPLE_ID_ALL))
		return;
	if (type & S_TID) {
		put(recipe, buf, pid_of(recipe), 4);
		put(recipe, buf, tid_of(recipe), 4);
	}
	if (type & S_TIME)
		put(recipe, buf, number_setting(recipe, "time", 0), 8);
	if (type & S_ID)
		put(recipe, buf, id_of(recipe, event), 8);
	if (type & S_STREAM)
		put(recipe, buf, number_setting(recipe, "stream", 0), 8);
	if (type & S_CPU) {
		put(recipe, buf, number_setting(recipe, "cpu", 0), 4);
		put(recipe, buf, 0, 4);
	}
	if (type & S_IDENTIFIER)
		put(recipe, buf, id_of(recipe, event), 8);
}

static void put_task(struct recipe *recipe)
{
	put(recipe, output(recipe), pid_of(recipe), 4);
	put(recipe, output(recipe), tid_of(recipe), 4);
}

static uint16_t misc_of(struct recipe *recipe, uint16_t absent)
{
	return (uint16_t)named_setting(recipe, "misc", mode_names, absent);
}

static void mmap_put(struct recipe *recipe, bool is_2)
{
	struct buf *buf = output(recipe);
	const char *build_id = is_2 ? setting(recipe, "build-id") : NULL, *prot = setting(recipe, "prot");
	uint64_t addr = number_argument(recipe), length = number_argument(recipe);
	const char *path = text_argument(recipe);
	uint16_t misc = misc_of(recipe, addr >> 63 ? 1 : 2);
	size_t start;

	if (has_word(recipe, "data"))
		misc |= 1 << 13;
	if (build_id)
		misc |= 1 << 14;
	start = record_begin(recipe, is_2 ? 10 : 1, misc);
	put_task(recipe);
	put(recipe, buf, addr, 8);
	put(recipe, buf, length, 8);
	put(recipe, buf, number_setting(recipe, "pgoff", 0), 8);
	if (build_id) {
		size_t size = strlen(build_id) / 2;

		put(recipe, buf, size, 1);
		put(recipe, buf, 0, 3);
		put_hex(recipe, buf, build_id);
		if (size < 20)
			buf_fill(buf, 0, 20 - size);
	} else if (is_2) {
		put(recipe, buf, number_setting(recipe, "major", 0), 4);
		put(recipe, buf, number_setting(recipe, "minor", 0), 4);
		put(recipe, buf, number_setting(recipe, "inode", 0), 8);
		put(recipe, buf, number_setting(recipe, "generation", 0), 8);
	}
	if (is_2) {
		prot = prot ? prot : "r-x";
		put(recipe, buf,
		    (strchr(prot, 'r') ? 1 : 0) | (strchr(prot, 'w') ? 2 : 0) | (strchr(prot, 'x') ? 4 : 0),
		    4);
		put(recipe, buf, has_word(recipe, "shared") ? 1 : 2, 4);
	}
	put_padded(buf, path, 8);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void comm_put(struct recipe *recipe)
{
	size_t start = record_begin(recipe, 3, misc_of(recipe, has_word(recipe, "exec") ? 1 << 13 : 0));

	put_task(recipe);
	put_padded(output(recipe), text_argument(recipe), 8);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void task_put(struct recipe *recipe, uint32_t type)
{
	size_t start = record_begin(recipe, type, misc_of(recipe, 0));
	struct buf *buf = output(recipe);

	put(recipe, buf, pid_of(recipe), 4);
	put(recipe, buf, number_setting(recipe, "ppid", 0), 4);
	put(recipe, buf, tid_of(recipe), 4);
	put(recipe, buf, number_setting(recipe, "ptid", number_setting(recipe, "ppid", 0)), 4);
	put(recipe, buf, number_setting(recipe, "time", 0), 8);
	put_trailer(recipe);
	record_end(recipe, start);
}

/* Records whose body is a few numbers of 8 bytes, given as arguments; with_id: the event's id in front. */
static void numbers_put(struct recipe *recipe, uint32_t type, uint16_t misc, unsigned nr)
{
	size_t start = record_begin(recipe, type, misc_of(recipe, misc));

	while (nr--)
		put(recipe, output(recipe), number_argument(recipe), 8);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void lost_put(struct recipe *recipe)
{
	size_t start = record_begin(recipe, 2, misc_of(recipe, 0));

	put(recipe, output(recipe), id_of(recipe, event_of(recipe)), 8);
	put(recipe, output(recipe), number_argument(recipe), 8);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void throttle_put(struct recipe *recipe, uint32_t type)
{
	size_t start = record_begin(recipe, type, misc_of(recipe, 0));

	put(recipe, output(recipe), number_setting(recipe, "time", 0), 8);
	put(recipe, output(recipe), id_of(recipe, event_of(recipe)), 8);
	put(recipe, output(recipe), number_setting(recipe, "stream", 0), 8);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void switch_put(struct recipe *recipe, bool is_wide)
{
	uint16_t misc = (uint16_t)((has_word(recipe, "out") ? 1 << 13 : 0) |
				   (has_word(recipe, "preempt") ? 1 << 14 : 0));
	size_t start = record_begin(recipe, is_wide ? 15 : 14, misc);

	if (is_wide) {
		put(recipe, output(recipe), number_argument(recipe), 4);
		put(recipe, output(recipe), number_argument(recipe), 4);
	}
	put_trailer(recipe);
	record_end(recipe, start);
}

static void namespaces_put(struct recipe *recipe)
{
	size_t start = record_begin(recipe, 16, misc_of(recipe, 0)), nr = 0;
	struct buf *buf = output(recipe), links = BUF_INIT;
	char *word;

	put_task(recipe);
	while ((word = argument(recipe))) {
		char *colon = strchr(word, ':');

		if (!colon) {
			fail(recipe, "this is no DEVICE:INODE", word);
			break;
		}
		*colon = '\0';
		put(recipe, &links, number(recipe, word), 8);
		put(recipe, &links, number(recipe, colon + 1), 8);
		nr++;
	}
	put(recipe, buf, nr, 8);
	if (links.size)
		buf_put(buf, links.data, links.size);
	buf_release(&links);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void ksymbol_put(struct recipe *recipe)
{
	size_t start = record_begin(recipe, 17, misc_of(recipe, 0));
	struct buf *buf = output(recipe);

	put(recipe, buf, number_argument(recipe), 8);
	put(recipe, buf, number_argument(recipe), 4);
	put(recipe, buf, number_setting(recipe, "kind", 1), 2);
	put(recipe, buf, has_word(recipe, "unregister"), 2);
	put_padded(buf, text_argument(recipe), 8);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void bpf_put(struct recipe *recipe)
{
	size_t start = record_begin(recipe, 18, misc_of(recipe, 0));

	put(recipe, output(recipe), number_argument(recipe), 2);
	put(recipe, output(recipe), 0, 2);
	put(recipe, output(recipe), number_argument(recipe), 4);
	put_hex(recipe, output(recipe), text_argument(recipe));
	put_trailer(recipe);
	record_end(recipe, start);
}

static void cgroup_put(struct recipe *recipe)
{
	size_t start = record_begin(recipe, 19, misc_of(recipe, 0));

	put(recipe, output(recipe), number_argument(recipe), 8);
	put_padded(output(recipe), text_argument(recipe), 8);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void text_poke_put(struct recipe *recipe)
{
	size_t start = record_begin(recipe, 20, misc_of(recipe, 1));
	struct buf *buf = output(recipe);
	const char *old, *new;

	put(recipe, buf, number_argument(recipe), 8);
	old = text_argument(recipe);
	new = text_argument(recipe);
	put(recipe, buf, strlen(old) / 2, 2);
	put(recipe, buf, strlen(new) / 2, 2);
	put_hex(recipe, buf, old);
	put_hex(recipe, buf, new);
	buf_fill(buf, 0, -(buf->size - start) & 7);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void read_put(struct recipe *recipe)
{
	size_t start = record_begin(recipe, 8, misc_of(recipe, 0));
	char *word;

	put_task(recipe);
	while ((word = argument(recipe)))
		put(recipe, output(recipe), number(recipe, word), 8);
	put_trailer(recipe);
	record_end(recipe, start);
}

static void itrace_start_put(struct recipe *recipe)
{
	size_t start = record_begin(recipe, 12, misc_of(recipe, 0));

	put_task(recipe);
	put_trailer(recipe);
	record_end(recipe, start);
}

/* ---- samples ---- */

/* "1,2,k": numbers and chain markers; returns how many. */
static uint64_t list_put(struct recipe *recipe, struct buf *buf, const char *list)
{
	uint64_t nr = 0;

	while (list && *list) {
		char part[64];
		size_t size = strcspn(list, ",");

		snprintf(part, sizeof(part), "%.*s", (int)size, list);
		if (!strcmp(part, "k"))
			put(recipe, buf, (uint64_t)-128, 8);
		else if (!strcmp(part, "u"))
			put(recipe, buf, (uint64_t)-512, 8);
		else if (!strcmp(part, "g"))
			put(recipe, buf, (uint64_t)-2048, 8);
		else
			put(recipe, buf, number(recipe, part), 8);
		nr++;
		list += size + (list[size] == ',');
	}
	return nr;
}

static void counted_list_put(struct recipe *recipe, const char *list)
{
	struct buf bytes = BUF_INIT;
	uint64_t nr = list_put(recipe, &bytes, list);

	put(recipe, output(recipe), nr, 8);
	if (bytes.size)
		buf_put(output(recipe), bytes.data, bytes.size);
	buf_release(&bytes);
}

static void hex_with_size_put(struct recipe *recipe, const char *hex, unsigned size_bytes)
{
	struct buf *buf = output(recipe);
	size_t size = strlen(hex) / 2, padded = (size + size_bytes + 7) / 8 * 8 - size_bytes;

	put(recipe, buf, padded, size_bytes);
	put_hex(recipe, buf, hex);
	buf_fill(buf, 0, padded - size);
}

/* "FROM-TO-FLAGS,...": the flags' bit 0 is mispred, and so on as in struct perf_branch_entry. */
static void branches_put(struct recipe *recipe, const struct recipe_event *event, const char *list)
{
	static const unsigned char widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	struct buf bytes = BUF_INIT;
	uint64_t nr = 0;

	for (; list && *list; nr++) {
		uint64_t values[3] = { 0 }, flags = 0;
		unsigned shift = 0;

		for (unsigned i = 0; i < 3 && *list && *list != ','; i++) {
			char part[64];
			size_t size = strcspn(list, "-,");

			snprintf(part, sizeof(part), "%.*s", (int)size, list);
			values[i] = number(recipe, part);
			list += size + (list[size] == '-');
		}
		if (*list == ',')
			list++;
		for (size_t i = 0; i < NR_ITEMS(widths); shift += widths[i++]) {
			uint64_t field = values[2] >> shift & ((1ull << widths[i]) - 1);

			flags |= field << (recipe->big ? 64 - shift - widths[i] : shift);
		}
		put(recipe, &bytes, values[0], 8);
		put(recipe, &bytes, values[1], 8);
		put(recipe, &bytes, flags, 8);
	}
	put(recipe, output(recipe), nr, 8);
	if (event->branch >> 17 & 1)
		put(recipe, output(recipe), number_setting(recipe, "hw-index", 0), 8);
	if (bytes.size)
		buf_put(output(recipe), bytes.data, bytes.size);
	buf_release(&bytes);
	if (event->branch >> 19 & 1)
		for (uint64_t i = 0; i < nr; i++)
			put(recipe, output(recipe), i + 1, 8);
}

/* "ABI,value,...": as many values as the mask has bits; missing ones are 0. */
static void registers_put(struct recipe *recipe, const char *list, uint64_t mask)
{
	struct buf *buf = output(recipe);
	size_t start = buf->size;
	size_t want = 8 * (1 + (size_t)__builtin_popcountll(mask));

	if (!list) {
		put(recipe, buf, 0, 8);
		return;
	}
	list_put(recipe, buf, list);
	if (buf->size - start < want)
		buf_fill(buf, 0, want - (buf->size - start));
}

static void stack_put(struct recipe *recipe)
{
	const char *hex = setting(recipe, "stack");
	struct buf *buf = output(recipe);
	size_t size = hex ? (strlen(hex) / 2 + 7) / 8 * 8 : 0;

	put(recipe, buf, size, 8);
	if (!size)
		return;
	put_hex(recipe, buf, hex);
	buf_fill(buf, 0, size - strlen(hex) / 2);
	put(recipe, buf, number_setting(recipe, "stack-used", size), 8);
}

static void number_if(struct recipe *recipe, uint64_t sample_type, uint64_t bit, const char *name)
{
	if (sample_type & bit)
		put(recipe, output(recipe), number_setting(recipe, name, 0), 8);
}

static void sample_put(struct recipe *recipe)
{
	const struct recipe_event *event = event_of(recipe);
	uint64_t type = event->sample_type, ip = number_setting(recipe, "ip", 0);
	size_t start = record_begin(recipe, 9, misc_of(recipe, ip >> 63 ? 1 : 2));
	struct buf *buf = output(recipe);

	if (type & S_IDENTIFIER)
		put(recipe, buf, id_of(recipe, event), 8);
	if (type & S_IP)
		put(recipe, buf, ip, 8);
	if (type & S_TID)
		put_task(recipe);
	number_if(recipe, type, S_TIME, "time");
	number_if(recipe, type, S_ADDR, "addr");
	if (type & S_ID)
		put(recipe, buf, id_of(recipe, event), 8);
	number_if(recipe, type, S_STREAM, "stream");
	if (type & S_CPU) {
		put(recipe, buf, number_setting(recipe, "cpu", 0), 4);
		put(recipe, buf, 0, 4);
	}
	if (type & S_PERIOD)
		put(recipe, buf, number_setting(recipe, "period", 1), 8);
	if (type & S_READ)
		list_put(recipe, buf, setting(recipe, "read"));
	if (type & S_CALLCHAIN)
		counted_list_put(recipe, setting(recipe, "chain"));
	if (type & S_RAW)
		hex_with_size_put(recipe, setting(recipe, "raw") ? setting(recipe, "raw") : "", 4);
	if (type & S_BRANCHES)
		branches_put(recipe, event, setting(recipe, "branches"));
	if (type & S_REGS_USER)
		registers_put(recipe, setting(recipe, "user"), event->regs_user);
	if (type & S_STACK_USER)
		stack_put(recipe);
	number_if(recipe, type, S_WEIGHT, "weight");
	number_if(recipe, type, S_DATA_SRC, "data-src");
	number_if(recipe, type, S_TRANSACTION, "transaction");
	if (type & S_REGS_INTR)
		registers_put(recipe, setting(recipe, "intr"), event->regs_intr);
	number_if(recipe, type, S_PHYS, "phys");
	number_if(recipe, type, S_CGROUP, "cgroup");
	number_if(recipe, type, S_DATA_PAGE, "data-page");
	number_if(recipe, type, S_CODE_PAGE, "code-page");
	if (type & S_AUX)
		hex_with_size_put(recipe, setting(recipe, "aux") ? setting(recipe, "aux") : "", 8);
	record_end(recipe, start);
}

/* ---- compression ---- */

static void compress_begin(struct recipe *recipe, uint32_t type)
{
#ifdef HAVE_ZSTD
	if (!recipe->zstd)
		recipe->zstd = ZSTD_createCStream();
	recipe->packing = type;
#else
	(void)type;
	fail(recipe, "this build has no zstd", NULL);
#endif
}

static void compress_end(struct recipe *recipe)
{
#ifdef HAVE_ZSTD
	uint32_t type = recipe->packing;
	size_t room = ZSTD_compressBound(recipe->packed.size) + 64, head = type == 83 ? 8 : 0, size, start;
	uint8_t *bytes = xmalloc(room);
	ZSTD_inBuffer in = { recipe->packed.data, recipe->packed.size, 0 };
	ZSTD_outBuffer out = { bytes, room, 0 };

	ZSTD_compressStream2(recipe->zstd, &out, &in, ZSTD_e_flush);
	recipe->packing = 0;
	recipe->packed.size = 0;
	start = record_begin(recipe, type, 0);
	size = out.pos;
	if (head)
		put(recipe, &recipe->data, size, 8);
	buf_put(&recipe->data, bytes, size);
	if (head)
		buf_fill(&recipe->data, 0, -size & 7);
	record_end(recipe, start);
	free(bytes);
#else
	(void)recipe;
#endif
}

/* ---- features ---- */

static struct buf *feature(struct recipe *recipe, unsigned bit)
{
	recipe->has_feature[bit] = true;
	return &recipe->features[bit];
}

static bool string_feature(struct recipe *recipe, const char *word)
{
	static const struct names rows[] = { { "hostname", 3 }, { "osrelease", 4 }, { "version", 5 },
					     { "arch", 6 },	{ "cpudesc", 8 },   { "cpuid", 9 },
					     { NULL, 0 } };
	const struct names *row = find_name(rows, word, strlen(word));

	if (!row)
		return false;
	put_string(recipe, feature(recipe, (unsigned)row->value), text_argument(recipe));
	return true;
}

static void build_id_put(struct recipe *recipe)
{
	struct buf *buf = feature(recipe, 2);
	const char *hex = text_argument(recipe), *path = text_argument(recipe);
	size_t size = strlen(hex) / 2;

	put(recipe, buf, 0, 4);
	put(recipe, buf, misc_of(recipe, path[0] == '[' ? 1 : 2) | 1u << 15, 2);
	put(recipe, buf, 8 + 4 + 24 + ((strlen(path) + 64) & ~(size_t)63), 2);
	put(recipe, buf, number_setting(recipe, "pid", UINT32_MAX), 4);
	put_hex(recipe, buf, hex);
	if (size < 20)
		buf_fill(buf, 0, 20 - size);
	put(recipe, buf, size, 1);
	put(recipe, buf, 0, 3);
	put_padded(buf, path, 64);
}

static bool number_features(struct recipe *recipe, const char *word)
{
	if (!strcmp(word, "nrcpus")) {
		uint64_t online = number_argument(recipe), available = number_argument(recipe);

		put(recipe, feature(recipe, 7), available, 4);
		put(recipe, feature(recipe, 7), online, 4);
	} else if (!strcmp(word, "total-mem")) {
		put(recipe, feature(recipe, 10), number_argument(recipe), 8);
	} else if (!strcmp(word, "cmdline")) {
		put(recipe, feature(recipe, 11), recipe->nr_words - 1, 4);
		for (unsigned i = 1; i < recipe->nr_words; i++)
			put_string(recipe, feature(recipe, 11), recipe->words[i]);
	} else if (!strcmp(word, "sample-time")) {
		put(recipe, feature(recipe, 21), number_argument(recipe), 8);
		put(recipe, feature(recipe, 21), number_argument(recipe), 8);
	} else if (!strcmp(word, "clockid")) {
		put(recipe, feature(recipe, 23), number_argument(recipe), 8);
	} else if (!strcmp(word, "clock-data")) {
		put(recipe, feature(recipe, 29), 1, 4);
		put(recipe, feature(recipe, 29), number_argument(recipe), 4);
		put(recipe, feature(recipe, 29), number_argument(recipe), 8);
		put(recipe, feature(recipe, 29), number_argument(recipe), 8);
	} else if (!strcmp(word, "feature")) {
		uint64_t bit = number_argument(recipe);

		if (bit >= NR_FEATURES)
			fail(recipe, "there is no such feature", NULL);
		else
			put_words(recipe, feature(recipe, (unsigned)bit));
	} else {
		return false;
	}
	return true;
}

/* The formats as TRACING_DATA holds them: the head of a trace.dat, version 0.6. */
static void tracing_put(struct recipe *recipe, struct buf *buf)
{
	uint32_t nr_systems = 0;
	size_t place;

	buf_put(buf, "\x17\x08\x44tracing0.6", 14);
	buf_putc(buf, recipe->big);
	buf_putc(buf, 8);
	put(recipe, buf, 4096, 4);
	buf_put(buf, "header_page", 12);
	put(recipe, buf, 0, 8);
	buf_put(buf, "header_event", 13);
	put(recipe, buf, 0, 8);
	put(recipe, buf, 0, 4);
	place = buf->size;
	put(recipe, buf, 0, 4);
	for (size_t i = 0; i < recipe->tracepoints.nr; i++, nr_systems++) {
		const struct tracepoint *tracepoint = &recipe->tracepoints.items[i];

		buf_put(buf, tracepoint->system, strlen(tracepoint->system) + 1);
		put(recipe, buf, 1, 4);
		put(recipe, buf, strlen(tracepoint->text), 8);
		buf_str(buf, tracepoint->text);
	}
	{
		struct buf count = BUF_INIT;

		put(recipe, &count, nr_systems, 4);
		memcpy(buf->data + place, count.data, 4);
		buf_release(&count);
	}
	put(recipe, buf, 0, 4);
	put(recipe, buf, 0, 4);
	put(recipe, buf, 0, 8);
}

static void event_descs_put(struct recipe *recipe)
{
	struct buf *descs = feature(recipe, 12), groups = BUF_INIT;
	uint32_t nr_groups = 0;

	put(recipe, descs, recipe->events.nr, 4);
	put(recipe, descs, recipe->attr_size, 4);
	for (size_t i = 0; i < recipe->events.nr; i++) {
		const struct recipe_event *event = &recipe->events.items[i];

		put_attr(recipe, descs, event, recipe->attr_size);
		put(recipe, descs, event->ids.nr, 4);
		put_string(recipe, descs, event->name);
		for (size_t k = 0; k < event->ids.nr; k++)
			put(recipe, descs, event->ids.items[k], 8);
		if (event->members > 1) {
			put_string(recipe, &groups, event->group ? event->group : "{anon_group}");
			put(recipe, &groups, i, 4);
			put(recipe, &groups, event->members, 4);
			nr_groups++;
		}
	}
	if (nr_groups) {
		put(recipe, feature(recipe, 17), nr_groups, 4);
		buf_put(feature(recipe, 17), groups.data, groups.size);
	}
	buf_release(&groups);
}

/* ---- statements ---- */

static bool record_statement(struct recipe *recipe, const char *word)
{
	size_t start;

	if (!strcmp(word, "mmap"))
		mmap_put(recipe, false);
	else if (!strcmp(word, "mmap2"))
		mmap_put(recipe, true);
	else if (!strcmp(word, "comm"))
		comm_put(recipe);
	else if (!strcmp(word, "fork"))
		task_put(recipe, 7);
	else if (!strcmp(word, "exit"))
		task_put(recipe, 4);
	else if (!strcmp(word, "lost"))
		lost_put(recipe);
	else if (!strcmp(word, "lost-samples"))
		numbers_put(recipe, 13, 0, 1);
	else if (!strcmp(word, "throttle"))
		throttle_put(recipe, 5);
	else if (!strcmp(word, "unthrottle"))
		throttle_put(recipe, 6);
	else if (!strcmp(word, "switch"))
		switch_put(recipe, false);
	else if (!strcmp(word, "switch-cpu-wide"))
		switch_put(recipe, true);
	else if (!strcmp(word, "namespaces"))
		namespaces_put(recipe);
	else if (!strcmp(word, "ksymbol"))
		ksymbol_put(recipe);
	else if (!strcmp(word, "bpf"))
		bpf_put(recipe);
	else if (!strcmp(word, "cgroup"))
		cgroup_put(recipe);
	else if (!strcmp(word, "text-poke"))
		text_poke_put(recipe);
	else if (!strcmp(word, "read"))
		read_put(recipe);
	else if (!strcmp(word, "aux"))
		numbers_put(recipe, 11, 0, 3);
	else if (!strcmp(word, "itrace-start"))
		itrace_start_put(recipe);
	else if (!strcmp(word, "sample"))
		sample_put(recipe);
	else if (!strcmp(word, "round"))
		record_end(recipe, record_begin(recipe, 68, 0));
	else if (!strcmp(word, "init"))
		record_end(recipe, record_begin(recipe, 82, 0));
	else if (!strcmp(word, "record")) {
		start = record_begin(recipe, (uint32_t)number_argument(recipe), misc_of(recipe, 0));
		while (recipe->next_word < recipe->nr_words) {
			const char *next = recipe->words[recipe->next_word++];

			if (!is_setting(next))
				put_word(recipe, output(recipe), next);
		}
		record_end(recipe, start);
	} else if (!strcmp(word, "bytes")) {
		recipe->next_word = 1;
		put_words(recipe, output(recipe));
	} else if (!strcmp(word, "compress")) {
		compress_begin(recipe, 81);
	} else if (!strcmp(word, "compress2")) {
		compress_begin(recipe, 83);
	} else if (!strcmp(word, "end") && recipe->packing) {
		compress_end(recipe);
	} else {
		return false;
	}
	return true;
}

static void statement(struct recipe *recipe)
{
	const char *word = argument(recipe);

	if (!word)
		fail(recipe, "a statement begins with its name", NULL);
	else if (!strcmp(word, "order") || !strcmp(word, "format") || !strcmp(word, "attr-size"))
		return; /* read before */
	else if (!strcmp(word, "pad"))
		recipe->pad = number_argument(recipe);
	else if (!strcmp(word, "cut"))
		recipe->cut = number_argument(recipe);
	else if (!strcmp(word, "event-desc"))
		recipe->no_event_desc = !strcmp(text_argument(recipe), "no");
	else if (!strcmp(word, "event"))
		event_add(recipe);
	else if (!strcmp(word, "build-id"))
		build_id_put(recipe);
	else if (!string_feature(recipe, word) && !number_features(recipe, word) &&
		 !record_statement(recipe, word))
		fail(recipe, "no such statement", word);
}

/* What must be known from the first record on. */
static void settings_read(struct recipe *recipe, const struct recipe_options *options)
{
	const char *word = recipe->nr_words == 2 ? recipe->words[0] : "";

	if (!strcmp(word, "order"))
		recipe->big = !strcmp(recipe->words[1], "big");
	if (!strcmp(word, "attr-size"))
		recipe->attr_size = (uint32_t)number(recipe, recipe->words[1]);
	if (!strcmp(word, "format")) {
		recipe->pipe = !strcmp(recipe->words[1], "pipe");
		recipe->unfinished = !strcmp(recipe->words[1], "unfinished");
	}
	if (options && options->order)
		recipe->big = !strcmp(options->order, "big");
	if (options && options->attr_size)
		recipe->attr_size = options->attr_size;
	if (options && options->format) {
		recipe->pipe = !strcmp(options->format, "pipe");
		recipe->unfinished = !strcmp(options->format, "unfinished");
	}
}

/* Calls with each line; inside of "tracepoint ... end" the lines are the format's. */
static void lines_read(struct recipe *recipe, const char *text, const struct recipe_options *options,
		       bool first)
{
	struct buf format = BUF_INIT;
	char *system = NULL, *name = NULL;

	recipe->line = 0;
	while (*text && !recipe->failed) {
		size_t size = strcspn(text, "\n");
		char *line = xstrndup(text, size), *raw = xstrndup(text, size);

		recipe->line++;
		text += size + (text[size] == '\n');
		split(recipe, line);
		if (system && recipe->nr_words == 1 && !strcmp(recipe->words[0], "end")) {
			if (!first)
				array_push(&recipe->tracepoints,
					   (struct tracepoint){ xstrdup(system),
								xstrdup(buf_text(&format)) });
			free(system);
			free(name);
			system = name = NULL;
			format.size = 0;
		} else if (system) {
			buf_printf(&format, "%s\n", raw);
		} else if (recipe->nr_words == 3 && !strcmp(recipe->words[0], "tracepoint")) {
			system = xstrdup(recipe->words[1]);
			name = xstrdup(recipe->words[2]);
			buf_printf(&format, "name: %s\n", name);
		} else if (recipe->nr_words && first) {
			settings_read(recipe, options);
		} else if (recipe->nr_words) {
			statement(recipe);
		}
		free(line);
		free(raw);
	}
	if (system)
		fail(recipe, "the tracepoint lacks its end", system);
	free(system);
	free(name);
	buf_release(&format);
}

/* ---- the whole ---- */

static void pipe_write(struct recipe *recipe, struct buf *ret)
{
	struct buf head = BUF_INIT;

	/* The attrs stand in the data already, in front of what needs them; features and formats go before them. */
	put(recipe, ret, 0x32454c4946524550, 8); /* in the order of the file, which tells it */
	put(recipe, ret, 16, 8);
	for (unsigned bit = 3; bit < NR_FEATURES; bit++) {
		if (!recipe->has_feature[bit])
			continue;
		put(recipe, &head, 80, 4);
		put(recipe, &head, 0, 2);
		put(recipe, &head, 16 + recipe->features[bit].size, 2);
		put(recipe, &head, bit, 8);
		if (recipe->features[bit].size)
			buf_put(&head, recipe->features[bit].data, recipe->features[bit].size);
	}
	if (recipe->has_feature[1]) {
		struct buf *blob = &recipe->features[1];
		size_t size = (blob->size + 7) & ~(size_t)7;

		put(recipe, &head, 66, 4);
		put(recipe, &head, 0, 2);
		put(recipe, &head, 16, 2);
		put(recipe, &head, size, 4);
		put(recipe, &head, 0, 4);
		buf_put(&head, blob->data, blob->size);
		buf_fill(&head, 0, size - blob->size);
	}
	if (head.size)
		buf_put(ret, head.data, head.size);
	if (recipe->data.size)
		buf_put(ret, recipe->data.data, recipe->data.size);
	buf_release(&head);
}

static void file_write(struct recipe *recipe, struct buf *ret)
{
	uint64_t bits[NR_FEATURES / 64] = { 0 }, ids_size = 0, attrs_offset, data_offset, at, id_offset = 104;
	uint32_t entry = recipe->attr_size + 16;
	unsigned nr_features = 0;

	for (size_t i = 0; i < recipe->events.nr; i++)
		ids_size += 8 * recipe->events.items[i].ids.nr;
	attrs_offset = 104 + ids_size;
	data_offset = attrs_offset + (uint64_t)entry * recipe->events.nr + recipe->pad;
	for (unsigned bit = 0; bit < NR_FEATURES; bit++) {
		if (!recipe->has_feature[bit] || recipe->unfinished)
			continue;
		bits[bit / 64] |= 1ull << bit % 64;
		nr_features++;
	}
	put(recipe, ret, 0x32454c4946524550, 8); /* in the order of the file, which tells it */
	put(recipe, ret, 104, 8);
	put(recipe, ret, entry, 8);
	put(recipe, ret, attrs_offset, 8);
	put(recipe, ret, (uint64_t)entry * recipe->events.nr, 8);
	put(recipe, ret, data_offset, 8);
	put(recipe, ret, recipe->unfinished ? 0 : recipe->data.size, 8);
	put(recipe, ret, 0, 8);
	put(recipe, ret, 0, 8);
	for (unsigned i = 0; i < NR_ITEMS(bits); i++)
		put(recipe, ret, bits[i], 8);
	for (size_t i = 0; i < recipe->events.nr; i++)
		for (size_t k = 0; k < recipe->events.items[i].ids.nr; k++)
			put(recipe, ret, recipe->events.items[i].ids.items[k], 8);
	for (size_t i = 0; i < recipe->events.nr; i++) {
		put_attr(recipe, ret, &recipe->events.items[i], recipe->attr_size);
		put(recipe, ret, id_offset, 8);
		put(recipe, ret, 8 * recipe->events.items[i].ids.nr, 8);
		id_offset += 8 * recipe->events.items[i].ids.nr;
	}
	buf_fill(ret, 0, recipe->pad);
	if (recipe->data.size)
		buf_put(ret, recipe->data.data, recipe->data.size);
	at = data_offset + recipe->data.size + 16 * nr_features;
	for (unsigned bit = 0; bit < NR_FEATURES && !recipe->unfinished; bit++) {
		if (!recipe->has_feature[bit])
			continue;
		put(recipe, ret, at, 8);
		put(recipe, ret, recipe->features[bit].size, 8);
		at += recipe->features[bit].size;
	}
	for (unsigned bit = 0; bit < NR_FEATURES && !recipe->unfinished; bit++)
		if (recipe->has_feature[bit] && recipe->features[bit].size)
			buf_put(ret, recipe->features[bit].data, recipe->features[bit].size);
}

static void release(struct recipe *recipe)
{
	for (size_t i = 0; i < recipe->events.nr; i++) {
		free(recipe->events.items[i].name);
		free(recipe->events.items[i].group);
		array_release(&recipe->events.items[i].ids);
	}
	for (size_t i = 0; i < recipe->tracepoints.nr; i++) {
		free(recipe->tracepoints.items[i].system);
		free(recipe->tracepoints.items[i].text);
	}
	array_release(&recipe->events);
	array_release(&recipe->tracepoints);
	for (unsigned bit = 0; bit < NR_FEATURES; bit++)
		buf_release(&recipe->features[bit]);
	buf_release(&recipe->data);
	buf_release(&recipe->packed);
#ifdef HAVE_ZSTD
	ZSTD_freeCStream(recipe->zstd);
#endif
	free(recipe);
}

int recipe_compile(const char *text, const struct recipe_options *options, struct buf *ret, struct err *err)
{
	struct recipe *recipe = xcalloc(1, sizeof(*recipe));
	size_t start = ret->size;
	bool failed;

	recipe->err = err;
	recipe->attr_size = 144;
	recipe->data = recipe->packed = BUF_INIT;
	for (unsigned bit = 0; bit < NR_FEATURES; bit++)
		recipe->features[bit] = BUF_INIT;
	if (options)
		settings_read(recipe, options);
	lines_read(recipe, text, options, true);
	if (recipe->attr_size < 64 || recipe->attr_size % 8 || recipe->attr_size > 4096)
		fail(recipe, "the attr size must be a multiple of 8 from 64 on", NULL);
	if (!recipe->failed)
		lines_read(recipe, text, options, false);
	if (recipe->packing)
		fail(recipe, "compressed records lack their end", NULL);
	if (!recipe->failed) {
		if (recipe->tracepoints.nr)
			tracing_put(recipe, feature(recipe, 1));
		if (!recipe->no_event_desc)
			event_descs_put(recipe);
		if (recipe->pipe)
			pipe_write(recipe, ret);
		else
			file_write(recipe, ret);
		ret->size -= recipe->cut < ret->size - start ? recipe->cut : ret->size - start;
	}
	failed = recipe->failed;
	release(recipe);
	return failed ? -EINVAL : 0;
}
