/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoders of header features. Strings are {u32 size, bytes padded with NULs}; lists are {u32 nr, items};
 * everything else is particular. Counts are checked against the bytes that are there before anything is
 * allocated for them. What prints them is perfdata_print.c, what writes them perfdata_encode.c.
 */
#include "record/perfdata_features.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "record/perfdata_payload.h"

static const char *const feature_names[] = {
	[PERFDATA_TRACING_DATA] = "TRACING_DATA",
	[PERFDATA_BUILD_ID] = "BUILD_ID",
	[PERFDATA_HOSTNAME] = "HOSTNAME",
	[PERFDATA_OSRELEASE] = "OSRELEASE",
	[PERFDATA_VERSION] = "VERSION",
	[PERFDATA_ARCH] = "ARCH",
	[PERFDATA_NRCPUS] = "NRCPUS",
	[PERFDATA_CPUDESC] = "CPUDESC",
	[PERFDATA_CPUID] = "CPUID",
	[PERFDATA_TOTAL_MEM] = "TOTAL_MEM",
	[PERFDATA_CMDLINE] = "CMDLINE",
	[PERFDATA_EVENT_DESC] = "EVENT_DESC",
	[PERFDATA_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[PERFDATA_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[PERFDATA_BRANCH_STACK] = "BRANCH_STACK",
	[PERFDATA_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[PERFDATA_GROUP_DESC] = "GROUP_DESC",
	[PERFDATA_AUXTRACE] = "AUXTRACE",
	[PERFDATA_STAT] = "STAT",
	[PERFDATA_CACHE] = "CACHE",
	[PERFDATA_SAMPLE_TIME] = "SAMPLE_TIME",
	[PERFDATA_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[PERFDATA_CLOCKID] = "CLOCKID",
	[PERFDATA_DIR_FORMAT] = "DIR_FORMAT",
	[PERFDATA_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[PERFDATA_BPF_BTF] = "BPF_BTF",
	[PERFDATA_COMPRESSED] = "COMPRESSED",
	[PERFDATA_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[PERFDATA_CLOCK_DATA] = "CLOCK_DATA",
	[PERFDATA_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[PERFDATA_PMU_CAPS] = "PMU_CAPS",
	[PERFDATA_CPU_DOMAIN_INFO] = "CPU_DOMAIN_INFO",
	[PERFDATA_E_MACHINE] = "E_MACHINE",
	[PERFDATA_CLN_SIZE] = "CLN_SIZE",
};

const char *perfdata_feature_name(unsigned bit)
{
	return bit < NR_ITEMS(feature_names) ? feature_names[bit] : NULL;
}

void perfdata_features_init(struct perfdata_features *features, bool swap)
{
	memset(features, 0, sizeof(*features));
	features->swap = swap;
}

void perfdata_features_release(struct perfdata_features *features)
{
	arena_release(&features->arena);
	memset(features, 0, sizeof(*features));
}

void perfdata_features_add(struct perfdata_features *features, unsigned bit, struct span payload)
{
	features->bits[bit / 64] |= 1ull << bit % 64;
	features->payloads[bit] = payload;
}

bool perfdata_features_has(const struct perfdata_features *features, unsigned bit)
{
	return features->bits[bit / 64] >> bit % 64 & 1;
}

struct cursor perfdata_payload(const struct perfdata_features *features, unsigned bit)
{
	struct span payload = features->payloads[bit];

	return cursor_of(payload.data ? payload.data : (const uint8_t *)"", payload.size, features->swap);
}

const char *perfdata_payload_string(struct cursor *cursor)
{
	uint32_t size = cursor_u32(cursor);
	const char *text = cursor_bytes(cursor, size);

	if (!text)
		return NULL;
	if (!memchr(text, 0, size)) {
		cursor->failed = true;
		return NULL;
	}
	return text;
}

const char *perfdata_features_string(struct perfdata_features *features, unsigned bit)
{
	struct cursor cursor = perfdata_payload(features, bit);

	return perfdata_features_has(features, bit) ? perfdata_payload_string(&cursor) : NULL;
}

const char *const *perfdata_features_cmdline(struct perfdata_features *features, uint32_t *ret_nr)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_CMDLINE);
	uint32_t nr = cursor_u32(&cursor);
	const char **args;

	*ret_nr = 0;
	if (!perfdata_features_has(features, PERFDATA_CMDLINE) || nr > cursor_left(&cursor) / 4)
		return NULL;
	args = arena_zalloc(&features->arena, (nr + 1) * sizeof(*args));
	while (*ret_nr < nr) {
		const char *arg = perfdata_payload_string(&cursor);

		if (!arg)
			break;
		args[(*ret_nr)++] = arg;
	}
	return args;
}

bool perfdata_features_nrcpus(const struct perfdata_features *features, uint32_t *ret_online,
			      uint32_t *ret_available)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_NRCPUS);

	*ret_available = cursor_u32(&cursor);
	*ret_online = cursor_u32(&cursor);
	return !cursor.failed;
}

bool perfdata_features_total_mem(const struct perfdata_features *features, uint64_t *ret_kb)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_TOTAL_MEM);

	*ret_kb = cursor_u64(&cursor);
	return !cursor.failed;
}

bool perfdata_features_sample_time(const struct perfdata_features *features, uint64_t *ret_first,
				   uint64_t *ret_last)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_SAMPLE_TIME);

	*ret_first = cursor_u64(&cursor);
	*ret_last = cursor_u64(&cursor);
	return !cursor.failed;
}

