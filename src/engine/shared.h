/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_SHARED_H
#define PROV_ENGINE_SHARED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/id.h"
#include "model/model.h"
#include "prov/segment.h"
/* The collector's side of a session's shared memory: the arena file as a
 * whole. Traced processes may write to all of it, so sizes and offsets are
 * kept here and never read from it again. */
struct shared {
	int fd;
	char *map;
	size_t size;
	struct prov_arena *arena;	/* at the start of map */
	uint32_t *owners;
	uint32_t chunks;
	int32_t granularity;		/* in force */
};

/* 0 or negative errno with fail_text(); after failure only shared_release(). */
int shared_create(struct shared *s, const char *path, const struct id *session, uint64_t room,
		  const struct strings *env_allow, int32_t granularity);
int shared_attach(struct shared *s, const char *path);
void shared_release(struct shared *s);

struct prov_chunk *shared_chunk(const struct shared *s, uint32_t i);
/* Makes the chunk as new and gives it back. */
void shared_free_chunk(struct shared *s, uint32_t i);
/* Carries out what was asked for by shared_ask(): true, and since when, if that
 * is another granularity than now. */
bool shared_switch(struct shared *s, struct prov_switch *out);
void shared_ask(struct shared *s, int32_t granularity);
/* Gives the memory of free chunks back to the system for good: who still runs
 * when the session is over keeps the file, removed or not. */
void shared_give_back(struct shared *s);
/* Puts memory behind chunks before somebody needs it. */
void shared_ahead(struct shared *s);
#endif
