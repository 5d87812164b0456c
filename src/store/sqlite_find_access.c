/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_find_access.c - accesses, changes of names, and who had a name */
#include <stdlib.h>
#include <string.h>

#include "store/merge.h"
#include "store/sqlite.h"

/* One as it lies in the file; facts are in sqlite_store.facts. Rows are read
 * first and their keys looked up all at once. */
struct found {
	int64_t execution, object, path;
	size_t at, size;
};

static struct found *found_rows(struct sqlite_store *s, size_t *n)
{
	*n = s->found.size / sizeof(struct found);
	return (struct found *)s->found.data;
}

static void found_read(struct sqlite_reader *r, sqlite3_stmt *st)
{
	struct sqlite_store *s = r->s;

	buf_clear(&s->found);
	buf_clear(&s->facts);
	while (sqlite_next(r, st)) {
		const void *p = sqlite3_column_blob(st, 3);
		struct found f = {
			.execution = sqlite3_column_int64(st, 0),
			.object = sqlite3_column_int64(st, 1),
			.path = sqlite3_column_int64(st, 2),
			.at = s->facts.size,
			.size = (size_t)sqlite3_column_bytes(st, 3),
		};

		buf_append(&s->facts, p, f.size);
		buf_append(&s->found, &f, sizeof(f));
	}
}

/* Keys of one column, those next to each other once. */
static int64_t *found_keys(struct sqlite_store *s, size_t column, size_t *n)
{
	size_t n_rows;
	const struct found *rows = found_rows(s, &n_rows);
	int64_t *keys;

	buf_clear(&s->keys);
	buf_reserve(&s->keys, n_rows * sizeof(*keys));
	keys = (int64_t *)s->keys.data;
	*n = 0;
	for (size_t i = 0; i < n_rows; i++) {
		int64_t key;

		memcpy(&key, (const char *)&rows[i] + column, sizeof(key));
		if (!*n || keys[*n - 1] != key)
			keys[(*n)++] = key;
	}
	return keys;
}

static void found_look_up(struct sqlite_reader *r)
{
	size_t n;
	int64_t *keys = found_keys(r->s, offsetof(struct found, execution), &n);

	sqlite_want(r, keys, n, KIND_EXECUTION);
	keys = found_keys(r->s, offsetof(struct found, object), &n);
	sqlite_want(r, keys, n, KIND_OBJECT);
	keys = found_keys(r->s, offsetof(struct found, path), &n);
	sqlite_want_texts(r, keys, n);
}

static struct access *found_accesses(struct sqlite_reader *r, size_t *n)
{
	const struct found *rows = found_rows(r->s, n);
	struct access *v = arena_alloc(r->a, *n * sizeof(*v));

	for (size_t i = 0; i < *n; i++) {
		struct sqlite_known x = sqlite_known(r, KIND_EXECUTION, rows[i].execution);

		v[i].exec = x.id;
		v[i].object = sqlite_known(r, KIND_OBJECT, rows[i].object).id;
		v[i].path = sqlite_string(r, rows[i].path);
		if (r->failed)
			return NULL;
		if (sqlite_unpack(r->s->facts.data + rows[i].at, rows[i].size, x.base, &v[i]) < 0)
			r->failed = sqlite_damaged(r->s, "an access record cannot be read");
	}
	return v;
}

static int pair_order(const void *pa, const void *pb)
{
	const struct sqlite_pair *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

static size_t pairs_drop(struct sqlite_reader *r, struct sqlite_pair *p, size_t n,
			 const struct store_except *but)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct sqlite_known x = sqlite_known(r, KIND_EXECUTION, p[i].a);

		if (!but->has(but->ctx, &x.id))
			p[kept++] = p[i];
	}
	return kept;
}

/* In order, each once. */
static size_t pairs_sort(struct sqlite_pair *p, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(p, n, sizeof(*p), pair_order);
	for (size_t i = 0; i < n; i++)
		if (!kept || pair_order(&p[kept - 1], &p[i]))
			p[kept++] = p[i];
	return kept;
}

/*
 * Who touched what was asked for becomes the new question, in the order of the
 * table access. A pair that first read and later changed is found twice.
 */
