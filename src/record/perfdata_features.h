/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Header features: what a recording says about the machine and itself besides its records.
 * The payloads stay where they are and are decoded when somebody asks.
 */
#ifndef RECORD_PERFDATA_FEATURES_H
#define RECORD_PERFDATA_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/span.h"
#include "record/event_table.h"
#include "record/perfdata_format.h"
#include "record/record.h"

struct perfdata_features {
	uint64_t bits[PERFDATA_FEATURE_MAX / 64]; /* those the recording has, unknown ones too */
	struct span payloads[PERFDATA_FEATURE_MAX]; /* of set bits; flags (STAT ...) have size 0 */
	bool swap; /* payloads are of the other byte order */
	bool of_pipe; /* they came as records */
	struct arena arena;
};

void perfdata_features_init(struct perfdata_features *features, bool swap);
void perfdata_features_release(struct perfdata_features *features);
/* The payload must live as long as the features. */
void perfdata_features_add(struct perfdata_features *features, unsigned bit, struct span payload);
bool perfdata_features_has(const struct perfdata_features *features, unsigned bit);
/* "HOSTNAME"; NULL for bits without a name here. */
const char *perfdata_feature_name(unsigned bit);

/* HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID; NULL when absent or damaged. In the features' arena. */
const char *perfdata_features_string(struct perfdata_features *features, unsigned bit);
/* The arguments, NULL-ended, in the features' arena; NULL when absent. */
const char *const *perfdata_features_cmdline(struct perfdata_features *features, uint32_t *ret_nr);
/* false: absent. */
bool perfdata_features_nrcpus(const struct perfdata_features *features, uint32_t *ret_online,
			      uint32_t *ret_available);
bool perfdata_features_total_mem(const struct perfdata_features *features, uint64_t *ret_kb);
bool perfdata_features_sample_time(const struct perfdata_features *features, uint64_t *ret_first,
				   uint64_t *ret_last);
bool perfdata_features_clockid(const struct perfdata_features *features, uint64_t *ret_resolution);

struct perfdata_clock { /* CLOCK_DATA: two clocks read at the same moment */
	uint32_t clockid;
	uint64_t wall_time, clock_time; /* nanoseconds of CLOCK_REALTIME and of clockid */
};

bool perfdata_features_clock(const struct perfdata_features *features, struct perfdata_clock *ret_clock);

struct perfdata_compression {
	uint32_t version, type, level, ratio, mmap_size; /* type 1: zstd */
};

bool perfdata_features_compression(const struct perfdata_features *features,
				   struct perfdata_compression *ret);

/* Each row of BUILD_ID; a nonzero answer ends the walk and is returned. misc: see RECORD_CPUMODE_*. */
int perfdata_features_build_ids(const struct perfdata_features *features,
				int (*visit)(void *context, const struct record_build_id *build_id,
					     uint16_t misc),
				void *context);

struct perfdata_event_desc {
	struct event_attr attr;
	const char *name;
	uint32_t nr_ids;
	const uint8_t *ids; /* nr_ids u64 in the recording's order: event_desc_id */
};

/* Each row of EVENT_DESC, likewise. */
int perfdata_features_event_descs(const struct perfdata_features *features,
				  int (*visit)(void *context, uint32_t index,
					       const struct perfdata_event_desc *desc),
				  void *context);
uint64_t perfdata_features_desc_id(const struct perfdata_features *features,
				   const struct perfdata_event_desc *desc, uint32_t i);
/* Each row of GROUP_DESC, likewise. name is NULL for groups without a name. */
int perfdata_features_groups(const struct perfdata_features *features,
			     int (*visit)(void *context, const char *name, uint32_t leader,
					  uint32_t nr_members),
			     void *context);

#endif
