/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdlib.h>
#include <time.h>

#include "render/script_text.h"

static struct buf buf = BUF_INIT;

static void check(const char *want)
{
	assert_string_equal(buf_text(&buf), want);
	buf.size = 0;
}

static void test_head(void **state)
{
	struct script_style style = { .fields = SCRIPT_BIT(COMM) | SCRIPT_BIT(TID) };

	(void)state;
	script_text_task(&buf, &style, "app", 10, 11);
	check("             app      11 ");
	style.fields |= SCRIPT_BIT(PID);
	script_text_task(&buf, &style, "app", 10, 11);
	check("             app      10/11      ");
	/* The comm is bare where callchains follow. */
	style.fields = SCRIPT_BIT(COMM) | SCRIPT_BIT(TID) | SCRIPT_BIT(IP);
	style.has_chains = true;
	script_text_task(&buf, &style, "two words", 10, -1);
	check("two words      -1 ");
	script_text_cpu(&buf, &style, 7);
	check("[007] ");
	script_text_cpu(&buf, &style, 4095);
	check("[4095] ");
	script_text_time(&buf, &style, 1234567891234);
	check(" 1234.567891: ");
	style.is_ns = true;
	script_text_time(&buf, &style, 1);
	check("    0.000000001: ");
	style.is_latency = true;
	script_text_task(&buf, &style, "longername", 1, 2);
	check("longerna       2 ");
	script_text_cpu(&buf, &style, 3);
	check("  3 ");
	script_text_misc(&buf, "UM");
	check("UM    ");
	script_text_event(&buf, "cycles", 9);
	check("   cycles: ");
}

static void test_tod(void **state)
{
	struct script_style style = { 0 };

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	script_text_tod(&buf, &style, 86400000000000ull * 365 + 1002003004);
	check("1971-01-01 00:00:01.002003 ");
}

static void test_places(void **state)
{
	struct script_style style = { .fields = SCRIPT_BIT(SYM) | SCRIPT_BIT(DSO) };
	struct script_place place = { .addr = 0x401234,
				      .name = "main",
				      .name_offset = 0x34,
				      .dso = "/bin/app",
				      .dso_offset = 0x1234,
				      .has_dso_offset = true };
	struct script_place nothing = { .addr = 0xffffffffffffffff };

	(void)state;
	script_text_place(&buf, &style, &place);
	check("          401234 main (/bin/app)");
	style.fields |= SCRIPT_BIT(SYMOFF) | SCRIPT_BIT(DSOFF);
	script_text_frame(&buf, &style, &place, NULL);
	check("\t          401234 main+0x34 (/bin/app+0x1234)\n");
	script_text_frame(&buf, &style, &place, "app.c:7");
	check("\t          401234 main+0x34 (/bin/app+0x1234)\n  app.c:7\n");
	script_text_place(&buf, &style, &nothing);
	check("ffffffffffffffff [unknown] ([unknown])");
	script_text_addr(&buf, &style, &place, false);
	check("          401234");
	script_text_addr(&buf, &style, &place, true);
	check("          401234 main+0x34 (/bin/app+0x1234)");
}

static void test_branches(void **state)
{
	struct script_style style = { 0 };
	struct script_branch branch = {
		.from = { .addr = 0x10,
			  .name = "f",
			  .name_offset = 1,
			  .dso = "d",
			  .dso_offset = 5,
			  .has_dso_offset = true },
		.to = { .addr = 0x20 },
		.flags = 1 | 4 | 9 << 4 | 4 << 20,
	};

	(void)state;
	script_text_branch(&buf, &style, SCRIPT_BRSTACK, &branch);
	check(" 0x10/0x20/M/X/-/9/CALL/- ");
	script_text_branch(&buf, &style, SCRIPT_BRSTACKSYM, &branch);
	check("f+0x1/[unknown]/M/X/-/9/CALL/- ");
	style.fields = SCRIPT_BIT(DSO);
	script_text_branch(&buf, &style, SCRIPT_BRSTACKOFF, &branch);
	check(" 0x5 (d)/0x20 ([unknown])/M/X/-/9/CALL/- ");
}

static void test_data(void **state)
{
	const uint64_t values[] = { 1, 0xabc };
	struct script_regs regs = { .abi = 2, .mask = 1 << 0 | 1 << 23, .values = (const uint8_t *)values };

	(void)state;
	script_text_regs(&buf, &regs);
	check(" ABI:2    AX:0x1   R15:0xabc ");
	regs.arch = SCRIPT_ARCH_ARM64;
	regs.mask = 1ull << 5 | 1ull << 32;
	script_text_regs(&buf, &regs);
	check(" ABI:2    x5:0x1    pc:0xabc ");
	regs.mask = 0;
	script_text_regs(&buf, &regs);
	check("");
	script_text_bpf_output(&buf, (struct span){ (const uint8_t *)"hello world\0", 12 });
	check("\n      BPF output: 0000: 68 65 6c 6c 6f 20 77 6f  hello wo\n"
	      "                  0008: 72 6c 64 00              rld.    \n"
	      "      BPF string: \"hello world\"\n");
	script_text_bpf_output(&buf, (struct span){ (const uint8_t *)"\x01", 1 });
	check("\n      BPF output: 0000: 01                       .       \n");
	script_text_page_size(&buf, 0);
	script_text_page_size(&buf, 4096);
	script_text_page_size(&buf, 2 << 20);
	script_text_page_size(&buf, 1 << 30);
	script_text_page_size(&buf, 100);
	check(" N/A 4K 2M 1G 100B");
	script_text_insn(&buf, (struct span){ (const uint8_t *)"\x89\xc2", 2 });
	check(" insn: 89 c2");
}

static int release(void **state)
{
	(void)state;
	buf_release(&buf);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head),	 cmocka_unit_test(test_tod),  cmocka_unit_test(test_places),
		cmocka_unit_test(test_branches), cmocka_unit_test(test_data),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
