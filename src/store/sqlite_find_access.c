/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_find_access.c - accesses, names, holes and notes */
#include <string.h>

#include "store/merge.h"
#include "store/sqlite.h"

static void access_row(struct sqlite_reader *r, sqlite3_stmt *st, struct access *out)
{
	struct sqlite_known x = sqlite_known(r, KIND_EXECUTION, sqlite3_column_int64(st, 0));

	out->exec = x.id;
	out->object = sqlite_known(r, KIND_OBJECT, sqlite3_column_int64(st, 1)).id;
	out->path = sqlite_string(r, sqlite3_column_int64(st, 2));
	if (r->failed)
		return;
	if (sqlite_unpack(sqlite3_column_blob(st, 3), (size_t)sqlite3_column_bytes(st, 3), x.base,
			  out) < 0)
		r->failed = sqlite_damaged(r->s, "an access record cannot be read");
}

static enum sql accesses_by(int by)
{
	switch (by) {
	case BY_RUN:
		return SQL_ACCESSES_OF_RUN;
	case BY_OBJECT_CHANGES:
		return SQL_CHANGES_OF_OBJECT;
	case BY_OBJECT:
		return SQL_ACCESSES_OF_OBJECT;
	default:
		return SQL_ACCESSES_OF_EXECUTION;
	}
}

static bool same_access(const struct access *a, const struct access *b)
{
	return id_equal(&a->exec, &b->exec) && id_equal(&a->object, &b->object) &&
	       !strcmp(a->path, b->path);
}

/* Of sorted accesses: each once, and only what was asked for. An execution may
 * change an object under one name and only read it under another. */
static size_t keep_wanted(struct access *v, size_t n, int by)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (by == BY_OBJECT_CHANGES && !(v[i].flags & ACCESS_CHANGES))
			continue;
		if (!kept || !same_access(&v[kept - 1], &v[i]))
			v[kept++] = v[i];
	}
	return kept;
}

int sqlite_accesses(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		    struct access **out, size_t *n)
{
	struct sqlite_reader r;
	struct access *v = NULL;
	size_t found = 0, room = 0;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	ids = sqlite_sorted(a, ids, &n_ids);
	for (size_t i = 0; i < n_ids && !r.failed; i++) {
		sqlite3_stmt *st = sql(r.s, accesses_by(by));

		sql_bind_id(st, 1, &ids[i]);
		while (sqlite_next(&r, st)) {
			v = arena_grow(a, v, found, &room, sizeof(*v));
			access_row(&r, st, &v[found++]);
		}
	}
	ret = sqlite_reader_end(&r);
	if (ret < 0)
		return ret;
	accesses_sort(v, found);
	*out = v;
	*n = keep_wanted(v, found, by);
	return 0;
}

static void name_row(struct sqlite_reader *r, sqlite3_stmt *st, struct name_event *out)
{
	*out = (struct name_event){
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
	struct sqlite_reader r;
	struct name_event *v = NULL;
	size_t found = 0, room = 0;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	ids = sqlite_sorted(a, ids, &n_ids);
	for (size_t i = 0; i < n_ids && !r.failed; i++) {
		sqlite3_stmt *st = sql(r.s, by == BY_RUN ? SQL_NAMES_OF_RUN : SQL_NAMES_OF_OBJECT);

		sql_bind_id(st, 1, &ids[i]);
		while (sqlite_next(&r, st)) {
			v = arena_grow(a, v, found, &room, sizeof(*v));
			name_row(&r, st, &v[found++]);
		}
	}
	ret = sqlite_reader_end(&r);
	if (ret < 0)
		return ret;
	names_sort(v, found);
	*out = v;
	*n = found;
	return 0;
}

int sqlite_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		 size_t *n)
{
	struct sqlite_reader r;
	struct hole *v = NULL;
	size_t found = 0, room = 0;
	sqlite3_stmt *st;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	st = sql(r.s, SQL_HOLES);
	sql_bind_id(st, 1, run);
	while (sqlite_next(&r, st)) {
		v = arena_grow(a, v, found, &room, sizeof(*v));
		v[found++] = (struct hole){
			.run = *run,
			.exec = sqlite_known(&r, KIND_EXECUTION, sqlite3_column_int64(st, 0)).id,
			.kind = sqlite_string(&r, sqlite3_column_int64(st, 1)),
			.why = sqlite_string(&r, sqlite3_column_int64(st, 2)),
			.count = (uint64_t)sqlite3_column_int64(st, 3),
		};
	}
	ret = sqlite_reader_end(&r);
	if (ret < 0)
		return ret;
	holes_sort(v, found);
	*out = v;
	*n = found;
	return 0;
}

int sqlite_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		 size_t *n)
{
	struct sqlite_reader r;
	struct note *v = NULL;
	size_t found = 0, room = 0;
	sqlite3_stmt *st;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	st = sql(r.s, SQL_NOTES);
	sql_bind_id(st, 1, run);
	while (sqlite_next(&r, st)) {
		v = arena_grow(a, v, found, &room, sizeof(*v));
		v[found++] = (struct note){
			.run = *run,
			.key = sqlite_string(&r, sqlite3_column_int64(st, 0)),
			.value = sqlite_string(&r, sqlite3_column_int64(st, 1)),
		};
	}
	ret = sqlite_reader_end(&r);
	if (ret < 0)
		return ret;
	notes_sort(v, found);
	*out = v;
	*n = found;
	return 0;
}

int sqlite_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
		   size_t *n)
{
	struct sqlite_reader r;
	struct named *v = NULL;
	size_t found = 0, room = 0;
	sqlite3_stmt *st;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	st = sql(r.s, SQL_NAMED);
	(void)sqlite3_bind_int64(st, 1, sqlite_hash(r.s, path, strlen(path)));
	(void)sqlite3_bind_blob64(st, 2, path, strlen(path), SQLITE_STATIC);
	while (sqlite_next(&r, st)) {
		v = arena_grow(a, v, found, &room, sizeof(*v));
		v[found++] = (struct named){
			.object = sqlite_known(&r, KIND_OBJECT, sqlite3_column_int64(st, 0)).id,
			.time = sqlite3_column_int64(st, 1),
		};
	}
	ret = sqlite_reader_end(&r);
	if (ret < 0)
		return ret;
	named_sort(v, found);
	*out = v;
	*n = found;
	return 0;
}
