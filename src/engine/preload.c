/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* preload.c - the engine that reads what the guest library left in shared memory */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/images.h"
#include "engine/shared.h"

#define GRACE INT64_C(200000000)	/* a thread may still hold a tally it looked up */
#define OFTEN INT64_C(50000000)		/* an image is settled no more often: its totals are told */

/* What the collector knows of a chunk. */
struct chunk_state {
	struct live_name image;	/* pid 0: nobody's */
	uint32_t seq;
	int64_t idle_since;	/* all its tallies were closed then; 0 = some are open */
	enum { CHUNK_FILLING, CHUNK_SETTLED, CHUNK_OVER } fate;
	bool delivered;
};

struct preload {
	struct engine base;
	struct arena memory;
	const char *folder, *path, *library;
	struct shared shared;
	struct chunk_state *state;
	struct lives lives;
	bool switches_told;	/* those that the arena held when we came */
	struct map handed;	/* struct part -> not NULL, of an earlier collector */
};

/* A chunk as it was filled once. */
struct part {
	int64_t start;
	uint32_t pid, seq;
};

static struct preload *preload_of(struct engine *e)
{
	return (struct preload *)e;
}

static int preload_probe(struct buf *why)
{
#if defined(__x86_64__)
	buf_str(why, "records dynamically linked programs of this user, libc's own calls included");
#else
	buf_str(why,
		"records dynamically linked programs of this user; what libc reads and writes by "
		"itself is not seen on this processor");
#endif
	return 0;
}

static void preload_close(struct engine *e, bool remove)
{
	struct preload *p = preload_of(e);

	if (!p)
		return;
	if (p->shared.map && remove) {
		__atomic_store_n(&p->shared.arena->closed, 1, __ATOMIC_RELEASE);
		if (p->lives.n)
			shared_give_back(&p->shared);
	}
	shared_release(&p->shared);
	if (remove) {
		(void)unlink(p->path);
		(void)rmdir(p->folder);
	}
	lives_release(&p->lives);
	map_release(&p->handed);
	free(p->state);
	arena_release(&p->memory);
	free(p);
}

static struct preload *preload_new(const char *folder)
{
	struct preload *p = mem_alloc(sizeof(*p));

	p->base.ops = &engine_preload;
	p->shared.fd = -1;
	p->folder = arena_str(&p->memory, folder);
	p->path = arena_printf(&p->memory, "%s/arena", folder);
	return p;
}

static int preload_open(const char *folder, const struct engine_setup *setup, struct engine **out)
{
	struct preload *p = preload_new(folder);
	int r;

	p->library = arena_str(&p->memory, setup->library);
	if (strpbrk(setup->library, " :"))
		r = fail(EINVAL,
			 "%s: LD_PRELOAD cannot name a path with blanks or colons; "
			 "install prov elsewhere", setup->library);
	else if (access(setup->library, R_OK) < 0)
		r = fail(errno, "%s: the guest library is not there (%s); install prov again",
			 setup->library, strerror(errno));
	else
		r = shared_create(&p->shared, p->path, &setup->run, setup->room, &setup->env_allow,
				  setup->granularity);
	if (r < 0) {
		preload_close(&p->base, true);
		return r;
	}
	p->state = mem_alloc(p->shared.chunks * sizeof(*p->state));
	*out = &p->base;
	return 0;
}

static int preload_reopen(const char *folder, struct engine **out)
{
	struct preload *p = preload_new(folder);
	int r = shared_attach(&p->shared, p->path);

	if (r < 0) {
		preload_close(&p->base, false);
		return r;
	}
	p->state = mem_alloc(p->shared.chunks * sizeof(*p->state));
	*out = &p->base;
	return 0;
}

static void preload_handed(struct engine *e, uint32_t pid, int64_t start, uint32_t seq)
{
	const struct part part = { .start = start, .pid = pid, .seq = seq };

	*map_at(&preload_of(e)->handed, &part, sizeof(part)) = e;
}

static bool was_handed(const struct preload *p, const struct chunk_state *s)
{
	const struct part part = { .start = s->image.start, .pid = s->image.pid, .seq = s->seq };

	return p->handed.n && map_get(&p->handed, &part, sizeof(part));
}

static int preload_environment(struct engine *e, const char *ld_preload, struct buf *out)
{
	struct preload *p = preload_of(e);

	buf_printf(out, "LD_PRELOAD=%s", p->library);
	if (ld_preload && ld_preload[0])
		buf_printf(out, ":%s", ld_preload);
	buf_char(out, 0);
	buf_printf(out, PROV_SESSION_ENV "=%s,0,0,0,0", p->path);
	buf_char(out, 0);
	return 0;
}

