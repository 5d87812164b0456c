/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_map.c - byte-string keys find their values */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void an_empty_map_has_nothing(void **state)
{
	struct map m = { 0 };
	size_t i = 0;

	(void)state;
	assert_null(map_get(&m, "a", 1));
	assert_int_equal(map_next(&m, &i, NULL, NULL, NULL), 0);
	map_release(&m);
}

static void keys_of_any_bytes_and_length_are_distinct(void **state)
{
	static char long_a[200], long_b[200];
	static const struct {
		const char *key;
		size_t size;
	} keys[] = {
		{ "", 0 },
		{ "\0", 1 },
		{ "\0\0", 2 },
		{ "a", 1 },
		{ "a\0", 2 },
		{ long_a, 200 },
		{ long_b, 200 },
		{ "1234567890123456", 16 },
		{ "12345678901234567", 17 },
		{ "123456789012345678901234", 24 },
		{ "1234567890123456789012345", 25 },
	};
	const size_t n = sizeof(keys) / sizeof(keys[0]);
	struct map m = { 0 };

	(void)state;
	long_b[199] = 1;
	for (size_t i = 0; i < n; i++) {
		void **at = map_at(&m, keys[i].key, keys[i].size);

		assert_null(*at);
		*at = (void *)&keys[i];
	}
	assert_int_equal(m.n, n);
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(map_get(&m, keys[i].key, keys[i].size), &keys[i]);
	map_release(&m);
}

static void keys_are_copied(void **state)
{
	char key[40] = "a key longer than what a slot can hold";
	struct map m = { 0 };

	(void)state;
	*map_at(&m, key, sizeof(key)) = key;
	key[0] = 'b';
	assert_null(map_get(&m, key, sizeof(key)));
	key[0] = 'a';
	assert_ptr_equal(map_get(&m, key, sizeof(key)), key);
	map_release(&m);
}

static void many_keys_survive_growth_and_are_stepped_through_once(void **state)
{
	enum { N = 20000 };
	unsigned char *seen = calloc(N, 1);
	struct map m = { 0 };
	const void *key;
	void *value;
	size_t size, i = 0, n = 0;

	(void)state;
	assert_non_null(seen);
	for (uint32_t k = 0; k < N; k++)
		*map_at(&m, &k, sizeof(k)) = seen + k;
	for (uint32_t k = 0; k < N; k++)
		assert_ptr_equal(map_get(&m, &k, sizeof(k)), seen + k);
	while (map_next(&m, &i, &key, &size, &value)) {
		uint32_t k;

		assert_int_equal(size, sizeof(k));
		memcpy(&k, key, sizeof(k));
		assert_ptr_equal(value, seen + k);
		assert_int_equal(seen[k]++, 0);
		n++;
	}
	assert_int_equal(n, N);
	map_release(&m);
	free(seen);
}

static void room_made_ahead_changes_nothing_else(void **state)
{
	struct map m = { 0 };
	const char *values[] = { "a", "b" };
	struct map_slot *slots;

	(void)state;
	*map_at(&m, "key", 3) = (void *)(uintptr_t)values[0];
	map_reserve(&m, 1000);
	slots = m.slots;
	assert_int_equal(m.n, 1);
	assert_ptr_equal(map_get(&m, "key", 3), values[0]);
	for (uint32_t k = 0; k < 1000; k++)
		*map_at(&m, &k, sizeof(k)) = (void *)(uintptr_t)values[1];
	assert_ptr_equal(m.slots, slots);
	assert_ptr_equal(map_get(&m, "key", 3), values[0]);
	map_reserve(&m, 0);
	assert_ptr_equal(m.slots, slots);
	map_release(&m);
}

static void long_keys_of_every_length_are_kept(void **state)
{
	enum { N = 3000 };
	char *key = calloc(N, 1);
	struct map m = { 0 };

	(void)state;
	assert_non_null(key);
	for (size_t n = 1; n < N; n++)
		*map_at(&m, key, n) = key + n;
	for (size_t n = 1; n < N; n++)
		assert_ptr_equal(map_get(&m, key, n), key + n);
	map_release(&m);
	free(key);
}

static void removes_and_finds_the_rest(void **state)
{
	struct map m = { 0 };
	bool there[3000] = { false };
	unsigned seed = 7, n = 0;

	for (int turn = 0; turn < 60000; turn++) {
		uint32_t k;

		seed = seed * 1103515245u + 12345u;
		k = (seed >> 8) % 3000;
		if (there[k]) {
			map_remove(&m, &k, sizeof(k));
			n--;
		} else {
			*map_at(&m, &k, sizeof(k)) = (void *)(uintptr_t)(k + 1);
			n++;
		}
		there[k] = !there[k];
		assert_int_equal(m.n, n);
	}
	for (uint32_t k = 0; k < 3000; k++)
		assert_ptr_equal(map_get(&m, &k, sizeof(k)),
				 there[k] ? (void *)(uintptr_t)(k + 1) : NULL);
	map_remove(&m, "no such key", 11);
	assert_int_equal(m.n, n);
	map_release(&m);
	map_remove(&m, "x", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removes_and_finds_the_rest),
		cmocka_unit_test(an_empty_map_has_nothing),
		cmocka_unit_test(keys_of_any_bytes_and_length_are_distinct),
		cmocka_unit_test(keys_are_copied),
		cmocka_unit_test(room_made_ahead_changes_nothing_else),
		cmocka_unit_test(long_keys_of_every_length_are_kept),
		cmocka_unit_test(many_keys_survive_growth_and_are_stepped_through_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
