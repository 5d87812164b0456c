/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* service.c - reaching the node service */
#include "base/service.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/frame.h"

#define PATIENCE 10		/* seconds */
#define SENTENCE_MOST 4096	/* bytes of a refusal */

static int reach(const char *path)
{
	const struct timeval patience = { .tv_sec = PATIENCE };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd, r;

	if (!path)
		return fail(ENOENT, "the node service is not asked: the setting node is off");
	if (strlen(path) >= sizeof(to.sun_path))
		return fail(ENAMETOOLONG, "provd.socket: %s: a socket's path has at most %zu bytes",
			    path, sizeof(to.sun_path) - 1);
	memcpy(to.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return fail(errno, "no socket: %s", strerror(errno));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	r = fail(errno,
		 "%s: no node service answers (%s); an administrator starts it with "
		 "\"systemctl start provd\"", path, strerror(errno));
	(void)close(fd);
	return r;
}

const char *service_path(void)
{
	const char *node = conf_text("node");

	if (!strcmp(node, "off"))
		return NULL;
	return strcmp(node, "auto") != 0 ? node : conf_text("provd.socket");
}

int service_connect(enum service_kind kind, const void *p, size_t n)
{
	int r, fd = reach(service_path());
	struct buf answer = { 0 };
	uint32_t said = 0;

	if (fd < 0)
		return fd;
	/* who refuses before it listened may have hung up, and its word is there */
	(void)frame_send(fd, kind, p, n);
	r = frame_receive_most(fd, &said, &answer, SENTENCE_MOST);
	if (r == 0 && said == SERVICE_REFUSED)
		r = fail(EACCES, "the node service: %s", answer.data);
	else if (r == 0 && said != SERVICE_OK)
		r = fail(EBADMSG, "the node service answers what is not understood; "
				  "install the same version of prov and provd");
	buf_release(&answer);
	if (r == 0)
		return fd;
	(void)close(fd);
	return r;
}
