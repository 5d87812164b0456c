/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* workload.c - what all workloads share: expectations and dying */
#include "workload.h"

#include <limits.h>

char *workload_self;
volatile size_t some = 100;
char room[4096];

static char folder[2048];

const char *in_folder(const char *name)
{
	static char paths[16][4096];
	static unsigned at;
	char *path = paths[__atomic_fetch_add(&at, 1, __ATOMIC_RELAXED) % 16];

	if (snprintf(path, sizeof(paths[0]), "%s/%s", folder, name) >= (int)sizeof(paths[0]))
		exit(99);
	return path;
}

/* Tabs, newlines and bytes that are not ASCII as %xx. */
static size_t put(char *line, size_t at, size_t size, const char *s)
{
	for (; *s && at + 4 < size; s++) {
		unsigned char c = (unsigned char)*s;

		if (c > ' ' && c < 127 && c != '%')
			line[at++] = (char)c;
		else
			at += (size_t)snprintf(line + at, 4, "%%%02x", c);
	}
	return at;
}

void expect_for(pid_t pid, const char *kind, const char *a, const char *b)
{
	static char line[4 * 4096];
	size_t n = (size_t)snprintf(line, sizeof(line), "%d\t%s\t", (int)pid, kind);

	n = put(line, n, sizeof(line) - 2, a);
	line[n++] = '\t';
	n = put(line, n, sizeof(line) - 1, b);
	line[n++] = '\n';
	if (write(STDOUT_FILENO, line, n) != (ssize_t)n)
		_exit(99);
}

void expect_bytes(const char *kind, const char *path, long n)
{
	char number[24];

	snprintf(number, sizeof(number), "%ld", n);
	expect_for(getpid(), kind, path, number);
}

void expect_file(const char *kind, const char *path)
{
	expect_for(getpid(), kind, path, "");
}

void expect_name(const char *kind, const char *from, const char *to)
{
	expect_for(getpid(), kind, from, to);
}

void expect_made(const char *path, long n)
{
	expect_file("create", path);
	expect_bytes("write", path, n);
}

void expect_end(pid_t pid, int status)
{
	char number[16];
	int n = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);

	snprintf(number, sizeof(number), "%d", n);
	expect_for(pid, WIFSIGNALED(status) ? "signal" : "exit", number, "");
}

void expect_parent(pid_t child, pid_t parent)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)parent);
	expect_for(child, "parent", number, "");
}

int wait_for(pid_t child)
{
	int status;

	or_die(waitpid((pid_t)or_die(child, "fork"), &status, 0), "waitpid");
	expect_end(child, status);
	return status;
}

long or_die(long result, const char *what)
{
	if (result >= 0)
		return result;
	perror(what);
	exit(99);
}

int fd_or_die(int fd, const char *what)
{
	return (int)or_die(fd, what);
}

void *ptr_or_die(void *p, const char *what)
{
	or_die(p && p != (void *)-1 ? 0 : -1, what);
	return p;
}

_Noreturn void cannot(const char *why)
{
	fprintf(stderr, "cannot: %s: %s\n", why, strerror(errno));
	exit(77);
}

int open_in(void)
{
	return fd_or_die(open(in_folder("in"), O_RDONLY), "in");
}

int open_out(const char *name)
{
	const char *path = in_folder(name);
	int fd = fd_or_die(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644), path);

	expect_file("create", path);
	return fd;
}

void put_bytes(int fd, const char *name, size_t n)
{
	expect_bytes("write", in_folder(name), or_die(write(fd, room, n), "write"));
}

char *folder_arg(void)
{
	char *path = (char *)in_folder("");

	path[strlen(path) - 1] = '\0';
	return path;
}

void expect_exec(pid_t pid, char *const argv[])
{
	static char line[3 * 4096];
	size_t n = 0;

	for (; *argv; argv++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s", n ? " " : "", *argv);
	expect_for(pid, "exec", line, "");
}

int workload(int argc, char **argv, const struct mode *modes)
{
	static char self[PATH_MAX];

	if (argc == 1) {
		for (const struct mode *m = modes; m->name; m++)
			puts(m->name);
		return 0;
	}
	if (argc < 3 || !realpath(argv[0], self) || strlen(argv[2]) >= sizeof(folder))
		return 2;
	workload_self = self;
	memcpy(folder, argv[2], strlen(argv[2]) + 1);
	for (const struct mode *m = modes; m->name; m++) {
		if (strcmp(m->name, argv[1]) == 0) {
			/* Must be in the record even if it does nothing else. */
			expect_for(getpid(), "here", "", "");
			m->run();
			return 0;
		}
	}
	fprintf(stderr, "no such mode: %s\n", argv[1]);
	return 2;
}