/* Are all descriptors behind the chunk's tallies closed? */
static bool chunk_is_idle(const struct prov_chunk *c)
{
	size_t at = PROV_CHUNK_HEAD;

	while (at + sizeof(struct prov_open) <= PROV_CHUNK_SIZE) {
		const struct prov_open *o = (const struct prov_open *)((const char *)c + at);
		uint32_t word = __atomic_load_n(&o->head.word, __ATOMIC_ACQUIRE);
		uint32_t size = word & PROV_RECORD_SIZE;

		if (word == 0)
			return true;
		if ((word & ~PROV_RECORD_SIZE) != PROV_RECORD_READY || size < sizeof(o->head) ||
		    size % 8)
			return false;
		if (o->head.type == PROV_OPEN && __atomic_load_n(&o->tally.refs, __ATOMIC_ACQUIRE))
			return false;
		at += size;
	}
	return true;
}

static size_t chunk_deliver(struct preload *p, uint32_t i, const struct engine_sink *sink)
{
	static _Thread_local struct event e;
	const struct prov_chunk *c = shared_chunk(&p->shared, i);
	const struct live_name *who = &p->state[i].image;
	size_t at = PROV_CHUNK_HEAD, n = 0;
	uint64_t bad = 0, lost = __atomic_load_n(&c->lost, __ATOMIC_RELAXED);
	enum event_result r;

	if (was_handed(p, &p->state[i])) {
		p->state[i].delivered = true;
		return 0;
	}
	while ((r = event_next(c, &at, &e)) != EVENT_NONE && r != EVENT_BROKEN) {
		if (r == EVENT_READY) {
			sink->event(sink->ctx, who->pid, who->start, &e);
			n++;
		} else if (r == EVENT_BUSY) {
			/* its writer died inside it, or is still at it: either way the
			 * call it belongs to has not returned to the program */
			at += e.size;
		} else {
			bad++;
		}
		if (at > PROV_CHUNK_SIZE)
			break;
	}
	bad += r == EVENT_BROKEN;
	if (bad)
		sink->hole(sink->ctx, who->pid, who->start, "damaged",
			   "the program overwrote part of its own record in shared memory", bad);
	if (lost)
		sink->hole(sink->ctx, who->pid, who->start, "lost",
			   "its records found no room in shared memory (raise arena.max) or were "
			   "longer than one can be",
			   lost);
	p->state[i].delivered = true;
	sink->handed(sink->ctx, who->pid, who->start, p->state[i].seq);
	return n;
}

/* Who owns what now. */
static void chunks_learn(struct preload *p)
{
	for (uint32_t i = 0; i < p->shared.chunks; i++) {
		const struct prov_chunk *c = shared_chunk(&p->shared, i);
		struct chunk_state *s = &p->state[i];
		struct live_name name = { 0 };
		uint32_t owner = __atomic_load_n(&p->shared.owners[i], __ATOMIC_ACQUIRE), seq;

		if (!owner)
			continue;
		if (__atomic_load_n(&c->magic, __ATOMIC_ACQUIRE) != PROV_CHUNK_MAGIC) {
			/* claimed by somebody who died before saying who he was */
			if (!(owner & PROV_OWNER_ELSEWHERE) && pid_is_gone(owner))
				shared_free_chunk(&p->shared, i);
			continue;
		}
		name.pid = c->pid;
		name.space = c->pid_space;
		name.start = (int64_t)(c->start & INT64_MAX);
		seq = c->seq;
		if (!name.pid || !name.start ||
		    (s->image.pid == name.pid && s->image.start == name.start && s->seq == seq))
			continue;
		*s = (struct chunk_state){ .image = name, .seq = seq };
		lives_learn(&p->lives, &name, seq);
	}
}

/* A living image's full chunk whose files are all closed can be settled early;
 * the image takes it again when it needs room. */
static size_t chunk_settle(struct preload *p, uint32_t i, struct live *im,
			   const struct engine_sink *sink)
{
	struct chunk_state *s = &p->state[i];
	int64_t now = clock_mono();
	size_t n;

	if (s->delivered || s->seq >= im->newest_seq)
		return 0;
	if (!chunk_is_idle(shared_chunk(&p->shared, i))) {
		s->idle_since = 0;
		return 0;
	}
	if (!s->idle_since)
		s->idle_since = now;
	if (now - s->idle_since < GRACE || now - im->settled < OFTEN)
		return 0;
	n = chunk_deliver(p, i, sink);
	im->settling = true;
	s->fate = CHUNK_SETTLED;
	return n;
}

static size_t chunks_deliver(struct preload *p, const struct engine_sink *sink, bool final)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->shared.chunks; i++) {
		struct chunk_state *s = &p->state[i];
		struct live *im = s->image.pid ? lives_find(&p->lives, &s->image) : NULL;

		if (!im)
			continue;
		if (!im->gone && !final) {
			n += chunk_settle(p, i, im, sink);
			continue;
		}
		if (!s->delivered)
			n += chunk_deliver(p, i, sink);
		if (im->gone)
			s->fate = CHUNK_OVER;
	}
	return n;
}

