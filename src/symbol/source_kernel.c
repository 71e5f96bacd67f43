/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of the kernel and its modules.
 *
 * In this order: the vmlinux or kallsyms that the user names; a vmlinux with the recorded build-id
 * where distributions and perf's build-id cache keep it; /proc/kallsyms, if the running kernel is
 * the one that was recorded (same build-id, or the same release when no build-id is known); a
 * kallsyms in the build-id cache.
 *
 * A kernel and its modules lie elsewhere after every boot. The recording says where `_text` was (the start of the
 * kernel's mapping); the difference to `_text` in the table moves all addresses. A module's start then is
 * in the recording, its start now in /proc/modules.
 *
 * Where the symbols of the running kernel are not in the cache (elf/kallsyms_cache), reading them takes 35 ms, as long as
 * two million samples. So they can be read ahead, on a thread of their own, while the recording is looked
 * through for side-band records; errors stay with the result until somebody needs it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "elf/build_id.h"
#include "elf/debugfile.h"
#include "elf/kallsyms.h"
#include "elf/kallsyms_cache.h"
#include "symbol/symbol_source.h"

static struct build_id build_id_of(const struct dso *dso)
{
	struct build_id id = { .size = dso->build_id_size };

	if (id.size > sizeof(id.bytes))
		id.size = sizeof(id.bytes);
	memcpy(id.bytes, dso->build_id, id.size);
	return id;
}

static struct debugfile_options file_options(const struct symbol_context *context)
{
	return (struct debugfile_options){ .symfs = context->options.symfs,
					   .buildid_dir = context->options.buildid_dir };
}

/* Bytes to add to recorded addresses, so that they fit the table. */
static uint64_t kernel_bias(struct kallsyms_marks marks, const struct dso *dso)
{
	/* perf takes the first of them that the kernel has, _text before _stext. */
	uint64_t mark = marks.text ? marks.text : marks.stext;
	uint64_t bias = mark && marks.stext != dso->start ? mark - dso->start : 0;

	/* What is not whole pages is no relocation, but a mapping that starts elsewhere. */
	return bias & 4095 ? 0 : bias;
}

static uint64_t address_of(const struct symtab *table, const char *name)
{
	uint32_t index = symtab_find_name(table, name);

	return index == SYMTAB_NONE ? 0 : symtab_start(table, index);
}

static bool use_vmlinux(const char *path, const struct dso *dso, struct symbol_set *set, struct err *err)
{
	if (elf_image_open(path, &set->debug_image, err))
		return false;
	if (!elf_image_has_symtab(set->debug_image)) {
		err_set(err, -ENODATA, "%s has no symbols", path);
		elf_image_close(set->debug_image);
		set->debug_image = NULL;
		return false;
	}
	if (symtab_from_image(set->debug_image, NULL, &set->table, err))
		return false;
	set->bias = kernel_bias((struct kallsyms_marks){ address_of(set->table, "_text"),
							 address_of(set->table, "_stext") },
				dso);
	return true;
}

static bool is_running_release(const struct symbol_context *context)
{
	struct utsname name;

	return !context->options.os_release ||
	       (!uname(&name) && !strcmp(name.release, context->options.os_release));
}

/* ---- reading ahead ---- */

struct kernel_preload {
	const struct symbol_context *context; /* its options */
	pthread_t thread;
	bool is_running; /* until it has been waited for */
	bool is_tried; /* there is a result, good or bad, that nobody has taken */
	int ret;
	struct kallsyms *kallsyms;
	struct err err;
};

static void *preload(void *arg)
{
	struct kernel_preload *preload = arg;
	struct debugfile_options options = file_options(preload->context);
	char *vmlinux = preload->context->options.ignore_vmlinux
				? NULL
				: debugfile_find_vmlinux(&options, preload->context->options.os_release,
							 NULL);

	/* A vmlinux comes first, and is read when it is needed. */
	if (!vmlinux) {
		preload->ret = kallsyms_cache_open(&preload->kallsyms, &preload->err);
		preload->is_tried = true;
	}
	free(vmlinux);
	return NULL;
}

void symbol_source_kernel_preload(struct symbol_context *context)
{
	struct kernel_preload *new;

	if (context->preload || context->kallsyms_tried || context->options.vmlinux ||
	    context->options.kallsyms || !is_running_release(context))
		return;
	new = xcalloc(1, sizeof(*new));
	new->context = context;
	new->is_running = !pthread_create(&new->thread, NULL, preload, new);
	context->preload = new;
}

void symbol_source_kernel_wait(struct symbol_context *context)
{
	if (context->preload && context->preload->is_running)
		pthread_join(context->preload->thread, NULL);
	if (context->preload)
		context->preload->is_running = false;
}

void symbol_source_kernel_release(struct symbol_context *context)
{
	symbol_source_kernel_wait(context);
	if (context->preload)
		kallsyms_free(context->preload->kallsyms);
	free(context->preload);
	kallsyms_free(context->kallsyms);
	kallsyms_free(context->live);
	free(context->kallsyms_complaint);
}

static int open_running(struct symbol_context *context, struct kallsyms **ret_kallsyms, struct err *err)
{
	struct kernel_preload *ahead = context->preload;

	symbol_source_kernel_wait(context);
	if (!ahead || !ahead->is_tried)
		return kallsyms_cache_open(ret_kallsyms, err);
	*ret_kallsyms = ahead->kallsyms;
	*err = ahead->err;
	ahead->kallsyms = NULL;
	ahead->is_tried = false;
	return ahead->ret;
}

/* ---- kallsyms ---- */

/* Reads the kallsyms that belong to the recorded kernel, once for the kernel and all modules. */
static const struct kallsyms *shared_kallsyms(struct symbol_context *context, const struct build_id *id)
{
	struct debugfile_options options = file_options(context);
	struct err err = { 0 };
	char *path = NULL;
	int ret;

	if (context->kallsyms_tried)
		return context->kallsyms;
	context->kallsyms_tried = true;
	if (context->options.kallsyms)
		path = xstrdup(context->options.kallsyms);
	else if (build_id_known(id) || is_running_release(context))
		path = debugfile_find_kallsyms(&options, id);
	if (!path) {
		context->kallsyms_complaint = xasprintf(
			"kernel symbols: the recording is of another kernel%s%s than the one that runs; give its symbols with "
			"--vmlinux or --kallsyms",
			context->options.os_release ? ", " : "",
			context->options.os_release ? context->options.os_release : "");
		return NULL;
	}
	if (!context->options.kallsyms && !strcmp(path, "/proc/kallsyms"))
		ret = open_running(context, &context->kallsyms, &err);
	else
		ret = kallsyms_open(path, &context->kallsyms, &err);
	if (ret)
		context->kallsyms_complaint = xasprintf("kernel symbols: %s%s%s", err.text,
							err.hint[0] ? ". " : "", err.hint);
	free(path);
	return context->kallsyms;
}

/* For the modules that the cache lacks: what the kernel says now. */
static const struct kallsyms *live_kallsyms(struct symbol_context *context)
{
	if (!context->live_tried && kallsyms_open("/proc/kallsyms", &context->live, NULL))
		context->live = NULL;
	context->live_tried = true;
	return context->live;
}

void symbol_source_kernel(struct symbol_context *context, const struct dso *dso, struct symbol_set *set)
{
	struct debugfile_options options = file_options(context);
	const struct kallsyms *kallsyms;
	struct build_id id = build_id_of(dso);
	struct err err = { 0 };
	char *path;

	if (context->options.vmlinux) {
		if (use_vmlinux(context->options.vmlinux, dso, set, &err))
			return;
		set->complaint = xasprintf("kernel symbols: %s", err.text);
		return;
	}
	if (!context->options.kallsyms && !context->options.ignore_vmlinux &&
	    (build_id_known(&id) || is_running_release(context))) {
		path = debugfile_find_vmlinux(&options, context->options.os_release,
					      build_id_known(&id) ? &id : NULL);
		if (path && use_vmlinux(path, dso, set, &err)) {
			free(path);
			return;
		}
		free(path);
	}
	kallsyms = shared_kallsyms(context, &id);
	if (kallsyms) {
		set->table = (struct symtab *)kallsyms_kernel(kallsyms);
		set->is_shared_table = true;
		set->bias = kernel_bias(kallsyms_marks(kallsyms), dso);
	} else {
		set->complaint = xstrdup(context->kallsyms_complaint);
	}
}

/* "ext4 933888 2 - Live 0xffffffffc0400000": where the module is now; 0: not known. */
static uint64_t loaded_at(const char *name, size_t name_size)
{
	struct buf buf = BUF_INIT;
	uint64_t start = 0;

	if (!file_read_path("/proc/modules", &buf, (size_t)16 << 20)) {
		for (const char *line = buf_text(&buf); *line;) {
			size_t size = strcspn(line, "\n");
			const char *at = memmem(line, size, " 0x", 3);

			if (size > name_size && !memcmp(line, name, name_size) && line[name_size] == ' ' &&
			    at)
				start = strtoull(at + 1, NULL, 16);
			line += size + (line[size] == '\n');
		}
	}
	buf_release(&buf);
	return start;
}

/* The module's file; addresses count from the start of its text. */
static void use_module_file(struct symbol_context *context, const struct dso *dso, const char *name,
			    const struct build_id *id, struct symbol_set *set)
{
	struct debugfile_options options = file_options(context);
	char *path = dso->path[0] == '/' ? xasprintf("%s%s", options.symfs ? options.symfs : "", dso->path)
					 : debugfile_find_module(&options, context->options.os_release, name);
	struct elf_image *image = NULL;
	struct build_id is;
	struct err err = { 0 };

	if (!path)
		return;
	if (elf_image_open_module(path, &image, &err))
		goto out;
	if (build_id_known(id) && (build_id_read_image(image, &is) || !build_id_equal(&is, id))) {
		err_set(&err, -ESTALE, "%s is not the module that ran: its build-id differs", path);
		goto out;
	}
	if (symtab_from_image(image, NULL, &set->table, &err))
		goto out;
	set->debug_image = image;
	image = NULL;
out:
	elf_image_close(image);
	if (err.code)
		set->complaint = xstrdup(err.text);
	free(path);
}

void symbol_source_module(struct symbol_context *context, const struct dso *dso, struct symbol_set *set)
{
	struct build_id id = build_id_of(dso), now, none = { 0 };
	const char *name = dso->name[0] == '[' ? dso->name + 1 : dso->name;
	size_t size = strcspn(name, "]");
	char plain[256];
	const struct kallsyms *kallsyms;
	uint64_t start;

	if (!size || size >= sizeof(plain))
		return;
	memcpy(plain, name, size);
	plain[size] = '\0';
	/* The module's build-id says nothing about the kernel; that of a loaded module says whether it is the same. */
	kallsyms = shared_kallsyms(context, &none);
	if (kallsyms && build_id_known(&id) && !context->options.kallsyms &&
	    !build_id_read_module(plain, &now) && !build_id_equal(&id, &now))
		kallsyms = NULL;
	if (kallsyms && kallsyms_cache_lacks(kallsyms, plain))
		kallsyms = live_kallsyms(context);
	if (kallsyms)
		set->table = (struct symtab *)kallsyms_module(kallsyms, plain);
	if (!set->table) {
		use_module_file(context, dso, plain, &id, set);
		return;
	}
	set->is_shared_table = true;
	start = context->options.kallsyms ? 0 : loaded_at(plain, size);
	set->bias = start ? start : dso->start;
}
