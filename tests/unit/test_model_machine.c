/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <string.h>

#include "model/machine.h"

static struct record at(uint64_t time, uint32_t type, uint16_t misc)
{
	struct record record = { .type = type, .misc = misc };

	record.id.time = time;
	return record;
}

static void map(struct machine *machine, uint64_t time, int32_t pid, uint64_t addr, uint64_t length,
		uint64_t pgoff, const char *path)
{
	struct record record = at(time, RECORD_MMAP2, RECORD_CPUMODE_USER);

	record.mmap = (struct record_mmap){
		.pid = pid, .tid = pid, .addr = addr, .length = length, .pgoff = pgoff, .path = path
	};
	machine_apply(machine, &record);
}

static void comm(struct machine *machine, uint64_t time, int32_t pid, int32_t tid, const char *text,
		 bool is_exec)
{
	struct record record = at(time, RECORD_COMM, 0);

	record.comm = (struct record_comm){ pid, tid, is_exec, text };
	machine_apply(machine, &record);
}

static void fork_at(struct machine *machine, uint64_t time, int32_t parent, int32_t pid, int32_t tid)
{
	struct record record = at(time, RECORD_FORK, 0);

	record.task = (struct record_task){ pid, parent, tid, parent, time };
	machine_apply(machine, &record);
}

/* Name of the DSO at addr, with the offset: "" when nothing is there. */
static const char *find(struct machine *machine, int32_t pid, uint64_t addr, uint64_t time,
			uint64_t *ret_offset, bool *ret_stable)
{
	struct location location;
	bool found = machine_find(machine, machine_space_at(machine, pid, time), MACHINE_MODE_USER, addr,
				  time, &location);

	if (ret_offset)
		*ret_offset = location.offset;
	if (ret_stable)
		*ret_stable = location.is_stable;
	return found ? machine_dso(machine, location.dso)->name : "";
}

static const char *comm_of(struct machine *machine, int32_t tid, uint64_t time)
{
	return intern_text(machine_strings(machine), machine_comm_at(machine, tid, time));
}

static void test_mappings_have_times(void **state)
{
	struct machine *machine = machine_new();
	uint64_t offset;
	bool stable;

	(void)state;
	map(machine, 10, 1, 0x1000, 0x1000, 0x400, "/bin/a");
	map(machine, 10, 1, 0x4000, 0x1000, 0, "/lib/b.so");
	assert_string_equal(find(machine, 1, 0x1010, 20, &offset, &stable), "a");
	assert_int_equal(offset, 0x410);
	assert_true(stable);
	assert_string_equal(find(machine, 1, 0xfff, 20, NULL, NULL), "");
	assert_string_equal(find(machine, 1, 0x2000, 20, NULL, NULL), "");
	/* A later mapping hides the middle of an earlier one from its time on. */
	map(machine, 30, 1, 0x1400, 0x200, 0, "/lib/c.so");
	assert_string_equal(find(machine, 1, 0x1500, 29, &offset, &stable), "a");
	assert_int_equal(offset, 0x900);
	assert_false(stable);
	assert_string_equal(find(machine, 1, 0x1500, 30, &offset, &stable), "c.so");
	assert_int_equal(offset, 0x100);
	assert_string_equal(find(machine, 1, 0x1600, 30, &offset, &stable), "a");
	assert_int_equal(offset, 0xa00);
	assert_true(stable);
	/* Mapping the same again changes nothing. */
	map(machine, 40, 1, 0x4000, 0x1000, 0, "/lib/b.so");
	assert_string_equal(find(machine, 1, 0x4000, 5, NULL, &stable), "b.so");
	assert_true(stable);
	machine_free(machine);
}

