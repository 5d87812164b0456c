/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* beside.c - another library that interposes read, write, open and close; built
 * twice with another NAME, it says at the end how often it was called */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static int reads, writes, opens, closes;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t read(int fd, void *p, size_t n)
{
	reads++;
	return NEXT(read)(fd, p, n);
}

ssize_t write(int fd, const void *p, size_t n)
{
	writes++;
	return NEXT(write)(fd, p, n);
}

int close(int fd)
{
	closes++;
	return NEXT(close)(fd);
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	opens++;
	return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}

__attribute__((destructor)) static void tell(void)
{
	dprintf(1, NAME ": %d reads, %d writes, %d opens, %d closes\n", reads, writes, opens,
		closes);
}
