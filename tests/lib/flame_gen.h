/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up profiles for the flame graph's tests: the same from the same arguments, everywhere. */
#ifndef TESTS_LIB_FLAME_GEN_H
#define TESTS_LIB_FLAME_GEN_H

#include <stdint.h>

#include "render/flame_data.h"

struct flame_gen;

/*
 * A profile by name: "demo" (a program with threads, kernel time, JIT and inlined code), "stacks" (100,000
 * distinct stacks), "nodes" (a million nodes), "deep" (500 levels), "threads" (10,000 threads), "names" (names
 * that try to break out), "empty", "silent" (events, no samples). NULL for any other name.
 */
struct flame_gen *flame_gen_new(const char *name);
void flame_gen_free(struct flame_gen *gen);
const struct flame_data *flame_gen_data(const struct flame_gen *gen);

/* By hand: frames and nodes are found or added, samples are summed up when the data is asked for. */
struct flame_gen *flame_gen_new_empty(void);
uint32_t flame_gen_event(struct flame_gen *gen, const char *name, const char *unit);
uint32_t flame_gen_thread(struct flame_gen *gen, uint32_t pid, uint32_t tid, const char *comm);
/* A process of one thread for each name, found or added. */
uint32_t flame_gen_command(struct flame_gen *gen, const char *comm);
uint32_t flame_gen_frame(struct flame_gen *gen, const char *name, const char *dso, enum flame_kind kind);
uint32_t flame_gen_node(struct flame_gen *gen, uint32_t parent, uint32_t frame);
/* stack: "main;work;read", user frames of "app". */
uint32_t flame_gen_stack(struct flame_gen *gen, const char *stack);
void flame_gen_sample(struct flame_gen *gen, uint32_t event, uint32_t thread, uint32_t node, uint64_t weight);

#endif
