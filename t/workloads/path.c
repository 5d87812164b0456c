/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* path.c - every way to say which file is meant */
#include "workload.h"

#include <linux/fs.h>
#include <sys/syscall.h>

/* struct open_how of linux/openat2.h, which older headers lack. */
struct how {
	unsigned long long flags, mode, resolve;
};

#define NO_XDEV	      1
#define NO_MAGICLINKS 2
#define NO_SYMLINKS   4
#define BENEATH	      8
#define IN_ROOT	      16

static int folder_fd(const char *name)
{
	return fd_or_die(open(in_folder(name), O_RDONLY | O_DIRECTORY), name);
}

static void reads(int fd, const char *name)
{
	fd_or_die(fd, name);
	expect_bytes("read", in_folder(name), or_die(read(fd, room, some), "read"));
}

static void makes(int fd, const char *name)
{
	expect_made(in_folder(name), or_die(write(fd_or_die(fd, name), room, some), "write"));
}

static void make_sub(void)
{
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	makes(creat(in_folder("sub/f"), 0644), "sub/f");
}

static long by_how(int dir, const char *path, int flags, int resolve)
{
	struct how how = { .flags = (unsigned)flags, .resolve = (unsigned)resolve };
	long fd;

	how.mode = flags & O_CREAT ? 0644 : 0;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS)
		cannot("openat2");
	return fd;
}

static void resolved_in(int resolve)
{
	reads((int)by_how(folder_fd("."), "in", O_RDONLY, resolve), "in");
}

static void beneath(void)
{
	resolved_in(BENEATH | NO_SYMLINKS | NO_MAGICLINKS | NO_XDEV);
	if (by_how(folder_fd("."), "../in", O_RDONLY, BENEATH) >= 0)
		exit(99);
}

/* The folder stands for "/", for this one call. */
static void in_root(void)
{
	int dir = folder_fd(".");

	reads((int)by_how(dir, "/../in", O_RDONLY, IN_ROOT), "in");
	makes((int)by_how(dir, "/out", O_WRONLY | O_CREAT, IN_ROOT), "out");
	expect_file("truncate", in_folder("old"));
	expect_bytes("write", in_folder("old"),
		     or_die(write((int)by_how(dir, "/old", O_WRONLY | O_TRUNC, IN_ROOT), room, 9),
			    "write"));
}

static void made_by_openat2(void)
{
	makes((int)by_how(AT_FDCWD, in_folder("out"), O_WRONLY | O_CREAT, 0), "out");
	/* It is there now. */
	or_die(by_how(AT_FDCWD, in_folder("out"), O_WRONLY | O_CREAT, 0), "openat2");
	or_die(by_how(AT_FDCWD, in_folder("old"), O_WRONLY | O_CREAT, 0), "openat2");
}

static void through_symlink(void)
{
	or_die(symlink("in", in_folder("way")), "symlink");
	expect_name("symlink", "in", in_folder("way"));
	reads(open(in_folder("way"), O_RDONLY), "in");
	if (open(in_folder("way"), O_RDONLY | O_NOFOLLOW) >= 0)
		exit(99);
}

static void made_through_symlink(void)
{
	or_die(symlink("out", in_folder("way")), "symlink");
	expect_name("symlink", "out", in_folder("way"));
	makes(open(in_folder("way"), O_WRONLY | O_CREAT, 0644), "out");
}

static void through_second_name(void)
{
	or_die(link(in_folder("in"), in_folder("other")), "link");
	expect_name("link", in_folder("in"), in_folder("other"));
	reads(open(in_folder("other"), O_RDONLY), "other");
}

static void from_elsewhere(void)
{
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(chdir(in_folder("sub")), "chdir");
	reads(open("../sub/.././/in", O_RDONLY), "in");
}

static void through_fchdir(void)
{
	make_sub();
	or_die(fchdir(folder_fd("sub")), "fchdir");
	reads(open("f", O_RDONLY), "sub/f");
	or_die(rename("f", "g"), "rename");
	expect_name("rename", in_folder("sub/f"), in_folder("sub/g"));
}

/* The same text, another file each time. */
static void same_text(void)
{
	make_sub();
	or_die(chdir(in_folder("")), "chdir");
	makes(creat("f", 0644), "f");
	reads(open("f", O_RDONLY), "f");
	or_die(chdir("sub"), "chdir");
	reads(open("f", O_RDONLY), "sub/f");
	or_die(fchdir(folder_fd(".")), "fchdir");
	reads(open("f", O_RDONLY), "f");
}

static void through_proc(void)
{
	int fd = fd_or_die(open(in_folder("in"), O_RDONLY), "in");
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	reads(open(path, O_RDONLY), "in");
}

static void through_path_descriptor(void)
{
	int fd = fd_or_die(open(in_folder("in"), O_PATH), "O_PATH");
	char path[64];

	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	reads(open(path, O_RDONLY), "in");
}

static void folder_renamed(void)
{
	int dir;

	make_sub();
	dir = folder_fd("sub");
	or_die(rename(in_folder("sub"), in_folder("moved")), "rename");
	expect_name("rename", in_folder("sub"), in_folder("moved"));
	reads(openat(dir, "f", O_RDONLY), "moved/f");
	makes(openat(dir, "g", O_WRONLY | O_CREAT, 0644), "moved/g");
	or_die(unlinkat(dir, "g", 0), "unlinkat");
	expect_name("unlink", in_folder("moved/g"), "");
}

