/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* remote.c - the engine in the kernel, run for us by the node service */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/frame.h"
#include "base/mem.h"
#include "base/service.h"
#include "engine/wire.h"

#define PATIENCE 60	/* seconds for the rest of a large session */

struct remote {
	struct engine base;
	int fd;			/* -1: the service has gone */
	struct track_state state;
	struct buf message;
	struct buf cost;	/* of recording, once it has ended */
	char *folder;		/* of the recorder; nothing is in it */
	bool told;		/* that it has gone */
};

static struct remote *remote_of(struct engine *e)
{
	return (struct remote *)e;
}

static int remote_probe(struct buf *why)
{
	int fd = service_connect(SERVICE_PROBE, NULL, 0);

	if (fd < 0) {
		buf_str(why, fail_text());
		return fd;
	}
	buf_str(why, "the node service records every program in the kernel");
	(void)close(fd);
	return 0;
}

static int remote_open(const char *folder, const struct engine_setup *setup, struct engine **out)
{
	const struct timeval patience = { .tv_sec = PATIENCE };
	const struct track_wish wish = { .run = setup->run, .granularity = setup->granularity,
					 .budget = setup->budget,
					 .env_allow = setup->env_allow };
	struct buf b = { 0 };
	struct remote *r;
	int fd;

	if (setup->launcher != (uint32_t)getpid())
		return fail(EPERM, "the node service records what its caller starts, "
				   "nobody else's programs");
	track_wish_put(&wish, &b);
	fd = service_connect(SERVICE_TRACK, b.data, b.size);
	buf_release(&b);
	if (fd < 0)
		return fd;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	r = mem_alloc(sizeof(*r));
	r->base.ops = &engine_remote;
	r->fd = fd;
	r->folder = mem_str(folder);
	r->state = (struct track_state){ .granularity = setup->granularity, .alive = true };
	*out = &r->base;
	return 0;
}

static int remote_reopen(const char *folder, struct engine **out)
{
	(void)folder;
	(void)out;
	return fail(ENOENT, "the node service ends a session when its prov is gone");
}

static void remote_handed(struct engine *e, uint32_t pid, int64_t start, uint32_t seq)
{
	(void)e;
	(void)pid;
	(void)start;
	(void)seq;
}

static int remote_environment(struct engine *e, const char *ld_preload, struct buf *out)
{
	(void)e;
	(void)ld_preload;
	(void)out;
	return 0;
}

static bool has_something(const struct remote *r)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };

	return r->fd >= 0 && poll(&p, 1, 0) > 0;
}

static void give_up(struct remote *r)
{
	if (r->fd >= 0)
		(void)close(r->fd);
	r->fd = -1;
	r->state.alive = false;
}

/* One message. Returns its kind; 0 when the service has gone. */
static uint32_t take_message(struct remote *r, const struct engine_sink *sink, size_t *n)
{
	uint32_t kind = 0;
	int ret = frame_receive(r->fd, &kind, &r->message);

	if (ret == 0 && kind == TRACK_CALLS) {
		ret = wire_replay(r->message.data, r->message.size, sink);
		++*n;
	} else if (ret == 0 && kind == TRACK_STATE) {
		ret = track_state_get(r->message.data, r->message.size, &r->state);
	}
	if (ret == 0)
		return kind;
	give_up(r);
	return 0;
}

static size_t remote_poll(struct engine *e, const struct engine_sink *sink, bool final)
{
	struct remote *r = remote_of(e);
	size_t n = 0;

	if (final && r->fd >= 0 && frame_send(r->fd, TRACK_END, NULL, 0) < 0)
		give_up(r);
	while (final ? r->fd >= 0 : has_something(r)) {
		uint32_t kind = take_message(r, sink, &n);

		if (kind == TRACK_DONE) {
			buf_append(&r->cost, r->message.data, r->message.size);
			give_up(r);
			r->told = true;
		}
	}
	if (r->fd < 0 && !r->told) {
		sink->hole(sink->ctx, 0, 0, "lost",
			   "the node service stopped or gave this session up: what was done after "
			   "that is not recorded", 1);
		r->state.lost++;
		r->told = true;
	}
	return n;
}

static void remote_ask(struct engine *e, int32_t granularity)
{
	struct remote *r = remote_of(e);
	struct buf b = { 0 };

	buf_int(&b, granularity);
	if (r->fd >= 0)
		(void)frame_send(r->fd, TRACK_LEVEL, b.data, b.size);
	buf_release(&b);
}

static int32_t remote_granularity(const struct engine *e)
{
	return ((const struct remote *)e)->state.granularity;
}

static void remote_cost(const struct engine *e, struct buf *out)
{
	const struct remote *r = (const struct remote *)e;

	if (r->cost.size)
		buf_append(out, r->cost.data, r->cost.size);
}

static uint64_t remote_lost(const struct engine *e)
{
	return ((const struct remote *)e)->state.lost;
}

static bool remote_alive(struct engine *e)
{
	return remote_of(e)->state.alive;
}

static void remote_close(struct engine *e, bool remove)
{
	struct remote *r = remote_of(e);

	if (!r)
		return;
	give_up(r);
	if (remove)
		(void)rmdir(r->folder);
	buf_release(&r->message);
	buf_release(&r->cost);
	free(r->folder);
	free(r);
}

const struct engine_ops engine_remote = {
	.name = "ebpf",
	.probe = remote_probe,
	.open = remote_open,
	.reopen = remote_reopen,
	.handed = remote_handed,
	.environment = remote_environment,
	.poll = remote_poll,
	.ask = remote_ask,
	.granularity = remote_granularity,
	.cost = remote_cost,
	.lost = remote_lost,
	.alive = remote_alive,
	.close = remote_close,
};
