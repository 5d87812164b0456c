/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* storm.c - a tree of processes, all at once: each forks 8, four levels deep */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/wait.h>

#include "must.h"

static void level(int depth, long number)
{
	pid_t child[8];
	char name[64];
	int fd, status;

	snprintf(name, sizeof(name), "p.%ld", number);
	must((fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600)) >= 0);
	must(write(fd, name, strlen(name)) == (ssize_t)strlen(name) && close(fd) == 0);
	if (depth == 0)
		return;
	for (int i = 0; i < 8; i++) {
		child[i] = fork();
		must(child[i] >= 0);
		if (child[i] == 0) {
			level(depth - 1, number * 10 + i + 1);
			_exit(depth);
		}
	}
	for (int i = 0; i < 8; i++)
		must(waitpid(child[i], &status, 0) == child[i] && WEXITSTATUS(status) == depth);
}

int main(int argc, char **argv)
{
	level(argc > 1 ? atoi(argv[1]) : 3, 1);
	puts("done");
	return 0;
}
