/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/flame_gen.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/xalloc.h"

struct flame_gen {
	struct arena arena;
	struct flame_data data;
	ARRAY(struct flame_meta) meta;
	ARRAY(struct flame_event) events;
	ARRAY(struct flame_thread) threads;
	ARRAY(struct flame_frame) frames;
	ARRAY(uint32_t) parent;
	ARRAY(uint32_t) frame;
	ARRAY(struct flame_row) rows;
	ARRAY(const char *) notes;
	struct hash_index frame_index;
	struct hash_index node_index;
	struct hash_index row_index;
	uint64_t random;
};

static uint32_t draw(struct flame_gen *gen, uint32_t limit)
{
	gen->random = gen->random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(((gen->random >> 32) * limit) >> 32);
}

/* Small numbers much more often than large ones. */
static uint32_t draw_small(struct flame_gen *gen, uint32_t limit)
{
	uint64_t a = draw(gen, 1u << 20);

	return (uint32_t)(a * a / (1u << 20) * a / (1u << 20) * limit / (1u << 20));
}

struct flame_gen *flame_gen_new_empty(void)
{
	struct flame_gen *gen = xcalloc(1, sizeof(*gen));

	gen->random = 42;
	hash_index_init(&gen->frame_index, 64);
	hash_index_init(&gen->node_index, 64);
	hash_index_init(&gen->row_index, 64);
	gen->data.title = "";
	return gen;
}

void flame_gen_free(struct flame_gen *gen)
{
	if (!gen)
		return;
	arena_release(&gen->arena);
	array_release(&gen->meta);
	array_release(&gen->events);
	array_release(&gen->threads);
	array_release(&gen->frames);
	array_release(&gen->parent);
	array_release(&gen->frame);
	array_release(&gen->rows);
	array_release(&gen->notes);
	hash_index_release(&gen->frame_index);
	hash_index_release(&gen->node_index);
	hash_index_release(&gen->row_index);
	free(gen);
}

const struct flame_data *flame_gen_data(const struct flame_gen *gen)
{
	struct flame_data *data = (struct flame_data *)&gen->data;

	data->meta = gen->meta.items;
	data->nr_meta = gen->meta.nr;
	data->events = gen->events.items;
	data->nr_events = gen->events.nr;
	data->threads = gen->threads.items;
	data->nr_threads = gen->threads.nr;
	data->frames = gen->frames.items;
	data->nr_frames = gen->frames.nr;
	data->node_parent = gen->parent.items;
	data->node_frame = gen->frame.items;
	data->nr_nodes = gen->parent.nr;
	data->rows = gen->rows.items;
	data->nr_rows = gen->rows.nr;
	data->notes = gen->notes.items;
	data->nr_notes = gen->notes.nr;
	return data;
}

uint32_t flame_gen_event(struct flame_gen *gen, const char *name, const char *unit)
{
	array_push(&gen->events, (struct flame_event){ name, unit });
	return (uint32_t)gen->events.nr - 1;
}

uint32_t flame_gen_thread(struct flame_gen *gen, uint32_t pid, uint32_t tid, const char *comm)
{
	array_push(&gen->threads, (struct flame_thread){ pid, tid, arena_strdup(&gen->arena, comm) });
	return (uint32_t)gen->threads.nr - 1;
}

uint32_t flame_gen_command(struct flame_gen *gen, const char *comm)
{
	for (uint32_t i = 0; i < gen->threads.nr; i++)
		if (!strcmp(gen->threads.items[i].comm, comm))
			return i;
	return flame_gen_thread(gen, 100 + (uint32_t)gen->threads.nr, 100 + (uint32_t)gen->threads.nr, comm);
}

uint32_t flame_gen_frame(struct flame_gen *gen, const char *name, const char *dso, enum flame_kind kind)
{
	uint64_t hash = hash_pair(hash_string(name), hash_string(dso) + kind);
	uint32_t pos = hash_index_start(&gen->frame_index, hash);
	uint32_t id;

	while ((id = hash_index_next(&gen->frame_index, hash, &pos)) != HASH_NONE) {
		const struct flame_frame *frame = &gen->frames.items[id];

		if (!strcmp(frame->name, name) && !strcmp(frame->dso, dso) && frame->kind == kind)
			return id;
	}
	id = (uint32_t)gen->frames.nr;
	array_push(&gen->frames, (struct flame_frame){ arena_strdup(&gen->arena, name),
						       arena_strdup(&gen->arena, dso), kind });
	hash_index_insert(&gen->frame_index, hash, id);
	return id;
}

