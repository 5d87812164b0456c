/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* proc.c - what /proc tells of a process */
#include "provd/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "config.h"

#define FILE_MOST     (256u << 10)	/* bytes of a file of /proc that are looked at */
#define FOREBEARS_MOST 64		/* up to the service, in who asks whose child it is */

static int open_at(uint32_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* NUL-terminated beyond its size; empty when it cannot be read. */
static struct strings slurp(uint32_t pid, const char *name, struct arena *a)
{
	int fd = open_at(pid, name);
	struct buf b = { 0 };
	struct strings s = { "", 0 };

	while (fd >= 0 && b.size < FILE_MOST) {
		ssize_t n;

		buf_reserve(&b, 4096);
		n = read(fd, b.data + b.size, 4096);
		if (n <= 0)
			break;
		b.size += (size_t)n;
	}
	if (fd >= 0)
		(void)close(fd);
	if (b.size) {
		buf_char(&b, 0);
		s = (struct strings){ arena_copy(a, b.data, b.size), b.size - 1 };
	}
	buf_release(&b);
	return s;
}

static const char *follow(uint32_t pid, const char *name, struct arena *a)
{
	char path[64], to[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	n = readlink(path, to, sizeof(to));
	return n > 0 ? arena_strn(a, to, (size_t)n) : "";
}

/* "Uid:	1000	1001 ...": the first, the real one. */
static bool read_status(struct proc *p, const char *text)
{
	const char *ppid = strstr(text, "\nPPid:"), *uid = strstr(text, "\nUid:");
	unsigned real, effective;

	if (!ppid || !uid || sscanf(ppid + 6, "%u", &p->ppid) != 1 ||
	    sscanf(uid + 5, "%u %u", &real, &effective) != 2)
		return false;
	p->known.uid = real;
	return true;
}

/* "0::/user.slice/..." or, of several hierarchies, the one that a scheduler uses. */
static const char *read_cgroup(char *text, struct arena *a)
{
	const char *found = "";
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		char *controllers = strchr(line, ':'), *path;

		path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = 0;
		if (!found[0] || !strcmp(controllers + 1, "memory"))
			found = path;
	}
	return arena_str(a, found);
}

/* Its arguments are as the program may have rewritten them. */
static struct strings whole_strings(struct strings s)
{
	if (s.size && s.p[s.size - 1])
		s.size++;	/* the NUL that slurp() added */
	return s;
}

static bool same_file(const char *path, const struct stat *st)
{
	struct stat own;

	return stat(path, &own) == 0 && own.st_dev == st->st_dev && own.st_ino == st->st_ino;
}

/* The installed prov, and those of this build. */
static bool is_own(uint32_t pid)
{
	static const char *const programs[] = {
		PROV_BINDIR "/prov", PROV_BUILD_DIR "/src/prov/prov", "/proc/self/exe",
	};
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	if (stat(path, &st) < 0)
		return false;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (same_file(programs[i], &st))
			return true;
	return false;
}

uint32_t proc_parent(uint32_t pid)
{
	struct arena a = { 0 };
	const char *ppid = strstr(slurp(pid, "status", &a).p, "\nPPid:");
	uint32_t parent = ppid ? (uint32_t)strtoul(ppid + 6, NULL, 10) : 0;

	arena_release(&a);
	return parent;
}

static bool is_of_service(uint32_t pid)
{
	for (unsigned i = 0; i < FOREBEARS_MOST && pid > 1; i++) {
		if (pid == (uint32_t)getpid())
			return true;
		pid = proc_parent(pid);
	}
	return false;
}

int proc_read(uint32_t pid, struct arena *a, struct proc *out)
{
	struct strings status = slurp(pid, "status", a);

	*out = (struct proc){ .known = { .pid = pid, .cgroup = "" }, .exe = "", .cwd = "" };
	if (!status.size || !read_status(out, status.p))
		return -ESRCH;
	out->known.environ = whole_strings(slurp(pid, "environ", a));
	out->known.cgroup = read_cgroup((char *)(uintptr_t)slurp(pid, "cgroup", a).p, a);
	out->argv = whole_strings(slurp(pid, "cmdline", a));
	out->exe = follow(pid, "exe", a);
	out->cwd = follow(pid, "cwd", a);
	out->known.own = is_own(pid);
	out->known.of_service = is_of_service(pid);
	return 0;
}

struct started {
	unsigned long long when;
	uint32_t pid;
};

static int by_start(const void *a, const void *b)
{
	const struct started *x = a, *y = b;

	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Field 22 of stat; the name before it may hold anything but ends at the last ')'. */
static unsigned long long start_of(uint32_t pid, struct arena *a)
{
	const char *at = strrchr(slurp(pid, "stat", a).p, ')');

	for (unsigned i = 0; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

uint32_t *proc_list(struct arena *a, size_t *n)
{
	DIR *d = opendir("/proc");
	struct started *all = NULL;
	size_t room = 0;
	struct dirent *e;
	uint32_t *pids;

	*n = 0;
	while (d && (e = readdir(d))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		all = arena_grow(a, all, *n, &room, sizeof(*all));
		all[*n].pid = (uint32_t)strtoul(e->d_name, NULL, 10);
		all[*n].when = start_of(all[*n].pid, a);
		++*n;
	}
	if (d)
		(void)closedir(d);
	if (*n)
		qsort(all, *n, sizeof(*all), by_start);
	pids = arena_alloc(a, (*n + 1) * sizeof(*pids));
	for (size_t i = 0; i < *n; i++)
		pids[i] = all[i].pid;
	return pids;
}

uint64_t proc_resident(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long size = 0, resident = 0;

	if (f && fscanf(f, "%llu %llu", &size, &resident) != 2)
		resident = 0;
	if (f)
		(void)fclose(f);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}
