/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_AGGREGATE_IMAGE_H
#define PROV_AGGREGATE_IMAGE_H
#include "aggregate/levels.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "event/decode.h"
#include "model/model.h"
/*
 * One image while its events come in: its execution, and one access per
 * (object, name), summed over all its opens.
 */
struct image_record {
	struct arena memory;
	struct execution x;
	struct access *accesses;
	bool *changed;		/* since they were last emitted; as long as accesses */
	size_t n_accesses, access_room, changed_room;
	size_t *news;		/* indices of those that changed */
	size_t n_news, news_room;
	struct map by_object;	/* object id and name -> index of accesses + 1 */
	struct buf key;		/* of by_object, being made */
	struct buf path;	/* of the event at hand, where it had to be changed */
	struct buf argv, env;
	int64_t fuzz;
	bool started;		/* its START has come in */
	bool stdio_blind;
	bool argv_cut;
	bool has_read;		/* data, as an earlier collector saw */
	bool emitted;		/* x has been, as it is now */
};

struct image_record *image_create(const char *boot, uint32_t pid, int64_t start);
void image_destroy(struct image_record *im);	/* NULL is fine */

/* The access of this image to that object under that name, new or known; it is
 * about to change. Valid until the next call. */
struct access *image_access(struct image_record *im, const struct id *object, const char *path);

/* Adds what one tally counted, and what it may not have counted. */
void image_add_tally(struct image_record *im, struct access *a, const struct levels *levels,
		     const struct prov_tally *t, bool directory);

void image_set_start(struct image_record *im, const struct prov_start *s);
void image_add_argv(struct image_record *im, const struct prov_strings *s);
/* Argv and environment as they may be kept, in the image's memory. */
void image_seal(struct image_record *im, const char *redact_extra);

/* A path as the kernel gave it, without its mark of a deleted file; valid until
 * the next call or as long as path is. */
const char *image_path(struct image_record *im, const char *path, const struct prov_object *o);
/* The fact about an object, from what the image said. */
struct object object_from_wire(const struct prov_object *o, const char *path, int64_t when);
#endif
