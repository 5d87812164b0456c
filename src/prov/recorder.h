/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_RECORDER_H
#define PROV_PROV_RECORDER_H
#include "aggregate/aggregate.h"
#include "base/buf.h"
#include "engine/engine.h"
#include "model/model.h"
/*
 * Recording one run: session, collector thread, journal, store. Whatever goes
 * wrong here never reaches the program; it becomes a sentence in `trouble`.
 */
struct recorder;

struct recorder_setup {
	struct run run;		/* id, name, argv, cwd, ...; start and engine are filled in */
	const struct note *notes;
	size_t n_notes;
	const struct engine_ops *engine;
	int32_t granularity;	/* enum prov_granularity */
};

/* NULL with fail_text() when nothing can be recorded. */
struct recorder *recorder_open(const struct recorder_setup *setup);

/* Environment for the program, as child_start() takes it. */
void recorder_environment(struct recorder *r, struct buf *env);

/* The program is process pid; from here on a thread collects. Call with all
 * signals blocked. */
int recorder_begin(struct recorder *r, uint32_t pid);

struct recorder_result {
	struct aggregate_counts counts;
	uint64_t lost;
	struct buf trouble;	/* sentences, one a line; the caller releases it */
};

/* The program has ended: collects the rest and puts it into the store. */
void recorder_end(struct recorder *r, uint32_t pid, int status, struct recorder_result *out);

/* The program never began: forgets the run. */
void recorder_cancel(struct recorder *r);
void recorder_close(struct recorder *r);	/* NULL is fine */
#endif
