/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around the tables in report --json. */
#include "cmd/report_json.h"

#include "record/perfdata_features.h"
#include "record/perfdata_format.h"

static void json_text(struct json *json, const char *key, const char *text)
{
	if (!text)
		return;
	json_key(json, key);
	json_string(json, text);
}

void report_json_header(struct recording *recording, struct json *json)
{
	struct perfdata_features *features = perfdata_reader_features(recording->reader);
	const struct perfdata_header *header = perfdata_reader_header(recording->reader);
	uint32_t online, available, nr_args;
	const char *const *args;

	json_key(json, "header");
	json_open_object(json);
	json_text(json, "file", recording->path);
	json_key(json, "captured_on");
	json_i64(json, header->captured_time);
	json_text(json, "hostname", perfdata_features_string(features, PERFDATA_HOSTNAME));
	json_text(json, "os_release", perfdata_features_string(features, PERFDATA_OSRELEASE));
	json_text(json, "version", perfdata_features_string(features, PERFDATA_VERSION));
	json_text(json, "arch", perfdata_features_string(features, PERFDATA_ARCH));
	json_text(json, "cpu", perfdata_features_string(features, PERFDATA_CPUDESC));
	if (perfdata_features_nrcpus(features, &online, &available)) {
		json_key(json, "cpus_online");
		json_u64(json, online);
		json_key(json, "cpus_available");
		json_u64(json, available);
	}
	args = perfdata_features_cmdline(features, &nr_args);
	if (args) {
		json_key(json, "command_line");
		json_open_array(json);
		for (uint32_t i = 0; i < nr_args; i++)
			json_string(json, args[i]);
		json_close_array(json);
	}
	json_close_object(json);
}

void report_json_stacks(const struct recording *recording, struct json *json)
{
	const struct profile *profile = recording->profile;
	const struct stack_quality *quality = &profile->quality;

	json_key(json, "stacks");
	json_open_object(json);
	json_key(json, "samples");
	json_u64(json, quality->nr_stacks);
	json_key(json, "complete");
	json_u64(json, quality->nr_complete);
	json_key(json, "broken");
	json_open_array(json);
	for (unsigned i = 0; i < quality->nr_worst; i++) {
		json_open_object(json);
		json_text(json, "dso",
			  machine_dso(profile->machine, (struct dso_id){ quality->worst[i].dso })->name);
		json_key(json, "samples");
		json_u64(json, quality->worst[i].nr);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}
