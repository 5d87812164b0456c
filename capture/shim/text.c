/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* text.c - strings and memory without libc */
#include "text.h"

size_t text_size(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n + 1;
}

int text_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

int text_begins(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return 0;
	return 1;
}

void text_move(char *to, const char *from, size_t n)
{
	if (to < from)
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
	else
		while (n--)
			to[n] = from[n];
}

size_t text_number(char *out, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	for (size_t i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	return n;
}

const char *text_parse(const char *s, uint64_t *v)
{
	const char *p = s;

	for (*v = 0; *p >= '0' && *p <= '9'; p++)
		*v = *v * 10 + (uint64_t)(*p - '0');
	return p == s ? NULL : p;
}

uint64_t text_hash_of(const char *s, size_t n, uint64_t seed)
{
	uint64_t h = seed ^ UINT64_C(0xcbf29ce484222325), w;

	for (; n >= 8; n -= 8, s += 8) {
		__builtin_memcpy(&w, s, 8);
		h = (h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	for (; n; n--, s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

uint64_t text_hash(const char *s, uint64_t seed)
{
	return text_hash_of(s, text_size(s) - 1, seed);
}

/* Without it the compiler would turn the loops below into calls of the
 * functions they are in. */
#if defined(__clang__)
#define PLAIN_LOOPS __attribute__((no_builtin("memcpy", "memset")))
#else
#define PLAIN_LOOPS __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

PLAIN_LOOPS void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	for (; n >= 8; n -= 8, t += 8, f += 8) {
		uint64_t w;

		__builtin_memcpy(&w, f, 8);
		__builtin_memcpy(t, &w, 8);
	}
	while (n--)
		*t++ = *f++;
	return to;
}

PLAIN_LOOPS void *memset(void *to, int c, size_t n)
{
	uint64_t word = (unsigned char)c * UINT64_C(0x0101010101010101);
	unsigned char *t = to;

	for (; n >= 8; n -= 8, t += 8)
		__builtin_memcpy(t, &word, 8);
	while (n--)
		*t++ = (unsigned char)c;
	return to;
}
