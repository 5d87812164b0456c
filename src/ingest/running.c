/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* running.c - the runs that are being recorded */
#include "ingest/running.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/path.h"
#include "journal/journal.h"

struct candidate {
	struct arena *memory;
	struct running run;
	int64_t start;
	bool over;
};

/* The first block of a journal tells all that is needed; a batch of 0 hands
 * it over alone. */
static int on_facts(void *ctx, const struct facts *f)
{
	struct candidate *c = ctx;

	for (size_t i = 0; i < f->n_runs; i++) {
		const struct run *r = &f->runs[i];

		c->run.id = r->id;
		c->run.name = arena_str(c->memory, r->name);
		c->run.engine = arena_str(c->memory, r->engine);
		c->start = r->start;
		c->over = r->end != 0;
	}
	return 1;
}

static void on_folder(void *ctx, const char *folder)
{
	struct candidate *c = ctx;

	c->run.folder = arena_str(c->memory, folder);
}

static bool is_being_written(const char *path)
{
	int lock, r = journal_lock(path, &lock);

	if (r == 0)
		(void)close(lock);
	return r == -EAGAIN;
}

static int by_start(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

int running_list(struct arena *a, struct running **out, size_t *n)
{
	const char *dir = path_spool(a);
	struct candidate *all = NULL;
	size_t n_all = 0, room = 0;
	struct dirent *entry;
	DIR *d = dir ? opendir(dir) : NULL;

	*out = NULL;
	*n = 0;
	if (!d)
		return !dir	      ? -ENOENT
		       : errno == ENOENT ? 0
					 : fail(errno, "%s: %s", dir, strerror(errno));
	while ((entry = readdir(d))) {
		struct candidate c = { .memory = a };
		const struct journal_sink sink = {
			.ctx = &c, .facts = on_facts, .folder = on_folder,
		};
		const char *path = arena_printf(a, "%s/%s", dir, entry->d_name);
		size_t len = strlen(entry->d_name);
		struct journal_end end;

		if (len < 9 || strcmp(entry->d_name + len - 8, ".journal") ||
		    !is_being_written(path) || journal_read(path, &sink, &end) < 0 ||
		    !c.run.folder || !c.run.engine || c.over)
			continue;
		all = arena_grow(a, all, n_all, &room, sizeof(*all));
		all[n_all++] = c;
	}
	(void)closedir(d);
	if (n_all)
		qsort(all, n_all, sizeof(*all), by_start);
	*out = arena_alloc(a, (n_all + 1) * sizeof(**out));
	for (*n = 0; *n < n_all; ++*n)
		(*out)[*n] = all[*n].run;
	return 0;
}
