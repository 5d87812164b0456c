/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* child.c - running a program as if prov were not there */
#include "prov/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* libc takes two signals for itself with the first thread that is made, and hides
 * them from sigaction(2). Who ignored them finds them ignored by the program, too. */
enum { OWN_FIRST = 32, OWN_LAST = 33 };

struct kernel_action {		/* as rt_sigaction(2) wants it */
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static bool ignored[OWN_LAST - OWN_FIRST + 1];

__attribute__((constructor)) static void remember_own(void)
{
	struct kernel_action now;

	for (int sig = OWN_FIRST; sig <= OWN_LAST; sig++)
		ignored[sig - OWN_FIRST] =
			syscall(SYS_rt_sigaction, sig, NULL, &now, sizeof(now.mask)) == 0 &&
			now.handler == SIG_IGN;
}

static void restore_own(void)
{
	static const struct kernel_action ignore = { .handler = SIG_IGN };

	for (int sig = OWN_FIRST; sig <= OWN_LAST; sig++)
		if (ignored[sig - OWN_FIRST])
			(void)syscall(SYS_rt_sigaction, sig, &ignore, NULL, sizeof(ignore.mask));
}

static void environment_join(const struct buf *env)
{
	for (size_t at = 0; at < env->size; at += strlen(env->data + at) + 1)
		(void)putenv(env->data + at);
}

/* In the new process; does not return. The parent learns of a failed exec
 * through the pipe, which a successful one closes. */
static void become(const struct child *c, char *const argv[], const struct buf *env, int report)
{
	int err;

	(void)sigaction(SIGCHLD, &c->chld, NULL);
	(void)sigaction(SIGXFSZ, &c->xfsz, NULL);
	restore_own();
	(void)pthread_sigmask(SIG_SETMASK, &c->mask, NULL);
	environment_join(env);
	(void)execvp(argv[0], argv);
	err = errno;
	(void)!write(report, &err, sizeof(err));
	_exit(127);
}

static int start_failed(const char *name, int err)
{
	if (err == ENOENT)
		fprintf(stderr,
			"prov: run: %s: not found; is it in PATH and spelled right?\n", name);
	else
		fprintf(stderr, "prov: run: %s: cannot be executed: %s\n", name, strerror(err));
	return err == ENOENT ? 127 : 126;
}

int child_start(struct child *c, char *const argv[], const struct buf *env)
{
	struct sigaction normal = { .sa_handler = SIG_DFL }, ignore = { .sa_handler = SIG_IGN };
	int report[2], err = 0;
	sigset_t all;
	ssize_t n;

	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &c->mask);
	/* a caller that ignores SIGCHLD would keep us from waiting */
	(void)sigaction(SIGCHLD, &normal, &c->chld);
	/* a record that is too large for ulimit -f is an error, not our end */
	(void)sigaction(SIGXFSZ, &ignore, &c->xfsz);
	if (pipe2(report, O_CLOEXEC) < 0) {
		fprintf(stderr, "prov: run: cannot make a pipe: %s\n", strerror(errno));
		return 125;
	}
	c->pid = fork();
	if (c->pid == 0)
		become(c, argv, env, report[1]);
	(void)close(report[1]);
	if (c->pid < 0) {
		fprintf(stderr, "prov: run: cannot make a process: %s\n", strerror(errno));
		(void)close(report[0]);
		return 125;
	}
	do
		n = read(report[0], &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	(void)close(report[0]);
	if (n != (ssize_t)sizeof(err))
		return 0;
	(void)waitpid(c->pid, NULL, 0);
	return start_failed(argv[0], err);
}

/* 1 and *status when the program has ended. */
static int look(struct child *c, int *status)
{
	pid_t r = waitpid(c->pid, status, WNOHANG | WUNTRACED);

	if (r < 0 && errno == ECHILD) {
		*status = 0;
		return 1;
	}
	if (r != c->pid)
		return 0;
	/* the shell waits for us to stop, not for our child */
	if (WIFSTOPPED(*status)) {
		(void)kill(getpid(), SIGSTOP);
		return 0;
	}
	return 1;
}

/* Keys and the terminal signal the whole process group, so the program has had
 * those; what another process sent was sent to us alone. */
static void hand_on(const struct child *c, const siginfo_t *info)
{
	if (info->si_signo == SIGCHLD || info->si_code == SI_KERNEL || info->si_pid == c->pid)
		return;
	(void)kill(c->pid, info->si_signo);
}

int child_wait(struct child *c)
{
	int status;
	sigset_t all;

	sigfillset(&all);
	while (!look(c, &status)) {
		siginfo_t info;

		if (sigwaitinfo(&all, &info) < 0)
			continue;
		if (info.si_signo == SIGTSTP && info.si_code != SI_KERNEL) {
			(void)kill(c->pid, SIGTSTP);
			continue;
		}
		hand_on(c, &info);
	}
	return status;
}

int child_leave_as(struct child *c, int status)
{
	struct sigaction normal = { .sa_handler = SIG_DFL };
	struct rlimit none = { 0, 0 };
	sigset_t one;
	int sig;

	(void)pthread_sigmask(SIG_SETMASK, &c->mask, NULL);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	sig = WTERMSIG(status);
	/* the program has left its core already */
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)sigaction(sig, &normal, NULL);
	sigemptyset(&one);
	sigaddset(&one, sig);
	(void)kill(getpid(), sig);
	(void)pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	return 128 + sig;
}
