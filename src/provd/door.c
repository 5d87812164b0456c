/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* door.c - the socket that everybody may connect to */
#include "provd/door.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/frame.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/service.h"
#include "provd/log.h"

#define GUESTS_MOST	256		/* connections at a time */
#define USER_GUESTS_MOST 64		/* of one user; root has no such limit */
#define FIRST_MOST	(64u << 10)	/* bytes of a first message */
#define SAYS_BY		INT64_C(10000000000)	/* the first message, after connecting */
#define SEND_WITHIN	30		/* seconds for one send to who does not read */
#define LEAVES_WITHIN	5		/* seconds, when the service stops */
#define STACK		(512u << 10)	/* SQLite's needs, doubled */

struct guest {
	struct guest *next;
	struct door *door;
	struct peer peer;
	int64_t came;
	bool spoke;	/* the first message is there */
};

struct door {
	struct service *service;
	char *path;
	int fd;
	pthread_attr_t attr;
	pthread_mutex_t lock;		/* of what follows */
	pthread_cond_t left;
	struct guest *guests;
	size_t n;
};

static const struct {
	enum service_kind kind;
	const char *name;
	void (*answer)(struct service *s, const struct peer *p, const struct buf *message);
} kinds[] = {
	{ SERVICE_ASK, "asking", answer_ask },
	{ SERVICE_STATUS, "status", answer_status },
	{ SERVICE_TRACK, "recording", answer_track },
	{ SERVICE_GRANULARITY, "granularity", answer_granularity },
	{ SERVICE_METRICS, "metrics", answer_metrics },
	{ SERVICE_PROBE, "recording", answer_probe },
};

static void answer(struct service *s, const struct peer *p, uint32_t kind,
		   const struct buf *message)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == kind) {
			kinds[i].answer(s, p, message);
			return;
		}
	peer_refuse(p, "something unknown",
		    "this service does not know what is wanted; install the same version of prov "
		    "and provd");
}

static void leave(struct guest *g)
{
	struct door *d = g->door;
	struct guest **at = &d->guests;

	(void)pthread_mutex_lock(&d->lock);
	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	d->n--;
	(void)close(g->peer.fd);
	free(g);
	(void)pthread_cond_signal(&d->left);
	(void)pthread_mutex_unlock(&d->lock);
}

static void *serve(void *arg)
{
	struct guest *g = arg;
	struct service *s = g->door->service;
	struct buf message = { 0 };
	uint32_t kind;
	int r = frame_receive_most(g->peer.fd, &kind, &message, FIRST_MOST);

	(void)pthread_mutex_lock(&g->door->lock);
	g->spoke = true;
	(void)pthread_mutex_unlock(&g->door->lock);
	if (r == 0)
		answer(s, &g->peer, kind, &message);
	else if (r != -EPIPE)
		__atomic_fetch_add(&s->refused, 1, __ATOMIC_RELAXED);
	buf_release(&message);
	leave(g);
	return NULL;
}

static size_t guests_of(const struct door *d, uint32_t uid)
{
	size_t n = 0;

	for (const struct guest *g = d->guests; g; g = g->next)
		n += g->peer.uid == uid;
	return n;
}

/* Nothing is said of each of thousands: that would be a way to fill the log. */
static void turn_away(struct door *d, int fd, const char *why)
{
	__atomic_fetch_add(&d->service->refused, 1, __ATOMIC_RELAXED);
	(void)frame_send(fd, SERVICE_REFUSED, why, strlen(why));
	(void)close(fd);
}

static void let_in(struct door *d, int fd)
{
	const struct timeval wait = { .tv_sec = SEND_WITHIN };
	struct guest *g = mem_alloc(sizeof(*g));
	const char *why = NULL;
	pthread_t t;

	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	g->door = d;
	g->came = clock_mono();
	if (peer_identify(fd, &g->peer) < 0)
		why = fail_text();
	(void)pthread_mutex_lock(&d->lock);
	if (!why && d->n >= GUESTS_MOST)
		why = "too many connections; try again";
	if (!why && g->peer.uid && guests_of(d, g->peer.uid) >= USER_GUESTS_MOST)
		why = "too many connections of this user; try again";
	if (!why) {
		g->next = d->guests;
		d->guests = g;
		d->n++;
	}
	(void)pthread_mutex_unlock(&d->lock);
	if (why) {
		turn_away(d, fd, why);
		free(g);
	} else if (pthread_create(&t, &d->attr, serve, g) != 0) {
		(void)frame_send(fd, SERVICE_REFUSED, "no thread", 9);
		leave(g);
	}
}

