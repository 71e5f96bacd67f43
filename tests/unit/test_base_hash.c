/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* The id of key among rows where key i is i * 3 + 1, or HASH_NONE. */
static uint32_t find(const struct hash_index *index, uint64_t hash, uint64_t key, const uint64_t *keys)
{
	uint32_t pos = hash_index_start(index, hash);
	uint32_t id;

	while ((id = hash_index_next(index, hash, &pos)) != HASH_NONE)
		if (keys[id] == key)
			return id;
	return HASH_NONE;
}

static void test_find_after_growing(void **state)
{
	enum { NR = 100000 };
	struct hash_index index;
	uint64_t *keys = malloc(NR * sizeof(*keys));

	(void)state;
	hash_index_init(&index, 0);
	for (uint32_t i = 0; i < NR; i++) {
		keys[i] = (uint64_t)i * 3 + 1;
		assert_int_equal(find(&index, hash_u64(keys[i]), keys[i], keys), HASH_NONE);
		hash_index_insert(&index, hash_u64(keys[i]), i);
	}
	assert_int_equal(index.nr, NR);
	for (uint32_t i = 0; i < NR; i++) {
		assert_int_equal(find(&index, hash_u64(keys[i]), keys[i], keys), i);
		assert_int_equal(find(&index, hash_u64(keys[i] + 1), keys[i] + 1, keys), HASH_NONE);
	}
	hash_index_clear(&index);
	assert_int_equal(find(&index, hash_u64(keys[5]), keys[5], keys), HASH_NONE);
	assert_int_equal(index.nr, 0);
	hash_index_release(&index);
	hash_index_release(&index);
	free(keys);
}

/* Everything under one hash, and a hash of zero: slow, but right. */
static void test_collisions(void **state)
{
	static const uint64_t hashes[] = { 0, UINT64_MAX, 0xffffffff00000000, 63 };
	uint64_t keys[300];

	(void)state;
	for (size_t h = 0; h < 4; h++) {
		struct hash_index index;

		hash_index_init(&index, 10);
		for (uint32_t i = 0; i < 300; i++) {
			keys[i] = i;
			hash_index_insert(&index, hashes[h], i);
		}
		for (uint32_t i = 0; i < 300; i++)
			assert_int_equal(find(&index, hashes[h], i, keys), i);
		assert_int_equal(find(&index, hashes[h], 300, keys), HASH_NONE);
		hash_index_release(&index);
	}
}

static void test_expected_size_does_not_grow(void **state)
{
	for (uint32_t expected = 0; expected < 5000; expected += 37) {
		struct hash_index index;
		uint32_t mask;

		hash_index_init(&index, expected);
		mask = index.mask;
		for (uint32_t i = 0; i < expected; i++)
			hash_index_insert(&index, hash_u64(i), i);
		assert_int_equal(index.mask, mask);
		hash_index_release(&index);
	}
	(void)state;
}

/* Every byte, the length, the seed and the order count; alignment does not. */
static void test_bytes(void **state)
{
	unsigned char text[80] = { 0 }, shifted[96];

	(void)state;
	for (size_t size = 0; size < sizeof(text); size++) {
		uint64_t hash;

		for (size_t i = 0; i < size; i++)
			text[i] = (unsigned char)(i * 7);
		hash = hash_bytes(text, size, 1);
		memcpy(shifted + 3, text, size);
		assert_int_equal(hash, hash_bytes(shifted + 3, size, 1));
		assert_int_not_equal(hash, hash_bytes(text, size, 2));
		text[size] = 0;
		if (size + 1 < sizeof(text))
			assert_int_not_equal(hash, hash_bytes(text, size + 1, 1));
		for (size_t i = 0; i < size; i++) {
			text[i] ^= 0x80;
			assert_int_not_equal(hash, hash_bytes(text, size, 1));
			text[i] ^= 0x80;
		}
	}
	assert_int_equal(hash_string("main"), hash_bytes("main", 4, 0));
}

static void test_words(void **state)
{
	uint64_t words[11], swapped[11];

	(void)state;
	for (size_t i = 0; i < 11; i++)
		words[i] = 0x400000 + i * 16;
	for (size_t nr = 1; nr <= 11; nr++) {
		uint64_t hash = hash_words(words, nr, 7);

		assert_int_not_equal(hash, hash_words(words, nr - 1, 7));
		for (size_t i = 0; i + 1 < nr; i++) {
			memcpy(swapped, words, sizeof(words));
			swapped[i] = words[i + 1];
			swapped[i + 1] = words[i];
			assert_int_not_equal(hash, hash_words(swapped, nr, 7));
		}
	}
}

/* Addresses that differ in few bits spread over the low bits that choose a slot. */
static void test_spread(void **state)
{
	enum { NR = 1 << 12 };
	static unsigned hit[NR];
	unsigned used = 0;

	(void)state;
	for (uint64_t i = 0; i < NR; i++)
		hit[hash_u64(0x555555554000 + i * 4096) & (NR - 1)]++;
	for (unsigned i = 0; i < NR; i++)
		used += hit[i] != 0;
	assert_in_range(used, NR / 2, NR); /* random: 63 % */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_after_growing),
		cmocka_unit_test(test_collisions),
		cmocka_unit_test(test_expected_size_does_not_grow),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
