/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* track.c - recording what a user's process starts, for him */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/frame.h"
#include "engine/granularity.h"
#include "provd/feed.h"
#include "provd/log.h"
#include "provd/service.h"

#define TICK_SOON 10	/* ms between looks while something comes */
#define TICK_LATE 100
#define MESSAGE_MOST 64	/* bytes of what a client says meanwhile */

/* Where the events come from: a run of the node's own that the user listens to, or, of
 * a user whom the node does not record, a session of his alone. */
struct track {
	struct service *service;
	const struct peer *peer;
	struct feed feed;
	struct job *job;
	struct engine *engine;	/* NULL: the job has its own */
	pthread_mutex_t busy;	/* of the engine */
	uint64_t events;
	struct buf out;		/* frames on their way */
	size_t sent;		/* of them */
	struct track_state told;
	bool told_any;
};

static struct recorder_now look(void *ctx)
{
	struct track *t = ctx;
	const struct engine_ops *ops = t->service->engine;
	struct recorder_now now = { 0 };

	(void)pthread_mutex_lock(&t->busy);
	now.events = t->events;
	now.granularity = ops->granularity(t->engine);
	now.lost = ops->lost(t->engine);
	now.alive = ops->alive(t->engine);
	(void)pthread_mutex_unlock(&t->busy);
	now.executions = __atomic_load_n(&t->feed.executions, __ATOMIC_RELAXED);
	now.processes = __atomic_load_n(&t->feed.processes, __ATOMIC_RELAXED);
	return now;
}

static void ask(void *ctx, int32_t granularity)
{
	struct track *t = ctx;

	t->service->engine->ask(t->engine, granularity);
}

static void tell_cost(void *ctx, struct buf *out)
{
	struct track *t = ctx;

	(void)pthread_mutex_lock(&t->busy);
	if (t->service->engine->cost)
		t->service->engine->cost(t->engine, out);
	(void)pthread_mutex_unlock(&t->busy);
}

static void poll_engine(struct track *t, bool final)
{
	(void)pthread_mutex_lock(&t->busy);
	t->events += t->service->engine->poll(t->engine, &t->feed.sink, final);
	(void)pthread_mutex_unlock(&t->busy);
}

static int begin(struct track *t, const struct track_wish *w)
{
	struct service *s = t->service;
	const struct engine_setup setup = {
		.run = w->run,
		.library = "",
		.room = (uint64_t)conf_size("arena.max"),
		.env_allow = w->env_allow,
		.granularity = w->granularity,
		.budget = w->budget,
		.launcher = t->peer->pid,
	};
	const struct job_source source = {
		.look = look, .ask = ask, .cost = tell_cost, .ctx = t
	};
	int r;

	if (jobs_cover(s->jobs, t->peer->uid))
		return job_track(s->jobs, t->peer->uid, t->peer->pid, w, &t->feed.sink, &t->job);
	r = s->engine->open("", &setup, &t->engine);
	if (r == 0)
		t->job = job_list(s->jobs, t->peer->uid, &w->run, &source);
	return r;
}

static struct track_state state_of(struct track *t)
{
	struct recorder_now now = job_now(t->job);

	return (struct track_state){ .granularity = now.granularity, .lost = now.lost,
				     .alive = now.alive };
}

static void put_calls(struct track *t)
{
	struct buf calls = { 0 };

	feed_fetch(&t->feed, &calls);
	if (calls.size)
		frame_put(&t->out, TRACK_CALLS, calls.data, calls.size);
	buf_release(&calls);
}

static void put_state(struct track *t)
{
	struct track_state now = state_of(t);
	struct buf b = { 0 };

	if (t->told_any && now.granularity == t->told.granularity && now.lost == t->told.lost &&
	    now.alive == t->told.alive)
		return;
	t->told = now;
	t->told_any = true;
	track_state_put(&now, &b);
	frame_put(&t->out, TRACK_STATE, b.data, b.size);
	buf_release(&b);
}

