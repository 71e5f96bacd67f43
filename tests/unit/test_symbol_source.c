/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "elf/image.h"
#include "symbol/symbol_source.h"

static char dir[64], path[128];

static void write_text(const char *name, const char *text)
{
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/sonde-source-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	snprintf(path, sizeof(path), "%s/tmp", dir);
	rmdir(path);
	return rmdir(dir);
}

static void release(struct symbol_context *context, struct symbol_set *set)
{
	if (!set->is_shared_table)
		symtab_free(set->table);
	if (set->debug_image != set->image)
		elf_image_close(set->debug_image);
	elf_image_close(set->image);
	free(set->complaint);
	kallsyms_free(context->kallsyms);
	free(context->kallsyms_complaint);
}

static const char *name_at(const struct symbol_set *set, uint64_t offset)
{
	uint64_t vaddr = offset + set->bias;
	uint32_t index;

	if (set->image && !elf_image_vaddr_of(set->image, offset, &vaddr))
		return "-";
	index = symtab_find(set->table, vaddr);
	return index == SYMTAB_NONE ? "-" : symtab_get(set->table, index).name;
}

static void test_file(void **state)
{
	struct dso dso = { .kind = DSO_FILE, .path = "/proc/self/exe", .name = "exe", .pid = -1 };
	struct symbol_context context = { 0 };
	struct symbol_set set = { 0 };
	uint64_t offset;
	uint32_t index;

	(void)state;
	symbol_source_elf(&context, &dso, &set);
	assert_non_null(set.table);
	assert_true(set.is_mangled);
	assert_null(set.complaint);
	index = symtab_find_name(set.table, "test_file");
	assert_true(elf_image_offset_of(set.image, symtab_get(set.table, index).start + 1, &offset));
	assert_string_equal(name_at(&set, offset), "test_file");
	release(&context, &set);
}

static void test_no_file(void **state)
{
	struct dso dso = { .kind = DSO_FILE, .path = "/no/such/lib.so", .name = "lib.so", .pid = -1 };
	struct symbol_context context = { 0 };
	struct symbol_set set = { 0 };

	(void)state;
	symbol_source_elf(&context, &dso, &set);
	assert_null(set.table);
	assert_string_equal(set.complaint, "/no/such/lib.so is not there");
	release(&context, &set);
	dso.path = "/memfd:jit";
	set = (struct symbol_set){ 0 };
	symbol_source_elf(&context, &dso, &set);
	assert_null(set.complaint);
	release(&context, &set);
}

static void test_vdso(void **state)
{
	struct dso dso = { .kind = DSO_VDSO, .path = "[vdso]", .name = "[vdso]", .pid = -1 };
	struct symbol_context context = { 0 };
	struct symbol_set set = { 0 };

	(void)state;
	symbol_source_vdso(&context, &dso, &set);
	if (!set.table)
		skip();
	assert_true(symtab_nr(set.table) > 0);
	release(&context, &set);
	/* Another kernel's is not ours. */
	context = (struct symbol_context){ .options.os_release = "1.2.3-other" };
	set = (struct symbol_set){ 0 };
	symbol_source_vdso(&context, &dso, &set);
	assert_null(set.table);
	release(&context, &set);
}

/* The kernel of the recording lay 2 MiB lower than that of the list, the module is in it as loaded then. */
static void test_kallsyms(void **state)
{
	struct dso kernel = { .kind = DSO_KERNEL,
			      .path = "[kernel.kallsyms]",
			      .name = "[kernel.kallsyms]",
			      .pid = -1,
			      .start = 0xffffffff81000000 };
	struct dso module = {
		.kind = DSO_MODULE, .path = "[ext4]", .name = "[ext4]", .pid = -1, .start = 0xffffffffc0000000
	};
	struct symbol_context context = { .options.kallsyms = path };
	struct symbol_set set = { 0 };

	(void)state;
	write_text("kallsyms", "ffffffff81200000 T _text\n"
			       "ffffffff81200100 T schedule\n"
			       "ffffffff81200200 T _etext\n"
			       "ffffffffc0000010 t ext4_one\t[ext4]\n"
			       "ffffffffc0000020 t ext4_two\t[ext4]\n");
	symbol_source_kernel(&context, &kernel, &set);
	assert_true(set.is_shared_table);
	assert_false(set.is_mangled);
	assert_int_equal(set.bias, 0x200000);
	assert_string_equal(name_at(&set, 0xffffffff81000180), "schedule");
	set = (struct symbol_set){ 0 };
	symbol_source_module(&context, &module, &set);
	assert_string_equal(name_at(&set, 0x18), "ext4_one");
	assert_string_equal(name_at(&set, 0x20), "ext4_two");
	release(&context, &set);
}

static void test_other_kernel(void **state)
{
	struct dso dso = { .kind = DSO_KERNEL,
			   .path = "[kernel.kallsyms]",
			   .name = "[kernel.kallsyms]",
			   .pid = -1,
			   .start = 0xffffffff81000000 };
	struct symbol_context context = { .options.os_release = "1.2.3-other", .options.buildid_dir = "" };
	struct symbol_set set = { 0 };

	(void)state;
	symbol_source_kernel(&context, &dso, &set);
	assert_null(set.table);
	assert_non_null(strstr(set.complaint, "1.2.3-other"));
	assert_non_null(strstr(set.complaint, "--vmlinux"));
	release(&context, &set);
}

static void test_perfmap(void **state)
{
	struct dso dso = {
		.kind = DSO_JIT, .path = "//anon", .name = "perf-1000000000.map", .pid = 1000000000
	};
	struct symbol_context context = { .options.symfs = dir };
	struct symbol_set set = { 0 };

	(void)state;
	symbol_source_perfmap(&context, &dso, &set);
	assert_null(set.table);
	snprintf(path, sizeof(path), "%s/tmp", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	write_text("tmp/perf-1000000000.map", "7000 10 compiled\n7010 10 other\nhalf a li");
	symbol_source_perfmap(&context, &dso, &set);
	assert_string_equal(name_at(&set, 0x700f), "compiled");
	assert_null(set.complaint);
	release(&context, &set);
}

static void test_bpf(void **state)
{
	struct dso dso = { .kind = DSO_BPF,
			   .path = "bpf_prog_1_x",
			   .name = "bpf_prog_1_x",
			   .pid = -1,
			   .start = 0xffffffffc0000000,
			   .end = 0xffffffffc0000040 };
	struct symbol_context context = { 0 };
	struct symbol_set set = { 0 };

	(void)state;
	symbol_source_bpf(&context, &dso, &set);
	assert_string_equal(name_at(&set, 0xffffffffc000003f), "bpf_prog_1_x");
	assert_string_equal(name_at(&set, 0xffffffffc0000040), "-");
	release(&context, &set);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_file),	 TEST(test_no_file), TEST(test_vdso), TEST(test_kallsyms),
		TEST(test_other_kernel), TEST(test_perfmap), TEST(test_bpf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
