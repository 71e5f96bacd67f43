/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashing, and the one hash index that all tables of rows share.
 *
 * Rows live in the owner's array and are named by 32-bit ids; the index maps a hash to ids. A slot
 * holds 32 bits of the hash next to the id, so a miss is nearly always seen without touching a row.
 * Open addressing, linear probing, at most 5/8 full: one cache line per look-up.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#define HASH_K0 0x9e3779b97f4a7c15ull
#define HASH_K1 0xbf58476d1ce4e5b9ull
#define HASH_K2 0x94d049bb133111ebull

static inline uint64_t hash_u64(uint64_t value)
{
	return hash_mix(value ^ HASH_K0, HASH_K1);
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_mix(a ^ HASH_K0, b ^ HASH_K1);
}

/* Of nr 64-bit words (any alignment of 8 bytes or less); seed tells apart what else belongs to the key. */
uint64_t hash_words(const void *words, size_t nr, uint64_t seed);
uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);
uint64_t hash_string(const char *text);

struct hash_index {
	uint64_t *slots; /* hash << 32 | (id + 1); 0 is free */
	uint32_t mask;
	uint32_t nr;
};

#define HASH_NONE UINT32_MAX

void hash_index_init(struct hash_index *index, uint32_t expected);
void hash_index_release(struct hash_index *index);
void hash_index_clear(struct hash_index *index);
void hash_index_grow(struct hash_index *index);

/* Starts a look-up: pass the result by address to hash_index_next until it returns HASH_NONE. */
static inline uint32_t hash_index_start(const struct hash_index *index, uint64_t hash)
{
	return (uint32_t)hash & index->mask;
}

static inline uint32_t hash_index_next(const struct hash_index *index, uint64_t hash, uint32_t *pos)
{
	for (;;) {
		uint64_t slot = index->slots[*pos];

		if (!slot)
			return HASH_NONE;
		*pos = (*pos + 1) & index->mask;
		if (slot >> 32 == (uint32_t)hash)
			return (uint32_t)slot - 1;
	}
}

static inline void hash_index_prefetch(const struct hash_index *index, uint64_t hash)
{
	__builtin_prefetch(&index->slots[hash_index_start(index, hash)]);
}

/* Adds id under hash; the caller has made sure that it is not there. */
static inline void hash_index_insert(struct hash_index *index, uint64_t hash, uint32_t id)
{
	uint32_t pos;

	if (index->nr >= (index->mask >> 3) * 5)
		hash_index_grow(index);
	pos = hash_index_start(index, hash);
	while (index->slots[pos])
		pos = (pos + 1) & index->mask;
	index->slots[pos] = hash << 32 | (id + 1);
	index->nr++;
}

#endif
