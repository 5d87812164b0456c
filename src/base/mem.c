/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* mem.c - heap memory, or a clear end */
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mem_exhausted(void)
{
	fputs("prov: out of memory; nothing recorded is lost, run the command again\n", stderr);
	_Exit(3);
}

void *mem_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		mem_exhausted();
	return p;
}

void *mem_resize(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		mem_exhausted();
	return p;
}

char *mem_str(const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = mem_alloc(n);

	memcpy(p, s, n);
	return p;
}
