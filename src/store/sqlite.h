/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_SQLITE_H
#define PROV_STORE_SQLITE_H
#include <sqlite3.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "store/store.h"
/*
 * Inside the SQLite store; nothing but sqlite_*.c and their tests includes
 * this. The file format is prov-store(5): rows are named by small integer
 * keys, and 0 is no key.
 */
#define SCHEMA_APPLICATION 0x70726f76	/* "prov" */
#define SCHEMA_VERSION 1

enum sql {
	SQL_BEGIN, SQL_BEGIN_WRITE, SQL_COMMIT, SQL_ROLLBACK, SQL_DATA_VERSION,
	SQL_STRING_KEY, SQL_STRING_ADD, SQL_STRING_GET,
	SQL_ENVIRONMENT_KEY, SQL_ENVIRONMENT_ADD, SQL_ENVIRONMENT_GET,
	SQL_RUN_KEY, SQL_RUN_PLACE, SQL_RUN_SET, SQL_RUN_GET, SQL_RUN_ID, SQL_RUN_IDS, SQL_RUNS,
	SQL_EXECUTION_KEY, SQL_EXECUTION_PLACE, SQL_EXECUTION_SET, SQL_EXECUTION_GET,
	SQL_EXECUTION_ID, SQL_EXECUTION_IDS, SQL_EXECUTIONS, SQL_EXECUTIONS_OF_RUN,
	SQL_EXECUTIONS_OF_PARENT,
	SQL_OBJECT_KEY, SQL_OBJECT_PLACE, SQL_OBJECT_ADD, SQL_OBJECT_SET, SQL_OBJECT_ROW,
	SQL_OBJECT_ID, SQL_OBJECT_IDS, SQL_OBJECTS,
	SQL_ACCESS_PUT, SQL_TOUCH_PUT, SQL_NAMED_PUT_ALL, SQL_NAMED_PUT, SQL_NAME_PUT,
	SQL_HOLE_PUT, SQL_NOTE_PUT,
	SQL_ACCESSES_OF_EXECUTION, SQL_ACCESSES_OF_RUN, SQL_ACCESSES, SQL_TOUCHES, SQL_CHANGES,
	SQL_NAMES_OF_OBJECT, SQL_NAMES_OF_RUN, SQL_NAMES_OF_EXECUTION, SQL_HOLES, SQL_NOTES,
	SQL_NAMED,
	SQL_BOOT_PUT, SQL_BOOT_GET, SQL_BOOTS, SQL_INFO,
	SQL_LAST
};

extern const char *const sqlite_texts[SQL_LAST];
extern const char *const sqlite_schema;		/* makes all tables of an empty file */

struct sqlite_tuning {
	int patience_ms;	/* how long we wait while nobody else makes progress */
	int most_pages;		/* size limit of the file; 0 = none */
	bool shared;		/* treat its place as a network file system */
};

/* sqlite_table.c: an array of ours that SQL reads as a table. */
struct sqlite_array {
	const char *declaration;
	size_t item;		/* its size */
	bool (*skip)(const void *item);	/* NULL: none */
	void (*column)(const struct sqlite_array *array, const void *item, sqlite3_context *out,
		       int column);
	struct buf *line;	/* room for whoever fills it */
	const char *at, *end;
};

/* The three kinds of thing that have an id, and the two kinds of text. */
enum sqlite_kind { KIND_RUN, KIND_EXECUTION, KIND_OBJECT, KIND_LAST };
enum sqlite_text_kind { TEXT_STRING, TEXT_ENVIRONMENT, TEXT_LAST };

/* sqlite_cache.c. Keys are never used again, so what was seen of them in a
 * transaction that ended well holds for as long as the file is open. */
struct sqlite_known {
	struct id id;
	int64_t key;
	int64_t base;		/* executions: what times are relative to, for ever */
};

struct sqlite_text {
	struct strings text;
	uint64_t question;	/* that has copy in its arena */
	const char *copy;
};

struct sqlite_keys {
	struct map leaves;
	uint64_t number;
	struct leaf *newest;
};

struct sqlite_cache {
	struct arena a;
	struct map ids[KIND_LAST];		/* id to struct sqlite_known */
	struct sqlite_keys keys[KIND_LAST];	/* likewise */
	struct map contents[TEXT_LAST];		/* text to key */
	struct sqlite_keys texts[TEXT_LAST];	/* key to struct sqlite_text */
	uint64_t question;
};