uint32_t flame_gen_node(struct flame_gen *gen, uint32_t parent, uint32_t frame)
{
	uint64_t hash = hash_pair(parent, frame);
	uint32_t pos = hash_index_start(&gen->node_index, hash);
	uint32_t id;

	while ((id = hash_index_next(&gen->node_index, hash, &pos)) != HASH_NONE)
		if (gen->parent.items[id] == parent && gen->frame.items[id] == frame)
			return id;
	id = (uint32_t)gen->parent.nr;
	array_push(&gen->parent, parent);
	array_push(&gen->frame, frame);
	hash_index_insert(&gen->node_index, hash, id);
	return id;
}

uint32_t flame_gen_stack(struct flame_gen *gen, const char *stack)
{
	char *text = xstrdup(stack);
	uint32_t node = FLAME_ROOT;
	char *save;

	for (char *name = strtok_r(text, ";", &save); name; name = strtok_r(NULL, ";", &save))
		node = flame_gen_node(gen, node, flame_gen_frame(gen, name, "app", FLAME_USER));
	free(text);
	return node;
}

void flame_gen_sample(struct flame_gen *gen, uint32_t event, uint32_t thread, uint32_t node, uint64_t weight)
{
	uint64_t hash = hash_pair((uint64_t)event << 32 | thread, node);
	uint32_t pos = hash_index_start(&gen->row_index, hash);
	uint32_t id;

	while ((id = hash_index_next(&gen->row_index, hash, &pos)) != HASH_NONE) {
		struct flame_row *row = &gen->rows.items[id];

		if (row->event == event && row->thread == thread && row->node == node) {
			row->weight += weight;
			row->samples++;
			return;
		}
	}
	hash_index_insert(&gen->row_index, hash, (uint32_t)gen->rows.nr);
	array_push(&gen->rows, (struct flame_row){ event, thread, node, 1, weight });
}

/* ---- a program that calls ------------------------------------------------------------------- */

#define NR_CALLEES 6

struct program {
	struct flame_gen *gen;
	uint32_t nr_functions;
	uint32_t *frames;
	uint32_t *callees; /* NR_CALLEES for each */
};

static const char *const words[] = { "parse",  "read",	   "write",   "update", "find",	   "insert",
				     "merge",  "visit",	   "emit",    "lookup", "resolve", "encode",
				     "decode", "schedule", "commit",  "scan",	"split",   "join",
				     "match",  "flush",	   "reserve", "build",	"apply",   "compare" };
static const char *const things[] = { "Node",  "Token", "Buffer", "Index",  "Page",  "Tree",
				      "Query", "Row",	"Type",	  "Symbol", "Block", "Value",
				      "Cache", "Table", "Stream", "Packet", "Layer" };
static const char *const spaces[] = {
	"store", "net", "sql", "json", "render", "util::detail", "core", "codec"
};

static uint32_t make_function(struct flame_gen *gen, uint32_t number)
{
	static const char *const dsos[] = { "/usr/bin/server", "/usr/bin/server", "/usr/lib/libstore.so.4",
					    "/usr/lib/x86_64-linux-gnu/libc.so.6",
					    "/usr/lib/x86_64-linux-gnu/libcrypto.so.3" };
	uint32_t kind = draw(gen, 100);
	const char *word = words[draw(gen, NR_ITEMS(words))];
	const char *thing = things[draw(gen, NR_ITEMS(things))];
	const char *space = spaces[draw(gen, NR_ITEMS(spaces))];
	char *name;

	if (kind < 8) {
		name = arena_printf(&gen->arena, "LazyCompile:*%s%s app.js:%u", word, thing, number);
		return flame_gen_frame(gen, name, "/tmp/perf-4242.map", FLAME_JIT);
	}
	if (kind < 20) {
		name = arena_printf(&gen->arena, "std::vector<%s::%s>::%s_%u", space, thing, word, number);
		return flame_gen_frame(gen, name, "/usr/bin/server", FLAME_INLINED);
	}
	if (kind < 24)
		return flame_gen_frame(gen, "", dsos[draw(gen, NR_ITEMS(dsos))], FLAME_UNKNOWN);
	name = arena_printf(&gen->arena, "%s::%s::%s_%u", space, thing, word, number);
	return flame_gen_frame(gen, name, dsos[draw(gen, NR_ITEMS(dsos))], FLAME_USER);
}

static void make_program(struct program *program, struct flame_gen *gen, uint32_t nr_functions)
{
	program->gen = gen;
	program->nr_functions = nr_functions;
	program->frames = xreallocarray(NULL, nr_functions, sizeof(uint32_t));
	program->callees = xreallocarray(NULL, (size_t)nr_functions * NR_CALLEES, sizeof(uint32_t));
	for (uint32_t i = 0; i < nr_functions; i++) {
		program->frames[i] = make_function(gen, i);
		for (uint32_t k = 0; k < NR_CALLEES; k++)
			program->callees[i * NR_CALLEES + k] = draw(gen, nr_functions);
	}
}

