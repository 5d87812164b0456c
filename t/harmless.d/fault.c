/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* fault.c - a SIGSEGV handler that lets the program go on, and buffers it guards */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#include "must.h"

static char *page;
static volatile sig_atomic_t faults;

static void handler(int sig, siginfo_t *info, void *context)
{
	int fd = open("faults", O_CREAT | O_WRONLY | O_APPEND, 0600);

	(void)sig;
	(void)context;
	must((char *)info->si_addr >= page && (char *)info->si_addr < page + 4096);
	must(fd >= 0 && write(fd, "f", 1) == 1 && close(fd) == 0);
	must(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
	faults++;
}

static void guard(void)
{
	must(mprotect(page, 4096, PROT_NONE) == 0);
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	int fd = open("file", O_CREAT | O_RDWR, 0600), map;
	char *shared, line[100];

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(fd >= 0 && page != MAP_FAILED && sigaction(SIGSEGV, &act, NULL) == 0);
	for (int i = 0; i < 300; i++) {
		strcpy(page, "file");
		guard();
		/* the kernel says EFAULT and calls no handler */
		must(read(fd, page, 1) < 1 && write(fd, page, 1) < 0 && errno == EFAULT);
		must(open(page, O_RDONLY) < 0 && errno == EFAULT);
		must(rename(page, "x") < 0 && errno == EFAULT);
		page[0] = 'F';
		must(open(page, O_RDONLY) < 0 && errno == ENOENT);
		guard();
		snprintf(line, sizeof(line), "%s", page);
	}
	must(ftruncate(fd, 8192) == 0);
	must((map = open("file", O_RDWR)) >= 0);
	shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, map, 0);
	must(shared != MAP_FAILED);
	page = shared;
	page[1] = 'w';
	printf("%d faults, %c\n", (int)faults, shared[1]);
	return 0;
}
