/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* steady.c - does the same every time, in steps that a script can count
 *
 * steady ROUNDS PAUSE STATIC
 *
 * Each round makes and reads 40 files, forks a child that ends with the
 * round's number, and runs a program that cannot be entered (STATIC, or "").
 * PAUSE: microseconds after a round. Prints a line per round.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void file(int round, int i)
{
	char name[64], text[64];
	int fd, n;

	snprintf(name, sizeof(name), "f%d", round * 40 + i);
	fd = open(name, O_CREAT | O_RDWR, 0600);
	n = snprintf(text, sizeof(text), "%d %d\n", round, i);
	if (write(fd, text, (size_t)n) != n || lseek(fd, 0, SEEK_SET) || read(fd, text, 64) != n)
		_exit(99);
	close(fd);
}

static int child(int round)
{
	char name[64];
	int status = 0, fd;
	pid_t pid = fork();

	if (pid == 0) {
		snprintf(name, sizeof(name), "c%d", round);
		fd = open(name, O_CREAT | O_WRONLY, 0600);
		if (write(fd, "child", 5) != 5)
			_exit(99);
		_exit(round % 100);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int stranger(char *path)
{
	char *argv[] = { path, NULL };
	int status = 0;
	pid_t pid;

	if (!path[0])
		return 0;
	if (posix_spawn(&pid, path, NULL, NULL, argv, environ))
		return 98;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	for (int round = 0; round < atoi(argv[1]); round++) {
		int status, other;

		for (int i = 0; i < 40; i++)
			file(round, i);
		status = child(round);
		other = stranger(argv[3]);
		printf("%d %d %d\n", round, status, other);
		fflush(stdout);
		usleep((useconds_t)atoi(argv[2]));
	}
	return 11;
}
