/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* buf.c - a growing run of bytes, and how numbers are packed into it */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

void buf_clear(struct buf *b)
{
	b->size = 0;
	if (b->data)
		b->data[0] = 0;
}

void buf_reserve(struct buf *b, size_t more)
{
	size_t need = b->size + more + 1;

	if (need < more)
		mem_exhausted();
	if (need <= b->room)
		return;
	b->room = need < 2 * b->room ? 2 * b->room : need;
	b->data = mem_resize(b->data, b->room);
}

void buf_append(struct buf *b, const void *p, size_t n)
{
	buf_reserve(b, n);
	if (n)
		memcpy(b->data + b->size, p, n);
	b->size += n;
	b->data[b->size] = 0;
}

void buf_str(struct buf *b, const char *s)
{
	buf_append(b, s, strlen(s));
}

void buf_char(struct buf *b, char c)
{
	buf_append(b, &c, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		mem_exhausted();
	buf_reserve(b, (size_t)n);
	va_start(ap, fmt);
	(void)vsnprintf(b->data + b->size, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->size += (size_t)n;
}

void buf_uint(struct buf *b, uint64_t v)
{
	char *out;

	buf_reserve(b, 10);
	out = b->data + b->size;
	while (v >= 0x80) {
		*out++ = (char)(v | 0x80);
		v >>= 7;
	}
	*out++ = (char)v;
	*out = 0;
	b->size = (size_t)(out - b->data);
}

void buf_int(struct buf *b, int64_t v)
{
	buf_uint(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

void buf_blob(struct buf *b, const void *p, size_t n)
{
	buf_uint(b, n);
	buf_append(b, p, n);
}

uint64_t span_uint(struct span *s)
{
	uint64_t v = 0;

	if (!s->bad && s->at < s->end && !(*s->at & 0x80))
		return (unsigned char)*s->at++;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char c;

		if (s->bad || s->at == s->end)
			break;
		c = (unsigned char)*s->at++;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	s->bad = 1;
	return 0;
}

int64_t span_int(struct span *s)
{
	uint64_t v = span_uint(s);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

const char *span_blob(struct span *s, size_t *n)
{
	uint64_t len = span_uint(s);
	const char *p = s->at;

	if (s->bad || len > (uint64_t)(s->end - s->at)) {
		s->bad = 1;
		*n = 0;
		return "";
	}
	s->at += len;
	*n = (size_t)len;
	return p;
}
