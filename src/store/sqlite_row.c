/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_row.c - runs, executions and objects as rows */
#include <string.h>

#include "store/merge.h"
#include "store/sqlite.h"

/* NULL in the file is what is not known. Wraps: a damaged file may hold anything. */
static int64_t time_column(sqlite3_stmt *st, int i, int64_t base)
{
	if (sqlite3_column_type(st, i) == SQLITE_NULL)
		return 0;
	return (int64_t)((uint64_t)sqlite3_column_int64(st, i) + (uint64_t)base);
}

static void bind_time(sqlite3_stmt *st, int i, int64_t time, int64_t base)
{
	if (time)
		(void)sqlite3_bind_int64(st, i, (int64_t)((uint64_t)time - (uint64_t)base));
	else
		(void)sqlite3_bind_null(st, i);
}

/* One of 0..last, whatever a damaged file says. */
int sqlite_enum_column(sqlite3_stmt *st, int i, int last)
{
	int v = sqlite3_column_int(st, i);

	return v >= 0 && v <= last ? v : last;
}

static int status_column(sqlite3_stmt *st, int i)
{
	return sqlite3_column_type(st, i) == SQLITE_NULL ? -1 : sqlite3_column_int(st, i);
}

static void bind_known(sqlite3_stmt *st, int i, int64_t value, int64_t unknown)
{
	if (value == unknown)
		(void)sqlite3_bind_null(st, i);
	else
		(void)sqlite3_bind_int64(st, i, value);
}

/* The empty text is NULL. */
static void bind_text(struct sqlite_writer *w, sqlite3_stmt *st, int i, const char *text)
{
	bind_known(st, i, text[0] ? sqlite_string_key(w, text) : 0, 0);
}

static void bind_strings(struct sqlite_writer *w, sqlite3_stmt *st, int i, const struct strings *s,
			 enum sqlite_text_kind kind)
{
	bind_known(st, i, s->size ? sqlite_strings_key(w, s, kind) : 0, 0);
}

static const char *text_column(struct sqlite_reader *r, sqlite3_stmt *st, int i)
{
	int64_t key = sqlite3_column_int64(st, i);

	return key ? sqlite_string(r, key) : "";
}

void sqlite_run_row(struct sqlite_reader *r, sqlite3_stmt *st, void *row)
{
	struct run *out = row;

	*out = (struct run){
		.name = text_column(r, st, 4),
		.host = text_column(r, st, 5),
		.boot = text_column(r, st, 6),
		.user = text_column(r, st, 7),
		.uid = (uint32_t)sqlite3_column_int64(st, 8),
		.cwd = text_column(r, st, 9),
		.argv = sqlite_strings(r, sqlite3_column_int64(st, 10), TEXT_STRING),
		.engine = text_column(r, st, 11),
		.start = time_column(st, 12, 0),
		.end = time_column(st, 13, 0),
		.shift = sqlite3_column_int64(st, 14),
		.status = status_column(st, 15),
		.signal = sqlite3_column_int(st, 16),
		.lost = (uint64_t)sqlite3_column_int64(st, 17),
		.recovered = sqlite3_column_int(st, 19) != 0,
	};
	sql_column_id(st, 1, &out->id);
	sql_column_id(st, 18, &out->root);
}

int sqlite_run_set(struct sqlite_writer *w, int64_t key, const struct run *run)
{
	sqlite3_stmt *st = sql(w->s, SQL_RUN_SET);

	if (!st)
		return w->s->error;
	bind_known(st, 1, key, 0);
	sql_bind_id(st, 2, &run->id);
	/* 0 when unknown, not NULL: those runs are listed too, last. */
	(void)sqlite3_bind_int64(st, 3, run_began(run));
	bind_text(w, st, 4, run->name);
	bind_text(w, st, 5, run->host);
	bind_text(w, st, 6, run->boot);
	bind_text(w, st, 7, run->user);
	(void)sqlite3_bind_int64(st, 8, run->uid);
	bind_text(w, st, 9, run->cwd);
	bind_strings(w, st, 10, &run->argv, TEXT_STRING);
	bind_text(w, st, 11, run->engine);
	bind_time(st, 12, run->start, 0);
	bind_time(st, 13, run->end, 0);
	bind_known(st, 14, run->shift, 0);
	bind_known(st, 15, run->status, -1);
	(void)sqlite3_bind_int64(st, 16, run->signal);
	(void)sqlite3_bind_int64(st, 17, (int64_t)run->lost);
	(void)sqlite3_bind_null(st, 18);
	if (!id_is_zero(&run->root))
		sql_bind_id(st, 18, &run->root);
	(void)sqlite3_bind_int64(st, 19, run->recovered);
	return w->failed ? w->failed : sql_run(w->s, st);
}

