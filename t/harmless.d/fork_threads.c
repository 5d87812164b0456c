/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* fork_threads.c - 64 threads that open, write, fork and close everything */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *arg)
{
	int id = *(int *)arg;
	char name[32];

	snprintf(name, sizeof(name), "t%d", id);
	for (int i = 0; i < 8; i++) {
		int fd = open(name, O_CREAT | O_WRONLY | O_APPEND, 0600), status;
		pid_t p;

		if (fd < 0 || write(fd, "p", 1) != 1)
			abort();
		p = fork();
		if (p == 0) {
			if (write(fd, "c", 1) != 1)
				_exit(1);
			closefrom(3);
			fd = open(name, O_WRONLY | O_APPEND);
			_exit(write(fd, "d", 1) != 1);
		}
		if (p < 0 || waitpid(p, &status, 0) != p || status)
			abort();
		if (close(fd))
			abort();
	}
	return NULL;
}

int main(void)
{
	pthread_t t[64];
	int id[64];

	for (int i = 0; i < 64; i++) {
		id[i] = i;
		if (pthread_create(&t[i], NULL, work, &id[i]))
			return 1;
	}
	for (int i = 0; i < 64; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
