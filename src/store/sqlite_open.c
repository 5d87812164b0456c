/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_open.c - opening, making and closing the file */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/path.h"
#include "store/sqlite.h"

/* The wait grows to at most 25 ms, spread so that 64 ranks do not march in step. */
static int wait_for_lock(void *arg, int tries)
{
	struct sqlite_store *s = arg;
	int64_t now = clock_mono();
	long ms = tries < 24 ? 1 + tries : 25;
	struct timespec pause = { .tv_nsec = ms * 500000 + (long)(now % 1000) * ms * 500 };

	if (tries == 0)
		s->waiting_since = now;
	if (now - s->waiting_since > 1000000ll * s->tuning.patience_ms)
		return 0;
	(void)nanosleep(&pause, NULL);
	return 1;
}

/* Write-ahead logging needs memory shared by all who have the file open. */
static bool on_network(const char *path)
{
	static const uint32_t magic[] = {
		0x6969,	    /* nfs */
		0x0bd00bd0, /* lustre */
		0x47504653, /* gpfs */
		0x19830326, /* beegfs */
		0x00c36400, /* ceph */
		0x65735546, /* fuse */
		0xff534d42, /* cifs */
		0xfe534d42, /* smb2 */
		0x01021997, /* 9p */
		0x5346414f, /* afs */
		0x20030528, /* orangefs */
	};
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(magic) / sizeof(magic[0]); i++)
		if ((uint32_t)fs.f_type == magic[i])
			return true;
	return false;
}

static int order(struct sqlite_store *s, const char *text)
{
	if (sqlite3_exec(s->db, text, NULL, NULL, NULL) != SQLITE_OK)
		return sqlite_fail(s);
	return 0;
}

/* In one statement: another program may be making the tables just now, and
 * what was read before and after that would not fit together. */
static int ask_schema(struct sqlite_store *s, int64_t *tables, int64_t *application,
		      int64_t *version)
{
	static const char text[] = "SELECT (SELECT count(*) FROM sqlite_master),"
				   " (SELECT application_id FROM pragma_application_id),"
				   " (SELECT user_version FROM pragma_user_version)";
	sqlite3_stmt *st = NULL;
	int r = 0;

	*tables = *application = *version = 0;
	if (sqlite3_prepare_v2(s->db, text, -1, &st, NULL) != SQLITE_OK)
		r = sqlite_fail(s);
	if (r == 0)
		r = sql_row(s, st);
	if (r > 0) {
		*tables = sqlite3_column_int64(st, 0);
		*application = sqlite3_column_int64(st, 1);
		*version = sqlite3_column_int64(st, 2);
	}
	(void)sqlite3_finalize(st);
	return r < 0 ? r : 0;
}

/* 1 when the file holds tables we know, 0 when it is empty, or -errno. */
static int check_schema(struct sqlite_store *s)
{
	int64_t tables, application, version;
	int r = ask_schema(s, &tables, &application, &version);

	if (r < 0)
		return r;
	if (tables == 0 && application == 0 && version == 0)
		return 0;
	if (application != SCHEMA_APPLICATION)
		return fail(EMEDIUMTYPE,
			    "%s: this is a database of another program; set PROV_STORE "
			    "to another file",
			    s->where);
	if (version > SCHEMA_VERSION)
		return fail(EPROTO,
			    "%s: the store was written by a newer prov (schema %lld, this "
			    "one knows %d); update prov or set PROV_STORE to another file",
			    s->where, (long long)version, SCHEMA_VERSION);
	return version == SCHEMA_VERSION ? 1 : sqlite_damaged(s, "its schema has no version");
}

static int make_schema(struct sqlite_store *s)
{
	char text[256];
	int r = sqlite_begin_write(s);

	if (r < 0)
		return r;
	r = check_schema(s); /* another program may have been faster */
	if (r == 0)
		r = order(s, sqlite_schema);
	if (r == 0) {
		(void)snprintf(text, sizeof(text),
			       "PRAGMA application_id = %d;"
			       "PRAGMA user_version = %d;"
			       "INSERT INTO meta VALUES('schema', %d);",
			       SCHEMA_APPLICATION, SCHEMA_VERSION, SCHEMA_VERSION);
		r = order(s, text);
	}
	r = sqlite_end(s, r < 0 ? r : 0);
	return r < 0 ? r : 1;
}

