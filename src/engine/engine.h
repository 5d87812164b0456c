/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_ENGINE_H
#define PROV_ENGINE_ENGINE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "event/decode.h"
#include "model/model.h"
/*
 * Where events come from. One engine is one file and one entry of the table in
 * engine.c. An engine watches one session: a program and all that it starts.
 */
struct engine;

/* Who receives what an engine sees. Called by the thread that polls. */
struct engine_sink {
	void *ctx;
	/* pid and start name the image that reported e. */
	void (*event)(void *ctx, uint32_t pid, int64_t start, const struct event *e);
	/* The image will report nothing more. replaced: by another image of the
	 * same process. when: order time, an upper bound. */
	void (*ended)(void *ctx, uint32_t pid, int64_t start, int64_t when, bool replaced);
	/* Part of a living image's record is about to be given up to it: what came
	 * in so far must be kept by commit(). */
	void (*settled)(void *ctx, uint32_t pid, int64_t start);
	/* All records of that part have been handed over; an engine that reopens
	 * the session is told, so that it does not do it again. */
	void (*handed)(void *ctx, uint32_t pid, int64_t start, uint32_t seq);
	/* Everything handed over so far must now survive a kill of this process:
	 * afterwards the engine forgets it. */
	void (*commit)(void *ctx);
	/* From then on accesses are noted as finely as this, enum prov_granularity.
	 * Comes before the events it bears upon. */
	void (*switched)(void *ctx, int64_t since, int32_t granularity);
	/* The session ends while this image still runs. */
	void (*running)(void *ctx, uint32_t pid, int64_t start);
	/* pid 0: of the session as a whole */
	void (*hole)(void *ctx, uint32_t pid, int64_t start, const char *kind, const char *why,
		     uint64_t count);
};

struct engine_setup {
	struct id run;
	const char *library;	/* guest library, absolute path */
	uint64_t room;		/* bytes of shared memory at most */
	struct strings env_allow;	/* names of variables that may be recorded */
	int32_t granularity;	/* to begin with */
	/* What this process starts from now on is the session's; an engine that
	 * is carried by the environment need not know. 0: nobody, see adopt. */
	uint32_t launcher;
	/* Share of the time of who is recorded that recording may cost; the engine
	 * grows coarser by itself when it costs more. 0: no limit, and where the
	 * engine cannot tell. */
	double budget;
};

struct engine_ops {
	const char *name;
	/* 0 when it can work here, else negative errno; either way a sentence. */
	int (*probe)(struct buf *why);
	int (*open)(const char *folder, const struct engine_setup *setup, struct engine **out);
	/* An existing session, left by a collector that died. */
	int (*reopen)(const char *folder, struct engine **out);
	/* After reopen, before the first poll: that collector has kept this part. */
	void (*handed)(struct engine *e, uint32_t pid, int64_t start, uint32_t seq);
	/* NAME=value strings, NUL-terminated, to add to the program's environment. */
	int (*environment)(struct engine *e, const char *ld_preload, struct buf *out);
	/* This process, and all that it has started and will start, as far as that
	 * is not another session's. NULL: an engine that cannot. */
	int (*adopt)(struct engine *e, uint32_t pid);
	/* Hands over what is complete; final: everything there is. Returns how
	 * many records were handed over. */
	size_t (*poll)(struct engine *e, const struct engine_sink *sink, bool final);
	/* Asks whoever polls the session to note accesses so; not carried out before
	 * granularity() says it. For an engine that was reopened. */
	void (*ask)(struct engine *e, int32_t granularity);
	int32_t (*granularity)(const struct engine *e);
	/* What recording cost so far, as a sentence for a note; NULL: nobody knows. */
	void (*cost)(const struct engine *e, struct buf *out);
	uint64_t (*lost)(const struct engine *e);
	bool (*alive)(struct engine *e);	/* does any image still run? */
	void (*close)(struct engine *e, bool remove);	/* remove: delete the session's folder */
};

struct engine {
	const struct engine_ops *ops;	/* first member of every engine's own struct */
};

extern const struct engine_ops engine_preload, engine_remote;
extern const struct engine_ops engine_ebpf;	/* where it was built: PROV_EBPF */

/* "auto" is the best that works here; of several with one name (an engine in this
 * process, and the same run by the node service) the first that does. */
const struct engine_ops *engine_find(const char *name);
/* The one in the kernel, run by this process; NULL where it was left out of the build. */
const struct engine_ops *engine_kernel(void);
const struct engine_ops *engine_at(size_t i);		/* NULL after the last */

#endif
