/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_pack.c - the times and counts of one access in about 20 bytes */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "store/sqlite.h"

/*
 * flags, mask, then what the mask says is not 0: counts, fuzz, and times, each
 * relative to the one before it and the first to base. Bits are ordered so
 * that an access that only reads has a mask of one byte.
 */
enum {
	READS,
	BYTES_READ,
	FIRST_READ,
	LAST_READ,
	OPENED,
	CLOSED,
	FUZZ,
	WRITES,
	BYTES_WRITTEN,
	FIRST_WRITE,
	LAST_WRITE,
	TRUNCATED
};

static const struct {
	unsigned bit;
	size_t at;
} counts[] = {
	{ READS, offsetof(struct access, reads) },
	{ BYTES_READ, offsetof(struct access, bytes_read) },
	{ FUZZ, offsetof(struct access, fuzz) },
	{ WRITES, offsetof(struct access, writes) },
	{ BYTES_WRITTEN, offsetof(struct access, bytes_written) },
}, times[] = {
	{ OPENED, offsetof(struct access, opened) },
	{ FIRST_READ, offsetof(struct access, first_read) },
	{ LAST_READ, offsetof(struct access, last_read) },
	{ FIRST_WRITE, offsetof(struct access, first_write) },
	{ LAST_WRITE, offsetof(struct access, last_write) },
	{ TRUNCATED, offsetof(struct access, truncated) },
	{ CLOSED, offsetof(struct access, closed) },
};

#define N_COUNTS (sizeof(counts) / sizeof(counts[0]))
#define N_TIMES  (sizeof(times) / sizeof(times[0]))

static uint64_t value_of(const struct access *a, size_t at)
{
	uint64_t v;

	memcpy(&v, (const char *)a + at, sizeof(v));
	return v;
}

static void value_set(struct access *a, size_t at, uint64_t v)
{
	memcpy((char *)a + at, &v, sizeof(v));
}

void sqlite_pack(struct buf *b, const struct access *a, int64_t base)
{
	uint64_t mask = 0, before = (uint64_t)base;

	for (size_t i = 0; i < N_COUNTS; i++)
		mask |= (uint64_t)(value_of(a, counts[i].at) != 0) << counts[i].bit;
	for (size_t i = 0; i < N_TIMES; i++)
		mask |= (uint64_t)(value_of(a, times[i].at) != 0) << times[i].bit;
	buf_uint(b, a->flags);
	buf_uint(b, mask);
	for (size_t i = 0; i < N_COUNTS; i++)
		if (mask >> counts[i].bit & 1)
			buf_uint(b, value_of(a, counts[i].at));
	for (size_t i = 0; i < N_TIMES; i++) {
		if (!(mask >> times[i].bit & 1))
			continue;
		buf_int(b, (int64_t)(value_of(a, times[i].at) - before));
		before = value_of(a, times[i].at);
	}
}

int sqlite_unpack(const void *p, size_t size, int64_t base, struct access *out)
{
	struct span s = { .at = p, .end = p ? (const char *)p + size : NULL };
	uint64_t before = (uint64_t)base, mask;

	if (!size)
		return -EBADMSG;
	out->flags = (uint32_t)span_uint(&s);
	mask = span_uint(&s);
	for (size_t i = 0; i < N_COUNTS; i++)
		value_set(out, counts[i].at, mask >> counts[i].bit & 1 ? span_uint(&s) : 0);
	for (size_t i = 0; i < N_TIMES; i++) {
		if (mask >> times[i].bit & 1)
			before += (uint64_t)span_int(&s);
		value_set(out, times[i].at, mask >> times[i].bit & 1 ? before : 0);
	}
	return s.bad || s.at != s.end ? -EBADMSG : 0;
}

static void merged(sqlite3_context *c, int n, sqlite3_value **v)
{
	int64_t base = sqlite3_value_int64(v[2]);
	struct access a[2] = { { .path = "" }, { .path = "" } };
	struct buf b = { 0 };

	for (int i = 0; i < 2; i++) {
		const void *p = sqlite3_value_blob(v[i]);

		if (!p || sqlite_unpack(p, (size_t)sqlite3_value_bytes(v[i]), base, &a[i]) < 0) {
			sqlite3_result_error_code(c, SQLITE_CORRUPT);
			return;
		}
	}
	access_merge(&a[0], &a[1]);
	sqlite_pack(&b, &a[0], base);
	sqlite3_result_blob(c, b.data, (int)b.size, SQLITE_TRANSIENT);
	buf_release(&b);
}

int sqlite_merge_function(sqlite3 *db)
{
	return sqlite3_create_function_v2(db, "access_merged", 3,
					  SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, merged, NULL,
					  NULL, NULL);
}
