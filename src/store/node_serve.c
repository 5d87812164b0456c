/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* node_serve.c - answers a client's questions from a store */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/err.h"
#include "base/frame.h"
#include "base/service.h"
#include "store/node.h"
#include "store/node_wire.h"

/* The client has gone, or was never more than half there: nothing to tell. */
static bool gone(int r)
{
	return r == -EPIPE || r == -ECONNRESET;
}

static int send_failure(int fd, int err, struct buf *b)
{
	const char *why = fail_text();

	buf_clear(b);
	buf_uint(b, (uint64_t)-err);
	buf_blob(b, why, strnlen(why, NODE_WHY_MOST));
	return frame_send(fd, NODE_FAILED, b->data, b->size);
}

static int send_answer(int fd, const struct question *q, const struct answer *w, struct buf *b)
{
	size_t at = 0;
	int r;

	do {
		buf_clear(b);
		at = answer_encode(q, w, at, b);
		r = frame_send(fd, b->size < NODE_PART_BYTES ? NODE_END : NODE_PART, b->data,
			       b->size);
	} while (r == 0 && b->size >= NODE_PART_BYTES);
	return r;
}

/* A question that makes no sense ends the connection, one that the store cannot
 * answer does not. */
static int answer(int fd, struct store *s, uint32_t kind, struct buf *b)
{
	struct arena a = { 0 };
	struct question q;
	struct answer w;
	int r = question_decode(kind, b->data, b->size, &a, &q), sent;

	if (r < 0) {
		sent = send_failure(fd, r, b);
		r = sent < 0 ? sent : fail(EBADMSG, "a client sends what is no question");
	} else {
		r = question_ask(&q, s, &a, &w);
		r = r < 0 ? send_failure(fd, r, b) : send_answer(fd, &q, &w, b);
	}
	arena_release(&a);
	return r;
}

static void limit_waiting(int fd)
{
	const struct timeval idle = { .tv_sec = NODE_IDLE_MS / 1000 };

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &idle, sizeof(idle));
}

int node_serve(int fd, struct store *s)
{
	struct buf b = { 0 };
	uint32_t kind;
	int r;

	limit_waiting(fd);
	buf_uint(&b, NODE_VERSION);
	r = frame_send(fd, SERVICE_OK, b.data, b.size);
	while (r == 0) {
		r = frame_receive_most(fd, &kind, &b, NODE_QUESTION_MOST);
		if (r == 0)
			r = answer(fd, s, kind, &b);
	}
	buf_release(&b);
	if (r == -EAGAIN)
		return fail(ETIMEDOUT, "a client neither asks nor takes its answer");
	return gone(r) ? 0 : r;
}
