/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/*
 * children.c - a thread reads all the time while children are forked that leave
 * at once by _exit(2); exits with 1 when one of them waits for ever instead
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "victim.h"

static void *reader(void *unused)
{
	for (;;)
		read_often(1000);
	return unused;
}

/* Does it wait for something? A child that does nothing but leave never should. */
static int sleeps(pid_t child)
{
	char path[64], text[256];
	const char *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

static int left(pid_t child)
{
	for (int asleep = 0; asleep < 200; usleep(1000)) {
		int status;

		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) && WEXITSTATUS(status) == 0;
		asleep = sleeps(child) ? asleep + 1 : 0;
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