static void images_report(struct preload *p, const struct engine_sink *sink, bool final)
{
	int64_t now = clock_mono();

	for (size_t i = 0; i < p->lives.n; i++) {
		struct live *im = &p->lives.list[i];

		if (im->settling) {
			sink->settled(sink->ctx, im->name.pid, im->name.start);
			im->settling = false;
			im->settled = now;
		}
		if (im->gone) {
			sink->ended(sink->ctx, im->name.pid, im->name.start, now, im->replaced);
		} else if (final && !im->reported) {
			sink->running(sink->ctx, im->name.pid, im->name.start);
			im->reported = true;
		}
	}
	lives_forget(&p->lives);
}

static void chunks_let_go(struct preload *p)
{
	for (uint32_t i = 0; i < p->shared.chunks; i++) {
		struct chunk_state *s = &p->state[i];

		if (s->fate == CHUNK_OVER) {
			shared_free_chunk(&p->shared, i);
			*s = (struct chunk_state){ 0 };
		} else if (s->fate == CHUNK_SETTLED) {
			/* its losses are among the facts; what comes is another part */
			shared_chunk(&p->shared, i)->lost = 0;
			__atomic_store_n(&shared_chunk(&p->shared, i)->drained, 1,
					 __ATOMIC_RELEASE);
			s->fate = CHUNK_FILLING;
		}
	}
}

/* What another collector did before us is told first. */
static void switches_report(struct preload *p, const struct engine_sink *sink)
{
	const struct prov_arena *a = p->shared.arena;
	uint32_t n = __atomic_load_n(&a->n_switches, __ATOMIC_RELAXED);
	struct prov_switch now;

	if (n > PROV_SWITCHES)
		n = PROV_SWITCHES;
	for (uint32_t i = 0; i < n && !p->switches_told; i++)
		sink->switched(sink->ctx, (int64_t)(a->switches[i].time & INT64_MAX),
			       a->switches[i].granularity);
	p->switches_told = true;
	if (shared_switch(&p->shared, &now))
		sink->switched(sink->ctx, (int64_t)now.time, now.granularity);
}

/* Images that could not even say that they began. */
static void say_unseen(struct preload *p, const struct engine_sink *sink)
{
	uint64_t n = __atomic_load_n(&p->shared.arena->lost[PROV_LOST_IMAGE], __ATOMIC_RELAXED);

	if (n)
		sink->hole(sink->ctx, 0, 0, "lost",
			   "programs or copies of them found no room in shared memory: nothing of "
			   "them is recorded; raise arena.max", n);
}

static size_t preload_poll(struct engine *e, const struct engine_sink *sink, bool final)
{
	struct preload *p = preload_of(e);
	size_t n;

	switches_report(p, sink);
	/* look again after finding out who is gone: those can claim nothing more,
	 * so all their chunks are known before the first is handed over */
	chunks_learn(p);
	lives_check(&p->lives, final);
	chunks_learn(p);
	n = chunks_deliver(p, sink, final);
	images_report(p, sink, final);
	if (final)
		say_unseen(p, sink);
	if (n)
		sink->commit(sink->ctx);
	chunks_let_go(p);
	shared_ahead(&p->shared);
	return n;
}

static void preload_ask(struct engine *e, int32_t granularity)
{
	shared_ask(&preload_of(e)->shared, granularity);
}

static int32_t preload_granularity(const struct engine *e)
{
	const struct preload *p = (const struct preload *)e;

	return __atomic_load_n(&p->shared.arena->granularity, __ATOMIC_RELAXED);
}

static uint64_t preload_lost(const struct engine *e)
{
	const struct preload *p = (const struct preload *)e;
	uint64_t n = 0;

	for (unsigned i = 0; i < PROV_LOST_KINDS; i++)
		n += __atomic_load_n(&p->shared.arena->lost[i], __ATOMIC_RELAXED);
	return n;
}

static bool preload_alive(struct engine *e)
{
	struct preload *p = preload_of(e);

	chunks_learn(p);
	lives_check(&p->lives, true);
	for (size_t i = 0; i < p->lives.n; i++)
		if (!p->lives.list[i].gone)
			return true;
	return false;
}

const struct engine_ops engine_preload = {
	.name = "preload",
	.probe = preload_probe,
	.open = preload_open,
	.reopen = preload_reopen,
	.handed = preload_handed,
	.environment = preload_environment,
	.poll = preload_poll,
	.ask = preload_ask,
	.granularity = preload_granularity,
	.lost = preload_lost,
	.alive = preload_alive,
	.close = preload_close,
};
