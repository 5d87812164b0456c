/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* svg.c - a graph as a picture, drawn by Graphviz */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "format/dot.h"
#include "format/writers.h"

/* A picture of more is neither drawn in minutes nor read by anybody */
#define NODES_MAX 6000

extern char **environ;

struct child {
	pid_t pid;
	int in, out; /* what it reads, what it wrote */
};

/* stdin is a socket because writing to one can be told not to raise SIGPIPE. */
static int child_start(struct child *c)
{
	char dot[] = "dot", svg[] = "-Tsvg", *argv[] = { dot, svg, NULL };
	posix_spawn_file_actions_t actions;
	int in[2], out[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0)
		return fail(errno, "no socket to talk to Graphviz: %s", strerror(errno));
	if (pipe2(out, O_CLOEXEC) < 0) {
		r = errno;
		close(in[0]);
		close(in[1]);
		return fail(r, "no pipe to talk to Graphviz: %s", strerror(r));
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[1], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	r = posix_spawnp(&c->pid, dot, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(in[1]);
	close(out[1]);
	c->in = in[0];
	c->out = out[0];
	if (!r)
		return 0;
	close(c->in);
	close(c->out);
	if (r == ENOENT)
		return fail(r, "drawing SVG needs Graphviz, which is not installed: install "
			       "graphviz, or write OUT.dot");
	return fail(r, "Graphviz (dot) does not start: %s", strerror(r));
}

/* Both ways at once: dot may answer before it has read everything. */
static int child_talk(struct child *c, const struct buf *say, struct buf *heard)
{
	size_t said = 0;
	char piece[65536];

	for (;;) {
		struct pollfd p[2] = { { .fd = c->out, .events = POLLIN },
				       { .fd = c->in, .events = POLLOUT } };
		ssize_t n;

		if (poll(p, c->in < 0 ? 1 : 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (c->in >= 0 && p[1].revents) {
			n = send(c->in, say->data + said, say->size - said,
				 MSG_NOSIGNAL | MSG_DONTWAIT);
			if (n > 0)
				said += (size_t)n;
			if (said == say->size || (n < 0 && errno != EAGAIN && errno != EINTR)) {
				close(c->in);
				c->in = -1;
			}
		}
		if (!p[0].revents)
			continue;
		n = read(c->out, piece, sizeof(piece));
		if (n == 0)
			return 0;
		if (n > 0)
			buf_append(heard, piece, (size_t)n);
		else if (errno != EINTR)
			return -errno;
	}
}

static int child_end(struct child *c)
{
	int status;

	if (c->in >= 0)
		close(c->in);
	close(c->out);
	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFSIGNALED(status))
		return fail(EIO,
			    "Graphviz (dot) was killed by signal %d: draw less with --depth, or "
			    "write OUT.dot",
			    WTERMSIG(status));
	if (WEXITSTATUS(status))
		return fail(EIO,
			    "Graphviz (dot) failed with status %d: write OUT.dot and run \"dot "
			    "-Tsvg OUT.dot\" to see why",
			    WEXITSTATUS(status));
	return 0;
}

static void put_xml(const char *s, struct buf *out)
{
	for (; *s; s++) {
		switch (*s) {
		case '&':
			buf_str(out, "&amp;");
			break;
		case '<':
			buf_str(out, "&lt;");
			break;
		case '>':
			buf_str(out, "&gt;");
			break;
		default:
			buf_char(out, *s);
			break;
		}
	}
}

/* "n12" in what Graphviz wrote; steps over it. */
static bool take_node(const struct graph *g, const char **at, uint32_t *node)
{
	char *end;
	unsigned long i;

	if (**at != 'n' || (*at)[1] < '0' || (*at)[1] > '9')
		return false;
	i = strtoul(*at + 1, &end, 10);
	if (i >= g->n_nodes)
		return false;
	*node = (uint32_t)i;
	*at = end;
	return true;
}

static bool take(const char **at, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*at, word, n))
		return false;
	*at += n;
	return true;
}

static void put_tooltip(const struct graph *g, uint32_t node, struct buf *out)
{
	struct buf text = { 0 };

	dot_tooltip(g, node, &text);
	put_xml(text.data, out);
	buf_release(&text);
}

/* A <title> is what browsers show when the mouse rests on a shape. Graphviz
 * puts its node names there; a person wants the command or the path. */
static void name_titles(const struct graph *g, const char *svg, struct buf *out)
{
	static const char begin[] = "<title>";

	for (const char *next; (next = strstr(svg, begin));) {
		const char *at = next + sizeof(begin) - 1;
		uint32_t from, to;

		buf_append(out, svg, (size_t)(at - svg));
		svg = at;
		if (!take_node(g, &at, &from))
			continue;
		if (take(&at, "</title>")) {
			put_tooltip(g, from, out);
		} else if (take(&at, "&#45;&gt;") && take_node(g, &at, &to) &&
			   take(&at, "</title>")) {
			put_tooltip(g, from, out);
			buf_str(out, " \xe2\x86\x92 ");
			put_tooltip(g, to, out);
		} else {
			continue;
		}
		buf_str(out, "</title>");
		svg = at;
	}
	buf_str(out, svg);
}

static int svg_write(const struct graph *g, const struct format_options *o, struct buf *out)
{
	struct buf dot = { 0 }, svg = { 0 };
	struct child c;
	size_t shown = 0;
	int r, ended;

	for (size_t i = 0; i < g->n_nodes; i++)
		shown += o->all || !(g->nodes[i].flags & NODE_FOLDED);
	if (shown > NODES_MAX)
		return fail(E2BIG,
			    "%zu nodes are too many for one picture (at most %d): draw less with "
			    "--depth, or write OUT.dot",
			    shown, NODES_MAX);
	format_dot_ops.write(g, o, &dot);
	r = child_start(&c);
	if (r < 0) {
		buf_release(&dot);
		return r;
	}
	r = child_talk(&c, &dot, &svg);
	ended = child_end(&c);
	if (r < 0)
		(void)fail(-r, "talking to Graphviz (dot) failed: %s", strerror(-r));
	else if (ended < 0)
		r = ended;
	else if (!svg.size)
		r = fail(EIO, "Graphviz (dot) wrote nothing: reinstall graphviz, or write OUT.dot");
	else
		name_titles(g, svg.data, out);
	buf_release(&dot);
	buf_release(&svg);
	return r < 0 ? r : 0;
}

const struct format_ops format_svg_ops = { "svg", ".svg", svg_write };
