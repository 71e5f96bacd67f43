/* SPDX-License-Identifier: Apache-2.0 */
#include "event/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/number.h"

#define PMU_ROOT "/sys/bus/event_source/devices"

void pmu_table_init(struct pmu_table *table, const char *root)
{
	*table = (struct pmu_table){ .root = xstrdup(root ? root : PMU_ROOT) };
}

void pmu_table_release(struct pmu_table *table)
{
	for (size_t i = 0; i < table->pmus.nr; i++) {
		struct pmu *pmu = &table->pmus.items[i];

		for (size_t j = 0; j < pmu->formats.nr; j++)
			free(pmu->formats.items[j].name);
		array_release(&pmu->formats);
		free(pmu->name);
	}
	array_release(&table->pmus);
	free(table->root);
}

static int compare_pmus(const void *a, const void *b)
{
	return strcmp(((const struct pmu *)a)->name, ((const struct pmu *)b)->name);
}

/* A cpumask file's list into pmu->cpus; false: there is no such file. */
static bool read_cpus(struct pmu *pmu, const char *root, const char *file)
{
	char path[512], text[4096];
	int size;

	snprintf(path, sizeof(path), "%s/%s/%s", root, pmu->name, file);
	size = file_read_line(path, text, sizeof(text));
	return size > 0 && !cpuset_parse(text, &pmu->cpus, NULL);
}

static bool load_pmu(const char *root, const char *name, struct pmu *ret_pmu)
{
	char path[512];
	uint64_t type;

	snprintf(path, sizeof(path), "%s/%s/type", root, name);
	if (file_read_u64(path, &type) < 0 || type > UINT32_MAX)
		return false;
	*ret_pmu = (struct pmu){ .name = xstrdup(name), .type = (uint32_t)type };
	ret_pmu->is_core = !strcmp(name, "cpu");
	if (read_cpus(ret_pmu, root, "cpus"))
		ret_pmu->is_core = true;
	else
		ret_pmu->has_cpus = read_cpus(ret_pmu, root, "cpumask");
	/* Several kinds of cores: each PMU counts on its own CPUs only. */
	if (ret_pmu->is_core && strcmp(name, "cpu"))
		ret_pmu->has_cpus = true;
	return true;
}

void pmu_table_load(struct pmu_table *table)
{
	struct dirent *entry;
	DIR *dir;

	if (table->loaded)
		return;
	table->loaded = true;
	dir = opendir(table->root);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		struct pmu pmu;

		if (entry->d_name[0] != '.' && load_pmu(table->root, entry->d_name, &pmu))
			array_push(&table->pmus, pmu);
	}
	closedir(dir);
	if (table->pmus.nr)
		qsort(table->pmus.items, table->pmus.nr, sizeof(*table->pmus.items), compare_pmus);
}

struct pmu *pmu_table_find(struct pmu_table *table, const char *name)
{
	pmu_table_load(table);
	for (size_t i = 0; i < table->pmus.nr; i++)
		if (!strcmp(table->pmus.items[i].name, name))
			return &table->pmus.items[i];
	return NULL;
}

struct pmu *pmu_table_find_type(struct pmu_table *table, uint32_t type)
{
	pmu_table_load(table);
	for (size_t i = 0; i < table->pmus.nr; i++)
		if (table->pmus.items[i].type == type)
			return &table->pmus.items[i];
	return NULL;
}

/* "imc" means "imc_3"; but "imc" does not mean "imc_free_running". */
static bool equals_but_number(const char *name, const char *pattern)
{
	size_t size = strlen(pattern);

	if (strncmp(name, pattern, size))
		return false;
	if (!name[size])
		return true;
	if (name[size] == '_')
		size++;
	if (!name[size])
		return false;
	while (isdigit((unsigned char)name[size]))
		size++;
	return !name[size];
}

bool pmu_matches(const struct pmu *pmu, const char *pattern)
{
	const char *name = pmu->name;

	for (int round = 0; round < 2; round++) {
		if (equals_but_number(name, pattern))
			return true;
		if (strpbrk(pattern, "*?[") && !fnmatch(pattern, name, 0))
			return true;
		if (strncmp(name, "uncore_", 7))
			break;
		name += 7;
	}
	return false;
}

/* ---- formats ---- */

static uint64_t bits_of_range(uint64_t first, uint64_t last)
{
	uint64_t width = last - first + 1;

	return (width >= 64 ? ~0ull : (1ull << width) - 1) << first;
}

int pmu_format_parse(const char *text, struct pmu_format *ret_format)
{
	char *end;
	uint64_t bits = 0;
	unsigned word = 0;

	if (strncmp(text, "config", 6))
		return -EINVAL;
	text += 6;
	if (*text >= '0' && *text <= '4')
		word = (unsigned)(*text++ - '0');
	if (*text++ != ':')
		return -EINVAL;
	do {
		uint64_t first, last;

		if (!isdigit((unsigned char)*text))
			return -EINVAL;
		first = last = strtoul(text, &end, 10);
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				return -EINVAL;
			last = strtoul(end + 1, &end, 10);
		}
		if (first > last || last > 63)
			return -EINVAL;
		bits |= bits_of_range(first, last);
		text = end + 1;
	} while (*end == ',');
	if (*end && *end != '\n')
		return -EINVAL;
	ret_format->bits = bits;
	ret_format->word = (uint8_t)word;
	return 0;
}

static void load_formats(struct pmu_table *table, struct pmu *pmu)
{
	char path[512], text[256];
	struct dirent *entry;
	DIR *dir;

	pmu->formats_loaded = true;
	snprintf(path, sizeof(path), "%s/%s/format", table->root, pmu->name);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		struct pmu_format format = { 0 };

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/format/%s", table->root, pmu->name, entry->d_name);
		if (file_read_line(path, text, sizeof(text)) < 0 || pmu_format_parse(text, &format) < 0)
			continue;
		format.name = xstrdup(entry->d_name);
		array_push(&pmu->formats, format);
	}
	closedir(dir);
}

const struct pmu_format *pmu_find_format(struct pmu_table *table, struct pmu *pmu, const char *name)
{
	if (!pmu->formats_loaded)
		load_formats(table, pmu);
	for (size_t i = 0; i < pmu->formats.nr; i++)
		if (!strcmp(pmu->formats.items[i].name, name))
			return &pmu->formats.items[i];
	return NULL;
}

uint64_t *pmu_attr_word(struct event_attr *attr, unsigned word)
{
	uint64_t *const words[] = { &attr->config, &attr->config1, &attr->config2, &attr->config3,
				    &attr->config4 };

	return words[word];
}

int pmu_format_apply(const struct pmu_format *format, struct event_attr *attr, uint64_t value)
{
	uint64_t *word = pmu_attr_word(attr, format->word);
	uint64_t left = value, spread = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(format->bits >> bit & 1))
			continue;
		spread |= (left & 1) << bit;
		left >>= 1;
	}
	if (left)
		return -ERANGE;
	*word = (*word & ~format->bits) | spread;
	return 0;
}

int pmu_read_alias(struct pmu_table *table, const struct pmu *pmu, const char *name, char *text, size_t size)
{
	char path[512];

	if (!*name || *name == '.' || strchr(name, '/') || strlen(name) > 128)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/%s/events/%s", table->root, pmu->name, name);
	return file_read_line(path, text, size);
}
