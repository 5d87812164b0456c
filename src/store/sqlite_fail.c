/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_fail.c - what SQLite refused, told to a person */
#include "store/sqlite.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

static int folder_length(const char *where)
{
	const char *slash = strrchr(where, '/');

	return slash ? (int)(slash - where) : 1;
}

/* The folder of the file, as "%.*s". */
#define FOLDER(where) folder_length(where), strchr(where, '/') ? (where) : "."

int sqlite_damaged(struct sqlite_store *s, const char *what)
{
	s->error = fail(EBADMSG,
			"%s: the store is damaged (%s); move it away and run the command again: "
			"journals still kept in %.*s/spool are read in again",
			s->where, what, FOLDER(s->where));
	return s->error;
}

static int full(struct sqlite_store *s)
{
	return fail(ENOSPC,
		    "%s: no space left for the store; free some and run \"prov log\": "
		    "nothing is lost, journals wait in %.*s/spool",
		    s->where, FOLDER(s->where));
}

static int io_failed(struct sqlite_store *s, int code)
{
	int sys = sqlite3_system_errno(s->db);

	if (sys == ENOSPC || sys == EDQUOT)
		return full(s);
	if (code == SQLITE_IOERR_LOCK || code == SQLITE_IOERR_RDLOCK ||
	    code == SQLITE_IOERR_UNLOCK || code == SQLITE_IOERR_CHECKRESERVEDLOCK)
		return fail(EIO,
			    "%s: this file system cannot lock files (%s); set PROV_STORE to a "
			    "file on another one",
			    s->where, sys ? strerror(sys) : "refused");
	return fail(EIO,
		    "%s: reading or writing the store failed: %s; check the disk, then run "
		    "the command again",
		    s->where, sys ? strerror(sys) : sqlite3_errmsg(s->db));
}

static int translate(struct sqlite_store *s, int code)
{
	int sys = sqlite3_system_errno(s->db);

	switch (code & 0xff) {
	case SQLITE_NOMEM:
		mem_exhausted();
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return fail(EBUSY,
			    "%s: the store is locked by another program and stayed so for "
			    "%d ms; run the command again when that is done",
			    s->where, s->tuning.patience_ms);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_FORMAT:
		return sqlite_damaged(s, sqlite3_errmsg(s->db));
	case SQLITE_FULL:
		return full(s);
	case SQLITE_READONLY:
		return fail(EROFS,
			    "%s: the store cannot be written here; make the file and its "
			    "folder writable, or set PROV_STORE to another file",
			    s->where);
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_CANTOPEN:
		return fail(sys ? sys : EACCES,
			    "%s: the store cannot be opened: %s; check that "
			    "you may read and write it and its folder, or set PROV_STORE to "
			    "another file",
			    s->where, strerror(sys ? sys : EACCES));
	case SQLITE_IOERR:
		return io_failed(s, code);
	case SQLITE_TOOBIG:
		return fail(EFBIG, "%s: one fact is larger than the store can hold (1 GB)",
			    s->where);
	default:
		/* A missing table or column: somebody changed the file. */
		return sqlite_damaged(s, sqlite3_errmsg(s->db));
	}
}

int sqlite_fail(struct sqlite_store *s)
{
	s->error = translate(s, sqlite3_extended_errcode(s->db));
	return s->error;
}
