/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* stack.c - how much of a signal stack calls need; with "min", on the smallest */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "must.h"

#define ROOM 65536

static void (*volatile call)(void);
static char c;

static void do_nothing(void)
{
}

static void do_write(void)
{
	must(write(5, "x", 1) == 1);
}

static void do_read(void)
{
	must(read(6, &c, 1) == 1);
}

static void do_open(void)
{
	int fd = open("file", O_CREAT | O_RDWR, 0600);

	must(fd >= 0 && close(fd) == 0);
}

static void do_rename(void)
{
	must(rename("file", "file") == 0);
}

static void do_unlink(void)
{
	must(unlink("none") < 0);
}

static void do_pipe_read(void)
{
	/* a descriptor that nobody has used so far */
	must(read(7, &c, 1) == 1);
}

static void do_fork(void)
{
	int status;
	pid_t p = fork();

	if (p == 0)
		_exit(0);
	must(waitpid(p, &status, 0) == p);
}

static void do_exec(void)
{
	static char *const args[] = { "no", NULL }, *const env[] = { "A=b", NULL };

	must(execve("./none", args, env) < 0);
}

static void handler(int sig)
{
	(void)sig;
	call();
}

static const struct {
	const char *name;
	void (*call)(void);
} calls[] = {
	{ "nothing", do_nothing }, { "first write", do_write },	  { "write", do_write },
	{ "first read", do_read }, { "adopted read", do_pipe_read }, { "open, close", do_open },
	{ "rename", do_rename },   { "unlink", do_unlink },	  { "fork, wait", do_fork },
	{ "execve", do_exec },
};

static size_t used(const unsigned char *at, size_t room)
{
	size_t i = 0;

	while (i < room && at[i] == 0xa5)
		i++;
	return room - i;
}

int main(int argc, char **argv)
{
	size_t least = getauxval(AT_MINSIGSTKSZ), room = argc > 1 ? least : ROOM, base = 0;
	unsigned char *memory = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *at = memory + ROOM;
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	int p[2];

	(void)argv;
	if (least < (size_t)MINSIGSTKSZ)
		room = argc > 1 ? MINSIGSTKSZ : ROOM;
	must(memory != MAP_FAILED);
	must(dup2(open("out", O_CREAT | O_RDWR, 0600), 5) == 5);
	must(dup2(open("/dev/zero", O_RDONLY), 6) == 6);
	must(pipe(p) == 0 && syscall(SYS_write, p[1], "z", 1) == 1);
	must(syscall(SYS_dup2, p[0], 7) == 7);
	must(sigaltstack(&(stack_t){ .ss_sp = at, .ss_size = room }, NULL) == 0);
	must(sigaction(SIGUSR1, &act, NULL) == 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		size_t n;

		/* what lies below the stack is not the handler's either */
		memset(memory, 0xa5, ROOM + room);
		call = calls[i].call;
		must(raise(SIGUSR1) == 0);
		n = used(memory, ROOM + room);
		base = i ? base : n;
		if (argc == 1)
			printf("%s %zu\n", calls[i].name, n - base);
		else if (i < 4)
			printf("%s %s\n", calls[i].name, n <= room ? "fits" : "does not fit");
	}
	return 0;
}
