/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* utf8.c - characters in bytes that may be anything */
#include "format/utf8.h"

#include <string.h>

size_t utf8_next(const char *s, size_t n, uint32_t *c)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	size_t len;
	uint32_t v;

	if (!n)
		return 0;
	if (p[0] < 0x80) {
		*c = p[0];
		return 1;
	}
	len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || len > n)
		return 0;
	v = p[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < lowest[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*c = v;
	return len;
}

bool utf8_prints(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;
	if (c >= 0x200b && c <= 0x200f)
		return false;
	if ((c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f))
		return false;
	return c != 0x061c && c != 0xfeff && c != 0xfffe && c != 0xffff && c < 0xe0000;
}

bool utf8_is_xml(uint32_t c)
{
	if (c < 0x20)
		return c == '\t' || c == '\n' || c == '\r';
	return c != 0xfffe && c != 0xffff;
}

unsigned utf8_width(uint32_t c)
{
	static const struct {
		uint32_t from, to;
		unsigned width;
	} ranges[] = {
		{ 0x300, 0x36f, 0 },     { 0x483, 0x489, 0 },     { 0x591, 0x5bd, 0 },
		{ 0x1100, 0x115f, 2 },   { 0x1ab0, 0x1aff, 0 },   { 0x1dc0, 0x1dff, 0 },
		{ 0x20d0, 0x20ff, 0 },   { 0x2e80, 0xa4cf, 2 },   { 0xac00, 0xd7a3, 2 },
		{ 0xf900, 0xfaff, 2 },   { 0xfe00, 0xfe0f, 0 },   { 0xfe20, 0xfe2f, 0 },
		{ 0xfe30, 0xfe6f, 2 },   { 0xff00, 0xff60, 2 },   { 0xffe0, 0xffe6, 2 },
		{ 0x1f300, 0x1f64f, 2 }, { 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return ranges[i].width;
	return 1;
}

size_t utf8_columns(const char *s)
{
	size_t n = strlen(s), i = 0, width = 0;

	while (i < n) {
		uint32_t c;
		size_t len = utf8_next(s + i, n - i, &c);

		width += len ? utf8_width(c) : 1;
		i += len ? len : 1;
	}
	return width;
}
