/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* main.c - provd: records the jobs of a node */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/path.h"
#include "config.h"
#include "engine/granularity.h"
#include "engine/kernel_look.h"
#include "model/key.h"
#include "provd/ask.h"
#include "provd/door.h"
#include "provd/http.h"
#include "provd/log.h"
#include "provd/notify.h"
#include "provd/privilege.h"
#include "provd/service.h"
#include "provd/touch.h"
#include "provd/user.h"

#define TICK_MS	 500
#define WATCH_MS 10	/* where the watcher cannot be waited for */

enum { EXIT_WRONG_USE = 2, EXIT_CANNOT = 3 };

/* The guest library leaves this program alone, as it does prov. */
extern const char prov_is_not_recorded;
__attribute__((visibility("default"), used)) const char prov_is_not_recorded = 1;

struct node {
	struct service service;
	struct policy policies[2];	/* in force, and the next */
	unsigned policy;
	struct watcher *watcher;
	struct engine *always;		/* keeps the programs attached */
	struct door *door;
	struct http *http;
	struct buf engine_why;
	struct touches touches;
	int signals, spool;
};

static const char usage[] =
	"usage: provd [--check]\n\n"
	"provd: records the programs of this node for prov; runs in the foreground.\n\n"
	"      --check           read the settings, say what is wrong with them, and exit\n"
	"      --version         print the version\n"
	"  -h, --help            this text\n\n"
	"SIGHUP reads the settings again, SIGTERM ends it. See provd(8).\n";

static int read_settings(struct policy *p)
{
	int r = conf_load_node();

	return r < 0 ? r : policy_read(p);
}

/* A folder of ours that no user looks into; -EBUSY: another service has it. */
static int open_spool(void)
{
	const char *path = conf_text("provd.spool");
	int r = path_make(path), fd;

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "%s: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	(void)close(fd);
	return fail(EBUSY, "%s: another provd is at work there", path);
}

static int block_signals(void)
{
	sigset_t all, ours;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)sigemptyset(&ours);
	(void)sigaddset(&ours, SIGTERM);
	(void)sigaddset(&ours, SIGINT);
	(void)sigaddset(&ours, SIGHUP);
	return signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Threads only read afterwards what is found out once. */
static void learn_node(void)
{
	(void)key_boot();
	(void)key_clock();
	(void)key_host();
	(void)key_machine();
}

static void find_engine(struct node *n)
{
	const struct engine_ops *engine = engine_kernel();

	if (!engine)
		buf_str(&n->engine_why, "this provd was built without its engine in the kernel");
	else if (engine->probe(&n->engine_why) == 0)
		n->service.engine = engine;
#ifdef PROV_EBPF
	if (n->service.engine) {
		buf_str(&n->engine_why, "; ");
		(void)kernel_look(&n->engine_why);
	}
#endif
	n->service.engine_why = n->engine_why.data;
	log_line("engine: %s", n->service.engine_why);
}

static void stay_attached(struct node *n)
{
	const struct engine_setup setup = { .run = run_id_new(), .library = "" };
	bool wanted = n->service.engine && !strcmp(conf_text("provd.attach"), "always");

	if (wanted && !n->always && n->service.engine->open("", &setup, &n->always) < 0)
		log_line("provd.attach: %s", fail_text());
	if (!wanted && n->always) {
		n->service.engine->close(n->always, true);
		n->always = NULL;
	}
}

/* After the settings have changed. Who runs already is looked at again. */
static void apply_policy(struct node *n)
{
	const struct policy *p = &n->policies[n->policy];
	struct watcher *before = n->watcher;
	bool wanted = n->service.engine && p->scope != POLICY_NONE && p->n_uids;

	n->watcher = NULL;
	jobs_set_policy(n->service.jobs, p);
	stay_attached(n);
	if (wanted && watch_open(p->uids, p->n_uids, &n->watcher) < 0)
		log_line("%s", fail_text());
	watch_close(before);
	n->service.watching = n->watcher != NULL;
	if (n->watcher)
		jobs_scan(n->service.jobs);
}

static void serve_metrics(struct node *n)
{
	const char *where = conf_text("provd.metrics");

	http_close(n->http);
	n->http = NULL;
	if (where[0] && http_open(where, &n->service, &n->http) < 0)
		log_line("%s", fail_text());
}