/* As much as goes; the next is put when all of it has gone. 0 or negative errno. */
static int push(struct track *t, int flags)
{
	while (t->sent < t->out.size) {
		ssize_t n = send(t->peer->fd, t->out.data + t->sent, t->out.size - t->sent,
				 flags | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN && flags ? 0 : -errno;
		t->sent += (size_t)n;
	}
	t->sent = 0;
	buf_clear(&t->out);
	return 0;
}

static void change_level(struct track *t, const struct buf *b)
{
	struct span s = { .at = b->data, .end = b->data + b->size };
	int64_t level = span_int(&s);

	if (!s.bad && level == (int32_t)level && granularity_ok((int32_t)level))
		job_ask(t->job, (int32_t)level);
}

/* One message of the client. 1: it is over, or he has gone. */
static int listen_to(struct track *t)
{
	struct buf b = { 0 };
	uint32_t kind = 0;
	int r = frame_receive_most(t->peer->fd, &kind, &b, MESSAGE_MOST);

	if (r == 0 && kind == TRACK_LEVEL)
		change_level(t, &b);
	buf_release(&b);
	return r < 0 || kind != TRACK_LEVEL;
}

static bool is_stopping(const struct service *s)
{
	return __atomic_load_n(&s->stopping, __ATOMIC_RELAXED);
}

static void follow(struct track *t)
{
	int tick = TICK_SOON;

	while (!is_stopping(t->service)) {
		struct pollfd p = { .fd = t->peer->fd, .events = POLLIN };
		size_t before = t->out.size;

		if (before)
			p.events |= POLLOUT;
		if (poll(&p, 1, tick) > 0 && p.revents & ~POLLOUT && listen_to(t))
			return;
		if (t->engine)
			poll_engine(t, /* final= */ false);
		if (!t->out.size) {
			put_calls(t);
			put_state(t);
		}
		tick = t->out.size ? TICK_SOON : TICK_LATE;
		if (push(t, MSG_DONTWAIT) < 0)
			return;
	}
}

static void finish(struct track *t)
{
	struct buf cost = { 0 };

	if (is_stopping(t->service))
		t->feed.sink.hole(t->feed.sink.ctx, 0, 0, "stopped",
				  "the node service was stopped: what was done after that is not "
				  "recorded", 1);
	job_cost(t->job, &cost);
	if (t->engine) {
		poll_engine(t, /* final= */ true);
		job_forget(t->service->jobs, t->job);
		t->service->engine->close(t->engine, true);
	} else {
		job_leave(t->service->jobs, t->job);
	}
	if (push(t, 0) == 0) {
		put_calls(t);
		frame_put(&t->out, TRACK_DONE, cost.data, cost.size);
		(void)push(t, 0);
	}
	buf_release(&cost);
}

/* The node records on what of it goes on. */
static void hand_on(struct track *t)
{
	if (is_stopping(t->service) || t->engine)
		return;
	for (size_t i = 0; i < t->feed.n_running; i++)
		jobs_seen(t->service->jobs, &(struct watch){ .pid = t->feed.running[i] });
}

static bool may_track(struct service *s, const struct peer *p)
{
	if (s->engine)
		return true;
	peer_refuse(p, "recording", "nothing can be recorded here: %s", s->engine_why);
	return false;
}

void answer_probe(struct service *s, const struct peer *p, const struct buf *message)
{
	(void)message;
	if (may_track(s, p))
		(void)peer_accept(p);
}

void answer_track(struct service *s, const struct peer *p, const struct buf *message)
{
	struct track t = { .service = s, .peer = p };
	struct track_wish wish;

	if (!may_track(s, p))
		return;
	if (track_wish_get(message->data, message->size, &wish) < 0 ||
	    !granularity_ok(wish.granularity)) {
		peer_refuse(p, "recording", "what is to be recorded is not understood; install the "
					    "same version of prov and provd");
		return;
	}
	feed_init(&t.feed, p->uid, p->sees_all);
	(void)pthread_mutex_init(&t.busy, NULL);
	if (begin(&t, &wish) < 0) {
		peer_refuse(p, "recording", "%s", fail_text());
	} else {
		if (peer_accept(p) == 0)
			follow(&t);
		finish(&t);
		hand_on(&t);
	}
	feed_release(&t.feed);
	(void)pthread_mutex_destroy(&t.busy);
	buf_release(&t.out);
}
