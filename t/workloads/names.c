/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* names.c - rename, link, unlink and what changes a file without writing to it */
#include "workload.h"

#include <linux/fs.h>

static int folder_fd(void)
{
	return fd_or_die(open(in_folder("."), O_RDONLY | O_DIRECTORY), "folder");
}

static void by_unlink(void)
{
	or_die(unlink(in_folder("old")), "unlink");
	expect_name("unlink", in_folder("old"), "");
}

static void by_unlinkat(void)
{
	or_die(unlinkat(folder_fd(), "old", 0), "unlinkat");
	expect_name("unlink", in_folder("old"), "");
}

static void by_remove(void)
{
	or_die(remove(in_folder("old")), "remove");
	expect_name("unlink", in_folder("old"), "");
}

/* Folders are no objects of the record's names. */
static void by_rmdir(void)
{
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(rmdir(in_folder("sub")), "rmdir");
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(unlinkat(folder_fd(), "sub", AT_REMOVEDIR), "unlinkat");
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(remove(in_folder("sub")), "remove");
}

static void refused(void)
{
	if (unlink(in_folder("absent")) == 0 || rename(in_folder("absent"), in_folder("x")) == 0 ||
	    link(in_folder("in"), in_folder("old")) == 0 || unlink(in_folder(".")) == 0 ||
	    symlink("x", in_folder("in")) == 0 || truncate(in_folder("absent"), 0) == 0)
		exit(99);
}

static void unlinked_while_open(void)
{
	int fd = open_out("out");

	or_die(unlink(in_folder("out")), "unlink");
	expect_name("unlink", in_folder("out"), "");
	put_bytes(fd, "out", some);
}

static void used_again(void)
{
	/* Each file gets the inode of the one before on most file systems. */
	for (int i = 0; i < 20; i++) {
		char name[16];
		int fd;

		snprintf(name, sizeof(name), "f%d", i);
		fd = open_out(name);
		put_bytes(fd, name, 1 + (size_t)i);
		close(fd);
		or_die(unlink(in_folder(name)), "unlink");
		expect_name("unlink", in_folder(name), "");
	}
}

static void symlink_unlinked(void)
{
	or_die(symlink("in", in_folder("way")), "symlink");
	expect_name("symlink", "in", in_folder("way"));
	or_die(unlink(in_folder("way")), "unlink");
	expect_name("unlink", in_folder("way"), "");
}

static void by_rename(void)
{
	or_die(rename(in_folder("old"), in_folder("new")), "rename");
	expect_name("rename", in_folder("old"), in_folder("new"));
}

static void rename_over(void)
{
	int fd = open_out("out");

	put_bytes(fd, "out", some);
	close(fd);
	or_die(rename(in_folder("out"), in_folder("old")), "rename");
	expect_name("rename", in_folder("out"), in_folder("old"));
}

static void rename_chain(void)
{
	or_die(rename(in_folder("old"), in_folder("b")), "rename");
	or_die(rename(in_folder("b"), in_folder("c")), "rename");
	expect_name("rename", in_folder("old"), in_folder("b"));
	expect_name("rename", in_folder("b"), in_folder("c"));
}

static void by_renameat(void)
{
	int fd = folder_fd();

	or_die(renameat(fd, "old", fd, "new"), "renameat");
	expect_name("rename", in_folder("old"), in_folder("new"));
}

static void noreplace(void)
{
	if (renameat2(AT_FDCWD, in_folder("in"), AT_FDCWD, in_folder("old"), RENAME_NOREPLACE) == 0)
		exit(99);
	if (errno == EINVAL)
		cannot("RENAME_NOREPLACE");
	or_die(renameat2(AT_FDCWD, in_folder("in"), AT_FDCWD, in_folder("new"), RENAME_NOREPLACE),
	       "renameat2");
	expect_name("rename", in_folder("in"), in_folder("new"));
}

