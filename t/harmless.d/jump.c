/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* jump.c - a handler that jumps out of whatever call it has interrupted */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "must.h"

static sigjmp_buf out;
static volatile sig_atomic_t jumps;

static void handler(int sig)
{
	(void)sig;
	jumps++;
	siglongjmp(out, 1);
}

static void shot(int us)
{
	struct itimerval soon = { { 0, 0 }, { 0, us } };

	must(setitimer(ITIMER_REAL, &soon, NULL) == 0);
}

static void from_blocked(int what)
{
	static char block[100000];
	static int p[2];
	char c;

	for (volatile int i = 0; i < 100; i++) {
		must(what == 2 || pipe(p) == 0);
		if (sigsetjmp(out, 1) == 0) {
			shot(300);
			if (what == 0)
				(void)!read(p[0], &c, 1);
			else if (what == 1)
				for (;;)
					(void)!write(p[1], block, sizeof(block));
			else
				(void)open("fifo", O_RDONLY);
			must(0);
		}
		must(what == 2 || (close(p[0]) == 0 && close(p[1]) == 0));
	}
}

/* Anywhere in calls that open, write, rename and close. */
static void from_anywhere(void)
{
	for (volatile int i = 0; i < 2000; i++) {
		if (sigsetjmp(out, 1) == 0) {
			shot(60 + i % 50);
			for (volatile int k = 0;; k++) {
				char name[32];
				int fd;

				snprintf(name, sizeof(name), "j.%d", k % 20);
				fd = open(name, O_CREAT | O_WRONLY, 0600);
				(void)!write(fd, "x", 1);
				(void)rename(name, "renamed");
				close(fd);
			}
		}
		closefrom(3);
	}
}

int main(void)
{
	struct sigaction act = { .sa_handler = handler };

	must(sigaction(SIGALRM, &act, NULL) == 0 && mkfifo("fifo", 0600) == 0);
	for (int what = 0; what < 3; what++)
		from_blocked(what);
	from_anywhere();
	signal(SIGALRM, SIG_IGN);
	for (int i = 0; i < 200; i++) {
		int fd = open("after", O_CREAT | O_WRONLY | O_APPEND, 0600);

		must(fd == 3 && write(fd, "x", 1) == 1 && close(fd) == 0);
	}
	printf("%d jumps\n", (int)jumps);
	return 0;
}