struct sqlite_store {
	struct store store;
	sqlite3 *db;
	char *where;
	enum store_mode mode;
	struct sqlite_tuning tuning;
	int64_t waiting_since;	/* for a lock; clock_mono() */
	int error;		/* of the last sqlite_fail(), negative errno */
	struct sha256 *sha;
	struct sqlite_cache cache;
	struct sqlite_array rows, asked, wanted;
	struct buf line, asked_pairs, wanted_pairs, keys, found, facts;
	sqlite3_stmt *stmts[SQL_LAST];
};

int sqlite_open_tuned(const char *where, enum store_mode mode, const struct sqlite_tuning *t,
		      struct store **out);

/* sqlite_fail.c: the sentence for what SQLite has just refused. */
int sqlite_fail(struct sqlite_store *s);
int sqlite_damaged(struct sqlite_store *s, const char *what);

/* sqlite_step.c: sql() prepares at first use and resets; NULL after
 * sqlite_fail(), which the others pass on. */
sqlite3_stmt *sql(struct sqlite_store *s, enum sql which);
int sql_row(struct sqlite_store *s, sqlite3_stmt *st);	/* 1 a row, 0 the end, -errno */
int sql_run(struct sqlite_store *s, sqlite3_stmt *st);	/* no row is wanted: 0, -errno */
int sqlite_begin_read(struct sqlite_store *s);
int sqlite_begin_write(struct sqlite_store *s);
int sqlite_end(struct sqlite_store *s, int r);	/* commits when r is 0, else rolls back */
void sql_bind_id(sqlite3_stmt *st, int column, const struct id *id);
void sql_column_id(sqlite3_stmt *st, int column, struct id *id);

int sqlite_array_table(struct sqlite_store *s, const char *name, struct sqlite_array *array);
void sqlite_array_fill(struct sqlite_array *array, const void *items, size_t n);

void sqlite_cache_release(struct sqlite_cache *c);
void sqlite_cache_trim(struct sqlite_cache *c);	/* forgets all when that is much */
struct sqlite_known *sqlite_cache_id(const struct sqlite_cache *c, enum sqlite_kind kind,
				     const struct id *id);
struct sqlite_known *sqlite_cache_key(struct sqlite_cache *c, enum sqlite_kind kind, int64_t key);
struct sqlite_known *sqlite_cache_add(struct sqlite_cache *c, enum sqlite_kind kind,
				      const struct id *id, int64_t key, int64_t base);
struct sqlite_text *sqlite_cache_text(struct sqlite_cache *c, enum sqlite_text_kind kind,
				      int64_t key);
struct sqlite_text *sqlite_cache_text_add(struct sqlite_cache *c, enum sqlite_text_kind kind,
					  int64_t key, const void *p, size_t size);

/* sqlite_key.c. One put. The first failure stays in failed, and from then on keys are 0. */
struct sqlite_writer {
	struct sqlite_store *s;
	struct arena a;
	int failed;
};

int64_t sqlite_hash(struct sqlite_store *s, const void *p, size_t n);
int64_t sqlite_string_key(struct sqlite_writer *w, const char *text);	/* NULL is "" */
int64_t sqlite_strings_key(struct sqlite_writer *w, const struct strings *s,
			   enum sqlite_text_kind kind);
/* The row of id, or NULL when there is none (or w failed). */
struct sqlite_known *sqlite_find(struct sqlite_writer *w, enum sqlite_kind kind,
				 const struct id *id);
/* The row of id, an empty one if it must be made; base is for a new one. */
struct sqlite_known sqlite_place(struct sqlite_writer *w, enum sqlite_kind kind,
				 const struct id *id, int64_t base);

/* sqlite_reader.c. One question; results go to the arena a. */
struct sqlite_reader {
	struct sqlite_store *s;
	struct arena *a;
	int failed;
};

struct sqlite_pair {
	int64_t a, b;
};

