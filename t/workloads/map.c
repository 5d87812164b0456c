/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* map.c - files as memory */
#include "workload.h"

#include <sys/mman.h>
#include <sys/syscall.h>

static void moved(const char *from, const char *to, long n)
{
	expect_bytes("read", in_folder(from), n);
	expect_bytes("write", in_folder(to), n);
}

static int open_old(void)
{
	return fd_or_die(open(in_folder("old"), O_RDWR), "old");
}

static void mapped(int fd, int prot, int flags)
{
	char *p = ptr_or_die(mmap(NULL, IN_SIZE, prot, flags, fd, 0), "mmap");

	close(fd);
	if (prot & PROT_WRITE)
		p[5] = 'x';
	else
		some += (size_t)(p[5] == 'x');
}

static void map_private(void)
{
	mapped(open_in(), PROT_READ, MAP_PRIVATE);
	expect_bytes("read", in_folder("in"), -1);
}

static void map_copy(void)
{
	mapped(open_in(), PROT_READ | PROT_WRITE, MAP_PRIVATE);
	expect_bytes("read", in_folder("in"), -1);
}

static void map_shared_read(void)
{
	mapped(open_in(), PROT_READ, MAP_SHARED);
	expect_bytes("read", in_folder("in"), -1);
}

static void map_shared_write(void)
{
	int fd = open_old();

	mapped(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	moved("old", "old", -1);
}

static void map_new_file(void)
{
	int fd = fd_or_die(open(in_folder("out"), O_RDWR | O_CREAT, 0644), "out");

	expect_file("create", in_folder("out"));
	or_die(ftruncate(fd, IN_SIZE), "ftruncate");
	mapped(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	moved("out", "out", -1);
}

static void made_writable_later(void)
{
	int fd = open_old();
	char *p = ptr_or_die(mmap(NULL, IN_SIZE, PROT_READ, MAP_SHARED, fd, 0), "mmap");

	or_die(mprotect(p, IN_SIZE, PROT_READ | PROT_WRITE), "mprotect");
	p[1] = 'x';
	moved("old", "old", -1);
}

/* No access is asked for, but the kernel has it at hand. */
static void map_none(void)
{
	ptr_or_die(mmap(NULL, IN_SIZE, PROT_NONE, MAP_PRIVATE, open_in(), 0), "mmap");
	expect_bytes("read", in_folder("in"), -1);
}

static void grown(void)
{
	char *p = ptr_or_die(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open_old(), 0),
			     "mmap");

	p = ptr_or_die(mremap(p, 4096, 8192, MREMAP_MAYMOVE), "mremap");
	p[1] = 'x';
	moved("old", "old", -1);
}

/* Room at a place of its own. */
static char *nowhere(void)
{
	return ptr_or_die(mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), "mmap");
}

static void moved_then_writable(void)
{
	char *at = nowhere();
	char *p = ptr_or_die(mmap(NULL, 4096, PROT_READ, MAP_SHARED, open_old(), 0), "mmap");

	p = ptr_or_die(mremap(p, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, at), "mremap");
	or_die(mprotect(p, 4096, PROT_READ | PROT_WRITE), "mprotect");
	p[1] = 'x';
	moved("old", "old", -1);
}

static void moved_away(void)
{
	char *at = nowhere();
	char *p = ptr_or_die(mmap(NULL, 4096, PROT_READ, MAP_SHARED, open_old(), 0), "mmap");

	ptr_or_die(mremap(p, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, at), "mremap");
	/* What lies there now is nobody's file. */
	p = ptr_or_die(mmap(p, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		       "mmap");
	or_die(mprotect(p, 4096, PROT_READ | PROT_WRITE), "mprotect");
	p[1] = 'x';
	expect_bytes("read", in_folder("old"), -1);
}

static void rearranged(void)
{
	char *p = ptr_or_die(mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, open_old(), 0),
			     "mmap");

	if (remap_file_pages(p, 4096, 0, 0, 0) < 0)
		cannot("remap_file_pages");
	p[1] = 'x';
	or_die(msync(p, 4096, MS_SYNC), "msync");
	or_die(munmap(p, 8192), "munmap");
	moved("old", "old", -1);
}

static void map_by_syscall(void)
{
	char *p = (char *)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED, open_old(), 0);

	or_die((int)syscall(SYS_mprotect, p, 4096, PROT_READ | PROT_WRITE), "mprotect");
	p[1] = 'x';
	moved("old", "old", -1);
}

/* Memory with a name of a file, which is none. */
static void by_memfd(void)
{
	int fd = fd_or_die(memfd_create("prov", MFD_CLOEXEC), "memfd_create");
	pid_t child;

	expect_bytes("write", "/memfd:prov", or_die(write(fd, room, some), "write"));
	child = fork();
	if (child == 0) {
		expect_bytes("read", "/memfd:prov",
			     or_die(pread(fd, room, some, 0), "pread"));
		_exit(0);
	}
	wait_for(child);
}

static void by_memfd_secret(void)
{
#ifdef SYS_memfd_secret
	long fd = syscall(SYS_memfd_secret, 0);

	if (fd < 0)	/* most kernels have it switched off */
		return;
	or_die(ftruncate((int)fd, 4096), "ftruncate");
	ptr_or_die(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0), "mmap");
#endif
}

static const struct mode modes[] = {
	{ "private", map_private }, { "copy", map_copy }, { "none", map_none },
	{ "shared-read", map_shared_read }, { "shared-write", map_shared_write },
	{ "new-file", map_new_file }, { "made-writable-later", made_writable_later },
	{ "grown", grown }, { "moved-then-writable", moved_then_writable },
	{ "moved-away", moved_away }, { "rearranged", rearranged },
	{ "by-syscall", map_by_syscall }, { "memfd", by_memfd },
	{ "memfd_secret", by_memfd_secret }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
