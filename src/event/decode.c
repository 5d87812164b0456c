/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* decode.c - the gate between shared memory and everything behind it */
#include "event/decode.h"

#include <errno.h>
#include <string.h>

/* n bytes from offset `at` inside the record hold `texts` NUL-terminated
 * strings of the given sizes and nothing else is expected of what follows. */
static int texts_fit(const struct event *e, size_t at, const uint32_t *sizes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (sizes[i] > e->size || at > e->size - sizes[i])
			return 0;
		if (sizes[i] && e->room[at + sizes[i] - 1])
			return 0;
		at += sizes[i];
	}
	return 1;
}

static int time_ok(uint64_t t)
{
	return t <= INT64_MAX;
}

static int object_ok(const struct prov_object *o)
{
	return o->size <= INT64_MAX;
}

static int check_start(const struct event *e)
{
	const struct prov_start *s = EVENT_AS(prov_start, e);
	const uint32_t sizes[] = { s->exe_size, s->cwd_size };

	return e->size >= sizeof(*s) && s->exe_size && s->cwd_size && s->how <= PROV_HOW_EXEC &&
	       time_ok(s->parent_start) && s->fuzz < UINT64_C(1000000000) &&
	       texts_fit(e, sizeof(*s), sizes, 2);
}

static int check_strings(const struct event *e)
{
	const struct prov_strings *s = EVENT_AS(prov_strings, e);

	if (e->size < sizeof(*s) || s->size > e->size - sizeof(*s) || s->offset > (1u << 20))
		return 0;
	/* a piece of an argument list may end inside an argument */
	return s->head.type == PROV_ARGV || s->size == 0 || s->text[s->size - 1] == 0;
}

static int check_tally(const struct prov_tally *t)
{
	return time_ok(t->first_read) && time_ok(t->last_read) && time_ok(t->first_write) &&
	       time_ok(t->last_write) && time_ok(t->opened) && time_ok(t->closed) &&
	       time_ok(t->cut);
}

static int check_open(const struct event *e)
{
	const struct prov_open *o = EVENT_AS(prov_open, e);

	return e->size >= sizeof(*o) && o->path_size && object_ok(&o->object) &&
	       check_tally(&o->tally) && texts_fit(e, sizeof(*o), &o->path_size, 1);
}

static int check_name(const struct event *e)
{
	const struct prov_name *n = EVENT_AS(prov_name, e);
	const uint32_t sizes[] = { n->from_size, n->to_size };

	return e->size >= sizeof(*n) && n->kind <= PROV_NAME_EXCHANGE && n->from_size &&
	       (n->to_size || n->kind == PROV_NAME_UNLINK) && object_ok(&n->object) &&
	       object_ok(&n->other) && texts_fit(e, sizeof(*n), sizes, 2);
}

static int check_exec(const struct event *e)
{
	const struct prov_exec *x = EVENT_AS(prov_exec, e);
	const uint32_t sizes[] = { x->path_size, x->argv_size };

	return e->size >= sizeof(*x) && x->path_size && object_ok(&x->object) &&
	       texts_fit(e, sizeof(*x), sizes, 2);
}

static int check_hole(const struct event *e)
{
	const struct prov_hole *h = EVENT_AS(prov_hole, e);
	const uint32_t sizes[] = { h->kind_size, h->why_size };

	return e->size >= sizeof(*h) && h->kind_size && h->why_size &&
	       texts_fit(e, sizeof(*h), sizes, 2);
}

static int check_transfer(const struct event *e)
{
	const struct prov_transfer *t = EVENT_AS(prov_transfer, e);

	return e->size >= sizeof(*t) && t->written <= 1 && t->start <= t->head.time &&
	       t->bytes <= INT64_MAX && (t->offset <= INT64_MAX || t->offset == PROV_NO_OFFSET);
}

int event_check(const struct event *e)
{
	const struct prov_record *r = event_head(e);
	int ok = 0;

	if (e->size < sizeof(*r) || e->size > sizeof(e->room) || !time_ok(r->time))
		return -EBADMSG;
	switch (r->type) {
	case PROV_START:
		ok = check_start(e);
		break;
	case PROV_ARGV:
	case PROV_ENVIRON:
	case PROV_LOADED:
		ok = check_strings(e);
		break;
	case PROV_OPEN:
		ok = check_open(e);
		break;
	case PROV_NAME:
		ok = check_name(e);
		break;
	case PROV_EXEC:
		ok = check_exec(e);
		break;
	case PROV_FORK:
		ok = e->size >= sizeof(struct prov_fork);
		break;
	case PROV_WAIT:
		ok = e->size >= sizeof(struct prov_wait);
		break;
	case PROV_HOLE:
		ok = check_hole(e);
		break;
	case PROV_TRANSFER:
		ok = check_transfer(e);
		break;
	default:
		break;
	}
	return ok ? 0 : -EBADMSG;
}

enum event_result event_next(const void *chunk, size_t *at, struct event *out)
{
	const char *shared = (const char *)chunk + *at;
	uint32_t word;
	size_t size;

	if (*at > PROV_CHUNK_SIZE - sizeof(struct prov_record))
		return EVENT_NONE;
	word = __atomic_load_n((const uint32_t *)shared, __ATOMIC_ACQUIRE);
	if (word == 0)
		return EVENT_NONE;
	size = word & PROV_RECORD_SIZE;
	if (size < sizeof(struct prov_record) || size % 8 || size > PROV_RECORD_MAX ||
	    size > PROV_CHUNK_SIZE - *at)
		return EVENT_BROKEN;
	out->size = size;
	if ((word & ~PROV_RECORD_SIZE) == PROV_RECORD_BUSY)
		return EVENT_BUSY;
	if ((word & ~PROV_RECORD_SIZE) != PROV_RECORD_READY)
		return EVENT_BROKEN;
	memcpy(out->room, shared, size);
	*at += size;
	return event_check(out) == 0 ? EVENT_READY : EVENT_SKIPPED;
}
