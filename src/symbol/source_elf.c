/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of mapped files, and of the vdso, which is a file that only memory holds. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "base/xalloc.h"
#include "elf/build_id.h"
#include "elf/debugfile.h"
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
					   .buildid_dir = context->options.buildid_dir,
					   .debuginfod = context->options.debuginfod,
					   .progress = context->options.progress,
					   .progress_context = context->options.progress_context };
}

/* Names in maps that were never files. */
static bool is_real_path(const char *path)
{
	return path[0] == '/' && strncmp(path, "/dev/", 5) && strncmp(path, "/memfd:", 7) &&
	       strncmp(path, "/SYSV", 5);
}

/* Takes the images over. */
static void use_file(struct debugfile *file, struct symbol_set *set)
{
	struct err err = { 0 };

	set->is_mangled = true;
	if (file->symbols && symtab_from_image(file->symbols, file->runtime, &set->table, &err) &&
	    !file->reason[0])
		snprintf(file->reason, sizeof(file->reason), "%.500s", err.text);
	set->image = file->runtime;
	if (file->symbols != file->runtime)
		set->debug_image = file->symbols;
	/*
	 * Only the mapped file says how offsets become addresses; a debug file's segments are hollow. Without it: as
	 * linkers lay files out, the first segment at offset 0.
	 */
	if (!set->image && set->debug_image)
		set->bias = elf_image_base(set->debug_image);
}

void symbol_source_elf(struct symbol_context *context, const struct dso *dso, struct symbol_set *set)
{
	struct debugfile_options options = file_options(context);
	struct build_id id = build_id_of(dso);
	struct debugfile file;

	debugfile_find(&options, dso->path, build_id_known(&id) ? &id : NULL, DEBUGFILE_SYMBOLS, &file);
	use_file(&file, set);
	if (file.reason[0] && is_real_path(dso->path))
		set->complaint = xstrdup(file.reason);
}

/* The vdso of this process: the same for all 64-bit processes of the running kernel. */
static struct elf_image *open_own_vdso(void)
{
	const uint8_t *start = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct elf_image *image = NULL;
	unsigned long first, last;
	char line[512];
	FILE *maps;

	if (!start)
		return NULL;
	maps = fopen("/proc/self/maps", "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &first, &last) != 2 || first != (unsigned long)start)
			continue;
		if (elf_image_open_memory((struct span){ start, last - first }, "[vdso]", &image, NULL))
			image = NULL;
		break;
	}
	if (maps)
		fclose(maps);
	return image;
}

static bool is_own_vdso(const struct symbol_context *context, const struct build_id *id,
			struct elf_image *image)
{
	struct build_id own;
	struct utsname name;

	if (build_id_known(id))
		return !build_id_read_image(image, &own) && build_id_equal(&own, id);
	return !context->options.os_release ||
	       (!uname(&name) && !strcmp(name.release, context->options.os_release));
}

void symbol_source_vdso(struct symbol_context *context, const struct dso *dso, struct symbol_set *set)
{
	struct debugfile_options options = file_options(context);
	struct elf_image *image = open_own_vdso();
	struct build_id id = build_id_of(dso);
	struct debugfile file;

	if (image && is_own_vdso(context, &id, image)) {
		/* No complaint about what is missing in it: nobody can do anything about it. */
		file = (struct debugfile){ .runtime = image, .symbols = image };
		use_file(&file, set);
		return;
	}
	elf_image_close(image);
	if (!build_id_known(&id))
		return;
	debugfile_find(&options, "[vdso]", &id, DEBUGFILE_SYMBOLS, &file);
	use_file(&file, set);
}
