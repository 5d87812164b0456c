/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* json.c - JSON, written as it comes */
#include "format/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "format/utf8.h"

#define DEPTH_MAX 64 /* bits of json.is_array */

static const char *escape_of(uint32_t c, char out[8])
{
	switch (c) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\b':
		return "\\b";
	case '\f':
		return "\\f";
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	case '\t':
		return "\\t";
	default:
		(void)snprintf(out, 8, "\\u%04x", c & 0xffff);
		return out;
	}
}

static void quote(struct buf *out, const char *s, size_t n)
{
	size_t plain = 0, i = 0;
	char room[8];

	buf_char(out, '"');
	while (i < n) {
		uint32_t c;
		size_t len = utf8_next(s + i, n - i, &c);

		if (len && c >= 0x20 && c != '"' && c != '\\' && (c < 0x7f || c >= 0xa0)) {
			i += len;
			continue;
		}
		buf_append(out, s + plain, i - plain);
		if (len)
			buf_str(out, escape_of(c, room));
		else /* 0x80..0xff, nothing else can begin what is not UTF-8 */
			buf_printf(out, "\\udc%02x", (unsigned char)s[i]);
		plain = i += len ? len : 1;
	}
	buf_append(out, s + plain, i - plain);
	buf_char(out, '"');
}

/* Everything that stands before a value: comma, line break, key. */
static void lead(struct json *j, const char *key, bool own_line)
{
	if (j->depth) {
		uint64_t bit = UINT64_C(1) << (j->depth - 1);

		assert(!key == !!(j->is_array & bit));
		if (j->has_items & bit)
			buf_char(j->out, ',');
		if (own_line)
			buf_char(j->out, '\n');
		j->has_items |= bit;
	}
	if (key) {
		quote(j->out, key, strlen(key));
		buf_char(j->out, ':');
	}
}

static void begin(struct json *j, const char *key, bool is_array)
{
	uint64_t bit;

	/* one record per line, so that diff and grep help */
	lead(j, key, j->depth == 1 || (j->depth == 2 && !is_array));
	assert(j->depth < DEPTH_MAX);
	bit = UINT64_C(1) << j->depth++;
	j->has_items &= ~bit;
	j->is_array = is_array ? j->is_array | bit : j->is_array & ~bit;
	buf_char(j->out, is_array ? '[' : '{');
}

void json_object(struct json *j, const char *key)
{
	begin(j, key, false);
}

void json_array(struct json *j, const char *key)
{
	begin(j, key, true);
}

void json_end(struct json *j)
{
	assert(j->depth);
	buf_char(j->out, j->is_array >> --j->depth & 1 ? ']' : '}');
	if (!j->depth)
		buf_char(j->out, '\n');
}

void json_stringn(struct json *j, const char *key, const char *value, size_t n)
{
	lead(j, key, false);
	quote(j->out, value, n);
}

void json_string(struct json *j, const char *key, const char *value)
{
	if (value)
		json_stringn(j, key, value, strlen(value));
	else
		json_null(j, key);
}

void json_int(struct json *j, const char *key, int64_t value)
{
	lead(j, key, false);
	buf_printf(j->out, "%" PRId64, value);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	lead(j, key, false);
	buf_printf(j->out, "%" PRIu64, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	lead(j, key, false);
	buf_str(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	lead(j, key, false);
	buf_str(j->out, "null");
}

void json_time(struct json *j, const char *key, int64_t real)
{
	char text[CLOCK_TEXT_SIZE];

	json_string(j, key, real ? clock_rfc3339(real, text) : NULL);
}

void json_id(struct json *j, const char *key, enum id_kind kind, const struct id *id)
{
	char text[ID_TEXT_SIZE];

	json_string(j, key, id_is_zero(id) ? NULL : id_text(kind, id, text));
}

void json_strings(struct json *j, const char *key, const struct strings *s)
{
	json_array(j, key);
	for (const char *p = NULL; (p = strings_next(s, p));)
		json_string(j, NULL, p);
	json_end(j);
}
