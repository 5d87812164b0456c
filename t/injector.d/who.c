/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/*
 * who.c - a preload that notes which thread called read(2) or fgets(3), and
 * from which library: a line per call into the file that WHO_LOG names
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char *what, const void *caller)
{
	static int log;
	char line[512];
	Dl_info from = { 0 };
	int n;

	if (!log) {
		const char *path = getenv("WHO_LOG");

		log = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	}
	dladdr(caller, &from);
	n = snprintf(line, sizeof(line), "%d %ld %s %s\n", getpid(), syscall(SYS_gettid), what,
		     from.dli_fname ? from.dli_fname : "?");
	if (n > 0 && log >= 0)
		(void)!write(log, line, (size_t)n);
}

ssize_t read(int fd, void *p, size_t n)
{
	note("read", __builtin_return_address(0));
	return syscall(SYS_read, fd, p, n);
}

char *fgets(char *s, int n, FILE *f)
{
	static char *(*next)(char *, int, FILE *);

	if (!next)
		next = (char *(*)(char *, int, FILE *))dlsym(RTLD_NEXT, "fgets");
	note("fgets", __builtin_return_address(0));
	return next(s, n, f);
}
