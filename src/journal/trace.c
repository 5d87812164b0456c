/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* trace.c - single reads and writes of a run, on disk */
#include "journal/trace.h"

#include <errno.h>

#include "base/path.h"

static const char *path_in(struct arena *a, const char *folder, const struct id *run)
{
	char id[ID_TEXT_SIZE];

	return arena_printf(a, "%s/%s.trace", folder, id_text(ID_RUN, run, id));
}

const char *trace_path(struct arena *a, const struct id *run)
{
	const char *folder = path_traces(a);

	return folder ? path_in(a, folder, run) : NULL;
}

static int create(struct trace *t)
{
	struct arena a = { 0 };
	int r = path_make(t->folder);

	if (r == 0)
		r = journal_create(path_in(&a, t->folder, &t->run->id), t->run, "", &t->journal);
	arena_release(&a);
	return r;
}

int trace_note(struct trace *t, const struct facts *f)
{
	int r = 0;

	/* once it could not be made it is not tried again for each of a million */
	if (!t->journal)
		r = t->lost ? -EIO : create(t);
	if (r == 0)
		r = journal_append(t->journal, f);
	if (!t->journal)
		t->lost += f->n_transfers;
	return r;
}

int trace_flush(struct trace *t)
{
	return t->journal ? journal_flush(t->journal) : 0;
}

void trace_close(struct trace *t)
{
	journal_close(t->journal);
	t->journal = NULL;
}
