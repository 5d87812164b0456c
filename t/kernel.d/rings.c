/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* rings.c - all through io_uring: rings FROM TO NAMED LINKED GONE
 *
 * Opens FROM, reads it, writes it to TO, which it makes; renames TO to NAMED, links
 * NAMED as LINKED and removes NAMED and GONE, which it never opened. */
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct io_uring ring;

static struct io_uring_sqe *next(void)
{
	return io_uring_get_sqe(&ring);
}

static int done(const char *what)
{
	struct io_uring_cqe *c;
	int r = io_uring_submit_and_wait(&ring, 1);

	r = r < 0 ? r : io_uring_wait_cqe(&ring, &c);
	if (r < 0 || c->res < 0) {
		fprintf(stderr, "rings: %s: %s\n", what, strerror(r < 0 ? -r : -c->res));
		exit(99);
	}
	r = c->res;
	io_uring_cqe_seen(&ring, c);
	return r;
}

int main(int argc, char **argv)
{
	char data[4096];
	int from, to, n;

	if (io_uring_queue_init(8, &ring, 0) < 0)
		return 77;
	if (argc != 6)
		return 99;
	io_uring_prep_openat(next(), AT_FDCWD, argv[1], O_RDONLY, 0);
	from = done("open");
	io_uring_prep_openat(next(), AT_FDCWD, argv[2], O_WRONLY | O_CREAT, 0644);
	to = done("open");
	io_uring_prep_read(next(), from, data, sizeof(data), 0);
	n = done("read");
	io_uring_prep_write(next(), to, data, (unsigned)n, 0);
	done("write");
	io_uring_prep_renameat(next(), AT_FDCWD, argv[2], AT_FDCWD, argv[3], 0);
	done("rename");
	io_uring_prep_linkat(next(), AT_FDCWD, argv[3], AT_FDCWD, argv[4], 0);
	done("link");
	io_uring_prep_unlinkat(next(), AT_FDCWD, argv[3], 0);
	done("unlink");
	io_uring_prep_unlinkat(next(), AT_FDCWD, argv[5], 0);
	done("unlink");
	return 0;
}
