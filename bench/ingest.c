/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ingest.c - how fast a store takes facts, how large they lie, how fast they come back */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

/*
 * Every execution loads 5 of 300 libraries, reads 3 of the last 4000 files
 * and writes 2 new ones: 10 accesses. Times are those of a short program: all
 * within a second, some microseconds apart.
 */
#define LIBRARIES     300
#define RECENT        4000
#define PER_EXECUTION 10

static uint64_t state = 1;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static struct id id_number(char kind, uint64_t n)
{
	struct {
		char kind;
		char zero[7];
		uint64_t n;
	} key = { .kind = kind, .n = n };

	return id_of(&key, sizeof(key));
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char *path_of(struct arena *a, uint64_t object)
{
	if (object < LIBRARIES)
		return arena_printf(a, "/usr/lib/x86_64-linux-gnu/lib%03d.so.6", (int)object);
	return arena_printf(a, "/scratch/project/run-%llu/part-%06llu.dat",
			    (unsigned long long)object / 1000, (unsigned long long)object);
}

static void read_it(struct access *a)
{
	a->first_read = a->opened + 3000 + (int64_t)below(30000);
	a->last_read = a->first_read + (int64_t)below(2000000);
	a->reads = 1 + below(100);
	a->bytes_read = a->reads * below(65536);
	a->closed = a->last_read + (int64_t)below(100000);
}

static void write_it(struct access *a)
{
	a->first_write = a->opened + 3000 + (int64_t)below(30000);
	a->last_write = a->first_write + (int64_t)below(20000000);
	a->writes = 1 + below(100);
	a->bytes_written = a->writes * below(65536);
	a->closed = a->last_write + (int64_t)below(100000);
}

static void access_fill(struct access *a, unsigned i, uint64_t *newest, int64_t start)
{
	uint64_t object;

	if (i < 5)
		object = below(LIBRARIES);
	else if (i < 8)
		object = LIBRARIES + *newest - below(*newest < RECENT ? *newest : RECENT);
	else
		object = LIBRARIES + ++*newest;
	a->object = id_number('o', object);
	a->path = (const char *)(uintptr_t)object; /* made a text by the caller */
	a->opened = start + 1000000 + (int64_t)below(200000000);
	if (i < 5) {
		a->flags = ACCESS_READ | ACCESS_LOAD | ACCESS_MAP_READ;
		a->closed = a->opened + (int64_t)below(50000);
	} else if (i < 8) {
		a->flags = ACCESS_READ;
		a->fuzz = 4000000;
		read_it(a);
	} else {
		a->flags = ACCESS_WRITE | ACCESS_CREATE;
		a->fuzz = 4000000;
		write_it(a);
	}
}

/* One run of n executions and what they did. */
static struct facts run_make(struct arena *a, uint64_t run, size_t n, uint64_t *newest)
{
	struct facts f = { .n_runs = 1, .n_executions = n, .n_accesses = n * PER_EXECUTION };
	int64_t start = 1700000000000000000ll + (int64_t)run * 1000000000000ll;

	f.runs = arena_alloc(a, sizeof(*f.runs));
	*f.runs = (struct run){ .id = id_number('r', run),
				.name = "",
				.host = "node1",
				.boot = "b",
				.user = "me",
				.cwd = "/scratch",
				.engine = "preload",
				.start = start };
	f.executions = arena_alloc(a, n * sizeof(*f.executions));
	f.accesses = arena_alloc(a, f.n_accesses * sizeof(*f.accesses));
	f.objects = arena_alloc(a, (LIBRARIES + 2 * n) * sizeof(*f.objects));
	for (size_t i = 0; i < LIBRARIES; i++)
		f.objects[f.n_objects++] = (struct object){ .id = id_number('o', i),
							    .dev = 1,
							    .ino = i + 1,
							    .size = 100000,
							    .seen = start };
	for (size_t i = 0; i < n; i++) {
		struct execution *x = &f.executions[i];

		*x = (struct execution){ .id = id_number('x', run << 32 | i),
					 .run = f.runs->id,
					 .how = HOW_SPAWN,
					 .pid = 1000 + (uint32_t)i,
					 .ppid = 999,
					 .exe = "/usr/bin/cc",
					 .cwd = "/scratch",
					 .argv = { "cc\0-c\0a.c", 10 },
					 .env = { "PATH=/bin", 10 },
					 .start = start,
					 .end = start + 300000000,
					 .status = 0 };
		if (i)
			x->parent = f.executions[0].id;
		for (unsigned k = 0; k < PER_EXECUTION; k++) {
			struct access *acc = &f.accesses[i * PER_EXECUTION + k];
			uint64_t object;

			acc->exec = x->id;
			access_fill(acc, k, newest, start);
			object = (uintptr_t)acc->path;
			acc->path = path_of(a, object);
			if (k >= 8)
				f.objects[f.n_objects++] =
					(struct object){ .id = acc->object,
							 .dev = 2,
							 .ino = object,
							 .btime = start,
							 .size = (int64_t)acc->bytes_written,
							 .mtime = acc->last_write,
							 .seen = acc->closed };
		}
		start += 10000000;
	}
	return f;
}

static void lookups(struct store *s, const struct facts *f)
{
	struct arena a = { 0 };
	struct id *ids = arena_alloc(&a, f->n_executions * sizeof(*ids));
	struct access *found;
	size_t n;
	double t;

	for (size_t i = 0; i < f->n_executions; i++)
		ids[i] = f->executions[i].id;
	for (int warm = 0; warm < 2; warm++) {
		t = seconds();
		if (store_accesses_by_execution(s, ids, f->n_executions, &a, &found, &n) < 0)
			return;
		t = seconds() - t;
	}
	printf("accesses of an execution: %.2f us each, %.2f us per access\n",
	       t * 1e6 / (double)f->n_executions, t * 1e6 / (double)n);
	for (size_t i = 0; i < f->n_executions; i++)
		ids[i] = f->accesses[i * PER_EXECUTION + 8].object;
	for (int warm = 0; warm < 2; warm++) {
		t = seconds();
		if (store_accesses_by_object(s, ids, f->n_executions, &a, &found, &n) < 0)
			return;
		t = seconds() - t;
	}
	printf("accesses of an object: %.2f us each, %.2f us per access\n",
	       t * 1e6 / (double)f->n_executions, t * 1e6 / (double)n);
	arena_release(&a);
}

/* Of what is there once per access; 0 where this SQLite cannot tell. */
static double access_bytes(const char *where)
{
	static const char text[] =
		"SELECT sum(s.pgsize) FROM dbstat s JOIN sqlite_master m USING(name)"
		" WHERE m.tbl_name IN ('access', 'touch', 'named')";
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	double bytes = 0;

	if (sqlite3_open_v2(where, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, text, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		bytes = sqlite3_column_double(st, 0);
	(void)sqlite3_finalize(st);
	(void)sqlite3_close(db);
	return bytes;
}

int main(int argc, char **argv)
{
	size_t wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	size_t per_put = argc > 3 ? strtoull(argv[3], NULL, 10) : 2000;
	struct store_info info;
	struct arena a = { 0 };
	uint64_t newest = 1;
	struct store *s;
	double spent = 0;

	if (argc < 2) {
		fputs("usage: ingest STORE [ACCESSES [EXECUTIONS-PER-PUT]]\n", stderr);
		return 2;
	}
	if (store_open(argv[1], STORE_WRITE, &s) < 0)
		goto fail;
	for (uint64_t run = 0, done = 0; done < wanted; run++, done += per_put * PER_EXECUTION) {
		struct facts f;
		double t;

		arena_release(&a);
		f = run_make(&a, run, per_put, &newest);
		t = seconds();
		if (store_put(s, &f) < 0)
			goto fail;
		spent += seconds() - t;
		if (done + per_put * PER_EXECUTION >= wanted)
			lookups(s, &f);
	}
	if (store_info(s, &a, &info) < 0)
		goto fail;
	store_close(s);
	printf("%llu accesses, %llu executions, %llu objects: %.0f accesses/s, %.1f bytes per "
	       "access with its indexes, %.1f with all that they name\n",
	       (unsigned long long)info.accesses, (unsigned long long)info.executions,
	       (unsigned long long)info.objects, (double)info.accesses / spent,
	       access_bytes(argv[1]) / (double)info.accesses,
	       (double)info.bytes / (double)info.accesses);
	arena_release(&a);
	return 0;
fail:
	fprintf(stderr, "ingest: %s\n", fail_text());
	return 1;
}
