/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* raw.c - a static program whose calls pass by every library: raw able|NAME
 *
 * Makes NAME.moved (200 bytes), NAME.sent and NAME.copied out of it, NAME.child
 * from what a forked child says through a pipe, and NAME.gone, which goes again.
 * "able" does nothing, successfully. Exits with 9. expect.py has the numbers. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char data[200];

/* A call that does not do what it must ends the program with its line. */
static long must(long got, long want, int line)
{
	if (want < 0 ? got < 0 : got != want)
		_exit(line & 0x7f ? line & 0x7f : 1);
	return got;
}
#define MUST(call, want) must((call), (want), __LINE__)
#define ANY (-1)

static int make(const char *name, const char *end)
{
	const int how = O_CREAT | O_RDWR | O_TRUNC;
	char path[100];

	snprintf(path, sizeof(path), "%s%s", name, end);
	return (int)MUST(syscall(SYS_openat, AT_FDCWD, path, how, 0644), ANY);
}

/* 100 + 50 + 25 + 25 bytes */
static void write_all(int fd)
{
	const struct iovec two[2] = { { data, 25 }, { data + 25, 25 } };

	MUST(syscall(SYS_write, fd, data, 100), 100);
	MUST(pwrite(fd, data, 50, 150), 50);
	MUST(syscall(SYS_writev, fd, two, 2), 50);
}

/* 60 + 40 + 140 bytes, and none at the end */
static void read_all(int fd)
{
	char to[200];
	const struct iovec two[2] = { { to, 30 }, { to + 30, 170 } };

	MUST(syscall(SYS_lseek, fd, 0, SEEK_SET), 0);
	MUST(syscall(SYS_read, fd, to, 60), 60);
	MUST(pread(fd, to, 40, 10), 40);
	MUST(syscall(SYS_readv, fd, two, 2), 140);
	MUST(syscall(SYS_read, fd, to, 10), 0);
}

static void through_child(int out)
{
	char said[8];
	int ends[2], status;
	pid_t child;

	MUST(syscall(SYS_pipe2, ends, O_CLOEXEC), 0);
	child = (pid_t)MUST(fork(), ANY);
	if (child == 0)
		_exit(syscall(SYS_write, ends[1], "child\n", 6) == 6 ? 4 : 1);
	MUST(syscall(SYS_read, ends[0], said, 6), 6);
	MUST(waitpid(child, &status, 0), child);
	MUST(WEXITSTATUS(status), 4);
	MUST(syscall(SYS_write, out, said, 6), 6);
}

int main(int argc, char **argv)
{
	const char *name = argc == 2 ? argv[1] : "able";
	char from[100], to[100];
	int fd, gone;

	if (!strcmp(name, "able"))
		return 0;
	memset(data, 'x', sizeof(data));
	fd = make(name, ".first");
	write_all(fd);
	read_all(fd);
	snprintf(from, sizeof(from), "%s.first", name);
	snprintf(to, sizeof(to), "%s.moved", name);
	MUST(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0), 0);

	MUST(lseek(fd, 0, SEEK_SET), 0);
	MUST(syscall(SYS_sendfile, make(name, ".sent"), fd, NULL, 200), 200);
	MUST(lseek(fd, 0, SEEK_SET), 0);
	MUST(syscall(SYS_copy_file_range, fd, NULL, make(name, ".copied"), NULL, 200, 0), 200);
	through_child(make(name, ".child"));

	gone = make(name, ".gone");
	MUST(syscall(SYS_write, gone, data, 10), 10);
	MUST(syscall(SYS_close, gone), 0);
	snprintf(from, sizeof(from), "%s.gone", name);
	MUST(syscall(SYS_unlinkat, AT_FDCWD, from, 0), 0);
	return 9;
}