static void ask_touches(struct sqlite_reader *r, enum sql which, const struct store_except *but)
{
	struct sqlite_store *s = r->s;
	sqlite3_stmt *st = sql(s, which);
	struct sqlite_pair *p;
	int64_t *keys;
	size_t n;

	buf_clear(&s->found);
	buf_clear(&s->keys);
	while (sqlite_next(r, st)) {
		struct sqlite_pair pair = { sqlite3_column_int64(st, 0),
					    sqlite3_column_int64(st, 1) };

		buf_append(&s->found, &pair, sizeof(pair));
		buf_append(&s->keys, &pair.a, sizeof(pair.a));
	}
	p = (struct sqlite_pair *)s->found.data;
	n = s->found.size / sizeof(*p);
	keys = (int64_t *)s->keys.data;
	sqlite_want(r, keys, n, KIND_EXECUTION);
	if (but)
		n = pairs_drop(r, p, n, but);
	n = pairs_sort(p, n);
	buf_clear(&s->asked_pairs);
	buf_append(&s->asked_pairs, p, n * sizeof(*p));
	sqlite_array_fill(&s->asked, s->asked_pairs.data, n);
}

static void ask(struct sqlite_reader *r, int by, const struct id *ids, size_t n,
		const struct store_except *but)
{
	switch (by) {
	case BY_RUN:
		sqlite_ask(r, KIND_RUN, ids, n, true);
		found_read(r, sql(r->s, SQL_ACCESSES_OF_RUN));
		break;
	case BY_EXECUTION:
		sqlite_ask(r, KIND_EXECUTION, ids, n, true);
		found_read(r, sql(r->s, SQL_ACCESSES_OF_EXECUTION));
		break;
	default:
		sqlite_ask(r, KIND_OBJECT, ids, n, by == BY_OBJECT);
		ask_touches(r, by == BY_OBJECT ? SQL_TOUCHES : SQL_CHANGES, but);
		found_read(r, sql(r->s, SQL_ACCESSES));
		break;
	}
}

/* An execution may change an object under one name and only read it under another. */
static size_t only_changes(struct access *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].flags & ACCESS_CHANGES)
			v[kept++] = v[i];
	return kept;
}

int sqlite_accesses(struct store *s, int by, const struct id *ids, size_t n_ids,
		    const struct store_except *but, struct arena *a, struct access **out, size_t *n)
{
	struct sqlite_reader r;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	ask(&r, by, ids, n_ids, but);
	found_look_up(&r);
	*out = found_accesses(&r, n);
	if (!r.failed && by == BY_OBJECT_CHANGES)
		*n = only_changes(*out, *n);
	if (!r.failed)
		accesses_sort(*out, *n);
	return sqlite_reader_end(&r);
}

static void take_name(struct sqlite_reader *r, sqlite3_stmt *st, void *out)
{
	*(struct name_event *)out = (struct name_event){
		.exec = sqlite_known(r, KIND_EXECUTION, sqlite3_column_int64(st, 0)).id,
		.object = sqlite_known(r, KIND_OBJECT, sqlite3_column_int64(st, 1)).id,
		.kind = (enum name_kind)sqlite_enum_column(st, 2, NAME_EXCHANGE),
		.from = sqlite_string(r, sqlite3_column_int64(st, 3)),
		.to = sqlite_string(r, sqlite3_column_int64(st, 4)),
		.time = sqlite3_column_int64(st, 5),
	};
}

int sqlite_names(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		 struct name_event **out, size_t *n)
{
	static const struct {
		enum sqlite_kind kind;
		enum sql text;
	} ways[] = {
		[BY_RUN] = { KIND_RUN, SQL_NAMES_OF_RUN },
		[BY_EXECUTION] = { KIND_EXECUTION, SQL_NAMES_OF_EXECUTION },
		[BY_OBJECT] = { KIND_OBJECT, SQL_NAMES_OF_OBJECT },
	};
	struct sqlite_reader r;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	sqlite_ask(&r, ways[by].kind, ids, n_ids, true);
	*out = sqlite_collect(&r, sql(r.s, ways[by].text), sizeof(**out), take_name, n);
	names_sort(*out, *n);
	return sqlite_reader_end(&r);
}

static void take_named(struct sqlite_reader *r, sqlite3_stmt *st, void *out)
{
	*(struct named *)out = (struct named){
		.object = sqlite_known(r, KIND_OBJECT, sqlite3_column_int64(st, 0)).id,
		.time = sqlite3_column_int64(st, 1),
	};
}

int sqlite_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
		   size_t *n)
{
	struct sqlite_reader r;
	sqlite3_stmt *st;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	st = sql(r.s, SQL_NAMED);
	(void)sqlite3_bind_int64(st, 1, sqlite_hash(r.s, path, strlen(path)));
	(void)sqlite3_bind_blob64(st, 2, path, strlen(path), SQLITE_STATIC);
	*out = sqlite_collect(&r, st, sizeof(**out), take_named, n);
	named_sort(*out, *n);
	return sqlite_reader_end(&r);
}
