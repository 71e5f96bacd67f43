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

static uint8_t fake_build_id(void *context, const char *path, uint8_t build_id[20])
{
	++*(unsigned *)context;
	memset(build_id, path[1], 20);
	return 20;
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
	unsigned comms, forks, mmaps, exec_mmaps, own_exe, threads, named_thread, libc, data, build_ids, namespaces;
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
		seen->exec_mmaps += (record->mmap.prot & PROT_EXEC) != 0;
		seen->data += (record->misc & RECORD_MISC_MMAP_DATA) != 0;
		seen->build_ids += record->mmap.build_id_size == 20;
		seen->libc += strstr(record->mmap.path, "/libc.so.6") != NULL;
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
	(void)arg;
	prctl(PR_SET_NAME, "odd) name (1");
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return NULL;
}

static void test_own_process(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	unsigned nr_reads = 0;
	struct snapshot_options options = { .build_ids = true, .namespaces = true, .read_build_id = fake_build_id,
					    .context = &nr_reads };
	struct snapshot *snapshot = snapshot_new(&options, &keeper.sink);
	struct seen seen = { 0 };
	pthread_barrier_t barrier;
	pthread_t thread;

	(void)state;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, sleep_long, &barrier);
	pthread_barrier_wait(&barrier);
	assert_true(readlink("/proc/self/exe", seen.exe, sizeof(seen.exe) - 1) > 0);
	assert_int_equal(snapshot_process(snapshot, getpid(), NULL), 0);
	assert_int_equal(snapshot_flush(snapshot, NULL), 0);
	walk(&keeper, look, &seen);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	assert_int_equal(seen.comms, seen.forks);
	assert_int_equal(seen.comms, seen.namespaces);
	assert_int_equal(seen.named_thread, 1);
	assert_int_equal(seen.own_exe, 1);
	assert_int_equal(seen.mmaps, seen.exec_mmaps);
	assert_int_equal(seen.data, 0);
	assert_true(seen.build_ids >= 2);
	assert_true(nr_reads >= 2 && nr_reads <= seen.build_ids);
	/* A second description asks no file again. */
	seen.mmaps = nr_reads;
	assert_int_equal(snapshot_process(snapshot, getpid(), NULL), 0);
	assert_int_equal(nr_reads, seen.mmaps);
	snapshot_free(snapshot);
	buf_release(&keeper.bytes);
}

static void test_data_mappings(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	struct snapshot_options options = { .data_mappings = true, .trailer_size = 24 };
	struct snapshot *snapshot = snapshot_new(&options, &keeper.sink);
	struct seen seen = { 0 };

	(void)state;
	assert_int_equal(snapshot_thread(snapshot, getpid(), getpid(), NULL), 0);
	snapshot_flush(snapshot, NULL);
	walk(&keeper, look, &seen);
	assert_true(seen.data > seen.exec_mmaps);
	assert_int_equal(seen.build_ids, 0);
	snapshot_free(snapshot);
	buf_release(&keeper.bytes);
}

static void test_gone_and_failing(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	struct snapshot_options options = { 0 };
	struct snapshot *snapshot = snapshot_new(&options, &keeper.sink);

	(void)state;
	assert_int_equal(snapshot_process(snapshot, 0x3fffffff, NULL), 0);
	snapshot_flush(snapshot, NULL);
	assert_int_equal(keeper.bytes.size, 0);
	keeper.error = -ENOSPC;
	snapshot_process(snapshot, getpid(), NULL);
	assert_int_equal(snapshot_flush(snapshot, NULL), -ENOSPC);
	snapshot_free(snapshot);
	buf_release(&keeper.bytes);
}

static void look_at_kernel(const struct record *record, void *context)
{
	if (record->type == RECORD_MMAP || record->type == RECORD_MMAP2) {
		assert_int_equal(record->misc & RECORD_CPUMODE_MASK, RECORD_CPUMODE_KERNEL);
		assert_int_equal(record->mmap.pid, -1);
		assert_true(record->mmap.length > 0);
		*(bool *)context |= !strncmp(record->mmap.path, "[kernel.kallsyms]_", 18);
	} else if (record->type == RECORD_KSYMBOL) {
		assert_true(record->ksymbol.length > 0);
		assert_false(strncmp(record->ksymbol.name, "bpf_prog_", 9));
	} else {
		assert_int_equal(record->type, RECORD_BPF_EVENT);
	}
}

static void test_kernel(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	struct snapshot_options options = { 0 };
	struct snapshot *snapshot;
	bool has_text = false;
	int ret;

	(void)state;
	for (int mmap2 = 0; mmap2 < 2; mmap2++) {
		options.kernel_mmap2 = mmap2;
		snapshot = snapshot_new(&options, &keeper.sink);
		ret = snapshot_kernel(snapshot, NULL);
		if (ret == -EPERM || ret == -ENOENT) {
			snapshot_free(snapshot);
			skip();
		}
		assert_int_equal(ret, 0);
		assert_int_equal(snapshot_bpf(snapshot, NULL), 0);
		snapshot_flush(snapshot, NULL);
		walk(&keeper, look_at_kernel, &has_text);
		assert_true(has_text);
		keeper.bytes.size = 0;
		snapshot_free(snapshot);
	}
	buf_release(&keeper.bytes);
}

static void count(const struct record *record, void *context)
{
	(void)record;
	++*(unsigned *)context;
}

static void test_all(void **state)
{
	struct keeper keeper = { { keep, NULL }, BUF_INIT, 0 };
	unsigned nr_reads = 0, nr = 0;
	struct snapshot_options options = { .build_ids = true, .read_build_id = fake_build_id, .context = &nr_reads };
	struct snapshot *snapshot = snapshot_new(&options, &keeper.sink);

	(void)state;
	assert_int_equal(snapshot_all_processes(snapshot, NULL), 0);
	snapshot_flush(snapshot, NULL);
	walk(&keeper, count, &nr);
	assert_true(nr >= 3);
	snapshot_free(snapshot);
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