static void exchange(void)
{
	if (renameat2(AT_FDCWD, in_folder("in"), AT_FDCWD, in_folder("old"), RENAME_EXCHANGE) < 0)
		cannot("RENAME_EXCHANGE");
	expect_name("rename", in_folder("in"), in_folder("old"));
	expect_name("rename", in_folder("old"), in_folder("in"));
}

static void through_folder_link(void)
{
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(symlink("sub", in_folder("way")), "symlink");
	expect_name("symlink", "sub", in_folder("way"));
	or_die(rename(in_folder("old"), in_folder("way/new")), "rename");
	expect_name("rename", in_folder("old"), in_folder("sub/new"));
}

static void by_link(void)
{
	or_die(link(in_folder("in"), in_folder("new")), "link");
	expect_name("link", in_folder("in"), in_folder("new"));
}

static void by_linkat(void)
{
	int fd = folder_fd();

	or_die(linkat(fd, "in", fd, "new", 0), "linkat");
	expect_name("link", in_folder("in"), in_folder("new"));
}

static void alias_then_unlink(void)
{
	int fd;

	or_die(link(in_folder("old"), in_folder("new")), "link");
	expect_name("link", in_folder("old"), in_folder("new"));
	or_die(unlink(in_folder("old")), "unlink");
	expect_name("unlink", in_folder("old"), "");
	fd = fd_or_die(open(in_folder("new"), O_RDONLY), "new");
	expect_bytes("read", in_folder("new"), or_die(read(fd, room, some), "read"));
}

static void by_symlinkat(void)
{
	or_die(symlinkat("to/nowhere", folder_fd(), "way"), "symlinkat");
	expect_name("symlink", "to/nowhere", in_folder("way"));
}

static void by_truncate(void)
{
	or_die(truncate(in_folder("old"), 0), "truncate");
	expect_file("truncate", in_folder("old"));
}

static void by_truncate_part(void)
{
	or_die(truncate(in_folder("old"), 10), "truncate");
	expect_bytes("write", in_folder("old"), -1);
}

static void by_ftruncate(void)
{
	int fd = fd_or_die(open(in_folder("old"), O_RDWR), "old");

	or_die(ftruncate(fd, 0), "ftruncate");
	expect_file("truncate", in_folder("old"));
}

static void by_ftruncate_grow(void)
{
	int fd = fd_or_die(open(in_folder("old"), O_RDWR), "old");

	or_die(ftruncate(fd, 5000), "ftruncate");
	expect_bytes("write", in_folder("old"), -1);
}

static void by_open_truncate(void)
{
	close(fd_or_die(open(in_folder("old"), O_WRONLY | O_TRUNC), "old"));
	expect_file("truncate", in_folder("old"));
}

static void by_open_create(void)
{
	close(open_out("out"));
}

/* The old name stays behind as a mark for overlay file systems. */
static void whiteout(void)
{
	if (renameat2(AT_FDCWD, in_folder("old"), AT_FDCWD, in_folder("new"), RENAME_WHITEOUT) < 0)
		cannot("RENAME_WHITEOUT");
	expect_name("rename", in_folder("old"), in_folder("new"));
}

static void same_file(void)
{
	or_die(link(in_folder("old"), in_folder("new")), "link");
	expect_name("link", in_folder("old"), in_folder("new"));
	/* Two names of one file: it does nothing, successfully. */
	or_die(rename(in_folder("old"), in_folder("new")), "rename");
	close(fd_or_die(open(in_folder("old"), O_RDONLY), "old"));
}

static void folder_renamed(void)
{
	int fd;

	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	fd = open_out("sub/f");
	put_bytes(fd, "sub/f", 10);
	or_die(rename(in_folder("sub"), in_folder("moved")), "rename");
	expect_name("rename", in_folder("sub"), in_folder("moved"));
	close(fd);
}

static int open_old(void)
{
	return fd_or_die(open(in_folder("old"), O_RDWR), "old");
}

