/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* events.c - how many events a second become facts in a journal */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aggregate/aggregate.h"
#include "base/clock.h"
#include "base/err.h"
#include "journal/journal.h"

/*
 * Each image opens FILES files; they come through the gate from a chunk as a
 * traced process fills it, SHARED of them the same in every image.
 */
enum { FILES = 100, SHARED = 50 };

struct sum {
	struct journal *journal;
	size_t accesses;
};

static void on_facts(void *ctx, const struct facts *f)
{
	struct sum *s = ctx;

	s->accesses += f->n_accesses;
	(void)journal_append(s->journal, f);
}

static void on_keep(void *ctx, const char *p, size_t n)
{
	(void)journal_append_state(((struct sum *)ctx)->journal, p, n);
}

static void on_commit(void *ctx)
{
	(void)journal_flush(((struct sum *)ctx)->journal);
}

static size_t put_open(char *chunk, size_t at, uint64_t object, uint64_t time)
{
	struct prov_open *o = (struct prov_open *)(void *)(chunk + at);
	int n = sprintf(o->text, "/scratch/project/input/part-%06llu.dat",
			(unsigned long long)object);
	size_t size = (sizeof(*o) + (size_t)n + 8) & ~(size_t)7;

	o->head.word = (uint32_t)size | PROV_RECORD_READY;
	o->head.type = PROV_OPEN;
	o->head.time = time;
	o->object.mode = S_IFREG | 0644;
	o->object.ino = object + 1;
	o->object.dev_major = 8;
	o->object.btime = 1000;
	o->object.nlink = 1;
	o->tally.reads = 10;
	o->tally.bytes_read = 40960;
	o->tally.opened = o->tally.first_read = time;
	o->tally.last_read = o->tally.closed = time + 1000;
	o->path_size = (uint32_t)n + 1;
	return at + size;
}

static size_t chunk_fill(char *chunk, uint64_t image)
{
	size_t at = PROV_CHUNK_HEAD;

	for (uint64_t i = 0; i < FILES; i++)
		at = put_open(chunk, at, i < SHARED ? i : image * FILES + i,
			      1000 + image * 1000 + i);
	memset(chunk + at, 0, 8);
	return at;
}

int main(int argc, char **argv)
{
	uint64_t wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : 2000000, n = 0;
	const struct run run = { .name = "", .host = "h", .boot = "b", .user = "u", .cwd = "/",
				 .engine = "preload", .status = -1 };
	static char chunk[PROV_CHUNK_SIZE];
	struct sum sum = { 0 };
	const struct aggregate_out out = {
		.ctx = &sum, .facts = on_facts, .keep = on_keep, .commit = on_commit,
	};
	struct aggregate *a;
	struct event e;
	int64_t spent = 0;

	if (argc < 2) {
		fputs("usage: events JOURNAL [EVENTS]\n", stderr);
		return 2;
	}
	(void)unlink(argv[1]);
	if (journal_create(argv[1], &run, "", &sum.journal) < 0) {
		fprintf(stderr, "events: %s\n", fail_text());
		return 1;
	}
	a = aggregate_create(&run, &out);
	for (uint64_t image = 1; n < wanted; image++) {
		const struct engine_sink *sink = aggregate_sink(a);
		size_t at = PROV_CHUNK_HEAD;
		int64_t began;

		(void)chunk_fill(chunk, image);
		began = clock_mono();
		for (; event_next(chunk, &at, &e) == EVENT_READY; n++)
			sink->event(sink->ctx, (uint32_t)image, (int64_t)image * 1000, &e);
		sink->ended(sink->ctx, (uint32_t)image, (int64_t)image * 1000,
			    (int64_t)image * 1000 + 900, false);
		if (image % 100 == 0)
			sink->commit(sink->ctx);
		spent += clock_mono() - began;
	}
	printf("%llu events, %zu accesses, %llu bytes of journal: %.0f events/s (budget 1000000)\n",
	       (unsigned long long)n, sum.accesses,
	       (unsigned long long)journal_bytes(sum.journal), (double)n * 1e9 / (double)spent);
	aggregate_destroy(a);
	journal_close(sum.journal);
	return 0;
}
