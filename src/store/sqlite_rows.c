/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_rows.c - the rows of a put as a table that SQL can read */
#include "store/sqlite.h"

/* The pages that a statement changes are kept as they were until it ends, so
 * it is given some rows at a time. */
#define AT_A_TIME 2048u

static bool row_skip(const void *item)
{
	return ((const struct sqlite_row *)item)->skip;
}

static void row_column(const struct sqlite_array *array, const void *item, sqlite3_context *out,
		       int column)
{
	const struct sqlite_row *row = item;
	const int64_t keys[] = { row->execution, row->object, row->path, row->last, row->changes };
	struct buf *line = array->line;

	if (column < (int)(sizeof(keys) / sizeof(keys[0]))) {
		sqlite3_result_int64(out, keys[column]);
		return;
	}
	buf_clear(line);
	sqlite_pack(line, row->access, row->base);
	sqlite3_result_blob64(out, line->data, line->size, SQLITE_TRANSIENT);
}

int sqlite_rows_table(struct sqlite_store *s)
{
	s->rows = (struct sqlite_array){
		.declaration = "CREATE TABLE x(execution INTEGER, object INTEGER, path INTEGER,"
			       " last INTEGER, changes INTEGER, facts BLOB)",
		.item = sizeof(struct sqlite_row),
		.skip = row_skip,
		.column = row_column,
		.line = &s->line,
	};
	return sqlite_array_table(s, "put_rows", &s->rows);
}

void sqlite_put_rows(struct sqlite_writer *w, enum sql which, const struct sqlite_row *rows,
		     size_t n)
{
	for (size_t i = 0; i < n && !w->failed; i += AT_A_TIME) {
		sqlite_array_fill(&w->s->rows, rows + i, n - i < AT_A_TIME ? n - i : AT_A_TIME);
		w->failed = sql_run(w->s, sql(w->s, which));
	}
	sqlite_array_fill(&w->s->rows, NULL, 0);
}
