/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sandbox.c - a program that the kernel kills for any call but read, write, exit */
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	int fd = open("sandbox.out", O_CREAT | O_WRONLY | O_TRUNC, 0600), pipes[2];
	char c;

	if (fd < 0 || pipe(pipes) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		return 1;
	if (write(fd, "abc", 3) != 3 || write(pipes[1], "x", 1) != 1 ||
	    read(pipes[0], &c, 1) != 1 || write(1, "in the sandbox\n", 15) != 15)
		return 2;
	syscall(SYS_exit, 5);
	return 3;
}
