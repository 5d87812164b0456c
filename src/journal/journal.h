/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_JOURNAL_JOURNAL_H
#define PROV_JOURNAL_JOURNAL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/model.h"
/*
 * Facts on disk before they are in a store: prov-journal(5). One file per run,
 * append only, made of blocks that are compressed and checksummed, so that a
 * torn or damaged tail costs that tail and nothing before it. Reading a
 * journal twice does no harm: every fact restates the total so far.
 */
struct journal;
#define JOURNAL_MADE ".new"

/* Creates path (0600; must not exist) and locks it for as long as it is open. It is
 * made under path + JOURNAL_MADE, which a maker that is killed meanwhile leaves.
 * folder is the session's, for whoever must finish the run; "" for none. */
int journal_create(const char *path, const struct run *run, const char *folder,
		   struct journal **out);
/* Collects; writes whole blocks as they fill. After a failed write everything
 * is kept in memory and the next call tries again. */
int journal_append(struct journal *j, const struct facts *f);
/* Bytes that mean nothing to the journal, in order with the facts. */
int journal_append_state(struct journal *j, const char *p, size_t n);
/* Ends a block, too: what is appended next is in another. */
int journal_flush(struct journal *j);
#define JOURNAL_REST "rest"	/* in the session's folder */
/* After a flush that failed: what is not in the file goes into another, which
 * begins with the run like the first. */
int journal_spill(struct journal *j, const char *path, const struct run *run);
void journal_close(struct journal *j);	/* flushes; NULL is fine */
uint64_t journal_bytes(const struct journal *j);

struct journal_sink {
	void *ctx;
	uint64_t from;	/* journal_end.at of an earlier reading, 0: the beginning */
	/* Blocks are handed over together until they are this large unpacked;
	 * 0: one by one. */
	size_t batch;
	/* Once per batch; facts are valid during the call. Not 0 stops reading. */
	int (*facts)(void *ctx, const struct facts *f);
	void (*folder)(void *ctx, const char *folder);
	/* After the facts of the same batch, in order; NULL: not wanted. */
	void (*state)(void *ctx, const char *p, size_t n);
};

struct journal_end {
	bool damaged;		/* something after `at` could not be read */
	uint64_t at, size;
};

/* Reads to the end or up to the first damage, which is no error. -EBADMSG only
 * when the file does not even begin like a journal. */
int journal_read(const char *path, const struct journal_sink *sink, struct journal_end *end);

/* Is the writer of this journal gone? Then the lock is taken and *fd keeps it
 * (the caller closes it). 0, -EAGAIN while it is being written. */
int journal_lock(const char *path, int *fd);

/* One block's worth of records, in memory; for readers and fuzzing. */
struct arena;
int journal_decode(const char *p, size_t size, struct arena *a, struct facts *out,
		   const char **folder);
/* Likewise, but what comes is added to what out has, all of it in one arena: for those
 * who get facts in pieces. Begin with everything zeroed. */
struct journal_rooms {
	size_t runs, executions, objects, accesses, names, holes, notes, transfers;
};
int journal_decode_more(const char *p, size_t size, struct arena *a, struct facts *out,
			struct journal_rooms *room, const char **folder);
/* Of what journal_decode() has accepted. */
void journal_decode_states(const char *p, size_t size, const struct journal_sink *sink);
void journal_encode(const struct facts *f, struct buf *out);
void journal_encode_folder(const char *folder, struct buf *out);
void journal_encode_state(const char *p, size_t n, struct buf *out);
#endif
