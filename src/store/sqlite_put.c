/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_put.c - a heap of facts in one transaction */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "store/merge.h"
#include "store/sqlite.h"

/*
 * Runs, executions and objects are read, merged and written back; a row that
 * only keeps the place of an id (others may name it before it is described)
 * reads as unknown.
 */
static int put_run(struct sqlite_writer *w, struct sqlite_reader *r, const struct run *fact)
{
	struct sqlite_known *place = sqlite_find(w, KIND_RUN, &fact->id);
	struct run run = run_unknown(&fact->id);
	int ret;

	if (place) {
		sqlite3_stmt *st = sql(w->s, SQL_RUN_GET);

		sql_bind_id(st, 1, &fact->id);
		ret = sql_row(w->s, st);
		if (ret > 0)
			sqlite_run_row(r, st, &run);
		if (ret < 0 || r->failed)
			return ret < 0 ? ret : r->failed;
	}
	run_merge(&run, fact);
	ret = sqlite_run_set(w, place ? place->key : 0, &run);
	if (ret == 0 && !place)
		(void)sqlite_cache_add(&w->s->cache, KIND_RUN, &fact->id,
				       sqlite3_last_insert_rowid(w->s->db), 0);
	return ret;
}

static int put_execution(struct sqlite_writer *w, struct sqlite_reader *r,
			 const struct execution *fact)
{
	struct sqlite_known *place = sqlite_find(w, KIND_EXECUTION, &fact->id);
	struct execution x = execution_unknown(&fact->id);
	int64_t base = place ? place->base : fact->start;
	int ret;

	if (place) {
		sqlite3_stmt *st = sql(w->s, SQL_EXECUTION_GET);

		sql_bind_id(st, 1, &fact->id);
		ret = sql_row(w->s, st);
		if (ret > 0)
			sqlite_execution_row(r, st, &x);
		if (ret < 0 || r->failed)
			return ret < 0 ? ret : r->failed;
	} else if (id_equal(&fact->id, &fact->parent)) {
		/* Its own parent: the row must be there before it is named. */
		(void)sqlite_place(w, KIND_EXECUTION, &fact->id, base);
		place = sqlite_find(w, KIND_EXECUTION, &fact->id);
	}
	execution_merge(&x, fact);
	ret = sqlite_execution_set(w, place ? place->key : 0, base, &x);
	if (ret == 0 && !place)
		(void)sqlite_cache_add(&w->s->cache, KIND_EXECUTION, &fact->id,
				       sqlite3_last_insert_rowid(w->s->db), base);
	return ret;
}

static bool object_same(const struct object *a, const struct object *b)
{
	return a->kind == b->kind && a->dev == b->dev && a->ino == b->ino && a->btime == b->btime &&
	       a->size == b->size && a->mtime == b->mtime && a->seen == b->seen &&
	       a->hashed == b->hashed && !memcmp(a->sha256, b->sha256, sizeof(a->sha256));
}

/* Of an object that is in the file already. */
static int update_object(struct sqlite_writer *w, const struct object *fact, int64_t key)
{
	struct object o = object_unknown(&fact->id), before;
	sqlite3_stmt *st = sql(w->s, SQL_OBJECT_ROW);
	int ret, known;

	(void)sqlite3_bind_int64(st, 1, key);
	ret = sql_row(w->s, st);
	if (ret <= 0)
		return ret < 0 ? ret : sqlite_damaged(w->s, "an object cannot be found again");
	known = sqlite3_column_int(st, 2);
	if (known)
		sqlite_object_row(NULL, st, &o);
	before = o;
	object_merge(&o, fact);
	/* Every run names the same libraries again. */
	if (known && object_same(&before, &o))
		return 0;
	return sqlite_object_set(w, SQL_OBJECT_SET, key, &o);
}

/* Most are new; one statement finds that out and puts them. */
static int put_object(struct sqlite_writer *w, const struct object *fact)
{
	const struct sqlite_known *known = sqlite_cache_id(&w->s->cache, KIND_OBJECT, &fact->id);
	int ret;

	if (known)
		return update_object(w, fact, known->key);
	ret = sqlite_object_set(w, SQL_OBJECT_ADD, 0, fact);
	if (ret < 0)
		return ret;
	if (sqlite3_changes(w->s->db)) {
		(void)sqlite_cache_add(&w->s->cache, KIND_OBJECT, &fact->id,
				       sqlite3_last_insert_rowid(w->s->db), 0);
		return 0;
	}
	known = sqlite_find(w, KIND_OBJECT, &fact->id);
	if (known)
		return update_object(w, fact, known->key);
	return w->failed ? w->failed : sqlite_damaged(w->s, "an object cannot be found again");
}

