/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_JSON_H
#define PROV_FORMAT_JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/model.h"
/*
 * A streaming JSON writer (RFC 8259): nothing is held but the output. Bytes of
 * a path that are not UTF-8 are written as the lone surrogates \udc80..\udcff,
 * as Python's surrogateescape does, so that no name is lost.
 *
 *	struct json j = { .out = &buf };
 *	json_object(&j, NULL);
 *	json_string(&j, "name", "x");
 *	json_array(&j, "list");  json_int(&j, NULL, 1);  json_end(&j);
 *	json_end(&j);
 *
 * key is NULL inside arrays and at the top.
 */
struct json {
	struct buf *out;
	unsigned depth;
	uint64_t is_array, has_items;	/* one bit per depth, at most 64 deep */
};

void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j);		/* of the innermost object or array */
void json_string(struct json *j, const char *key, const char *value);	/* NULL = null */
void json_stringn(struct json *j, const char *key, const char *value, size_t n);
void json_int(struct json *j, const char *key, int64_t value);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
void json_time(struct json *j, const char *key, int64_t real);	/* RFC 3339; 0 = null */
/* A zero id is null. */
void json_id(struct json *j, const char *key, enum id_kind kind, const struct id *id);
void json_strings(struct json *j, const char *key, const struct strings *s);
#endif
