/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* doctor_self_test.c - records one program and looks at the record */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "prov/doctor.h"

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	return remove(path);
}

/* The exit status of "prov run --quiet -- /bin/true" with its store in dir;
 * what it says on stderr goes to said. */
static int record_true(struct context *c, const char *dir, struct buf *said)
{
	char *store = arena_printf(&c->arena, "%s/prov.db", dir);
	char chunk[1024];
	int fds[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		(void)dup2(fds[1], STDERR_FILENO);
		(void)setenv("PROV_STORE", store, 1);
		(void)execl("/proc/self/exe", "prov", "run", "--quiet", "--", "/bin/true",
			    (char *)NULL);
		_exit(125);
	}
	close(fds[1]);
	while ((n = read(fds[0], chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && said->size < 4096)
			buf_append(said, chunk, (size_t)n);
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *look_into(struct context *c, const char *dir)
{
	struct run_filter newest = { .most = 1 };
	struct store *s;
	struct run *runs;
	struct execution *e;
	size_t n;
	const char *wrong = NULL;

	if (store_open(arena_printf(&c->arena, "%s/prov.db", dir), STORE_READ, &s) < 0)
		return arena_str(&c->arena, fail_text());
	if (store_runs(s, &newest, &c->arena, &runs, &n) < 0)
		wrong = arena_str(&c->arena, fail_text());
	else if (n != 1)
		wrong = "a run of /bin/true left no record";
	else if (store_run_executions(s, &runs[0].id, &c->arena, &e, &n) < 0)
		wrong = arena_str(&c->arena, fail_text());
	else if (n == 0 || e[n - 1].blind)
		wrong = "prov started /bin/true but could not see inside it";
	else if (e[n - 1].status != 0)
		wrong = "the exit status of /bin/true is not on record";
	store_close(s);
	return wrong;
}

struct finding doctor_self_test(struct context *c)
{
	const char *temp = getenv("TMPDIR");
	char *dir = arena_printf(&c->arena, "%s/prov-doctor-XXXXXX",
				 temp && temp[0] == '/' ? temp : "/tmp");
	struct buf said = { 0 };
	const char *wrong;
	int status;

	if (!mkdtemp(dir))
		return (struct finding){ VERDICT_WARN,
					 arena_printf(&c->arena, "%s: no folder for a trial: %s",
						      dir, strerror(errno)),
					 "set TMPDIR to a folder you can write to" };
	status = record_true(c, dir, &said);
	if (said.size && strchr(said.data, '\n'))
		*strchr(said.data, '\n') = 0;
	wrong = status == 0
			? look_into(c, dir)
			: arena_printf(&c->arena, "a trial run of /bin/true ended with %d", status);
	if (wrong && said.size)
		wrong = arena_str(&c->arena, said.data); /* the cause, not what came of it */
	buf_release(&said);
	(void)nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	if (wrong)
		return (struct finding){ VERDICT_NO, wrong,
					 "see the lines above; then 'prov run -- /bin/true'" };
	return (struct finding){ VERDICT_OK, "a trial run of /bin/true was recorded whole", NULL };
}
