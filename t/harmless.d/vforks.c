/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* vforks.c - starts a program by vfork and exec, as often as it is told */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "must.h"

static pid_t start(void)
{
	static char *const args[] = { "true", NULL }, *const env[] = { NULL };
	pid_t p = vfork();

	if (p == 0) {
		execve("/bin/true", args, env);
		_exit(127);
	}
	return p;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100, status;

	for (int i = 0; i < n; i++) {
		pid_t p = start();

		must(p > 0 && waitpid(p, &status, 0) == p && status == 0);
	}
	printf("%d programs\n", n);
	return 0;
}
