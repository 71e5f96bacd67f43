/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/demangle.h"

#ifdef HAVE_IBERTY
/* name, full, short; NULL: is no mangled name, or not one that can be read. */
static const char *const cases[][3] = {
	{ "_Z4spini", "spin(int)", "spin" },
	{ "_ZN2ns4spinERSt6vectorIiSaIiEEl", "ns::spin(std::vector<int, std::allocator<int> >&, long)",
	  "ns::spin" },
	{ "_ZN2ns5tspinIlEET_S1_", "long ns::tspin<long>(long)", "ns::tspin<long>" },
	{ "_ZNK2ns1KclEl", "ns::K::operator()(long) const", "ns::K::operator()" },
	{ "_ZN2ns1KC1Ev", "ns::K::K()", "ns::K::K" },
	{ "_ZN2ns1KD0Ev", "ns::K::~K()", "ns::K::~K" },
	{ "_ZN2ns5localEv.part.3", "ns::local() [clone .part.3]", "ns::local" },
	{ "_Z3barv.llvm.123456", "bar() [clone .llvm.123456]", "bar" },
	{ "_ZN2ns6taggedB5cxx11Ev", "ns::tagged[abi:cxx11]()", "ns::tagged[abi:cxx11]" },
	{ "_Znwm@plt", "operator new(unsigned long)@plt", "operator new@plt" },
	{ "_ZSt4cout@@GLIBCXX_3.4", "std::cout@@GLIBCXX_3.4", "std::cout@@GLIBCXX_3.4" },
	{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write", "core::fmt::write" },
	{ "_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function", "foo::example_function" },
	{ "_D3std5stdio99writeln", NULL, NULL },
	{ "_D3std5stdio7writelnFZv", "std.stdio.writeln()", "std.stdio.writeln()" },
	{ "_Dmain", "D main", "D main" },
	{ "camlStdlib__List__iter_123", "Stdlib.List.iter_123", "Stdlib.List.iter_123" },
	{ "camlFoo__$2b$2b_5", "Foo.++_5", "Foo.++_5" },
	{ "camlcase", NULL, NULL },
	{ "_ZN2ns5clonePKc.constprop.0", NULL, NULL },
	{ "_ZN2ns5localE$$$", NULL, "ns::local" },
	{ "__Z1fi", NULL, NULL },
	{ "_GLOBAL__sub_I__ZN2ns1xE", NULL, NULL },
	{ "main", NULL, NULL },
	{ "", NULL, NULL },
	{ "_", NULL, NULL },
	{ "_Z", NULL, NULL },
	{ "_R", NULL, NULL },
	{ "_D", NULL, NULL },
	{ "_DYNAMIC", NULL, NULL },
	{ "_Z@plt", NULL, NULL },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_ITEMS(cases); i++) {
		for (unsigned style = 0; style < 2; style++) {
			const char *want = cases[i][1 + style];
			struct buf buf = BUF_INIT;

			buf_str(&buf, "before ");
			assert_int_equal(demangle_name(cases[i][0], style ? DEMANGLE_SHORT : DEMANGLE_FULL,
						       &buf),
					 want != NULL);
			assert_memory_equal(buf_text(&buf), "before ", 7);
			assert_string_equal(buf_text(&buf) + 7, want ? want : "");
			if (want)
				assert_true(demangle_is_mangled(cases[i][0]));
			buf_release(&buf);
		}
	}
}

/* A C++ name longer than libiberty's own limit. */
static void test_long_name(void **state)
{
	struct buf name = BUF_INIT, text = BUF_INIT;

	(void)state;
	buf_str(&name, "_Z1f");
	for (unsigned i = 0; i < 1000; i++)
		buf_str(&name, "Pi");
	assert_true(demangle_name(buf_text(&name), DEMANGLE_FULL, &text));
	assert_memory_equal(buf_text(&text), "f(int*, int*", 12);
	for (unsigned i = 0; i < 2000; i++)
		buf_str(&name, "Pi");
	text.size = 0;
	assert_false(demangle_name(buf_text(&name), DEMANGLE_FULL, &text));
	buf_release(&name);
	buf_release(&text);
}

/* Each substitution doubles what the one before stands for. */
static void test_bombs(void **state)
{
	struct buf name = BUF_INIT, text = BUF_INIT;

	(void)state;
	buf_str(&name, "_Z1fI1aES_IS_S_E");
	for (unsigned i = 0; i < 30; i++)
		buf_printf(&name, "S_IS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i],
			   "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
	demangle_name(buf_text(&name), DEMANGLE_FULL, &text);
	assert_true(text.size <= 65536);
	name.size = text.size = 0;
	/* The same with Rust's back references. */
	buf_str(&name, "_RIC1aT");
	for (unsigned i = 0; i < 40; i++)
		buf_str(&name, "TB7_B7_E");
	buf_str(&name, "EE");
	demangle_name(buf_text(&name), DEMANGLE_FULL, &text);
	assert_true(text.size <= 65536);
	name.size = text.size = 0;
	/* And D's. */
	buf_str(&name, "_D3fooFHiHi");
	for (unsigned i = 0; i < 40; i++)
		buf_str(&name, "HQeQg");
	buf_str(&name, "Zv");
	demangle_name(buf_text(&name), DEMANGLE_FULL, &text);
	assert_true(text.size <= 65536);
	name.size = text.size = 0;
	/* Nesting without end. */
	buf_str(&name, "_Z1f");
	buf_fill(&name, 'P', 4000);
	buf_str(&name, "i");
	demangle_name(buf_text(&name), DEMANGLE_FULL, &text);
	assert_true(text.size <= 65536);
	buf_release(&name);
	buf_release(&text);
}

static void *demangle_all(void *arg)
{
	for (unsigned round = 0; round < 200; round++) {
		for (size_t i = 0; i < NR_ITEMS(cases); i++) {
			struct buf buf = BUF_INIT;

			if (demangle_name(cases[i][0], DEMANGLE_FULL, &buf) != (cases[i][1] != NULL) ||
			    (cases[i][1] && strcmp(buf_text(&buf), cases[i][1])))
				*(bool *)arg = false;
			buf_release(&buf);
		}
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[4];
	bool good[4] = { true, true, true, true };

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, demangle_all, &good[i]), 0);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_true(good[i]);
	}
}
#else
static void test_names(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	assert_false(demangle_name("_Z4spini", DEMANGLE_FULL, &buf));
	assert_true(demangle_name("camlFoo__bar_5", DEMANGLE_FULL, &buf));
	assert_string_equal(buf_text(&buf), "Foo.bar_5");
	buf_release(&buf);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
#ifdef HAVE_IBERTY
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_threads),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
