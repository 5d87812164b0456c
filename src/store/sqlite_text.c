/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_text.c - the tables and every statement, as SQL that 3.26 understands */
#include "store/sqlite.h"

const char *const sqlite_schema =
	"CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE boot(host BLOB, boot BLOB, real_minus_mono INTEGER NOT NULL,"
	" PRIMARY KEY(host, boot)) WITHOUT ROWID;"
	"CREATE TABLE string(key INTEGER PRIMARY KEY, hash INTEGER NOT NULL, value BLOB NOT NULL);"
	"CREATE INDEX string_hash ON string(hash);"
	"CREATE TABLE environment(key INTEGER PRIMARY KEY, hash INTEGER NOT NULL,"
	" value BLOB NOT NULL);"
	"CREATE INDEX environment_hash ON environment(hash);"
	"CREATE TABLE run(key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,"
	" known INTEGER NOT NULL DEFAULT 0, began INTEGER, name INTEGER, host INTEGER,"
	" boot INTEGER, user INTEGER, uid INTEGER, cwd INTEGER, argv INTEGER, engine INTEGER,"
	" start_time INTEGER, end_time INTEGER, shift INTEGER, status INTEGER, signal INTEGER,"
	" lost INTEGER, root BLOB, recovered INTEGER);"
	"CREATE INDEX run_began ON run(began);"
	"CREATE TABLE execution(key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,"
	" base INTEGER NOT NULL, known INTEGER NOT NULL DEFAULT 0, run INTEGER, parent INTEGER,"
	" how INTEGER, pid INTEGER, ppid INTEGER, uid INTEGER, exe INTEGER, cwd INTEGER,"
	" argv INTEGER, environment INTEGER, start_time INTEGER, end_time INTEGER,"
	" status INTEGER, signal INTEGER, replaced INTEGER, blind INTEGER);"
	"CREATE INDEX execution_run ON execution(run);"
	"CREATE INDEX execution_parent ON execution(parent);"
	"CREATE TABLE object(key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,"
	" known INTEGER NOT NULL DEFAULT 0, kind INTEGER, dev INTEGER, ino INTEGER,"
	" btime INTEGER, size INTEGER, mtime INTEGER, seen INTEGER, sha256 BLOB);"
	"CREATE TABLE access(execution INTEGER, object INTEGER, path INTEGER, facts BLOB NOT NULL,"
	" PRIMARY KEY(execution, object, path)) WITHOUT ROWID;"
	/* An index of access by object without the path, filled in sorted order
	 * by each put: 5 bytes a record smaller than CREATE INDEX makes it, and
	 * it tells the few that change an object from the many that read it. A
	 * pair first seen reading and later changing is in it twice. */
	"CREATE TABLE touch(object INTEGER, changes INTEGER, execution INTEGER,"
	" PRIMARY KEY(object, changes, execution)) WITHOUT ROWID;"
	"CREATE TABLE named(path INTEGER, object INTEGER, last INTEGER NOT NULL,"
	" PRIMARY KEY(path, object)) WITHOUT ROWID;"
	"CREATE TABLE name_event(object INTEGER, time INTEGER, execution INTEGER, kind INTEGER,"
	" old_name INTEGER, new_name INTEGER,"
	" PRIMARY KEY(object, time, execution, kind, old_name, new_name)) WITHOUT ROWID;"
	"CREATE INDEX name_event_execution ON name_event(execution);"
	"CREATE TABLE hole(run INTEGER, execution INTEGER, kind INTEGER, why INTEGER,"
	" count INTEGER NOT NULL, PRIMARY KEY(run, execution, kind, why)) WITHOUT ROWID;"
	"CREATE TABLE note(run INTEGER, name INTEGER, value INTEGER,"
	" PRIMARY KEY(run, name, value)) WITHOUT ROWID;";

#define RUN_COLUMNS                                                                                \
	"key, id, known, began, name, host, boot, user, uid, cwd, argv, engine, start_time,"       \
	" end_time, shift, status, signal, lost, root, recovered"
#define EXECUTION_COLUMNS                                                                          \
	"key, id, base, known, run, parent, how, pid, ppid, uid, exe, cwd, argv, environment,"     \
	" start_time, end_time, status, signal, replaced, blind"
#define OBJECT_COLUMNS "key, id, known, kind, dev, ino, btime, size, mtime, seen, sha256"
/* Of the tables asked and wanted: keys from a to b. CROSS JOIN takes tables in
 * this order, whatever statistics say. */
