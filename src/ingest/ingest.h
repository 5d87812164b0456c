/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_INGEST_INGEST_H
#define PROV_INGEST_INGEST_H
#include <stdbool.h>

#include "base/buf.h"
#include "store/store.h"
/* From journals to a store. */

/* Puts all facts of a journal into the store, times brought to the store's
 * scale. *damage gets a sentence when part of the journal could not be read.
 * Doing it twice changes nothing. */
int ingest_journal(struct store *s, const char *path, struct buf *damage);

/*
 * The same in two steps: what is in the journal by now in a thread, while its
 * writer still works on the end, then the rest. Both strings must live until
 * ingest_end(), which cannot be left out; without rest it only waits.
 */
struct ingest_ahead;
struct ingest_ahead *ingest_begin(const char *store, const char *path);
/* Instead of ingest_begin(), for a journal that is written for days: nothing happens by
 * itself, each ingest_more() takes in what has come. */
struct ingest_ahead *ingest_follow(const char *store, const char *path);
int ingest_more(struct ingest_ahead *a);
int ingest_end(struct ingest_ahead *a, bool rest, struct buf *damage);

/* Likewise facts that were never in a journal; run gives host, boot and shift. */
int ingest_facts(struct store *s, const struct run *run, const struct facts *f);

/*
 * What recorders that were killed have left behind in a spool, for a store:
 * journals, and sessions whose program may still be running. Finishes those that
 * are over, takes in what there is of the others. One line per run to messages.
 * Cheap when there is nothing to do: one look at a folder. only_over: passes over,
 * in silence, what still runs. 0, or negative errno when something is left for
 * next time; messages say what.
 */
int spool_recover(const char *spool, const char *store, bool only_over, struct buf *messages);
#endif
