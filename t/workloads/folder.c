/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* folder.c - lists of names, and what walks through them */
#include "workload.h"

#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>

/* "sub" with one file and "sub/under"; listing a folder reads it. */
static const char *sub(void)
{
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(mkdir(in_folder("sub/under"), 0755), "mkdir");
	close(open_out("sub/file"));
	return in_folder("sub");
}

static void listed(const char *name)
{
	expect_bytes("read", in_folder(name), -1);
}

static void all_of(DIR *d)
{
	int n = 0;

	while (readdir(ptr_or_die(d, "folder")))
		n++;
	closedir(d);
	or_die(n == 4 ? 0 : -1, "readdir");
}

static void by_readdir(void)
{
	all_of(opendir(sub()));
	listed("sub");
}

static void by_readdir64(void)
{
	DIR *d = opendir(sub());

	ptr_or_die(readdir64(ptr_or_die(d, "opendir")), "readdir64");
	listed("sub");
}

static void by_fdopendir(void)
{
	all_of(fdopendir(fd_or_die(open(sub(), O_RDONLY | O_DIRECTORY), "sub")));
	listed("sub");
}

static void by_getdents64(void)
{
	int fd = fd_or_die(open(sub(), O_RDONLY), "sub");

	or_die(getdents64(fd, room, sizeof(room)), "getdents64");
	listed("sub");
}

static int each(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int each64(const struct dirent64 *e)
{
	return e->d_name[0] != '.';
}

static void by_scandir(void)
{
	struct dirent **names;

	or_die(scandir(sub(), &names, each, alphasort) == 2 ? 0 : -1, "scandir");
	listed("sub");
}

static void by_scandir64(void)
{
	struct dirent64 **names;

	or_die(scandir64(sub(), &names, each64, alphasort64) == 2 ? 0 : -1, "scandir64");
	listed("sub");
}

static void by_scandirat(void)
{
	struct dirent **names;

	sub();
	or_die(scandirat(fd_or_die(open(in_folder("."), O_PATH), "."), "sub", &names, each, NULL),
	       "scandirat");
	listed("sub");
}

static int step(const char *path, const struct stat *st, int type)
{
	(void)path, (void)st, (void)type;
	return 0;
}

static int step64(const char *path, const struct stat64 *st, int type)
{
	(void)path, (void)st, (void)type;
	return 0;
}

static int step_n(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)at;
	return step(path, st, type);
}

static int step_n64(const char *path, const struct stat64 *st, int type, struct FTW *at)
{
	(void)at;
	return step64(path, st, type);
}

static void walked(int result)
{
	or_die(result, "walk");
	listed("sub");
	listed("sub/under");
}

static void by_ftw(void)
{
	walked(ftw(sub(), step, 4));
}

static void by_ftw64(void)
{
	walked(ftw64(sub(), step64, 4));
}

static void by_nftw(void)
{
	walked(nftw(sub(), step_n, 4, FTW_PHYS));
}

static void by_nftw64(void)
{
	walked(nftw64(sub(), step_n64, 4, FTW_DEPTH));
}

static void by_fts(void)
{
	char *paths[] = { (char *)sub(), NULL };
	FTS *f = ptr_or_die(fts_open(paths, FTS_PHYSICAL, NULL), "fts_open");

	while (fts_read(f))
		;
	walked(fts_close(f));
}

static void by_glob(void)
{
	glob_t found = { 0 };

	sub();
	or_die(glob(in_folder("sub/f*"), 0, NULL, &found) ? -1 : 0, "glob");
	or_die(found.gl_pathc == 1 ? 0 : -1, "glob");
	listed("sub");
}

static void by_glob64(void)
{
	glob64_t found = { 0 };

	sub();
	or_die(glob64(in_folder("sub/f*"), 0, NULL, &found) ? -1 : 0, "glob64");
	listed("sub");
}

/* Looking is no reading. */
static void looked_at(void)
{
	struct stat st;

	or_die(stat(in_folder("in"), &st), "stat");
	or_die(lstat(in_folder("in"), &st), "lstat");
	or_die(fstatat(AT_FDCWD, in_folder("in"), &st, 0), "fstatat");
	or_die(fstat(open_in(), &st), "fstat");
	or_die(access(in_folder("in"), R_OK), "access");
	or_die(faccessat(AT_FDCWD, in_folder("in"), R_OK, 0), "faccessat");
	or_die(euidaccess(in_folder("in"), R_OK), "euidaccess");
	close(fd_or_die(open(sub(), O_RDONLY | O_DIRECTORY), "sub"));
}

static const struct mode modes[] = {
	{ "readdir", by_readdir }, { "readdir64", by_readdir64 }, { "fdopendir", by_fdopendir },
	{ "getdents64", by_getdents64 }, { "scandir", by_scandir }, { "scandir64", by_scandir64 },
	{ "scandirat", by_scandirat }, { "ftw", by_ftw }, { "ftw64", by_ftw64 },
	{ "nftw", by_nftw }, { "nftw64", by_nftw64 }, { "fts", by_fts }, { "glob", by_glob },
	{ "glob64", by_glob64 }, { "looked-at", looked_at }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
