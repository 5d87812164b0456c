/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_MERGE_H
#define PROV_STORE_MERGE_H
#include "model/model.h"
/*
 * How facts about one thing become one fact, and the order of results: shared
 * by every store so that all give the same answers.
 *
 * Merging is order-free and repeating changes nothing: what is unknown (0, "",
 * a status of -1) gives way to what is known, and of two known values that
 * differ the larger stays. Strings and blobs are taken over by pointer; a
 * NULL string counts as "". Start from *_unknown() of the id.
 */
struct run run_unknown(const struct id *id);
struct execution execution_unknown(const struct id *id);
struct object object_unknown(const struct id *id);

void run_merge(struct run *into, const struct run *more);
void execution_merge(struct execution *into, const struct execution *more);
/* Size, mtime and sha256 belong together: all three come from the fact seen
 * last, of those that know any of them. */
void object_merge(struct object *into, const struct object *more);

int64_t run_began(const struct run *r);		/* real time of the start, 0 unknown */
int64_t access_first(const struct access *a);	/* its smallest time, 0 when it has none */
int64_t access_last(const struct access *a);
/* Did the object itself carry name e->from (to)? The target of a symlink is
 * no name of it. */
bool name_has_from(const struct name_event *e);
bool name_has_to(const struct name_event *e);
bool run_matches(const struct run *r, const char *grep);	/* in its name or command line */

struct named;
struct boot_offset;
void runs_sort(struct run *v, size_t n);		/* newest first, then id */
void executions_sort(struct execution *v, size_t n);	/* start, id */
void objects_sort(struct object *v, size_t n);		/* seen, id */
void accesses_sort(struct access *v, size_t n);		/* first time, execution, object, path */
void names_sort(struct name_event *v, size_t n);	/* time, execution, object, kind, names */
void holes_sort(struct hole *v, size_t n);		/* execution, kind, why */
void notes_sort(struct note *v, size_t n);		/* key, value */
void named_sort(struct named *v, size_t n);		/* newest first, then id */
void boot_offsets_sort(struct boot_offset *v, size_t n);	/* host, boot */
/* Sorts and drops repeats; returns how many stay. */
size_t ids_sort(struct id *v, size_t n);
#endif
