/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File systems that other processes live in. A container's root is held open from the first process that is seen in it,
 * so that a program that has ended already can still be found by its path, as long as the container is there.
 */
#ifndef CAPTURE_KEEPER_ROOTS_H
#define CAPTURE_KEEPER_ROOTS_H

#include <stdint.h>

struct keeper_roots;

struct keeper_roots *keeper_roots_new(void);
void keeper_roots_free(struct keeper_roots *roots);
/* Holds the root of a process if it is neither ours nor held. */
void keeper_roots_look(struct keeper_roots *roots, int32_t pid);
/* The next file (from *at, begun with 0) that some root has at path: a descriptor, or -1 when there is no more. */
int keeper_roots_open(const struct keeper_roots *roots, const char *path, unsigned *at);

#endif
