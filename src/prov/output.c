/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* output.c - how what a command says reaches its reader */
#include "prov/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/path.h"

static unsigned number_of(const char *text)
{
	long n = text ? strtol(text, NULL, 10) : 0;

	return n > 0 && n < 10000 ? (unsigned)n : 0;
}

void output_look(struct context *c)
{
	const char *colour = conf_text("colour");
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize w;

	c->terminal = isatty(STDOUT_FILENO);
	c->columns = number_of(getenv("COLUMNS"));
	if (c->terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0) {
		c->rows = w.ws_row;
		if (!c->columns)
			c->columns = w.ws_col;
	}
	if (!c->columns)
		c->columns = 80;
	if (c->columns < 40)
		c->columns = 40;
	c->unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!strcmp(colour, "auto"))
		c->colour =
			c->terminal && !(no_colour && no_colour[0]) && term && strcmp(term, "dumb");
	else
		c->colour = !strcmp(colour, "always");
}

static int write_all(int fd, const struct buf *b, const char *where)
{
	for (size_t at = 0; at < b->size;) {
		ssize_t n = write(fd, b->data + at, b->size - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(errno, "%s: cannot write the output: %s", where,
				    strerror(errno));
		at += (size_t)n;
	}
	return 0;
}

static int write_and_close(int fd, const struct buf *b, const char *where)
{
	int ret = write_all(fd, b, where);

	if (close(fd) < 0 && ret == 0)
		ret = fail(errno, "%s: cannot write the output: %s", where, strerror(errno));
	return ret;
}

/* A new file beside the old one takes its place when it is whole. */
static int replace_file(struct context *c, const char *path, const struct stat *old)
{
	const char *base = strrchr(path, '/');
	char *temp = arena_printf(&c->arena, "%.*s.prov-XXXXXX", base ? (int)(base + 1 - path) : 0,
				  path);
	mode_t mask = umask(0);
	int fd, ret;

	(void)umask(mask);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "%s: cannot write here: %s", path, strerror(errno));
	ret = write_all(fd, &c->out, path);
	if (ret == 0 && fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask) < 0)
		ret = fail(errno, "%s: cannot set its permissions: %s", path, strerror(errno));
	if (close(fd) < 0 && ret == 0)
		ret = fail(errno, "%s: cannot write the output: %s", path, strerror(errno));
	if (ret == 0 && rename(temp, path) < 0)
		ret = fail(errno, "%s: cannot replace this file: %s", path, strerror(errno));
	if (ret < 0)
		(void)unlink(temp);
	return ret;
}

static int deliver_to_file(struct context *c)
{
	const char *path = path_real(&c->arena, c->output);
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return replace_file(c, path, NULL);
	if (S_ISREG(st.st_mode))
		return replace_file(c, path, &st);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "%s: cannot write here: %s", c->output, strerror(errno));
	return write_and_close(fd, &c->out, c->output);
}

static bool wants_pager(const struct context *c)
{
	unsigned lines = 0;

	if (!c->terminal || !c->pager || !c->rows || !conf_text("pager")[0])
		return false;
	for (size_t i = 0; i < c->out.size; i++)
		lines += c->out.data[i] == '\n';
	return lines >= c->rows;
}

/* 0 also when the reader left early; negative when there was no pager to ask. */
static int deliver_to_pager(struct context *c)
{
	int fds[2], status = 0;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return -errno;
	}
	if (pid == 0) {
		(void)signal(SIGXFSZ, SIG_DFL);
		(void)dup2(fds[0], STDIN_FILENO);
		(void)execl("/bin/sh", "sh", "-c", conf_text("pager"), (char *)NULL);
		_exit(127);
	}
	close(fds[0]);
	(void)write_and_close(fds[1], &c->out, "pager");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? -ENOENT : 0;
}

int output_deliver(struct context *c)
{
	int fd;

	if (c->output && strcmp(c->output, "-"))
		return deliver_to_file(c);
	if (!c->out.size)
		return 0;
	if (wants_pager(c) && deliver_to_pager(c) == 0)
		return 0;
	/* closing a duplicate makes file systems tell what they kept back, and
	 * leaves stdout as it is */
	fd = dup(STDOUT_FILENO);
	if (fd < 0)
		return fail(errno, "standard output: cannot write: %s", strerror(errno));
	return write_and_close(fd, &c->out, "standard output");
}
