/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_TEXT_H
#define SHIM_TEXT_H
#include <stddef.h>
#include <stdint.h>
/* Strings and memory without libc. */

/* For what is small and touched in every program: the page of .data has been
 * made private by the loader already, one of .bss costs another fault. */
#define IN_DATA __attribute__((section(".data")))

/* On a declaration: it is in this library, so it is reached without a table. */
#define HERE __attribute__((visibility("hidden")))

size_t text_size(const char *s);	/* with the NUL */
int text_equal(const char *a, const char *b);
int text_begins(const char *s, const char *prefix);
void text_move(char *to, const char *from, size_t n);	/* they may overlap */
size_t text_number(char *out, uint64_t v);	/* decimal, no NUL; at most 20 */
const char *text_parse(const char *s, uint64_t *v);	/* decimal; NULL if none */
uint64_t text_hash(const char *s, uint64_t seed);
uint64_t text_hash_of(const char *s, size_t n, uint64_t seed);

/* The compiler calls these by name for large copies. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int c, size_t n);
#endif
