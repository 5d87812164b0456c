/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* io.c - opening, reading and writing by descriptor */
#include "workload.h"

#include <sys/syscall.h>
#include <sys/uio.h>

/* struct open_how of linux/openat2.h, which older headers lack. */
struct how {
	unsigned long long flags, mode, resolve;
};

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

static void by_open64(void)
{
	reads(read(fd_or_die(open64(in_folder("in"), O_RDONLY), "open64"), room, some), "read");
}

static void by_openat(void)
{
	int dir = fd_or_die(open(in_folder("."), O_RDONLY | O_DIRECTORY), "folder");
	volatile int flags = O_RDONLY;

	reads(read(fd_or_die(openat(dir, "in", flags), "openat"), room, some), "read");
}

static void by_openat64(void)
{
	int dir = fd_or_die(open(in_folder("."), O_PATH), "folder");

	reads(read(fd_or_die(openat64(dir, "in", O_RDONLY), "openat64"), room, some), "read");
}

static void by_openat2(void)
{
	struct how how = { .flags = O_RDONLY };
	long fd = syscall(SYS_openat2, AT_FDCWD, in_folder("in"), &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		cannot("openat2");
	reads(read(fd_or_die((int)fd, "openat2"), room, some), "read");
}

static void by_creat(void)
{
	int fd = fd_or_die(creat(in_folder("out"), 0644), "creat");

	expect_made(in_folder("out"), or_die(write(fd, room, some), "write"));
}

static void by_creat64(void)
{
	int fd = fd_or_die(creat64(in_folder("old"), 0644), "creat64");

	expect_file("truncate", in_folder("old"));
	writes("old", write(fd, room, some), "write");
}

static void by_mkstemp(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s", in_folder("tmpXXXXXX"));
	fd = fd_or_die(mkstemp(path), "mkstemp");
	expect_made(path, or_die(write(fd, room, some), "write"));
	snprintf(path, sizeof(path), "%s", in_folder("tmpXXXXXX.c"));
	fd = fd_or_die(mkostemps(path, 2, O_APPEND), "mkostemps");
	expect_made(path, or_die(write(fd, room, some), "write"));
}

static void through_symlink(void)
{
	or_die(symlink("in", in_folder("way")), "symlink");
	expect_name("symlink", "in", in_folder("way"));
	reads(read(fd_or_die(open(in_folder("way"), O_RDONLY), "way"), room, some), "read");
}

static void from_elsewhere(void)
{
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(chdir(in_folder("sub")), "chdir");
	reads(read(fd_or_die(open("../sub/.././/in", O_RDONLY), "relative"), room, some), "read");
}

static void through_proc(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", open_in());
	reads(read(fd_or_die(open(path, O_RDONLY), path), room, some), "read");
}

static void by_path_descriptor(void)
{
	int fd = fd_or_die(open(in_folder("in"), O_PATH), "O_PATH");
	char path[64];

	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	reads(read(fd_or_die(open(path, O_RDONLY), path), room, some), "read");
}

static void odd_names(void)
{
	static const char *const names[] = {
		"a b\tc\nd", "\xff\xfe\x80", "\"quoted\\", "%s%n<x>",
		"(deleted)", " (deleted)", "-", "\xc3\xa9\xe2\x82\xac",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		writes(names[i], write(open_out(names[i]), room, i + 1), "write");
}

static void far_down(void)
{
	static char path[3000];
	const char *folder = in_folder("");
	size_t at = (size_t)snprintf(path, sizeof(path), "%s", folder);

	/* Twelve names of 200 bytes: longer than what fits many a buffer. */
	for (int i = 0; i < 12; i++) {
		memset(path + at, 'a' + i, 200);
		at += 200;
		path[at] = '\0';
		or_die(mkdir(path, 0755), "mkdir");
		path[at++] = '/';
	}
	snprintf(path + at, sizeof(path) - at, "out");
	expect_made(path, or_die(write(fd_or_die(creat(path, 0644), path), room, some), "write"));
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
	{ "sums", sums_and_ends }, { "opened-only", opened_only }, { "refused", refused },
	{ "write", by_write }, { "pwrite", by_pwrite }, { "pwrite64", by_pwrite64 },
	{ "writev", by_writev }, { "pwritev", by_pwritev }, { "pwritev64", by_pwritev64 },
	{ "pwritev2", by_pwritev2 }, { "pwritev64v2", by_pwritev64v2 }, { "append", append },
	{ "read-and-write", read_and_write }, { "overwrite", overwrite },
	{ "two-opens", two_opens }, { "open64", by_open64 }, { "openat", by_openat },
	{ "openat64", by_openat64 }, { "openat2", by_openat2 }, { "creat", by_creat },
	{ "creat64", by_creat64 }, { "mkstemp", by_mkstemp },
	{ "through-symlink", through_symlink }, { "from-elsewhere", from_elsewhere },
	{ "through-proc", through_proc }, { "path-descriptor", by_path_descriptor },
	{ "odd-names", odd_names }, { "far-down", far_down }, { "many-files", many_files },
	{ "many-descriptors", many_descriptors }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
