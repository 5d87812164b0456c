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
	char *path;		/* newest name */
	size_t path_room;
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
	const char *path;
	struct strings argv;
	bool cut;	/* argv is */
};

struct early {
	struct image_name by;
	uint32_t pid;
	struct object object;
	const char *path;
	struct prov_tally tally;
};

/* Somebody of that number was started by that execution, and has reported. */
struct birth {
	struct id parent;
	uint32_t pid;
	uint32_t pad;
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
	struct map holes;	/* digest -> count so far */
	struct map resumed;	/* image_name -> what an earlier collector knew of it */
	struct map resumed_ids;	/* likewise by id */
	int64_t resumed_fuzz;
	struct buf state, handed;	/* being made, see aggregate/resume.h */
	bool still_runs;	/* the session does: nothing is final */
	uint32_t root_pid;	/* of the program that prov started */
	struct aggregate_counts counts;
};

const char *session_real_path(struct aggregate *a, const char *path);
void session_born(struct aggregate *a, const struct id *parent, uint32_t pid);
struct object_note *session_object(struct aggregate *a, const struct object *o, const char *path,
				   bool is_name);
struct object_note *session_note_access(struct aggregate *a, const struct access *x);
/* What is in the facts of an earlier collector adds to what comes now. */
void session_base(struct aggregate *a, const struct access *settled);
void session_hole_resume(struct aggregate *a, const struct hole *h);
bool session_carries_data(struct aggregate *a, const struct id *object);
void session_hole(struct aggregate *a, const struct id *exec, const char *kind, const char *why,
		  uint64_t n);
void session_early_open(struct aggregate *a, const struct image_record *by,
			const struct prov_open *o, const struct object *object, const char *path);
void session_exec(struct aggregate *a, const struct image_record *by, const struct prov_exec *x);
void session_fork(struct aggregate *a, const struct image_record *by, const struct prov_fork *f);
void session_wait(struct aggregate *a, uint32_t pid, int status, int64_t time);
void session_mapping(struct aggregate *a, const struct id *exec, const struct id *object,
		     const char *path, int64_t since);
struct past *session_past(struct aggregate *a, const struct execution *x);
void session_remember(struct aggregate *a, const struct image_record *im);
void session_ended(struct aggregate *a, const struct image_name *name, int64_t when, bool replaced);
/* An event of im, as it comes from the engine or from an earlier collector. */
void session_event(struct aggregate *a, struct image_record *im, const struct event *e);
void session_release(struct aggregate *a);
#endif
