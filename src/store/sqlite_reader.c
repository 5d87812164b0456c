/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_reader.c - one question: its transaction, and from keys to texts and ids */
#include <stdlib.h>
#include <string.h>

#include "store/merge.h"
#include "store/sqlite.h"

/* Every question is one read transaction: it sees one state of the store, and
 * takes the lock once and not per id. */
int sqlite_reader_begin(struct sqlite_reader *r, struct store *store, struct arena *a)
{
	struct sqlite_store *s = (struct sqlite_store *)store;

	*r = (struct sqlite_reader){ .s = s, .a = a };
	sqlite_cache_trim(&s->cache);
	s->cache.question++;
	return sqlite_begin_read(s);
}

int sqlite_reader_end(struct sqlite_reader *r)
{
	sqlite_array_fill(&r->s->asked, NULL, 0);
	sqlite_array_fill(&r->s->wanted, NULL, 0);
	return sqlite_end(r->s, r->failed);
}

/* 1 and a row of st, 0 at the end or once r has failed. */
int sqlite_next(struct sqlite_reader *r, sqlite3_stmt *st)
{
	int ret = r->failed ? r->failed : sql_row(r->s, st);

	if (ret < 0)
		r->failed = ret;
	return ret > 0;
}

static void asked_column(const struct sqlite_array *array, const void *item, sqlite3_context *out,
			 int column)
{
	const struct sqlite_pair *p = item;

	(void)array;
	sqlite3_result_int64(out, column ? p->b : p->a);
}

/* Two, because keys found in the rows of a question are wanted while it goes on. */
int sqlite_asked_tables(struct sqlite_store *s)
{
	int rc;

	s->asked = s->wanted = (struct sqlite_array){
		.declaration = "CREATE TABLE x(a INTEGER, b INTEGER)",
		.item = sizeof(struct sqlite_pair),
		.column = asked_column,
	};
	s->asked.line = &s->asked_pairs;
	s->wanted.line = &s->wanted_pairs;
	rc = sqlite_array_table(s, "asked", &s->asked);
	return rc == SQLITE_OK ? sqlite_array_table(s, "wanted", &s->wanted) : rc;
}

static int key_order(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return (a > b) - (a < b);
}

static void keys_sort(int64_t *keys, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (keys[i - 1] <= keys[i])
			continue;
		qsort(keys, n, sizeof(*keys), key_order);
		return;
	}
}

/* Fills a table with keys, in order; where each is one more than the one before
 * and spans are wanted they are one row. */
static void ask_keys(struct sqlite_array *table, int64_t *keys, size_t n, bool spans)
{
	struct sqlite_pair *p;
	size_t kept = 0;

	buf_clear(table->line);
	buf_reserve(table->line, n * sizeof(*p));
	p = (struct sqlite_pair *)table->line->data;
	keys_sort(keys, n);
	for (size_t i = 0; i < n; i++) {
		if (kept && keys[i] == p[kept - 1].b)
			continue;
		if (spans && kept && keys[i] - 1 == p[kept - 1].b)
			p[kept - 1].b = keys[i];
		else
			p[kept++] = (struct sqlite_pair){ keys[i], keys[i] };
	}
	sqlite_array_fill(table, p, kept);
}

static const struct {
	enum sql by_id, by_keys;
} things[KIND_LAST] = {
	[KIND_RUN] = { SQL_RUN_KEY, SQL_RUN_ID },
	[KIND_EXECUTION] = { SQL_EXECUTION_KEY, SQL_EXECUTION_ID },
	[KIND_OBJECT] = { SQL_OBJECT_KEY, SQL_OBJECT_ID },
};

static int64_t key_of(struct sqlite_reader *r, enum sqlite_kind kind, const struct id *id)
{
	const struct sqlite_known *k = sqlite_cache_id(&r->s->cache, kind, id);
	sqlite3_stmt *st;

	if (k || r->failed)
		return k ? k->key : 0;
	st = sql(r->s, things[kind].by_id);
	sql_bind_id(st, 1, id);
	if (!sqlite_next(r, st))
		return 0;
	k = sqlite_cache_add(&r->s->cache, kind, id, sqlite3_column_int64(st, 0),
			     sqlite3_column_int64(st, 1));
	return k->key;
}

void sqlite_ask(struct sqlite_reader *r, enum sqlite_kind kind, const struct id *ids, size_t n,
		bool spans)
{
	int64_t *keys;
	size_t kept = 0;

	buf_clear(&r->s->keys);
	buf_reserve(&r->s->keys, n * sizeof(*keys));
	keys = (int64_t *)r->s->keys.data;
	for (size_t i = 0; i < n; i++) {
		keys[kept] = key_of(r, kind, &ids[i]);
		kept += keys[kept] != 0;
	}
	ask_keys(&r->s->asked, keys, kept, spans);
}

