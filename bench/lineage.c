/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* lineage.c - how long it takes to ask a large store where something came from */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "query/query.h"

/*
 * A history in layers: each execution reads two objects of the layer before
 * and writes one, which takes three accesses. WIDE to a layer, so an object of
 * layer n has about 2 * WIDE * n ancestors, executions and objects.
 */
#define WIDE          1000
#define CLOSURE       112000	/* an object with 200 000 ancestors */
#define PER_PUT       100000
#define TRIES         5

static struct id id_at(char kind, uint64_t n)
{
	struct {
		char kind;
		char zero[7];
		uint64_t n;
	} key = { .kind = kind, .n = n };

	return id_of(&key, sizeof(key));
}

static struct access touch_at(struct arena *a, uint64_t exec, uint64_t object, bool write,
			      int64_t at)
{
	struct access t = { .exec = id_at('x', exec),
			    .object = id_at('o', object),
			    .path = arena_printf(a, "/data/%06llu", (unsigned long long)object),
			    .flags = write ? ACCESS_WRITE | ACCESS_CREATE : ACCESS_READ,
			    .opened = at,
			    .closed = at + 5000,
			    .fuzz = 4000 };

	if (write) {
		t.first_write = t.last_write = at + 1000;
		t.writes = 1;
		t.bytes_written = 4096;
	} else {
		t.first_read = t.last_read = at + 1000;
		t.reads = 1;
		t.bytes_read = 4096;
	}
	return t;
}

static int put_some(struct store *s, uint64_t from, uint64_t to)
{
	struct arena a = { 0 };
	struct run run = { .id = id_at('r', from / PER_PUT), .name = "", .host = "h", .boot = "b",
			   .user = "u", .cwd = "/data", .engine = "preload", .status = -1,
			   .start = 1 + (int64_t)from };
	struct facts f = { .runs = &run, .n_runs = 1 };
	int r;

	f.executions = arena_alloc(&a, (to - from) * sizeof(*f.executions));
	f.objects = arena_alloc(&a, (to - from) * sizeof(*f.objects));
	f.accesses = arena_alloc(&a, 3 * (to - from) * sizeof(*f.accesses));
	for (uint64_t e = from; e < to; e++) {
		int64_t at = 1000 + 100000 * (int64_t)e;
		uint64_t layer = e / WIDE;

		f.executions[f.n_executions++] = (struct execution){ .id = id_at('x', e),
								     .run = run.id,
								     .how = HOW_ROOT,
								     .pid = (uint32_t)e % 30000,
								     .cwd = "/data",
								     .argv = { "step", 5 },
								     .exe = "/usr/bin/step",
								     .start = at - 1000,
								     .end = at + 20000,
								     .status = 0 };
		for (unsigned i = 0; layer && i < 2; i++)
			f.accesses[f.n_accesses++] =
				touch_at(&a, e, (layer - 1) * WIDE + (2 * e + i) % WIDE, false, at);
		f.accesses[f.n_accesses++] = touch_at(&a, e, e, true, at + 10000);
		f.objects[f.n_objects++] = (struct object){ .id = id_at('o', e),
							    .kind = OBJECT_FILE,
							    .dev = 2,
							    .ino = e,
							    .btime = at,
							    .size = 4096,
							    .mtime = at + 11000,
							    .seen = at + 15000 };
	}
	r = store_put(s, &f);
	arena_release(&a);
	return r;
}

static long faults(void)
{
	struct rusage u;

	(void)getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt;
}

/* What this process alone has worked; the same on a machine that is busy. */
static double cpu_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int ask(struct store *s, const char *what, uint64_t object, unsigned depth, int budget)
{
	struct walk w = { .direction = WALK_BACKWARD, .depth = depth };
	struct id id = id_at('o', object);
	double best = 1e18, least = 1e18, first = 0;
	long touched = 0;
	size_t nodes = 0;

	for (int i = 0; i < TRIES; i++) {
		long before = faults();
		int64_t began = clock_mono();
		struct graph g;
		double ms, cpu = cpu_ms();

		if (query_walk(s, &id, &w, &g) < 0)
			return -1;
		ms = (double)(clock_mono() - began) / 1e6;
		cpu = cpu_ms() - cpu;
		least = cpu < least ? cpu : least;
		first = i ? first : ms;
		best = ms < best ? ms : best;
		touched = faults() - before;
		nodes = g.n_nodes;
		graph_release(&g);
	}
	printf("%s, %zu nodes: %.1f ms (budget %d), %.1f ms of CPU, at first %.1f ms, %ld pages of "
	       "memory\n", what, nodes, best, budget, least, first, touched);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : CLOSURE;
	struct arena a = { 0 };
	struct store_info info;
	struct store *s;
	int64_t began;

	if (argc < 2 || wanted < CLOSURE) {
		fprintf(stderr, "usage: lineage STORE [EXECUTIONS]   at least %d\n", CLOSURE);
		return 2;
	}
	if (store_open(argv[1], STORE_WRITE, &s) < 0 || store_info(s, &a, &info) < 0)
		goto fail;
	began = clock_mono();
	for (uint64_t e = info.executions; e < wanted; e += PER_PUT)
		if (put_some(s, e, e + PER_PUT < wanted ? e + PER_PUT : wanted) < 0)
			goto fail;
	printf("%llu executions made in %.1f s\n", (unsigned long long)(wanted - info.executions),
	       (double)(clock_mono() - began) / 1e9);
	if (ask(s, "lineage to depth 10", wanted - 1, 10, 50) < 0 ||
	    ask(s, "whole lineage", CLOSURE - 1, 0, 500) < 0)
		goto fail;
	if (store_info(s, &a, &info) < 0)
		goto fail;
	printf("%llu accesses, %.1f bytes of store per access\n", (unsigned long long)info.accesses,
	       (double)info.bytes / (double)info.accesses);
	arena_release(&a);
	store_close(s);
	return 0;
fail:
	fprintf(stderr, "lineage: %s\n", fail_text());
	return 1;
}
