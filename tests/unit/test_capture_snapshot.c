/* SPDX-License-Identifier: Apache-2.0 */
/* The snapshot of this very process, decoded again. */
#include "lib/unit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/snapshot.h"
#include "record/record.h"

#define TRAILER (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER)

struct collector {
	struct record_sink sink;
	struct buf buf;
};

static int collect(struct record_sink *sink, struct span records, struct err *err)
{
	(void)err;
	buf_put(&((struct collector *)sink)->buf, records.data, records.size);
	return 0;
}

static struct snapshot begin(struct collector *collector)
{
	struct snapshot snapshot = { .sink = &collector->sink,
				     .trailer_size = record_trailer_size(TRAILER),
				     .build_ids = true,
				     .namespaces = true,
				     .cgroups = true,
				     .bpf = true };

	*collector = (struct collector){ .sink = { .push = collect }, .buf = BUF_INIT };
	snapshot_begin(&snapshot, NULL);
	return snapshot;
}

/* Every record is whole, decodes, and ends in a trailer of time 0. Calls visit for each. */
static void each(struct collector *collector, struct snapshot *snapshot,
		 void (*visit)(const struct record *record, void *context), void *context)
{
	size_t at = 0;

	assert_int_equal(snapshot_end(snapshot), 0);
	while (at < collector->buf.size) {
		const struct record_header *raw = (const struct record_header *)(collector->buf.data + at);
		struct record record;

		assert_true(raw->size >= sizeof(*raw) && raw->size <= collector->buf.size - at);
		assert_int_equal(raw->size % 8, 0);
		assert_int_equal(record_decode(raw, TRAILER, at, &record), 0);
		if (raw->type < RECORD_USER_FIRST)
			assert_int_equal(record.id.time, 0);
		visit(&record, context);
		at += raw->size;
	}
	buf_release(&collector->buf);
}

struct seen {
	pid_t pid, other_tid;
	unsigned comms, forks, mmaps, others, namespaces;
	bool other_comm, own_code, has_build_id, anonymous;
	void *jit;
};

static void look(const struct record *record, void *context)
{
	struct seen *seen = context;
	uint64_t here = (uint64_t)(uintptr_t)look;

	switch (record->type) {
	case RECORD_COMM:
		seen->comms++;
		if (record->comm.tid == seen->other_tid)
			seen->other_comm = !strcmp(record->comm.comm, "other (x) y");
		if (record->comm.tid == seen->pid)
			assert_string_equal(record->comm.comm, "snap test");
		break;
	case RECORD_FORK:
		seen->forks++;
		break;
	case RECORD_NAMESPACES:
		seen->namespaces++;
		assert_int_equal(record->namespaces.nr, 7);
		break;
	case RECORD_MMAP2:
		seen->mmaps++;
		if (record->mmap.pid != seen->pid)
			break;
		assert_true(record->mmap.prot & PROT_EXEC);
		if (here >= record->mmap.addr && here < record->mmap.addr + record->mmap.length) {
			seen->own_code = true;
			seen->has_build_id = record->mmap.build_id_size == 20;
			assert_non_null(strstr(record->mmap.path, "test_capture_snapshot"));
		}
		if (record->mmap.addr == (uint64_t)(uintptr_t)seen->jit)
			seen->anonymous = !strcmp(record->mmap.path, "//anon");
		break;
	default:
		seen->others++;
	}
}

static pthread_barrier_t barrier;

static void *other_thread(void *context)
{
	prctl(PR_SET_NAME, "other (x) y");
	*(pid_t *)context = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void test_own_process(void **state)
{
	struct seen seen = { .pid = getpid() };
	struct target target = { .kind = TARGET_TASKS };
	struct collector collector;
	struct snapshot snapshot = begin(&collector);
	pthread_t thread;

	(void)state;
	prctl(PR_SET_NAME, "snap test");
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, other_thread, &seen.other_tid);
	pthread_barrier_wait(&barrier);
	seen.jit = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(target_add_process(&target, getpid()) >= 2);
	snapshot_processes(&snapshot, &target);
	each(&collector, &snapshot, look, &seen);
	assert_int_equal(seen.comms, target.threads.nr);
	assert_int_equal(seen.namespaces, target.threads.nr);
	assert_int_equal(seen.forks, 0);
	assert_true(seen.other_comm && seen.own_code && seen.anonymous);
	assert_true(seen.has_build_id);
	assert_int_equal(seen.others, 0);

	/* All processes: this one is among them, and everyone has a parent. */
	snapshot = begin(&collector);
	seen = (struct seen){ .pid = getpid(), .other_tid = seen.other_tid, .jit = seen.jit };
	snapshot_all_processes(&snapshot);
	each(&collector, &snapshot, look, &seen);
	assert_true(seen.other_comm && seen.own_code && seen.anonymous);
	assert_true(seen.comms == seen.forks && seen.comms > 2);
	munmap(seen.jit, 4096);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	target_release(&target);
}

