/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* alone.c - one thread: failing calls tell why, and it can cancel itself in each */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[16];

static ssize_t call(int which, int fd, void *p)
{
	switch (which) {
	case 0:
		return read(fd, p, 1);
	case 1:
		return write(fd, p, 1);
	case 2:
		return pread(fd, p, 1, 0);
	default:
		return pwrite(fd, p, 1, 0);
	}
}

static void say(void *arg)
{
	printf("cancelled in %d\n", *(int *)arg);
	fflush(stdout);
}

static void cancel_in(int which, int fd)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		pthread_cleanup_push(say, &which);
		/* once before, so that nothing about it is new */
		(void)!call(which, fd, block);
		pthread_cancel(pthread_self());
		(void)!call(which, fd, block);
		pthread_cleanup_pop(0);
		_exit(1);
	}
	waitpid(child, &status, 0);
	printf("status %d\n", status);
	fflush(stdout);
}

static void say_result(ssize_t r)
{
	printf("%zd %d\n", r, errno);
	errno = 0;
}

int main(void)
{
	int fd = open("file", O_RDWR | O_CREAT, 0644), reader = open("file", O_RDONLY);

	(void)!write(fd, "0123456789", 10);
	(void)lseek(fd, 0, SEEK_SET);
	for (int which = 0; which < 4; which++) {
		say_result(call(which, fd, block));
		say_result(call(which, fd, (void *)8));
		say_result(call(which, fd, block));
	}
	say_result(read(reader, block, 1));
	say_result(write(reader, "x", 1));
	close(reader);
	say_result(read(reader, block, 1));
	fflush(stdout);
	for (int which = 0; which < 4; which++)
		cancel_in(which, fd);
	return 0;
}
