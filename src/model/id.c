/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* id.c - names computed from what is named */
#include "model/id.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

struct id id_of(const void *key, size_t size)
{
	uint8_t digest[SHA256_SIZE];
	struct id id;

	sha256_once(key, size, digest);
	memcpy(id.b, digest, sizeof(id.b));
	return id;
}

bool id_is_zero(const struct id *id)
{
	static const struct id zero;

	return !memcmp(id, &zero, sizeof(zero));
}

bool id_equal(const struct id *a, const struct id *b)
{
	return !memcmp(a, b, sizeof(*a));
}

int id_compare(const struct id *a, const struct id *b)
{
	return memcmp(a, b, sizeof(*a));
}

static char *id_write(enum id_kind kind, const struct id *id, unsigned digits,
		      char out[ID_TEXT_SIZE])
{
	static const char hex[] = "0123456789abcdef";

	out[0] = (char)kind;
	for (unsigned i = 0; i < digits; i++)
		out[1 + i] = hex[id->b[i / 2] >> (i % 2 ? 0 : 4) & 15];
	out[1 + digits] = 0;
	return out;
}

char *id_text(enum id_kind kind, const struct id *id, char out[ID_TEXT_SIZE])
{
	return id_write(kind, id, 32, out);
}

char *id_short(enum id_kind kind, const struct id *id, char out[ID_TEXT_SIZE])
{
	return id_write(kind, id, ID_SHORT, out);
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool id_prefix_parse(const char *text, struct id_prefix *out)
{
	size_t n;

	if (!text[0] || !strchr("rxou", text[0]))
		return false;
	n = strcspn(text + 1, "@");	/* an entity's "@version" is no part of its id */
	if (n < 4 || n > 32)
		return false;
	*out = (struct id_prefix){ .kind = (enum id_kind)text[0], .digits = (unsigned)n };
	memset(out->highest.b, 0xff, sizeof(out->highest.b));
	for (size_t i = 0; i < n; i++) {
		int d = digit_of(text[1 + i]);
		unsigned shift = i % 2 ? 0 : 4;

		if (d < 0)
			return false;
		out->lowest.b[i / 2] |= (uint8_t)(d << shift);
		out->highest.b[i / 2] &= (uint8_t) ~((15 - d) << shift);
	}
	return true;
}
