/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_AGGREGATE_SESSION_H
#define PROV_AGGREGATE_SESSION_H
#include "aggregate/aggregate.h"
#include "aggregate/image.h"
#include "aggregate/levels.h"
/*
 * What only the whole session knows: who started whom, how everybody ended,
 * who was started and never reported. Private to this folder.
 */
struct image_name {
	uint32_t pid;
	uint32_t pad;		/* names are compared as bytes */
	int64_t start;
};

struct object_note {
	struct object object;
	const char *path;	/* newest name */
	bool read, written;	/* by the run, as data */
	bool emitted;
};

/* What stays of an image once its facts are out. */
struct past {
	struct image_name name;
	struct id id, parent;
	enum how how;
	uint32_t ppid, uid;
	bool blind;
	const char *exe, *cwd;
	struct strings argv, env;
	int64_t end;
	bool ended, replaced;
	bool reads;	/* has read data by calls of its own */
	int status;		/* wait status, -1 unknown */
};

struct waited {
	uint32_t pid;
	int status;
	int64_t time;
};

struct forked {
	struct image_name parent;
	uint32_t pid;
	int64_t time;
};

struct attempted {
	struct image_name by;
	uint32_t pid;
	int64_t time;
	struct object object;
	const char *path;
	struct strings argv;
};

struct early {
	struct image_name by;
	uint32_t pid;
	struct object object;
	const char *path;
	struct prov_tally tally;
};

/* A shared writable mapping, which every child forked later has as well. */
struct mapping {
	struct id exec, object;
	const char *path;
	int64_t since;
};

struct aggregate {
	struct run run;
	struct aggregate_out out;
	struct engine_sink sink;
	struct arena memory;
	struct levels levels;
	struct map bases;	/* access_key -> counts that an earlier collector settled */
	struct map live;	/* image_name -> struct image_record */
	struct map objects;	/* id -> struct object_note */
	struct object_note **notes;	size_t n_notes, note_room;	/* oldest first */
	struct map real_paths;	/* path -> real path */
	struct map texts;	/* interned strings */
	struct map born;	/* struct birth -> not NULL */
	struct past *past;		size_t n_past, past_room;
	struct waited *waits;		size_t n_waits, wait_room;
	struct forked *forks;		size_t n_forks, fork_room;
	struct attempted *attempts;	size_t n_attempts, attempt_room;
	struct early *earlies;		size_t n_earlies, early_room;
	struct mapping *mappings;	size_t n_mappings, mapping_room;
	uint32_t root_pid;	/* of the program that prov started */
	struct aggregate_counts counts;
};

const char *session_real_path(struct aggregate *a, const char *path);
void session_born(struct aggregate *a, uint32_t parent_pid, int64_t parent_start, uint32_t pid);
void session_hole(struct aggregate *a, const struct id *exec, const char *kind, const char *why,
		  uint64_t n);
void session_early_open(struct aggregate *a, const struct image_record *by,
			const struct prov_open *o, const struct object *object, const char *path);
void session_exec(struct aggregate *a, const struct image_record *by, const struct prov_exec *x);
void session_fork(struct aggregate *a, const struct image_record *by, const struct prov_fork *f);
void session_wait(struct aggregate *a, uint32_t pid, int status, int64_t time);
void session_mapping(struct aggregate *a, const struct id *exec, const struct id *object,
		     const char *path, int64_t since);
void session_remember(struct aggregate *a, const struct image_record *im);
void session_ended(struct aggregate *a, const struct image_name *name, int64_t when, bool replaced);
void session_release(struct aggregate *a);
#endif
