/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "capture/snapshot.h"
#include "capture/target.h"
#include "record/record.h"

struct keeper {
	struct record_sink sink;
	struct buf bytes;
	int error;
};

static int keep(struct record_sink *sink, struct span records, struct err *err)
{
	struct keeper *keeper = (struct keeper *)sink;

	(void)err;
	if (keeper->error)
		return keeper->error;
	buf_put(&keeper->bytes, records.data, records.size);
	return 0;
}

static int fake_build_id(const char *path, uint8_t build_id[SNAPSHOT_BUILD_ID_MAX])
{
	memset(build_id, path[1], 20);
	return 20;
}

static struct snapshot open_snapshot(struct keeper *keeper)
{
	return (struct snapshot){ .sink = &keeper->sink };
}

/* Decodes everything that was kept; calls check for each record. */
static unsigned walk(struct keeper *keeper, void (*check)(const struct record *record, void *context), void *context)
{
	unsigned nr = 0;

	for (size_t at = 0; at < keeper->bytes.size; nr++) {
		const struct record_header *raw = (const struct record_header *)(keeper->bytes.data + at);
		struct record record;

		assert_true(keeper->bytes.size - at >= sizeof(*raw));
		assert_true(raw->size >= sizeof(*raw) && raw->size % 8 == 0 && raw->size <= keeper->bytes.size - at);
		assert_int_equal(record_decode(raw, 0, at, &record), 0);
		check(&record, context);
		at += raw->size;
	}
	return nr;
}

struct seen {
	unsigned comms, forks, mmaps, exec_mmaps, own_exe, threads, named_thread, data, build_ids, namespaces;
	char exe[4096];
};

static void look(const struct record *record, void *context)
{
	struct seen *seen = context;

	switch (record->type) {
	case RECORD_COMM:
		seen->comms++;
		assert_int_equal(record->comm.pid, getpid());
		if (record->comm.tid != getpid()) {
			seen->threads++;
			seen->named_thread += !strcmp(record->comm.comm, "odd) name (1");
		}
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
		assert_int_equal(record->mmap.pid, getpid());
		seen->exec_mmaps += (record->mmap.prot & PROT_EXEC) != 0;
		seen->data += (record->misc & RECORD_MISC_MMAP_DATA) != 0;
		seen->build_ids += record->mmap.build_id_size == 20;
		if (!strcmp(record->mmap.path, seen->exe) && record->mmap.prot & PROT_EXEC) {
			uint64_t here = (uintptr_t)&look;

			seen->own_exe += here >= record->mmap.addr && here - record->mmap.addr < record->mmap.length;
		}
		break;
	default:
		fail_msg("type %u", record->type);
	}
}

static void *sleep_long(void *arg)
{
	prctl(PR_SET_NAME, "odd) name (1");
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return NULL;
}

static void test_own_process(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	struct snapshot snapshot = open_snapshot(&keeper);
	struct target target = { .kind = TARGET_TASKS };
	struct seen seen = { 0 };
	pthread_barrier_t barrier;
	pthread_t thread;
	struct err err;

	(void)state;
	err_clear(&err);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, sleep_long, &barrier);
	pthread_barrier_wait(&barrier);
	assert_true(readlink("/proc/self/exe", seen.exe, sizeof(seen.exe) - 1) > 0);
	assert_true(target_add_process(&target, getpid()) >= 2); /* sanitizers have a thread of their own */
	snapshot.namespaces = true;
	snapshot.build_ids = true;
	snapshot.read_build_id = fake_build_id;
	snapshot_begin(&snapshot, &err);
	snapshot_processes(&snapshot, &target);
	assert_int_equal(snapshot_end(&snapshot), 0);
	walk(&keeper, look, &seen);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	assert_int_equal(seen.comms, target.threads.nr);
	assert_int_equal(seen.namespaces, seen.comms);
	assert_int_equal(seen.threads, seen.comms - 1);
	assert_int_equal(seen.named_thread, 1);
	assert_int_equal(seen.own_exe, 1);
	assert_int_equal(seen.mmaps, seen.exec_mmaps);
	assert_int_equal(seen.data, 0);
	assert_true(seen.build_ids >= 2);
	target_release(&target);
	buf_release(&keeper.bytes);
}