static void test_fork_copies_exec_replaces(void **state)
{
	struct machine *machine = machine_new();
	bool stable;

	(void)state;
	comm(machine, 0, 1, 1, "shell", false);
	map(machine, 1, 1, 0x1000, 0x1000, 0, "/bin/sh");
	fork_at(machine, 10, 1, 2, 2);
	assert_string_equal(comm_of(machine, 2, 11), "shell");
	assert_string_equal(find(machine, 2, 0x1000, 11, NULL, &stable), "sh");
	assert_true(stable);
	/* What the parent maps after the fork is not the child's. */
	map(machine, 12, 1, 0x8000, 0x1000, 0, "/lib/late.so");
	assert_string_equal(find(machine, 1, 0x8000, 13, NULL, NULL), "late.so");
	assert_string_equal(find(machine, 2, 0x8000, 13, NULL, NULL), "");
	/* The child's own mapping over the parent's. */
	map(machine, 14, 2, 0x1000, 0x800, 0, "/lib/over.so");
	assert_string_equal(find(machine, 2, 0x1000, 13, NULL, &stable), "sh");
	assert_false(stable);
	assert_string_equal(find(machine, 2, 0x1000, 14, NULL, NULL), "over.so");
	assert_string_equal(find(machine, 2, 0x1800, 14, NULL, NULL), "sh");
	assert_string_equal(find(machine, 1, 0x1000, 14, NULL, NULL), "sh");
	comm(machine, 20, 2, 2, "true", true);
	map(machine, 21, 2, 0x5000, 0x1000, 0, "/bin/true");
	assert_string_equal(comm_of(machine, 2, 19), "shell");
	assert_string_equal(comm_of(machine, 2, 20), "true");
	/* The new image covers the old one, which is still seen beside it; what it maps itself is stable. */
	assert_string_equal(find(machine, 2, 0x1800, 25, NULL, &stable), "sh");
	assert_true(stable);
	map(machine, 22, 2, 0x1800, 0x100, 0, "/lib/new.so");
	assert_string_equal(find(machine, 2, 0x1800, 25, NULL, &stable), "new.so");
	assert_true(stable);
	assert_string_equal(find(machine, 2, 0x1800, 21, NULL, &stable), "sh");
	assert_false(stable);
	assert_string_equal(find(machine, 2, 0x1800, 19, NULL, NULL), "sh");
	assert_string_equal(find(machine, 2, 0x5000, 25, NULL, NULL), "true");
	assert_int_equal(machine_parent_pid(machine, 2), 1);
	machine_free(machine);
}

static void test_threads_share(void **state)
{
	struct machine *machine = machine_new();
	struct machine_thread thread;
	struct record record = at(5, RECORD_FORK, 0);

	(void)state;
	comm(machine, 0, 1, 1, "main", false);
	record.task = (struct record_task){ .pid = 1, .parent_pid = 1, .tid = 7, .parent_tid = 1 };
	machine_apply(machine, &record);
	comm(machine, 9, 1, 7, "worker", false);
	map(machine, 10, 1, 0x1000, 0x1000, 0, "/bin/a");
	thread = machine_thread_at(machine, 1, 7, 8);
	assert_string_equal(intern_text(machine_strings(machine), thread.comm), "main");
	assert_int_equal(thread.until, 9);
	thread = machine_thread_at(machine, 1, 7, 9);
	assert_string_equal(intern_text(machine_strings(machine), thread.comm), "worker");
	assert_int_equal(thread.from, 9);
	assert_int_equal(thread.until, UINT64_MAX);
	assert_int_equal(thread.space.v, machine_space_at(machine, 1, 9).v);
	machine_free(machine);
}

static void test_reused_pid(void **state)
{
	struct machine *machine = machine_new();

	(void)state;
	comm(machine, 1, 5, 5, "first", true);
	map(machine, 2, 5, 0x1000, 0x1000, 0, "/bin/first");
	fork_at(machine, 100, 9, 5, 5);
	comm(machine, 101, 5, 5, "second", true);
	map(machine, 102, 5, 0x1000, 0x1000, 0, "/bin/second");
	assert_string_equal(find(machine, 5, 0x1000, 50, NULL, NULL), "first");
	assert_string_equal(find(machine, 5, 0x1000, 200, NULL, NULL), "second");
	assert_string_equal(comm_of(machine, 5, 50), "first");
	assert_string_equal(comm_of(machine, 5, 200), "second");
	machine_free(machine);
}

static void test_deep_forks(void **state)
{
	struct machine *machine = machine_new();

	(void)state;
	map(machine, 1, 1, 0x1000, 0x1000, 0, "/bin/root");
	for (int32_t pid = 2; pid < 3000; pid++) {
		fork_at(machine, (uint64_t)pid * 10, pid - 1, pid, pid);
		if (pid % 3)
			map(machine, (uint64_t)pid * 10 + 1, pid, 0x10000 + (uint64_t)pid * 0x1000, 0x1000, 0,
			    "/lib/own.so");
	}
	assert_string_equal(find(machine, 2999, 0x1800, 99999, NULL, NULL), "root");
	assert_string_equal(find(machine, 2999, 0x10000 + 2 * 0x1000, 99999, NULL, NULL), "own.so");
	assert_string_equal(find(machine, 2999, 0x10000 + 3 * 0x1000, 99999, NULL, NULL), "");
	assert_string_equal(find(machine, 1, 0x10000 + 2 * 0x1000, 99999, NULL, NULL), "");
	machine_free(machine);
}

