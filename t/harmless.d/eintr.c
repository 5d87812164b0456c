/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* eintr.c - what signals do to blocked and long calls, with and without SA_RESTART */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "must.h"

static volatile sig_atomic_t seen;
static int kick[2];

static void handler(int sig)
{
	(void)sig;
	seen++;
	/* only SA_RESTART: what the restarted call has waited for */
	if (kick[1])
		must(write(kick[1], "x", 1) == 1);
}

static void arm(int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };

	must(sigaction(SIGALRM, &act, NULL) == 0);
}

static void shot(void)
{
	struct itimerval soon = { { 0, 0 }, { 0, 300 } };

	must(setitimer(ITIMER_REAL, &soon, NULL) == 0);
}

static void reads(int restart)
{
	int p[2], interrupted = 0, got = 0;
	char c;

	must(pipe(p) == 0);
	kick[1] = restart ? p[1] : 0;
	arm(restart ? SA_RESTART : 0);
	for (int i = 0; i < 200; i++) {
		shot();
		if (read(p[0], &c, 1) == 1)
			got++;
		else
			interrupted += errno == EINTR;
	}
	kick[1] = 0;
	printf("read, restart %d: %d interrupted, %d bytes\n", restart, interrupted, got);
	must(close(p[0]) == 0 && close(p[1]) == 0);
}

static void writes(void)
{
	static char block[200000];
	int p[2];
	ssize_t n;

	must(pipe(p) == 0);
	arm(SA_RESTART);
	shot();
	n = write(p[1], block, sizeof(block));
	printf("write of 200000: %zd\n", n);
}

static void wait_for_child(void)
{
	int status, n = 0;
	pid_t p = fork();

	if (p == 0) {
		for (;;)
			pause();
	}
	arm(0);
	for (int i = 0; i < 20; i++) {
		shot();
		n += waitpid(p, &status, 0) < 0 && errno == EINTR;
	}
	kill(p, SIGKILL);
	must(waitpid(p, &status, 0) == p);
	printf("wait: %d interrupted, then signal %d\n", n, WTERMSIG(status));
}

static void opens(void)
{
	int n = 0;

	must(mkfifo("fifo", 0600) == 0);
	arm(0);
	for (int i = 0; i < 50; i++) {
		shot();
		n += open("fifo", O_RDONLY) < 0 && errno == EINTR;
	}
	printf("open of a fifo: %d interrupted\n", n);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	reads(0);
	reads(1);
	wait_for_child();
	opens();
	writes();
	printf("%d signals\n", (int)seen);
	return 0;
}
