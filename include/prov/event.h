/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_EVENT_H
#define PROV_EVENT_H
#ifndef __bpf__
#include <stdint.h>
#endif
/*
 * What a traced image says about itself: version 1 of the wire records. Each
 * starts with struct prov_record and is followed by text: NUL-terminated
 * strings, counted in the record, never longer than it. Names are as the
 * kernel gave them (readlink of /proc/self/fd/N), so they are absolute and
 * real; a name that could not be resolved carries PROV_PATH_RAW.
 */
enum prov_type {
	PROV_START = 1,	/* an image began */
	PROV_ARGV = 2,	/* a piece of its arguments */
	PROV_ENVIRON = 3,	/* allow-listed environment */
	PROV_LOADED = 4,	/* paths of loaded shared objects */
	PROV_OPEN = 5,	/* an object came within reach; carries its tally */
	PROV_NAME = 6,	/* rename, link, unlink, symlink */
	PROV_EXEC = 7,	/* is about to exec, or tried to */
	PROV_FORK = 8,	/* has forked */
	PROV_WAIT = 9,	/* learnt how a child ended */
	PROV_HOLE = 10,	/* knows that it does not see something */
	PROV_TRANSFER = 11,	/* one read or write; when asked for all of them */
};

struct prov_record {
	uint32_t word;	/* size and state, see prov/segment.h */
	uint16_t type;	/* enum prov_type */
	uint16_t flags;
	uint64_t time;
};

/* What statx(2) said. dev and times split as there. */
struct prov_object {
	uint32_t dev_major, dev_minor;
	uint64_t ino;
	int64_t btime;	/* ns since the epoch, 0 = the file system keeps none */
	int64_t mtime;
	uint64_t size;
	uint32_t mode;
	uint32_t nlink;
};

enum prov_how { PROV_HOW_ROOT = 0, PROV_HOW_FORK = 1, PROV_HOW_EXEC = 2 };

enum prov_start_flags {
	PROV_STDIO_BLIND = 1 << 0,	/* libc's own reads and writes are unseen */
	PROV_ENV_KEPT = 1 << 1,		/* LD_PRELOAD stays visible to the program */
};

struct prov_start {
	struct prov_record head;
	uint32_t pid, ppid, uid, reserved;
	uint64_t parent_start;	/* with parent_pid: the image this one came from */
	uint32_t parent_pid;
	uint32_t how;		/* enum prov_how */
	uint64_t fuzz;		/* resolution of the clock behind "last" times */
	uint32_t exe_size, cwd_size;	/* with NUL */
	char text[];		/* exe, cwd */
};

struct prov_strings {	/* PROV_ARGV, PROV_ENVIRON, PROV_LOADED */
	struct prov_record head;	/* flags: PROV_CUT */
	uint32_t offset;	/* ARGV: of this piece in the whole */
	uint32_t size;
	char text[];
};

#define PROV_CUT 1u	/* record flag: there was more than fits */

/* Counts of one opened object by one image; lives inside the PROV_OPEN record
 * and changes as long as it has references. A last time is a lower bound by at most
 * prov_start.fuzz. */
struct prov_tally {
	uint64_t reads, bytes_read, writes, bytes_written;
	uint64_t first_read, last_read, first_write, last_write;
	uint64_t opened, closed;	/* closed: of those closed so far, the last */
	uint64_t cut;	/* when it was truncated or created empty, 0 never */
	uint32_t flags;	/* enum prov_tally_flags */
	uint32_t refs;	/* descriptors of the image that share it */
};

enum prov_tally_flags {
	PROV_TALLY_CREATED = 1 << 0,
	PROV_TALLY_TRUNCATED = 1 << 1,
	PROV_TALLY_MAP_READ = 1 << 2,
	PROV_TALLY_MAP_WRITE = 1 << 3,
	PROV_TALLY_INHERITED = 1 << 4,	/* seen first when used: somebody else opened it */
	PROV_TALLY_RENUMBERED = 1 << 5,	/* opened by a vfork child: .pid differs from the image's */
	PROV_TALLY_DIRECTORY_READ = 1 << 6,
	PROV_TALLY_WRITABLE = 1 << 7,	/* open for writing */
	PROV_TALLY_READABLE = 1 << 8,	/* open for reading */
};

enum prov_open_flags {
	PROV_PATH_RAW = 1 << 0,	/* as the program gave it; could not be resolved */
	PROV_PATH_LONG = 1 << 1,	/* longer than the kernel tells */
};

struct prov_open {
	struct prov_record head;	/* flags: enum prov_open_flags */
	struct prov_object object;
	struct prov_tally tally;
	uint32_t pid;		/* who did it; a vfork child's own pid */
	uint32_t path_size;
	char text[];		/* path */
};

enum prov_name_kind {
	PROV_NAME_RENAME = 0,
	PROV_NAME_LINK = 1,
	PROV_NAME_UNLINK = 2,
	PROV_NAME_SYMLINK = 3,
	PROV_NAME_EXCHANGE = 4,
};

struct prov_name {
	struct prov_record head;	/* flags: enum prov_open_flags */
	struct prov_object object;	/* what was renamed, linked, removed */
	struct prov_object other;	/* rename: what the new name meant before; mode 0 nothing */
	uint32_t kind, pid;
	uint32_t from_size, to_size;	/* with NUL; unlink has no "to" */
	char text[];
};

struct prov_exec {
	struct prov_record head;	/* flags: PROV_CUT */
	struct prov_object object;	/* the program file; mode 0 = unknown */
	uint32_t pid;
	int32_t failed;		/* errno once the attempt has failed, 0 before */
	uint32_t path_size, argv_size;
	char text[];		/* path as given, argv */
};

struct prov_fork {
	struct prov_record head;
	uint32_t pid;		/* of the child */
	uint32_t reserved;
};

struct prov_wait {
	struct prov_record head;
	uint32_t pid;
	int32_t status;		/* as wait(2) gives it */
};

#define PROV_NO_OFFSET UINT64_MAX	/* pipes, sockets and terminals have none */

struct prov_transfer {
	struct prov_record head;	/* time: after the call */
	uint64_t start;		/* before it */
	uint64_t ino;		/* with dev and btime: the object */
	int64_t btime;
	uint32_t dev_major, dev_minor;
	uint64_t offset, bytes;
	uint32_t written;	/* 0 read, 1 written */
	uint32_t reserved;
};

struct prov_hole {
	struct prov_record head;
	uint32_t kind_size, why_size;
	char text[];
};

#endif