static void test_kernel(void **state)
{
	struct machine *machine = machine_new();
	struct record record = at(0, RECORD_MMAP, RECORD_CPUMODE_KERNEL);
	struct location location;

	(void)state;
	record.mmap = (struct record_mmap){
		.pid = -1, .addr = 0xffffffff81000000, .length = 0x1000000, .path = "[kernel.kallsyms]_text"
	};
	machine_apply(machine, &record);
	record.mmap = (struct record_mmap){ .pid = -1,
					    .addr = 0xffffffffc0000000,
					    .length = 0x4000,
					    .path = "/lib/modules/6.1/kernel/fs/ext4-x.ko.xz" };
	machine_apply(machine, &record);
	record = at(50, RECORD_KSYMBOL, 0);
	record.ksymbol = (struct record_ksymbol){
		.addr = 0xffffffffc0100000, .length = 0x100, .kind = 1, .name = "bpf_prog_12_x"
	};
	machine_apply(machine, &record);
	record = at(70, RECORD_KSYMBOL, 0);
	record.ksymbol = (struct record_ksymbol){ .addr = 0xffffffffc0100000,
						  .length = 0x100,
						  .kind = 1,
						  .is_unregister = true,
						  .name = "bpf_prog_12_x" };
	machine_apply(machine, &record);
	assert_true(machine_find(machine, (struct space_id){ 0 }, MACHINE_MODE_KERNEL, 0xffffffff81000010, 1,
				 &location));
	assert_int_equal(location.offset, 0xffffffff81000010);
	assert_string_equal(machine_dso(machine, location.dso)->name, "[kernel.kallsyms]");
	assert_true(machine_find(machine, (struct space_id){ 0 }, MACHINE_MODE_KERNEL, 0xffffffffc0000010, 1,
				 &location));
	assert_int_equal(location.offset, 0x10);
	assert_string_equal(machine_dso(machine, location.dso)->name, "[ext4_x]");
	assert_true(machine_find(machine, (struct space_id){ 0 }, MACHINE_MODE_USER, 0xffffffffc0100010, 60,
				 &location));
	assert_int_equal(machine_dso(machine, location.dso)->kind, DSO_BPF);
	assert_false(machine_find(machine, (struct space_id){ 0 }, MACHINE_MODE_KERNEL, 0xffffffffc0100010,
				  80, &location));
	assert_false(
		machine_find(machine, (struct space_id){ 0 }, MACHINE_MODE_KERNEL, 0x1000, 80, &location));
	machine_free(machine);
}

static void test_names_and_build_ids(void **state)
{
	static const uint8_t id_a[20] = { 1, 2, 3 }, id_b[20] = { 4, 5, 6 };
	struct machine *machine = machine_new();
	struct record record = at(1, RECORD_MMAP2, RECORD_CPUMODE_USER | RECORD_MISC_MMAP_BUILD_ID);
	struct location location;

	(void)state;
	machine_set_build_id(machine, "/bin/early", id_a, 20);
	map(machine, 1, 1, 0x1000, 0x1000, 0, "/bin/early");
	machine_find(machine, machine_space_at(machine, 1, 1), MACHINE_MODE_USER, 0x1000, 1, &location);
	assert_int_equal(machine_dso(machine, location.dso)->build_id_size, 20);
	map(machine, 1, 1, 0x3000, 0x1000, 0, "/bin/late");
	machine_set_build_id(machine, "/bin/late", id_b, 20);
	machine_find(machine, machine_space_at(machine, 1, 1), MACHINE_MODE_USER, 0x3000, 1, &location);
	assert_memory_equal(machine_dso(machine, location.dso)->build_id, id_b, 20);
	/* The same path with another build-id is another DSO: the file was replaced. */
	record.mmap = (struct record_mmap){ .pid = 2,
					    .addr = 0x1000,
					    .length = 0x1000,
					    .path = "/bin/late",
					    .build_id_size = 20,
					    .build_id = { 9 } };
	machine_apply(machine, &record);
	machine_find(machine, machine_space_at(machine, 2, 1), MACHINE_MODE_USER, 0x1000, 1, &location);
	assert_int_equal(machine_dso(machine, location.dso)->build_id[0], 9);
	map(machine, 1, 3, 0x1000, 0x1000, 0, "//anon");
	assert_string_equal(find(machine, 3, 0x1000, 1, NULL, NULL), "[JIT] tid 3");
	map(machine, 1, 3, 0x3000, 0x1000, 0, "[vdso]");
	assert_string_equal(find(machine, 3, 0x3000, 1, NULL, NULL), "[vdso]");
	/* Lengths that wrap end at the top. */
	map(machine, 1, 4, 0x1000, UINT64_MAX, 0, "/bin/wrap");
	assert_string_equal(find(machine, 4, 0x7fffffffffffffff, 1, NULL, NULL), "wrap");
	machine_free(machine);
}

static void test_unknown(void **state)
{
	struct machine *machine = machine_new();

	(void)state;
	assert_string_equal(comm_of(machine, 77, 1), "");
	assert_string_equal(comm_of(machine, 0, 1), "swapper");
	assert_string_equal(find(machine, 77, 0x1000, 1, NULL, NULL), "");
	assert_null(machine_cgroup(machine, 5));
	assert_int_equal(machine_parent_pid(machine, 77), -1);
	machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mappings_have_times), cmocka_unit_test(test_fork_copies_exec_replaces),
		cmocka_unit_test(test_threads_share),	    cmocka_unit_test(test_reused_pid),
		cmocka_unit_test(test_deep_forks),	    cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_names_and_build_ids), cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
