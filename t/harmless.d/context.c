/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* context.c - coroutines on 16 KiB stacks that do I/O, and threads on the smallest */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "must.h"

#define STACK 16384

static ucontext_t home, routine[8];

static void io(const char *name)
{
	int fd = open(name, O_CREAT | O_RDWR | O_APPEND, 0600), status;
	char c;
	pid_t p;

	must(fd >= 0 && write(fd, "abc", 3) == 3 && pread(fd, &c, 1, 0) == 1);
	must(dup2(fd, 100) == 100 && close(100) == 0 && close(fd) == 0);
	must(link(name, "linked") == 0 && unlink("linked") == 0);
	must(rename(name, "renamed") == 0 && rename("renamed", name) == 0);
	p = fork();
	if (p == 0)
		execl("/bin/true", "true", NULL);
	must(p > 0 && waitpid(p, &status, 0) == p && status == 0);
}

static void body(int i)
{
	char name[32];

	snprintf(name, sizeof(name), "c.%d", i);
	for (int k = 0; k < 5; k++) {
		io(name);
		must(swapcontext(&routine[i], &home) == 0);
	}
}

static void *thread(void *arg)
{
	io(arg);
	return NULL;
}

/* A page below each stack stays unmapped: running over is death. */
static char *stack_make(size_t size)
{
	char *p = mmap(NULL, size + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED && mprotect(p + 4096, size, PROT_READ | PROT_WRITE) == 0);
	return p + 4096;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	for (int i = 0; i < 8; i++) {
		must(getcontext(&routine[i]) == 0);
		routine[i].uc_stack = (stack_t){ .ss_sp = stack_make(STACK), .ss_size = STACK };
		routine[i].uc_link = &home;
		makecontext(&routine[i], (void (*)(void))body, 1, i);
	}
	for (int k = 0; k < 5; k++)
		for (int i = 0; i < 8; i++)
			must(swapcontext(&home, &routine[i]) == 0);
	pthread_attr_init(&a);
	must(pthread_attr_setstack(&a, stack_make(PTHREAD_STACK_MIN), PTHREAD_STACK_MIN) == 0);
	must(pthread_create(&t, &a, thread, "t.0") == 0 && pthread_join(t, NULL) == 0);
	puts("done");
	return 0;
}