void door_answer(struct door *d)
{
	/* not all at once: the service has other things to do */
	for (int i = 0; i < 64; i++) {
		int fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			return;
		__atomic_fetch_add(&d->service->connections, 1, __ATOMIC_RELAXED);
		let_in(d, fd);
	}
}

void door_tick(struct door *d)
{
	int64_t now = clock_mono();

	(void)pthread_mutex_lock(&d->lock);
	for (struct guest *g = d->guests; g; g = g->next)
		if (!g->spoke && now - g->came > SAYS_BY)
			(void)shutdown(g->peer.fd, SHUT_RDWR);
	(void)pthread_mutex_unlock(&d->lock);
}

/* What a killed service left must go; a living one must not lose its door. */
static int clear_path(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int taken = fd >= 0 ? connect(fd, (const struct sockaddr *)at, sizeof(*at)) : -1;

	if (fd >= 0)
		(void)close(fd);
	if (taken == 0)
		return fail(EADDRINUSE, "%s: a service answers there already", at->sun_path);
	if (unlink(at->sun_path) < 0 && errno != ENOENT)
		return fail(errno, "%s: cannot be removed: %s", at->sun_path, strerror(errno));
	return 0;
}

static int make_folder_of(const char *path)
{
	char *folder = mem_str(path);
	int r = 0;

	folder[path_base(path) - path] = 0;
	if (folder[0] && access(folder, F_OK) < 0) {
		r = path_make(folder);
		/* it is looked through by everybody */
		if (r == 0 && chmod(folder, 0755) < 0)
			r = fail(errno, "%s: %s", folder, strerror(errno));
	}
	free(folder);
	return r;
}

static int listen_at(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int r, fd;

	if (strlen(path) >= sizeof(at.sun_path))
		return fail(ENAMETOOLONG, "provd.socket: %s is longer than %zu bytes", path,
			    sizeof(at.sun_path) - 1);
	memcpy(at.sun_path, path, strlen(path));
	r = make_folder_of(path);
	if (r == 0)
		r = clear_path(&at);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* everybody may knock; who it is decides */
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 &&
	    chmod(path, 0666) == 0 && listen(fd, 1024) == 0)
		return fd;
	r = fail(errno, "%s: cannot listen there: %s", path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	return r;
}

int door_open(const char *path, struct service *s, struct door **out)
{
	int fd = listen_at(path);
	struct door *d;

	if (fd < 0)
		return fd;
	d = mem_alloc(sizeof(*d));
	d->service = s;
	d->path = mem_str(path);
	d->fd = fd;
	(void)pthread_attr_init(&d->attr);
	(void)pthread_attr_setstacksize(&d->attr, STACK);
	(void)pthread_attr_setdetachstate(&d->attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_mutex_init(&d->lock, NULL);
	(void)pthread_cond_init(&d->left, NULL);
	*out = d;
	return 0;
}

int door_fd(const struct door *d)
{
	return d->fd;
}

void door_close(struct door *d)
{
	struct timespec until;
	bool late = false;

	(void)unlink(d->path);
	(void)close(d->fd);
	(void)pthread_mutex_lock(&d->lock);
	for (struct guest *g = d->guests; g; g = g->next)
		(void)shutdown(g->peer.fd, SHUT_RD);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LEAVES_WITHIN;
	while (d->n && !late)
		late = pthread_cond_timedwait(&d->left, &d->lock, &until) != 0;
	/* who does not read what he asked for */
	for (struct guest *g = d->guests; g; g = g->next)
		(void)shutdown(g->peer.fd, SHUT_RDWR);
	while (d->n)
		(void)pthread_cond_wait(&d->left, &d->lock);
	(void)pthread_mutex_unlock(&d->lock);
	(void)pthread_attr_destroy(&d->attr);
	(void)pthread_cond_destroy(&d->left);
	(void)pthread_mutex_destroy(&d->lock);
	free(d->path);
	free(d);
}