void sqlite_execution_row(struct sqlite_reader *r, sqlite3_stmt *st, void *row)
{
	struct execution *out = row;
	int64_t base = sqlite3_column_int64(st, 2);

	*out = (struct execution){
		.run = sqlite_known(r, KIND_RUN, sqlite3_column_int64(st, 4)).id,
		.parent = sqlite_known(r, KIND_EXECUTION, sqlite3_column_int64(st, 5)).id,
		.how = (enum how)sqlite_enum_column(st, 6, HOW_UNKNOWN),
		.pid = (uint32_t)sqlite3_column_int64(st, 7),
		.ppid = (uint32_t)sqlite3_column_int64(st, 8),
		.uid = (uint32_t)sqlite3_column_int64(st, 9),
		.exe = text_column(r, st, 10),
		.cwd = text_column(r, st, 11),
		.argv = sqlite_strings(r, sqlite3_column_int64(st, 12), TEXT_STRING),
		.env = sqlite_strings(r, sqlite3_column_int64(st, 13), TEXT_ENVIRONMENT),
		.start = time_column(st, 14, base),
		.end = time_column(st, 15, base),
		.status = status_column(st, 16),
		.signal = sqlite3_column_int(st, 17),
		.replaced = sqlite3_column_int(st, 18) != 0,
		.blind = sqlite3_column_int(st, 19) != 0,
	};
	sql_column_id(st, 1, &out->id);
}

/* Key of the thing with this id; NULL for the zero id. */
static void bind_place(struct sqlite_writer *w, sqlite3_stmt *st, int i, enum sqlite_kind kind,
		       const struct id *id, int64_t base)
{
	bind_known(st, i, id_is_zero(id) ? 0 : sqlite_place(w, kind, id, base).key, 0);
}

int sqlite_execution_set(struct sqlite_writer *w, int64_t key, int64_t base,
			 const struct execution *x)
{
	sqlite3_stmt *st = sql(w->s, SQL_EXECUTION_SET);

	if (!st)
		return w->s->error;
	bind_known(st, 1, key, 0);
	sql_bind_id(st, 2, &x->id);
	(void)sqlite3_bind_int64(st, 3, base);
	bind_place(w, st, 4, KIND_RUN, &x->run, 0);
	bind_place(w, st, 5, KIND_EXECUTION, &x->parent, x->start);
	(void)sqlite3_bind_int64(st, 6, x->how);
	(void)sqlite3_bind_int64(st, 7, x->pid);
	(void)sqlite3_bind_int64(st, 8, x->ppid);
	(void)sqlite3_bind_int64(st, 9, x->uid);
	bind_text(w, st, 10, x->exe);
	bind_text(w, st, 11, x->cwd);
	bind_strings(w, st, 12, &x->argv, TEXT_STRING);
	bind_strings(w, st, 13, &x->env, TEXT_ENVIRONMENT);
	bind_time(st, 14, x->start, base);
	bind_time(st, 15, x->end, base);
	bind_known(st, 16, x->status, -1);
	(void)sqlite3_bind_int64(st, 17, x->signal);
	(void)sqlite3_bind_int64(st, 18, x->replaced);
	(void)sqlite3_bind_int64(st, 19, x->blind);
	return w->failed ? w->failed : sql_run(w->s, st);
}

void sqlite_object_row(struct sqlite_reader *r, sqlite3_stmt *st, void *row)
{
	struct object *out = row;
	const void *digest = sqlite3_column_blob(st, 10);

	(void)r;
	*out = (struct object){
		.kind = (enum object_kind)sqlite_enum_column(st, 3, OBJECT_OTHER),
		.dev = (uint64_t)sqlite3_column_int64(st, 4),
		.ino = (uint64_t)sqlite3_column_int64(st, 5),
		.btime = time_column(st, 6, 0),
		.size = sqlite3_column_type(st, 7) == SQLITE_NULL ? -1
								  : sqlite3_column_int64(st, 7),
		.mtime = time_column(st, 8, 0),
		.seen = time_column(st, 9, 0),
	};
	sql_column_id(st, 1, &out->id);
	if (digest && sqlite3_column_bytes(st, 10) == (int)sizeof(out->sha256)) {
		out->hashed = true;
		memcpy(out->sha256, digest, sizeof(out->sha256));
	}
}

int sqlite_object_set(struct sqlite_writer *w, enum sql which, int64_t key, const struct object *o)
{
	sqlite3_stmt *st = sql(w->s, which);

	if (!st)
		return w->s->error;
	bind_known(st, 1, key, 0);
	sql_bind_id(st, 2, &o->id);
	(void)sqlite3_bind_int64(st, 3, o->kind);
	(void)sqlite3_bind_int64(st, 4, (int64_t)o->dev);
	(void)sqlite3_bind_int64(st, 5, (int64_t)o->ino);
	bind_time(st, 6, o->btime, 0);
	bind_known(st, 7, o->size, -1);
	bind_time(st, 8, o->mtime, 0);
	bind_time(st, 9, o->seen, 0);
	(void)sqlite3_bind_null(st, 10);
	if (o->hashed)
		(void)sqlite3_bind_blob(st, 10, o->sha256, sizeof(o->sha256), SQLITE_TRANSIENT);
	return sql_run(w->s, st);
}