static void take_known(struct sqlite_reader *r, enum sqlite_kind kind, sqlite3_stmt *st)
{
	struct id id;

	sql_column_id(st, 1, &id);
	(void)sqlite_cache_add(&r->s->cache, kind, &id, sqlite3_column_int64(st, 0),
			       sqlite3_column_int64(st, 2));
}

static void take_text(struct sqlite_reader *r, enum sqlite_text_kind kind, sqlite3_stmt *st)
{
	int64_t key = sqlite3_column_int64(st, 0);
	const void *p = sqlite3_column_blob(st, 1);

	if (!sqlite_cache_text(&r->s->cache, kind, key))
		(void)sqlite_cache_text_add(&r->s->cache, kind, key, p,
					    (size_t)sqlite3_column_bytes(st, 1));
}

void sqlite_want(struct sqlite_reader *r, int64_t *keys, size_t n, enum sqlite_kind kind)
{
	size_t kept = 0;
	sqlite3_stmt *st;

	for (size_t i = 0; i < n; i++)
		if (keys[i] && !sqlite_cache_key(&r->s->cache, kind, keys[i]))
			keys[kept++] = keys[i];
	if (!kept)
		return;
	ask_keys(&r->s->wanted, keys, kept, true);
	st = sql(r->s, things[kind].by_keys);
	while (sqlite_next(r, st))
		take_known(r, kind, st);
}

static const enum sql text_sql[TEXT_LAST] = {
	[TEXT_STRING] = SQL_STRING_GET,
	[TEXT_ENVIRONMENT] = SQL_ENVIRONMENT_GET,
};

void sqlite_want_texts(struct sqlite_reader *r, int64_t *keys, size_t n)
{
	size_t kept = 0;
	sqlite3_stmt *st;

	for (size_t i = 0; i < n; i++)
		if (keys[i] && !sqlite_cache_text(&r->s->cache, TEXT_STRING, keys[i]))
			keys[kept++] = keys[i];
	if (!kept)
		return;
	ask_keys(&r->s->wanted, keys, kept, true);
	st = sql(r->s, SQL_STRING_GET);
	while (sqlite_next(r, st))
		take_text(r, TEXT_STRING, st);
}

/* Looks up one that nobody asked for before. */
static struct sqlite_text *text_find(struct sqlite_reader *r, enum sqlite_text_kind kind,
				     int64_t key)
{
	struct sqlite_text *t = sqlite_cache_text(&r->s->cache, kind, key);
	sqlite3_stmt *st;

	if (t || r->failed)
		return t;
	ask_keys(&r->s->wanted, &key, 1, true);
	st = sql(r->s, text_sql[kind]);
	while (sqlite_next(r, st))
		take_text(r, kind, st);
	t = sqlite_cache_text(&r->s->cache, kind, key);
	if (!t && !r->failed)
		r->failed = sqlite_damaged(r->s, "a text is missing");
	return t;
}

struct strings sqlite_strings(struct sqlite_reader *r, int64_t key, enum sqlite_text_kind kind)
{
	struct strings none = { "", 0 };
	struct sqlite_text *t = key ? text_find(r, kind, key) : NULL;

	if (!t)
		return none;
	/* once per answer: a path is named by many accesses */
	if (t->question != r->s->cache.question) {
		t->question = r->s->cache.question;
		t->copy = arena_strn(r->a, t->text.p, t->text.size);
	}
	return (struct strings){ t->copy, t->text.size };
}

const char *sqlite_string(struct sqlite_reader *r, int64_t key)
{
	return sqlite_strings(r, key, TEXT_STRING).p;
}

struct sqlite_known sqlite_known(struct sqlite_reader *r, enum sqlite_kind kind, int64_t key)
{
	struct sqlite_known none = { .base = 0 }, *k;
	int64_t wanted = key;

	if (r->failed || !key)
		return none;
	k = sqlite_cache_key(&r->s->cache, kind, key);
	if (!k) {
		sqlite_want(r, &wanted, 1, kind);
		k = sqlite_cache_key(&r->s->cache, kind, key);
	}
	if (!k && !r->failed)
		r->failed = sqlite_damaged(r->s, "a row is missing");
	return k ? *k : none;
}

void *sqlite_collect(struct sqlite_reader *r, sqlite3_stmt *st, size_t item, sqlite_take *take,
		     size_t *n)
{
	struct buf rows = { 0 };
	void *v;

	while (sqlite_next(r, st)) {
		buf_reserve(&rows, item);
		take(r, st, rows.data + rows.size);
		rows.size += item;
	}
	*n = rows.size / item;
	v = arena_copy(r->a, rows.data, rows.size);
	buf_release(&rows);
	return v;
}
