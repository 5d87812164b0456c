/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_transfer.c - data that moves from one descriptor to another, and sockets */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hooks.h"
#include "real.h"

EXPORT ssize_t sendfile64(int to, int from, off64_t *at, size_t n)
{
	struct transfer t = transfer_before(from, to);

	return transfer_after(t, NEXT(sendfile64)(to, from, at, n));
}

ssize_t sendfile(int to, int from, off64_t *at, size_t n) ALIAS(sendfile64);

EXPORT ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t n,
			       unsigned flags)
{
	struct transfer t = transfer_before(from, to);

	return transfer_after(t, NEXT(copy_file_range)(from, from_at, to, to_at, n, flags));
}

EXPORT ssize_t splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags)
{
	struct transfer t = transfer_before(from, to);

	return transfer_after(t, NEXT(splice)(from, from_at, to, to_at, n, flags));
}

EXPORT ssize_t tee(int from, int to, size_t n, unsigned flags)
{
	struct transfer t = transfer_before(from, to);

	return transfer_after(t, NEXT(tee)(from, to, n, flags));
}

EXPORT ssize_t vmsplice(int fd, const struct iovec *v, size_t n, unsigned flags)
{
	struct held t = tally_before_write(fd);
	ssize_t r = NEXT(vmsplice)(fd, v, n, flags);

	tally_after_write(t, r);
	return r;
}

/* Reflinks share blocks instead of copying bytes; to what depends on what it
 * is the same. */
EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;
	int from = -1, r;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == FICLONE)
		from = (int)(intptr_t)arg;
	else if (request == FICLONERANGE && arg)
		from = (int)((const struct file_clone_range *)arg)->src_fd;
	if (from < 0)
		return NEXT(ioctl)(fd, request, arg);
	struct transfer t = transfer_before(from, fd);

	r = NEXT(ioctl)(fd, request, arg);
	(void)transfer_after(t, r < 0 ? -1 : 0);
	return r;
}

EXPORT ssize_t recv(int fd, void *p, size_t n, int flags)
{
	struct held t = tally_before_read(fd);
	ssize_t r = NEXT(recv)(fd, p, n, flags);

	tally_after_read(t, r);
	return r;
}

EXPORT ssize_t recvfrom(int fd, void *p, size_t n, int flags, struct sockaddr *a, socklen_t *len)
{
	struct held t = tally_before_read(fd);
	ssize_t r = NEXT(recvfrom)(fd, p, n, flags, a, len);

	tally_after_read(t, r);
	return r;
}

ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *p, size_t n, size_t room, int flags, struct sockaddr *a,
		       socklen_t *len);

EXPORT ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags)
{
	struct held t = tally_before_read(fd);
	ssize_t r = NEXT(__recv_chk)(fd, p, n, room, flags);

	tally_after_read(t, r);
	return r;
}

EXPORT ssize_t __recvfrom_chk(int fd, void *p, size_t n, size_t room, int flags, struct sockaddr *a,
			      socklen_t *len)
{
	struct held t = tally_before_read(fd);
	ssize_t r = NEXT(__recvfrom_chk)(fd, p, n, room, flags, a, len);

	tally_after_read(t, r);
	return r;
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	struct held t = tally_before_read(fd);
	ssize_t r = NEXT(recvmsg)(fd, m, flags);

	tally_after_read(t, r);
	return r;
}

static ssize_t vector_bytes(const struct mmsghdr *v, int n)
{
	ssize_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += v[i].msg_len;
	return n < 0 ? -1 : sum;
}

EXPORT int recvmmsg(int fd, struct mmsghdr *v, unsigned n, int flags, struct timespec *timeout)
{
	struct held t = tally_before_read(fd);
	int r = NEXT(recvmmsg)(fd, v, n, flags, timeout);

	tally_after_read(t, vector_bytes(v, r));
	return r;
}

EXPORT ssize_t send(int fd, const void *p, size_t n, int flags)
{
	struct held t = tally_before_write(fd);
	ssize_t r = NEXT(send)(fd, p, n, flags);

	tally_after_write(t, r);
	return r;
}

EXPORT ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *a,
		      socklen_t len)
{
	struct held t = tally_before_write(fd);
	ssize_t r = NEXT(sendto)(fd, p, n, flags, a, len);

	tally_after_write(t, r);
	return r;
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	struct held t = tally_before_write(fd);
	ssize_t r = NEXT(sendmsg)(fd, m, flags);

	tally_after_write(t, r);
	return r;
}

EXPORT int sendmmsg(int fd, struct mmsghdr *v, unsigned n, int flags)
{
	struct held t = tally_before_write(fd);
	int r = NEXT(sendmmsg)(fd, v, n, flags);

	tally_after_write(t, vector_bytes(v, r));
	return r;
}
