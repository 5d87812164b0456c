/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_kinds.c - stores that only answer, with something behind them */
#include "store/t_kinds.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/frame.h"
#include "base/service.h"
#include "store/node.h"
#include "store/t_place.h"
#include "store/union.h"

#include <cmocka.h>

enum { MOST = 3 };

/* Takes for the stores behind, answers through the one in front. */
struct pair {
	struct store store;
	struct store *behind[MOST], *front;
	size_t n;
	uint64_t random;
	int server[MOST]; /* a socket, -1 where there is none */
	pthread_t threads[MOST];
};

static struct store *made(const char *scheme)
{
	static int number;
	struct buf uri = { 0 };
	struct store *s = NULL;

	buf_printf(&uri, "%s:%s/store-%d.db", scheme, place, number++);
	if (store_open(uri.data, STORE_WRITE, &s) < 0)
		fail_msg("%s", fail_text());
	buf_release(&uri);
	return s;
}

static struct store *sqlite_fresh(void)
{
	return made("sqlite");
}

static struct store *memory_fresh(void)
{
	return made("memory");
}

/* Some of the stores, at least one. */
static unsigned some(struct pair *p)
{
	p->random = p->random * 6364136223846793005u + 1442695040888963407u;
	return 1 + (unsigned)((p->random >> 33) % ((1u << p->n) - 1));
}

static int pair_put(struct store *s, const struct facts *f)
{
	struct pair *p = (struct pair *)s;
	struct facts to[MOST] = { 0 };
	struct arena a = { 0 };
	int r = 0;

#define SPREAD(list, where)                                                                        \
	for (size_t m = 0; m < p->n; m++)                                                          \
		to[m].list = arena_alloc(&a, f->n_##list * sizeof(*f->list));                      \
	for (size_t i = 0; i < f->n_##list; i++) {                                                 \
		unsigned some_of = (where);                                                        \
		for (size_t m = 0; m < p->n; m++)                                                  \
			if (some_of & 1u << m)                                                     \
				to[m].list[to[m].n_##list++] = f->list[i];                         \
	}
	/* whoever has a run at all knows all that it is looked for by */
	SPREAD(runs, 1u + f->runs[i].id.b[0] % ((1u << p->n) - 1))
	SPREAD(executions, some(p))
	SPREAD(objects, some(p))
	SPREAD(accesses, some(p))
	SPREAD(names, some(p))
	SPREAD(holes, some(p))
	SPREAD(notes, some(p))
#undef SPREAD
	for (size_t m = 0; m < p->n && r == 0; m++)
		r = store_put(p->behind[m], &to[m]);
	arena_release(&a);
	return r;
}

static int pair_boot_offset(struct store *s, const char *host, const char *boot, int64_t proposed,
			    int64_t *kept)
{
	struct pair *p = (struct pair *)s;
	int r = 0;

	for (size_t i = 0; i < p->n && r == 0; i++)
		r = store_boot_offset(p->behind[i], host, boot, proposed, kept);
	return r;
}

static const struct store_ops *front(struct store **s)
{
	*s = ((struct pair *)*s)->front;
	return (*s)->ops;
}

static int pair_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out, size_t *n)
{
	return front(&s)->boot_offsets(s, a, out, n);
}

static int pair_runs(struct store *s, const struct run_filter *f, struct arena *a, struct run **out,
		     size_t *n)
{
	return front(&s)->runs(s, f, a, out, n);
}

static int pair_executions(struct store *s, int by, const struct id *ids, size_t n_ids,
			   struct arena *a, struct execution **out, size_t *n)
{
	return front(&s)->executions(s, by, ids, n_ids, a, out, n);
}

static int pair_accesses(struct store *s, int by, const struct id *ids, size_t n_ids,
			 const struct store_except *but, struct arena *a, struct access **out,
			 size_t *n)
{
	return front(&s)->accesses(s, by, ids, n_ids, but, a, out, n);
}

static int pair_names(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		      struct name_event **out, size_t *n)
{
	return front(&s)->names(s, by, ids, n_ids, a, out, n);
}

static int pair_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
			struct object **out, size_t *n)
{
	return front(&s)->objects(s, ids, n_ids, a, out, n);
}

static int pair_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		      size_t *n)
{
	return front(&s)->holes(s, run, a, out, n);
}

