/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <string.h>

#include "elf/insn_length.h"

/* Instructions of one length each, as an assembler encodes them. */
static void test_64bit(void **state)
{
	static const struct {
		unsigned length;
		const char *bytes;
	} cases[] = {
		{ 1, "\xc3" }, /* ret */
		{ 1, "\x90" },
		{ 2, "\x89\xc2" }, /* mov %eax,%edx */
		{ 2, "\x0f\x05" }, /* syscall */
		{ 3, "\x48\x89\xe5" },
		{ 4, "\x48\x83\xec\x10" }, /* sub $0x10,%rsp */
		{ 5, "\xe8\x01\x02\x03\x04" }, /* call */
		{ 5, "\x48\x8b\x44\x24\x08" }, /* mov 8(%rsp),%rax */
		{ 6, "\x0f\x84\x01\x02\x03\x04" }, /* je */
		{ 7, "\x48\x8d\x05\x01\x02\x03\x04" }, /* lea (%rip) */
		{ 8, "\x48\x8b\x04\xc5\x01\x02\x03\x04" }, /* mov disp32(,%rax,8) */
		{ 10, "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08" }, /* movabs */
		{ 5, "\xb8\x01\x02\x03\x04" },
		{ 4, "\x66\xb8\x01\x02" }, /* mov $0x201,%ax */
		{ 9, "\xa1\x01\x02\x03\x04\x05\x06\x07\x08" }, /* movabs moffs */
		{ 4, "\xc8\x10\x00\x01" }, /* enter */
		{ 3, "\xf6\xc0\x01" }, /* test $1,%al */
		{ 2, "\xf6\xd0" }, /* not %al */
		{ 6, "\xf7\xc0\x01\x02\x03\x04" },
		{ 2, "\xf3\x90" }, /* pause */
		{ 4, "\xf3\x0f\x1e\xfa" }, /* endbr64 */
		{ 9, "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00" }, /* nopw */
		{ 5, "\x66\x0f\x38\x00\xc1" }, /* pshufb */
		{ 6, "\x66\x0f\x3a\x0f\xc1\x08" }, /* palignr */
		{ 4, "\xc5\xf8\x28\xc1" }, /* vmovaps */
		{ 3, "\xc5\xf8\x77" }, /* vzeroupper */
		{ 5, "\xc5\xf9\x70\xc1\x1b" }, /* vpshufd */
		{ 5, "\xc4\xe2\x71\x00\xc2" }, /* vpshufb */
		{ 6, "\xc4\xe3\x71\x0f\xc2\x08" }, /* vpalignr */
		{ 6, "\x62\xf1\x7c\x48\x28\xc1" }, /* vmovaps %zmm1 */
		{ 7, "\x62\xf3\x75\x48\x25\xc2\xff" }, /* vpternlogd */
		{ 2, "\x8f\x00" }, /* pop (%rax) */
		{ 3, "\x4d\x89\xc1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t code[16] = { 0 };

		memcpy(code, cases[i].bytes, cases[i].length);
		assert_int_equal(insn_length_x86((struct span){ code, sizeof(code) }, true), cases[i].length);
		/* Cut short it is not known. */
		assert_int_equal(insn_length_x86((struct span){ code, cases[i].length - 1 }, true), 0);
	}
}

static void test_32bit(void **state)
{
	const uint8_t inc[] = { 0x40 }, les[] = { 0xc4, 0x45, 0x08 }, moffs[] = { 0xa1, 1, 2, 3, 4 };
	const uint8_t small[] = { 0x67, 0x8b, 0x46, 0x04 };

	(void)state;
	assert_int_equal(insn_length_x86((struct span){ inc, 1 }, false), 1);
	assert_int_equal(insn_length_x86((struct span){ les, 3 }, false), 3);
	assert_int_equal(insn_length_x86((struct span){ moffs, 5 }, false), 5);
	assert_int_equal(insn_length_x86((struct span){ small, 4 }, false), 4);
}

static void test_bad(void **state)
{
	uint8_t prefixes[20], any[16];

	(void)state;
	memset(prefixes, 0x66, sizeof(prefixes));
	assert_int_equal(insn_length_x86((struct span){ prefixes, sizeof(prefixes) }, true), 0);
	assert_int_equal(insn_length_x86((struct span){ prefixes, 0 }, true), 0);
	/* Whatever the bytes are, the answer lies within them. */
	for (unsigned first = 0; first < 256; first++) {
		for (unsigned second = 0; second < 256; second++) {
			memset(any, 0xff, sizeof(any));
			any[0] = (uint8_t)first;
			any[1] = (uint8_t)second;
			assert_true(insn_length_x86((struct span){ any, sizeof(any) }, true) <= 15);
			assert_true(insn_length_x86((struct span){ any, 3 }, false) <= 3);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_64bit),
		cmocka_unit_test(test_32bit),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
