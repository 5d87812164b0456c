/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_PENDING_H
#define PROV_ENGINE_PENDING_H
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/map.h"
#include "prov/kernel.h"
/*
 * What was told of programs of which nobody has decided yet whether they are recorded:
 * kept for the session that they will belong to, so that nothing is missed meanwhile.
 * Not thread-safe. A zeroed one is empty.
 */
#define PENDING_MOST (8u << 20)	/* bytes; what comes on top is lost, and counted */

struct pending {
	struct buf records;	/* as in a session's queue */
	struct map owners;	/* pid of an image -> its session plus 1, once it is decided */
	uint64_t lost;
};

void pending_release(struct pending *p);
/* The session of an undecided record by now, 0: none; then it is kept. */
int pending_route(struct pending *p, const struct kernel_head *h);
/* Is there anything of that process? */
bool pending_has(const struct pending *p, uint32_t pid);
/* It and what descends from it belong to that session from now on: their records are
 * moved to out. */
void pending_claim(struct pending *p, uint32_t pid, int session, struct buf *out);
/* Nobody wants it, or what descends from it. */
void pending_drop(struct pending *p, uint32_t pid);
/* Nobody belongs to that session any more. */
void pending_session_over(struct pending *p, int session);
/* The session that an undecided thread of that image belongs to by now, 0: none,
 * -1: nobody wants it. */
int pending_owner(const struct pending *p, uint32_t image);
/* The environment with which its newest image began, if it was told. */
void pending_environ(const struct pending *p, uint32_t pid, struct buf *out);
/* What was told before that moment and nobody has asked for, is forgotten. */
void pending_forget(struct pending *p, uint64_t before);
#endif