static void test_gone_process(void **state)
{
	struct seen seen = { .pid = -2 };
	struct target target = { .kind = TARGET_TASKS };
	struct collector collector;
	struct snapshot snapshot = begin(&collector);

	(void)state;
	array_push(&target.threads, (struct target_thread){ INT32_MAX, INT32_MAX });
	snapshot_processes(&snapshot, &target);
	each(&collector, &snapshot, look, &seen);
	assert_int_equal(seen.comms + seen.mmaps, 0);
	target_release(&target);
}

static void look_at_kernel(const struct record *record, void *context)
{
	unsigned *nr = context;

	if (record->type == RECORD_MMAP2 && !strncmp(record->mmap.path, "[kernel.kallsyms]", 17)) {
		assert_int_equal(record->mmap.pid, -1);
		assert_int_equal(record->misc & RECORD_CPUMODE_MASK, RECORD_CPUMODE_KERNEL);
		assert_true(record->mmap.length > 1 << 20 && record->mmap.length < 1ull << 32);
		++*nr;
	}
}

static void test_kernel(void **state)
{
	struct collector collector;
	struct snapshot snapshot = begin(&collector);
	unsigned nr = 0;

	(void)state;
	snapshot_kernel(&snapshot);
	snapshot_bpf(&snapshot);
	snapshot_cgroups(&snapshot);
	each(&collector, &snapshot, look_at_kernel, &nr);
	if (!nr)
		skip(); /* hidden from this user */
	assert_int_equal(nr, 1);
}

static void look_at_lost(const struct record *record, void *context)
{
	unsigned *nr = context;

	assert_int_equal(record->type, RECORD_LOST_SAMPLES);
	assert_int_equal(record->lost.lost, 123);
	assert_int_equal(record->id.id, 77);
	++*nr;
}

static void test_lost(void **state)
{
	struct event_attr attr = { .sample_type = TRAILER };
	struct collector collector;
	struct snapshot snapshot = begin(&collector);
	unsigned nr = 0;

	(void)state;
	snapshot_lost(&snapshot, &attr, 77, 123);
	each(&collector, &snapshot, look_at_lost, &nr);
	assert_int_equal(nr, 1);
}

struct maps_seen {
	unsigned threads, cpus, ids;
};

static void look_at_maps(const struct record *record, void *context)
{
	struct maps_seen *seen = context;
	const uint8_t *body = (const uint8_t *)(record->raw + 1);
	uint64_t nr;

	memcpy(&nr, body, sizeof(nr));
	if (record->type == RECORD_THREAD_MAP)
		seen->threads += (unsigned)nr;
	else if (record->type == RECORD_CPU_MAP)
		seen->cpus += nr >> 16 & 0xffff;
	else if (record->type == RECORD_ID_INDEX)
		seen->ids += (unsigned)nr;
}

static void test_ids_and_maps(void **state)
{
	struct target target = { .kind = TARGET_CPUS };
	struct counter_set set = { .by_cgroup = false };
	struct collector collector;
	struct snapshot snapshot = begin(&collector);
	struct maps_seen seen = { 0 };

	(void)state;
	for (unsigned i = 0; i < 5000; i++) { /* more than one record holds */
		array_push(&set.counters, (struct counter){ .id = i, .cpu = (int)i });
		if (i < 300)
			cpuset_add(&target.cpus, i);
	}
	snapshot_ids(&snapshot, &set);
	snapshot_target(&snapshot, &target);
	snapshot_finished(&snapshot);
	each(&collector, &snapshot, look_at_maps, &seen);
	assert_int_equal(seen.ids, 5000);
	assert_int_equal(seen.cpus, 300);
	assert_int_equal(seen.threads, 1);
	array_release(&set.counters);
}

static void test_notes(void **state)
{
	static const uint8_t notes[] = { 4, 0, 0,   0,	 3,   0, 0,    0,    9, 0,
					 0, 0, 'G', 'N', 'U', 0, 1,    2,    3, 0, /* other */
					 4, 0, 0,   0,	 2,   0, 0,    0,    3, 0,
					 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0, 0 };
	uint8_t build_id[SNAPSHOT_BUILD_ID_MAX];
	char path[] = "/tmp/test_notes.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, notes, sizeof(notes)), sizeof(notes));
	assert_int_equal(snapshot_note_build_id(path, build_id), 2);
	assert_int_equal(build_id[0], 0xab);
	/* Cut at every place: no id, no crash. */
	for (size_t size = sizeof(notes) - 4; size--;) {
		assert_int_equal(ftruncate(fd, (off_t)size), 0);
		assert_int_equal(snapshot_note_build_id(path, build_id), 0);
	}
	assert_int_equal(snapshot_note_build_id("/nonexistent", build_id), 0);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_process), cmocka_unit_test(test_gone_process),
		cmocka_unit_test(test_kernel),	    cmocka_unit_test(test_lost),
		cmocka_unit_test(test_notes),	    cmocka_unit_test(test_ids_and_maps),
	};

	return cmocka_run_group_tests_name("capture_snapshot", tests, NULL, NULL);
}