#define BETWEEN(key) " WHERE " key " BETWEEN a AND b"
#define IDS            " WHERE id BETWEEN ?1 AND ?2 AND known ORDER BY id LIMIT ?3"

const char *const sqlite_texts[SQL_LAST] = {
	[SQL_BEGIN] = "BEGIN",
	[SQL_BEGIN_WRITE] = "BEGIN IMMEDIATE",
	[SQL_COMMIT] = "COMMIT",
	[SQL_ROLLBACK] = "ROLLBACK",
	[SQL_DATA_VERSION] = "PRAGMA data_version",

	[SQL_STRING_KEY] = "SELECT key FROM string WHERE hash = ?1 AND value = ?2",
	[SQL_STRING_ADD] = "INSERT INTO string(hash, value) VALUES(?1, ?2)",
	[SQL_STRING_GET] = "SELECT key, value FROM wanted CROSS JOIN string" BETWEEN("key"),
	[SQL_ENVIRONMENT_KEY] = "SELECT key FROM environment WHERE hash = ?1 AND value = ?2",
	[SQL_ENVIRONMENT_ADD] = "INSERT INTO environment(hash, value) VALUES(?1, ?2)",
	[SQL_ENVIRONMENT_GET] = "SELECT key, value FROM wanted CROSS JOIN environment"
				BETWEEN("key"),

	[SQL_RUN_KEY] = "SELECT key, 0 FROM run WHERE id = ?1",
	[SQL_RUN_PLACE] = "INSERT INTO run(id) VALUES(?1)",
	[SQL_RUN_SET] = "REPLACE INTO run(" RUN_COLUMNS ") VALUES(?1, ?2, 1, ?3, ?4, ?5, ?6, ?7,"
			" ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
	[SQL_RUN_GET] = "SELECT " RUN_COLUMNS " FROM run WHERE id = ?1 AND known",
	[SQL_RUN_ID] = "SELECT key, id, 0 FROM wanted CROSS JOIN run" BETWEEN("key"),
	[SQL_RUN_IDS] = "SELECT id FROM run" IDS,
	[SQL_RUNS] = "SELECT " RUN_COLUMNS " FROM run WHERE began BETWEEN ?1 AND ?2 AND known"
		     " ORDER BY began DESC, id",

	[SQL_EXECUTION_KEY] = "SELECT key, base FROM execution WHERE id = ?1",
	[SQL_EXECUTION_PLACE] = "INSERT INTO execution(id, base) VALUES(?1, ?2)",
	[SQL_EXECUTION_SET] = "REPLACE INTO execution(" EXECUTION_COLUMNS ") VALUES(?1, ?2, ?3, 1,"
			      " ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,"
			      " ?18, ?19)",
	[SQL_EXECUTION_GET] = "SELECT " EXECUTION_COLUMNS " FROM execution WHERE id = ?1 AND known",
	[SQL_EXECUTION_ID] = "SELECT key, id, base FROM wanted CROSS JOIN execution" BETWEEN("key"),
	[SQL_EXECUTION_IDS] = "SELECT id FROM execution" IDS,
	[SQL_EXECUTIONS] = "SELECT " EXECUTION_COLUMNS " FROM asked CROSS JOIN execution"
			   BETWEEN("key") " AND known",
	[SQL_EXECUTIONS_OF_RUN] = "SELECT " EXECUTION_COLUMNS " FROM asked CROSS JOIN execution"
				  BETWEEN("run") " AND known",
	[SQL_EXECUTIONS_OF_PARENT] = "SELECT " EXECUTION_COLUMNS " FROM asked CROSS JOIN execution"
				     BETWEEN("parent") " AND known",

	[SQL_OBJECT_KEY] = "SELECT key, 0 FROM object WHERE id = ?1",
	[SQL_OBJECT_PLACE] = "INSERT INTO object(id) VALUES(?1)",
	[SQL_OBJECT_ADD] = "INSERT OR IGNORE INTO object(" OBJECT_COLUMNS ") VALUES(?1, ?2, 1, ?3,"
			   " ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
	/* Not REPLACE, which would take the row out of its index and put it back. */
	[SQL_OBJECT_SET] = "UPDATE object SET known = 1, kind = ?3, dev = ?4, ino = ?5,"
			   " btime = ?6, size = ?7, mtime = ?8, seen = ?9, sha256 = ?10"
			   " WHERE key = ?1 AND id = ?2",
	[SQL_OBJECT_ROW] = "SELECT " OBJECT_COLUMNS " FROM object WHERE key = ?1",
	[SQL_OBJECT_ID] = "SELECT key, id, 0 FROM wanted CROSS JOIN object" BETWEEN("key"),
	[SQL_OBJECTS] = "SELECT " OBJECT_COLUMNS " FROM asked CROSS JOIN object" BETWEEN("key")
			" AND known",
	[SQL_OBJECT_IDS] = "SELECT id FROM object" IDS,

	/* "WHERE 1" ends the SELECT: without it "ON" would be a join's. */
	[SQL_ACCESS_PUT] = "INSERT INTO access SELECT p.execution, p.object, p.path, p.facts"
			   " FROM put_rows p WHERE 1"
			   " ON CONFLICT(execution, object, path) DO UPDATE"
			   " SET facts = access_merged(facts, excluded.facts,"
			   " (SELECT base FROM execution WHERE key = excluded.execution))"
			   " WHERE facts != excluded.facts",
	[SQL_TOUCH_PUT] = "INSERT OR IGNORE INTO touch SELECT object, changes, execution"
			  " FROM put_rows",
	[SQL_NAMED_PUT_ALL] = "INSERT INTO named SELECT path, object, last FROM put_rows WHERE 1"
			      " ON CONFLICT(path, object) DO UPDATE"
			      " SET last = excluded.last WHERE last < excluded.last",
	[SQL_NAMED_PUT] = "INSERT INTO named VALUES(?1, ?2, ?3) ON CONFLICT(path, object) DO UPDATE"
			  " SET last = excluded.last WHERE last < excluded.last",
	[SQL_NAME_PUT] = "INSERT OR IGNORE INTO name_event VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
	[SQL_HOLE_PUT] = "INSERT INTO hole VALUES(?1, ?2, ?3, ?4, ?5)"
			 " ON CONFLICT(run, execution, kind, why) DO UPDATE"
			 " SET count = excluded.count WHERE count < excluded.count",
	[SQL_NOTE_PUT] = "INSERT OR IGNORE INTO note VALUES(?1, ?2, ?3)",

	[SQL_ACCESSES_OF_EXECUTION] = "SELECT execution, object, path, facts"
				      " FROM asked CROSS JOIN access" BETWEEN("execution"),
	[SQL_ACCESSES_OF_RUN] = "SELECT execution, object, path, facts"
				" FROM asked CROSS JOIN execution x CROSS JOIN access"
				BETWEEN("x.run") " AND execution = x.key",
	[SQL_ACCESSES] = "SELECT execution, object, path, facts FROM asked CROSS JOIN access"
			 " WHERE execution = asked.a AND object = asked.b",
	[SQL_TOUCHES] = "SELECT execution, object FROM asked CROSS JOIN touch" BETWEEN("object"),
	/* not BETWEEN, which would read past all who only read */
	[SQL_CHANGES] = "SELECT execution, object FROM asked CROSS JOIN touch"
			" WHERE object = asked.a AND changes = 1",
	[SQL_NAMES_OF_OBJECT] = "SELECT execution, object, kind, old_name, new_name, time"
				" FROM asked CROSS JOIN name_event" BETWEEN("object"),
	[SQL_NAMES_OF_RUN] = "SELECT execution, object, kind, old_name, new_name, time"
			     " FROM asked CROSS JOIN execution x CROSS JOIN name_event"
			     BETWEEN("x.run") " AND execution = x.key",
	[SQL_NAMES_OF_EXECUTION] = "SELECT execution, object, kind, old_name, new_name, time"
				   " FROM asked CROSS JOIN name_event" BETWEEN("execution"),
	[SQL_HOLES] = "SELECT execution, kind, why, count FROM asked CROSS JOIN hole"
		      BETWEEN("run"),
	[SQL_NOTES] = "SELECT name, value FROM asked CROSS JOIN note" BETWEEN("run"),
	[SQL_NAMED] = "SELECT object, last FROM named"
		      " WHERE path = (SELECT key FROM string WHERE hash = ?1 AND value = ?2)",

	[SQL_BOOT_PUT] = "INSERT OR IGNORE INTO boot VALUES(?1, ?2, ?3)",
	[SQL_BOOT_GET] = "SELECT real_minus_mono FROM boot WHERE host = ?1 AND boot = ?2",
	[SQL_BOOTS] = "SELECT host, boot, real_minus_mono FROM boot",
	[SQL_INFO] = "SELECT (SELECT count(*) FROM run WHERE known),"
		     " (SELECT count(*) FROM execution WHERE known),"
		     " (SELECT count(*) FROM object WHERE known), (SELECT count(*) FROM access),"
		     " (SELECT page_count FROM pragma_page_count),"
		     " (SELECT page_size FROM pragma_page_size)",
};