static void release_program(struct program *program)
{
	free(program->frames);
	free(program->callees);
}

static uint32_t enter_kernel(struct flame_gen *gen, uint32_t node)
{
	static const char *const paths[] = {
		"entry_SYSCALL_64;do_syscall_64;ksys_read;vfs_read;ext4_file_read_iter;filemap_read;copy_page_to_iter",
		"entry_SYSCALL_64;do_syscall_64;__x64_sys_futex;do_futex;futex_wait;schedule",
		"entry_SYSCALL_64;do_syscall_64;ksys_write;vfs_write;sock_write_iter;tcp_sendmsg;tcp_push",
		"asm_exc_page_fault;exc_page_fault;handle_mm_fault;do_anonymous_page;clear_page_erms",
	};
	char *path = arena_strdup(&gen->arena, paths[draw_small(gen, NR_ITEMS(paths))]);
	uint32_t levels = 2 + draw(gen, 6);
	char *save;

	for (char *name = strtok_r(path, ";", &save); name && levels;
	     name = strtok_r(NULL, ";", &save), levels--)
		node = flame_gen_node(gen, node,
				      flame_gen_frame(gen, name, "[kernel.kallsyms]", FLAME_KERNEL));
	return node;
}

/* One stack: from `node`, calls at random, about `depth` deep. */
static uint32_t call(struct program *program, uint32_t node, uint32_t function, uint32_t depth)
{
	struct flame_gen *gen = program->gen;
	uint32_t levels = depth / 3 + draw(gen, depth + 1);

	for (uint32_t i = 0; i < levels; i++) {
		node = flame_gen_node(gen, node, program->frames[function]);
		function = program->callees[function * NR_CALLEES + draw_small(gen, NR_CALLEES)];
	}
	return draw(gen, 5) ? node : enter_kernel(gen, node);
}

static void add_meta(struct flame_gen *gen, const char *title)
{
	gen->data.title = title;
	array_push(&gen->meta, (struct flame_meta){ "command line", title });
	array_push(&gen->meta, (struct flame_meta){ "host", "buildhost" });
	array_push(&gen->meta, (struct flame_meta){ "kernel", "6.1.0-18-amd64" });
	array_push(&gen->meta, (struct flame_meta){ "CPU", "AMD EPYC 7B13, 8 of 8 online" });
	array_push(&gen->meta, (struct flame_meta){ "frequency", "999 Hz" });
	array_push(&gen->meta, (struct flame_meta){ "started", "2024-03-01 12:34:56 UTC" });
	array_push(&gen->meta, (struct flame_meta){ "duration", "12.4 s" });
	array_push(&gen->meta, (struct flame_meta){ "written by", "sonde 0.1.0" });
}

static void make_demo(struct flame_gen *gen)
{
	static const char *const entries[] = { "_start;__libc_start_main;main;server::run",
					       "clone3;start_thread;worker_main",
					       "clone3;start_thread;io_main" };
	static const struct flame_break breaks[] = { { "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", 2712 },
						     { "/usr/lib/libstore.so.4", 801 } };
	struct program program;
	uint32_t clock = flame_gen_event(gen, "cpu-clock", "ns");
	uint32_t faults = flame_gen_event(gen, "page-faults", "");
	uint32_t threads[12];

	add_meta(gen, "./server --port 8080 --workers 8");
	make_program(&program, gen, 160);
	threads[0] = flame_gen_thread(gen, 4242, 4242, "server");
	for (uint32_t i = 1; i < 9; i++)
		threads[i] = flame_gen_thread(gen, 4242, 4242 + i, arena_printf(&gen->arena, "worker-%u", i));
	threads[9] = flame_gen_thread(gen, 4300, 4300, "postgres");
	threads[10] = flame_gen_thread(gen, 4301, 4301, "postgres");
	threads[11] = flame_gen_thread(gen, 4310, 4310, "sh");
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t thread = draw_small(gen, NR_ITEMS(threads));
		uint32_t entry = thread == 0 || thread > 8 ? 0 : 1 + thread % 2;
		uint32_t node = call(&program, flame_gen_stack(gen, entries[entry]),
				     draw_small(gen, 4) + (thread > 8 ? 40 : entry * 4), 14);

		flame_gen_sample(gen, clock, threads[thread], node, 1001001);
		if (!draw(gen, 9))
			flame_gen_sample(gen, faults, threads[thread], node, 1 + draw(gen, 3));
	}
	release_program(&program);
	gen->data.quality =
		(struct flame_quality){ .nr_stacks = 20000,
					.nr_complete = 16200,
					.breaks = breaks,
					.nr_breaks = 2,
					.advice = "Record with --call-graph dwarf to complete them." };
	gen->data.lost = (struct flame_lost){ .samples = 312,
					      .advice = "Record with a larger ring (-m 512)." };
	array_push(&gen->notes, "2 libraries are stripped: their functions are shown by library.");
}

