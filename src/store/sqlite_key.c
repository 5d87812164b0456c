/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_key.c - from texts and ids to keys, making what is missing */
#include <string.h>

#include "store/sqlite.h"

static const struct {
	enum sql key, place;
} kinds[KIND_LAST] = {
	[KIND_RUN] = { SQL_RUN_KEY, SQL_RUN_PLACE },
	[KIND_EXECUTION] = { SQL_EXECUTION_KEY, SQL_EXECUTION_PLACE },
	[KIND_OBJECT] = { SQL_OBJECT_KEY, SQL_OBJECT_PLACE },
};

/* SHA-256, so that nobody can make paths that collide and slow us down. */
int64_t sqlite_hash(struct sqlite_store *s, const void *p, size_t n)
{
	uint8_t digest[SHA256_SIZE];
	uint64_t h = 0;

	sha256_reset(s->sha);
	sha256_add(s->sha, p, n);
	sha256_end(s->sha, digest);
	for (int i = 0; i < 8; i++)
		h = h << 8 | digest[i];
	return (int64_t)h;
}

static const struct {
	enum sql key, add;
} texts[TEXT_LAST] = {
	[TEXT_STRING] = { SQL_STRING_KEY, SQL_STRING_ADD },
	[TEXT_ENVIRONMENT] = { SQL_ENVIRONMENT_KEY, SQL_ENVIRONMENT_ADD },
};

static int64_t content_key(struct sqlite_writer *w, enum sqlite_text_kind kind, const void *p,
			   size_t n)
{
	void **slot;
	sqlite3_stmt *st;
	int64_t hash, key = 0;
	int r;

	if (w->failed)
		return 0;
	slot = map_at(&w->s->cache.contents[kind], p, n);
	if (*slot)
		return (int64_t)(intptr_t)*slot;
	hash = sqlite_hash(w->s, p, n);
	st = sql(w->s, texts[kind].key);
	(void)sqlite3_bind_int64(st, 1, hash);
	(void)sqlite3_bind_blob64(st, 2, p, n, SQLITE_STATIC);
	r = sql_row(w->s, st);
	if (r > 0)
		key = sqlite3_column_int64(st, 0);
	if (r == 0) {
		st = sql(w->s, texts[kind].add);
		(void)sqlite3_bind_int64(st, 1, hash);
		(void)sqlite3_bind_blob64(st, 2, p, n, SQLITE_STATIC);
		r = sql_run(w->s, st);
		key = sqlite3_last_insert_rowid(w->s->db);
	}
	if (r < 0) {
		w->failed = r;
		return 0;
	}
	*slot = (void *)(intptr_t)key;
	return key;
}

int64_t sqlite_string_key(struct sqlite_writer *w, const char *text)
{
	text = text ? text : "";
	return content_key(w, TEXT_STRING, text, strlen(text));
}

int64_t sqlite_strings_key(struct sqlite_writer *w, const struct strings *s,
			   enum sqlite_text_kind kind)
{
	return content_key(w, kind, s->size ? s->p : "", s->size);
}

struct sqlite_known *sqlite_find(struct sqlite_writer *w, enum sqlite_kind kind,
				 const struct id *id)
{
	struct sqlite_known *k = sqlite_cache_id(&w->s->cache, kind, id);
	sqlite3_stmt *st;
	int r;

	if (k || w->failed)
		return w->failed ? NULL : k;
	st = sql(w->s, kinds[kind].key);
	sql_bind_id(st, 1, id);
	r = sql_row(w->s, st);
	if (r > 0)
		return sqlite_cache_add(&w->s->cache, kind, id, sqlite3_column_int64(st, 0),
					sqlite3_column_int64(st, 1));
	w->failed = r;
	return NULL;
}

struct sqlite_known sqlite_place(struct sqlite_writer *w, enum sqlite_kind kind,
				 const struct id *id, int64_t base)
{
	struct sqlite_known *k = sqlite_find(w, kind, id);
	sqlite3_stmt *st;

	if (k)
		return *k;
	if (w->failed)
		return (struct sqlite_known){ .key = 0 };
	st = sql(w->s, kinds[kind].place);
	sql_bind_id(st, 1, id);
	if (kind == KIND_EXECUTION)
		(void)sqlite3_bind_int64(st, 2, base);
	w->failed = sql_run(w->s, st);
	if (w->failed)
		return (struct sqlite_known){ .key = 0 };
	return *sqlite_cache_add(&w->s->cache, kind, id, sqlite3_last_insert_rowid(w->s->db), base);
}