static int pair_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		      size_t *n)
{
	return front(&s)->notes(s, run, a, out, n);
}

static int pair_run(struct store *s, const struct id *id, struct arena *a, struct run *out)
{
	return front(&s)->run(s, id, a, out);
}

static int pair_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
			size_t *n)
{
	return front(&s)->by_path(s, path, a, out, n);
}

static int pair_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
		    struct id **out, size_t *n)
{
	return front(&s)->ids(s, p, most, a, out, n);
}

static int pair_info(struct store *s, struct arena *a, struct store_info *out)
{
	return front(&s)->info(s, a, out);
}

static void pair_close(struct store *s)
{
	struct pair *p = (struct pair *)s;

	store_close(p->front);
	for (size_t i = 0; i < p->n; i++) {
		if (p->server[i] >= 0) {
			pthread_join(p->threads[i], NULL);
			close(p->server[i]);
			store_close(p->behind[i]);
		}
	}
	free(p);
}

static const struct store_ops pair_ops = {
	.scheme = "pair",
	.close = pair_close,
	.put = pair_put,
	.boot_offset = pair_boot_offset,
	.boot_offsets = pair_boot_offsets,
	.runs = pair_runs,
	.executions = pair_executions,
	.accesses = pair_accesses,
	.names = pair_names,
	.objects = pair_objects,
	.holes = pair_holes,
	.notes = pair_notes,
	.run = pair_run,
	.by_path = pair_by_path,
	.ids = pair_ids,
	.info = pair_info,
};

struct serving {
	int fd;
	struct store *store;
};

/* What the service does with a connection. */
static void *serve(void *arg)
{
	struct serving *v = arg;
	struct buf b = { 0 };
	uint32_t kind;

	if (frame_receive(v->fd, &kind, &b) < 0 || kind != SERVICE_ASK ||
	    node_serve(v->fd, v->store) < 0)
		abort();
	buf_release(&b);
	free(v);
	return NULL;
}

static struct pair *pair_new(void)
{
	struct pair *p = calloc(1, sizeof(*p));

	p->store.ops = &pair_ops;
	return p;
}

static struct store *behind(struct pair *p, struct store *s)
{
	p->server[p->n] = -1;
	return p->behind[p->n++] = s;
}

/* A client of a thread that serves it. */
static struct store *behind_a_node(struct pair *p, struct store *s)
{
	struct serving *v = calloc(1, sizeof(*v));
	struct store *client = NULL;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	*v = (struct serving){ fd[1], s };
	p->server[p->n] = fd[1];
	p->behind[p->n] = s;
	assert_int_equal(pthread_create(&p->threads[p->n++], NULL, serve, v), 0);
	if (node_attach(fd[0], "a thread", &client) < 0)
		fail_msg("%s", fail_text());
	return client;
}

static struct store *node_memory(void)
{
	struct pair *p = pair_new();

	p->front = behind_a_node(p, memory_fresh());
	return &p->store;
}

static struct store *node_sqlite(void)
{
	struct pair *p = pair_new();

	p->front = behind_a_node(p, sqlite_fresh());
	return &p->store;
}

static struct store *union_memory(void)
{
	struct pair *p = pair_new();
	const struct union_member m[] = { { behind(p, memory_fresh()), false },
					  { behind(p, memory_fresh()), false },
					  { behind(p, memory_fresh()), false } };

	p->front = store_union(m, 3, NULL, NULL);
	return &p->store;
}

/* What a user has who records by himself where the node is recorded too. */
static struct store *union_own_and_node(void)
{
	struct pair *p = pair_new();
	struct union_member m[2] = { { behind(p, sqlite_fresh()), false } };

	m[1] = (struct union_member){ behind_a_node(p, sqlite_fresh()), true };
	p->front = store_union(m, 2, NULL, NULL);
	return &p->store;
}

static const struct kind kinds[] = {
	{ "sqlite", true, sqlite_fresh },
	{ "memory", true, memory_fresh },
	{ "node of memory", true, node_memory },
	{ "node of sqlite", true, node_sqlite },
	{ "union of memory", false, union_memory },
	{ "union of sqlite and node", false, union_own_and_node },
};

const struct kind *kind_at(size_t i)
{
	return i < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[i] : NULL;
}

struct store *kind_fresh(const struct kind *k)
{
	return k->fresh();
}