static void test_data_mappings(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	struct snapshot snapshot = open_snapshot(&keeper);
	struct target target = { .kind = TARGET_TASKS };
	struct seen seen = { 0 };
	struct err err;

	(void)state;
	err_clear(&err);
	target_add_process(&target, getpid());
	snapshot.data_mmaps = true;
	snapshot.trailer_size = 24;
	snapshot_begin(&snapshot, &err);
	snapshot_processes(&snapshot, &target);
	assert_int_equal(snapshot_end(&snapshot), 0);
	walk(&keeper, look, &seen);
	assert_true(seen.data > seen.exec_mmaps);
	assert_int_equal(seen.build_ids, 0);
	/* And of tasks only, no mapping at all. */
	keeper.bytes.size = 0;
	seen = (struct seen){ 0 };
	snapshot.tasks_only = true;
	snapshot_begin(&snapshot, &err);
	snapshot_processes(&snapshot, &target);
	assert_int_equal(snapshot_end(&snapshot), 0);
	walk(&keeper, look, &seen);
	assert_true(seen.comms >= 1);
	assert_int_equal(seen.mmaps, 0);
	target_release(&target);
	buf_release(&keeper.bytes);
}

static void test_gone_and_failing(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	struct snapshot snapshot = open_snapshot(&keeper);
	struct target target = { .kind = TARGET_TASKS };
	struct target_thread gone = { 0x3fffffff, 0x3fffffff };
	struct err err;

	(void)state;
	err_clear(&err);
	array_push(&target.threads, gone);
	snapshot_begin(&snapshot, &err);
	snapshot_processes(&snapshot, &target);
	assert_int_equal(snapshot_end(&snapshot), 0);
	assert_int_equal(keeper.bytes.size, 0);
	keeper.error = -ENOSPC;
	target_add_process(&target, getpid());
	snapshot_begin(&snapshot, &err);
	snapshot_processes(&snapshot, &target);
	assert_int_equal(snapshot_end(&snapshot), -ENOSPC);
	target_release(&target);
	buf_release(&keeper.bytes);
}

struct kernel_seen {
	unsigned texts, others;
};

static void look_at_kernel(const struct record *record, void *context)
{
	struct kernel_seen *seen = context;

	if (record->type == RECORD_MMAP || record->type == RECORD_MMAP2) {
		assert_int_equal(record->misc & RECORD_CPUMODE_MASK, RECORD_CPUMODE_KERNEL);
		assert_int_equal(record->mmap.pid, -1);
		assert_true(record->mmap.length > 0);
		seen->texts += !strncmp(record->mmap.path, "[kernel.kallsyms]_", 18);
	} else if (record->type == RECORD_KSYMBOL) {
		assert_true(record->ksymbol.length > 0);
		assert_false(strncmp(record->ksymbol.name, "bpf_", 4));
		seen->others++;
	} else {
		assert_int_equal(record->type, RECORD_BPF_EVENT);
	}
}

static void test_kernel(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	struct snapshot snapshot = open_snapshot(&keeper);
	struct kernel_seen seen = { 0 };
	struct err err;

	(void)state;
	err_clear(&err);
	snapshot.bpf = true;
	snapshot.build_ids = true;
	snapshot_begin(&snapshot, &err);
	snapshot_kernel(&snapshot);
	snapshot_bpf(&snapshot);
	assert_int_equal(snapshot_end(&snapshot), 0);
	walk(&keeper, look_at_kernel, &seen);
	buf_release(&keeper.bytes);
	/* Without the right to see the kernel's addresses there is nothing to tell. */
	if (!seen.texts && geteuid())
		skip();
	assert_int_equal(seen.texts, 1);
}

struct all_seen {
	unsigned comms, forks, own;
};

static void look_at_all(const struct record *record, void *context)
{
	struct all_seen *seen = context;

	seen->comms += record->type == RECORD_COMM;
	seen->forks += record->type == RECORD_FORK;
	seen->own += record->type == RECORD_MMAP2 && record->mmap.pid == getpid();
}

static void test_all(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	struct snapshot snapshot = open_snapshot(&keeper);
	struct all_seen seen = { 0 };
	struct err err;

	(void)state;
	err_clear(&err);
	snapshot_begin(&snapshot, &err);
	snapshot_all_processes(&snapshot);
	snapshot_finished(&snapshot);
	assert_int_equal(snapshot_end(&snapshot), 0);
	walk(&keeper, look_at_all, &seen);
	assert_true(seen.comms >= 2);
	assert_int_equal(seen.comms, seen.forks);
	assert_true(seen.own >= 2);
	buf_release(&keeper.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_process), cmocka_unit_test(test_data_mappings),
		cmocka_unit_test(test_gone_and_failing), cmocka_unit_test(test_kernel), cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
