/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* flow.c - bytes that move from file to file without read or write */
#include "workload.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

static void moved(const char *from, const char *to, long n)
{
	expect_bytes("read", in_folder(from), n);
	expect_bytes("write", in_folder(to), n);
}

static void by_sendfile(void)
{
	off_t at = 10;

	moved("in", "out", or_die(sendfile(open_out("out"), open_in(), &at, some), "sendfile"));
}

static void by_sendfile64(void)
{
	const int from = open_in();

	moved("in", "out", or_die(sendfile64(open_out("out"), from, NULL, some), "sendfile64"));
}

static void by_copy_file_range(void)
{
	int from = open_in(), to = open_out("out");
	ssize_t n = copy_file_range(from, NULL, to, NULL, some, 0);

	if (n < 0 && (errno == ENOSYS || errno == EXDEV))
		cannot("copy_file_range");
	moved("in", "out", or_die(n, "copy_file_range"));
}

static void by_splice(void)
{
	int from = open_in(), to = open_out("out"), ends[2];
	ssize_t n;

	or_die(pipe(ends), "pipe");
	n = or_die(splice(from, NULL, ends[1], NULL, some, 0), "splice");
	or_die(splice(ends[0], NULL, to, NULL, (size_t)n, 0), "splice");
	moved("in", "out", n);
}

static void by_tee(void)
{
	int from = open_in(), to = open_out("out"), one[2], two[2];
	ssize_t n;

	or_die(pipe(one) | pipe(two), "pipe");
	n = or_die(splice(from, NULL, one[1], NULL, some, 0), "splice");
	or_die(tee(one[0], two[1], (size_t)n, 0), "tee");
	or_die(splice(two[0], NULL, to, NULL, (size_t)n, 0), "splice");
	moved("in", "out", n);
}

static void by_vmsplice(void)
{
	int to = open_out("out"), ends[2];
	struct iovec iov = { room, some };
	ssize_t n;

	or_die(pipe(ends), "pipe");
	n = or_die(vmsplice(ends[1], &iov, 1, 0), "vmsplice");
	or_die(splice(ends[0], NULL, to, NULL, (size_t)n, 0), "splice");
	expect_bytes("write", in_folder("out"), n);
}

static void by_clone(void)
{
	if (ioctl(open_out("out"), FICLONE, open_in()) < 0)
		cannot("FICLONE");
	moved("in", "out", -1);
}

static void by_clone_range(void)
{
	struct file_clone_range range = { .src_fd = open_in() };

	if (ioctl(open_out("out"), FICLONERANGE, &range) < 0)
		cannot("FICLONERANGE");
	moved("in", "out", -1);
}

/* Blocks are shared if they are the same already: no content changes hands. */
static void by_dedupe(void)
{
	struct {
		struct file_dedupe_range head;
		struct file_dedupe_range_info info;
	} range = { .head = { .src_length = IN_SIZE, .dest_count = 1 } };

	range.info.dest_fd = fd_or_die(open(in_folder("old"), O_RDWR), "old");
	(void)ioctl(open_in(), FIDEDUPERANGE, &range);
}

/* Asked of what cannot be done, and of what is none of a file's content. */
static void other_requests(void)
{
	int flags, size;

	(void)ioctl(open_in(), FS_IOC_GETFLAGS, &flags);
	(void)ioctl(open_in(), FIGETBSZ, &size);
	if (ioctl(open_in(), FICLONE, -1) >= 0)
		exit(99);
}

static void to_where_it_is(void)
{
	int from = open_in(), to = open_out("out"), ends[2];
	loff_t at = 100, zero = 0;

	or_die(pipe(ends), "pipe");
	or_die(splice(from, &at, ends[1], NULL, 50, SPLICE_F_MOVE), "splice");
	moved("in", "out", or_die(splice(ends[0], NULL, to, &zero, 50, 0), "splice"));
}

static void from_pipe_of_child(void)
{
	int ends[2];
	pid_t child;

	or_die(pipe(ends), "pipe");
	child = fork();
	if (child == 0) {
		expect_bytes("read", in_folder("in"),
			     or_die(sendfile(ends[1], open_in(), NULL, some), "sendfile"));
		_exit(0);
	}
	wait_for(child);
	expect_made(in_folder("out"), or_die(splice(ends[0], NULL,
			fd_or_die(creat(in_folder("out"), 0644), "out"), NULL, some, 0), "splice"));
}

static const struct mode modes[] = {
	{ "sendfile", by_sendfile }, { "sendfile64", by_sendfile64 },
	{ "copy_file_range", by_copy_file_range }, { "splice", by_splice },
	{ "splice-at", to_where_it_is }, { "tee", by_tee }, { "vmsplice", by_vmsplice },
	{ "from-pipe-of-child", from_pipe_of_child }, { "clone", by_clone },
	{ "clone-range", by_clone_range }, { "dedupe", by_dedupe },
	{ "other-requests", other_requests }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
