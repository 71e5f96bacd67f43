/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <stdlib.h>

#include "base/xalloc.h"

#define HUGE_PAGE ((size_t)2 << 20)

uint64_t hash_words(const void *words, size_t nr, uint64_t seed)
{
	const uint8_t *pos = words;
	/* Two lanes, so that the multiplications of neighbours overlap. */
	uint64_t a = seed ^ HASH_K0;
	uint64_t b = (seed + nr) ^ HASH_K2;

	for (; nr >= 4; nr -= 4, pos += 32) {
		uint64_t w[4];

		memcpy(w, pos, sizeof(w));
		a = hash_mix(w[0] ^ HASH_K1, w[1] ^ a);
		b = hash_mix(w[2] ^ HASH_K2, w[3] ^ b);
	}
	for (; nr; nr--, pos += 8) {
		uint64_t w;

		memcpy(&w, pos, sizeof(w));
		a = hash_mix(w ^ HASH_K1, a ^ HASH_K0);
	}
	return hash_mix(a ^ HASH_K1, b ^ HASH_K0);
}

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
	const uint8_t *pos = data;
	uint64_t tail = 0;
	size_t words = size / 8;

	if (size & 7)
		memcpy(&tail, pos + words * 8, size & 7);
	return hash_mix(hash_words(pos, words, seed) ^ tail, size ^ HASH_K1);
}

uint64_t hash_string(const char *text)
{
	return hash_bytes(text, strlen(text), 0);
}

/*
 * Zeroed by writing, not by calloc: slots are probed before they are filled, so fresh pages would first be mapped to
 * the zero page, then copied, and each copy interrupts the other threads' CPUs to flush their TLBs (11 % of a
 * report by two workers). Large tables are hit all over: in huge pages a probe costs no walk of the page table.
 */
static uint64_t *new_slots(size_t room)
{
	size_t size = room * sizeof(uint64_t);
	uint64_t *slots = size < HUGE_PAGE ? xmalloc(size) : xmalloc_huge(size);

	memset(slots, 0, size);
	return slots;
}

void hash_index_init(struct hash_index *index, uint32_t expected)
{
	uint32_t room = 64;

	while (((room - 1) >> 3) * 5 < expected && room < 1u << 31)
		room *= 2;
	index->slots = new_slots(room);
	index->mask = room - 1;
	index->nr = 0;
}

void hash_index_release(struct hash_index *index)
{
	free(index->slots);
	index->slots = NULL;
	index->mask = index->nr = 0;
}

void hash_index_clear(struct hash_index *index)
{
	memset(index->slots, 0, ((size_t)index->mask + 1) * sizeof(*index->slots));
	index->nr = 0;
}

void hash_index_grow(struct hash_index *index)
{
	uint64_t *old = index->slots;
	size_t old_room = (size_t)index->mask + 1;
	size_t room = old_room * 2;
	uint32_t mask = (uint32_t)(room - 1);
	uint64_t *slots = new_slots(room);

	for (size_t i = 0; i < old_room; i++) {
		uint32_t pos;

		if (!old[i])
			continue;
		pos = (uint32_t)(old[i] >> 32) & mask;
		while (slots[pos])
			pos = (pos + 1) & mask;
		slots[pos] = old[i];
	}
	free(old);
	index->slots = slots;
	index->mask = mask;
}
