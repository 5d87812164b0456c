/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_BUF_H
#define PROV_BASE_BUF_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* A growing run of bytes. A zeroed struct buf is a valid empty one; data is
 * always followed by a NUL that is not counted in size once anything was
 * appended. The owner calls buf_release(). */
struct buf {
	char *data;
	size_t size, room;
};

void buf_release(struct buf *b);
void buf_clear(struct buf *b);			/* keeps the storage */
void buf_reserve(struct buf *b, size_t more);
void buf_append(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* LEB128 variable-length integers and length-prefixed bytes, for records. */
void buf_uint(struct buf *b, uint64_t v);
void buf_int(struct buf *b, int64_t v);		/* zigzag */
void buf_blob(struct buf *b, const void *p, size_t n);

/* Reads what the three above wrote, from memory that may be hostile: every
 * function steps over what it read, and the first that would pass the end
 * sets bad and returns zeroes from then on. */
struct span {
	const char *at, *end;
	int bad;
};

uint64_t span_uint(struct span *s);
int64_t span_int(struct span *s);
const char *span_blob(struct span *s, size_t *n);	/* points into the span */
#endif