static void reread(struct node *n)
{
	unsigned next = 1 - n->policy;

	notify("RELOADING=1");
	if (read_settings(&n->policies[next]) < 0) {
		log_line("%s; the settings stay as they were", fail_text());
		policy_release(&n->policies[next]);
	} else {
		n->policy = next;
		apply_policy(n);
		serve_metrics(n);
		policy_release(&n->policies[1 - next]);
		log_line("settings read again");
	}
	notify("READY=1");
}

static void on_seen(void *ctx, const struct watch *w)
{
	jobs_seen(ctx, w);
}

/* false: it is time to end. */
static bool take_signals(struct node *n)
{
	struct signalfd_siginfo s;

	while (read(n->signals, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
		if (s.ssi_signo != SIGHUP)
			return false;
		reread(n);
	}
	return true;
}

static void look_for_touches(struct node *n)
{
	int32_t level;

	if (!touches_look(&n->touches, conf_text("provd.touch"), &level))
		return;
	(void)jobs_ask(n->service.jobs, "node", 0, /* all= */ true, level);
	log_line("granularity of node is %s now: its file in %s was touched",
		 granularity_name(level), conf_text("provd.touch"));
}

static void serve(struct node *n)
{
	for (;;) {
		int watch = n->watcher ? watch_fd(n->watcher) : -1;
		struct pollfd fds[] = {
			{ .fd = n->signals, .events = POLLIN },
			{ .fd = door_fd(n->door), .events = POLLIN },
			{ .fd = watch, .events = POLLIN },
		};

		(void)poll(fds, 3, n->watcher && watch < 0 ? WATCH_MS : TICK_MS);
		if (fds[0].revents && !take_signals(n))
			return;
		if (n->watcher)
			(void)watch_poll(n->watcher, on_seen, n->service.jobs);
		if (fds[1].revents)
			door_answer(n->door);
		door_tick(n->door);
		look_for_touches(n);
	}
}

static void stop(struct node *n)
{
	notify("STOPPING=1");
	__atomic_store_n(&n->service.stopping, 1, __ATOMIC_RELAXED);
	watch_close(n->watcher);
	http_close(n->http);
	door_close(n->door);
	jobs_destroy(n->service.jobs);
	if (n->always)
		n->service.engine->close(n->always, true);
	policy_release(&n->policies[n->policy]);
	buf_release(&n->engine_why);
	(void)close(n->spool);
	(void)close(n->signals);
	conf_release();
	log_line("stopped");
}

static int start(struct node *n)
{
	int r;

	n->signals = block_signals();
	learn_node();
	r = n->spool = open_spool();
	if (r >= 0)
		r = path_make(conf_text("provd.stores"));
	if (r >= 0)
		r = path_make(conf_text("provd.touch"));
	if (r >= 0)
		r = door_open(conf_text("provd.socket"), &n->service, &n->door);
	if (r >= 0)
		r = privilege_drop((uint64_t)conf_size("provd.memory"));
	if (r < 0)
		return r;
	/* threads are many and allocate little */
	(void)mallopt(M_ARENA_MAX, 2);
	find_engine(n);
	users_recover();
	touches_begin(&n->touches, conf_text("provd.touch"));
	n->service.since = clock_real();
	n->service.jobs = jobs_create(n->service.engine);
	apply_policy(n);
	serve_metrics(n);
	(void)malloc_trim(0);
	return 0;
}

/* Begun by the service itself: see ask.h. */
static int answer(char **args)
{
	(void)umask(077);
	if (conf_load_node() < 0) {
		log_line("%s", fail_text());
		return EXIT_CANNOT;
	}
	return ask_main((uint32_t)strtoul(args[0], NULL, 10), args[1] && !strcmp(args[1], "all"));
}

int main(int argc, char **argv)
{
	static struct node n;
	bool check = argc == 2 && !strcmp(argv[1], "--check");

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("provd " PROV_VERSION);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "--answer"))
		return answer(argv + 2);
	if (argc > 1 && !check) {
		fputs(usage, stderr);
		return EXIT_WRONG_USE;
	}
	(void)umask(077);
	if (read_settings(&n.policies[0]) < 0) {
		log_line("%s", fail_text());
		return EXIT_CANNOT;
	}
	if (check)
		return 0;
	if (start(&n) < 0) {
		log_line("%s", fail_text());
		return EXIT_CANNOT;
	}
	log_line("version " PROV_VERSION ", listening at %s", conf_text("provd.socket"));
	notify("READY=1");
	serve(&n);
	stop(&n);
	return 0;
}
