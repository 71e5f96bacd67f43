/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_KALLSYMS_CACHE_H
#define ELF_KALLSYMS_CACHE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"

struct kallsyms;

/*
 * The symbols of the running kernel, as kallsyms_open("/proc/kallsyms") gives them, by way of the user's cache where
 * there is one (base/cache). What the kernel invents as it goes (trampolines, BPF programs) may be missing:
 * see kallsyms_cache_lacks.
 */
int kallsyms_cache_open(struct kallsyms **ret_kallsyms, struct err *err);
/* These came from the cache, and the cache does not hold this module's symbols: ask kallsyms_open. */
bool kallsyms_cache_lacks(const struct kallsyms *kallsyms, const char *module);

/* The two halves: tables to bytes at `file`'s disposal, and back. The key is what they depend on. -errno, no words. */
struct buf;
struct file_map;
int kallsyms_cache_encode(const struct kallsyms *kallsyms, struct span key, struct buf *buf);
/* *file becomes the tables' when 0 is returned. */
int kallsyms_cache_decode(struct file_map *file, struct span key, struct kallsyms **ret_kallsyms);

#endif
