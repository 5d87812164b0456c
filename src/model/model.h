/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_MODEL_MODEL_H
#define PROV_MODEL_MODEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/id.h"
/*
 * What was seen, as facts: the vocabulary of everything in src/. Plain values;
 * strings and blobs belong to whoever made the fact, usually an arena, and
 * live as long as it does.
 *
 * Two time scales, both int64_t nanoseconds, 0 = unknown or never:
 *   - "order time": comparable across all runs of one boot of one host, even
 *     when the wall clock is stepped. In journals it is CLOCK_MONOTONIC; the
 *     builder adds one offset per (host, boot), the first it ever saw. Every
 *     time below is order time unless it says real.
 *   - real: nanoseconds since the Unix epoch as the wall clock said.
 *     real = order + run.shift, for showing.
 */

/* NUL-terminated strings one after another (argv, environment). */
struct strings {
	const char *p;
	size_t size;		/* with the last NUL; 0 = none */
};

/* Steps through: start with at = NULL; NULL at the end. */
const char *strings_next(const struct strings *s, const char *at);
size_t strings_count(const struct strings *s);

/* One "prov run", or one job once a service records jobs. */
struct run {
	struct id id;
	const char *name;	/* what --name said, or "" */
	const char *host, *boot;	/* host name; /proc/sys/kernel/random/boot_id */
	const char *user;
	uint32_t uid;
	const char *cwd;
	struct strings argv;
	const char *engine;	/* "preload" */
	int64_t start, end;	/* end 0: not ended, or ended unseen */
	int64_t shift;		/* real - order, when the run started */
	int status;		/* exit status 0..255, -1 unknown */
	int signal;		/* that killed the program, 0 none */
	uint64_t lost;		/* events known to be lost */
	struct id root;		/* first execution, zero if none was seen */
	bool recovered;		/* prov was killed; finished by a later command */
};

enum how {
	HOW_ROOT = 0,		/* started by prov itself */
	HOW_FORK = 1,		/* a copy of its parent: shares all it had read */
	HOW_EXEC = 2,		/* the same process, a new image: argv and environment only */
	HOW_SPAWN = 3,		/* vfork or posix_spawn, then exec: likewise */
	HOW_UNKNOWN = 4,
};

/* One program image that ran. An exec'd image is a new execution. */
struct execution {
	struct id id;		/* of (host, boot, pid, start) */
	struct id run;
	struct id parent;	/* who forked, exec'd or spawned it; zero = none known */
	enum how how;
	uint32_t pid, ppid, uid;
	const char *exe;	/* real path of the program file; "" unknown */
	const char *cwd;
	struct strings argv;
	struct strings env;	/* NAME=value, allow-listed and redacted, sorted */
	int64_t start, end;
	int status;		/* exit status, -1 unknown or did not exit by itself */
	int signal;		/* 0 none */
	bool replaced;		/* ended by a successful exec, not by exiting */
	bool blind;		/* started, but the engine could not enter it */
};

enum object_kind {
	OBJECT_FILE = 0,
	OBJECT_DIRECTORY = 1,
	OBJECT_PIPE = 2,	/* pipe or FIFO */
	OBJECT_SOCKET = 3,
	OBJECT_DEVICE = 4,	/* character or block; carries no data between executions */
	OBJECT_MEMORY = 5,	/* memfd, shared memory */
	OBJECT_SYMLINK = 6,
	OBJECT_OTHER = 7,
};

const char *object_kind_name(enum object_kind kind);
/* Can one execution read what another wrote? */
bool object_kind_carries_data(enum object_kind kind);

/* One file, pipe, ...: whatever keeps its identity when it is renamed. */
struct object {
	struct id id;		/* of (file system, inode, birth time) */
	enum object_kind kind;
	uint64_t dev, ino;
	int64_t btime;		/* real; 0 where the file system keeps none */
	int64_t size;		/* newest known, -1 unknown */
	int64_t mtime;		/* real, newest known */
	int64_t seen;		/* order time of size, mtime and sha256 */
	bool hashed;
	uint8_t sha256[32];	/* of the newest content, when hashed */
};

