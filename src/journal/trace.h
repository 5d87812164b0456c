/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_JOURNAL_TRACE_H
#define PROV_JOURNAL_TRACE_H
#include "base/arena.h"
#include "journal/journal.h"
/*
 * Single reads and writes of a run, where somebody asked for them: a journal
 * of its own that stays, <folder of the store>/traces/rRUN.trace. They are
 * many, and no graph needs them, so they are not put into the store.
 */
struct trace {
	const struct run *run;
	const char *folder;		/* that it is made in */
	struct journal *journal;	/* made when the first transfer comes */
	uint64_t lost;			/* transfers that could not be kept */
};

/* Keeps f's transfers. 0, or negative errno with fail_text(). */
int trace_note(struct trace *t, const struct facts *f);
int trace_flush(struct trace *t);
void trace_close(struct trace *t);

/* Where the trace of a run of this user is, or would be; NULL with fail_text(). */
const char *trace_path(struct arena *a, const struct id *run);
#endif