bool perfdata_features_clockid(const struct perfdata_features *features, uint64_t *ret_resolution)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_CLOCKID);

	*ret_resolution = cursor_u64(&cursor);
	return !cursor.failed;
}

bool perfdata_features_clock(const struct perfdata_features *features, struct perfdata_clock *ret_clock)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_CLOCK_DATA);
	uint32_t version = cursor_u32(&cursor);

	ret_clock->clockid = cursor_u32(&cursor);
	ret_clock->wall_time = cursor_u64(&cursor);
	ret_clock->clock_time = cursor_u64(&cursor);
	return !cursor.failed && version == 1;
}

bool perfdata_features_compression(const struct perfdata_features *features, struct perfdata_compression *ret)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_COMPRESSED);

	ret->version = cursor_u32(&cursor);
	ret->type = cursor_u32(&cursor);
	ret->level = cursor_u32(&cursor);
	ret->ratio = cursor_u32(&cursor);
	ret->mmap_size = cursor_u32(&cursor);
	return !cursor.failed;
}

int perfdata_features_build_ids(const struct perfdata_features *features,
				int (*visit)(void *context, const struct record_build_id *build_id,
					     uint16_t misc),
				void *context)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_BUILD_ID);
	int ret = 0;

	while (!ret && cursor_left(&cursor) >= sizeof(struct record_header)) {
		struct record_header header;
		struct record_build_id build_id;
		const uint8_t *bytes;

		header.type = cursor_u32(&cursor);
		header.misc = cursor_u16(&cursor);
		header.size = cursor_u16(&cursor);
		if (header.size < sizeof(header))
			break;
		bytes = cursor_bytes(&cursor, header.size - sizeof(header));
		if (!bytes)
			break;
		if (record_decode_build_id((struct span){ bytes, header.size - sizeof(header) }, header.misc,
					   features->swap, &build_id) < 0)
			continue;
		ret = visit(context, &build_id, header.misc);
	}
	return ret;
}

int perfdata_features_event_descs(const struct perfdata_features *features,
				  int (*visit)(void *context, uint32_t index,
					       const struct perfdata_event_desc *desc),
				  void *context)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_EVENT_DESC);
	uint32_t nr = cursor_u32(&cursor), attr_size = cursor_u32(&cursor);
	int ret = 0;

	if (attr_size < EVENT_ATTR_SIZE_MIN)
		return 0;
	for (uint32_t i = 0; i < nr && !ret; i++) {
		struct perfdata_event_desc desc = { 0 };
		const void *attr = cursor_bytes(&cursor, attr_size);

		desc.nr_ids = cursor_u32(&cursor);
		desc.name = perfdata_payload_string(&cursor);
		if (desc.nr_ids > cursor_left(&cursor) / 8)
			break;
		desc.ids = cursor_bytes(&cursor, 8 * (size_t)desc.nr_ids);
		if (cursor.failed)
			break;
		event_attr_decode(attr, attr_size, features->swap, &desc.attr);
		ret = visit(context, i, &desc);
	}
	return ret;
}

uint64_t perfdata_features_desc_id(const struct perfdata_features *features,
				   const struct perfdata_event_desc *desc, uint32_t i)
{
	uint64_t id;

	memcpy(&id, desc->ids + 8 * (size_t)i, sizeof(id));
	return features->swap ? __builtin_bswap64(id) : id;
}

int perfdata_features_groups(const struct perfdata_features *features,
			     int (*visit)(void *context, const char *name, uint32_t leader,
					  uint32_t nr_members),
			     void *context)
{
	struct cursor cursor = perfdata_payload(features, PERFDATA_GROUP_DESC);
	uint32_t nr = cursor_u32(&cursor);
	int ret = 0;

	while (nr-- && !ret) {
		const char *name = perfdata_payload_string(&cursor);
		uint32_t leader = cursor_u32(&cursor), nr_members = cursor_u32(&cursor);

		if (cursor.failed)
			break;
		ret = visit(context, strcmp(name, "{anon_group}") ? name : NULL, leader, nr_members);
	}
	return ret;
}
