/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_ADDRSPACE_H
#define MODEL_ADDRSPACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

/* One mapping, valid from a time on. dso 0 means: nothing is here any more. */
struct mapping {
	uint64_t start, end; /* end is exclusive */
	uint64_t delta; /* offset in the DSO = address - delta */
	uint64_t from;
	uint32_t dso;
};

/* A piece of the address space on which the same mappings compete. */
struct addrspace_piece {
	uint64_t start, end;
	uint32_t newest; /* version index + 1 */
	bool is_single; /* one version: the answer does not depend on the time */
};

struct addrspace_version {
	uint32_t mapping;
	uint32_t older; /* version index + 1; 0: none */
};

/*
 * What a process has between one exec and the next. A forked child starts as a view of its parent at the
 * time of the fork; only what it maps itself is its own.
 */
struct addrspace {
	ARRAY(struct mapping) mappings; /* in the order of application, `from` never falls */
	struct addrspace *parent; /* NULL: none */
	uint64_t fork_time;
	bool is_image; /* made by an exec: what it maps is never an answer for the image before */
	unsigned depth; /* ancestors */
	/* The index over `mappings`, made when somebody asks first. */
	_Atomic bool is_indexed;
	ARRAY(struct addrspace_piece) pieces; /* by start, not overlapping */
	ARRAY(struct addrspace_version) versions;
};

/* parent: whose mappings are seen through where there are none of its own; NULL: none. */
struct addrspace *addrspace_new(struct addrspace *parent, uint64_t fork_time, bool is_image);
void addrspace_free(struct addrspace *space);
void addrspace_add(struct addrspace *space, const struct mapping *mapping);
/*
 * The mapping that holds addr at a time, or NULL; ret_is_stable says that every time gives this answer. An
 * address whose first mapping came later than `time` gets that mapping: records of several CPUs are only nearly in order.
 * lock guards the making of indexes.
 */
const struct mapping *addrspace_find(struct addrspace *space, pthread_mutex_t *lock, uint64_t addr,
				     uint64_t time, bool *ret_is_stable);

#endif