int sqlite_asked_tables(struct sqlite_store *s);	/* an SQLite code */
int sqlite_reader_begin(struct sqlite_reader *r, struct store *store, struct arena *a);
int sqlite_reader_end(struct sqlite_reader *r);
int sqlite_next(struct sqlite_reader *r, sqlite3_stmt *st);	/* 1 and a row, or 0 */
/* Fills the table asked with the keys of ids that are known, in order, each
 * from a to b; spans: neighbours may be one row. */
void sqlite_ask(struct sqlite_reader *r, enum sqlite_kind kind, const struct id *ids, size_t n,
		bool spans);
/* Looks up those not in the cache, many at a time; changes keys. */
void sqlite_want(struct sqlite_reader *r, int64_t *keys, size_t n, enum sqlite_kind kind);
void sqlite_want_texts(struct sqlite_reader *r, int64_t *keys, size_t n);
const char *sqlite_string(struct sqlite_reader *r, int64_t key);
struct strings sqlite_strings(struct sqlite_reader *r, int64_t key, enum sqlite_text_kind kind);
struct sqlite_known sqlite_known(struct sqlite_reader *r, enum sqlite_kind kind, int64_t key);

/* All rows of a statement, each made an item by take. */
typedef void sqlite_take(struct sqlite_reader *r, sqlite3_stmt *st, void *out);
void *sqlite_collect(struct sqlite_reader *r, sqlite3_stmt *st, size_t item, sqlite_take *take,
		     size_t *n);

/* sqlite_row.c: whole rows of the SQL_*_GET columns, and back. */
int sqlite_enum_column(sqlite3_stmt *st, int i, int last);
sqlite_take sqlite_run_row, sqlite_execution_row, sqlite_object_row;
int sqlite_run_set(struct sqlite_writer *w, int64_t key, const struct run *run);
int sqlite_execution_set(struct sqlite_writer *w, int64_t key, int64_t base,
			 const struct execution *x);
int sqlite_object_set(struct sqlite_writer *w, enum sql which, int64_t key,
		      const struct object *o);

/* sqlite_pack.c: column access.facts; times relative to base. */
void sqlite_pack(struct buf *b, const struct access *access, int64_t base);
int sqlite_unpack(const void *p, size_t size, int64_t base, struct access *out);
int sqlite_merge_function(sqlite3 *db);	/* access_merged(facts, facts, base) */

/* sqlite_rows.c: an access with its keys. Each table is filled in its own order, which
 * keeps its pages full and each page touched once. */
struct sqlite_row {
	int64_t execution, object, path, base, last;
	const struct access *access;
	bool changes, skip;
};

int sqlite_rows_table(struct sqlite_store *s);	/* an SQLite code */
/* Runs a statement that reads the table put_rows, over rows that are not to be
 * skipped. */
void sqlite_put_rows(struct sqlite_writer *w, enum sql which, const struct sqlite_row *rows,
		     size_t n);

/* sqlite_put.c, sqlite_put_access.c */
int sqlite_put(struct store *s, const struct facts *f);
void sqlite_put_accesses(struct sqlite_writer *w, const struct access *v, size_t n);
void sqlite_put_names(struct sqlite_writer *w, const struct name_event *v, size_t n);
void sqlite_put_holes(struct sqlite_writer *w, const struct hole *v, size_t n);
void sqlite_put_notes(struct sqlite_writer *w, const struct note *v, size_t n);
int sqlite_boot_offset(struct store *s, const char *host, const char *boot, int64_t proposed,
		       int64_t *kept);

/* sqlite_find.c, sqlite_find_access.c: as in struct store_ops */
int sqlite_runs(struct store *s, const struct run_filter *f, struct arena *a, struct run **out,
		size_t *n);
int sqlite_run(struct store *s, const struct id *id, struct arena *a, struct run *out);
int sqlite_executions(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		      struct execution **out, size_t *n);
int sqlite_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
		   struct object **out, size_t *n);
int sqlite_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
	       struct id **out, size_t *n);
int sqlite_info(struct store *s, struct arena *a, struct store_info *out);
int sqlite_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out, size_t *n);
int sqlite_accesses(struct store *s, int by, const struct id *ids, size_t n_ids,
		    const struct store_except *but, struct arena *a, struct access **out,
		    size_t *n);
int sqlite_names(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		 struct name_event **out, size_t *n);
int sqlite_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		 size_t *n);
int sqlite_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		 size_t *n);
int sqlite_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
		   size_t *n);
#endif
