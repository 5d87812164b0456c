/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* storm_signals.c - a timer of 10 kHz whose handler does I/O, while the program
 * makes more files than fit into its first shared memory */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <time.h>

#include "must.h"

static volatile sig_atomic_t seen;

static void handler(int sig)
{
	int saved = errno, fd = open("by_handler", O_CREAT | O_WRONLY | O_APPEND, 0600);
	char c = 'x';

	(void)sig;
	must(fd >= 0 && write(fd, &c, 1) == 1 && close(fd) == 0);
	must((fd = open("/etc/hostname", O_RDONLY)) >= 0 && read(fd, &c, 1) == 1);
	must(close(fd) == 0);
	seen++;
	errno = saved;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = argc > 1 ? SA_RESTART : 0 };
	struct itimerspec fast = { { 0, 100000 }, { 0, 100000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	char name[64], long_name[200];
	timer_t timer;

	(void)argv;
	memset(long_name, 'n', sizeof(long_name));
	must(sigaction(SIGUSR1, &act, NULL) == 0);
	must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	must(timer_settime(timer, 0, &fast, NULL) == 0);
	for (int i = 0; i < 3000 || seen < 1000; i++) {
		/* until the signals have come, a file that nobody looks at */
		int fd, n = snprintf(name, sizeof(name), "m.%d.%.40s", i < 3000 ? i : -1,
				     long_name);

		must(n > 0 && (fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600)) >= 0);
		must(write(fd, name, 5) == 5 && close(fd) == 0);
	}
	must(timer_delete(timer) == 0);
	puts("done");
	return 0;
}
