/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_put_access.c - what executions did: accesses, names, holes, notes */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/merge.h"
#include "store/sqlite.h"

static int by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int access_order(const void *pa, const void *pb)
{
	const struct sqlite_row *a = pa, *b = pb;
	int r = by_number(a->execution, b->execution);

	r = r ? r : by_number(a->object, b->object);
	return r ? r : by_number(a->path, b->path);
}

static int touch_order(const void *pa, const void *pb)
{
	const struct sqlite_row *a = pa, *b = pb;
	int r = by_number(a->object, b->object);

	r = r ? r : by_number(a->changes, b->changes);
	return r ? r : by_number(a->execution, b->execution);
}

static int named_order(const void *pa, const void *pb)
{
	const struct sqlite_row *a = pa, *b = pb;
	int r = by_number(a->path, b->path);

	r = r ? r : by_number(a->object, b->object);
	return r ? r : by_number(b->last, a->last);
}

static void put_named(struct sqlite_writer *w, int64_t path, int64_t object, int64_t last)
{
	sqlite3_stmt *st = sql(w->s, SQL_NAMED_PUT);

	(void)sqlite3_bind_int64(st, 1, path);
	(void)sqlite3_bind_int64(st, 2, object);
	(void)sqlite3_bind_int64(st, 3, last);
	w->failed = sql_run(w->s, st);
}

static void rows_fill(struct sqlite_writer *w, struct sqlite_row *rows, const struct access *v,
		      size_t n)
{
	for (size_t i = 0; i < n && !w->failed; i++) {
		struct sqlite_known x =
			sqlite_place(w, KIND_EXECUTION, &v[i].exec, access_first(&v[i]));

		rows[i] = (struct sqlite_row){
			.execution = x.key,
			.object = sqlite_place(w, KIND_OBJECT, &v[i].object, 0).key,
			.path = sqlite_string_key(w, v[i].path),
			.base = x.base,
			.last = access_last(&v[i]),
			.access = &v[i],
			.changes = v[i].flags & ACCESS_CHANGES,
		};
	}
}

/* An image that lives long tells of the same access again and again: one row
 * of each is left. Returns how many there are. */
static size_t rows_merge(struct sqlite_writer *w, struct sqlite_row *rows, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n;) {
		struct sqlite_row row = rows[i];
		struct access *all = NULL;

		while (++i < n && !access_order(&rows[i], &row)) {
			all = all ? all : arena_copy(&w->a, row.access, sizeof(*all));
			row.access = all;
			access_merge(all, rows[i].access);
			row.changes |= rows[i].changes;
			row.last = row.last > rows[i].last ? row.last : rows[i].last;
		}
		rows[kept++] = row;
	}
	return kept;
}

static void sort(struct sqlite_row *rows, size_t n, int (*order)(const void *, const void *))
{
	if (n)
		qsort(rows, n, sizeof(*rows), order);
}

void sqlite_put_accesses(struct sqlite_writer *w, const struct access *v, size_t n)
{
	struct sqlite_row *rows = n ? mem_alloc(n * sizeof(*rows)) : NULL;

	rows_fill(w, rows, v, n);
	if (w->failed)
		n = 0;
	sort(rows, n, access_order);
	n = rows_merge(w, rows, n);
	sqlite_put_rows(w, SQL_ACCESS_PUT, rows, n);
	sort(rows, n, touch_order);
	for (size_t i = 1; i < n; i++)
		rows[i].skip = !touch_order(&rows[i - 1], &rows[i]);
	sqlite_put_rows(w, SQL_TOUCH_PUT, rows, n);
	sort(rows, n, named_order);
	for (size_t i = 0; i < n; i++)
		rows[i].skip = i && rows[i - 1].path == rows[i].path &&
			       rows[i - 1].object == rows[i].object;
	sqlite_put_rows(w, SQL_NAMED_PUT_ALL, rows, n);
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
