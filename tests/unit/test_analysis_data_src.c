/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "analysis/data_src.h"

static void check(uint64_t data_src, const char *want)
{
	struct buf buf = BUF_INIT;

	data_src_print(data_src, &buf);
	assert_string_equal(buf_text(&buf), want);
	buf_release(&buf);
}

static void test_words(void **state)
{
	(void)state;
	check(0, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A");
	check(0x1e05080021, "|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A");
	check(0x68100142, "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A");
	/* The level as a number, with remoteness and distance. */
	check(2ull | 1ull << 6 | 3ull << 33, "|OP LOAD|LVL L3 hit|SNP N/A|TLB N/A|LCK No|BLK  N/A");
	check(2ull | 1ull << 7 | 13ull << 33 | 1ull << 37,
	      "|OP LOAD|LVL Remote RAM miss|SNP N/A|TLB N/A|LCK No|BLK  N/A");
	check(2ull | 2ull << 33 | 1ull << 37 | 1ull << 43,
	      "|OP LOAD|LVL Remote core, same node L2 |SNP N/A|TLB N/A|LCK No|BLK  N/A");
	check(4ull | 7ull << 33, "|OP STORE|LVL Unknown level 7 |SNP N/A|TLB N/A|LCK No|BLK  N/A");
	check(1ull << 20 | 1ull << 23 | 1ull << 38,
	      "|OP No|LVL N/A|SNP None or HitM or Fwd|TLB N/A|LCK No|BLK  N/A");
	check(1ull << 25 | 3ull << 41, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK Yes|BLK  Data Addr");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
