/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/command.h"
#include "record/perfdata_features.h"
#include "record/perfdata_format.h"

/* As perf: a pipe on standard input is the recording. */
static bool stdin_is_pipe(void)
{
	struct stat st;

	return !fstat(0, &st) && S_ISFIFO(st.st_mode);
}

int recording_reader_open(const char *path, unsigned flags, struct perfdata_reader **ret_reader,
			  struct err *err)
{
	int ret = perfdata_reader_open(path, flags, ret_reader, err);

	/* In the one line that perf says it in. */
	if (ret == -ENOENT && !strcmp(path, "perf.data"))
		err_set(err, ret, "failed to open %s: %s  (try '%s record' first)", path, strerror(-ret),
			program_name());
	return ret;
}

static int set_build_id(void *context, const struct record_build_id *build_id, uint16_t misc)
{
	(void)misc;
	machine_set_build_id(context, build_id->path, build_id->build_id, build_id->build_id_size);
	return 0;
}

int recording_open(struct recording *recording, const char *path, unsigned flags,
		   const struct symbolizer_options *options, struct err *err)
{
	struct symbolizer_options with_release = options ? *options : (struct symbolizer_options){ 0 };
	struct perfdata_features *features;
	int ret;

	*recording = (struct recording){ 0 };
	if (!path)
		path = stdin_is_pipe() ? "-" : "perf.data";
	recording->path = path;
	ret = recording_reader_open(path, flags, &recording->reader, err);
	if (ret < 0)
		return ret;
	features = perfdata_reader_features(recording->reader);
	with_release.os_release = perfdata_features_string(features, PERFDATA_OSRELEASE);
	recording->machine = machine_new();
	perfdata_features_build_ids(features, set_build_id, recording->machine);
	recording->symbolizer = symbolizer_new(recording->machine, &with_release);
	return 0;
}

int recording_ingest(struct recording *recording, const struct profile_options *options, struct err *err)
{
	return profile_ingest(perfdata_reader_source(recording->reader),
			      perfdata_reader_events(recording->reader), recording->machine,
			      recording->symbolizer, options, &recording->profile, err);
}

void recording_close(struct recording *recording)
{
	if (recording->profile) {
		profile_free(recording->profile);
	} else {
		symbolizer_free(recording->symbolizer);
		machine_free(recording->machine);
	}
	perfdata_reader_close(recording->reader);
	*recording = (struct recording){ 0 };
}

void recording_note_damage(const struct recording *recording)
{
	struct perfdata_damage damage = perfdata_reader_damage(recording->reader);
	const struct profile *profile = recording->profile;

	if (damage.nr)
		command_note("%s: offset %#" PRIx64 ": %s (damaged places: %" PRIu64
			     ", bytes passed over: %" PRIu64 ")",
			     recording->path, damage.first_offset, damage.text, damage.nr, damage.lost_size);
	if (profile && profile->stats.nr_bad_records)
		command_note("%s: %" PRIu64
			     " records too short for their type were skipped, the first at offset %#" PRIx64,
			     recording->path, profile->stats.nr_bad_records, profile->stats.first_bad_offset);
	if (profile && profile->stats.nr_unknown_event)
		command_note("%s: %" PRIu64 " samples of events that the file does not describe were skipped",
			     recording->path, profile->stats.nr_unknown_event);
}

static bool has_broken_stacks(const struct stack_quality *quality)
{
	/* A twentieth is the start and end of processes; more is code that frame pointers do not lead through. */
	return quality->nr_worst && quality->nr_complete * 20 < quality->nr_stacks * 19;
}

const char *recording_quality_advice(const struct profile *profile)
{
	const struct stack_quality *quality = &profile->quality;
	const struct dso *dso;

	if (quality->nr_raw_dumps)
		return "raw stack dumps are not unwound yet: user stacks are missing";
	if (!has_broken_stacks(quality))
		return NULL;
	dso = machine_dso(profile->machine, (struct dso_id){ quality->worst[0].dso });
	return dso->kind == DSO_FILE || dso->kind == DSO_UNKNOWN
		       ? "code built without frame pointers: record with --call-graph dwarf"
		       : NULL;
}

void recording_quality_text(const struct profile *profile, struct buf *buf)
{
	const struct stack_quality *quality = &profile->quality;
	const char *advice = recording_quality_advice(profile);
	const struct dso *dso;

	if (quality->nr_raw_dumps) {
		buf_printf(buf, "%" PRIu64 " samples: %s", quality->nr_raw_dumps, advice);
		return;
	}
	if (!has_broken_stacks(quality))
		return;
	dso = machine_dso(profile->machine, (struct dso_id){ quality->worst[0].dso });
	buf_printf(buf, "%.0f %% of stacks reach an entry point; %.0f %% end in %s",
		   100.0 * (double)quality->nr_complete / (double)quality->nr_stacks,
		   100.0 * (double)quality->worst[0].nr / (double)quality->nr_stacks,
		   dso->kind == DSO_UNKNOWN ? "no known mapping" : dso->name);
	if (advice)
		buf_printf(buf, " (%s)", advice);
}