static void working_folder_renamed(void)
{
	make_sub();
	or_die(chdir(in_folder("sub")), "chdir");
	reads(open("f", O_RDONLY), "sub/f");
	or_die(rename(in_folder("sub"), in_folder("moved")), "rename");
	expect_name("rename", in_folder("sub"), in_folder("moved"));
	makes(open("g", O_WRONLY | O_CREAT, 0644), "moved/g");
}

static void working_folder_gone(void)
{
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(chdir(in_folder("sub")), "chdir");
	or_die(rmdir(in_folder("sub")), "rmdir");
	if (open("f", O_WRONLY | O_CREAT, 0644) >= 0)
		exit(99);
	reads(open("../in", O_RDONLY), "in");
}

static void odd_names(void)
{
	static const char *const names[] = {
		"a b\tc\nd", "\xff\xfe\x80", "\"quoted\\", "%s%n<x>",
		"(deleted)", " (deleted)", "-", "\xc3\xa9\xe2\x82\xac",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		makes(creat(in_folder(names[i]), 0644), names[i]);
}

static void names_of_255(void)
{
	char name[300];

	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	makes(creat(in_folder(name), 0644), name);
	name[255] = 'n';
	name[256] = '\0';
	if (creat(in_folder(name), 0644) >= 0 || errno != ENAMETOOLONG)
		exit(99);
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

/* Where no absolute name leads any more: 6000 bytes, by steps. What is there
 * is recorded under the name that was given; what is above stays exact. */
static void beyond_names(void)
{
	char name[201];
	int dir = folder_fd("."), next;

	memset(name, 'd', 200);
	name[200] = '\0';
	for (int i = 0; i < 30; i++) {
		or_die(mkdirat(dir, name, 0755), "mkdirat");
		next = fd_or_die(openat(dir, name, O_RDONLY | O_DIRECTORY), "openat");
		close(dir);
		dir = next;
	}
	next = fd_or_die(openat(dir, "deep", O_RDWR | O_CREAT, 0644), "deep");
	expect_made("deep", or_die(write(next, room, some), "write"));
	expect_bytes("read", "deep", or_die(pread(next, room, 10, 0), "pread"));
	expect_for(getpid(), "hole", "path", "");
	or_die(fchdir(dir), "fchdir");
	reads(open(in_folder("in"), O_RDONLY), "in");
}

/* Nobody inside can know what the names are outside: they are told as given. */
static void after_chroot(void)
{
	int fd;

	if (chroot(in_folder("")) < 0)
		cannot("chroot");
	or_die(chdir("/"), "chdir");
	fd = fd_or_die(open("/in", O_RDONLY), "/in");
	expect_bytes("read", "/in", or_die(read(fd, room, some), "read"));
	fd = fd_or_die(creat("out", 0644), "out");
	expect_made("/out", or_die(write(fd, room, some), "write"));
	expect_for(getpid(), "hole", "path", "");
}

static void by_creat(void)
{
	makes(creat(in_folder("out"), 0644), "out");
}

static void by_creat64(void)
{
	int fd = fd_or_die(creat64(in_folder("old"), 0644), "creat64");

	expect_file("truncate", in_folder("old"));
	expect_bytes("write", in_folder("old"), or_die(write(fd, room, some), "write"));
}

static void by_open64(void)
{
	reads(open64(in_folder("in"), O_RDONLY), "in");
}

static void by_openat(void)
{
	volatile int flags = O_RDONLY;

	reads(openat(folder_fd("."), "in", flags), "in");
}

static void by_openat64(void)
{
	int dir = fd_or_die(open(in_folder("."), O_PATH), "folder");
	volatile int flags = O_RDONLY;

	reads(openat64(dir, "in", flags), "in");
}

static void by_handle(void)
{
	union {
		struct file_handle h;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} u = { .h.handle_bytes = MAX_HANDLE_SZ };
	int mount, fd;

	if (name_to_handle_at(AT_FDCWD, in_folder("in"), &u.h, &mount, 0) < 0)
		cannot("name_to_handle_at");
	fd = open_by_handle_at(folder_fd("."), &u.h, O_RDONLY);
	if (fd < 0)
		cannot("open_by_handle_at");
	reads(fd, "in");
}

static const struct mode modes[] = {
	{ "open64", by_open64 }, { "openat", by_openat }, { "openat64", by_openat64 },
	{ "creat", by_creat }, { "creat64", by_creat64 }, { "beneath", beneath },
	{ "in-root", in_root }, { "made-by-openat2", made_by_openat2 },
	{ "open_by_handle_at", by_handle }, { "through-symlink", through_symlink },
	{ "made-through-symlink", made_through_symlink },
	{ "through-second-name", through_second_name }, { "from-elsewhere", from_elsewhere },
	{ "through-fchdir", through_fchdir }, { "same-text", same_text },
	{ "through-proc", through_proc },
	{ "through-path-descriptor", through_path_descriptor },
	{ "folder-renamed", folder_renamed },
	{ "working-folder-renamed", working_folder_renamed },
	{ "working-folder-gone", working_folder_gone }, { "odd-names", odd_names },
	{ "names-of-255", names_of_255 }, { "far-down", far_down },
	{ "beyond-names", beyond_names }, { "after-chroot", after_chroot }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
