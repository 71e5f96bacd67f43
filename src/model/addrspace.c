/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces that remember.
 *
 * The kernel reports mmap but never munmap: at any time the newest mapping of an address counts. So an
 * address space is cut at all the starts and ends of its mappings into pieces, and each piece has a list of
 * versions, newest first. Nearly all pieces have one version and cost one binary search. Mappings that
 * change nothing (a JIT that maps the same memory again and again) add no version.
 */
#include "model/addrspace.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* Beyond this many ancestors a forked space copies them, so that look-ups stay short. */
#define DEPTH_MAX 16
/* Versions one space may have in all: only a hostile file comes near. */
#define NR_VERSIONS_MAX (4u << 20)

struct addrspace *addrspace_new(struct addrspace *parent, uint64_t fork_time, bool is_image)
{
	struct addrspace *space = xcalloc(1, sizeof(*space));

	space->is_image = is_image;
	/* A parent that maps nothing itself is only a pointer to its own parent. */
	while (parent && !parent->mappings.nr && parent->parent) {
		if (parent->fork_time < fork_time)
			fork_time = parent->fork_time;
		parent = parent->parent;
	}
	if (!parent)
		return space;
	space->parent = parent;
	space->fork_time = fork_time;
	space->depth = parent->depth + 1;
	if (space->depth > DEPTH_MAX) {
		struct addrspace *chain[DEPTH_MAX + 2];
		uint64_t times[DEPTH_MAX + 2];
		unsigned nr = 0;

		for (struct addrspace *old = parent; old && nr < NR_ITEMS(chain); old = old->parent) {
			chain[nr] = old;
			times[nr++] = fork_time;
			if (old->fork_time < fork_time)
				fork_time = old->fork_time;
		}
		while (nr--)
			for (size_t i = 0; i < chain[nr]->mappings.nr; i++) {
				struct mapping mapping = chain[nr]->mappings.items[i];

				if (mapping.from > times[nr])
					break;
				mapping.from = 0;
				addrspace_add(space, &mapping);
			}
		space->parent = NULL;
		space->depth = 0;
	}
	return space;
}

void addrspace_free(struct addrspace *space)
{
	if (!space)
		return;
	array_release(&space->mappings);
	array_release(&space->pieces);
	array_release(&space->versions);
	free(space);
}

void addrspace_add(struct addrspace *space, const struct mapping *mapping)
{
	if (mapping->end <= mapping->start)
		return;
	array_push(&space->mappings, *mapping);
	atomic_store_explicit(&space->is_indexed, false, memory_order_relaxed);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t first_piece(const struct addrspace *space, uint64_t addr)
{
	size_t low = 0, high = space->pieces.nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (space->pieces.items[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void make_index(struct addrspace *space)
{
	size_t nr = space->mappings.nr, nr_cuts = 0;
	uint64_t *cuts = xreallocarray(NULL, nr * 2 + 1, sizeof(*cuts));
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		cuts[nr_cuts++] = space->mappings.items[i].start;
		cuts[nr_cuts++] = space->mappings.items[i].end;
	}
	qsort(cuts, nr_cuts, sizeof(*cuts), compare_u64);
	space->pieces.nr = space->versions.nr = 0;
	for (size_t i = 0; i + 1 < nr_cuts; i++)
		if (cuts[i] != cuts[i + 1])
			array_push(&space->pieces,
				   (struct addrspace_piece){ .start = cuts[i], .end = cuts[i + 1] });
	free(cuts);
	for (size_t i = 0; i < nr; i++) {
		const struct mapping *mapping = &space->mappings.items[i];

		for (size_t p = first_piece(space, mapping->start);
		     p < space->pieces.nr && space->pieces.items[p].start < mapping->end; p++) {
			struct addrspace_piece *piece = &space->pieces.items[p];

			if (space->versions.nr >= NR_VERSIONS_MAX)
				break;
			if (piece->newest) {
				const struct mapping *old =
					&space->mappings
						 .items[space->versions.items[piece->newest - 1].mapping];

				if (old->dso == mapping->dso && old->delta == mapping->delta)
					continue;
			}
			array_push(&space->versions,
				   (struct addrspace_version){ (uint32_t)i, piece->newest });
			piece->is_single = !piece->newest;
			piece->newest = (uint32_t)space->versions.nr;
		}
	}
	/* Gaps between mappings are pieces without a version: drop them. */
	for (size_t p = 0; p < space->pieces.nr; p++)
		if (space->pieces.items[p].newest)
			space->pieces.items[kept++] = space->pieces.items[p];
	space->pieces.nr = kept;
	atomic_store_explicit(&space->is_indexed, true, memory_order_release);
}

const struct mapping *addrspace_find(struct addrspace *space, pthread_mutex_t *lock, uint64_t addr,
				     uint64_t time, bool *ret_is_stable)
{
	bool is_ancestor = false;

	*ret_is_stable = true;
	for (; space; space = space->parent) {
		size_t p;

		if (!atomic_load_explicit(&space->is_indexed, memory_order_acquire)) {
			pthread_mutex_lock(lock);
			if (!atomic_load_explicit(&space->is_indexed, memory_order_relaxed))
				make_index(space);
			pthread_mutex_unlock(lock);
		}
		p = first_piece(space, addr);
		if (p < space->pieces.nr && space->pieces.items[p].start <= addr) {
			const struct addrspace_piece *piece = &space->pieces.items[p];
			const struct mapping *mapping = NULL;
			uint32_t version = piece->newest;

			/* The time of a look-up in an ancestor is the fork's, which is fixed. */
			if (!is_ancestor && (!piece->is_single || (space->parent && !space->is_image)))
				*ret_is_stable = false;
			for (; version; version = space->versions.items[version - 1].older) {
				mapping = &space->mappings.items[space->versions.items[version - 1].mapping];
				if (mapping->from <= time)
					return mapping->dso ? mapping : NULL;
			}
			if (!is_ancestor && space->parent)
				*ret_is_stable = false;
			if (!is_ancestor && !space->parent)
				return mapping && mapping->dso ? mapping : NULL;
		}
		if (space->fork_time < time)
			time = space->fork_time;
		is_ancestor = true;
	}
	return NULL;
}