static void allocated(int mode, off_t from, off_t n)
{
	if (fallocate(open_old(), mode, from, n) < 0)
		cannot("fallocate");
	expect_bytes("write", in_folder("old"), -1);
}

static void by_fallocate(void)
{
	allocated(0, 0, 8192);
}

static void by_fallocate64(void)
{
	or_die(fallocate64(open_old(), 0, 0, 8192), "fallocate64");
	expect_bytes("write", in_folder("old"), -1);
}

static void punched(void)
{
	allocated(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 512);
}

static void zeroed(void)
{
	allocated(FALLOC_FL_ZERO_RANGE, 0, 512);
}

/* Whole blocks only: most file systems say that the file is too short. */
static void collapsed(void)
{
	int fd = open_old();

	or_die(ftruncate(fd, 1 << 20), "ftruncate");
	(void)fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, 1 << 16);
	(void)fallocate(fd, FALLOC_FL_INSERT_RANGE, 0, 1 << 16);
	expect_bytes("write", in_folder("old"), -1);
}

static void by_posix_fallocate(void)
{
	or_die(-posix_fallocate(open_old(), 0, 4096), "posix_fallocate");
	expect_bytes("write", in_folder("old"), -1);
}

static void by_posix_fallocate64(void)
{
	or_die(-posix_fallocate64(open_old(), 0, 4096), "posix_fallocate64");
	expect_bytes("write", in_folder("old"), -1);
}

static void by_truncate64(void)
{
	or_die(truncate64(in_folder("old"), 10), "truncate64");
	expect_bytes("write", in_folder("old"), -1);
}

static void by_ftruncate64(void)
{
	or_die(ftruncate64(open_old(), 10), "ftruncate64");
	expect_bytes("write", in_folder("old"), -1);
}

static void saved_as_editors_do(void)
{
	int fd = fd_or_die(open(in_folder("old"), O_RDONLY), "old");

	expect_bytes("read", in_folder("old"), or_die(read(fd, room, sizeof(room)), "read"));
	close(fd);
	or_die(rename(in_folder("old"), in_folder("old~")), "rename");
	expect_name("rename", in_folder("old"), in_folder("old~"));
	fd = open_out("old");
	put_bytes(fd, "old", some);
}

static const struct mode modes[] = {
	{ "unlink", by_unlink }, { "unlinkat", by_unlinkat }, { "remove", by_remove },
	{ "rmdir", by_rmdir }, { "refused", refused },
	{ "unlinked-while-open", unlinked_while_open }, { "used-again", used_again },
	{ "symlink-unlinked", symlink_unlinked }, { "rename", by_rename },
	{ "rename-over", rename_over }, { "rename-chain", rename_chain },
	{ "renameat", by_renameat }, { "noreplace", noreplace }, { "exchange", exchange },
	{ "through-folder-link", through_folder_link }, { "link", by_link },
	{ "linkat", by_linkat }, { "alias-then-unlink", alias_then_unlink },
	{ "symlinkat", by_symlinkat }, { "truncate", by_truncate },
	{ "truncate-part", by_truncate_part }, { "ftruncate", by_ftruncate },
	{ "ftruncate-grow", by_ftruncate_grow }, { "open-truncate", by_open_truncate },
	{ "open-create", by_open_create }, { "saved-as-editors-do", saved_as_editors_do },
	{ "whiteout", whiteout }, { "same-file", same_file },
	{ "folder-renamed", folder_renamed }, { "fallocate", by_fallocate },
	{ "fallocate64", by_fallocate64 }, { "punched", punched }, { "zeroed", zeroed },
	{ "collapsed", collapsed }, { "posix_fallocate", by_posix_fallocate },
	{ "posix_fallocate64", by_posix_fallocate64 }, { "truncate64", by_truncate64 },
	{ "ftruncate64", by_ftruncate64 }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
