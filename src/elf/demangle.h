/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEMANGLE_H
#define ELF_DEMANGLE_H

#include <stdbool.h>

#include "base/buf.h"

enum demangle_style {
	DEMANGLE_FULL, /* with parameters: "ns::f(int, char const*)", as perf 7 shows names */
	DEMANGLE_SHORT, /* without: "ns::f", as perf 6 does */
};

/*
 * Appends the readable form of a C++, Rust, D or OCaml name. false, and nothing appended, when the name is not
 * mangled or not understood: show it as it is. Symbol versions and "@plt" stay behind the readable part. Kernel
 * names must not be given here. Thread-safe; output, time and stack are limited whatever the name is.
 */
bool demangle_name(const char *name, enum demangle_style style, struct buf *buf);
/* Cheap: false says that demangle_name would return false. */
bool demangle_is_mangled(const char *name);

#endif
