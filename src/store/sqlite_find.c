/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_find.c - runs, executions, objects, their ids, holes and notes */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "store/merge.h"
#include "store/sqlite.h"

static bool run_wanted(const struct run *run, const struct run_filter *f)
{
	if (f->user && strcmp(run->user, f->user))
		return false;
	return !f->grep || run_matches(run, f->grep);
}

int sqlite_runs(struct store *s, const struct run_filter *f, struct arena *a, struct run **out,
		size_t *n)
{
	struct sqlite_reader r;
	struct run *v = NULL;
	size_t found = 0, room = 0;
	sqlite3_stmt *st;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	st = sql(r.s, SQL_RUNS);
	(void)sqlite3_bind_int64(st, 1, f->since ? f->since : INT64_MIN);
	(void)sqlite3_bind_int64(st, 2, f->until ? f->until : INT64_MAX);
	while ((!f->most || found < f->most) && sqlite_next(&r, st)) {
		v = arena_grow(a, v, found, &room, sizeof(*v));
		sqlite_run_row(&r, st, &v[found]);
		found += run_wanted(&v[found], f);
	}
	ret = sqlite_reader_end(&r);
	if (ret < 0)
		return ret;
	runs_sort(v, found);
	*out = v;
	*n = found;
	return 0;
}

int sqlite_run(struct store *s, const struct id *id, struct arena *a, struct run *out)
{
	struct sqlite_reader r;
	struct run run;
	char text[ID_TEXT_SIZE];
	sqlite3_stmt *st;
	int found, ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	st = sql(r.s, SQL_RUN_GET);
	sql_bind_id(st, 1, id);
	found = sqlite_next(&r, st);
	if (found)
		sqlite_run_row(&r, st, &run);
	ret = sqlite_reader_end(&r);
	if (ret < 0)
		return ret;
	if (!found)
		return fail(ENOENT, "%s: there is no such run in %s; \"prov log\" lists them",
			    id_short(ID_RUN, id, text), r.s->where);
	*out = run;
	return 0;
}

static enum sql executions_by(int by)
{
	switch (by) {
	case BY_RUN:
		return SQL_EXECUTIONS_OF_RUN;
	case BY_PARENT:
		return SQL_EXECUTIONS_OF_PARENT;
	default:
		return SQL_EXECUTIONS;
	}
}

int sqlite_executions(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		      struct execution **out, size_t *n)
{
	struct sqlite_reader r;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	sqlite_ask(&r, by == BY_RUN ? KIND_RUN : KIND_EXECUTION, ids, n_ids, true);
	*out = sqlite_collect(&r, sql(r.s, executions_by(by)), sizeof(**out),
			      sqlite_execution_row, n);
	executions_sort(*out, *n);
	return sqlite_reader_end(&r);
}

int sqlite_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
		   struct object **out, size_t *n)
{
	struct sqlite_reader r;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	sqlite_ask(&r, KIND_OBJECT, ids, n_ids, true);
	*out = sqlite_collect(&r, sql(r.s, SQL_OBJECTS), sizeof(**out), sqlite_object_row, n);
	objects_sort(*out, *n);
	return sqlite_reader_end(&r);
}

static void take_hole(struct sqlite_reader *r, sqlite3_stmt *st, void *out)
{
	*(struct hole *)out = (struct hole){
		.exec = sqlite_known(r, KIND_EXECUTION, sqlite3_column_int64(st, 0)).id,
		.kind = sqlite_string(r, sqlite3_column_int64(st, 1)),
		.why = sqlite_string(r, sqlite3_column_int64(st, 2)),
		.count = (uint64_t)sqlite3_column_int64(st, 3),
	};
}

int sqlite_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		 size_t *n)
{
	struct sqlite_reader r;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	sqlite_ask(&r, KIND_RUN, run, 1, false);
	*out = sqlite_collect(&r, sql(r.s, SQL_HOLES), sizeof(**out), take_hole, n);
	for (size_t i = 0; i < *n; i++)
		(*out)[i].run = *run;
	holes_sort(*out, *n);
	return sqlite_reader_end(&r);
}

