/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_table.c - arrays of ours as tables that SQL can read */
#include "store/sqlite.h"

/*
 * A statement that reads such a table is started once for many rows, and its
 * cursors stay near where the row before was found or put.
 */
struct array_table {
	sqlite3_vtab base;
	const struct sqlite_array *array;
};

struct array_cursor {
	sqlite3_vtab_cursor base;
	const struct sqlite_array *array;
	const char *at;
};

static struct array_cursor *cursor_of(sqlite3_vtab_cursor *c)
{
	return (struct array_cursor *)c;
}

static int array_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **message)
{
	const struct sqlite_array *array = aux;
	struct array_table *t = sqlite3_malloc(sizeof(*t));

	(void)argc;
	(void)argv;
	(void)message;
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct array_table){ .array = array };
	*out = &t->base;
	return sqlite3_declare_vtab(db, array->declaration);
}

static int array_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static int array_plan(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	info->estimatedCost = 1000;
	return SQLITE_OK;
}

static int array_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct array_cursor *c = sqlite3_malloc(sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct array_cursor){ .array = ((struct array_table *)t)->array };
	*out = &c->base;
	return SQLITE_OK;
}

static int array_close(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

static int array_over(sqlite3_vtab_cursor *cursor)
{
	return cursor_of(cursor)->at >= cursor_of(cursor)->array->end;
}

static void pass_over(struct array_cursor *c)
{
	while (c->at < c->array->end && c->array->skip && c->array->skip(c->at))
		c->at += c->array->item;
}

static int array_first(sqlite3_vtab_cursor *cursor, int plan, const char *text, int n,
		       sqlite3_value **values)
{
	struct array_cursor *c = cursor_of(cursor);

	(void)plan;
	(void)text;
	(void)n;
	(void)values;
	c->at = c->array->at;
	pass_over(c);
	return SQLITE_OK;
}

static int array_next(sqlite3_vtab_cursor *cursor)
{
	struct array_cursor *c = cursor_of(cursor);

	c->at += c->array->item;
	pass_over(c);
	return SQLITE_OK;
}

static int array_column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
	const struct array_cursor *c = cursor_of(cursor);

	c->array->column(c->array, c->at, out, column);
	return SQLITE_OK;
}

static int array_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	const struct array_cursor *c = cursor_of(cursor);

	*id = (c->at - c->array->at) / (sqlite3_int64)c->array->item;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = array_connect,
	.xBestIndex = array_plan,
	.xDisconnect = array_disconnect,
	.xOpen = array_open,
	.xClose = array_close,
	.xFilter = array_first,
	.xNext = array_next,
	.xEof = array_over,
	.xColumn = array_column,
	.xRowid = array_rowid,
};

int sqlite_array_table(struct sqlite_store *s, const char *name, struct sqlite_array *array)
{
	return sqlite3_create_module_v2(s->db, name, &module, array, NULL);
}

void sqlite_array_fill(struct sqlite_array *array, const void *items, size_t n)
{
	array->at = items;
	array->end = n ? array->at + n * array->item : array->at;
}