/* The first to come turns the new file into a WAL file, which needs it alone
 * for a moment and does not wait by itself. */
static int set_journal(struct sqlite_store *s)
{
	bool shared = s->tuning.shared || on_network(s->where);
	const char *text = shared ? "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL"
				  : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";
	int64_t give_up = clock_mono() + 1000000ll * s->tuning.patience_ms;
	int r;

	for (int tries = 0;; tries++) {
		r = order(s, text);
		if (r != -EBUSY || clock_mono() > give_up)
			return r;
		(void)nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
}

static int create_file(const char *where)
{
	const char *slash = strrchr(where, '/');
	int fd, r = 0;

	if (slash && slash != where) {
		char *dir = mem_str(where);

		dir[slash - where] = 0;
		r = access(dir, F_OK) == 0 ? 0 : path_make(dir);
		free(dir);
	}
	if (r < 0)
		return fail(-r,
			    "%s: cannot make the folder of the store: %s; set PROV_STORE to a "
			    "file that you can write",
			    where, strerror(-r));
	/* SQLite would use the umask. The file must be new: closing a file that
	 * is open in SQLite drops its locks. SQLite gives -wal and -shm the
	 * mode of this one. */
	fd = open(where, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		(void)close(fd);
	else if (errno != EEXIST)
		return fail(errno,
			    "%s: cannot make the store: %s; set PROV_STORE to a file that "
			    "you can write",
			    where, strerror(errno));
	return 0;
}

extern const struct store_ops store_sqlite_ops;

static int open_database(struct sqlite_store *s, const char *name, int flags)
{
	int rc;

	(void)sqlite3_close(s->db);
	s->db = NULL;
	rc = sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (!s->db)
		mem_exhausted();
	if (rc != SQLITE_OK)
		return sqlite_fail(s);
	(void)sqlite3_extended_result_codes(s->db, 1);
	(void)sqlite3_busy_handler(s->db, wait_for_lock, s);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (sqlite_merge_function(s->db) != SQLITE_OK || sqlite_rows_table(s) != SQLITE_OK ||
	    sqlite_asked_tables(s) != SQLITE_OK)
		return sqlite_fail(s);
	/* Pages are checked before use, and the file can run no code of its own. */
	return order(s, "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;"
			"PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY");
}

static int open_writable(struct sqlite_store *s)
{
	int r = create_file(s->where);
	char text[64];

	if (r == 0)
		r = open_database(s, s->where, SQLITE_OPEN_READWRITE);
	if (r == 0)
		r = check_schema(s);
	if (r < 0)
		return r;
	if (s->tuning.most_pages) {
		(void)snprintf(text, sizeof(text), "PRAGMA max_page_count = %d",
			       s->tuning.most_pages);
		(void)order(s, text);
	}
	if (sqlite3_db_readonly(s->db, "main"))
		return fail(EROFS,
			    "%s: the store cannot be written here; make the file writable, "
			    "or set PROV_STORE to another file",
			    s->where);
	if (set_journal(s) < 0)
		return s->error;
	/* A large put leaves a large log: give the room back. Small ones are
	 * copied into the file 16 MB at a time. */
	(void)order(s, "PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = 4000");
	return r ? r : make_schema(s);
}

/* "file:" URI of a path of any bytes. */
static char *immutable_uri(const char *path)
{
	struct buf b = { 0 };

	buf_str(&b, "file:");
	for (; *path; path++) {
		if (strchr("%?#", *path))
			buf_printf(&b, "%%%02X", (unsigned char)*path);
		else
			buf_char(&b, *path);
	}
	buf_str(&b, "?immutable=1");
	return b.data;
}

static bool log_is_left(const char *where)
{
	struct buf b = { 0 };
	struct stat st;
	bool left;

	buf_printf(&b, "%s-wal", where);
	left = stat(b.data, &st) == 0 && st.st_size > 0;
	buf_release(&b);
	return left;
}

static bool folder_writable(const char *where)
{
	const char *slash = strrchr(where, '/');
	char *dir = slash ? mem_str(where) : mem_str(".");
	bool yes;

	if (slash)
		dir[slash == where ? 1 : slash - where] = 0;
	yes = access(dir, W_OK | X_OK) == 0;
	free(dir);
	return yes;
}

/*
 * Where we may write we open for writing although nothing will be: only then
 * does SQLite take away its -wal and -shm files when the last one leaves.
 * Where we may not, a log that nobody is using cannot be opened, and without
 * one nobody is writing: the file can be read as it lies.
 */
static int open_readable(struct sqlite_store *s)
{
	char *uri;
	int r, why;

	if (access(s->where, F_OK) < 0)
		return fail(errno, "%s: there is no store: %s; \"prov run -- COMMAND\" makes it",
			    s->where, strerror(errno));
	if (access(s->where, R_OK) < 0)
		return fail(errno,
			    "%s: the store cannot be read: %s; ask its owner, or set "
			    "PROV_STORE to another file",
			    s->where, strerror(errno));
	if (access(s->where, W_OK) == 0 && folder_writable(s->where)) {
		r = open_database(s, s->where, SQLITE_OPEN_READWRITE);
		if (r == 0)
			r = order(s, "PRAGMA query_only = ON");
		return r < 0 ? r : check_schema(s);
	}
	r = open_database(s, s->where, SQLITE_OPEN_READONLY);
	if (r == 0)
		r = check_schema(s);
	why = sqlite3_errcode(s->db) & 0xff;
	if (r >= 0 || (why != SQLITE_CANTOPEN && why != SQLITE_READONLY))
		return r;
	if (log_is_left(s->where))
		return fail(EROFS,
			    "%s: the store was left open and its newest part is in %s-wal; "
			    "copy both to a folder you can write and set PROV_STORE to the copy",
			    s->where, s->where);
	uri = immutable_uri(s->where);
	r = open_database(s, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
	free(uri);
	return r < 0 ? r : check_schema(s);
}

static void close_store(struct store *store)
{
	struct sqlite_store *s = (struct sqlite_store *)store;

	for (int i = 0; i < SQL_LAST; i++)
		(void)sqlite3_finalize(s->stmts[i]);
	(void)sqlite3_close(s->db);
	sha256_destroy(s->sha);
	sqlite_cache_release(&s->cache);
	buf_release(&s->line);
	buf_release(&s->asked_pairs);
	buf_release(&s->wanted_pairs);
	buf_release(&s->keys);
	buf_release(&s->found);
	buf_release(&s->facts);
	free(s->where);
	free(s);
}

/* Counting its memory costs SQLite a lock for every allocation. */
static void configure_once(void)
{
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int sqlite_open_tuned(const char *where, enum store_mode mode, const struct sqlite_tuning *t,
		      struct store **out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sqlite_store *s = mem_alloc(sizeof(*s));
	int r;

	(void)pthread_once(&once, configure_once);
	s->store.ops = &store_sqlite_ops;
	s->where = mem_str(where);
	s->mode = mode;
	s->tuning = *t;
	s->sha = sha256_create();
	r = mode == STORE_WRITE ? open_writable(s) : open_readable(s);
	if (r == 0 && mode == STORE_READ)
		r = fail(ENOENT, "%s: the store is still empty; \"prov run -- COMMAND\" fills it",
			 where);
	if (r < 0) {
		close_store(&s->store);
		return r;
	}
	*out = &s->store;
	return 0;
}

static int sqlite_open(const char *where, enum store_mode mode, struct store **out)
{
	static const struct sqlite_tuning usual = { .patience_ms = 10000 };

	return sqlite_open_tuned(where, mode, &usual, out);
}

const struct store_ops store_sqlite_ops = {
	.scheme = "sqlite",
	.open = sqlite_open,
	.close = close_store,
	.put = sqlite_put,
	.boot_offset = sqlite_boot_offset,
	.boot_offsets = sqlite_boot_offsets,
	.runs = sqlite_runs,
	.executions = sqlite_executions,
	.accesses = sqlite_accesses,
	.names = sqlite_names,
	.objects = sqlite_objects,
	.holes = sqlite_holes,
	.notes = sqlite_notes,
	.run = sqlite_run,
	.by_path = sqlite_by_path,
	.ids = sqlite_ids,
	.info = sqlite_info,
};
