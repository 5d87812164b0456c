/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_MEM_H
#define PROV_BASE_MEM_H
#include <stddef.h>
/* Heap memory of prov's own processes. Running out ends the process with one
 * line on stderr and exit status 3: journals on disk stay and are picked up by
 * the next command. */
void *mem_alloc(size_t size);			/* zeroed */
void *mem_resize(void *p, size_t size);
char *mem_str(const char *s);
void mem_exhausted(void) __attribute__((noreturn, cold));
#endif