static void take_note(struct sqlite_reader *r, sqlite3_stmt *st, void *out)
{
	*(struct note *)out = (struct note){
		.key = sqlite_string(r, sqlite3_column_int64(st, 0)),
		.value = sqlite_string(r, sqlite3_column_int64(st, 1)),
	};
}

int sqlite_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		 size_t *n)
{
	struct sqlite_reader r;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	sqlite_ask(&r, KIND_RUN, run, 1, false);
	*out = sqlite_collect(&r, sql(r.s, SQL_NOTES), sizeof(**out), take_note, n);
	for (size_t i = 0; i < *n; i++)
		(*out)[i].run = *run;
	notes_sort(*out, *n);
	return sqlite_reader_end(&r);
}

static const char *text_at(struct sqlite_reader *r, sqlite3_stmt *st, int column)
{
	const char *p = (const char *)sqlite3_column_text(st, column);

	return arena_str(r->a, p ? p : "");
}

static void take_boot_offset(struct sqlite_reader *r, sqlite3_stmt *st, void *out)
{
	*(struct boot_offset *)out = (struct boot_offset){
		text_at(r, st, 0), text_at(r, st, 1), sqlite3_column_int64(st, 2)
	};
}

int sqlite_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out, size_t *n)
{
	struct sqlite_reader r;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	*out = sqlite_collect(&r, sql(r.s, SQL_BOOTS), sizeof(**out), take_boot_offset, n);
	boot_offsets_sort(*out, *n);
	return sqlite_reader_end(&r);
}

static void take_id(struct sqlite_reader *r, sqlite3_stmt *st, void *out)
{
	(void)r;
	sql_column_id(st, 0, out);
}

int sqlite_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
	       struct id **out, size_t *n)
{
	static const enum sql by_kind[] = {
		[ID_RUN] = SQL_RUN_IDS,
		[ID_EXECUTION] = SQL_EXECUTION_IDS,
		[ID_OBJECT] = SQL_OBJECT_IDS,
	};
	struct sqlite_reader r;
	sqlite3_stmt *st;
	int ret;

	*out = NULL;
	*n = 0;
	if (p->kind != ID_RUN && p->kind != ID_EXECUTION && p->kind != ID_OBJECT)
		return 0; /* users have no rows of their own */
	ret = sqlite_reader_begin(&r, s, a);
	if (ret < 0)
		return ret;
	st = sql(r.s, by_kind[p->kind]);
	sql_bind_id(st, 1, &p->lowest);
	sql_bind_id(st, 2, &p->highest);
	(void)sqlite3_bind_int64(st, 3, most > INT64_MAX ? INT64_MAX : (int64_t)most);
	*out = sqlite_collect(&r, st, sizeof(**out), take_id, n);
	return sqlite_reader_end(&r);
}

int sqlite_info(struct store *s, struct arena *a, struct store_info *out)
{
	struct sqlite_reader r;
	struct store_info info;
	sqlite3_stmt *st;
	int ret = sqlite_reader_begin(&r, s, a);

	if (ret < 0)
		return ret;
	st = sql(r.s, SQL_INFO);
	info.where = arena_str(a, r.s->where);
	if (sqlite_next(&r, st)) {
		info.runs = (uint64_t)sqlite3_column_int64(st, 0);
		info.executions = (uint64_t)sqlite3_column_int64(st, 1);
		info.objects = (uint64_t)sqlite3_column_int64(st, 2);
		info.accesses = (uint64_t)sqlite3_column_int64(st, 3);
		info.bytes = sqlite3_column_int64(st, 4) * sqlite3_column_int64(st, 5);
	}
	ret = sqlite_reader_end(&r);
	if (ret == 0)
		*out = info;
	return ret;
}
