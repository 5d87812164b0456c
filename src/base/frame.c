/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* frame.c - messages over a stream socket */
#include "base/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/err.h"

struct head {
	uint32_t magic, kind, size;
};

#define MAGIC UINT32_C(0x766f7270)	/* "prov" */

static int send_all(int fd, struct iovec *v, size_t n)
{
	while (n) {
		struct msghdr m = { .msg_iov = v, .msg_iovlen = n };
		ssize_t done = sendmsg(fd, &m, MSG_NOSIGNAL);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail(errno, "the other side of the socket: %s", strerror(errno));
		while (n && (size_t)done >= v->iov_len) {
			done -= (ssize_t)v->iov_len;
			v++;
			n--;
		}
		if (n) {
			v->iov_base = (char *)v->iov_base + done;
			v->iov_len -= (size_t)done;
		}
	}
	return 0;
}

int frame_send(int fd, uint32_t kind, const void *p, size_t n)
{
	struct head h = { MAGIC, kind, (uint32_t)n };
	struct iovec v[] = { { &h, sizeof(h) }, { (void *)(uintptr_t)p, n } };

	if (n > FRAME_MOST)
		return fail(EMSGSIZE, "a message of %zu bytes is too long", n);
	return send_all(fd, v, n ? 2 : 1);
}

void frame_put(struct buf *out, uint32_t kind, const void *p, size_t n)
{
	struct head h = { MAGIC, kind, (uint32_t)n };

	buf_append(out, &h, sizeof(h));
	if (n)
		buf_append(out, p, n);
}

static int receive_all(int fd, void *p, size_t n)
{
	size_t at = 0;

	while (at < n) {
		ssize_t r = recv(fd, (char *)p + at, n - at, 0);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return fail(errno, "the other side of the socket: %s", strerror(errno));
		if (r == 0)
			return fail(EPIPE, "the other side of the socket has gone");
		at += (size_t)r;
	}
	return 0;
}

int frame_receive_most(int fd, uint32_t *kind, struct buf *out, size_t most)
{
	struct head h;
	int r = receive_all(fd, &h, sizeof(h));

	buf_clear(out);
	if (r < 0)
		return r;
	if (h.magic != MAGIC)
		return fail(EBADMSG, "the other side of the socket does not speak prov");
	if (h.size > most)
		return fail(EMSGSIZE, "a message of %u bytes is too long", h.size);
	buf_reserve(out, (size_t)h.size + 1);
	r = receive_all(fd, out->data, h.size);
	if (r < 0)
		return r;
	out->size = h.size;
	out->data[h.size] = 0;
	*kind = h.kind;
	return 0;
}

int frame_receive(int fd, uint32_t *kind, struct buf *out)
{
	return frame_receive_most(fd, kind, out, FRAME_MOST);
}
