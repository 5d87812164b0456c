/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_rows.c - the rows of a put as a table that SQL can read */
#include "store/sqlite.h"

/*
 * "INSERT INTO ... SELECT ... FROM put_rows" starts one statement for many
 * rows, and its cursors stay where the row before was put. Its pages as they
 * were are kept in memory until it ends, so it is given some rows at a time.
 */
#define AT_A_TIME 2048u

enum column { EXECUTION, OBJECT, PATH, BASE, LAST, CHANGES, FACTS };

static const char declaration[] =
	"CREATE TABLE x(execution INTEGER, object INTEGER, path INTEGER, base INTEGER,"
	" last INTEGER, changes INTEGER, facts BLOB)";

struct rows_table {
	sqlite3_vtab base;
	struct sqlite_store *s;
};

struct rows_cursor {
	sqlite3_vtab_cursor base;
	struct sqlite_store *s;
	const struct sqlite_row *at;
};

static struct rows_cursor *cursor_of(sqlite3_vtab_cursor *c)
{
	return (struct rows_cursor *)c;
}

static int rows_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			sqlite3_vtab **out, char **message)
{
	struct rows_table *t = sqlite3_malloc(sizeof(*t));

	(void)argc;
	(void)argv;
	(void)message;
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct rows_table){ .s = aux };
	*out = &t->base;
	return sqlite3_declare_vtab(db, declaration);
}

static int rows_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static int rows_plan(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	info->estimatedCost = AT_A_TIME;
	return SQLITE_OK;
}

static int rows_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct rows_cursor *c = sqlite3_malloc(sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct rows_cursor){ .s = ((struct rows_table *)t)->s };
	*out = &c->base;
	return SQLITE_OK;
}

static int rows_close(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

static void rows_pass_over(struct rows_cursor *c)
{
	while (c->at < c->s->rows_end && c->at->skip)
		c->at++;
}

static int rows_first(sqlite3_vtab_cursor *cursor, int plan, const char *text, int n,
		      sqlite3_value **values)
{
	struct rows_cursor *c = cursor_of(cursor);

	(void)plan;
	(void)text;
	(void)n;
	(void)values;
	c->at = c->s->rows;
	rows_pass_over(c);
	return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *cursor)
{
	cursor_of(cursor)->at++;
	rows_pass_over(cursor_of(cursor));
	return SQLITE_OK;
}

static int rows_over(sqlite3_vtab_cursor *cursor)
{
	return cursor_of(cursor)->at >= cursor_of(cursor)->s->rows_end;
}

static int rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int i)
{
	const struct rows_cursor *c = cursor_of(cursor);
	const struct sqlite_row *row = c->at;
	const int64_t numbers[] = {
		[EXECUTION] = row->execution, [OBJECT] = row->object, [PATH] = row->path,
		[BASE] = row->base,	      [LAST] = row->last,     [CHANGES] = row->changes,
	};

	if (i != FACTS) {
		sqlite3_result_int64(out, numbers[i]);
		return SQLITE_OK;
	}
	buf_clear(&c->s->line);
	sqlite_pack(&c->s->line, row->access, row->base);
	sqlite3_result_blob64(out, c->s->line.data, c->s->line.size, SQLITE_TRANSIENT);
	return SQLITE_OK;
}

static int rows_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	*id = cursor_of(cursor)->at - cursor_of(cursor)->s->rows;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = rows_connect,
	.xBestIndex = rows_plan,
	.xDisconnect = rows_disconnect,
	.xOpen = rows_open,
	.xClose = rows_close,
	.xFilter = rows_first,
	.xNext = rows_next,
	.xEof = rows_over,
	.xColumn = rows_column,
	.xRowid = rows_id,
};

int sqlite_rows_table(struct sqlite_store *s)
{
	return sqlite3_create_module_v2(s->db, "put_rows", &module, s, NULL);
}

void sqlite_put_rows(struct sqlite_writer *w, enum sql which, const struct sqlite_row *rows,
		     size_t n)
{
	for (size_t i = 0; i < n && !w->failed; i += AT_A_TIME) {
		w->s->rows = rows + i;
		w->s->rows_end = rows + (n - i < AT_A_TIME ? n : i + AT_A_TIME);
		w->failed = sql_run(w->s, sql(w->s, which));
	}
	w->s->rows = w->s->rows_end = NULL;
}
