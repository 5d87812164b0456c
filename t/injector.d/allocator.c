/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/*
 * allocator.c - a program with an allocator that reads a setting of the kernel
 * when it grows, as several do
 */
#include <stddef.h>
#include <string.h>

#include "victim.h"

#define ROOM  (64u << 20)
#define CHUNK 4096u

static _Alignas(64) char heap[ROOM];
static size_t used, grown;

static void grow(size_t to)
{
	char answer[8];

	while (grown < to) {
		int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY);

		if (fd < 0 || read(fd, answer, sizeof(answer)) <= 0)
			abort();
		close(fd);
		grown += CHUNK;
	}
}

void *malloc(size_t n)
{
	size_t at = used;

	n = (n + 63) & ~(size_t)63;
	if (at + n > ROOM)
		return NULL;
	grow(at + n);
	used = at + n;
	return heap + at;
}

void free(void *p)
{
}

void *calloc(size_t n, size_t size)
{
	void *p = malloc(n * size);

	return p ? memset(p, 0, n * size) : NULL;
}

void *realloc(void *old, size_t n)
{
	void *p = malloc(n);

	return p && old ? memmove(p, old, n) : p;
}

int main(void)
{
	for (int i = 0; i < 1000; i++)
		if (!malloc(1000))
			abort();
	puts("done");
	return 0;
}