enum access_flags {
	ACCESS_READ = 1 << 0,
	ACCESS_WRITE = 1 << 1,		/* bytes were, or may have been, changed */
	ACCESS_CREATE = 1 << 2,		/* did not exist before */
	ACCESS_TRUNCATE = 1 << 3,	/* all earlier content dropped, at .truncated */
	ACCESS_DELETE = 1 << 4,		/* its last name was removed by this execution */
	ACCESS_MAP_READ = 1 << 5,	/* mapped: reads are not counted */
	ACCESS_MAP_WRITE = 1 << 6,	/* shared writable mapping: may have written */
	ACCESS_LOAD = 1 << 7,		/* program image, interpreter or shared library */
	ACCESS_INHERIT = 1 << 8,	/* through a descriptor somebody else opened */
	ACCESS_UNSURE = 1 << 9,		/* the engine infers it; no call was seen */
	/* nobody watched after the last one that was seen: more may have come until closed */
	ACCESS_READS_ON = 1 << 10,
	ACCESS_WRITES_ON = 1 << 11,
	/* any of these: the content may be another than before */
	ACCESS_CHANGES = ACCESS_WRITE | ACCESS_CREATE | ACCESS_TRUNCATE | ACCESS_MAP_WRITE,
};

/*
 * What one execution did to one object under one name; one fact per (exec,
 * object, path). Facts for the same triple merge: flags are or-ed, counts and
 * "last" times take the larger, "first" times the smaller value that is not 0,
 * opened the smaller, closed and truncated the larger. Merging is order-free
 * and repeating changes nothing, because every fact restates the total so far.
 *
 * A last time is a lower bound; the true moment lies in [last, last + fuzz].
 * Inside one execution all times order exactly as the accesses did.
 */
struct access {
	struct id exec, object;
	const char *path;	/* absolute and real */
	uint32_t flags;
	uint64_t reads, writes, bytes_read, bytes_written;
	int64_t first_read, last_read, first_write, last_write;
	int64_t fuzz;
	int64_t opened, closed;	/* first open, last close; what open-close granularity knows */
	int64_t truncated;	/* newest moment it was cut to nothing, 0 never */
};

enum name_kind { NAME_RENAME, NAME_LINK, NAME_UNLINK, NAME_SYMLINK, NAME_EXCHANGE };

/* "rename" ...; an exchange shows as two renames. */
const char *name_kind_name(enum name_kind kind);

/* A change of what something is called. */
struct name_event {
	struct id exec, object;
	enum name_kind kind;
	const char *from;	/* link: the existing name; symlink: the target text */
	const char *to;		/* unlink: "" */
	int64_t time;
};

/* One call that read or wrote; only where a run was recorded so finely. Not in
 * a store: prov-journal(5), "traces". */
struct transfer {
	struct id exec, object;
	int64_t start, end;
	int64_t offset;		/* -1: the object has none */
	uint64_t bytes;
	bool written;		/* else read */
};

/* Something the record does not contain, and why. */
struct hole {
	struct id run;
	struct id exec;		/* zero: the run as a whole */
	const char *kind;	/* "lost", "blind", "running", "killed", ... */
	const char *why;	/* one sentence for a person */
	uint64_t count;
};

/* key = value said by a person, about a run. */
struct note {
	struct id run;
	const char *key, *value;
};

/* A heap of facts that belong together: what a builder emits and a store
 * takes. Putting the same facts twice changes nothing. */
struct facts {
	struct run *runs;		size_t n_runs;
	struct execution *executions;	size_t n_executions;
	struct object *objects;		size_t n_objects;
	struct access *accesses;	size_t n_accesses;
	struct name_event *names;	size_t n_names;
	struct hole *holes;		size_t n_holes;
	struct note *notes;		size_t n_notes;
	struct transfer *transfers;	size_t n_transfers;
};

void access_merge(struct access *into, const struct access *more);

/* Makes times that count from boot order times, or those of one scale those of
 * another. What is unknown stays so; real times do not change. */
void facts_shift(struct facts *f, int64_t offset);

#endif
