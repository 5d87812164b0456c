/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* no_counter.c - forbids itself the time stamp counter, then does I/O and forks */
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int use_file(const char *path)
{
	char text[4];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	return fd < 0 || write(fd, "abc", 3) != 3 || pread(fd, text, 3, 0) != 3 || close(fd) < 0;
}

int main(void)
{
	int status = -1;
	pid_t child;

	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) < 0)
		puts("this processor has none");
	if (use_file("one"))
		return 1;
	child = fork();
	if (!child)
		_exit(use_file("two") + 4);
	if (waitpid(child, &status, 0) != child)
		return 1;
	printf("child: %#x\n", status);
	return rename("one", "three") ? 1 : 5;
}
