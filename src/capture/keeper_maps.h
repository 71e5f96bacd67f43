/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of JIT-compiled code of processes in containers. A runtime writes them to /tmp/perf-PID.map, where both /tmp and
 * PID are those of its namespaces: they are gone with it. So the folder is held open while it is recorded, and at the
 * end its map is copied to where everybody looks for it, /tmp/perf-PID.map with the PID that was recorded.
 */
#ifndef CAPTURE_KEEPER_MAPS_H
#define CAPTURE_KEEPER_MAPS_H

#include <stdint.h>

struct keeper_maps;

struct keeper_maps *keeper_maps_new(const char *dir); /* where maps are copied to; NULL: /tmp */
void keeper_maps_free(struct keeper_maps *maps);
/* A process that has JIT memory. */
void keeper_maps_look(struct keeper_maps *maps, int32_t pid);
/* Copies what there is, up to size_max bytes each; how many. */
unsigned keeper_maps_finish(struct keeper_maps *maps, uint64_t size_max);

#endif
