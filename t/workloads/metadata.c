/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* metadata.c - what changes a file's rights, times and attributes, and no content */
#include "workload.h"

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

static int open_old(void)
{
	return fd_or_die(open(in_folder("old"), O_RDWR), "old");
}

static int folder_fd(void)
{
	return fd_or_die(open(in_folder("."), O_RDONLY | O_DIRECTORY), "folder");
}

static void rights(void)
{
	or_die(chmod(in_folder("old"), 0600), "chmod");
	or_die(fchmod(open_old(), 0640), "fchmod");
	or_die(fchmodat(folder_fd(), "old", 0644, 0), "fchmodat");
}

static void owner(void)
{
	or_die(chown(in_folder("old"), getuid(), getgid()), "chown");
	or_die(lchown(in_folder("old"), getuid(), getgid()), "lchown");
	or_die(fchown(open_old(), getuid(), getgid()), "fchown");
	or_die(fchownat(folder_fd(), "old", getuid(), getgid(), 0), "fchownat");
}

static void times(void)
{
	struct timespec ts[2] = { { 1, 0 }, { 2, 0 } };
	struct timeval tv[2] = { { 1, 0 }, { 2, 0 } };

	or_die(utime(in_folder("old"), NULL), "utime");
	or_die(utimes(in_folder("old"), tv), "utimes");
	or_die(lutimes(in_folder("old"), tv), "lutimes");
	or_die(futimes(open_old(), tv), "futimes");
	or_die(futimens(open_old(), ts), "futimens");
	or_die(utimensat(folder_fd(), "old", ts, 0), "utimensat");
}

/* Not every file system has them; nothing of it is recorded either way. */
static void attributes(void)
{
	const char *path = in_folder("old");
	int fd = open_old();

	(void)!setxattr(path, "user.a", "x", 1, 0);
	(void)!lsetxattr(path, "user.b", "x", 1, 0);
	(void)!fsetxattr(fd, "user.c", "x", 1, 0);
	(void)!getxattr(path, "user.a", room, sizeof(room));
	(void)!listxattr(path, room, sizeof(room));
	(void)!removexattr(path, "user.a");
	(void)!lremovexattr(path, "user.b");
	(void)!fremovexattr(fd, "user.c");
}

static void advice(void)
{
	int fd = open_old();

	or_die(-posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED), "posix_fadvise");
	or_die(readahead(fd, 0, 100), "readahead");
	or_die(fsync(fd), "fsync");
	or_die(fdatasync(fd), "fdatasync");
	or_die(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE), "sync_file_range");
	or_die(flock(fd, LOCK_EX), "flock");
	or_die(lockf(fd, F_ULOCK, 0), "lockf");
	or_die(lseek(fd, 10, SEEK_DATA), "lseek");
}

/* Names of what is no file, or no file yet. */
static void special_files(void)
{
	or_die(mkfifo(in_folder("fifo"), 0600), "mkfifo");
	or_die(mkfifoat(folder_fd(), "fifo2", 0600), "mkfifoat");
	or_die(mknod(in_folder("fifo3"), S_IFIFO | 0600, 0), "mknod");
	or_die(mknodat(folder_fd(), "fifo4", S_IFIFO | 0600, 0), "mknodat");
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(mkdirat(folder_fd(), "sub2", 0755), "mkdirat");
}

/* An empty file made by mknod: who writes to it is its maker. */
static void made_by_mknod(void)
{
	int fd;

	or_die(mknod(in_folder("out"), S_IFREG | 0644, 0), "mknod");
	fd = fd_or_die(open(in_folder("out"), O_WRONLY), "out");
	put_bytes(fd, "out", some);
}

static void where_links_lead(void)
{
	or_die(symlink("in", in_folder("way")), "symlink");
	expect_name("symlink", "in", in_folder("way"));
	or_die(readlink(in_folder("way"), room, sizeof(room)), "readlink");
	or_die(readlinkat(folder_fd(), "way", room, sizeof(room)), "readlinkat");
	ptr_or_die(realpath(in_folder("way"), NULL), "realpath");
	free(ptr_or_die(canonicalize_file_name(in_folder("way")), "canonicalize_file_name"));
}

static const struct mode modes[] = {
	{ "rights", rights }, { "owner", owner }, { "times", times },
	{ "attributes", attributes }, { "advice", advice }, { "special-files", special_files },
	{ "made-by-mknod", made_by_mknod }, { "where-links-lead", where_links_lead },
	{ NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
