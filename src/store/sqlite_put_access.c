/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_put_access.c - what executions did: accesses, names, holes, notes */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/merge.h"
#include "store/sqlite.h"

/* An access with its keys: each table is then filled in its own order, which
 * keeps its pages full and each page touched once. */
struct row {
	int64_t execution, object, path, base, last;
	const struct access *access;
	bool changes;
};

static int by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int access_order(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int r = by_number(a->execution, b->execution);

	r = r ? r : by_number(a->object, b->object);
	return r ? r : by_number(a->path, b->path);
}

static int touch_order(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int r = by_number(a->object, b->object);

	r = r ? r : by_number(a->changes, b->changes);
	return r ? r : by_number(a->execution, b->execution);
}

static int named_order(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int r = by_number(a->path, b->path);

	r = r ? r : by_number(a->object, b->object);
	return r ? r : by_number(b->last, a->last);
}

static void put_access(struct sqlite_writer *w, const struct row *row)
{
	sqlite3_stmt *st = sql(w->s, SQL_ACCESS_PUT);

	buf_clear(&w->line);
	sqlite_pack(&w->line, row->access, row->base);
	(void)sqlite3_bind_int64(st, 1, row->execution);
	(void)sqlite3_bind_int64(st, 2, row->object);
	(void)sqlite3_bind_int64(st, 3, row->path);
	(void)sqlite3_bind_blob64(st, 4, w->line.data, w->line.size, SQLITE_STATIC);
	(void)sqlite3_bind_int64(st, 5, row->base);
	w->failed = sql_run(w->s, st);
}

static void put_touch(struct sqlite_writer *w, const struct row *row)
{
	sqlite3_stmt *st = sql(w->s, SQL_TOUCH_PUT);

	(void)sqlite3_bind_int64(st, 1, row->object);
	(void)sqlite3_bind_int64(st, 2, row->changes);
	(void)sqlite3_bind_int64(st, 3, row->execution);
	w->failed = sql_run(w->s, st);
}

static void put_named(struct sqlite_writer *w, int64_t path, int64_t object, int64_t last)
{
	sqlite3_stmt *st = sql(w->s, SQL_NAMED_PUT);

	(void)sqlite3_bind_int64(st, 1, path);
	(void)sqlite3_bind_int64(st, 2, object);
	(void)sqlite3_bind_int64(st, 3, last);
	w->failed = sql_run(w->s, st);
}

void sqlite_put_accesses(struct sqlite_writer *w, const struct access *v, size_t n)
{
	struct row *rows = n ? mem_alloc(n * sizeof(*rows)) : NULL;

	for (size_t i = 0; i < n && !w->failed; i++) {
		struct sqlite_place x =
			sqlite_place(w, KIND_EXECUTION, &v[i].exec, access_first(&v[i]));

		rows[i] = (struct row){
			.execution = x.key,
			.object = sqlite_place(w, KIND_OBJECT, &v[i].object, 0).key,
			.path = sqlite_string_key(w, v[i].path),
			.base = x.base,
			.last = access_last(&v[i]),
			.access = &v[i],
			.changes = v[i].flags & ACCESS_CHANGES,
		};
	}
	if (n && !w->failed)
		qsort(rows, n, sizeof(*rows), access_order);
	for (size_t i = 0; i < n && !w->failed; i++)
		put_access(w, &rows[i]);
	if (n && !w->failed)
		qsort(rows, n, sizeof(*rows), touch_order);
	for (size_t i = 0; i < n && !w->failed; i++)
		if (!i || touch_order(&rows[i - 1], &rows[i]))
			put_touch(w, &rows[i]);
	if (n && !w->failed)
		qsort(rows, n, sizeof(*rows), named_order);
	for (size_t i = 0; i < n && !w->failed; i++)
		if (!i || rows[i - 1].path != rows[i].path || rows[i - 1].object != rows[i].object)
			put_named(w, rows[i].path, rows[i].object, rows[i].last);
	free(rows);
}

void sqlite_put_names(struct sqlite_writer *w, const struct name_event *v, size_t n)
{
	for (size_t i = 0; i < n && !w->failed; i++) {
		const struct name_event *e = &v[i];
		int64_t object = sqlite_place(w, KIND_OBJECT, &e->object, 0).key;
		int64_t execution = sqlite_place(w, KIND_EXECUTION, &e->exec, e->time).key;
		int64_t from = sqlite_string_key(w, e->from), to = sqlite_string_key(w, e->to);
		sqlite3_stmt *st;

		if (name_has_from(e) && !w->failed)
			put_named(w, from, object, e->time);
		if (name_has_to(e) && !w->failed)
			put_named(w, to, object, e->time);
		if (w->failed)
			return;
		st = sql(w->s, SQL_NAME_PUT);
		(void)sqlite3_bind_int64(st, 1, object);
		(void)sqlite3_bind_int64(st, 2, e->time);
		(void)sqlite3_bind_int64(st, 3, execution);
		(void)sqlite3_bind_int64(st, 4, e->kind);
		(void)sqlite3_bind_int64(st, 5, from);
		(void)sqlite3_bind_int64(st, 6, to);
		w->failed = sql_run(w->s, st);
	}
}

void sqlite_put_holes(struct sqlite_writer *w, const struct hole *v, size_t n)
{
	for (size_t i = 0; i < n && !w->failed; i++) {
		const struct hole *h = &v[i];
		int64_t run = sqlite_place(w, KIND_RUN, &h->run, 0).key;
		int64_t execution = 0;
		int64_t kind = sqlite_string_key(w, h->kind), why = sqlite_string_key(w, h->why);
		sqlite3_stmt *st;

		if (!id_is_zero(&h->exec))
			execution = sqlite_place(w, KIND_EXECUTION, &h->exec, 0).key;
		if (w->failed)
			return;
		st = sql(w->s, SQL_HOLE_PUT);
		(void)sqlite3_bind_int64(st, 1, run);
		(void)sqlite3_bind_int64(st, 2, execution);
		(void)sqlite3_bind_int64(st, 3, kind);
		(void)sqlite3_bind_int64(st, 4, why);
		(void)sqlite3_bind_int64(st, 5, (int64_t)h->count);
		w->failed = sql_run(w->s, st);
	}
}

void sqlite_put_notes(struct sqlite_writer *w, const struct note *v, size_t n)
{
	for (size_t i = 0; i < n && !w->failed; i++) {
		int64_t run = sqlite_place(w, KIND_RUN, &v[i].run, 0).key;
		int64_t name = sqlite_string_key(w, v[i].key);
		int64_t value = sqlite_string_key(w, v[i].value);
		sqlite3_stmt *st;

		if (w->failed)
			return;
		st = sql(w->s, SQL_NOTE_PUT);
		(void)sqlite3_bind_int64(st, 1, run);
		(void)sqlite3_bind_int64(st, 2, name);
		(void)sqlite3_bind_int64(st, 3, value);
		w->failed = sql_run(w->s, st);
	}
}
