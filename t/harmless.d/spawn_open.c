/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* spawn_open.c - posix_spawn opens a file in the child, at a number the parent uses */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	posix_spawn_file_actions_t actions;
	char *argv[] = { "cat", NULL }, *env[] = { NULL };
	int status;
	pid_t p;

	close(0);
	if (open("never-read", O_RDONLY | O_CREAT, 0600) != 0 ||
	    close(open("read", O_CREAT | O_WRONLY, 0600)))
		return 1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "read", O_RDONLY, 0);
	if (posix_spawn(&p, "/bin/cat", &actions, NULL, argv, env))
		return 2;
	waitpid(p, &status, 0);
	return 0;
}
