/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* signals.c - a handler that does I/O on a small stack of its own, 5000 times */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void handler(int sig)
{
	int fd = open("from_handler", O_CREAT | O_WRONLY | O_APPEND, 0600);

	(void)sig;
	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd))
		_exit(9);
	if (rename("from_handler", "from_handler") || (seen % 100 == 0 && (unlink("gone"), 0)))
		_exit(8);
	seen++;
}

int main(void)
{
	stack_t stack = { .ss_size = 8192 };
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	struct itimerval fast = { { 0, 100 }, { 0, 100 } }, off = { { 0, 0 }, { 0, 0 } };
	unsigned char *guard;
	FILE *f;

	/* 4 KiB below the stack are watched */
	stack.ss_sp = guard = malloc(4096 + stack.ss_size);
	memset(guard, 0xa5, 4096);
	stack.ss_sp = guard + 4096;
	if (sigaltstack(&stack, NULL) || sigaction(SIGALRM, &act, NULL) ||
	    setitimer(ITIMER_REAL, &fast, NULL))
		return 1;
	for (long i = 0; seen < 5000; i++) {
		f = fopen("from_main", "w");
		if (!f || fprintf(f, "%ld\n", i) < 0 || fclose(f))
			return 2;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	for (int i = 0; i < 4096; i++)
		if (guard[i] != 0xa5)
			return 3;
	puts("5000 signals");
	return 0;
}
