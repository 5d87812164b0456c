/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cancel.c - threads cancelled while blocked in calls that are hooked */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int pipes[2];
static FILE *stream;

static void count(void *arg)
{
	__atomic_fetch_add((int *)arg, 1, __ATOMIC_RELAXED);
}

static int cleaned;

static void *blocked(void *arg)
{
	char c;

	pthread_cleanup_push(count, &cleaned);
	switch (*(int *)arg) {
	case 0:
		(void)!read(pipes[0], &c, 1);
		break;
	case 1:
		(void)fgetc(stream);
		break;
	case 2:
		(void)open("fifo", O_RDONLY);
		break;
	case 3:
		(void)waitpid(-1, NULL, 0);
		break;
	}
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	int ends[2], right = 0;
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	if (pipe(pipes) || pipe(ends))
		return 1;
	stream = fdopen(ends[0], "r");
	for (int i = 0; i < 4; i++) {
		pthread_t t;
		void *end;

		pthread_create(&t, NULL, blocked, &i);
		usleep(50000);
		pthread_cancel(t);
		pthread_join(t, &end);
		right += end == PTHREAD_CANCELED;
	}
	kill(child, 9);
	printf("cancelled %d, cleaned up %d\n", right, cleaned);
	return right != 4 || cleaned != 4;
}
