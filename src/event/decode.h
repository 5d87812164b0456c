/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_EVENT_DECODE_H
#define PROV_EVENT_DECODE_H
#include <stddef.h>
#include <stdint.h>

#include "prov/event.h"
#include "prov/segment.h"
/*
 * The gate between shared memory, which a traced process may scribble over at
 * any moment, and everything behind it, which trusts what it is given. A
 * record is copied out once and then only the copy is looked at.
 */
struct event {
	_Alignas(8) char room[PROV_RECORD_MAX];
	size_t size;
};

enum event_result {
	EVENT_NONE,	/* no further record yet */
	EVENT_BUSY,	/* being written; *at is not moved, out->size is its size */
	EVENT_READY,	/* *out holds a whole, checked record; *at moved behind it */
	EVENT_SKIPPED,	/* a record that makes no sense was stepped over */
	EVENT_BROKEN,	/* not even its length makes sense: the rest is unreadable */
};

/* Reads the record at byte *at of a chunk (start with PROV_CHUNK_HEAD). */
enum event_result event_next(const void *chunk, size_t *at, struct event *out);

/* Checks a copied record; 0 or -EBADMSG. After 0 every size field is within
 * the record, every text is NUL-terminated, times are not negative. */
int event_check(const struct event *e);

/* The record inside, by type. Only after a check. */
static inline const struct prov_record *event_head(const struct event *e)
{
	return (const struct prov_record *)e->room;
}

#define EVENT_AS(type, e) ((const struct type *)(e)->room)
#endif
