/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_reader.c - one question: its transaction, and from keys to texts and ids */
#include <string.h>

#include "store/merge.h"
#include "store/sqlite.h"

void sqlite_reader_release(struct sqlite_reader *r)
{
	for (int i = 0; i < KIND_LAST; i++)
		map_release(&r->known[i]);
	map_release(&r->strings);
}

/* Every question is one read transaction: it sees one state of the store, and
 * takes the lock once and not per id. */
int sqlite_reader_begin(struct sqlite_reader *r, struct store *store, struct arena *a)
{
	*r = (struct sqlite_reader){ .s = (struct sqlite_store *)store, .a = a };
	return sqlite_begin_read(r->s);
}

int sqlite_reader_end(struct sqlite_reader *r)
{
	int ret = sqlite_end(r->s, r->failed);

	sqlite_reader_release(r);
	return ret;
}

struct id *sqlite_sorted(struct arena *a, const struct id *ids, size_t *n)
{
	struct id *v = arena_copy(a, ids, *n * sizeof(*ids));

	*n = ids_sort(v, *n);
	return v;
}

/* 1 and a row of st, 0 at the end or once r has failed. */
int sqlite_next(struct sqlite_reader *r, sqlite3_stmt *st)
{
	int ret = r->failed ? r->failed : sql_row(r->s, st);

	if (ret < 0)
		r->failed = ret;
	return ret > 0;
}

static const enum sql texts[KIND_LAST] = {
	[KIND_RUN] = SQL_RUN_ID,
	[KIND_EXECUTION] = SQL_EXECUTION_ID,
	[KIND_OBJECT] = SQL_OBJECT_ID,
};

struct strings sqlite_strings(struct sqlite_reader *r, int64_t key, enum sql get)
{
	struct strings out = { "", 0 };
	sqlite3_stmt *st;
	int found;

	if (r->failed || !key)
		return out;
	st = sql(r->s, get);
	(void)sqlite3_bind_int64(st, 1, key);
	found = sql_row(r->s, st);
	if (found > 0) {
		const void *p = sqlite3_column_blob(st, 0);

		out.size = (size_t)sqlite3_column_bytes(st, 0);
		/* With a NUL behind it, whatever a damaged file holds. */
		out.p = arena_strn(r->a, p, out.size);
	} else {
		r->failed = found < 0 ? found : sqlite_damaged(r->s, "a text is missing");
	}
	return out;
}

const char *sqlite_string(struct sqlite_reader *r, int64_t key)
{
	void **slot = map_at(&r->strings, &key, sizeof(key));
	const char *text = *slot;

	if (!text) {
		text = sqlite_strings(r, key, SQL_STRING_GET).p;
		*slot = (void *)(uintptr_t)text;
	}
	return text;
}

struct sqlite_known sqlite_known(struct sqlite_reader *r, enum sqlite_kind kind, int64_t key)
{
	struct sqlite_known none = { .base = 0 }, *k;
	void **slot;
	sqlite3_stmt *st;
	int found;

	if (r->failed || !key)
		return none;
	slot = map_at(&r->known[kind], &key, sizeof(key));
	if (*slot)
		return *(struct sqlite_known *)*slot;
	st = sql(r->s, texts[kind]);
	(void)sqlite3_bind_int64(st, 1, key);
	found = sql_row(r->s, st);
	if (found <= 0) {
		r->failed = found < 0 ? found : sqlite_damaged(r->s, "a row is missing");
		return none;
	}
	*slot = k = arena_alloc(r->a, sizeof(*k));
	sql_column_id(st, 0, &k->id);
	k->base = sqlite3_column_int64(st, 1);
	return *k;
}
