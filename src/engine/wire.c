/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* wire.c - calls of an engine_sink as bytes */
#include "engine/wire.h"

#include <errno.h>
#include <string.h>

enum call { EVENT = 1, ENDED, SETTLED, HANDED, COMMIT, SWITCHED, RUNNING, HOLE };

static struct buf *begin(void *ctx, enum call call)
{
	buf_uint(ctx, call);
	return ctx;
}

static struct buf *begin_image(void *ctx, enum call call, uint32_t pid, int64_t start)
{
	struct buf *b = begin(ctx, call);

	buf_uint(b, pid);
	buf_int(b, start);
	return b;
}

static void put_event(void *ctx, uint32_t pid, int64_t start, const struct event *e)
{
	buf_blob(begin_image(ctx, EVENT, pid, start), e->room, e->size);
}

static void put_ended(void *ctx, uint32_t pid, int64_t start, int64_t when, bool replaced)
{
	struct buf *b = begin_image(ctx, ENDED, pid, start);

	buf_int(b, when);
	buf_uint(b, replaced);
}

static void put_settled(void *ctx, uint32_t pid, int64_t start)
{
	(void)begin_image(ctx, SETTLED, pid, start);
}

static void put_handed(void *ctx, uint32_t pid, int64_t start, uint32_t seq)
{
	buf_uint(begin_image(ctx, HANDED, pid, start), seq);
}

static void put_commit(void *ctx)
{
	(void)begin(ctx, COMMIT);
}

static void put_switched(void *ctx, int64_t since, int32_t granularity)
{
	struct buf *b = begin(ctx, SWITCHED);

	buf_int(b, since);
	buf_int(b, granularity);
}

static void put_running(void *ctx, uint32_t pid, int64_t start)
{
	(void)begin_image(ctx, RUNNING, pid, start);
}

static void put_hole(void *ctx, uint32_t pid, int64_t start, const char *kind, const char *why,
		     uint64_t count)
{
	struct buf *b = begin_image(ctx, HOLE, pid, start);

	buf_blob(b, kind, strlen(kind) + 1);
	buf_blob(b, why, strlen(why) + 1);
	buf_uint(b, count);
}

struct engine_sink wire_sink(struct buf *out)
{
	return (struct engine_sink){
		.ctx = out,
		.event = put_event,
		.ended = put_ended,
		.settled = put_settled,
		.handed = put_handed,
		.commit = put_commit,
		.switched = put_switched,
		.running = put_running,
		.hole = put_hole,
	};
}

/* NULL, with s->bad, where there is no NUL at the end. */
static const char *get_text(struct span *s)
{
	size_t n;
	const char *p = span_blob(s, &n);

	if (!s->bad && n && p[n - 1] == 0)
		return p;
	s->bad = 1;
	return NULL;
}

static void replay_event(struct span *s, uint32_t pid, int64_t start,
			 const struct engine_sink *sink)
{
	static _Thread_local struct event e;
	size_t n;
	const char *p = span_blob(s, &n);

	if (s->bad || n > sizeof(e.room)) {
		s->bad = 1;
		return;
	}
	memcpy(e.room, p, n);
	e.size = n;
	if (event_check(&e) < 0)
		s->bad = 1;
	else
		sink->event(sink->ctx, pid, start, &e);
}

static void replay_hole(struct span *s, uint32_t pid, int64_t start,
			const struct engine_sink *sink)
{
	const char *kind = get_text(s), *why = get_text(s);
	uint64_t count = span_uint(s);

	if (!s->bad)
		sink->hole(sink->ctx, pid, start, kind, why, count);
}

static void replay_image(struct span *s, uint64_t call, const struct engine_sink *sink)
{
	uint32_t pid = (uint32_t)span_uint(s);
	int64_t start = span_int(s);

	if (s->bad)
		return;
	if (call == EVENT) {
		replay_event(s, pid, start, sink);
	} else if (call == HOLE) {
		replay_hole(s, pid, start, sink);
	} else if (call == ENDED) {
		int64_t when = span_int(s);
		bool replaced = span_uint(s) != 0;

		if (!s->bad)
			sink->ended(sink->ctx, pid, start, when, replaced);
	} else if (call == HANDED) {
		uint32_t seq = (uint32_t)span_uint(s);

		if (!s->bad)
			sink->handed(sink->ctx, pid, start, seq);
	} else if (call == SETTLED) {
		sink->settled(sink->ctx, pid, start);
	} else {
		sink->running(sink->ctx, pid, start);
	}
}

static void replay_switched(struct span *s, const struct engine_sink *sink)
{
	int64_t since = span_int(s);
	int64_t granularity = span_int(s);

	if (!s->bad)
		sink->switched(sink->ctx, since, (int32_t)granularity);
}

int wire_replay(const char *p, size_t n, const struct engine_sink *sink)
{
	struct span s = { .at = p, .end = n ? p + n : p };

	while (s.at < s.end && !s.bad) {
		uint64_t call = span_uint(&s);

		if (s.bad || call < EVENT || call > HOLE)
			return -EBADMSG;
		if (call == COMMIT)
			sink->commit(sink->ctx);
		else if (call == SWITCHED)
			replay_switched(&s, sink);
		else
			replay_image(&s, call, sink);
	}
	return s.bad ? -EBADMSG : 0;
}

void track_wish_put(const struct track_wish *w, struct buf *out)
{
	buf_uint(out, TRACK_VERSION);
	buf_blob(out, &w->run, sizeof(w->run));
	buf_int(out, w->granularity);
	buf_uint(out, w->budget > 0 ? (uint64_t)(w->budget * 1e6) : 0);
	buf_blob(out, w->env_allow.p, w->env_allow.size);
}

int track_wish_get(const char *p, size_t n, struct track_wish *out)
{
	struct span s = { .at = p, .end = n ? p + n : p };
	uint64_t version = span_uint(&s);
	const char *run;
	size_t size;

	run = span_blob(&s, &size);
	if (s.bad || version != TRACK_VERSION || size != sizeof(out->run))
		return -EBADMSG;
	memcpy(&out->run, run, size);
	out->granularity = (int32_t)span_int(&s);
	out->budget = (double)span_uint(&s) / 1e6;
	out->env_allow.p = span_blob(&s, &out->env_allow.size);
	if (s.bad || s.at != s.end)
		return -EBADMSG;
	return out->env_allow.size && out->env_allow.p[out->env_allow.size - 1] ? -EBADMSG : 0;
}

void track_state_put(const struct track_state *st, struct buf *out)
{
	buf_int(out, st->granularity);
	buf_uint(out, st->lost);
	buf_uint(out, st->alive);
}

int track_state_get(const char *p, size_t n, struct track_state *out)
{
	struct span s = { .at = p, .end = n ? p + n : p };

	out->granularity = (int32_t)span_int(&s);
	out->lost = span_uint(&s);
	out->alive = span_uint(&s) != 0;
	return s.bad ? -EBADMSG : 0;
}
