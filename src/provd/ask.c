/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ask.c - answering questions to the stores */
#include "provd/ask.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/mem.h"
#include "provd/log.h"
#include "provd/privilege.h"
#include "provd/service.h"
#include "provd/user.h"
#include "provd/view.h"
#include "store/node.h"
#include "store/union.h"

extern char **environ;

static int spawn(const struct peer *p, pid_t *pid)
{
	char uid[16], all[] = "all", name[] = "provd", what[] = "--answer";
	char *argv[] = { name, what, uid, p->sees_all ? all : NULL, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int err;

	snprintf(uid, sizeof(uid), "%u", p->uid);
	(void)sigemptyset(&none);
	(void)posix_spawn_file_actions_init(&files);
	(void)posix_spawn_file_actions_adddup2(&files, p->fd, STDIN_FILENO);
	(void)posix_spawnattr_init(&attr);
	(void)posix_spawnattr_setsigmask(&attr, &none);
	(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	err = posix_spawn(pid, "/proc/self/exe", &files, &attr, argv, environ);
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&files);
	return -err;
}

void answer_ask(struct service *s, const struct peer *p, const struct buf *message)
{
	pid_t pid;
	int status, r = spawn(p, &pid);

	(void)s;
	(void)message;
	if (r < 0) {
		peer_refuse(p, "asking", "no process to answer: %s", strerror(-r));
		return;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		log_line("answering user %u ended with signal %d", p->uid, WTERMSIG(status));
}

/* One store; none, where nothing of the user was recorded yet. */
static void add(struct union_member **members, size_t *n, uint32_t uid, bool all)
{
	struct arena a = { 0 };
	struct recorder_place place;
	struct store *store;

	if (user_place(&a, uid, &place) == 0 &&
	    store_open(place.store, STORE_READ, &store) == 0) {
		*members = mem_resize(*members, (*n + 1) * sizeof(**members));
		(*members)[(*n)++] =
			(struct union_member){ all ? store : view_of(store, uid), true };
	}
	arena_release(&a);
}

static void add_all(struct union_member **members, size_t *n)
{
	DIR *d = opendir(conf_text("provd.stores"));
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			add(members, n, (uint32_t)strtoul(e->d_name, NULL, 10), true);
	if (d)
		(void)closedir(d);
}

static void skipped(void *ctx, const char *why)
{
	(void)ctx;
	log_line("%s", why);
}

int ask_main(uint32_t uid, bool all)
{
	struct union_member *members = NULL;
	struct store *s;
	size_t n = 0;
	int r;

	if (privilege_none((uint64_t)conf_size("provd.memory") / 2) < 0) {
		log_line("%s", fail_text());
		return 3;
	}
	if (all)
		add_all(&members, &n);
	else
		add(&members, &n, uid, false);
	s = store_union(members, n, skipped, NULL);
	r = node_serve(STDIN_FILENO, s);
	if (r < 0)
		log_line("answering user %u: %s", uid, fail_text());
	store_close(s);
	free(members);
	conf_release();
	return 0;
}
