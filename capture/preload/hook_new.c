/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_new.c - new descriptors that are no files */
#include <sys/types.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "real.h"
#include "shim/tally.h"

/* A number that was closed past libc still has the tally of the file it was;
 * what goes through it from now on must not be counted there. */
static int fresh(int fd)
{
	struct prov_tally *stale = fd >= 0 ? tally_detach(fd) : NULL;

	if (stale)
		tally_release(stale);
	return fd;
}

static int both_fresh(int r, const int fd[2])
{
	if (r == 0) {
		(void)fresh(fd[0]);
		(void)fresh(fd[1]);
	}
	return r;
}

EXPORT int socket(int domain, int type, int protocol)
{
	return fresh(NEXT(socket)(domain, type, protocol));
}

EXPORT int socketpair(int domain, int type, int protocol, int fd[2])
{
	return both_fresh(NEXT(socketpair)(domain, type, protocol, fd), fd);
}

EXPORT int accept(int fd, struct sockaddr *a, socklen_t *len)
{
	return fresh(NEXT(accept)(fd, a, len));
}

EXPORT int accept4(int fd, struct sockaddr *a, socklen_t *len, int flags)
{
	return fresh(NEXT(accept4)(fd, a, len, flags));
}

EXPORT int pipe(int fd[2])
{
	return both_fresh(NEXT(pipe)(fd), fd);
}

EXPORT int pipe2(int fd[2], int flags)
{
	return both_fresh(NEXT(pipe2)(fd, flags), fd);
}

EXPORT int eventfd(unsigned count, int flags)
{
	return fresh(NEXT(eventfd)(count, flags));
}

EXPORT int timerfd_create(clockid_t clock, int flags)
{
	return fresh(NEXT(timerfd_create)(clock, flags));
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	return fresh(NEXT(signalfd)(fd, set, flags));
}

EXPORT int inotify_init(void)
{
	return fresh(NEXT(inotify_init)());
}

EXPORT int inotify_init1(int flags)
{
	return fresh(NEXT(inotify_init1)(flags));
}

EXPORT int memfd_create(const char *name, unsigned flags)
{
	return fresh(NEXT(memfd_create)(name, flags));
}