/* Stacks until there are so many distinct ones, or so many nodes. */
static void make_large(struct flame_gen *gen, uint32_t nr_stacks, uint32_t nr_nodes, uint32_t nr_threads)
{
	struct program program;
	uint32_t event = flame_gen_event(gen, "cycles", "cycles");

	add_meta(gen, "cc1plus -O2 large.cc");
	make_program(&program, gen, 20000);
	for (uint32_t i = 0; i < nr_threads; i++)
		flame_gen_thread(gen, 1000 + i / 16 * 16, 1000 + i,
				 arena_printf(&gen->arena, "pool-%u", i / 16));
	for (uint32_t round = 0; gen->rows.nr < nr_stacks || gen->parent.nr < nr_nodes; round++) {
		uint32_t node = call(&program, flame_gen_stack(gen, "_start;__libc_start_main;main"),
				     draw_small(gen, 8), 24);

		flame_gen_sample(gen, event, draw_small(gen, nr_threads), node, 900000 + draw(gen, 200000));
		if (round & 1)
			flame_gen_sample(gen, event, draw_small(gen, nr_threads), node, 900000);
	}
	release_program(&program);
}

static void make_deep(struct flame_gen *gen)
{
	uint32_t event = flame_gen_event(gen, "cpu-clock", "ns");
	uint32_t thread = flame_gen_thread(gen, 1, 1, "deep");
	uint32_t node = flame_gen_stack(gen, "main");

	add_meta(gen, "./deep 500");
	for (uint32_t level = 1; level < 500; level++) {
		char *name = arena_printf(&gen->arena, level % 3 ? "recurse" : "level_%u", level);

		node = flame_gen_node(gen, node, flame_gen_frame(gen, name, "deep", FLAME_USER));
		flame_gen_sample(gen, event, thread, node, 1000000 + draw(gen, 1000000));
		flame_gen_sample(gen, event, thread,
				 flame_gen_node(gen, node, flame_gen_frame(gen, "leaf", "deep", FLAME_USER)),
				 500000);
	}
}

static void make_names(struct flame_gen *gen)
{
	static const char *const names[] = { "</script><script>window.broken = 1</script>",
					     "<img src=x onerror=window.broken=1>",
					     "a\"b'c&d",
					     "semi;colon",
					     "tab\there",
					     "line\nbreak",
					     "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x94\xa5",
					     "bad \xff\xfe utf-8 \xc3",
					     "bell \x07 escape \x1b[31m",
					     "@DATA@",
					     "${x} `y` {{z}}",
					     "]]>",
					     "\xe2\x80\xae right to left",
					     "__proto__",
					     "constructor" };
	uint32_t event = flame_gen_event(gen, "</script><b>event</b>", "<i>");
	uint32_t thread = flame_gen_thread(gen, 7, 7, "<b>comm</b> \xff");
	uint32_t other = flame_gen_thread(gen, 7, 8, "two words;");
	uint32_t main_node = flame_gen_stack(gen, "main");

	add_meta(gen, "sh -c 'echo </title><script>window.broken = 1</script>' \xff");
	for (size_t i = 0; i < NR_ITEMS(names); i++) {
		uint32_t frame = flame_gen_frame(gen, names[i], "/lib/<script>window.broken=1</script>.so",
						 i % 5);
		uint32_t node = flame_gen_node(gen, main_node, frame);

		flame_gen_sample(gen, event, i % 2 ? thread : other, node, 100 + i);
	}
	flame_gen_sample(gen, event, thread, FLAME_ROOT, 50);
	array_push(&gen->notes, "<script>window.broken = 1</script>");
}

struct flame_gen *flame_gen_new(const char *name)
{
	struct flame_gen *gen = flame_gen_new_empty();

	if (!strcmp(name, "demo")) {
		make_demo(gen);
	} else if (!strcmp(name, "stacks")) {
		make_large(gen, 100000, 0, 8);
	} else if (!strcmp(name, "nodes")) {
		make_large(gen, 0, 1000000, 64);
	} else if (!strcmp(name, "threads")) {
		make_large(gen, 60000, 0, 10000);
	} else if (!strcmp(name, "deep")) {
		make_deep(gen);
	} else if (!strcmp(name, "names")) {
		make_names(gen);
	} else if (!strcmp(name, "silent")) {
		add_meta(gen, "sleep 1");
		flame_gen_event(gen, "cycles", "cycles");
		flame_gen_thread(gen, 1, 1, "sleep");
	} else if (strcmp(name, "empty")) {
		flame_gen_free(gen);
		return NULL;
	}
	return gen;
}
