/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* serve_store.c - answers questions to stores over a socket, well or badly
 *
 * usage: serve_store SOCKET MODE [STORE...]
 *
 * Modes: "well"; "refuse", with a sentence; "silent" takes connections and says
 * nothing; "deaf" does not even take them; "leave" goes after the first question;
 * "garbage" is no node service at all. Writes a line when it listens, and one for
 * each connection: what was asked first, by whom, and how it ended. Each is served by a
 * child of its own.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"
#include "base/frame.h"
#include "base/service.h"
#include "store/node.h"
#include "store/node_wire.h"
#include "store/union.h"

static void ended(const char *how)
{
	printf("%s\n", how);
	fflush(stdout);
	_exit(0);
}

static struct store *open_all(char **names, size_t n)
{
	struct union_member *members = calloc(n + 1, sizeof(*members));

	for (size_t i = 0; i < n; i++)
		if (store_open(names[i], STORE_READ, &members[i].store) < 0)
			ended(fail_text());
	/* members stays until the end of this child */
	return n == 1 ? members[0].store : store_union(members, n, NULL, NULL);
}

static void leave_after_one(int fd)
{
	struct buf b = { 0 };
	uint32_t kind;

	buf_uint(&b, NODE_VERSION);
	(void)frame_send(fd, SERVICE_OK, b.data, b.size);
	(void)frame_receive(fd, &kind, &b);
	ended("left");
}

static void serve(int fd, const char *mode, char **names, size_t n)
{
	static const char page[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);
	struct buf b = { 0 };
	uint32_t kind = 0;

	if (!strcmp(mode, "silent")) {
		(void)pause();
		return;
	}
	if (!strcmp(mode, "garbage")) {
		(void)!write(fd, page, strlen(page));
		ended("garbage");
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    frame_receive(fd, &kind, &b) < 0)
		ended(fail_text());
	printf("kind %u of uid %u\n", kind, (unsigned)peer.uid);
	if (!strcmp(mode, "refuse")) {
		static const char why[] = "uid 7 is not one of those who may ask";

		(void)frame_send(fd, SERVICE_REFUSED, why, strlen(why));
		ended("refused");
	}
	if (!strcmp(mode, "leave"))
		leave_after_one(fd);
	ended(node_serve(fd, open_all(names, n)) < 0 ? fail_text() : "served");
}

int main(int argc, char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (argc < 3 || strlen(argv[1]) >= sizeof(at.sun_path)) {
		fputs("usage: serve_store SOCKET MODE [STORE...]\n", stderr);
		return 2;
	}
	memcpy(at.sun_path, argv[1], strlen(argv[1]));
	(void)unlink(argv[1]);
	if (bind(listening, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(listening, strcmp(argv[2], "deaf") ? 64 : 0) < 0) {
		perror(argv[1]);
		return 3;
	}
	(void)signal(SIGCHLD, SIG_IGN);
	puts("listening");
	fflush(stdout);
	for (;;) {
		int fd = strcmp(argv[2], "deaf") ? accept(listening, NULL, NULL) : pause();

		if (fd < 0)
			continue;
		if (fork() == 0)
			serve(fd, argv[2], argv + 3, (size_t)(argc - 3));
		close(fd);
	}
}
