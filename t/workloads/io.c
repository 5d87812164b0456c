/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* io.c - opening, reading and writing by descriptor */
#include "workload.h"

#include <sys/uio.h>

static void reads(long n, const char *what)
{
	expect_bytes("read", in_folder("in"), or_die(n, what));
}

static void by_read(void)
{
	reads(read(open_in(), room, some), "read");
}

static void by_pread(void)
{
	reads(pread(open_in(), room, some, 24), "pread");
}

static void by_pread64(void)
{
	reads(pread64(open_in(), room, some, 24), "pread64");
}

static const struct iovec *vector(void)
{
	static struct iovec iov[2];

	iov[0] = (struct iovec){ room, some };
	iov[1] = (struct iovec){ room + 200, 11 };
	return iov;
}

static void by_readv(void)
{
	reads(readv(open_in(), vector(), 2), "readv");
}

static void by_preadv(void)
{
	reads(preadv(open_in(), vector(), 2, 8), "preadv");
}

static void by_preadv64(void)
{
	reads(preadv64(open_in(), vector(), 2, 8), "preadv64");
}

static void by_preadv2(void)
{
	reads(preadv2(open_in(), vector(), 2, 8, 0), "preadv2");
}

static void by_preadv64v2(void)
{
	reads(preadv64v2(open_in(), vector(), 2, 8, 0), "preadv64v2");
}

static void sums_and_ends(void)
{
	int fd = open_in();
	long n = 0;

	for (long r; (r = or_die(read(fd, room, 300), "read")) > 0;)
		n += r;
	reads(n, "");
}

static void opened_only(void)
{
	close(open_in());
	or_die(lseek(open_in(), 5, SEEK_SET), "lseek");
}

static void refused(void)
{
	if (open(in_folder("absent"), O_RDONLY) >= 0 || read(99, room, 1) >= 0 ||
	    write(open_in(), room, 1) >= 0 || open(in_folder("in"), O_CREAT | O_EXCL, 0644) >= 0)
		exit(99);
}

static void writes(const char *name, long n, const char *what)
{
	expect_bytes("write", in_folder(name), or_die(n, what));
}

/* A preadv2 at -1 goes on from where the descriptor stands. */
static void at_the_present_place(void)
{
	int in = open_in(), fd = open_out("out");

	or_die(lseek(in, 1000, SEEK_SET), "lseek");
	reads(preadv2(in, vector(), 2, -1, 0), "preadv2");
	writes("out", pwritev2(fd, vector(), 2, -1, RWF_APPEND), "pwritev2");
}

static void by_write(void)
{
	writes("out", write(open_out("out"), room, some), "write");
}

static void by_pwrite(void)
{
	writes("out", pwrite(open_out("out"), room, some, 50), "pwrite");
}

static void by_pwrite64(void)
{
	writes("out", pwrite64(open_out("out"), room, some, 50), "pwrite64");
}

static void by_writev(void)
{
	writes("out", writev(open_out("out"), vector(), 2), "writev");
}

static void by_pwritev(void)
{
	writes("out", pwritev(open_out("out"), vector(), 2, 8), "pwritev");
}

static void by_pwritev64(void)
{
	writes("out", pwritev64(open_out("out"), vector(), 2, 8), "pwritev64");
}

static void by_pwritev2(void)
{
	writes("out", pwritev2(open_out("out"), vector(), 2, 8, 0), "pwritev2");
}

static void by_pwritev64v2(void)
{
	writes("out", pwritev64v2(open_out("out"), vector(), 2, 8, 0), "pwritev64v2");
}

static void append(void)
{
	volatile int flags = O_WRONLY | O_APPEND;
	int fd = fd_or_die(open(in_folder("old"), flags), "old");

	writes("old", write(fd, room, some), "write");
}

static void read_and_write(void)
{
	int fd = fd_or_die(open(in_folder("old"), O_RDWR), "old");

	expect_bytes("read", in_folder("old"), or_die(read(fd, room, 30), "read"));
	writes("old", write(fd, room, 20), "write");
}

static void overwrite(void)
{
	int fd = fd_or_die(open(in_folder("old"), O_WRONLY | O_TRUNC), "old");

	expect_file("truncate", in_folder("old"));
	writes("old", write(fd, room, 20), "write");
}

static void two_opens(void)
{
	int a = open_out("out");
	int b = fd_or_die(open(in_folder("out"), O_RDWR), "out");

	or_die(write(a, room, 10), "write");
	or_die(write(b, room, 20), "write");
	writes("out", 30, "");
	expect_bytes("read", in_folder("out"), or_die(pread(b, room, 5, 0), "pread"));
}

static void many_files(void)
{
	char name[16];

	for (int i = 0; i < 3000; i++) {
		int fd;

		snprintf(name, sizeof(name), "f%d", i);
		fd = open_out(name);
		writes(name, write(fd, room, 1 + (size_t)i % 7), "write");
		close(fd);
	}
}

static void many_descriptors(void)
{
	int fd = open_in();
	int far = (int)or_die(fcntl(fd, F_DUPFD, 3000), "F_DUPFD");

	reads(read(far, room, some), "read");
}

static const struct mode modes[] = {
	{ "read", by_read }, { "pread", by_pread }, { "pread64", by_pread64 },
	{ "readv", by_readv }, { "preadv", by_preadv }, { "preadv64", by_preadv64 },
	{ "preadv2", by_preadv2 }, { "preadv64v2", by_preadv64v2 },
	{ "at-the-present-place", at_the_present_place }, { "sums", sums_and_ends },
	{ "opened-only", opened_only }, { "refused", refused }, { "write", by_write },
	{ "pwrite", by_pwrite }, { "pwrite64", by_pwrite64 }, { "writev", by_writev },
	{ "pwritev", by_pwritev }, { "pwritev64", by_pwritev64 }, { "pwritev2", by_pwritev2 },
	{ "pwritev64v2", by_pwritev64v2 }, { "append", append },
	{ "read-and-write", read_and_write }, { "overwrite", overwrite },
	{ "two-opens", two_opens }, { "many-files", many_files },
	{ "many-descriptors", many_descriptors }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
