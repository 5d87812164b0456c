/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* temporary.c - files whose name libc thinks of, or that have none at first */
#include "workload.h"

#include <semaphore.h>
#include <sys/mman.h>

static const char *pattern(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s", in_folder(name));
	return path;
}

static void filled(int fd, const char *path)
{
	expect_made(path, or_die(write(fd, room, some), "write"));
	close(fd);
}

#define FORM(name, text, ...)                                           \
	static void by_##name(void)                                     \
	{                                                               \
		char *path = (char *)pattern(text);                     \
\
		filled(fd_or_die(name(path, ##__VA_ARGS__), #name), path); \
	}
FORM(mkstemp, "XXXXXX")
FORM(mkstemp64, "XXXXXX")
FORM(mkostemp, "XXXXXX", O_APPEND)
FORM(mkostemp64, "XXXXXX", O_CLOEXEC)
FORM(mkstemps, "XXXXXX.c", 2)
FORM(mkstemps64, "XXXXXX.c", 2)
FORM(mkostemps, "XXXXXX.c", 2, O_APPEND)
FORM(mkostemps64, "XXXXXX.c", 2, O_CLOEXEC)

static void by_mkdtemp(void)
{
	char *path = (char *)pattern("XXXXXX"), name[4200];

	ptr_or_die(mkdtemp(path), "mkdtemp");
	snprintf(name, sizeof(name), "%s/out", path);
	filled(fd_or_die(creat(name, 0644), name), name);
}

/* A name first, the file later. */
static void by_tempnam(void)
{
	char *path;

	unsetenv("TMPDIR");
	path = ptr_or_die(tempnam(in_folder("."), "t"), "tempnam");
	filled(fd_or_die(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600), path),
	       in_folder(strrchr(path, '/') + 1));
}

static void by_tmpnam(void)
{
	static char path[L_tmpnam];

	ptr_or_die(tmpnam(path), "tmpnam");
	filled(fd_or_die(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600), path), path);
	or_die(unlink(path), "unlink");
	expect_name("unlink", path, "");
}

static void nameless(FILE *(*make)(void))
{
	FILE *f = ptr_or_die(make(), "tmpfile");

	or_die(fputs("nameless", f), "fputs");
	or_die(fclose(f), "fclose");
}

static void by_tmpfile(void)
{
	nameless(tmpfile);
}

static void by_tmpfile64(void)
{
	nameless(tmpfile64);
}

static int open_nameless(void)
{
	int fd = open(in_folder("."), O_TMPFILE | O_RDWR, 0644);

	if (fd < 0)
		cannot("O_TMPFILE");
	or_die(write(fd, room, some), "write");
	return fd;
}

static void named(void)
{
	int fd = fd_or_die(open(in_folder("new"), O_RDONLY), "new");

	expect_name("link", "*", in_folder("new"));
	expect_bytes("read", in_folder("new"), or_die(read(fd, room, some), "read"));
}

static void named_through_proc(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", open_nameless());
	or_die(linkat(AT_FDCWD, path, AT_FDCWD, in_folder("new"), AT_SYMLINK_FOLLOW), "linkat");
	named();
}

static void named_by_descriptor(void)
{
	if (linkat(open_nameless(), "", AT_FDCWD, in_folder("new"), AT_EMPTY_PATH) < 0)
		cannot("AT_EMPTY_PATH");
	named();
}

static void by_shm_open(void)
{
	char name[32], path[64];
	int fd;

	snprintf(name, sizeof(name), "/t-prov-%d", (int)getpid());
	snprintf(path, sizeof(path), "/dev/shm%s", name);
	fd = fd_or_die(shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600), name);
	expect_made(path, -1);
	expect_bytes("read", path, -1);
	or_die(ftruncate(fd, 4096), "ftruncate");
	memcpy(ptr_or_die(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), "mmap"),
	       "some", 4);
	or_die(shm_unlink(name), "shm_unlink");
	expect_name("unlink", path, "");
}

/* Its file holds no data; how much of it is recorded is libc's business. */
static void by_sem_open(void)
{
	char name[32], path[64];
	sem_t *sem;

	snprintf(name, sizeof(name), "/t-prov-%d", (int)getpid());
	snprintf(path, sizeof(path), "/dev/shm/sem.%s", name + 1);
	sem = ptr_or_die(sem_open(name, O_CREAT | O_EXCL, 0600, 1), "sem_open");
	or_die(sem_wait(sem), "sem_wait");
	or_die(sem_post(sem), "sem_post");
	or_die(sem_close(sem), "sem_close");
	or_die(sem_unlink(name), "sem_unlink");
	expect_name("unlink", path, "");
}

static const struct mode modes[] = {
	{ "mkstemp", by_mkstemp }, { "mkstemp64", by_mkstemp64 }, { "mkostemp", by_mkostemp },
	{ "mkostemp64", by_mkostemp64 }, { "mkstemps", by_mkstemps },
	{ "mkstemps64", by_mkstemps64 }, { "mkostemps", by_mkostemps },
	{ "mkostemps64", by_mkostemps64 }, { "mkdtemp", by_mkdtemp }, { "tempnam", by_tempnam },
	{ "tmpnam", by_tmpnam }, { "tmpfile", by_tmpfile }, { "tmpfile64", by_tmpfile64 },
	{ "named-through-proc", named_through_proc },
	{ "named-by-descriptor", named_by_descriptor }, { "shm_open", by_shm_open },
	{ "sem_open", by_sem_open }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
