/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_step.c - statements and transactions */
#include <string.h>

#include "base/clock.h"
#include "store/sqlite.h"

sqlite3_stmt *sql(struct sqlite_store *s, enum sql which)
{
	sqlite3_stmt **st = &s->stmts[which];

	if (*st) {
		(void)sqlite3_reset(*st);
		return *st;
	}
	if (sqlite3_prepare_v3(s->db, sqlite_texts[which], -1, SQLITE_PREPARE_PERSISTENT, st,
			       NULL) != SQLITE_OK) {
		(void)sqlite_fail(s);
		return NULL;
	}
	return *st;
}

int sql_row(struct sqlite_store *s, sqlite3_stmt *st)
{
	int rc;

	if (!st)
		return s->error;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		(void)sqlite_fail(s);
	/* A finished statement holds no lock and keeps no value of ours bound. */
	(void)sqlite3_reset(st);
	return rc == SQLITE_DONE ? 0 : s->error;
}

int sql_run(struct sqlite_store *s, sqlite3_stmt *st)
{
	int r;

	do
		r = sql_row(s, st);
	while (r > 0);
	return r;
}

void sql_bind_id(sqlite3_stmt *st, int column, const struct id *id)
{
	if (st)
		(void)sqlite3_bind_blob(st, column, id->b, sizeof(id->b), SQLITE_TRANSIENT);
}

void sql_column_id(sqlite3_stmt *st, int column, struct id *id)
{
	const void *p = sqlite3_column_blob(st, column);

	memset(id, 0, sizeof(*id));
	if (p && sqlite3_column_bytes(st, column) == (int)sizeof(id->b))
		memcpy(id->b, p, sizeof(id->b));
}

int sqlite_begin_read(struct sqlite_store *s)
{
	return sql_run(s, sql(s, SQL_BEGIN));
}

/* Changes whenever another program has committed something. */
static int64_t data_version(struct sqlite_store *s)
{
	sqlite3_stmt *st = sql(s, SQL_DATA_VERSION);
	int64_t version = -1;

	if (sql_row(s, st) > 0)
		version = sqlite3_column_int64(st, 0);
	if (st)
		(void)sqlite3_reset(st);
	return version;
}

int sqlite_begin_write(struct sqlite_store *s)
{
	/* 64 ranks that end at once each wait for all the others; that is no
	 * reason to fail as long as the store moves on. */
	int64_t give_up = clock_mono() + 60 * 1000000ll * s->tuning.patience_ms;
	int64_t before = data_version(s);

	for (;;) {
		int r = sql_run(s, sql(s, SQL_BEGIN_WRITE));
		int64_t now;

		if (r == 0 || (sqlite3_errcode(s->db) & 0xff) != SQLITE_BUSY)
			return r;
		now = data_version(s);
		if (now == before || clock_mono() > give_up)
			return r;
		before = now;
	}
}

int sqlite_end(struct sqlite_store *s, int r)
{
	int c;

	/* A statement that stopped at a row would keep its lock past the end. */
	for (int i = 0; i < SQL_LAST; i++)
		(void)sqlite3_reset(s->stmts[i]);
	if (r == 0) {
		c = sql_run(s, sql(s, SQL_COMMIT));
		if (c == 0)
			return 0;
		r = c;
	}
	/* Some failures have rolled back already; the sentence of the first stays. */
	if (!sqlite3_get_autocommit(s->db))
		(void)sqlite3_exec(s->db, sqlite_texts[SQL_ROLLBACK], NULL, NULL, NULL);
	return r;
}