/* Each once, in the order of the facts: keys then ascend as things were met,
 * and so do the rows of all tables that are made of keys. */
static void put_objects(struct sqlite_writer *w, const struct object *v, size_t n)
{
	struct object *list = n ? mem_alloc(n * sizeof(*list)) : NULL;
	struct map at = { 0 };
	size_t kept = 0;

	map_reserve(&at, n);
	map_reserve(&w->s->cache.ids[KIND_OBJECT], n);
	for (size_t i = 0; i < n; i++) {
		void **slot = map_at(&at, v[i].id.b, sizeof(v[i].id.b));

		if (!*slot) {
			*slot = &list[kept];
			list[kept++] = object_unknown(&v[i].id);
		}
		object_merge(*slot, &v[i]);
	}
	for (size_t i = 0; i < kept && !w->failed; i++)
		w->failed = put_object(w, &list[i]);
	map_release(&at);
	free(list);
}

/* A run tells of an execution when it settles, ends, and is over. */
static void put_executions(struct sqlite_writer *w, struct sqlite_reader *r,
			   const struct execution *v, size_t n)
{
	struct execution *list = n ? mem_alloc(n * sizeof(*list)) : NULL;
	struct map at = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		void **slot = map_at(&at, &v[i].id, sizeof(v[i].id));

		if (*slot) {
			execution_merge(*slot, &v[i]);
			continue;
		}
		list[kept] = v[i];
		*slot = &list[kept++];
	}
	for (size_t i = 0; i < kept && !w->failed; i++)
		w->failed = put_execution(w, r, &list[i]);
	map_release(&at);
	free(list);
}

static void put_things(struct sqlite_writer *w, const struct facts *f)
{
	struct sqlite_reader r = { .s = w->s, .a = &w->a };

	for (size_t i = 0; i < f->n_runs && !w->failed; i++)
		w->failed = put_run(w, &r, &f->runs[i]);
	put_executions(w, &r, f->executions, f->n_executions);
	put_objects(w, f->objects, f->n_objects);
}

static int writable(struct sqlite_store *s)
{
	if (s->mode == STORE_WRITE)
		return 0;
	return fail(EROFS, "%s: the store was opened for reading only", s->where);
}

int sqlite_put(struct store *store, const struct facts *f)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	struct sqlite_writer w = { .s = s };
	int r = writable(s);

	if (r == 0)
		r = sqlite_begin_write(s);
	if (r < 0)
		return r;
	sqlite_cache_trim(&s->cache);
	s->cache.question++;
	put_things(&w, f);
	sqlite_put_accesses(&w, f->accesses, f->n_accesses);
	sqlite_put_names(&w, f->names, f->n_names);
	sqlite_put_holes(&w, f->holes, f->n_holes);
	sqlite_put_notes(&w, f->notes, f->n_notes);
	r = sqlite_end(s, w.failed);
	if (r < 0)
		sqlite_cache_release(&s->cache); /* has keys of rows that are not there */
	arena_release(&w.a);
	return r;
}

static int boot_find(struct sqlite_store *s, const char *host, const char *boot, int64_t *kept)
{
	sqlite3_stmt *st = sql(s, SQL_BOOT_GET);
	int r;

	if (!st)
		return s->error;
	(void)sqlite3_bind_text(st, 1, host, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(st, 2, boot, -1, SQLITE_STATIC);
	r = sql_row(s, st);
	if (r > 0)
		*kept = sqlite3_column_int64(st, 0);
	(void)sqlite3_reset(st);
	return r;
}

int sqlite_boot_offset(struct store *store, const char *host, const char *boot, int64_t proposed,
		       int64_t *kept)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *st;
	int r = boot_find(s, host, boot, kept);

	if (r)
		return r < 0 ? r : 0;
	r = writable(s);
	if (r == 0)
		r = sqlite_begin_write(s);
	if (r < 0)
		return r;
	st = sql(s, SQL_BOOT_PUT);
	(void)sqlite3_bind_text(st, 1, host, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(st, 2, boot, -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(st, 3, proposed);
	r = sql_run(s, st);
	if (r == 0)
		r = boot_find(s, host, boot, kept);
	return sqlite_end(s, r < 0 ? r : 0);
}
