/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/*
 * children.c - a thread reads all the time while children are forked that leave
 * at once by _exit(2); exits with 1 when one of them has not left after seconds
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "victim.h"

static void *reader(void *unused)
{
	for (;;)
		read_often(1000);
	return unused;
}

static int left(pid_t child)
{
	for (int i = 0; i < 3000; i++) {
		int status;

		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) && WEXITSTATUS(status) == 0;
		usleep(i < 100 ? 20 : 1000);
	}
	return 0;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, reader, NULL))
		abort();
	for (int i = 0; i < 200; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (child < 0)
			abort();
		if (!left(child)) {
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
			fputs("a child hangs in _exit\n", stderr);
			return 1;
		}
	}
	puts("done");
	return 0;
}
