/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* spawn_from_threads.c - posix_spawn and vfork while other threads open files */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;

static void *opener(void *arg)
{
	char name[64];

	for (int i = 0; !stop; i++) {
		int fd;

		snprintf(name, sizeof(name), "o%d.%d", *(int *)arg, i % 100);
		fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
		if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) || unlink(name))
			abort();
	}
	return NULL;
}

int main(void)
{
	char *env[] = { "FOO=bar", "BAZ=quux-quux-quux", "PATH=/usr/bin:/bin", NULL };
	char *argv[] = { "sh", "-c", "[ \"$FOO$BAZ\" = barquux-quux-quux ]", NULL };
	pthread_t t[4];
	int id[4], bad = 0;

	for (int i = 0; i < 4; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, opener, &id[i]);
	}
	for (int i = 0; i < 200; i++) {
		pid_t p;
		int s;

		if (i % 2) {
			p = vfork();
			if (p == 0) {
				execve("/bin/sh", argv, env);
				_exit(127);
			}
		} else if (posix_spawn(&p, "/bin/sh", NULL, NULL, argv, env)) {
			bad++;
			continue;
		}
		bad += waitpid(p, &s, 0) != p || s != 0;
	}
	stop = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("bad %d\n", bad);
	return bad != 0;
}
